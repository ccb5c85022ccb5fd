package themes

import (
	"image/color"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
)

// drawn gives text as it is sent to a terminal.
func drawn(t Theme, r Role, text string) string {
	var b strings.Builder
	t.Append(&b, r, text)
	return b.String()
}

func TestEveryRoleOfEveryThemeIsDrawnInItsStyle(t *testing.T) {
	for _, theme := range append(everyForm(t), Mono()) {
		for r := range roles {
			// One character: of underlined text a style draws each for itself.
			if got, want := drawn(theme, r, "修"), theme.Style(r).Render("修"); got != want {
				t.Errorf("%s: %s is drawn %q, its style %q", theme.Name, r, got, want)
			}
			if got, want := drawn(theme, r, "修复 fix 🛒"), strings.Replace(drawn(theme, r, "修"), "修", "修复 fix 🛒", 1); got != want {
				t.Errorf("%s: %s is drawn %q, not at once as %q", theme.Name, r, got, want)
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
	for _, theme := range everyForm(t) {
		theme = theme.Painted()
		for r := range roles {
			if _, none := theme.Style(r).GetBackground().(lipgloss.NoColor); none {
				t.Errorf("%s: role %d has none", theme.Name, r)
			}
		}
	}
	if got := drawn(Mono().Basic(), Text, "x"); got != "x" {
		t.Errorf("a theme without colours got some: %q", got)
	}
	if got := drawn(Mono().Indexed(), Text, "x"); got != "x" {
		t.Errorf("a theme without colours got some: %q", got)
	}
	if got := drawn(Mono().Painted(), Text, "x"); got != "x" {
		t.Errorf("a theme without colours painted %q", got)
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

func TestEveryRoleHasANameOfItsOwn(t *testing.T) {
	seen := map[string]Role{}
	for r := range roles {
		name := r.String()
		if before, taken := seen[name]; taken || name == "" || strings.ContainsFunc(name, notInName) {
			t.Errorf("role %d is called %q; so is role %d", r, name, before)
		}
		seen[name] = r
	}
	if got := roles.String(); got != "role 38" {
		t.Errorf("no role at all is called %q", got)
	}
}

func BenchmarkAppend(b *testing.B) {
	theme := Dark()
	var s strings.Builder
	for b.Loop() {
		s.Reset()
		theme.Append(&s, Selected, "修复 fix")
	}
}

func BenchmarkIndexed(b *testing.B) {
	theme := Dark()
	for b.Loop() {
		theme.Indexed()
	}
}
