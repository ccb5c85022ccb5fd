package tui

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

func TestTheNextRunBeginsWhereThisOneEnded(t *testing.T) {
	o := realOptions(t)
	h := open(t, o, 200, 40)
	h.keys("/")
	h.text("type:bugfix")
	h.keys("enter", "p")
	h.text("notes")
	h.keys("enter", ">", ">", "j")
	h.keys("tab", "tab", "<", "tab")
	want, state := h.selectedTitle(), h.m.stateBytes()
	if h.m.projectLabel(h.m.project) != "notes" || want == "" {
		t.Fatalf("in %s, %q is selected", h.m.project, want)
	}

	o.Project, o.State = "", state
	again := open(t, o, 200, 40)
	again.see("Timeline · notes")
	if got := again.selectedTitle(); got != want {
		t.Errorf("%q is selected, want %q", got, want)
	}
	if again.m.state.split != h.m.state.split || again.m.state.side != h.m.state.side || h.m.state.split == defaultSplit {
		t.Errorf("the splits are %d and %d, want %d and %d", again.m.state.split, again.m.state.side, h.m.state.split, h.m.state.side)
	}
	if got := string(again.m.stateBytes()); got != string(state) {
		t.Errorf("the state went from\n%s to\n%s", state, got)
	}
	again.keys("p")
	again.text("webshop")
	again.keys("enter")
	if again.m.input.text != "type:bugfix" {
		t.Errorf("the filter of the other project is %q", again.m.input.text)
	}

	o.Project = webshop // the project of the directory wins, with its own filter
	other := open(t, o, 200, 40)
	other.see("Timeline · webshop", "type:bugfix")
}

func TestAProjectWithoutMemoriesIsNotBegunWith(t *testing.T) {
	last := open(t, Options{Source: demoSource(), Project: notes, Theme: "system"}, 120, 40)
	last.keys("j")
	for name, tc := range map[string]struct {
		project string
		state   []byte
		want    string
	}{
		"with memories":         {webshop, last.m.stateBytes(), "Timeline · webshop"},
		"without":               {"/home/dev/空", last.m.stateBytes(), "Timeline · notes"},
		"without and a state":   {"/home/dev/空", nil, "Timeline · all projects"},
		"and with a broken one": {"/home/dev/空", []byte(`{"version":7,"project":"x"}`), "Timeline · all projects"},
	} {
		o := demoOptions()
		o.Project, o.IfAny, o.State = tc.project, true, tc.state
		h := open(t, o, 120, 40)
		h.see(tc.want)
		if name == "without" && h.selectedTitle() != last.selectedTitle() {
			t.Errorf("%q is selected, want %q", h.selectedTitle(), last.selectedTitle())
		}
		h.keys("p")
		h.text("webshop")
		h.keys("enter", "ctrl+r")
		h.see("Timeline · webshop") // it is settled once
	}
}

func TestTheListOpensAroundTheRowThatWasSelected(t *testing.T) {
	o := Options{Source: &hugeSource{n: 5_000}, Theme: "system"}
	h := open(t, o, 120, 40)
	for range 40 {
		h.keys("pgdown")
	}
	want, state := h.selectedTitle(), h.m.stateBytes()
	o.State = state
	again := open(t, o, 120, 40)
	again.see(want)
	if got := again.selectedTitle(); got != want || again.m.list.fresh > 0 {
		t.Fatalf("%q is selected and %d are new, want %q", got, again.m.list.fresh, want)
	}
	at := again.m.list.cursor
	again.keys("k", "k", "j")
	if again.m.list.cursor == at || len(again.m.list.items) > maxRows {
		t.Errorf("one cannot go on from there: %d of %d", again.m.list.cursor, len(again.m.list.items))
	}
	again.keys("g")
	again.see("Memory 5000 of many")
}

func TestARowThatIsGoneLeavesItsPlace(t *testing.T) {
	source := demoSource()
	o := demoOptions()
	o.Source = source
	h := open(t, o, 120, 40)
	h.keys("j", "j", "j")
	item, _ := h.m.list.selected()
	o.State = h.m.stateBytes()
	source.items = slices.DeleteFunc(source.items, func(i memory.Item) bool { return keyOf(i) == keyOf(item) })
	again := open(t, o, 120, 40)
	if again.selectedTitle() == "" {
		t.Errorf("nothing is selected:\n%s", again.frame())
	}
	again.frame()
}

func TestAStateThatCannotBeReadIsNone(t *testing.T) {
	good := string(open(t, demoOptions(), 120, 40).m.stateBytes())
	for name, state := range map[string]string{
		"empty": "", "no JSON": "\x1b[31m{", "a list": "[]", "another version": strings.Replace(good, `"version":1`, `"version":2`, 1),
		"other types": `{"version":1,"split":"wide"}`, "foreign": `{"editor.fontSize": 12}`,
		"huge":        `{"version":1,"project":"` + strings.Repeat("a", maxState) + `"}`,
		"mad numbers": `{"version":1,"split":-9999,"side":99999,"selected":{"kind":"x","id":-1,"at":-5}}`,
		"mad view":    `{"version":1,"view":"\u001b[2J","filters":{"/home/dev/projects/webshop":"\u001b[2J\n\u202etype:"}}`,
		"why":         `{"version":1,"view":"why"}`,
	} {
		o := demoOptions()
		o.State = []byte(state)
		h := open(t, o, 120, 40)
		if h.m.view != viewTimeline || h.m.project != webshop {
			t.Errorf("%s: it opens %s of %q", name, h.m.view, h.m.project)
		}
		h.frame()
	}
}

func TestTheStateIsSavedAWhileAfterAChangeAndNotOtherwise(t *testing.T) {
	var saved [][]byte
	o := demoOptions()
	var fail error
	o.Desk.SaveState = func(state []byte) error {
		saved = append(saved, state)
		return fail
	}
	h := open(t, o, 120, 40)
	h.m.cmds.timing.state = time.Millisecond
	h.keys("j", "j")
	if len(saved) != 1 && len(saved) != 2 || h.m.stateBusy {
		t.Fatalf("two moves were saved %d times", len(saved))
	}
	before := len(saved)
	h.m.whereabouts()
	h.send(tick{})
	if cmd := h.m.followState(); cmd != nil || len(saved) != before {
		t.Error("it is saved without a change")
	}
	var s savedState
	if err := json.Unmarshal(saved[before-1], &s); err != nil || s.Selected == nil || s.Project != webshop {
		t.Errorf("saved %s, %v", saved[before-1], err)
	}
	fail = errors.New("disk full")
	h.keys("j")
	h.see("cannot be remembered: disk full")
	before = len(saved)
	h.keys("j")
	if len(saved) != before {
		t.Error("it is tried again and again")
	}
}

// tick is a message of nobody.
type tick struct{}

func FuzzAnyStateCanBeOpened(f *testing.F) {
	f.Add([]byte(`{"version":1,"view":"sessions","project":"x","filters":{"":"type:bugfix"},"selected":{"kind":"prompt","id":1,"at":5},"split":50}`))
	f.Add([]byte(`{"version":1,"filters":{"x":"` + "\U0001F468\u200D\U0001F469" + `"}}`))
	f.Fuzz(func(t *testing.T, state []byte) {
		o := demoOptions()
		o.State = state
		h := open(t, o, 80, 24)
		h.frame()
		var s savedState
		if err := json.Unmarshal(h.m.stateBytes(), &s); err != nil || s.Version != stateVersion {
			t.Errorf("the next state is no state: %v", err)
		}
	})
}
