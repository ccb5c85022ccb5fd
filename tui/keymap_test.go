package tui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestKeysAreRemapped(t *testing.T) {
	o := demoOptions()
	o.Keys = map[string][]string{"down": {"Ctrl+J", "n"}, "newest": {"N"}, "palette": {"space"}, "mark": {"m"}, "merge": {}, "quit": {"Q"}}
	h := open(t, o, 120, 40)
	if len(h.m.problems) > 0 {
		t.Errorf("problems: %q", h.m.problems)
	}
	first := h.selectedTitle()
	h.keys("j")
	if h.selectedTitle() != first {
		t.Error("j moves, though down has other keys")
	}
	h.keys("ctrl+j", "n")
	if h.m.list.cursor != 2 {
		t.Errorf("the selection stands at %d", h.m.list.cursor)
	}
	h.keys("q")
	if h.quit {
		t.Error("q quits, though quit has another key")
	}
	h.keys("?")
	h.see("ctrl+j  n")
	h.keys("esc")
	h.keys("space")
	h.text("merge")
	h.see("merge the marked ones")
	h.keys("esc")
	for _, in := range []string{"", "/", "?", "t"} { // ctrl+c quits wherever one is
		h := open(t, o, 120, 40)
		if in != "" {
			h.keys(in)
		}
		h.keys("ctrl+c")
		if !h.quit {
			t.Errorf("ctrl+c does not quit after %q", in)
		}
	}
	h.keys("Q")
	if !h.quit {
		t.Error("Q does not quit")
	}
}

func TestWhatIsWrongWithTheKeysIsSaid(t *testing.T) {
	for name, tc := range map[string]struct {
		remap map[string][]string
		want  []string // parts of the problems, one each
	}{
		"unknown":           {map[string][]string{"archiv": {"A"}}, []string{"keys.archiv: there is no such action; is archive meant?"}},
		"unknown, far":      {map[string][]string{"存档": {"A"}}, []string{"keys.存档: there is no such action; `cmem keys` lists them"}},
		"no key":            {map[string][]string{"archive": {"strg+a", ""}}, []string{`"strg+a" is no key`, `"" is no key`}},
		"control":           {map[string][]string{"archive": {"\x1b[2J"}}, []string{"is no key"}},
		"quit without keys": {map[string][]string{"quit": {}}, []string{"keys.quit: it needs a key"}},
		"ctrl+c taken":      {map[string][]string{"archive": {"ctrl+c"}}, []string{"keys.archive: ctrl+c always quits"}},
		"conflict":          {map[string][]string{"archive": {"d"}}, []string{"d is for archive now, and no longer for delete"}},
		"last key":          {map[string][]string{"archive": {"P"}}, []string{"no longer for pin, which has no key left (the palette has it)"}},
		"both given":        {map[string][]string{"archive": {"A"}, "pin": {"A"}}, []string{"A is for pin now, and no longer for archive"}},
		"same key twice":    {map[string][]string{"archive": {"A", "A"}}, nil},
		"a letter":          {map[string][]string{"complete": {"c"}}, []string{"keys.complete: while typing, c is typed"}},
		"leave keeps one":   {map[string][]string{"accept": {"esc"}}, []string{"esc is for leave now, and no longer for accept"}},
		"nothing":           {nil, nil},
		"swap":              {map[string][]string{"archive": {"d"}, "delete": {"a"}}, nil},
		"no key at all":     {map[string][]string{"archive": {}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			k, problems := newKeymap(tc.remap)
			if len(tc.want) != len(problems) && name != "leave keeps one" {
				t.Errorf("problems %q, want %d", problems, len(tc.want))
			}
			all := strings.Join(problems, "\n")
			for _, w := range tc.want {
				if !strings.Contains(all, w) {
					t.Errorf("%q does not say %q", all, w)
				}
			}
			if strings.ContainsRune(all, '\x1b') {
				t.Errorf("%q has an escape in it", all)
			}
			for in := range scopes {
				taken := map[string]action{}
				for _, b := range k {
					for _, key := range b.keys.Keys() {
						if before, is := taken[key]; is && k.applies(b, in) {
							t.Errorf("%q does %s and %s", key, before, b.action)
						}
						if k.applies(b, in) {
							taken[key] = b.action
						}
					}
				}
				if got := taken[alwaysQuits]; got != actQuit && (in != inForm || got != actLeave) { // what was written in a form is asked about
					t.Errorf("scope %d cannot be quit with ctrl+c: it does %q", in, taken[alwaysQuits])
				}
			}
			for _, in := range []scope{inFilter, inTyping, inHelp, inChoice} {
				if k.of(actLeave, in) == "" {
					t.Errorf("scope %d cannot be left", in)
				}
			}
		})
	}
}

