package tui

import (
	tea "charm.land/bubbletea/v2"

	"cmem/themes"
)

// message is a window with words for which the status line has no room: a path
// or a reason must not be cut off.
type message struct {
	title string
	role  themes.Role
	text  string
	rows
}

func (o *message) scope() scope { return inHelp }

func (o *message) act(_ *model, a action) tea.Cmd {
	o.scroll(steps(a, o.height, o.n))
	return nil
}

func (o *message) pick(*model, int) tea.Cmd { return nil }

func (o *message) place(m *model, w, h int) { o.resize(len(o.lines(m, w)), h) }

func (o *message) lines(m *model, w int) []line {
	w = min(w, 72)
	var out []line
	for _, l := range m.wrap(o.text, w-2) {
		out = append(out, m.cutLine(line{{themes.Text, " "}, {o.role, l}}, 0, w))
	}
	return out
}

func (o *message) draw(m *model, w, h int) ([]line, frameParts) {
	out := o.lines(m, w)
	return out[min(o.top, len(out)):min(o.top+h, len(out))], frameParts{
		title: o.title, foot: m.keys.of(actLeave, inHelp) + " closes", focus: true, danger: o.role == themes.Bad,
		offset: o.top, total: len(out),
	}
}

// report says what was done or what went wrong: in the status line, or, where it
// is too long for that, in a window.
func (m *model) report(role themes.Role, text string) tea.Cmd {
	if m.width(text) <= m.layout.width-2 {
		return m.say(role, text)
	}
	title := "Done"
	if role == themes.Bad {
		title = "That did not work"
	}
	m.overlays = append(m.overlays, &message{title: title, role: role, text: text})
	return nil
}
