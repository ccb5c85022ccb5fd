package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestNoTwoBindingsShareAKey(t *testing.T) {
	for in := range scopes {
		taken := map[string]action{}
		for _, b := range defaultKeys {
			if !slices.Contains(b.scopes, in) {
				continue
			}
			for _, k := range b.keys.Keys() {
				if before, is := taken[k]; is {
					t.Errorf("scope %d: %q does %s and %s", in, k, before, b.action)
				}
				taken[k] = b.action
			}
		}
	}
}

func TestEveryBindingIsInTheHelp(t *testing.T) {
	var help strings.Builder
	for _, l := range keymap(defaultKeys).helpLines(byRune, 100, situation{two: true, selected: true, filtered: true}) {
		fmt.Fprintln(&help, l)
	}
	for _, b := range defaultKeys {
		if b.help == "" || b.group == "" || len(b.scopes) == 0 {
			t.Errorf("%s has no help, group or scope", b.action)
		}
		if !strings.Contains(help.String(), b.help) {
			t.Errorf("the help does not tell how to %s", b.help)
		}
		for _, k := range b.keys.Keys() {
			if !strings.Contains(help.String(), keyName(k)) {
				t.Errorf("the help does not show %q", k)
			}
		}
	}
}

func TestAKeyOfNoUseSaysWhy(t *testing.T) {
	h := open(t, Options{Source: &fakeSource{}}, 80, 24)
	h.keys("P")
	h.see("P: nothing is selected")
}

func TestTheHelpIsWholeInANarrowTerminal(t *testing.T) {
	var text strings.Builder
	for _, l := range keymap(defaultKeys).helpLines(byRune, 36, situation{}) {
		if w := byRune.lineWidth(l); w != 36 {
			t.Fatalf("a line is %d cells wide: %q", w, l)
		}
		fmt.Fprintf(&text, "%s ", strings.TrimSpace(l.String()))
	}
	words := strings.Join(strings.Fields(text.String()), " ")
	for _, b := range defaultKeys {
		last := b.help[strings.LastIndexByte(b.help, ' ')+1:]
		if !strings.Contains(words, last) {
			t.Errorf("the end of %q is cut", b.help)
		}
	}
}
