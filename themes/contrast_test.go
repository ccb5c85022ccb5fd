package themes

import (
	"image/color"
	"math"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

func TestContrastIsMeasuredAsWCAGDefinesIt(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want float64
	}{
		{"#000000", "#ffffff", 21},
		{"#777777", "#ffffff", 4.48},
		{"#abcdef", "#abcdef", 1},
	} {
		if got := contrast(lipgloss.Color(tc.a), lipgloss.Color(tc.b)); math.Abs(got-tc.want) > 0.01 {
			t.Errorf("contrast(%s, %s) = %.2f, want %.2f", tc.a, tc.b, got, tc.want)
		}
	}
}

// builtin gives every built-in theme once, without the families.
func builtin(t *testing.T) []Theme {
	t.Helper()
	var all []Theme
	for _, name := range Names() {
		theme, err := Set{}.Named(name, true)
		if err != nil {
			t.Fatal(err)
		}
		if theme.Name == name {
			all = append(all, theme)
		}
	}
	return all
}

// everyForm gives every built-in theme in full colour, in 256 and in 16 colours,
// as it is and painted.
func everyForm(t *testing.T) []Theme {
	t.Helper()
	var all []Theme
	for _, theme := range builtin(t) {
		for _, form := range []Theme{theme, theme.Indexed(), theme.Basic()} {
			all = append(all, form, form.Painted())
		}
	}
	return all
}

func same(c color.Color) color.Color { return c }

// Text of every role is readable on its own background or on the theme's: in
// full colour, and in what is left of it on a terminal of 256 or 16 colours.
func TestEveryRoleOfEveryThemeIsReadable(t *testing.T) {
	for _, theme := range builtin(t) {
		for _, form := range []struct {
			name  string
			theme Theme
			as    func(color.Color) color.Color
		}{
			{"full colour", theme, same},
			{"256 colours", theme.Indexed(), same},
			{"16 colours", theme.Basic(), asXterm},
		} {
			for r := range roles {
				fg, bg := form.theme.pair(r)
				if fg == nil || bg == nil {
					t.Fatalf("%s, %s: %s has no colours", theme.Name, form.name, r)
				}
				least := theme.least(r)
				if r == Heat0 && form.name == "16 colours" && !theme.high {
					least = leastLine // a square for an empty day; of five steps one must be the bright black
				}
				if got := contrast(form.as(fg), form.as(bg)); got < least {
					t.Errorf("%s, %s: %s has contrast %.2f, want at least %.1f", theme.Name, form.name, r, got, least)
				}
			}
		}
	}
}

// A terminal of 256 colours may still have a background of its own in full
// colour, on which a theme that is not painted must be readable, too.
func TestIndexedTextIsReadableOnTheTrueBackground(t *testing.T) {
	for _, theme := range builtin(t) {
		indexed := theme.Indexed()
		for r := range roles {
			if !isNone(indexed.styles[r].GetBackground()) {
				continue
			}
			if got := contrast(indexed.styles[r].GetForeground(), theme.Background); got < theme.least(r) {
				t.Errorf("%s: %s has contrast %.2f, want at least %.1f", theme.Name, r, got, theme.least(r))
			}
		}
	}
}

func TestIndexedHasNothingButTheColoursThatAreTheSameEverywhere(t *testing.T) {
	check := func(theme Theme, what any, c color.Color) {
		if isNone(c) {
			return
		}
		if i, ok := c.(ansi.IndexedColor); !ok || i < 16 {
			t.Errorf("%s: %v is %T %v", theme.Name, what, c, c)
		}
	}
	for _, theme := range builtin(t) {
		indexed := theme.Indexed()
		check(theme, "the background", indexed.Background)
		for r := range roles {
			check(theme, r, indexed.styles[r].GetForeground())
			check(theme, r, indexed.styles[r].GetBackground())
		}
		if indexed.Name != theme.Name || indexed.IsDark() != theme.IsDark() {
			t.Errorf("%s became %s, dark %v", theme.Name, indexed.Name, indexed.IsDark())
		}
	}
}

