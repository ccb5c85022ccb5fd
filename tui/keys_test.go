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

// A key in the map that does nothing would be a lie in the help. Each is
// pressed where it must have an effect that a person sees.
func TestEveryBindingDoesSomething(t *testing.T) {
	for _, b := range defaultKeys {
		for _, in := range b.scopes {
			for _, k := range b.keys.Keys() {
				t.Run(fmt.Sprintf("%d %s", in, k), func(t *testing.T) {
					h := open(t, demoOptions(), 120, 24)
					switch in {
					case inFilter:
						h.keys("/")
						h.text("a e")
						h.keys("down", "left")
						if b.action == actComplete || b.action == actCompleteBack {
							h.text("x is:")
						}
					case inHelp:
						h.keys("?", "j")
					case inChoice:
						h.keys("t", "g", "j")
					case inConfirm:
						h.keys("G", "k", "d")
					case inTyping:
						if b.action == actComplete || b.action == actCompleteBack || b.action == actResume {
							t.Skip("it is for one window, which has tests of its own")
						}
						h.keys(":")
						h.text("a e")
						h.keys("down", "left")
					case inForm:
						h = open(t, realOptions(t), 120, 40)
						h.keys("/")
						h.text("type:bugfix")
						h.keys("enter", "e", "tab", "tab", "tab")
						h.text("a b")
						h.keys("enter")
						h.text("c d")
						h.keys("enter")
						h.text("e f")
						h.keys("up", "left")
					default:
						switch b.action {
						case actBack:
							h.keys("enter")
						case actTimeline:
							h.keys("2")
						case actDown, actHalfDown, actPageDown, actLast, actReadDown:
						default:
							h.keys("G", "k")
							if b.action == actReadUp {
								h.keys("k", "k", "J")
							}
						}
					}
					before := fmt.Sprintf("%v %v %+v %+v", h.m.View().Content, h.m.View().Cursor, h.m.input, h.m.View().MouseMode)
					list := h.m.listID
					h.keys(k)
					after := fmt.Sprintf("%v %v %+v %+v", h.m.View().Content, h.m.View().Cursor, h.m.input, h.m.View().MouseMode)
					if before == after && !h.quit && h.clipboard == "" && list == h.m.listID && b.action != actSuspend {
						t.Errorf("%s does nothing:\n%s", b.action, h.frame())
					}
				})
			}
		}
	}
}

func TestAKeyOfNoUseSaysWhy(t *testing.T) {
	h := open(t, Options{Source: &fakeSource{}}, 80, 24)
	h.keys("P")
	h.see("P: nothing is selected")
}
