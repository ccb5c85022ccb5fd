package tui

import (
	"slices"
	"testing"

	"cmem/memory"
)

func openHuge(t *testing.T) (*harness, *hugeSource) {
	t.Helper()
	source := &hugeSource{n: 1_000_000}
	return open(t, Options{Source: source, Project: webshop}, 120, 40), source
}

// contiguous fails the test if the window holds too much, has a gap or is out
// of order.
func contiguous(t *testing.T, h *harness, source *hugeSource) {
	t.Helper()
	items := h.m.list.items
	if len(items) > maxRows {
		t.Fatalf("%d rows are held", len(items))
	}
	first := source.index(items[0].Cursor()) - 1
	for n, i := range items {
		if want := source.item(first + n); keyOf(i) != keyOf(want) {
			t.Fatalf("row %d of the window is %v, want %v", n, keyOf(i), keyOf(want))
		}
	}
}

func TestAMillionRowsAreReadPageByPage(t *testing.T) {
	h, source := openHuge(t)
	const steps = 2500
	for range steps {
		h.keys("j")
	}
	contiguous(t, h, source)
	if got, want := h.selectedTitle(), source.item(steps).Title; got != want {
		t.Errorf("after %d steps %q is selected, want %q", steps, got, want)
	}
	if most := steps/pageSize + 4; source.calls > most {
		t.Errorf("the store was asked %d times, want at most %d", source.calls, most)
	}
	calls := source.calls
	for range steps {
		h.keys("k")
	}
	contiguous(t, h, source)
	if got, want := h.selectedTitle(), source.item(0).Title; got != want {
		t.Errorf("back at the top %q is selected, want %q", got, want)
	}
	if most := steps/pageSize + 4; source.calls-calls > most {
		t.Errorf("on the way back the store was asked %d times, want at most %d", source.calls-calls, most)
	}
}

func TestTheEndOfAMillionRowsIsOnePageAway(t *testing.T) {
	h, source := openHuge(t)
	h.keys("G")
	if got, want := h.selectedTitle(), source.item(source.n-1).Title; got != want {
		t.Errorf("G selected %q, want %q", got, want)
	}
	contiguous(t, h, source)
	h.keys("k", "k")
	if got, want := h.selectedTitle(), source.item(source.n-3).Title; got != want {
		t.Errorf("two up is %q, want %q", got, want)
	}
	h.keys("g")
	if got, want := h.selectedTitle(), source.item(0).Title; got != want {
		t.Errorf("g selected %q, want %q", got, want)
	}
	contiguous(t, h, source)
	if source.calls > 8 || source.given > 8*pageSize {
		t.Errorf("the store was asked %d times for %d rows", source.calls, source.given)
	}
}

// Keys that come faster than pages are not lost: the steps are owed and done
// when the page is there.
func TestStepsBeyondTheWindowAreOwed(t *testing.T) {
	source := &hugeSource{n: 10_000}
	page := func(from, to int) []memory.Item { return source.give(from, to, false) }
	list := timeline{cursor: -1, zone: testZone, height: 20}
	list.show(window{items: page(0, pageSize), atTop: true}, false, false)
	for range 300 {
		list.move(1)
	}
	if list.cursor != pageSize-1 {
		t.Fatalf("the cursor is at %d", list.cursor)
	}
	list.change(func(w *window) { w.older(page(pageSize, 2*pageSize), false) })
	list.pay()
	if got, want := list.items[list.cursor].ID, source.item(300).ID; got != want {
		t.Errorf("row %d is selected, want %d", got, want)
	}
}

func TestAWindowKeepsItsBoundsOnBothSides(t *testing.T) {
	source := &hugeSource{n: 100_000}
	w := window{items: source.give(1000, 1000+pageSize, false)}
	for from := 1000 + pageSize; from < 4000; from += pageSize {
		w.older(source.give(from, from+pageSize, false), false)
	}
	if len(w.items) != maxRows || w.atTop || cap(w.items) > 2*maxRows {
		t.Fatalf("%d rows held, room for %d", len(w.items), cap(w.items))
	}
	end := source.index(w.first()) - 1
	newer := source.give(end-pageSize, end, true)
	w.newer(newer, false)
	if len(w.items) != maxRows || w.atEnd || keyOf(w.items[0]) != keyOf(newer[len(newer)-1]) {
		t.Errorf("%d rows held, the first is %v", len(w.items), keyOf(w.items[0]))
	}
	if !slices.IsSortedFunc(w.items, older) {
		t.Error("the rows are out of order")
	}
}

func TestRowsAreFoundUnderTheirHeadlines(t *testing.T) {
	h := open(t, demoOptions(), 120, 40)
	list := &h.m.list
	for i := range list.items {
		if r := list.rows[list.rowOf(i)]; r.kind != itemRow || r.item != i {
			t.Errorf("rowOf(%d) is %+v", i, r)
		}
	}
}
