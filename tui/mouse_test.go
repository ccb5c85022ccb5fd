package tui

import (
	"math/rand/v2"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func (h *harness) mouseClick(x, y int) { h.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }

func TestABorderFollowsTheMouse(t *testing.T) {
	h := open(t, demoOptions(), 200, 40)
	selected := h.selectedTitle()
	for _, to := range []int{60, 90, 120, 1, 199} {
		h.mouseClick(h.m.layout.detail.x, 10)
		for x := h.m.layout.detail.x; x != to; x += sign(to - x) {
			h.send(tea.MouseMotionMsg{X: x, Y: 12, Button: tea.MouseLeft})
			h.frame()
		}
		h.send(tea.MouseMotionMsg{X: to, Y: 12, Button: tea.MouseLeft})
		h.send(tea.MouseReleaseMsg{X: to, Y: 12, Button: tea.MouseLeft})
		h.frame()
		if want := min(max(to, 200*minSplit/100), 200*maxSplit/100); h.m.layout.list.w < want-2 || h.m.layout.list.w > want+2 {
			t.Errorf("dragged to %d, the border stands at %d", to, h.m.layout.list.w)
		}
		width := h.m.layout.list.w
		h.send(tea.MouseMotionMsg{X: 20, Y: 12, Button: tea.MouseLeft})
		if h.m.layout.list.w != width {
			t.Error("the border moved after it was let go")
		}
	}
	if h.selectedTitle() != selected || h.m.state.focus != listPane {
		t.Error("dragging changed the selection or the focus")
	}
	h.send(tea.WindowSizeMsg{Width: 240, Height: 40})
	for range 20 {
		h.keys("<")
	}
	h.mouseClick(h.m.layout.side.x, 10)
	h.send(tea.MouseMotionMsg{X: 120, Y: 10, Button: tea.MouseLeft})
	if off := h.m.layout.side.x - 120; off < -3 || off > 3 {
		t.Errorf("dragged to 120, the second border stands at %d", h.m.layout.side.x)
	}
	h.send(tea.MouseMotionMsg{X: 130, Y: 10, Button: tea.MouseNone}) // the release was lost
	x := h.m.layout.side.x
	h.send(tea.MouseMotionMsg{X: 140, Y: 10, Button: tea.MouseLeft})
	if h.m.layout.side.x != x {
		t.Error("the border is still held")
	}
}

func sign(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}

func TestTheKeysMoveTheBorderBesideTheFocus(t *testing.T) {
	h := open(t, demoOptions(), 240, 40)
	list, side := h.m.layout.list.w, h.m.layout.side.x
	h.keys("<")
	if h.m.layout.list.w >= list {
		t.Error("< in the list did not make it narrower")
	}
	h.keys(">", "tab", "<")
	if h.m.layout.list.w != list || h.m.layout.side.x >= side {
		t.Errorf("< in the details: the list is %d wide, was %d; the side begins at %d, was at %d", h.m.layout.list.w, list, h.m.layout.side.x, side)
	}
	h.keys("tab", ">", ">")
	if h.m.layout.side.x <= side {
		t.Error("> beside the details did not make them wider")
	}
	h.send(tea.WindowSizeMsg{Width: 100, Height: 40})
	if h.m.state.focus != detailPane {
		t.Errorf("the pane that is gone has the keys: %d", h.m.state.focus)
	}
	h.frame()
}

func TestAClickOnAViewGoesThere(t *testing.T) {
	h := open(t, demoOptions(), 120, 40)
	tabs, shown := h.m.tabs()
	x := h.m.lineWidth(tabs[0])
	for n, v := range shown {
		if v != viewSearch {
			h.mouseClick(x+1, 0)
			if h.m.view != v {
				t.Errorf("a click at column %d shows %s, want %s", x+1, h.m.view, v)
			}
		}
		x += h.m.lineWidth(tabs[n+1])
	}
	h.mouseClick(0, 0)
	if h.m.view != viewTimeline {
		t.Errorf("a click on the name shows %s", h.m.view)
	}
	h.mouseClick(119, 0)
	if h.m.view != viewTimeline {
		t.Error("a click beside the views does something")
	}
	narrow := open(t, demoOptions(), 60, 24)
	narrow.mouseClick(10, 0)
	narrow.frame()
	if narrow.m.view != viewTimeline {
		t.Error("a click on the way does something")
	}
}

func TestAClickOnAHintDoesIt(t *testing.T) {
	h := open(t, demoOptions(), 120, 40)
	x, found := 0, false
	for _, b := range h.m.hinted(h.m.scope(), h.m.situation()) {
		if b.action == actProjects {
			h.mouseClick(x+1, 39)
			found = true
			break
		}
		x += h.m.lineWidth(hintOf(b))
	}
	if !found || len(h.m.overlays) != 1 {
		t.Fatalf("the click on p project opened %d windows", len(h.m.overlays))
	}
	x = 0
	for _, b := range h.m.hinted(h.m.scope(), h.m.situation()) {
		if b.action == actLeave {
			h.mouseClick(x+1, 39)
		}
		x += h.m.lineWidth(hintOf(b))
	}
	if len(h.m.overlays) != 0 {
		t.Error("the click on leave did not close it")
	}
	h.mouseClick(119, 39) // a fact is no hint
	if len(h.m.overlays) != 0 || h.quit {
		t.Error("a click on the facts does something")
	}
}

// A person resizes, clicks and types while everything moves. Whatever happens,
// each line is as wide as the screen and nothing panics.
func TestAStormOfSizesKeysAndClicksLeavesTheScreenInOrder(t *testing.T) {
	steps := 600
	if testing.Short() {
		steps = 200
	}
	names := []string{}
	for _, b := range defaultKeys {
		for _, k := range b.keys.Keys() {
			if b.action != actQuit && b.action != actSuspend {
				names = append(names, k)
			}
		}
	}
	typed := []rune("retry 折扣 👩‍👩‍👧 type:bugfix \"x")
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 7))
		o := demoOptions()
		if seed%2 == 1 {
			o = realOptions(t)
		}
		h := open(t, o, 120, 40)
		for step := range steps {
			switch r.IntN(10) {
			case 0, 1:
				h.send(tea.WindowSizeMsg{Width: r.IntN(301), Height: r.IntN(101)})
			case 2:
				h.mouseClick(r.IntN(h.m.layout.width+1), r.IntN(h.m.layout.height+1))
			case 3:
				h.send(tea.MouseMotionMsg{X: r.IntN(302), Y: r.IntN(102), Button: tea.MouseLeft})
			case 4:
				h.send(tea.MouseWheelMsg{X: r.IntN(302), Y: r.IntN(102), Button: []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}[r.IntN(2)]})
			case 5:
				h.text(string(typed[r.IntN(len(typed))]))
			default:
				h.keys(names[r.IntN(len(names))])
			}
			if h.quit { // by a click on its hint
				h.quit = false
			}
			if h.m.layout.width > 0 && h.m.layout.height > 0 {
				h.frame()
			}
			if t.Failed() {
				t.Fatalf("seed %d, step %d", seed, step)
			}
		}
	}
}
