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

// placed is an overlay with a list in it, which has to know how much of it is in
// sight. It is told of the cells that it has at most, before it is drawn.
type placed interface{ place(m *model, w, h int) }

// overlayRoom gives the cells that an overlay has at most, on a screen without the
// status line; none on one that is too small.
func overlayRoom(w, h int) rect {
	room := rect{w: w - 4, h: h - 4}
	if room.w < 16 || room.h < 1 {
		room = rect{w: w - 2, h: h - 2}
	}
	if room.w < 2 || room.h < 1 {
		return rect{}
	}
	return room
}

// placeOverlays lets every overlay know how much room it has.
func (m *model) placeOverlays() {
	room := overlayRoom(m.layout.width, m.layout.height-m.layout.status.h)
	for _, o := range m.overlays {
		if p, is := o.(placed); is && room.w > 0 {
			p.place(m, room.w, room.h)
		}
	}
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

func (o *helpOverlay) lines(m *model, w int) []line {
	return m.keys.helpLines(m.cells, min(w, 96), m.situation())
}

func (o *helpOverlay) place(m *model, w, h int) {
	o.total = len(o.lines(m, w))
	o.height = min(o.total, h)
	o.act(m, "")
}

func (o *helpOverlay) draw(m *model, w, h int) ([]line, frameParts) {
	lines := o.lines(m, w)
	top := max(min(o.top, len(lines)-h), 0)
	return lines[top:min(top+h, len(lines))], frameParts{title: "Keys", foot: "esc closes", focus: true, offset: top, total: len(lines)}
}

// helpLines makes the help from the key map. A key that is of no use in the
// situation says why.
func (k keymap) helpLines(c cells, w int, s situation) []line {
	keyCells := 24
	if w < 72 {
		keyCells = 11
	}
	var out []line
	group := ""
	for _, b := range k {
		if b.group != group {
			if group = b.group; len(out) > 0 {
				out = append(out, c.cutLine(nil, 0, w))
			}
			out = append(out, c.cutLine(line{{themes.Heading, " " + group}}, 0, w))
		}
		l := line{{themes.Key, "   " + c.fit(strings.Join(b.names(), "  "), keyCells) + " "}}
		indent := c.lineWidth(l)
		text := c.wrap(b.help, w-indent-1)
		var notes []string
		if why := b.reason(s); why != "" {
			last := len(text) - 1
			if why = "not now: " + why; c.width(text[last])+c.width(why)+indent+4 <= w {
				notes = []string{" · " + why}
			} else {
				notes = append([]string{""}, c.wrap(why, w-indent-1)...)
			}
		}
		for n, t := range text {
			if n > 0 {
				l = line{{themes.Text, strings.Repeat(" ", indent)}}
			}
			l = append(l, span{themes.Text, t})
			if n == len(text)-1 && len(notes) > 0 {
				l = append(l, span{themes.Muted, notes[0]})
			}
			out = append(out, c.cutLine(l, 0, w))
		}
		for _, note := range notes[min(1, len(notes)):] {
			out = append(out, c.cutLine(line{{themes.Text, strings.Repeat(" ", indent)}, {themes.Muted, note}}, 0, w))
		}
	}
	return out
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
	room := overlayRoom(w, h)
	if room.w == 0 {
		return rect{}
	}
	body, parts := o.draw(m, room.w, room.h)
	if len(body) == 0 {
		return rect{}
	}
	body = body[:min(len(body), room.h)]
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
