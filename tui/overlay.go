package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/themes"
)

// overlay is a window above the panes. The model holds a stack of them; the
// uppermost has the keys.
type overlay interface {
	scope() scope
	// act does what a key says; closing and quitting are the model's.
	act(m *model, a action) tea.Cmd
	// pick is told that the n-th line of the body was clicked.
	pick(m *model, n int) tea.Cmd
	// draw gives the lines for at most w×h cells, and what stands in the frame.
	draw(m *model, w, h int) ([]line, frameParts)
}

// helpOverlay shows the key map.
type helpOverlay struct{ top, height, total int }

func (o *helpOverlay) scope() scope { return inHelp }

func (o *helpOverlay) act(_ *model, a action) tea.Cmd {
	o.top += steps(a, o.height, o.total)
	o.top = max(min(o.top, o.total-o.height), 0)
	return nil
}

func (o *helpOverlay) pick(*model, int) tea.Cmd { return nil }

func (o *helpOverlay) draw(m *model, w, h int) ([]line, frameParts) {
	lines := helpLines(m.cells, min(w, 86), m.situation())
	o.height, o.total = min(len(lines), h), len(lines)
	o.act(m, "")
	return lines[o.top : o.top+o.height], frameParts{title: "Keys", foot: "esc closes", focus: true, offset: o.top, total: o.total}
}

// helpLines makes the help from the key map. A key that is of no use in the
// situation says why.
func helpLines(c cells, w int, s situation) []line {
	const keyCells = 24
	var out []line
	group := ""
	for _, b := range keyMap {
		if b.group != group {
			if group = b.group; len(out) > 0 {
				out = append(out, c.cutLine(nil, 0, w))
			}
			out = append(out, c.cutLine(line{{themes.Heading, " " + group}}, 0, w))
		}
		names := make([]string, 0, len(b.keys.Keys()))
		for _, k := range b.keys.Keys() {
			names = append(names, keyName(k))
		}
		l := line{{themes.Key, "   " + c.fit(strings.Join(names, "  "), keyCells) + " "}, {themes.Text, b.help}}
		if why := b.reason(s); why != "" {
			room := w - c.lineWidth(l) - 1
			l = append(l, span{themes.Muted, c.shorten(" · not now: "+why, room)})
		}
		out = append(out, c.cutLine(l, 0, w))
	}
	return out
}

// projectsOverlay lets a person choose a project. Row 0 stands for all.
type projectsOverlay struct {
	cursor, top, height int
}

func (o *projectsOverlay) scope() scope { return inProjects }

func (o *projectsOverlay) act(m *model, a action) tea.Cmd {
	if a == actAccept {
		return o.choose(m)
	}
	o.move(m, steps(a, o.height, len(m.projects)+1))
	return nil
}

func (o *projectsOverlay) move(m *model, n int) {
	o.cursor = max(min(o.cursor+n, len(m.projects)), 0)
	o.top = min(max(o.top, o.cursor-o.height+1), o.cursor, max(len(m.projects)+1-o.height, 0))
}

func (o *projectsOverlay) pick(m *model, n int) tea.Cmd {
	if n += o.top; n > len(m.projects) {
		return nil
	}
	o.cursor = n
	return o.choose(m)
}

func (o *projectsOverlay) choose(m *model) tea.Cmd {
	key := ""
	if o.cursor > 0 {
		key = m.projects[o.cursor-1].Key
	}
	m.closeOverlay()
	return m.setProject(key)
}

func (o *projectsOverlay) draw(m *model, w, h int) ([]line, frameParts) {
	w = min(w, 78)
	o.height = min(len(m.projects)+1, h)
	o.move(m, 0)
	s := rowStyle{cells: m.cells, w: w, focus: true, now: m.now()}
	out := make([]line, 0, o.height)
	for n := o.top; n < o.top+o.height; n++ {
		p := memory.Project{}
		if n > 0 {
			p = m.projects[n-1]
		} else {
			for _, one := range m.projects {
				p.Sessions += one.Sessions
				p.Observations += one.Observations
				if one.LastActive.After(p.LastActive) {
					p.LastActive = one.LastActive
				}
			}
		}
		out = append(out, projectLine(s, p, n == o.cursor, m.namesake(p.Key)))
	}
	foot := "enter shows · esc closes"
	if m.projects == nil {
		foot = "counting…"
	}
	return out, frameParts{title: "Projects", foot: foot, focus: true, offset: o.top, total: len(m.projects) + 1}
}

// projectLine draws a row of the list of projects. One that shares its name
// with another shows its path.
func projectLine(s rowStyle, p memory.Project, selected, namesake bool) line {
	name := "All projects"
	if p.Key != "" {
		name = projectName(p.Key)
		if namesake {
			name = cleanLine(p.Key)
		}
	}
	facts := s.fitRight(count(p.Observations, "memory"), 16)
	if s.w >= 60 {
		facts += s.fitRight(count(p.Sessions, "session"), 16) + s.fitRight(age(p.LastActive, s.now), 15)
	}
	facts += " "
	room := s.w - 2 - s.width(facts)
	role := themes.Text
	if p.Key == "" {
		role = themes.Strong
	}
	l := s.cutLine(line{{themes.Text, "  "}, {role, s.fit(name, room)}, {themes.Muted, facts}}, 0, s.w)
	if selected {
		l = s.asSelected(l)
	}
	return l
}

// steps gives how far an action moves in a list.
func steps(a action, height, total int) int {
	switch a {
	case actDown:
		return 1
	case actUp:
		return -1
	case actHalfDown:
		return max(height/2, 1)
	case actHalfUp:
		return -max(height/2, 1)
	case actPageDown:
		return max(height-1, 1)
	case actPageUp:
		return -max(height-1, 1)
	case actFirst:
		return -total
	case actLast:
		return total
	}
	return 0
}

// dim takes the colours out of the screen below an overlay.
func dim(screen []line) {
	for n, l := range screen {
		screen[n] = line{{themes.Muted, l.String()}}
	}
}

// drawOver draws an overlay in the middle of the screen and gives the place of
// its body, for the mouse.
func drawOver(m *model, o overlay, screen []line) rect {
	w, h := m.layout.width, len(screen)
	room := rect{w: w - 4, h: h - 4}
	if room.w < 16 || room.h < 1 {
		room = rect{w: w - 2, h: h - 2}
	}
	if room.w < 2 || room.h < 1 {
		return rect{}
	}
	body, parts := o.draw(m, room.w, room.h)
	if len(body) == 0 {
		return rect{}
	}
	bw := m.lineWidth(body[0])
	box := frame(m.cells, bw+2, len(body)+2, parts, body)
	x, y := (w-bw-2)/2, (h-len(box))/2
	for n, l := range box {
		screen[y+n] = m.over(screen[y+n], x, l, w)
	}
	return rect{x + 1, y + 1, bw, len(body)}
}

// namesake reports whether another project has the same name.
func (m *model) namesake(key string) bool {
	return key != "" && slices.ContainsFunc(m.projects, func(p memory.Project) bool {
		return p.Key != key && projectName(p.Key) == projectName(key)
	})
}
