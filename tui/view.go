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
	if l.crumbs.h > 0 {
		out = append(out, m.crumbsLine())
	}
	if l.filter.h > 0 {
		out = append(out, m.filterLine())
	}
	list, detail := m.listLines(), m.detailLines()
	switch {
	case l.two:
		for n := range list {
			out = append(out, append(list[n], detail[n]...))
		}
	case l.detail.h > 0:
		out = append(out, detail...)
	default:
		out = append(out, list...)
	}
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
	f, _ := m.filter()
	p := frameParts{title: "Timeline", focus: m.state.focus == listPane}
	if m.list.flat {
		p.title = "Search"
	}
	if m.layout.crumbs.h == 0 {
		p.title += " · " + m.projectLabel(f.Project)
	}
	if n := m.list.fresh; n >= maxFresh {
		p.badge = fmt.Sprintf("%d+ new ↑", maxFresh)
	} else if n > 0 {
		p.badge = fmt.Sprintf("%d new ↑", n)
	}
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
		text = emptyLines(m.cells, in.w-2, in.h)
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
	if d.has {
		p.title = kindName(d.item.Kind) + " " + idOf(d.item.Kind, d.item.ID)
	}
	if len(d.lines) > d.height {
		p.foot = fmt.Sprintf("%d%%", min(100, 100*(d.top+d.height)/len(d.lines)))
	}
	return m.boxed(r, p, d.lines[min(d.top, len(d.lines)):min(d.top+d.height, len(d.lines))])
}

// crumbsLine says where one is when there is room for one pane only.
func (m *model) crumbsLine() line {
	f, _ := m.filter()
	left := []line{{{themes.Accent, " cmem"}}, {{themes.Muted, " › "}, {themes.Text, m.projectLabel(f.Project)}}}
	if item, ok := m.list.selected(); ok && m.state.focus == detailPane {
		when := item.CreatedAt.In(m.now().Location())
		left = append(left,
			line{{themes.Muted, " › "}, {themes.Text, moment(when, m.now())}},
			line{{themes.Muted, " › "}, {themes.Text, idOf(item.Kind, item.ID)}})
	}
	return bar(m.cells, m.layout.width, left, nil)
}

// inputIndent is where the text of the filter line begins.
const inputIndent = 3

// inputRoom is how many cells the text being typed has.
func (m *model) inputRoom() int { return max(m.layout.filter.w-inputIndent-14, 1) }

func (m *model) filterLine() line {
	w := m.layout.filter.w
	left := line{{themes.Key, " / "}}
	var right []line
	switch {
	case m.input.text != "" || m.state.focus == filterPane:
		text, _ := m.input.visible(m.cells, m.inputRoom())
		left = append(left, inputSpans(text)...)
		if m.input.text == "" {
			left = append(left, span{themes.Muted, "words to search for   " + strings.Join(filterWords, " ")})
		} else if m.loading != loadPage {
			right = []line{{{themes.Muted, m.foundLabel() + " "}}}
		}
	default:
		left = append(left, span{themes.Muted, "search"})
	}
	return bar(m.cells, w, []line{left}, right)
}

// foundLabel counts what the filter line found.
func (m *model) foundLabel() string {
	n := len(m.list.items)
	if !m.list.atEnd || !m.list.atTop || m.list.flat && n >= maxHits {
		return thousands(n) + "+ found"
	}
	return thousands(n) + " found"
}

// inputSpans shows the filter words of the line as what they are.
func inputSpans(text string) []span {
	var out []span
	for n, word := range strings.Split(text, " ") {
		if n > 0 {
			out = append(out, span{themes.Text, " "})
		}
		role := themes.Strong
		for _, f := range filterWords {
			if strings.HasPrefix(strings.ToLower(word), f) {
				role = themes.Chip
			}
		}
		if word != "" {
			out = append(out, span{role, word})
		}
	}
	return out
}

func (m *model) statusLine() line {
	var left []line
	switch {
	case m.notice != "":
		left = []line{{{m.noticeRole, " " + m.shorten(m.notice, m.layout.width-2)}}}
	case m.failure != "" && len(m.list.items) > 0:
		left = []line{{{themes.Bad, " " + m.shorten(m.failure, m.layout.width-2)}}}
	default:
		left = hints(m.scope(), m.situation())
	}
	return bar(m.cells, m.layout.width, left, m.facts())
}

// hints shows the keys of the moment.
func hints(in scope, s situation) []line {
	var out []line
	for _, b := range keyMap {
		if b.hint == "" || !slices.Contains(b.scopes, in) || b.reason(s) != "" {
			continue
		}
		out = append(out, line{{themes.Key, " " + keyName(b.keys.Keys()[0])}, {themes.Muted, " " + b.hint + " "}})
	}
	return out
}

// facts tells how things are, the most important first.
func (m *model) facts() []line {
	f, _ := m.filter()
	var out []line
	if m.hasStatus {
		switch {
		case m.status.Problem != "":
			out = append(out, line{{themes.Warn, " ! " + m.shorten(m.status.Problem, 40)}})
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
	out = append(out, line{{themes.Muted, " · " + m.projectLabel(f.Project)}})
	theme := m.themeName
	if theme == themes.System {
		theme += " (" + m.theme.Name + ")"
	}
	out = append(out, line{{themes.Muted, " · " + theme}}, line{{themes.Text, " "}})
	if l := out[0]; strings.HasPrefix(l[0].text, " · ") {
		l[0].text = l[0].text[2:]
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
