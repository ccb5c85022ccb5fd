package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
)

func TestKeysMoveTheSelectionAndTheDetailsFollow(t *testing.T) {
	h := open(t, demoOptions(), 120, 40)
	for _, step := range []struct{ key, want string }{
		{"j", "Documents payment.max_tries and payment.base_delay"},
		{"down", "Good. Note the new settings in the docs 👍🏽"},
		{"k", "Documents payment.max_tries and payment.base_delay"},
		{"up", "Make the payment client survive timeouts"},
		{"k", "Make the payment client survive timeouts"},
		{"G", "购物车里同时有折扣和满减时总价不对，帮我查一下"},
		{"j", "购物车里同时有折扣和满减时总价不对，帮我查一下"},
		{"g", "Make the payment client survive timeouts"},
		{"ctrl+d", "购物车里同时有折扣和满减时总价不对，帮我查一下"},
		{"pgup", "Make the payment client survive timeouts"},
	} {
		h.keys(step.key)
		if got := h.selectedTitle(); got != step.want {
			t.Fatalf("after %s: %q is selected, want %q", step.key, got, step.want)
		}
		if item, _ := h.m.list.selected(); keyOf(h.m.detail.item) != keyOf(item) || !h.m.detail.loaded {
			t.Fatalf("after %s: the details show something else", step.key)
		}
	}
}

func TestTypingSearchesAndEscapeKeepsThenClears(t *testing.T) {
	h := open(t, demoOptions(), 120, 40)
	h.keys("/")
	h.text("qlean")
	h.see("Nothing matches qlean", "0 found")
	h.keys("ctrl+u")
	h.text("jitter")
	h.see("/ jitter", "1 found", "Adds retry with backoff")
	h.keys("esc")
	h.see("/ jitter", "1 found") // left, the filter stays
	h.keys("q")
	if !h.quit {
		t.Error("q typed after leaving the filter line did not quit")
	}
	h.keys("esc")
	h.see("/ search", "1 of 11")
	h.keys("esc")
	h.see("esc: nothing to go back from")
}

func TestFilterWordsNarrowTheTimeline(t *testing.T) {
	h := open(t, demoOptions(), 120, 40)
	for _, tc := range []struct {
		typed string
		want  []string
	}{
		{"type:decision", []string{"1 found", "Prices stay integers"}},
		{"concept:促销", []string{"1 found", "修复折扣与满减叠加时的总价"}},
		{"file:rates/", []string{"1 found", "goroutine leak"}},
		{"project:notes", []string{"3 found", "Export reads every attachment twice", "· notes"}},
		{"project:all", []string{"14 found"}},
		{"project:nowhere", []string{"No project is called nowhere"}},
		{"type:bugfix leak", []string{"1 found", "goroutine leak"}},
	} {
		h.keys("/", "ctrl+u")
		h.text(tc.typed)
		h.see(tc.want...)
		h.keys("esc")
	}
}

func TestSwitchingTheProject(t *testing.T) {
	h := open(t, demoOptions(), 120, 40)
	h.keys("p")
	h.see("Projects", "All projects", "webshop", "notes", "6 memories")
	h.keys("down", "enter")
	h.see("Timeline · notes", "Streams attachments", "2 memories")
	h.seeNot("payment")
	h.keys("p", "up", "up", "enter")
	h.see("Timeline · all projects", "notes ›", "webshop ›")
	h.keys("p", "esc")
	h.seeNot("Projects ─")
}

type whiteColor struct{}

func (whiteColor) RGBA() (r, g, b, a uint32) { return 0xffff, 0xffff, 0xffff, 0xffff }

func TestWhatIsReplacedInTheStoreIsReplacedOnTheScreen(t *testing.T) {
	source := demoSource()
	o := demoOptions()
	o.Source = source
	h := open(t, o, 120, 40)
	h.keys("j")
	gone := h.selectedTitle()
	item, _ := h.m.list.selected()
	source.items = slices.DeleteFunc(source.items, func(i memory.Item) bool { return keyOf(i) == keyOf(item) })
	h.send(changedMsg{version: 99})
	h.seeNot(gone)
	if h.selectedTitle() == "" {
		t.Error("nothing is selected any more")
	}
}

