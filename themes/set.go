package themes

import (
	"fmt"
	"slices"
	"strings"
)

// The names of themes that mean something to the code.
const (
	System    = "system" // light or dark, as the terminal is
	LightName = "light"
	DarkName  = "dark"
	MonoName  = "mono" // no colours at all, for NO_COLOR
)

// choice is a name that a person can choose: a theme, or a family of which the
// terminal's brightness chooses the half.
type choice struct {
	name        string
	light, dark func() palette // the same one for a theme that is the same everywhere
}

// choices are the built-in themes, in the order in which a key cycles through
// them. It holds no palettes, only where they are made.
var choices = [...]choice{
	{System, lightPalette, darkPalette},
	{LightName, lightPalette, lightPalette},
	{DarkName, darkPalette, darkPalette},
	{"high-contrast", highContrastLight, highContrastDark},
	{"high-contrast-light", highContrastLight, highContrastLight},
	{"high-contrast-dark", highContrastDark, highContrastDark},
	{"solarized", solarizedLight, solarizedDark},
	{"solarized-light", solarizedLight, solarizedLight},
	{"solarized-dark", solarizedDark, solarizedDark},
	{"catppuccin", catppuccinLatte, catppuccinMocha},
	{"catppuccin-latte", catppuccinLatte, catppuccinLatte},
	{"catppuccin-mocha", catppuccinMocha, catppuccinMocha},
	{"gruvbox", gruvboxLight, gruvboxDark},
	{"gruvbox-light", gruvboxLight, gruvboxLight},
	{"gruvbox-dark", gruvboxDark, gruvboxDark},
	{"nord", nord, nord},
	{"tokyo-night", tokyoNight, tokyoNight},
	{"dracula", dracula, dracula},
}

// Set is the themes that a person can choose from: the built-in ones and the
// person's own. The zero Set has the built-in ones only.
type Set struct {
	own []Theme // each under a name of its own
}

// NewSet gives the built-in themes and those of the person. A theme without a
// name, or with one that is taken by a built-in theme or one before it, is left
// out: Load says so.
func NewSet(own ...Theme) Set {
	var s Set
	for i := range own {
		if own[i].Name != "" && !reserved(own[i].Name) && s.find(own[i].Name) == nil {
			s.own = append(s.own, own[i])
		}
	}
	return s
}

// Names lists what can be chosen, in the order in which a key cycles through
// it: families before their halves, the person's own themes last. Named accepts
// MonoName beside them.
func (s Set) Names() []string {
	names := make([]string, 0, len(choices)+len(s.own))
	for i := range choices {
		names = append(names, choices[i].name)
	}
	for i := range s.own {
		names = append(names, s.own[i].Name)
	}
	return names
}

// Named gives the theme of that name, in whatever case it is written; of a
// family the half for a dark or a light terminal. The empty name is System. The
// error of an unknown name lists the names there are.
func (s Set) Named(name string, isDark bool) (Theme, error) {
	folded := fold(name)
	if folded == MonoName {
		return Mono(), nil
	}
	for i := range choices {
		if c := &choices[i]; c.name == folded {
			if isDark {
				return c.dark().theme(), nil
			}
			return c.light().theme(), nil
		}
	}
	if own := s.find(folded); own != nil {
		return *own, nil
	}
	return Theme{}, fmt.Errorf("no theme named %q; there are %s and %s", name, strings.Join(s.Names(), ", "), MonoName)
}

// Follows reports whether the theme of that name is another one on a dark
// terminal than on a light one.
func (s Set) Follows(name string) bool {
	folded := fold(name)
	for i := range choices {
		if c := &choices[i]; c.name == folded {
			return c.light().name != c.dark().name
		}
	}
	return false
}

// fold gives a name as it is looked for.
func fold(name string) string {
	if name = strings.ToLower(strings.TrimSpace(name)); name == "" {
		return System
	}
	return name
}

func (s Set) find(name string) *Theme {
	if i := slices.IndexFunc(s.own, func(t Theme) bool { return t.Name == name }); i >= 0 {
		return &s.own[i]
	}
	return nil
}

// reserved reports whether a name is that of a built-in theme or family.
func reserved(name string) bool {
	return name == MonoName || slices.ContainsFunc(choices[:], func(c choice) bool { return c.name == name })
}

// Names lists the built-in themes as Set.Names does.
func Names() []string { return Set{}.Names() }