func TestProblemsOfTheKeysAreSaidOnceAtTheStart(t *testing.T) {
	o := demoOptions()
	o.Keys = map[string][]string{"archiv": {"A"}, "pni": {"B"}}
	h := open(t, o, 120, 40)
	h.see("keys.archiv: there is no such action", "and 1 more")
}

func TestALetterIsTypedWhateverItIsMappedTo(t *testing.T) {
	o := demoOptions()
	o.Keys = map[string][]string{"suspend": {"r"}, "accept": {"e", "ctrl+j"}, "leave": {"t"}, "undo": {"y"}, "complete": {"x"}}
	h := open(t, o, 120, 40)
	h.keys("/")
	h.text("retry x")
	if h.m.input.text != "retry x" || h.m.state.focus != filterPane {
		t.Errorf("typed %q, and the keys are in pane %d", h.m.input.text, h.m.state.focus)
	}
	h.keys("ctrl+j")
	if h.m.state.focus != listPane {
		t.Error("ctrl+j, given to accept, does not accept")
	}
}

func TestKeysAreReadAsPeopleWriteThem(t *testing.T) {
	for in, want := range map[string]string{
		"a": "a", "A": "A", "+": "+", "ctrl++": "ctrl++", "Ctrl+A": "ctrl+a", "shift+ctrl+up": "ctrl+shift+up",
		"shift+a": "A", "Escape": "esc", "Return": "enter", " ": "space", "SPACE": "space", "F12": "f12", "PageUp": "pgup",
		"page up": "pgup", "↓": "down", "option+x": "alt+x", "é": "é", "存": "存", "cmd+s": "super+s", " x ": "x",
		"": "", "ctrl+": "", "strg+a": "", "f99": "", "f": "f", "ctrl+ctrl+a": "", "ab": "", "\x01": "", "shift+1": "", "\xff": "",
	} {
		got, ok := normalKey(in)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q is read as %q, %v; want %q", in, got, ok, want)
		}
	}
}

// What a person writes in the settings must be what a key press is called.
func TestEveryDefaultKeyIsWrittenAsItIsRead(t *testing.T) {
	for _, b := range defaultKeys {
		for _, k := range b.keys.Keys() {
			if got, ok := normalKey(k); !ok || got != k {
				t.Errorf("%q is read as %q, %v", k, got, ok)
			}
		}
	}
}

func TestTheKeyTableIsTheKeyMap(t *testing.T) {
	table, problems := KeyTable(map[string][]string{"archive": {"A"}, "nonsense": {"x"}})
	if len(table) != len(defaultKeys) || len(problems) != 1 {
		t.Fatalf("%d rows, problems %q", len(table), problems)
	}
	n := slices.IndexFunc(table, func(k KeyHelp) bool { return k.Action == "archive" })
	if k := table[n]; !slices.Equal(k.Keys, []string{"A"}) || !slices.Equal(k.Default, []string{"a"}) || k.Help == "" || k.Group != "Change" {
		t.Errorf("archive: %+v", table[n])
	}
}

func FuzzKeysAreReadWithoutHarm(f *testing.F) {
	for _, s := range []string{"ctrl+a", "shift+shift", "++", "", "\x00", "ctrl+存", "f0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		k, ok := normalKey(s)
		if !ok {
			return
		}
		if again, ok := normalKey(k); !ok || again != k {
			t.Errorf("%q is read as %q, and that as %q, %v", s, k, again, ok)
		}
		m, _ := newKeymap(map[string][]string{"archive": {s}})
		if b, found := m.lookup(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}, inPanes); !found || b.action != actQuit {
			t.Errorf("with %q the browser cannot be quit", s)
		}
	})
}
