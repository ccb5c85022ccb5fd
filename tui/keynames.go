package tui

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// modifiers are the keys that are held, in the order in which a key is named.
var modifiers = []string{"ctrl", "alt", "shift", "meta", "hyper", "super"}

// specialNames are the keys that type nothing, as Bubble Tea names them.
var specialNames = []string{
	"enter", "tab", "backspace", "esc", "space", "up", "down", "left", "right", "insert", "delete",
	"home", "end", "pgup", "pgdown", "begin", "find", "select",
}

// aliases are other names that people have for keys.
var aliases = map[string]string{
	"return": "enter", "escape": "esc", "del": "delete", "ins": "insert", "pageup": "pgup", "pagedown": "pgdown",
	"page up": "pgup", "page down": "pgdown", "↑": "up", "↓": "down", "←": "left", "→": "right", " ": "space",
	"control": "ctrl", "option": "alt", "cmd": "super", "command": "super",
}

// normalKey gives a key as Bubble Tea names it, and false if it is none that
// can be pressed.
func normalKey(s string) (string, bool) {
	if s != " " {
		s = strings.TrimSpace(s)
	}
	parts := strings.Split(s, "+")
	if s == "+" || strings.HasSuffix(s, "++") { // the plus itself
		parts = append(parts[:len(parts)-2], "+")
	}
	base := parts[len(parts)-1]
	var held []string
	for _, mod := range parts[:len(parts)-1] {
		mod = strings.ToLower(strings.TrimSpace(mod))
		if name, other := aliases[mod]; other {
			mod = name
		}
		if !slices.Contains(modifiers, mod) || slices.Contains(held, mod) {
			return "", false
		}
		held = append(held, mod)
	}
	base, ok := baseKey(base)
	if !ok {
		return "", false
	}
	if utf8.RuneCountInString(base) == 1 && len(held) > 0 {
		if slices.Equal(held, []string{"shift"}) { // a terminal tells what it types
			upper := strings.ToUpper(base)
			return upper, upper != base
		}
		base = strings.ToLower(base)
	}
	slices.SortFunc(held, func(a, b string) int { return slices.Index(modifiers, a) - slices.Index(modifiers, b) })
	return strings.Join(append(held, base), "+"), true
}

// baseKey gives a key without those that are held.
func baseKey(s string) (string, bool) {
	if r, n := utf8.DecodeRuneInString(s); n == len(s) && n > 0 && r != ' ' {
		if name, other := aliases[s]; other {
			return name, true
		}
		return s, unicode.IsPrint(r) && r != utf8.RuneError
	}
	s = strings.ToLower(s)
	if name, other := aliases[s]; other {
		s = name
	}
	if slices.Contains(specialNames, s) {
		return s, true
	}
	if number, is := strings.CutPrefix(s, "f"); is {
		n, err := strconv.Atoi(number)
		return "f" + strconv.Itoa(n), err == nil && n >= 1 && n <= 63
	}
	return "", false
}

// isTyped reports whether a key types a character.
func isTyped(name string) bool { return name == "space" || utf8.RuneCountInString(name) == 1 }

// KeyHelp is one entry of the key map, for a table of it.
type KeyHelp struct {
	Action  string   `json:"action"` // its name in the settings
	Group   string   `json:"group"`  // where it stands in the help
	Help    string   `json:"help"`   // what it does
	Keys    []string `json:"keys"`   // those in use, as Bubble Tea names them
	Default []string `json:"default"`
}

// KeyTable gives the key map as it is with remapped keys, in the order of the
// help, and what is wrong with the remapping, a sentence each.
func KeyTable(remap map[string][]string) ([]KeyHelp, []string) {
	k, problems := newKeymap(remap)
	table := make([]KeyHelp, len(k))
	for n, b := range k {
		table[n] = KeyHelp{
			Action: string(b.action), Group: b.group, Help: b.help,
			Keys: slices.Clone(b.keys.Keys()), Default: slices.Clone(defaultKeys[n].keys.Keys()),
		}
	}
	return table, problems
}
