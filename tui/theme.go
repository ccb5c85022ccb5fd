package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"cmem/themes"
)

// look is how the browser is coloured, and what that depends on.
type look struct {
	set        themes.Set // the themes that can be chosen
	setVersion string     // of the person's own ones; empty until they were read

	themeName  string // as it was chosen; nobody need know it
	savedTheme string // the one that is remembered
	theme      themes.Theme
	label      string // the theme, for the status line

	// good is the theme that the name meant last, as it is made. It stays when
	// the file of a person's own theme is broken while it is in use.
	good     themes.Theme
	goodName string

	isDark    bool
	knowsDark bool // the terminal told
	profile   colorprofile.Profile
}

// retheme makes the theme for what is known of the terminal. A theme that the
// terminal's background does not fit brings its own.
func (m *model) retheme() {
	theme, err := m.set.Named(m.themeName, m.isDark)
	switch {
	case err == nil:
		m.good, m.goodName = theme, m.themeName
	case m.goodName == m.themeName && m.goodName != "":
		theme = m.good
	default:
		if theme, err = m.set.Named(themes.System, m.isDark); err != nil {
			theme = themes.Mono()
		}
	}
	m.label = m.themeName
	if m.set.Follows(m.themeName) || m.themeName == "" || err != nil {
		half := themes.LightName
		if theme.IsDark() {
			half = themes.DarkName
		}
		m.label = m.themeName + " (" + half + ")"
	}
	m.label = cleanLine(m.label)
	m.theme = m.painted(theme)
}

// painted fits a theme to the terminal: to its colours and its background.
func (m *model) painted(theme themes.Theme) themes.Theme {
	if m.profile == colorprofile.ASCII || m.profile == colorprofile.NoTTY {
		return themes.Mono()
	}
	fits := theme.Fits(m.isDark)
	if !m.knowsDark && m.themeName != themes.System {
		fits = false // light and dark are promises
	}
	if m.profile == colorprofile.ANSI {
		theme = theme.Basic()
	}
	if !fits {
		theme = theme.Painted()
	}
	return theme
}

// haveThemes takes in the person's own themes.
func (m *model) haveThemes(msg themesMsg) {
	m.set, m.setVersion = msg.set, msg.version
	m.retheme()
}

// takeThemes takes in the person's own themes and says what is wrong with them.
func (m *model) takeThemes(msg themesMsg) tea.Cmd {
	m.haveThemes(msg)
	problems := msg.problems
	if why := m.unknownTheme(); why != "" {
		problems = append(slices.Clone(problems), why)
	}
	if len(problems) == 0 {
		return nil
	}
	return m.sayProblems(problems)
}

// unknownTheme says that the theme which was asked for is not there, or "".
func (m *model) unknownTheme() string {
	if _, err := m.set.Named(m.themeName, m.isDark); err == nil || m.goodName == m.themeName {
		return ""
	}
	return fmt.Sprintf("theme: there is no theme called %s; %s chooses another", cleanLine(m.themeName), m.keys.of(actTheme, inPanes))
}

// sayProblems says what is wrong with the settings: the first, and how many
// there are.
func (m *model) sayProblems(problems []string) tea.Cmd {
	text := problems[0]
	if n := len(problems) - 1; n > 0 {
		text += fmt.Sprintf(" (and %d more: `cmem doctor` lists them)", n)
	}
	return m.say(themes.Warn, text)
}

// setTheme chooses a theme and shows it.
func (m *model) setTheme(name string) {
	if name != m.themeName {
		m.themeName = name
		m.retheme()
	}
}

// themeChooser is the list of themes. Each is shown while it is selected.
type themeChooser struct {
	choice
	names  []string
	before string // the theme to go back to
}

// openThemes lets the person choose a theme.
func (m *model) openThemes() tea.Cmd {
	c := &themeChooser{names: m.set.Names(), before: m.themeName}
	c.title, c.foot = "Themes", m.closingHint("keeps")
	c.chosen = func(m *model, n int) tea.Cmd {
		m.setTheme(c.names[n])
		return tea.Batch(m.say(themes.Text, "Theme: "+m.label), m.cmds.saveTheme(m.themeName))
	}
	options := make([]option, len(c.names))
	for n, name := range c.names {
		options[n] = option{label: name}
		switch {
		case m.set.Follows(name):
			options[n].note = "follows the terminal"
		case n >= len(themes.Names()):
			options[n].note = "your own"
		}
	}
	c.offer(options)
	c.cursor = max(slices.Index(c.names, m.themeName), 0)
	m.overlays = append(m.overlays, c)
	return nil
}

func (c *themeChooser) act(m *model, a action) tea.Cmd {
	cmd := c.choice.act(m, a)
	m.setTheme(c.names[c.shown[c.cursor]])
	return cmd
}

func (c *themeChooser) left(m *model) { m.setTheme(c.before) }

// closingHint tells how a window of choices is used, in the keys of the moment.
func (m *model) closingHint(does string) string {
	return m.keys.of(actAccept, inChoice) + " " + does + " · " + m.keys.of(actLeave, inChoice) + " closes"
}

// greet says once what is wrong with the settings, and begins to watch the
// person's themes.
func (m *model) greet() tea.Cmd {
	watch := m.cmds.watchThemes(m.setVersion)
	problems := m.problems
	if read := watch == nil || m.setVersion != ""; read {
		if why := m.unknownTheme(); why != "" {
			problems = append(slices.Clone(problems), why)
		}
	}
	if len(problems) == 0 {
		return watch
	}
	return tea.Batch(watch, m.sayProblems(problems))
}

// keptTheme gives the theme to remember: not one that is only tried.
func (m *model) keptTheme() string {
	for _, o := range m.overlays {
		if c, is := o.(*themeChooser); is {
			return c.before
		}
	}
	return m.themeName
}
