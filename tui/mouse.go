package tui

import (
	tea "charm.land/bubbletea/v2"
)

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
	case ok && p == listPane && m.page != nil:
		m.page.scroll(m, n)
	case ok && p == listPane:
		m.list.scroll(n)
	case ok && p == sidePane:
		m.nearby.scroll(n)
	case ok && p == detailPane:
		m.detail.scroll(n)
	}
}

// click does what is under the mouse: it selects a row, shows a view, does what
// a hint names, or takes hold of a border.
func (m *model) click(msg tea.MouseClickMsg) tea.Cmd {
	m.drag = noBorder // a release may have got lost
	if msg.Button != tea.MouseLeft {
		return nil
	}
	if b, ok := m.hintAt(msg.X, msg.Y); ok {
		return m.do(b.action, m.scope())
	}
	if len(m.overlays) > 0 {
		if m.overlayBody.contains(msg.X, msg.Y) {
			return m.overlays[len(m.overlays)-1].pick(m, msg.Y-m.overlayBody.y)
		}
		m.leaveOverlay()
		return nil
	}
	if v, ok := m.tabAt(msg.X, msg.Y); ok {
		return m.show(v)
	}
	if m.drag = m.layout.borderAt(msg.X, msg.Y); m.drag != noBorder {
		return nil
	}
	p, ok := m.layout.at(msg.X, msg.Y)
	if !ok {
		return nil
	}
	in := m.layout.list.inner(m.layout.framed)
	if m.page != nil && p == listPane {
		if in.contains(msg.X, msg.Y) && m.page.pick(m, msg.Y-in.y) && m.state.focus == listPane {
			return m.act(actOpen)
		}
		m.state.focus = listPane
		return nil
	}
	if p == listPane && in.contains(msg.X, msg.Y) {
		before := m.list.cursor
		if m.list.pick(msg.Y-in.y) && before == m.list.cursor && m.state.focus == listPane {
			p = detailPane // a second click opens
		}
	}
	if p == filterPane {
		return m.clickFilter(msg.X)
	}
	if in := m.layout.side.inner(m.layout.framed); p == sidePane && in.contains(msg.X, msg.Y) {
		if again := m.nearby.pick(msg.Y - in.y); again && m.state.focus == sidePane {
			return m.nearby.act(m, actOpen)
		}
	}
	m.state.focus = p
	return nil
}

// motion moves the border that the mouse holds.
func (m *model) motion(msg tea.MouseMotionMsg) {
	if msg.Button != tea.MouseLeft {
		m.drag = noBorder
		return
	}
	m.state = m.layout.dragged(m.state, m.drag, msg.X)
}

// tabAt gives the view whose name stands at a place of the head line.
func (m *model) tabAt(x, y int) (view, bool) {
	if m.layout.head.h == 0 || y != m.layout.head.y {
		return "", false
	}
	tabs, shown := m.tabs()
	if !m.tabsFit(tabs) {
		return "", false
	}
	at := 0
	for n, t := range tabs {
		at += m.lineWidth(t)
		if x < at {
			if n == 0 { // the program's name
				return viewTimeline, true
			}
			return shown[n-1], true
		}
	}
	return "", false
}

// hintAt gives the binding whose hint stands at a place of the status line.
func (m *model) hintAt(x, y int) (binding, bool) {
	if m.layout.status.h == 0 || y != m.layout.status.y || m.saying().text != "" {
		return binding{}, false
	}
	at := 0
	for _, b := range m.hinted(m.scope(), m.situation()) {
		at += m.lineWidth(hintOf(b))
		if at > m.layout.width {
			break
		}
		if x < at {
			return b, true
		}
	}
	return binding{}, false
}
