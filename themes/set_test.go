package themes

import (
	"slices"
	"strings"
	"testing"
)

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
		{"high-contrast", true, "high-contrast-dark"},
		{"high-contrast", false, "high-contrast-light"},
		{"solarized", true, "solarized-dark"},
		{"solarized", false, "solarized-light"},
		{"catppuccin", true, "catppuccin-mocha"},
		{"catppuccin", false, "catppuccin-latte"},
		{"gruvbox", true, "gruvbox-dark"},
		{"gruvbox", false, "gruvbox-light"},
		{"gruvbox-light", true, "gruvbox-light"},
		{"nord", false, "nord"},
		{" Tokyo-Night ", false, "tokyo-night"},
		{"DRACULA", false, "dracula"},
	} {
		got, err := Set{}.Named(tc.name, tc.isDark)
		if err != nil || got.Name != tc.want {
			t.Errorf("Named(%q, %v) = %q, %v; want %q", tc.name, tc.isDark, got.Name, err, tc.want)
		}
	}
	if _, err := (Set{}).Named("sepia", true); err == nil || !strings.Contains(err.Error(), "system, light, dark, high-contrast") {
		t.Errorf("an unknown name gave %v, want an error that lists the names", err)
	}
}

func TestEveryNameIsAThemeAndTheHalvesOfAFamilyFitTheTerminal(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range Names() {
		if seen[name] {
			t.Errorf("%s is listed twice", name)
		}
		seen[name] = true
		light, err := Set{}.Named(name, false)
		if err != nil {
			t.Fatalf("Names lists %q, which Named refuses: %v", name, err)
		}
		dark, err := Set{}.Named(name, true)
		if err != nil {
			t.Fatal(err)
		}
		if follows := (Set{}).Follows(name); follows != (light.Name != dark.Name) {
			t.Errorf("Follows(%q) is %v", name, follows)
		}
		if light.Name != dark.Name && (light.IsDark() || !dark.IsDark()) {
			t.Errorf("%s: %s is for a light terminal, %s for a dark one", name, light.Name, dark.Name)
		}
		if light.Name == dark.Name && light.Name != name {
			t.Errorf("%s gives %s", name, light.Name)
		}
		if dark := strings.HasSuffix(light.Name, "-dark"); dark && !light.IsDark() {
			t.Errorf("%s is not dark", light.Name)
		}
	}
	if len(seen) < 18 {
		t.Errorf("there are %d names only", len(seen))
	}
}

func TestASetHasTheBuiltInThemesAndThePersonsOwn(t *testing.T) {
	own := func(name string, base Theme) Theme {
		base.Name = name
		return base
	}
	set := NewSet(own("茶色", Light()), own("mine", Dark()), own("mine", Light()), own("nord", Light()), own("mono", Light()), own("", Light()))
	want := append(Names(), "茶色", "mine")
	if got := set.Names(); !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
	if got, err := set.Named("Mine", false); err != nil || !got.IsDark() {
		t.Errorf("the second theme of a name was taken: %v, %v", got.Name, err)
	}
	if got, err := set.Named("nord", false); err != nil || !got.IsDark() {
		t.Errorf("a built-in theme was replaced: %v", err)
	}
	if _, err := set.Named("teal", false); err == nil || !strings.Contains(err.Error(), "茶色, mine and mono") {
		t.Errorf("the error does not list the person's themes: %v", err)
	}
	if set.Follows("mine") || set.Follows("nothing") || !set.Follows("system") || !set.Follows("") || !set.Follows("Gruvbox") {
		t.Error("Follows is wrong about who follows the terminal")
	}
	names := set.Names()
	names[0] = "changed"
	if set.Names()[0] != System {
		t.Error("a caller can change the names")
	}
}
