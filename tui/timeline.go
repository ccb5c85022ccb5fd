package tui

import (
	"slices"
	"time"

	"cmem/memory"
)

// rowKind says what a row of the list is.
type rowKind int

const (
	dayRow rowKind = iota
	sessionRow
	meantRow
	itemRow
)

// row is one row of the list. Only items can be selected; the others head the
// item that follows.
type row struct {
	kind rowKind
	item int // index into the window
}

// scrollMargin is how many rows stay in sight beyond the selected one.
const scrollMargin = 2

// timeline is the list pane: rows under days and sessions, or the hits of a
// search by rank. The selection is held by what it selects, so that arrivals
// never move it to something else.
type timeline struct {
	window
	rows []row
	flat bool // hits: no days and sessions
	hits map[itemKey]hit
	// byWords is how many hits hold the words of the search; the others mean the same.
	byWords int
	cursor  int // index of the selected item, -1 for none
	top     int // first row in sight
	height  int // rows in sight
	owed    int // steps that wait for the page they lead into
	fresh   int // rows that arrived above what is in sight
	newest  memory.Cursor
	wanted  itemKey // the row to be selected when it arrives, unless the person moves on
	zone    *time.Location
}

// selected gives the selected item.
func (t *timeline) selected() (memory.Item, bool) {
	if t.cursor < 0 || t.cursor >= len(t.items) {
		return memory.Item{}, false
	}
	return t.items[t.cursor], true
}

// show puts items in place of what is there and selects the first of them, or
// the last.
func (t *timeline) show(w window, flat, last bool) {
	t.window, t.flat = w, flat
	t.cursor, t.top, t.owed, t.fresh = 0, 0, 0, 0
	if last {
		t.cursor = len(w.items) - 1
	}
	if len(w.items) == 0 {
		t.cursor = -1
	}
	t.arrange()
	t.takeWanted()
	t.reveal()
}

// change lets f change the window and keeps the selection, and what is in
// sight, where they are. Hits that come to the first place come into sight.
func (t *timeline) change(f func(w *window)) {
	selected, had := t.selected()
	at, old := t.cursor, t.items
	anchor, offset := t.anchor()
	firstHits := t.flat && t.top == 0
	f(&t.window)
	t.arrange()
	t.cursor = min(at, len(t.items)-1)
	if had {
		if i := t.index(keyOf(selected)); i >= 0 {
			t.cursor = i
		} else if i := t.survivor(old, at); i >= 0 {
			t.cursor = i
		}
	} else if len(t.items) > 0 {
		t.cursor = 0
	}
	t.takeWanted()
	if !firstHits {
		if i := t.index(anchor); i >= 0 {
			t.top = t.rowOf(i) - offset
		}
	}
	t.reveal()
}

// survivor gives the place of the row that now stands for the one at a place of
// the old rows: the next of them that is still there, else the one before.
func (t *timeline) survivor(old []memory.Item, at int) int {
	places := make(map[itemKey]int, len(t.items))
	for i, item := range t.items {
		places[keyOf(item)] = i
	}
	for _, item := range old[min(at, len(old)):] {
		if i, there := places[keyOf(item)]; there {
			return i
		}
	}
	for _, item := range slices.Backward(old[:min(at, len(old))]) {
		if i, there := places[keyOf(item)]; there {
			return i
		}
	}
	return -1
}

// takeWanted selects the row that was waited for, once it is there.
func (t *timeline) takeWanted() {
	if t.wanted == (itemKey{}) {
		return
	}
	if i := t.index(t.wanted); i >= 0 {
		t.cursor, t.wanted = i, itemKey{}
	}
}

// anchor gives the first item in sight and how many rows below the top it is.
func (t *timeline) anchor() (itemKey, int) {
	for n := t.top; n < len(t.rows); n++ {
		if t.rows[n].kind == itemRow {
			return keyOf(t.items[t.rows[n].item]), n - t.top
		}
	}
	return itemKey{}, 0
}

