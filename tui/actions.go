package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/themes"
)

// press does what a key says, where it is pressed.
func (m *model) press(msg tea.KeyPressMsg) tea.Cmd {
	in := m.scope()
	b, found := m.keys.lookup(msg, in)
	if !found {
		switch {
		case msg.Text == "":
		case in == inFilter:
			m.input.insert(msg.Text)
			return tea.Batch(m.inputChanged(), m.suggest())
		case in == inTyping, in == inForm:
			return m.overlays[len(m.overlays)-1].(typing).typed(m, msg.Text)
		}
		return nil
	}
	if why := b.reason(m.situation()); why != "" {
		return m.say(themes.Muted, fmt.Sprintf("%s: %s", keyName(msg.String()), why))
	}
	return m.do(b.action, in)
}

// do does an action of a scope, whoever asked for it: a key, the palette or a
// click on its hint.
func (m *model) do(a action, in scope) tea.Cmd {
	switch a {
	case actQuit:
		return m.quit()
	case actSuspend:
		return m.suspend()
	}
	switch in {
	case inFilter:
		return m.actInFilter(a)
	case inPanes:
		return m.act(a)
	}
	if a == actLeave {
		m.leaveOverlay()
		return nil
	}
	return m.overlays[len(m.overlays)-1].act(m, a)
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
	if v, is := viewActions[a]; is {
		return m.show(v)
	}
	if cmd, known := m.change(a); known {
		return cmd
	}
	if cmd, known := m.reach(a); known {
		return cmd
	}
	if a == actOpen && m.offersImport() {
		return m.openImports()
	}
	if m.page != nil && m.state.focus == listPane {
		if cmd, known := m.page.act(m, a); known {
			return cmd
		}
	}
	switch a {
	case actNextView:
		return m.step(1)
	case actPreviousView:
		return m.step(-1)
	case actPalette:
		return m.openPalette()
	case actFind:
		return m.openFinder()
	case actHelp:
		m.overlays = append(m.overlays, &helpOverlay{})
	case actFilter:
		m.state.focus = filterPane
	case actUnfilter:
		return m.unfilterLast()
	case actStatuses:
		return m.toggleStatuses()
	case actProjects:
		return m.openProjects()
	case actTheme:
		return m.openThemes()
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
		m.state.focus = m.layout.after(m.state.focus)
	case actBefore:
		m.state.focus = m.layout.before(m.state.focus)
	case actNarrower:
		m.moveBorder(-splitStep)
	case actWider:
		m.moveBorder(splitStep)
	case actOpen:
		switch m.state.focus {
		case detailPane:
			return m.openLinks()
		case sidePane:
			return m.nearby.act(m, a)
		}
		m.state.focus = detailPane
	case actBack:
		return m.back()
	case actNewest:
		m.state.focus = listPane
		if m.page != nil {
			cmd, _ := m.page.act(m, a)
			return cmd
		}
		return m.toFirst()
	case actRetry:
		if p, is := m.page.(*queuePage); is {
			return p.retry(m)
		}
	case actRaw:
		return m.toggleRaw()
	case actReadDown:
		m.detail.scroll(3)
	case actReadUp:
		m.detail.scroll(-3)
	default:
		switch m.state.focus {
		case detailPane:
			m.detail.scroll(steps(a, m.detail.height, len(m.detail.lines)))
			return nil
		case sidePane:
			return m.nearby.act(m, a)
		}
		if m.page != nil {
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
	if m.list.atTop && len(m.list.items) > 0 {
		m.detail.rewind(keyOf(m.list.items[0]))
	}
	if !m.list.atTop && !m.list.flat {
		return m.readPage(fromTop, memory.Cursor{})
	}
	m.list.move(-len(m.list.items))
	m.list.scroll(-len(m.list.rows))
	return nil
}

// back goes from the details to the list, from there to the timeline, and
// there takes away the marks and then the filter.
func (m *model) back() tea.Cmd {
	switch {
	case m.state.focus != listPane:
		m.state.focus = listPane
		return nil
	case len(m.marks) > 0:
		clear(m.marks)
		return nil
	case m.page != nil && m.view != viewWhy:
		return m.show(viewTimeline)
	case m.view == viewWhy:
		cmd := m.show(viewSearch)
		m.state.focus = listPane
		return cmd
	}
	m.view = viewTimeline
	m.setInput("")
	return m.reload()
}

// actInFilter does an action of the filter line.
func (m *model) actInFilter(a action) tea.Cmd {
	switch a {
	case actAccept, actLeave:
		m.state.focus = listPane
		return nil
	case actComplete:
		return m.complete(1)
	case actCompleteBack:
		return m.complete(-1)
	case actDown:
		m.list.move(1)
		return nil
	case actUp:
		m.list.move(-1)
		return nil
	}
	before := m.input.text
	if !m.input.edit(a) {
		return nil
	}
	if m.input.text == before {
		return m.suggest() // for the word where the cursor is now
	}
	return tea.Batch(m.inputChanged(), m.suggest())
}

// inputChanged starts the list for what the filter line says now, if that
// means something else than before.
func (m *model) inputChanged() tea.Cmd {
	q := parseQuery(m.input.text, m.now())
	if q.equal(m.query) {
		m.query = q
		return nil
	}
	m.query = q
	// Words are looked for where memories are listed.
	if q.text != "" && m.view != viewSessions && m.view != viewWhy {
		m.page = nil
	}
	m.settleView()
	return m.reload()
}

// paste puts text into the filter line.
func (m *model) paste(text string) tea.Cmd {
	switch m.scope() {
	case inFilter:
		m.input.insert(text)
		return tea.Batch(m.inputChanged(), m.suggest())
	case inTyping, inForm:
		return m.overlays[len(m.overlays)-1].(typing).typed(m, text)
	}
	return nil
}
