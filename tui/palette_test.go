package tui

import (
	"strings"
	"testing"
)

func TestThePaletteHasEveryActionAndItsKey(t *testing.T) {
	h := open(t, demoOptions(), 120, 100)
	h.keys("G", ":")
	c := h.m.overlays[0].(*choice)
	have := map[string]option{}
	for _, o := range c.options {
		have[strings.TrimSpace(o.lead[0].text)] = o
	}
	for _, b := range h.m.keys.everywhere() {
		o, there := have[string(b.action)]
		if b.action == actPalette {
			continue
		}
		if !there || !strings.Contains(o.label, b.help) || !strings.Contains(o.note, keyName(b.keys.Keys()[0])) {
			t.Errorf("%s stands in it as %+v", b.action, o)
		}
		if why := b.reason(h.m.situation()); o.why != why || why != "" && !strings.Contains(o.label, "not now: "+why) {
			t.Errorf("%s cannot be used since %q, and the palette says %q in %q", b.action, why, o.why, o.label)
		}
	}
	if len(have) != len(h.m.keys.everywhere())-1 {
		t.Errorf("it has %d actions", len(have))
	}
}

func TestThePaletteDoesWhatIsChosen(t *testing.T) {
	h := open(t, demoOptions(), 120, 40)
	h.keys("ctrl+p")
	h.text("half page down")
	h.keys("enter")
	if h.m.list.cursor == 0 || len(h.m.overlays) > 0 {
		t.Errorf("the selection stands at %d below %d windows", h.m.list.cursor, len(h.m.overlays))
	}
	h.keys(":")
	h.text("prjct")
	h.see("switch project")
	h.keys("esc", ":")
	h.text("take last change")
	h.see("not now: nothing to take back")
	h.keys("enter")
	if len(h.m.overlays) != 1 {
		t.Error("an action that cannot be used closed the palette")
	}
	h.see("nothing to take back")
	h.keys("ctrl+u")
	h.text("zzzz")
	h.see("no action is called that")
	h.keys("enter", "ctrl+u")
	h.text("quit")
	h.keys("enter")
	if !h.quit {
		t.Error("quit, chosen, does not quit")
	}
}