// arrange makes the rows from the items.
func (t *timeline) arrange() {
	t.rows = t.rows[:0]
	var day, session string
	for i, item := range t.items {
		if !t.flat {
			if d := dayOf(item.CreatedAt.In(t.zone)); d != day || i == 0 {
				t.rows = append(t.rows, row{dayRow, i}, row{sessionRow, i})
				day = d
			} else if item.SessionID != session {
				t.rows = append(t.rows, row{sessionRow, i})
			}
			session = item.SessionID
		}
		if t.flat && i == t.byWords {
			t.rows = append(t.rows, row{meantRow, i})
		}
		t.rows = append(t.rows, row{itemRow, i})
	}
}

// rowOf gives the row of an item. Rows and items have the same order.
func (t *timeline) rowOf(item int) int {
	low, high := 0, len(t.rows)
	for low < high {
		mid := (low + high) / 2
		if r := t.rows[mid]; r.item < item || r.item == item && r.kind != itemRow {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// resize says how many rows are in sight.
func (t *timeline) resize(height int) {
	if height != t.height {
		t.height = height
		t.reveal()
	}
}

// reveal scrolls as little as needed for the selection to be in sight, with
// the headlines of the first item.
func (t *timeline) reveal() {
	if t.cursor >= 0 && t.height > 0 {
		margin := min(scrollMargin, (t.height-1)/2)
		n := t.rowOf(t.cursor)
		head := n
		for head > 0 && t.rows[head-1].kind != itemRow && n-head < t.height-1 {
			head--
		}
		t.top = min(t.top, max(min(head, n-margin), 0))
		t.top = max(t.top, n+margin-t.height+1)
	}
	t.limitTop()
	if t.top == 0 && t.atTop {
		t.fresh = 0
	}
}

func (t *timeline) limitTop() {
	t.top = max(min(t.top, len(t.rows)-t.height), 0)
}

// move selects the item n steps on. Steps beyond the window are owed when
// there is more to come.
func (t *timeline) move(n int) {
	if t.cursor < 0 {
		return
	}
	if n != 0 {
		t.wanted = itemKey{}
	}
	want := t.cursor + t.owed + n
	t.cursor = min(max(want, 0), len(t.items)-1)
	t.owed = 0
	if want < 0 && !t.atTop && !t.flat || want > t.cursor && !t.atEnd && !t.flat {
		t.owed = want - t.cursor
	}
	t.reveal()
}

// pay does the owed steps, as far as the window allows now.
func (t *timeline) pay() {
	if t.owed != 0 {
		t.move(0)
	}
}

// scroll moves what is in sight by n rows. The selection comes along only at
// the edge of it.
func (t *timeline) scroll(n int) {
	t.top += n
	t.limitTop()
	if t.cursor < 0 {
		return
	}
	if at := t.rowOf(t.cursor); at < t.top || at >= t.top+t.height {
		step, n := 1, t.top
		if at >= t.top+t.height {
			step, n = -1, t.top+t.height-1
		}
		for n >= 0 && n < len(t.rows) && t.rows[n].kind != itemRow {
			n += step
		}
		if n >= 0 && n < len(t.rows) {
			t.cursor = t.rows[n].item
		}
	}
	if t.top == 0 && t.atTop {
		t.fresh = 0
	}
}

// pick selects the item in the n-th row in sight. A headline picks the item
// that it heads.
func (t *timeline) pick(n int) bool {
	n += t.top
	if n < 0 || n >= len(t.rows) {
		return false
	}
	t.cursor, t.owed, t.wanted = t.rows[n].item, 0, itemKey{}
	return true
}

// wants gives the direction in which the next page should be fetched, because
// the selection or what is in sight comes near the window's end.
func (t *timeline) wants() (direction, bool) {
	if t.flat || len(t.items) == 0 {
		return 0, false
	}
	near := max(t.height, pageSize/4)
	switch {
	case !t.atEnd && (t.cursor+near >= len(t.items) || t.top+t.height+near >= len(t.rows)):
		return toOlder, true
	case !t.atTop && (t.cursor < near || t.top < near):
		return toNewer, true
	}
	return 0, false
}

// visible gives the rows in sight.
func (t *timeline) visible() []row {
	return t.rows[min(t.top, len(t.rows)):min(t.top+t.height, len(t.rows))]
}

// dayOf names the day of a time in its own location.
func dayOf(t time.Time) string { return t.Format(time.DateOnly) }