func TestAnAnswerToAnOlderQuestionIsDropped(t *testing.T) {
	h := open(t, demoOptions(), 120, 40)
	old := h.m.listID
	h.keys("/")
	h.text("leak")
	h.send(pageMsg{list: old, items: []memory.Item{{Title: "From before", Kind: memory.KindPrompt, ID: 9}}})
	h.send(hitsMsg{list: old, hits: []hit{{observation: memory.Observation{Title: "From before"}}}})
	h.send(refreshMsg{list: old, newest: true})
	h.send(detailMsg{key: itemKey{memory.KindPrompt, 77}, content: content{}})
	h.seeNot("From before")
	h.see("1 found")
}

func TestAFailingStoreIsSaidAndTriedAgain(t *testing.T) {
	source := demoSource()
	source.fail = errors.New("database is locked")
	o := demoOptions()
	o.Source = source
	h := open(t, o, 120, 40)
	h.see("database is locked", "ctrl+r tries again")
	source.fail = nil
	h.keys("ctrl+r")
	h.see("Make the payment client")
	h.seeNot("locked")
	source.fail = errors.New("disk I/O error")
	h.send(changedMsg{version: 7})
	h.see("disk I/O error", "Make the payment client") // what is known stays in sight
}

func TestOnePaneShowsWhereOneIs(t *testing.T) {
	h := open(t, demoOptions(), 60, 24)
	h.see("cmem › Timeline › webshop")
	h.seeNot("Summary S")
	h.keys("j", "enter")
	h.see("cmem › Timeline › webshop › Today 14:43 › #107", "Observation #107")
	h.seeNot("Timeline ·")
	h.keys("<")
	h.see("<: there is one pane only")
	h.keys("esc")
	h.see("Timeline ·")
}

func TestTheDetailsScrollOnTheirOwn(t *testing.T) {
	h := open(t, demoOptions(), 80, 16)
	h.keys("j", "j", "j", "j")
	h.see("Adds retry with backoff")
	h.seeNot("certainty")
	h.keys("enter", "G")
	h.see("certainty", "100%")
	h.keys("g", "J", "K")
	h.see("feature ·")
	selected := h.selectedTitle()
	h.keys("j")
	if h.selectedTitle() != selected {
		t.Error("j moved the list while the details had the keys")
	}
}

func TestTheSplitMovesWithinItsLimits(t *testing.T) {
	h := open(t, demoOptions(), 120, 40)
	w := h.m.layout.list.w
	h.keys(">")
	if h.m.layout.list.w <= w {
		t.Error("> did not make the list wider")
	}
	for range 40 {
		h.keys("<")
	}
	h.frame()
	if h.m.layout.list.w < minPaneWidth {
		t.Errorf("the list shrank to %d cells", h.m.layout.list.w)
	}
}

func TestCopying(t *testing.T) {
	h := open(t, demoOptions(), 120, 40)
	h.keys("j", "j", "j", "j", "y")
	h.see("Gave #105 as Markdown to the terminal")
	golden(t, "copied.md", h.clipboard)
	h.keys("Y")
	if h.clipboard != "#105" {
		t.Errorf("Y copied %q", h.clipboard)
	}
	h.keys("g", "y")
	h.see("Gave S2 as Markdown to the terminal")
	if !strings.Contains(h.clipboard, "summary S2 ·") || !strings.Contains(h.clipboard, "## Learned") {
		t.Errorf("a summary copied as %q", h.clipboard)
	}
	h.keys("Y")
	if h.clipboard != "S2" {
		t.Errorf("Y copied %q", h.clipboard)
	}
	h.keys("G", "y")
	if !strings.Contains(h.clipboard, "prompt P2 ·") || !strings.Contains(h.clipboard, "帮我查一下") {
		t.Errorf("a prompt copied as %q", h.clipboard)
	}
	h.keys("Y")
	if h.clipboard != "P2" {
		t.Errorf("Y copied %q", h.clipboard)
	}
}

