package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/themes"
)

// View gives the screen. It is asked for after every message, so it is drawn
// only when something may have changed.
func (m *model) View() tea.View {
	if !m.dirty {
		return m.frame
	}
	m.dirty = false
	var b strings.Builder
	b.Grow(len(m.frame.Content) + 512)
	for n, l := range m.screen() {
		if n > 0 {
			b.WriteByte('\n')
		}
		for _, s := range l {
			m.theme.Append(&b, s.role, s.text)
		}
	}
	v := tea.NewView(b.String())
	v.AltScreen = true
	v.ReportFocus = true
	if !m.mouseFree {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if m.scope() == inFilter && m.layout.filter.w > 0 {
		_, column := m.input.visible(m.cells, m.inputRoom())
		v.Cursor = tea.NewCursor(m.layout.filter.x+column+inputIndent, m.layout.filter.y)
		v.Cursor.Shape = tea.CursorBar // a shape of its own, so that leaving resets it
	}
	m.frame = v
	return v
}

// screen draws every line of the screen.
func (m *model) screen() []line {
	l := m.layout
	if l.width == 0 || l.height == 0 {
		return nil
	}
	out := make([]line, 0, l.height)
	if l.head.h > 0 {
		out = append(out, m.headLine())
	}
	if l.filter.h > 0 {
		out = append(out, m.filterLine())
	}
	list, detail, side := m.listLines(), m.detailLines(), m.sideLines()
	switch {
	case l.two:
		for n := range list {
			row := slices.Concat(list[n], detail[n])
			if side != nil {
				row = append(row, side[n]...)
			}
			out = append(out, row)
		}
	case l.detail.h > 0:
		out = append(out, detail...)
	default:
		out = append(out, list...)
	}
	m.drawCompletion(out)
	for _, o := range m.overlays {
		dim(out)
		m.overlayBody = drawOver(m, o, out)
	}
	if l.status.h > 0 {
		out = append(out, m.statusLine())
	}
	return out
}

// boxed puts a pane's body into its place.
func (m *model) boxed(r rect, p frameParts, body []line) []line {
	if m.layout.framed {
		return frame(m.cells, r.w, r.h, p, body)
	}
	out := slices.Clone(body)
	for len(out) < r.h {
		out = append(out, m.cutLine(nil, 0, r.w))
	}
	return out[:r.h]
}

func (m *model) listLines() []line {
	r := m.layout.list
	if r.h == 0 || r.w == 0 {
		return nil
	}
	in := r.inner(m.layout.framed)
	if m.page != nil {
		body, p := m.page.draw(m, in.w, in.h)
		p.focus = m.state.focus == listPane
		if p.title == "" {
			p.title = viewNames[m.view]
		}
		p.badge = joined(m.marks.label(), p.badge)
		return m.boxed(r, p, body)
	}
	f, _ := m.filter()
	p := frameParts{title: "Timeline", focus: m.state.focus == listPane}
	if m.list.flat {
		p.title = "Search"
	}
	p.title += " · " + m.projectLabel(f.Project)
	if n := m.list.fresh; n >= maxFresh {
		p.badge = fmt.Sprintf("%d+ new ↑", maxFresh)
	} else if n > 0 {
		p.badge = fmt.Sprintf("%d new ↑", n)
	}
	p.badge = joined(m.marks.label(), p.badge)
	if n := len(m.list.items); n > 0 && m.list.atTop {
		more := ""
		if !m.list.atEnd {
			more = "+"
		}
		p.foot = fmt.Sprintf("%d of %s%s", m.list.cursor+1, thousands(n), more)
	}
	return m.boxed(r, p, m.listBody(in, f.Project))
}

func (m *model) listBody(in rect, project string) []line {
	if len(m.list.items) == 0 {
		return m.emptyBody(in, project)
	}
	s := rowStyle{
		cells: m.cells, w: in.w, focus: m.state.focus != detailPane, flat: m.list.flat,
		project: project == "" && !m.list.flat, words: litWords(m.query.text), now: m.now(),
		marks: m.marks,
	}
	body := make([]line, 0, in.h)
	for _, row := range m.list.visible() {
		body = append(body, drawRow(s, &m.list, row, m.sessions))
	}
	return body
}

// emptyBody says why there are no rows.
func (m *model) emptyBody(in rect, project string) []line {
	var text []line
	switch {
	case m.failure != "":
		for _, l := range m.wrap(m.failure, in.w-2) {
			text = append(text, line{{themes.Bad, l}})
		}
		text = append(text, line{{themes.Muted, "ctrl+r tries again"}})
	case m.loading == loadPage || m.projects == nil:
		return nil // the answer comes within a blink; words would flicker
	case m.query.project != "" && project == "" && m.query.project != "all":
		text = []line{{{themes.Strong, m.shorten("No project is called "+m.query.project, in.w-2)}}}
	case m.state.alone:
		text = firstRunLines(m.cells, in.w-2, in.h, m.first, m.keys)
	default:
		label := ""
		if project != "" {
			label = projectName(project)
		}
		text = nothingLines(m.cells, in.w, m.query, m.input.text, label)
	}
	return centred(m.cells, in.w, in.h, text)
}

// knowsNothing reports whether the store has no memory at all.
func (m *model) knowsNothing() bool {
	return m.asked && m.projects != nil && m.failure == "" && m.query.isEmpty() && len(m.list.items) == 0 && !slices.ContainsFunc(m.projects, func(p memory.Project) bool { return p.Observations+p.Sessions > 0 })
}

func (m *model) detailLines() []line {
	r := m.layout.detail
	if r.h == 0 || r.w == 0 {
		return nil
	}
	m.detail.draw(m.cells, m.now())
	d := &m.detail
	p := frameParts{title: "Details", focus: m.state.focus == detailPane, offset: d.top, total: len(d.lines)}
	switch {
	case d.own.tell != nil:
		p.title = d.own.title
	case d.has:
		p.title = kindName(d.item.Kind) + " " + idOf(d.item.Kind, d.item.ID)
	}
	if len(d.lines) > d.height {
		p.foot = fmt.Sprintf("%d%%", min(100, 100*(d.top+d.height)/len(d.lines)))
	}
	return m.boxed(r, p, d.lines[min(d.top, len(d.lines)):min(d.top+d.height, len(d.lines))])
}

// sideLines draws what is near the selection, where there is room for it.
func (m *model) sideLines() []line {
	r := m.layout.side
	if r.h == 0 || r.w == 0 {
		return nil
	}
	in := r.inner(m.layout.framed)
	body, p := m.nearby.draw(m, in.w, in.h)
	p.focus = m.state.focus == sidePane
	return m.boxed(r, p, body)
}

// headLine says where one is: the views, or where there is no room for them
// the way to what is shown.
func (m *model) headLine() line {
	if tabs, _ := m.tabs(); m.tabsFit(tabs) {
		return bar(m.cells, m.layout.width, tabs, m.crumbs())
	}
	return bar(m.cells, m.layout.width, append([]line{{{themes.Accent, " cmem"}}, {{themes.Muted, " › "}, {themes.TitleFocus, viewNames[m.view]}}}, m.crumbs()...), nil)
}

// tabs draws the name of the program and those of the views, with their keys.
func (m *model) tabs() ([]line, []view) {
	shown := m.shownViews()
	tabs := []line{{{themes.Accent, " cmem "}}}
	for _, v := range shown {
		role, lead := themes.Muted, " "
		if v == m.view || v == viewSearch && m.page == nil && m.list.flat {
			role, lead = themes.TitleFocus, "▸"
		}
		tabs = append(tabs, line{{themes.Key, " " + m.keys.of(actionOf(v), inPanes)}, {role, lead + viewNames[v]}})
	}
	return tabs, shown
}

// tabsFit reports whether there is room for all tabs.
func (m *model) tabsFit(tabs []line) bool {
	used := 0
	for _, t := range tabs {
		used += m.lineWidth(t)
	}
	return used <= m.layout.width
}

// crumbs is the way to what is shown: project, session, memory.
func (m *model) crumbs() []line {
	f, _ := m.filter()
	way := []line{{{themes.Muted, " › "}, {themes.Text, m.projectLabel(f.Project)}}}
	if s := m.subject(); s.isMemory() && m.state.focus != listPane {
		when := s.item.CreatedAt.In(m.now().Location())
		way = append(way,
			line{{themes.Muted, " › "}, {themes.Text, moment(when, m.now())}},
			line{{themes.Muted, " › "}, {themes.Text, idOf(s.item.Kind, s.item.ID)}})
	}
	return way
}

// facts tells how things are, the most important first.
func (m *model) facts() []line {
	f, _ := m.filter()
	var out []line
	if m.hasStatus {
		switch {
		case m.status.Problem != "":
			out = append(out, line{{themes.Warn, " ! " + m.shorten(m.status.Problem, 56)}})
		case m.status.Waiting > 0:
			out = append(out, line{{themes.Accent, " " + count(m.status.Waiting, "event") + " waiting"}})
		case m.status.Running:
			out = append(out, line{{themes.Good, " worker on"}})
		default:
			out = append(out, line{{themes.Muted, " worker resting"}})
		}
	}
	if m.projects != nil {
		n := 0
		for _, p := range m.projects {
			if f.Project == "" || p.Key == f.Project {
				n += p.Observations
			}
		}
		out = append(out, line{{themes.Muted, " · " + count(n, "memory")}})
	}
	out = append(out,
		line{{themes.Muted, " · " + m.projectLabel(f.Project)}},
		line{{themes.Muted, " · " + m.label}},
		line{{themes.Text, " "}})
	if l := out[0]; strings.HasPrefix(l[0].text, " · ") {
		l[0].text = strings.TrimPrefix(l[0].text, " ·")
	}
	return out
}

// projectLabel names a project for a person.
func (m *model) projectLabel(key string) string {
	if key == "" {
		return "all projects"
	}
	return projectName(key)
}
