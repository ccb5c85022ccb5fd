package themes

import (
	"image/color"
	"math"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// luminance is the relative luminance of WCAG 2.2.
func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	channel := func(v uint32) float64 {
		s := float64(v) / 0xffff
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(r) + 0.7152*channel(g) + 0.0722*channel(b)
}

// contrast is the contrast ratio of WCAG 2.2, from 1 to 21.
func contrast(a, b color.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

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

// Under "system" the terminal's own background shows, so text must be
// readable on the backgrounds that terminals commonly have, in full colour and
// in what is left of it in a terminal of 256 or 16 colours.
func TestTextIsReadableOnEveryUsualBackground(t *testing.T) {
	light := []string{"#ffffff", "#fafafa", "#fdf6e3", "#eff1f5", "#fbf1c7"}
	dark := []string{"#000000", "#16181f", "#1e1e1e", "#1e1e2e", "#002b36", "#282828", "#282a36"}
	full := func(c color.Color) color.Color { return c }
	reduced := func(c color.Color) color.Color { return ansi.Convert256(c) }
	for _, tc := range []struct {
		name        string
		theme       Theme
		backgrounds []string
		as          func(color.Color) color.Color
	}{
		{"light", Light(), light, full},
		{"dark", Dark(), dark, full},
		{"light, 256 colours", Light(), light[:1], reduced},
		{"dark, 256 colours", Dark(), dark[:1], reduced},
		{"light, 16 colours", Light().Basic(), light[:1], xterm},
		{"dark, 16 colours", Dark().Basic(), dark[:1], xterm},
	} {
		for r := range roles {
			style := tc.theme.Style(r)
			backgrounds := []color.Color{tc.as(style.GetBackground())}
			if _, none := style.GetBackground().(lipgloss.NoColor); none {
				backgrounds = backgrounds[:0]
				for _, b := range tc.backgrounds {
					backgrounds = append(backgrounds, lipgloss.Color(b))
				}
			}
			least := 4.5
			if r == Border { // a line, not text
				least = 2
			}
			for _, b := range backgrounds {
				if got := contrast(tc.as(style.GetForeground()), b); got < least {
					t.Errorf("%s: role %d on %v: contrast %.2f, want at least %.1f", tc.name, r, b, got, least)
				}
			}
		}
	}
}

// xterm gives a basic colour as xterm shows it.
func xterm(c color.Color) color.Color {
	hex := []string{
		"#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
		"#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff",
	}
	if basic, ok := c.(ansi.BasicColor); ok {
		return lipgloss.Color(hex[basic])
	}
	return c
}

func TestASelectedRowStandsOutFromTheBackground(t *testing.T) {
	for _, theme := range []Theme{Light(), Dark()} {
		for _, r := range []Role{Selected, SelectedBlur} {
			if got := contrast(theme.Style(r).GetBackground(), theme.Background); got < 1.2 {
				t.Errorf("%s: role %d: contrast of its background %.2f, want at least 1.2", theme.Name, r, got)
			}
		}
	}
}

// drawn gives text as it is sent to a terminal.
func drawn(t Theme, r Role, text string) string {
	var b strings.Builder
	t.Append(&b, r, text)
	return b.String()
}

func TestEveryRoleOfEveryThemeIsDrawnInItsStyle(t *testing.T) {
	for _, theme := range []Theme{Light(), Dark(), Mono(), Light().Painted(), Dark().Painted(), Dark().Basic(), Light().Basic().Painted()} {
		for r := range roles {
			if got, want := drawn(theme, r, "修复 fix"), theme.Style(r).Render("修复 fix"); got != want {
				t.Errorf("%s: role %d is drawn %q, its style %q", theme.Name, r, got, want)
			}
		}
	}
}

func TestMonoHasNoColours(t *testing.T) {
	mono := Mono()
	for r := range roles {
		for _, c := range []color.Color{mono.Style(r).GetForeground(), mono.Style(r).GetBackground()} {
			if _, none := c.(lipgloss.NoColor); !none {
				t.Errorf("role %d has the colour %v", r, c)
			}
		}
	}
	if drawn(mono, Selected, "x") == drawn(mono, Text, "x") {
		t.Error("a selected row looks like any other")
	}
}

func TestAPaintedThemeHasABackgroundBehindEveryRole(t *testing.T) {
	for _, theme := range []Theme{Light().Painted(), Dark().Painted()} {
		for r := range roles {
			if _, none := theme.Style(r).GetBackground().(lipgloss.NoColor); none {
				t.Errorf("%s: role %d has none", theme.Name, r)
			}
		}
	}
	if got := drawn(Mono().Basic(), Text, "x"); got != "x" {
		t.Errorf("a theme without colours got some: %q", got)
	}
	if got := drawn(Mono().Painted(), Text, "x"); got != "x" {
		t.Errorf("a theme without colours painted %q", got)
	}
}

func TestNamed(t *testing.T) {
	for _, tc := range []struct {
		name   string
		isDark bool
		want   string
	}{
		{"system", true, DarkName},
		{"system", false, LightName},
		{"", true, DarkName},
		{"light", true, LightName},
		{"dark", false, DarkName},
		{"mono", false, MonoName},
	} {
		got, err := Named(tc.name, tc.isDark)
		if err != nil || got.Name != tc.want {
			t.Errorf("Named(%q, %v) = %q, %v; want %q", tc.name, tc.isDark, got.Name, err, tc.want)
		}
	}
	if _, err := Named("sepia", true); err == nil || !strings.Contains(err.Error(), "system, light, dark") {
		t.Errorf("an unknown name gave %v, want an error that lists the names", err)
	}
	for _, name := range Names() {
		if _, err := Named(name, true); err != nil {
			t.Errorf("Names lists %q, which Named refuses: %v", name, err)
		}
	}
}

func TestEveryObservationTypeHasARoleOfItsOwn(t *testing.T) {
	seen := map[Role]string{}
	for _, typ := range []string{"decision", "bugfix", "feature", "refactor", "discovery", "change", "somebody's own"} {
		r := OfType(typ)
		if before, taken := seen[r]; taken {
			t.Errorf("%q and %q share role %d", typ, before, r)
		}
		seen[r] = typ
	}
}
