package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestNoTwoBindingsShareAKey(t *testing.T) {
	for in := inPanes; in <= inProjects; in++ {
		taken := map[string]action{}
		for _, b := range keyMap {
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
	for _, l := range helpLines(byRune, 100, situation{two: true, selected: true, filtered: true}) {
		fmt.Fprintln(&help, l)
	}
	for _, b := range keyMap {
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
	for _, b := range keyMap {
		for _, in := range b.scopes {
			for _, k := range b.keys.Keys() {
				t.Run(fmt.Sprintf("%d %s", in, k), func(t *testing.T) {
					h := open(t, demoOptions(), 120, 24)
					switch in {
					case inFilter:
						h.keys("/")
						h.text("a e")
						h.keys("down", "left")
					case inHelp:
						h.keys("?", "j")
					case inProjects:
						h.keys("p", "g", "j")
					default:
						switch b.action {
						case actBack:
							h.keys("enter")
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
	h.keys("enter")
	h.see("enter: nothing is selected")
}
