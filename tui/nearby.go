package tui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/themes"
)

// nearby is what is near the memory in the details: the rows beside it in its
// session, and those that are about the same. On a wide screen it is a pane with
// a selection of its own; elsewhere the details end with it.
type nearby struct {
	width, height int

	key     itemKey // whose neighbours these are
	busy    itemKey // whose are being looked for; zero for none
	stale   bool    // the store changed since
	self    memory.Item
	newer   []memory.Item
	older   []memory.Item
	related []memory.Item
	failed  string

	cursor int // among all neighbours
	top    int // first line in sight
}

// The headlines over neighbours.
const (
	inSession = "In its session"
	inMeaning = "About the same"
)

// all gives the neighbours in the order in which they stand.
func (n *nearby) all() []memory.Item { return slices.Concat(n.newer, n.older, n.related) }

// resize says how large the pane is within its frame; nothing when it is not shown.
func (n *nearby) resize(width, height int) { n.width, n.height = width, height }

// follow asks for what is near the memory in the details.
func (n *nearby) follow(m *model) tea.Cmd {
	d := &m.detail
	var near *nearby
	if n.width == 0 && n.key == keyOf(d.item) {
		near = n
	}
	if d.near != near {
		d.near, d.lines = near, nil
	}
	if !d.has || !d.loaded || m.gaze.held || m.layout.detail.h == 0 {
		return nil
	}
	key := keyOf(d.item)
	if n.busy == key || n.key == key && !n.stale {
		return nil
	}
	rest := m.cmds.timing.near
	if n.key == key {
		rest = m.cmds.timing.counts // the store changes often while a session goes on
	}
	n.busy, n.stale = key, false
	return m.cmds.neighbours(d.item, d.content.observation, rest)
}

// neighboursArrived takes in what is near the memory in the details.
func (m *model) neighboursArrived(msg neighboursMsg) {
	n, d := &m.nearby, &m.detail
	if msg.key == n.busy {
		n.busy = itemKey{}
	}
	if !d.has || keyOf(d.item) != msg.key || isCancelled(msg.err) {
		return
	}
	chosen := itemKey{}
	if all := n.all(); n.key == msg.key && n.cursor < len(all) {
		chosen = keyOf(all[n.cursor])
	} else {
		n.top = 0
	}
	n.key, n.self, n.failed = msg.key, d.item, ""
	n.newer, n.older, n.related = msg.newer, msg.older, msg.related
	if msg.err != nil {
		n.failed = cleanLine(msg.err.Error())
	}
	n.cursor = max(slices.IndexFunc(n.all(), func(i memory.Item) bool { return keyOf(i) == chosen }), 0)
	if d.near != nil || n.width == 0 {
		d.lines = nil
	}
}

// nearRow is a line of the pane: a headline, the memory itself, or a neighbour.
type nearRow struct {
	head string
	item memory.Item
	at   int // among all neighbours; -1 for none
}

// rows gives the lines of the pane.
func (n *nearby) rows() []nearRow {
	var out []nearRow
	at := 0
	add := func(list []memory.Item) {
		for _, i := range list {
			out = append(out, nearRow{item: i, at: at})
			at++
		}
	}
	if len(n.newer)+len(n.older) > 0 {
		out = append(out, nearRow{head: inSession, at: -1})
		add(n.newer)
		out = append(out, nearRow{item: n.self, at: -1})
		add(n.older)
	}
	if len(n.related) > 0 {
		if len(out) > 0 {
			out = append(out, nearRow{at: -1})
		}
		out = append(out, nearRow{head: inMeaning, at: -1})
		add(n.related)
	}
	return out
}

// act does an action of the pane.
func (n *nearby) act(m *model, a action) tea.Cmd {
	all := n.all()
	if a == actOpen {
		if n.cursor < len(all) {
			return m.goTo(all[n.cursor])
		}
		return nil
	}
	if step := steps(a, n.height, len(all)); step != 0 {
		n.cursor = max(min(n.cursor+step, len(all)-1), 0)
		n.reveal()
	}
	return nil
}

