package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
)

// keymap is the bindings as they are in use: the default ones, with the keys
// that the person gave to actions.
type keymap []binding

// alwaysQuits is a key that cannot be given to anything else: whatever stands
// in the settings, the browser can be left.
const alwaysQuits = "ctrl+c"

// newKeymap gives the key map with remapped keys, and what is wrong with them,
// a sentence each. What is wrong is left out.
func newKeymap(remap map[string][]string) (keymap, []string) {
	k := slices.Clone(keymap(defaultKeys))
	var problems []string
	known := map[string]bool{}
	for _, b := range k {
		known[string(b.action)] = true
	}
	for _, name := range slices.Sorted(maps.Keys(remap)) {
		if !known[name] {
			problems = append(problems, fmt.Sprintf("keys.%s: there is no such action%s", cleanLine(name), nearest(name, known)))
			continue
		}
		keys, wrong := readKeys(name, remap[name])
		problems = append(problems, wrong...)
		if len(keys) == 0 && len(remap[name]) > 0 {
			continue // none of them is one: the default ones stay
		}
		if len(keys) == 0 && needed[action(name)] {
			problems = append(problems, fmt.Sprintf("keys.%s: it needs a key", name))
			continue
		}
		for i, b := range k {
			// While typing and in windows the keys of the line stay: a letter must be
			// typed there, not act.
			if string(b.action) != name || !k.applies(b, inPanes) && k.inPanes(b.action) {
				continue
			}
			mine := keys
			if slices.ContainsFunc(b.scopes, scope.types) && !k.applies(b, inPanes) {
				mine = slices.DeleteFunc(slices.Clone(keys), isTyped)
				if len(mine) == 0 {
					problems = append(problems, fmt.Sprintf("keys.%s: while typing, %s is typed: a key with ctrl+ can be given there", name, strings.Join(keys, " ")))
					continue
				}
			}
			if slices.Contains(b.keys.Keys(), alwaysQuits) && !slices.Contains(mine, alwaysQuits) {
				mine = append(slices.Clone(mine), alwaysQuits)
			}
			k[i].keys = key.NewBinding(key.WithKeys(mine...))
		}
	}
	return k.withoutConflicts(remap, problems)
}

// needed are the actions without which one could not get out again.
var needed = map[action]bool{actQuit: true, actLeave: true, actAccept: true, actYes: true, actNo: true}

// readKeys gives the keys of a setting as the terminal names them, and what is
// wrong with the others.
func readKeys(name string, given []string) (keys, problems []string) {
	for _, s := range given {
		k, ok := normalKey(s)
		switch {
		case !ok:
			problems = append(problems, fmt.Sprintf("keys.%s: %q is no key; keys look like a, A, space, f5, ctrl+a, shift+up", name, cleanLine(s)))
		case k == alwaysQuits && name != string(actQuit):
			problems = append(problems, fmt.Sprintf("keys.%s: %s always quits", name, k))
		case !slices.Contains(keys, k):
			keys = append(keys, k)
		}
	}
	return keys, problems
}

// types reports whether letters are typed where a scope has the keys.
func (in scope) types() bool { return in == inFilter || in == inTyping || in == inForm }

// applies reports whether a binding applies in a scope.
func (k keymap) applies(b binding, in scope) bool { return slices.Contains(b.scopes, in) }

// inPanes reports whether an action has a binding in the panes.
func (k keymap) inPanes(a action) bool {
	return slices.ContainsFunc(k, func(b binding) bool { return b.action == a && k.applies(b, inPanes) })
}

// withoutConflicts takes a key from an action when the person gave it to
// another one, and says so. Between two that the person gave, the first in the
// order of the help wins.
func (k keymap) withoutConflicts(remap map[string][]string, problems []string) (keymap, []string) {
	for in := range scopes {
		owner := map[string]int{}
		for i, b := range k {
			if !k.applies(b, in) {
				continue
			}
			for _, pressed := range b.keys.Keys() {
				other, taken := owner[pressed]
				if !taken {
					owner[pressed] = i
					continue
				}
				keep, lose := k.precedence(other, i, remap)
				owner[pressed] = keep
				left := slices.DeleteFunc(slices.Clone(k[lose].keys.Keys()), func(s string) bool { return s == pressed })
				k[lose].keys = key.NewBinding(key.WithKeys(left...))
				problem := fmt.Sprintf("keys: %s is for %s now, and no longer for %s", keyName(pressed), k[keep].action, k[lose].action)
				if len(left) == 0 {
					problem += ", which has no key left"
					if k.applies(k[lose], inPanes) {
						problem += " (the palette has it)"
					}
				}
				problems = append(problems, problem)
			}
		}
	}
	return k, problems
}

// precedence decides which of two bindings keeps a key that both have.
func (k keymap) precedence(first, second int, remap map[string][]string) (keep, lose int) {
	_, firstGiven := remap[string(k[first].action)]
	_, secondGiven := remap[string(k[second].action)]
	keep, lose = first, second
	if secondGiven && !firstGiven {
		keep, lose = second, first
	}
	if needed[k[lose].action] && len(k[lose].keys.Keys()) == 1 {
		keep, lose = lose, keep
	}
	return keep, lose
}

// nearest names the action that a person may have meant.
func nearest(name string, known map[string]bool) string {
	for _, a := range slices.Sorted(maps.Keys(known)) {
		if name != "" && (strings.HasPrefix(a, name) || strings.HasPrefix(name, a)) {
			return fmt.Sprintf("; is %s meant?", a)
		}
	}
	return "; `cmem keys` lists them"
}

// lookup finds the binding of a key in a scope. While a line is typed, what can
// be typed is typed.
func (k keymap) lookup(pressed fmt.Stringer, in scope) (binding, bool) {
	if in.types() && isTyped(pressed.String()) {
		return binding{}, false
	}
	for _, b := range k {
		if k.applies(b, in) && key.Matches(pressed, b.keys) {
			return b, true
		}
	}
	return binding{}, false
}

// of gives the first key of an action in a scope, as it is shown; "" for none.
func (k keymap) of(a action, in scope) string {
	for _, b := range k {
		if b.action == a && k.applies(b, in) && len(b.keys.Keys()) > 0 {
			return keyName(b.keys.Keys()[0])
		}
	}
	return ""
}

// names gives the keys of a binding as they are shown.
func (b binding) names() []string {
	names := make([]string, 0, len(b.keys.Keys()))
	for _, k := range b.keys.Keys() {
		names = append(names, keyName(k))
	}
	return names
}
