package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/themes"
)

// openLinks lets the person go from a memory to one near it, to the one that took
// its place, or to its session.
func (m *model) openLinks() tea.Cmd {
	d := &m.detail
	if !d.has {
		return nil
	}
	var to []memory.Item
	var options []option
	add := func(note string, list ...memory.Item) {
		for _, i := range list {
			if slices.ContainsFunc(to, func(known memory.Item) bool { return keyOf(known) == keyOf(i) }) {
				continue // what is nearest to it says most
			}
			glyph, _, role := looks(i.Kind, i.Type)
			to = append(to, i)
			options = append(options, option{label: idOf(i.Kind, i.ID) + " " + i.Title, lead: []span{{role, glyph + " "}}, note: note})
		}
	}
	if s := d.content.successor; s.Kind != "" {
		add("took its place", s)
	}
	if n := &m.nearby; n.key == keyOf(d.item) {
		add("after it", n.newer...)
		add("before it", n.older...)
		add("about the same", n.related...)
	}
	session := d.item.SessionID
	if session != "" {
		title := d.session.Title
		if title == "" {
			title = "session " + cleanLine(session)
		}
		options = append(options, option{label: title, lead: []span{{themes.Session, "  "}}, note: "its session"})
	}
	if len(options) == 0 {
		return m.say(themes.Muted, "Nothing is near it.")
	}
	c := &choice{title: "Go to", foot: m.closingHint("goes"), options: nil}
	c.chosen = func(m *model, n int) tea.Cmd {
		if n == len(to) {
			return m.toSession(session)
		}
		return m.goTo(to[n])
	}
	c.offer(options)
	m.overlays = append(m.overlays, c)
	return nil
}

// goTo selects a memory: in the list that is shown if it is there, else in the
// timeline, without what would keep it out.
func (m *model) goTo(item memory.Item) tea.Cmd {
	m.state.focus = listPane
	if i := m.list.index(keyOf(item)); m.page == nil && i >= 0 {
		m.list.move(i - m.list.cursor)
		return nil
	}
	var changed []string
	if m.project != "" && item.Project != m.project {
		m.filters[m.project] = m.input.text
		m.project = item.Project
		changed = append(changed, "project: "+m.projectLabel(item.Project))
	} else if m.input.text != "" {
		changed = append(changed, "the filter is off")
	}
	text := ""
	if item.Status != "" && item.Status != memory.StatusActive {
		text = "status:all"
	}
	m.view, m.page = viewTimeline, nil
	m.setInput(text)
	m.openAt = item.Cursor()
	cmd := m.reload()
	if len(changed) > 0 {
		return tea.Batch(cmd, m.say(themes.Muted, "Went to "+idOf(item.Kind, item.ID)+" · "+strings.Join(changed, " · ")))
	}
	return cmd
}
