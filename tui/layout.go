package tui

// The limits at which the layout changes, in cells.
const (
	twoPaneWidth   = 80 // from here on list and details stand side by side
	frameMinWidth  = 30 // below, panes have no frame
	frameMinHeight = 9
	barsMinHeight  = 4  // below, only the pane itself is shown
	headMinHeight  = 12 // below, the filter line shows only while it is used
	minPaneWidth   = 28
)

// splitStep and the limits of the split are in percent of the width.
const (
	defaultSplit = 48
	splitStep    = 4
	minSplit     = 22
	maxSplit     = 78
)

// pane names a part of the screen that can have the keys.
type pane int

const (
	listPane pane = iota
	detailPane
	filterPane
)

// rect is a part of the screen.
type rect struct{ x, y, w, h int }

func (r rect) contains(x, y int) bool {
	return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h
}

// inner gives the rectangle within a frame.
func (r rect) inner(framed bool) rect {
	if !framed {
		return r
	}
	return rect{r.x + 1, r.y + 1, max(r.w-2, 0), max(r.h-2, 0)}
}

// layoutState is what the layout depends on besides the size.
type layoutState struct {
	focus     pane
	split     int  // percent of the width that the list takes
	filtering bool // the filter line is in use
	alone     bool // there is nothing to show details of
}

// layout says where everything stands. A part that is not shown is empty.
// The parts never overlap and never leave the screen.
type layout struct {
	width, height  int
	crumbs, filter rect
	list, detail   rect
	status         rect
	framed         bool // panes have a frame
	two            bool // list and details stand side by side
}

// arrange lays the screen out.
func arrange(width, height int, s layoutState) layout {
	l := layout{
		width: max(width, 0), height: max(height, 0),
		two:    width >= twoPaneWidth && !s.alone,
		framed: width >= frameMinWidth && height >= frameMinHeight,
	}
	body := rect{0, 0, l.width, l.height}
	row := func() rect {
		r := rect{0, body.y, body.w, 1}
		body.y++
		body.h--
		return r
	}
	if l.height >= barsMinHeight {
		if width < twoPaneWidth && l.height >= headMinHeight {
			l.crumbs = row()
		}
		if l.height >= headMinHeight || s.filtering || s.focus == filterPane {
			l.filter = row()
		}
		body.h--
		l.status = rect{0, body.y + body.h, l.width, 1}
	}
	switch {
	case l.two:
		w := l.width * min(max(s.split, minSplit), maxSplit) / 100
		w = min(max(w, minPaneWidth), l.width-minPaneWidth)
		l.list = rect{0, body.y, w, body.h}
		l.detail = rect{w, body.y, l.width - w, body.h}
	case s.focus == detailPane && !s.alone:
		l.detail = body
	default:
		l.list = body
	}
	return l
}

// at gives the pane at a place on the screen.
func (l layout) at(x, y int) (pane, bool) {
	switch {
	case l.list.contains(x, y):
		return listPane, true
	case l.detail.contains(x, y):
		return detailPane, true
	case l.filter.contains(x, y):
		return filterPane, true
	}
	return 0, false
}
