package tui

import (
	"errors"
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"cmem/themes"
)

// themed gives demoOptions that keep the themes which are saved.
func themed(saved *[]string) Options {
	o := demoOptions()
	o.Desk.SaveTheme = func(name string) error {
		*saved = append(*saved, name)
		if name == "dark" {
			return errors.New("disk full")
		}
		return nil
	}
	return o
}

func TestAThemeIsShownWhileItIsSelectedAndKeptWhenChosen(t *testing.T) {
	var saved []string
	h := open(t, themed(&saved), 200, 40)
	if h.m.theme.Name != "dark" {
		t.Errorf("before the terminal told its background the theme is %q", h.m.theme.Name)
	}
	h.send(tea.BackgroundColorMsg{Color: whiteColor{}})
	h.see("system (light)")
	h.keys("t", "j", "j")
	h.see("Themes", "high-contrast", "follows the terminal")
	if h.m.theme.Name != "dark" || len(saved) > 0 {
		t.Errorf("with dark selected the theme is %q, and %q are saved", h.m.theme.Name, saved)
	}
	h.keys("esc")
	if h.m.themeName != "system" || h.m.theme.Name != "light" || len(saved) > 0 {
		t.Errorf("esc left %q (%q), and saved %q", h.m.themeName, h.m.theme.Name, saved)
	}
	h.keys("t", "j", "enter")
	h.see("Theme: light")
	h.keys("t", "j", "enter")
	h.see("could not be remembered: disk full")
	h.keys("t", "G", "enter")
	last := themes.Names()[len(themes.Names())-1]
	if want := []string{"light", "dark", last}; !slices.Equal(saved, want) {
		t.Errorf("saved %q, want %q", saved, want)
	}
	if h.m.savedTheme != last {
		t.Errorf("the theme on disk is taken to be %q", h.m.savedTheme)
	}
}

func TestAThemeThatIsOnlyTriedIsNotKept(t *testing.T) {
	for name, leave := range map[string]func(h *harness){
		"quit":  func(h *harness) { h.keys("ctrl+c") },
		"click": func(h *harness) { h.send(tea.MouseClickMsg{X: 0, Y: 5, Button: tea.MouseLeft}) },
		"end":   func(*harness) {},
	} {
		var saved []string
		h := open(t, themed(&saved), 120, 40)
		h.keys("t", "j", "j", "j")
		leave(h)
		if h.m.keptTheme() != "system" || len(saved) > 0 {
			t.Errorf("%s: kept %q, saved %q", name, h.m.keptTheme(), saved)
		}
	}
}

func TestEveryThemeDrawsTheScreen(t *testing.T) {
	h := open(t, demoOptions(), 120, 40)
	for _, name := range themes.Names() {
		h.m.setTheme(name)
		h.m.dirty = true
		if h.m.View().Content == "" || h.m.goodName != name {
			t.Errorf("%s draws nothing", name)
		}
	}
}

func TestTheTerminalsBrightnessIsFollowed(t *testing.T) {
	h := open(t, demoOptions(), 200, 40)
	for _, told := range []tea.Msg{uv.LightColorSchemeEvent{}, uv.DarkColorSchemeEvent{}, tea.FocusMsg{}, tea.ResumeMsg{}} {
		_, cmd := h.m.Update(told)
		if !asksBackground(cmd) {
			t.Errorf("after %T the background is not asked for", told)
		}
	}
	h.send(tea.BackgroundColorMsg{Color: whiteColor{}})
	h.see("system (light)")
	h.m.setTheme("gruvbox")
	h.send(tea.FocusMsg{})
	h.see("gruvbox (light)")
	h.send(tea.BackgroundColorMsg{Color: blackColor{}})
	h.see("gruvbox (dark)")
	h.m.setTheme("nord")
	h.see(" nord")
	h.seeNot("nord (")
}

type blackColor struct{}

func (blackColor) RGBA() (r, g, b, a uint32) { return 0, 0, 0, 0xffff }

// asksBackground runs a command and reports whether the terminal is asked.
func asksBackground(cmd tea.Cmd) bool {
	if cmd == nil {
		return false
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		return slices.ContainsFunc(msg, asksBackground)
	case nil:
		return false
	default:
		return msg == tea.RequestBackgroundColor()
	}
}

func ownTheme(t *testing.T, name, background string) themes.Theme {
	t.Helper()
	set, problems := themes.Load(map[string][]byte{name + ".json": []byte(`{"name": "` + name + `", "base": "dark", "background": "` + background + `"}`)})
	theme, err := set.Named(name, true)
	if err != nil {
		t.Fatal(err, problems)
	}
	return theme
}

func TestThePersonsThemesAreReadAndFollowed(t *testing.T) {
	version := "1"
	set, problems := themes.NewSet(ownTheme(t, "墨", "#101010")), []string(nil)
	o := demoOptions()
	o.Theme = "墨"
	o.Desk.Themes = func() (themes.Set, []string) { return set, problems }
	o.Desk.ThemesVersion = func() string { return version }
	h := open(t, o, 120, 40)
	if h.m.theme.Name != "墨" || h.m.notice != "" {
		t.Fatalf("the theme is %q, with the notice %q", h.m.theme.Name, h.m.notice)
	}
	h.keys("t", "G")
	h.see("墨", "your own")
	h.keys("esc")

	set, problems, version = themes.NewSet(), []string{"theme ink.json: roles.text: \"grün\" is no colour"}, "2"
	h.run(h.m.cmds.watchThemes("1"))
	h.see("is no colour", "· 墨")
	if h.m.theme.Name != "墨" {
		t.Errorf("with its file broken the theme is %q", h.m.theme.Name)
	}
	set, problems, version = themes.NewSet(ownTheme(t, "墨", "#202020")), nil, "3"
	h.run(h.m.cmds.watchThemes("2"))
	if got := h.m.good.Background; got != ownTheme(t, "墨", "#202020").Background {
		t.Errorf("after it was put right its background is %v", got)
	}
	if cmd := h.m.cmds.watchThemes("3"); cmd() != nil {
		t.Error("themes that did not change were read again")
	}
}

func TestAnUnknownThemeIsSaidAndTheTerminalFollowed(t *testing.T) {
	o := demoOptions()
	o.Theme = "nonsense"
	h := open(t, o, 120, 40)
	h.see("there is no theme called nonsense; t chooses another")
	if h.m.theme.Name != "dark" {
		t.Errorf("the theme is %q", h.m.theme.Name)
	}
	if h.m.keptTheme() != h.m.savedTheme {
		t.Error("the setting would be overwritten")
	}
}
