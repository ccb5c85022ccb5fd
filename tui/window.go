package tui

import (
	"slices"

	"cmem/memory"
)

const (
	pageSize = 200 // rows asked for at once
	maxRows  = 800 // rows held at most, whatever the store holds
)

// itemKey says which memory a row stands for. It outlives a refresh, which an
// index would not.
type itemKey struct {
	kind memory.ItemKind
	id   int64
}

func keyOf(i memory.Item) itemKey { return itemKey{i.Kind, i.ID} }

// window is the run of rows that is in memory: without gaps, newest first,
// never more than maxRows.
type window struct {
	items []memory.Item
	atTop bool // nothing newer is known in the store
	atEnd bool // nothing older is in the store
}

// first and last give the cursors to ask on from.
func (w *window) first() memory.Cursor {
	if len(w.items) == 0 {
		return memory.Cursor{}
	}
	return w.items[0].Cursor()
}

func (w *window) last() memory.Cursor {
	if len(w.items) == 0 {
		return memory.Cursor{}
	}
	return w.items[len(w.items)-1].Cursor()
}

// index gives the place of a row, or -1.
func (w *window) index(k itemKey) int {
	return slices.IndexFunc(w.items, func(i memory.Item) bool { return keyOf(i) == k })
}

// older adds a page of older rows at the end and lets go of the newest ones.
func (w *window) older(page []memory.Item, end bool) {
	w.items = append(w.items, page...)
	w.atEnd = end
	if over := len(w.items) - maxRows; over > 0 {
		w.items = slices.Clone(w.items[over:]) // frees the others
		w.atTop = false
	}
}

// newer adds a page of newer rows, given oldest first, at the top and lets go
// of the oldest ones.
func (w *window) newer(page []memory.Item, top bool) {
	items := make([]memory.Item, 0, min(len(page)+len(w.items), maxRows))
	for _, i := range slices.Backward(page) {
		items = append(items, i)
	}
	items = append(items, w.items[:min(len(w.items), maxRows-len(items))]...)
	w.atEnd = w.atEnd && len(items) == len(page)+len(w.items)
	w.atTop = top
	w.items = items
}

// justAbove gives a cursor after which the row at c itself comes first.
func justAbove(c memory.Cursor) memory.Cursor {
	c.ID++
	return c
}

// beforeAll is a place older than every row.
func beforeAll() memory.Cursor { return memory.Cursor{EpochMS: 1} }