// Under "system" the terminal's own background shows, so text must be
// readable on the backgrounds that terminals commonly have, in full colour and
// in 256 colours also when an output filter reduces them one by one.
func TestTextIsReadableOnEveryUsualBackground(t *testing.T) {
	light := []string{"#ffffff", "#fafafa", "#fdf6e3", "#eff1f5", "#fbf1c7"}
	dark := []string{"#000000", "#16181f", "#1e1e1e", "#1e1e2e", "#002b36", "#282828", "#282a36"}
	reduced := func(c color.Color) color.Color { return ansi.Convert256(c) }
	for _, tc := range []struct {
		name        string
		theme       Theme
		backgrounds []string
		as          func(color.Color) color.Color
	}{
		{"light", Light(), light, same},
		{"dark", Dark(), dark, same},
		{"light, reduced", Light(), light[:1], reduced},
		{"dark, reduced", Dark(), dark[:1], reduced},
	} {
		for r := range roles {
			style := tc.theme.Style(r)
			backgrounds := []color.Color{tc.as(style.GetBackground())}
			if isNone(style.GetBackground()) {
				backgrounds = backgrounds[:0]
				for _, b := range tc.backgrounds {
					backgrounds = append(backgrounds, lipgloss.Color(b))
				}
			}
			least := tc.theme.least(r)
			for _, b := range backgrounds {
				if got := contrast(tc.as(style.GetForeground()), b); got < least {
					t.Errorf("%s: %s on %v: contrast %.2f, want at least %.1f", tc.name, r, b, got, least)
				}
			}
		}
	}
}

func TestOnlyTheThemesForAnyBackgroundFitOne(t *testing.T) {
	for _, theme := range append(builtin(t), Mono()) {
		light, dark := theme.Fits(false), theme.Fits(true)
		wantLight := theme.Name == LightName || theme.Name == MonoName
		wantDark := theme.Name == DarkName || theme.Name == MonoName
		if light != wantLight || dark != wantDark {
			t.Errorf("%s fits light %v, dark %v", theme.Name, light, dark)
		}
	}
}

// asXterm gives a basic colour as xterm shows it.
func asXterm(c color.Color) color.Color {
	hex := []string{
		"#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
		"#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff",
	}
	if basic, ok := c.(ansi.BasicColor); ok {
		return lipgloss.Color(hex[basic])
	}
	return c
}

// A row that is selected, selected in a pane without the keys, or marked differs
// from the others, and from each other, by its background.
func TestRowsStandOutFromTheBackgroundAndFromEachOther(t *testing.T) {
	rows := []Role{Selected, SelectedBlur, Mark}
	for _, theme := range builtin(t) {
		for _, form := range []Theme{theme, theme.Indexed(), theme.Basic()} {
			seen := map[color.Color]Role{}
			for _, r := range rows {
				bg := form.Style(r).GetBackground()
				if got := contrast(asXterm(bg), asXterm(form.Background)); got < 1.15 {
					t.Errorf("%s: %s: contrast of %v to the background %.2f, want at least 1.15", theme.Name, r, bg, got)
				}
				if before, taken := seen[bg]; taken {
					t.Errorf("%s: %s and %s are both on %v", theme.Name, r, before, bg)
				}
				seen[bg] = r
			}
			if a, b := form.Style(SelectedMatch), form.Style(Selected); a.GetBackground() != b.GetBackground() || a.GetForeground() == b.GetForeground() {
				t.Errorf("%s: found words do not stand out in the selected row, or break it", theme.Name)
			}
		}
	}
}

// The steps of the heat map are told apart by how much they stand out, which
// also somebody sees who cannot tell hues apart.
func TestEachStepOfTheHeatMapStandsOutMoreThanTheOneBefore(t *testing.T) {
	for _, theme := range builtin(t) {
		forms := []Theme{theme, theme.Indexed()}
		if !theme.high || theme.IsDark() { // two of the 16 colours are dark enough for the other one
			forms = append(forms, theme.Basic())
		}
		for i, form := range forms {
			step := 1.04
			if i == 0 {
				step = 1.15
			}
			last := 0.0
			for r := Heat0; r <= Heat4; r++ {
				got := contrast(asXterm(form.Style(r).GetForeground()), asXterm(form.Background))
				if got < last*step {
					t.Errorf("%s, form %d: %s has contrast %.2f after %.2f", theme.Name, i, r, got, last)
				}
				last = got
			}
		}
	}
}
