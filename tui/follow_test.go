package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
)

// snippetSource gives every hit the same snippet.
type snippetSource struct {
	*fakeSource
	snippet string
}

func (s snippetSource) Search(ctx context.Context, text string, f memory.Filter, limit int) ([]memory.Hit, error) {
	hits, err := s.fakeSource.Search(ctx, text, f, limit)
	for n := range hits {
		hits[n].Snippet = s.snippet
	}
	return hits, err
}

// player is a harness with a clock: what takes time waits until it has passed.
type player struct {
	*harness
	time    time.Time
	waiting []tea.Cmd // what rests
}

func play(t *testing.T, o Options) *player {
	t.Helper()
	p := &player{time: testNow()}
	o.Now = func() time.Time { return p.time }
	p.harness = open(t, o, 120, 40)
	p.m.cmds.timing = timing{run: 120 * time.Millisecond}
	p.time = p.time.Add(time.Second)
	return p
}

// press presses a key a while after the one before.
func (p *player) press(key string, after time.Duration) {
	p.time = p.time.Add(after)
	// In a run only the message of the rest is sent by the command; it is kept.
	_, cmd := p.m.Update(keyPress(p.t, key))
	p.m.View()
	if p.m.gaze.held {
		p.waiting = append(p.waiting, cmd)
		return
	}
	p.run(cmd)
}

// rest lets the cursor rest.
func (p *player) rest() {
	p.time = p.time.Add(time.Second)
	for _, cmd := range p.waiting {
		p.run(cmd)
	}
	p.waiting = nil
}

func (p *player) shown() string { return p.m.detail.item.Title }

func TestTheDetailsRestInARunOfMoves(t *testing.T) {
	p := play(t, demoOptions())
	p.press("j", time.Second)
	first := p.shown()
	if first != p.selectedTitle() {
		t.Fatalf("the first move shows %q", first)
	}
	rows := strings.Split(p.frame(), "\n")
	for range 4 {
		p.press("j", 70*time.Millisecond)
		if p.shown() != first {
			t.Fatalf("in a run of moves the details went to %q", p.shown())
		}
		now := strings.Split(p.frame(), "\n")
		changed := 0
		for n := range rows {
			if rows[n] != now[n] {
				changed++
			}
		}
		if changed > 4 { // the two rows, their number in the frame, and what can be done with them
			t.Errorf("a move changes %d rows of the screen", changed)
		}
		rows = now
	}
	p.rest()
	if p.shown() != p.selectedTitle() || !p.m.detail.loaded {
		t.Errorf("after a rest %q is shown, and %q selected", p.shown(), p.selectedTitle())
	}
	p.press("k", 300*time.Millisecond)
	if p.shown() != p.selectedTitle() {
		t.Error("a move after a rest shows nothing new")
	}
}

func TestWhoOpensTheDetailsWaitsForNothing(t *testing.T) {
	p := play(t, demoOptions())
	p.press("j", time.Second)
	p.press("j", 50*time.Millisecond)
	p.press("j", 50*time.Millisecond)
	p.press("enter", 20*time.Millisecond)
	if p.shown() != p.selectedTitle() {
		t.Errorf("%q is shown, and %q selected", p.shown(), p.selectedTitle())
	}
	p.rest()
	p.press("esc", time.Second)
	p.press("k", 50*time.Millisecond)
	p.press("k", 50*time.Millisecond)
	p.press("z", 20*time.Millisecond)
	if p.shown() != p.selectedTitle() || !p.m.detail.raw.open {
		t.Errorf("z shows the events of %q, and %q is selected", p.shown(), p.selectedTitle())
	}
}

func TestGoingBackInARunShowsWhatIsSelected(t *testing.T) {
	p := play(t, demoOptions())
	p.press("j", time.Second)
	p.press("j", 50*time.Millisecond)
	p.press("k", 50*time.Millisecond)
	p.rest()
	if p.shown() != p.selectedTitle() || !p.m.detail.loaded {
		t.Errorf("%q is shown, and %q selected", p.shown(), p.selectedTitle())
	}
}

func TestActionsTakeTheSelectedMemoryNotTheShownOne(t *testing.T) {
	p := play(t, demoOptions())
	p.press("j", time.Second)
	p.press("j", 50*time.Millisecond)
	if got := p.m.targets(); len(got) != 1 || got[0].Title != p.selectedTitle() {
		t.Errorf("an action would take %v, and %q is selected", got, p.selectedTitle())
	}
}

// A memory that is long in coming is announced by what the list knows of it.
func TestASlowStoreLeavesTheWrongMemoryNotForLong(t *testing.T) {
	h := open(t, demoOptions(), 120, 40)
	before := h.m.detail.item.Title
	_, cmd := h.m.Update(keyPress(t, "j"))
	if cmd == nil || h.m.detail.item.Title != before {
		t.Fatal("the details do not wait for the content")
	}
	h.send(lateMsg{h.m.gaze.at})
	if got := h.m.detail.item.Title; got != h.selectedTitle() || h.m.detail.loaded {
		t.Errorf("when it is late %q is shown", got)
	}
	h.run(cmd)
	if !h.m.detail.loaded {
		t.Error("its content did not arrive")
	}
	h.m.dirty = false
	h.m.Update(lateMsg{h.m.gaze.at})
	if h.m.dirty {
		t.Error("a needless message draws the screen")
	}
}

