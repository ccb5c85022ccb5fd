package tui

// The limits at which the layout changes, in cells.
const (
	twoPaneWidth   = 80  // from here on list and details stand side by side
	threePaneWidth = 160 // and from here on what is near stands beside them
	frameMinWidth  = 30  // below, panes have no frame
	frameMinHeight = 9
	barsMinHeight  = 4  // below, only the pane itself is shown
	headMinHeight  = 12 // below, the filter line shows only while it is used
	minPaneWidth   = 28
)

// splitStep and the limits of the split are in percent of the width.
const (
	defaultSplit = 48
	sideShare    = 36 // of what the list leaves
	splitStep    = 4
	minSplit     = 22
	maxSplit     = 78
)

// border is a line between two panes, which can be moved.
type border int

const (
	noBorder   border = iota
	listBorder        // between the list and the details
	sideBorder        // between the details and what is near
)

// pane names a part of the screen that can have the keys.
type pane int

const (
	listPane pane = iota
	detailPane
	sidePane // what is near the selection
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
	side      int  // percent of the rest that the third pane takes; 0 for the usual
	filtering bool // the filter line is in use
	alone     bool // there is nothing to show details of
}

// layout says where everything stands. A part that is not shown is empty.
// The parts never overlap and never leave the screen.
type layout struct {
	width, height int
	head, filter  rect
	list, detail  rect
	side          rect // only with three panes
	status        rect
	framed        bool // panes have a frame
	two           bool // list and details stand side by side
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
		if l.height >= headMinHeight {
			l.head = row()
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
		rest := l.width - w
		if l.width >= threePaneWidth && rest >= 3*minPaneWidth {
			side := min(max(rest*s.sideShare()/100, minPaneWidth), rest-minPaneWidth)
			rest -= side
			l.side = rect{w + rest, body.y, side, body.h}
		}
		l.detail = rect{w, body.y, rest, body.h}
	case (s.focus == detailPane || s.focus == sidePane) && !s.alone:
		l.detail = body
	default:
		l.list = body
	}
	return l
}

// sideShare gives the percent of what the list leaves that the third pane takes.
func (s layoutState) sideShare() int {
	if s.side == 0 {
		return sideShare
	}
	return min(max(s.side, minSplit), maxSplit)
}

// settled gives the state with the keys in a pane that is on the screen.
func (l layout) settled(s layoutState) layoutState {
	switch {
	case s.alone && (s.focus == detailPane || s.focus == sidePane):
		s.focus = listPane
	case s.focus == sidePane && l.side.w == 0:
		s.focus = detailPane
	}
	return s
}

// borderAt gives the border at a place on the screen: it is two cells wide, the
// frames of both panes.
func (l layout) borderAt(x, y int) border {
	switch {
	case !l.two || !l.framed || y < l.list.y || y >= l.list.y+l.list.h:
		return noBorder
	case x == l.detail.x-1 || x == l.detail.x:
		return listBorder
	case l.side.w > 0 && (x == l.side.x-1 || x == l.side.x):
		return sideBorder
	}
	return noBorder
}

// dragged gives the state with a border at a column, as near as the limits allow.
func (l layout) dragged(s layoutState, b border, x int) layoutState {
	switch b {
	case listBorder:
		if l.width > 0 {
			s.split = min(max((100*x+l.width-1)/l.width, minSplit), maxSplit)
		}
	case sideBorder:
		if rest := l.width - l.list.w; rest > 0 {
			s.side = min(max((100*(l.width-x)+rest-1)/rest, minSplit), maxSplit)
		}
	}
	return s
}

// at gives the pane at a place on the screen.
func (l layout) at(x, y int) (pane, bool) {
	switch {
	case l.list.contains(x, y):
		return listPane, true
	case l.detail.contains(x, y):
		return detailPane, true
	case l.side.contains(x, y):
		return sidePane, true
	case l.filter.contains(x, y):
		return filterPane, true
	}
	return 0, false
}

// after gives the pane to which the keys go from one.
func (l layout) after(p pane) pane {
	switch {
	case p == listPane:
		return detailPane
	case p == detailPane && l.side.w > 0:
		return sidePane
	}
	return listPane
}

// before gives the pane from which the keys go to one.
func (l layout) before(p pane) pane {
	switch {
	case p == sidePane:
		return detailPane
	case p == listPane && l.side.w > 0:
		return sidePane
	case p == listPane:
		return detailPane
	}
	return listPane
}

// moveBorder moves the border beside the pane that has the keys: right by
// percent, or left.
func (m *model) moveBorder(by int) {
	if m.layout.side.w > 0 && (m.state.focus == detailPane || m.state.focus == sidePane) {
		m.state.side = min(max(m.state.sideShare()-by, minSplit), maxSplit)
		return
	}
	m.state.split = min(max(m.state.split+by, minSplit), maxSplit)
}
