package tui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/store"
	"cmem/themes"
)

// meantArrived shows what means the same below what holds the words.
func (m *model) meantArrived(msg meantMsg) tea.Cmd {
	switch {
	case msg.list != m.listID || isCancelled(msg.err) || errors.Is(msg.err, store.ErrEmptyQuery):
		return nil
	case msg.err != nil:
		return m.say(themes.Warn, "Found by words only; by meaning: "+cleanLine(msg.err.Error()))
	}
	m.meant = msg.hits
	if m.list.flat && m.loading == idle && m.list.byWords < m.hits {
		m.list.change(func(w *window) { w.items = m.withMeant(w.items[:m.list.byWords]) })
	}
	return nil
}

// withMeant adds to what holds the words what means the same and is not among it.
func (m *model) withMeant(items []memory.Item) []memory.Item {
	m.list.byWords = len(items)
	held := make(map[itemKey]bool, len(items))
	for _, i := range items {
		held[keyOf(i)] = true
	}
	items = items[:len(items):len(items)]
	for _, h := range m.meant {
		item := itemOf(h.observation)
		if k := keyOf(item); !held[k] {
			m.list.hits[k] = h
			items = append(items, item)
		}
	}
	return items
}

// meantLine heads what was found by meaning.
func (s rowStyle) meantLine() line {
	const name = "Near in meaning"
	rest := max(s.w-s.width(name)-3, 0)
	return s.cutLine(line{{themes.Day, " " + name + " "}, {themes.Border, strings.Repeat("─", rest)}}, 0, s.w)
}