func TestAMemoryThatCannotBeReadIsNotAskedForAgain(t *testing.T) {
	source := &sickDetails{fakeSource: demoSource()}
	o := demoOptions()
	o.Source = source
	h := open(t, o, 120, 40)
	h.see("It could not be read: disk I/O error")
	n := source.asked
	h.send(dayMsg{})
	h.keys("tab", "tab")
	if source.asked != n {
		t.Error("it is read again and again")
	}
	source.well = true
	h.send(changedMsg{version: 9})
	h.seeNot("could not be read")
}

type sickDetails struct {
	*fakeSource
	asked int
	well  bool
}

func (s *sickDetails) Summary(ctx context.Context, id int64) (memory.Summary, error) {
	s.asked++
	if s.well {
		return s.fakeSource.Summary(ctx, id)
	}
	return memory.Summary{}, errors.New("disk I/O error")
}

func TestTheNearbyPane(t *testing.T) {
	o, _ := deepOptions()
	h := open(t, o, 200, 60)
	h.goToID(idRetry)
	h.see("Nearby", inSession, inMeaning, "▸ 14:11 Adds retry", "修复折扣与满减叠加时的总价")
	h.keys("enter", "tab")
	if h.m.state.focus != sidePane {
		t.Fatal("tab does not lead to the pane")
	}
	all := h.m.nearby.all()
	if slices.ContainsFunc(all, func(i memory.Item) bool { return i.ID == idRetry && i.Kind == memory.KindObservation }) {
		t.Error("a memory is its own neighbour")
	}
	seen := map[itemKey]bool{}
	for _, i := range all {
		if seen[keyOf(i)] {
			t.Errorf("%s stands twice", idOf(i.Kind, i.ID))
		}
		seen[keyOf(i)] = true
	}
	h.keys("j", "j")
	want := all[2]
	h.keys("enter")
	if item, _ := h.m.list.selected(); keyOf(item) != keyOf(want) || h.m.state.focus != listPane {
		t.Errorf("enter went to %q, want %q", item.Title, want.Title)
	}
	h.frame()
	h.keys("enter", "tab", "G", "g", "ctrl+d", "k")
	h.frame()
}

func TestNeighboursEndTheDetailsWhereTheyHaveNoPane(t *testing.T) {
	o, _ := deepOptions()
	h := open(t, o, 120, 100)
	h.goToID(idRetry)
	h.see(inSession, "14:11 ▸ this", inMeaning, "#102 修复折扣与满减叠加时的总价")
	h.send(tea.WindowSizeMsg{Width: 200, Height: 70})
	h.see("Nearby")
	h.seeNot("▸ this")
	h.send(tea.WindowSizeMsg{Width: 120, Height: 70})
	h.see("14:11 ▸ this")
}

func TestEnterInTheDetailsGoesToWhatIsNear(t *testing.T) {
	o, s := deepOptions()
	s.change(idMoney, func(o *memory.Observation) { o.Status = memory.StatusArchived })
	h := open(t, o, 120, 40)
	h.keys("/")
	h.text("file:payment/client.go")
	h.keys("esc")
	h.goToID(idRetry)
	h.keys("enter", "enter")
	h.see("Go to", "#103 Prices stay integers", "took its place", "before it", "about the same", "its session")
	h.keys("enter")
	h.see("Went to #103 · the filter is off", "status:all")
	if !strings.HasPrefix(h.selectedTitle(), "Prices stay integers") {
		t.Errorf("%q is selected", h.selectedTitle())
	}
	h.keys("enter", "enter", "G", "enter") // the last is its session
	h.see("session:5f3a9c1e-0002")
}

func TestGoingToAMemoryOfAnotherProject(t *testing.T) {
	o, s := deepOptions()
	s.related = []int64{100}
	h := open(t, o, 120, 40)
	h.goToID(idLeak)
	h.keys("enter", "enter", "G", "k", "enter")
	h.see("Timeline · notes", "project: notes", "Export reads every attachment twice")
	if h.selectedTitle() != "Export reads every attachment twice" {
		t.Errorf("%q is selected", h.selectedTitle())
	}
}

func TestARealStoreNamesTheSuccessorAndThePrompt(t *testing.T) {
	o := realOptions(t)
	s := o.Source.(realSource)
	h := open(t, o, 120, 100)
	h.keys("j", "j", "j", "j")
	item, _ := h.m.list.selected()
	by, reason := int64(1), "说得更好"
	if item.ID == by {
		t.Fatal("the test needs another memory")
	}
	if _, err := s.Edit(t.Context(), []int64{item.ID}, memory.Edit{SupersededBy: &by, Reason: &reason}); err != nil {
		t.Fatal(err)
	}
	h.keys("/")
	h.text("status:all")
	h.keys("esc")
	h.m.list.move(h.m.list.index(keyOf(item)) - h.m.list.cursor)
	h.send(changedMsg{version: 70})
	h.see("superseded by #1", "because: 说得更好", "1 · The payment provider times out", inSession)
}
