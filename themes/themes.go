// Package themes holds the palettes and the styles made from them. A theme
// gives one style for each role that text can play on the screen; nothing
// outside this package names a colour.
//
// No I/O is done here: a theme is a value, and whether the terminal is dark is
// for the caller to find out.
package themes

import (
	"fmt"
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
)

// Role is the part that a piece of text plays on the screen.
type Role uint8

// The roles. Every theme has a style for each of them.
const (
	Text         Role = iota // running text
	Muted                    // secondary text: times, costs, hints
	Strong                   // titles
	Accent                   // the name of the program, what is active
	Border                   // frame of a pane
	BorderFocus              // frame of the pane that has the keys
	Title                    // title in a frame
	TitleFocus               // title in the frame of the pane that has the keys
	Selected                 // the selected row
	SelectedBlur             // the selected row of a pane without the keys
	Match                    // words that a search found
	Day                      // headline of a day
	Session                  // headline of a session
	Heading                  // headline in the details
	Chip                     // a concept, tag or filter
	Key                      // a key in a hint
	Badge                    // something new
	Good                     // all is well
	Warn                     // worth a look
	Bad                      // went wrong
	Decision
	Bugfix
	Feature
	Refactor
	Discovery
	Change
	Other // an observation of a type of its own
	Prompt
	Summary
	roles // how many there are
)

// The names that a person can choose.
const (
	System    = "system" // light or dark, as the terminal is
	LightName = "light"
	DarkName  = "dark"
	MonoName  = "mono" // no colours at all, for NO_COLOR
)

// Theme is one style for each role. The zero Theme styles nothing.
type Theme struct {
	Name string
	// Background is what the styles are made for; nil in a theme without colours.
	Background color.Color

	styles      [roles]lipgloss.Style
	open, close [roles]string // what a terminal is sent before and after text of a role
}

// Names lists what Named accepts, in the order in which a key cycles through them.
func Names() []string { return []string{System, LightName, DarkName} }

// Named gives the theme of that name; for System the light or the dark one.
// The error of an unknown name lists the names there are.
func Named(name string, isDark bool) (Theme, error) {
	switch name {
	case System, "":
		if isDark {
			return Dark(), nil
		}
		return Light(), nil
	case LightName:
		return Light(), nil
	case DarkName:
		return Dark(), nil
	case MonoName:
		return Mono(), nil
	}
	return Theme{}, fmt.Errorf("no theme named %q; there are %s and %s", name, strings.Join(Names(), ", "), MonoName)
}

// Style gives the style of a role.
func (t Theme) Style(r Role) lipgloss.Style { return t.styles[r] }

// Append writes one line of text to b, styled for the role. It is made for
// drawing many short pieces: unlike a style's Render it measures and pads
// nothing.
func (t *Theme) Append(b *strings.Builder, r Role, text string) {
	b.WriteString(t.open[r])
	b.WriteString(text)
	b.WriteString(t.close[r])
}

// Painted gives the theme with its background painted behind every role, for
// a terminal whose own background does not fit the theme.
func (t Theme) Painted() Theme {
	if t.Background == nil {
		return t
	}
	for r := range t.styles {
		if _, none := t.styles[r].GetBackground().(lipgloss.NoColor); none {
			t.styles[r] = t.styles[r].Background(t.Background)
		}
	}
	return t.ready()
}

// ready fills in what Append needs from the styles.
func (t Theme) ready() Theme {
	const probe = "x"
	for r := range t.styles {
		t.open[r], t.close[r], _ = strings.Cut(t.styles[r].Render(probe), probe)
	}
	return t
}

// OfType gives the role for an observation's type.
func OfType(observationType string) Role {
	if r, ok := typeRoles[observationType]; ok {
		return r
	}
	return Other
}

var typeRoles = map[string]Role{
	"decision":  Decision,
	"bugfix":    Bugfix,
	"feature":   Feature,
	"refactor":  Refactor,
	"discovery": Discovery,
	"change":    Change,
}
