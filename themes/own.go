package themes

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Problem is one thing that is wrong in a person's theme file.
type Problem struct {
	File    string
	Key     string // "background", "roles.text.fg"; empty when it is the file as a whole
	Err     error  // what is wrong and what is allowed
	Warning bool   // the theme can be used all the same
}

// Error names the file, the key and what is wrong there.
func (p Problem) Error() string {
	if p.Key == "" {
		return fmt.Sprintf("%s: %v", p.File, p.Err)
	}
	return fmt.Sprintf("%s: %s: %v", p.File, p.Key, p.Err)
}

// Unwrap returns what is wrong.
func (p Problem) Unwrap() error { return p.Err }

// Load gives the built-in themes and those of a person's files, which are given
// by path. A file with a mistake gives no theme and the problems say why; the
// others are there. Text that is hard to read is a warning, and its theme is
// there, too.
func Load(files map[string][]byte) (Set, []Problem) {
	var own []Theme
	var problems []Problem
	from := map[string]string{}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		t, wrong := parse(file, files[file])
		if len(wrong) > 0 {
			problems = append(problems, wrong...)
			continue
		}
		if before, taken := from[t.Name]; taken {
			problems = append(problems, Problem{File: file, Key: "name",
				Err: fmt.Errorf("%q is the name of the theme in %s; choose another", t.Name, filepath.Base(before))})
			continue
		}
		from[t.Name] = file
		own = append(own, t)
		problems = append(problems, t.Warnings(file)...)
	}
	return NewSet(own...), problems
}

// Warnings names the roles of a theme that are hard to read, as Problems of that
// file: text with a contrast of less than 4.5:1, frames with less than 3:1.
func (t Theme) Warnings(file string) []Problem {
	var all []Problem
	for r := range roles {
		fg, bg := t.pair(r)
		if fg == nil || bg == nil {
			continue
		}
		if has, least := contrast(fg, bg), t.least(r); has < least {
			all = append(all, Problem{File: file, Key: "roles." + r.String(), Warning: true,
				Err: fmt.Errorf("%s on %s is hard to read: its contrast is %.1f:1, and it should be %.1f:1", hex(fg), hex(bg), has, least)})
		}
	}
	return all
}

// maxName is how long the name of a theme may be, in characters.
const maxName = 40

// checkName returns an error that says what a person's theme can be called.
func checkName(name string) error {
	switch {
	case name == "" || len([]rune(name)) > maxName || strings.ContainsFunc(name, notInName):
		return fmt.Errorf("%q is no name for a theme; it takes up to %d letters, digits, - and _", name, maxName)
	case reserved(name):
		return fmt.Errorf("%q is a built-in theme; choose another name", name)
	}
	return nil
}