// reveal scrolls as little as needed for the selected row to be in sight, with
// the headline over the first.
func (n *nearby) reveal() {
	rows := n.rows()
	at := slices.IndexFunc(rows, func(r nearRow) bool { return r.at == n.cursor })
	first := at
	if at > 0 && rows[at-1].head != "" {
		first--
	}
	n.top = max(min(n.top, first), at-n.height+1)
	n.scroll(0)
}

// scroll moves what is in sight by so many lines.
func (n *nearby) scroll(by int) {
	n.top = max(min(n.top+by, len(n.rows())-n.height), 0)
}

// pick selects the neighbour in the n-th line in sight and reports whether it was
// selected before.
func (n *nearby) pick(line int) (again bool) {
	rows := n.rows()
	if line += n.top; line < n.top || line >= len(rows) || rows[line].at < 0 {
		return false
	}
	again = n.cursor == rows[line].at
	n.cursor = rows[line].at
	return again
}

// draw gives the body of the pane, and what stands in its frame.
func (n *nearby) draw(m *model, w, h int) ([]line, frameParts) {
	p := frameParts{title: "Nearby"}
	if !m.detail.has {
		return nil, p
	}
	if n.failed != "" {
		var out []line
		for _, l := range m.wrap("It could not be looked for: "+n.failed, w-2) {
			out = append(out, m.cutLine(line{{themes.Text, " "}, {themes.Bad, l}}, 0, w))
		}
		return out[:min(len(out), h)], p
	}
	n.scroll(0)
	rows := n.rows()
	if len(rows) == 0 {
		if n.key != keyOf(m.detail.item) {
			return nil, p // it is being looked for
		}
		return []line{m.cutLine(line{{themes.Muted, " Nothing is near it."}}, 0, w)}, p
	}
	s := rowStyle{cells: m.cells, w: w, focus: m.state.focus == sidePane, now: m.now()}
	var out []line
	for _, r := range rows[n.top:min(n.top+h, len(rows))] {
		out = append(out, n.row(s, r))
	}
	p.offset, p.total = n.top, len(rows)
	return out, p
}

func (n *nearby) row(s rowStyle, r nearRow) line {
	switch {
	case r.item.Kind == "":
		return s.cutLine(line{{themes.Text, " "}, {themes.Heading, r.head}}, 0, s.w)
	case r.at < 0:
		return s.cutLine(line{{themes.Muted, "▸ " + r.item.CreatedAt.In(s.now.Location()).Format("15:04") + " " + s.shorten(r.item.Title, s.w-9)}}, 0, s.w)
	}
	s.flat = r.at >= len(n.newer)+len(n.older) // these may be of any day
	return s.itemLine(r.item, s.focus && r.at == n.cursor, hit{})
}

// neighbours writes what is near a memory at the end of its details.
func (w *writer) neighbours(n *nearby, k itemKey, now time.Time) {
	if n.key != k || n.failed != "" {
		return
	}
	write := func(list []memory.Item, clock func(memory.Item) string) {
		for _, i := range list {
			glyph, _, role := looks(i.Kind, i.Type)
			lead := clock(i) + " "
			id := idOf(i.Kind, i.ID) + " "
			w.line(span{themes.Muted, lead}, span{role, glyph + " "}, span{themes.Link, id},
				span{themes.Text, w.shorten(i.Title, w.w-len(lead)-2-len(id))})
		}
	}
	clock := func(i memory.Item) string { return i.CreatedAt.In(now.Location()).Format("15:04") }
	if len(n.newer)+len(n.older) > 0 {
		w.heading(inSession)
		write(n.newer, clock)
		w.line(span{themes.Muted, clock(n.self) + " ▸ this"})
		write(n.older, clock)
	}
	if len(n.related) > 0 {
		w.heading(inMeaning)
		write(n.related, func(i memory.Item) string { return shortTime(i.CreatedAt.In(now.Location()), now) })
	}
}
