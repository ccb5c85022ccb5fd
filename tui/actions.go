package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/themes"
)

// press does what a key says, where it is pressed.
func (m *model) press(msg tea.KeyPressMsg) tea.Cmd {
	in := m.scope()
	b, found := lookup(msg, in)
	if !found {
		if in == inFilter && msg.Text != "" {
			m.input.insert(msg.Text)
			return m.inputChanged()
		}
		return nil
	}
	if why := b.reason(m.situation()); why != "" {
		return m.say(themes.Muted, fmt.Sprintf("%s: %s", keyName(msg.String()), why))
	}
	switch b.action {
	case actQuit:
		m.cmds.stop()
		return tea.Quit
	case actSuspend:
		return tea.Suspend
	}
	switch in {
	case inFilter:
		return m.actInFilter(b.action)
	case inHelp, inProjects:
		if b.action == actLeave {
			m.closeOverlay()
			return nil
		}
		return m.overlays[len(m.overlays)-1].act(m, b.action)
	}
	return m.act(b.action)
}

// scope says where a key pressed now applies.
func (m *model) scope() scope {
	switch {
	case len(m.overlays) > 0:
		return m.overlays[len(m.overlays)-1].scope()
	case m.state.focus == filterPane:
		return inFilter
	}
	return inPanes
}

// act does an action of the panes.
func (m *model) act(a action) tea.Cmd {
	switch a {
	case actHelp:
		m.overlays = append(m.overlays, &helpOverlay{})
	case actFilter:
		m.state.focus = filterPane
	case actProjects:
		return m.openProjects()
	case actTheme:
		return m.nextTheme()
	case actMouse:
		m.mouseFree = !m.mouseFree
		if m.mouseFree {
			return m.say(themes.Muted, "The mouse selects text now. M takes it back.")
		}
		return m.say(themes.Muted, "The mouse works here again.")
	case actReload:
		m.sessionsStale = true
		m.detail.clear()
		return tea.Batch(m.reload(), m.countProjects(0))
	case actSwitch:
		if m.state.focus == listPane {
			m.state.focus = detailPane
		} else {
			m.state.focus = listPane
		}
	case actNarrower:
		m.state.split = max(m.state.split-splitStep, minSplit)
	case actWider:
		m.state.split = min(m.state.split+splitStep, maxSplit)
	case actOpen:
		m.state.focus = detailPane
	case actBack:
		return m.back()
	case actNewest:
		m.state.focus = listPane
		return m.toFirst()
	case actCopy, actCopyID:
		return m.copy(a)
	case actReadDown:
		m.detail.scroll(3)
	case actReadUp:
		m.detail.scroll(-3)
	default:
		if m.state.focus == detailPane {
			m.detail.scroll(steps(a, m.detail.height, len(m.detail.lines)))
			return nil
		}
		return m.moveInList(a)
	}
	return nil
}

// moveInList does a movement in the list.
func (m *model) moveInList(a action) tea.Cmd {
	switch a {
	case actFirst:
		return m.toFirst()
	case actLast:
		if !m.list.atEnd && !m.list.flat {
			return m.readPage(fromEnd, memory.Cursor{})
		}
	}
	m.list.move(steps(a, m.list.height, len(m.list.items)))
	return nil
}

// toFirst goes to the newest row, which may have to be read, and to its beginning.
func (m *model) toFirst() tea.Cmd {
	m.detail.top = 0
	if !m.list.atTop && !m.list.flat {
		return m.readPage(fromTop, memory.Cursor{})
	}
	m.list.move(-len(m.list.items))
	m.list.scroll(-len(m.list.rows))
	return nil
}

// back goes from the details to the list, and there clears the filter.
func (m *model) back() tea.Cmd {
	if m.state.focus == detailPane {
		m.state.focus = listPane
		return nil
	}
	m.setInput("")
	return m.reload()
}

// actInFilter does an action of the filter line.
func (m *model) actInFilter(a action) tea.Cmd {
	switch a {
	case actAccept, actLeave:
		m.state.focus = listPane
		return nil
	case actDown:
		m.list.move(1)
		return nil
	case actUp:
		m.list.move(-1)
		return nil
	}
	if before := m.input.text; m.input.edit(a) && m.input.text != before {
		return m.inputChanged()
	}
	return nil
}

// inputChanged starts the list for what the filter line says now, if that
// means something else than before.
func (m *model) inputChanged() tea.Cmd {
	q := parseQuery(m.input.text)
	if q.equal(m.query) {
		m.query = q
		return nil
	}
	m.query = q
	return m.reload()
}

// paste puts text into the filter line.
func (m *model) paste(text string) tea.Cmd {
	if m.scope() != inFilter {
		return nil
	}
	m.input.insert(text)
	return m.inputChanged()
}

// openProjects shows the projects, with the present one selected.
func (m *model) openProjects() tea.Cmd {
	o := &projectsOverlay{}
	if m.project != "" {
		o.cursor = 1 + slices.IndexFunc(m.projects, func(p memory.Project) bool { return p.Key == m.project })
	}
	m.overlays = append(m.overlays, o)
	return m.countProjects(0)
}

// nextTheme goes from theme to theme and remembers the choice.
func (m *model) nextTheme() tea.Cmd {
	names := themes.Names()
	m.themeName = names[(slices.Index(names, m.themeName)+1)%len(names)]
	m.retheme()
	return tea.Batch(m.say(themes.Text, "Theme: "+m.themeName), m.cmds.saveTheme(m.themeName))
}

// copy puts the selected memory on the clipboard of the terminal, which works
// over ssh too.
func (m *model) copy(a action) tea.Cmd {
	item := m.detail.item
	id := idOf(item.Kind, item.ID)
	if a == actCopyID {
		return tea.Batch(tea.SetClipboard(id), m.say(themes.Good, "Copied "+id))
	}
	if !m.detail.loaded {
		return m.say(themes.Muted, "It is still being read.")
	}
	text := markdown(item, m.detail.content)
	return tea.Batch(tea.SetClipboard(text), m.say(themes.Good, "Copied "+id+" as Markdown"))
}

// wheelRows is how far one notch of the wheel scrolls.
const wheelRows = 3

// wheel scrolls the pane under the mouse; the keys stay where they are.
func (m *model) wheel(msg tea.MouseWheelMsg) {
	n := wheelRows
	switch msg.Button {
	case tea.MouseWheelUp:
		n = -wheelRows
	case tea.MouseWheelDown:
	default:
		return
	}
	if len(m.overlays) > 0 {
		a := actDown
		if n < 0 {
			a = actUp
		}
		m.overlays[len(m.overlays)-1].act(m, a)
		return
	}
	switch p, ok := m.layout.at(msg.X, msg.Y); {
	case ok && p == listPane:
		m.list.scroll(n)
	case ok && p == detailPane:
		m.detail.scroll(n)
	}
}

// click selects what is under the mouse.
func (m *model) click(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft {
		return nil
	}
	if len(m.overlays) > 0 {
		if m.overlayBody.contains(msg.X, msg.Y) {
			return m.overlays[len(m.overlays)-1].pick(m, msg.Y-m.overlayBody.y)
		}
		m.closeOverlay()
		return nil
	}
	p, ok := m.layout.at(msg.X, msg.Y)
	if !ok {
		return nil
	}
	in := m.layout.list.inner(m.layout.framed)
	if p == listPane && in.contains(msg.X, msg.Y) {
		before := m.list.cursor
		if m.list.pick(msg.Y-in.y) && before == m.list.cursor && m.state.focus == listPane {
			p = detailPane // a second click opens
		}
	}
	m.state.focus = p
	return nil
}