func TestTheMouse(t *testing.T) {
	h := open(t, demoOptions(), 120, 40)
	click := func(x, y int) { h.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
	click(10, 8)
	if got := h.selectedTitle(); !strings.HasPrefix(got, "Fixes a goroutine") {
		t.Errorf("the click selected %q", got)
	}
	click(100, 10)
	if h.m.state.focus != detailPane {
		t.Error("a click on the details did not give them the keys")
	}
	click(10, 1)
	if h.m.state.focus != filterPane {
		t.Error("a click on the filter line did not open it")
	}
	h.keys("esc", "p")
	h.m.View()
	click(h.m.overlayBody.x+3, h.m.overlayBody.y+4) // below the line, all projects and this one
	h.see("Timeline · notes")
	h.keys("?")
	h.m.View()
	h.send(tea.MouseWheelMsg{X: 60, Y: 20, Button: tea.MouseWheelDown})
	click(0, 0)
	if len(h.m.overlays) > 0 {
		t.Error("a click beside the window did not close it")
	}
	if h.m.View().MouseMode == tea.MouseModeNone {
		t.Error("the mouse is not asked for")
	}
	h.keys("M")
	if h.m.View().MouseMode != tea.MouseModeNone {
		t.Error("M did not release the mouse")
	}
}

func TestTheWheelScrollsWhatIsUnderIt(t *testing.T) {
	h := open(t, demoOptions(), 80, 14)
	h.send(tea.MouseWheelMsg{X: 5, Y: 5, Button: tea.MouseWheelDown})
	if h.m.list.top != wheelRows {
		t.Errorf("the list scrolled to row %d", h.m.list.top)
	}
	if at := h.m.list.rowOf(h.m.list.cursor); at < h.m.list.top {
		t.Error("the selection stayed behind")
	}
	h.send(tea.MouseWheelMsg{X: 70, Y: 5, Button: tea.MouseWheelDown})
	if h.m.detail.top == 0 {
		t.Error("the details did not scroll")
	}
	h.send(tea.MouseWheelMsg{X: 5, Y: 5, Button: tea.MouseWheelUp})
	if h.m.list.top != 0 {
		t.Errorf("the list is at row %d", h.m.list.top)
	}
}

func TestNoSizeBreaksTheScreen(t *testing.T) {
	slow(t)
	for _, scene := range scenes {
		h := open(t, scene.options(), 100, 30)
		scene.play(h)
		for _, w := range []int{0, 1, 2, 3, 7, 15, 19, 29, 30, 31, 45, 79, 80, 81, 133, 300} {
			for _, height := range []int{0, 1, 2, 3, 4, 5, 8, 9, 11, 12, 13, 31, 100} {
				h.send(tea.WindowSizeMsg{Width: w, Height: height})
				if w > 0 && height > 0 {
					h.frame()
				}
			}
		}
	}
}

// An idle browser draws nothing: a message that is none of ours leaves the
// very same frame, without an allocation.
func TestNothingIsDrawnWhenNothingChanged(t *testing.T) {
	h := open(t, demoOptions(), 120, 40)
	h.m.View()
	type foreign struct{}
	var msg tea.Msg = foreign{}
	if n := testing.AllocsPerRun(100, func() {
		h.m.Update(msg)
		h.m.View()
	}); n > 0 {
		t.Errorf("a foreign message costs %v allocations", n)
	}
}

func TestACommandThatPanicsEndsTheProgramInOrder(t *testing.T) {
	o := demoOptions()
	o.Source = panicSource{demoSource()}
	h := open(t, o, 80, 24)
	if !h.quit || h.m.crash == nil || !strings.Contains(h.m.crash.Error(), "the store is broken") {
		t.Errorf("quit %v, with %v", h.quit, h.m.crash)
	}
}

func BenchmarkMoveAndDraw(b *testing.B) {
	m := newModel(b.Context(), demoOptions(), timing{})
	for _, msg := range []tea.Msg{tea.WindowSizeMsg{Width: 120, Height: 40}, m.reload()()} {
		m.Update(msg)
	}
	keys := []tea.Msg{tea.KeyPressMsg{Code: 'j', Text: "j"}, tea.KeyPressMsg{Code: 'k', Text: "k"}}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		m.Update(keys[n%2])
		m.View()
	}
}
