package tui

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/themes"
)

// maxMarked bounds how many memories can be marked at once.
const maxMarked = 10_000

// marks is the selection of several: by what is marked, not by where it
// stands, so that it outlives scrolling, filters and arrivals.
type marks map[itemKey]memory.Item

// haveObservations reports whether n observations are among the marked ones.
func (m marks) haveObservations(n int) bool {
	for k := range m {
		if k.kind == memory.KindObservation {
			if n--; n <= 0 {
				return true
			}
		}
	}
	return false
}

// list gives the marked memories, newest first.
func (m marks) list() []memory.Item {
	return slices.SortedFunc(maps.Values(m), func(a, b memory.Item) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.Kind, a.Kind), cmp.Compare(b.ID, a.ID))
	})
}

// label says how many are marked, for a frame; nothing when none is.
func (m marks) label() string {
	if len(m) == 0 {
		return ""
	}
	return thousands(len(m)) + " marked"
}

// add marks items, as many as may be marked, and reports whether all are.
func (m marks) add(items []memory.Item) bool {
	for _, i := range items {
		if _, is := m[keyOf(i)]; !is && len(m) >= maxMarked {
			return false
		}
		m[keyOf(i)] = i
	}
	return true
}

// lead gives the two cells before a memory: room for the mark of the selection,
// and whether it is marked.
func (s rowStyle) lead(item memory.Item) span {
	if _, is := s.marks[keyOf(item)]; is {
		return span{themes.Mark, " " + markedGlyph}
	}
	return span{themes.Text, "  "}
}

// joined puts dots between what is not empty.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

// targets gives what an action acts on: the marked memories, else the selected
// one. What the list shows of a marked one is newer than what was marked.
func (m *model) targets() []memory.Item {
	if len(m.marks) > 0 {
		for _, i := range m.list.items {
			if _, is := m.marks[keyOf(i)]; is {
				m.marks[keyOf(i)] = i
			}
		}
		return m.marks.list()
	}
	if s := m.subject(); s.isMemory() {
		return []memory.Item{s.item}
	}
	return nil
}

// toggleMark marks the selected memory, or unmarks it, and goes to the next.
func (m *model) toggleMark() tea.Cmd {
	s := m.subject()
	if !s.isMemory() {
		return nil
	}
	k := keyOf(s.item)
	if _, is := m.marks[k]; is {
		delete(m.marks, k)
	} else {
		if !m.marks.add([]memory.Item{s.item}) {
			return m.tooManyMarked()
		}
		m.marked = k
	}
	if m.page != nil {
		cmd, _ := m.page.act(m, actDown)
		return cmd
	}
	return m.moveInList(actDown)
}

func (m *model) tooManyMarked() tea.Cmd {
	return m.say(themes.Warn, fmt.Sprintf("%s are marked; more cannot be.", thousands(maxMarked)))
}

// markRange marks all from the row that was marked last to the selected one, as
// they are listed.
func (m *model) markRange() tea.Cmd {
	if m.page != nil {
		return m.say(themes.Muted, "A range is marked in the timeline or a search.")
	}
	from, to := m.list.index(m.marked), m.list.cursor
	if _, is := m.marks[m.marked]; !is || from < 0 {
		from = to // the mark is gone or far away: it begins here
	}
	if to < 0 {
		return nil
	}
	m.marked = keyOf(m.list.items[to])
	if !m.marks.add(m.list.items[min(from, to) : max(from, to)+1]) {
		return m.tooManyMarked()
	}
	return nil
}

// markAll marks all that the list found, in sight or not, or none when all are
// marked.
func (m *model) markAll() tea.Cmd {
	f, ok := m.filter()
	switch {
	case m.page != nil:
		return m.say(themes.Muted, "All are marked in the timeline or a search.")
	case !ok:
		return nil
	case m.list.flat && m.list.byWords >= m.hits && m.hits < maxHits:
		return m.cmds.foundHits(m.listID, m.query.text, f)
	case m.list.flat: // what is only near in meaning is marked by hand
		return m.allFound(foundMsg{list: m.listID, items: m.list.items[:m.list.byWords]})
	case m.list.atTop && m.list.atEnd:
		return m.allFound(foundMsg{list: m.listID, items: m.list.items})
	}
	return m.cmds.found(m.listID, f, maxMarked)
}

// allFound marks the rows, or unmarks them when all are marked.
func (m *model) allFound(msg foundMsg) tea.Cmd {
	if msg.list != m.listID || isCancelled(msg.err) {
		return nil
	}
	if msg.err != nil {
		return m.report(themes.Bad, "Not all could be marked: "+cleanLine(msg.err.Error()))
	}
	unmarked := func(i memory.Item) bool { _, is := m.marks[keyOf(i)]; return !is }
	if len(msg.items) == 0 || !slices.ContainsFunc(msg.items, unmarked) {
		clear(m.marks)
		return nil
	}
	all := m.marks.add(msg.items)
	which := "newest"
	if m.list.flat {
		which = "best"
	}
	if msg.more || !all {
		return m.say(themes.Warn, fmt.Sprintf("The %s %s are marked; there are more.", which, thousands(len(m.marks))))
	}
	return nil
}
