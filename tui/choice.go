package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"cmem/memory"
	"cmem/themes"
)

// typing is an overlay in which a line is typed.
type typing interface {
	overlay
	// typed takes in typed or pasted text.
	typed(m *model, text string) tea.Cmd
}

// option is one row of a choice.
type option struct {
	label string
	lead  []span // before the label
	note  string // at the right
	why   string // why it cannot be chosen now; empty when it can
	match string // what typed words are compared with; the label if empty
}

// choice is a window with a list to choose from. With a line it is narrowed by
// typing: by itself, or, where changed is set, by whoever fills it.
type choice struct {
	title   string
	foot    string
	empty   string // said when there is nothing to choose from
	line    *input // nil: nothing is typed
	options []option
	shown   []int // indexes of options, in the order in which they are shown
	rows
	chosen  func(m *model, n int) tea.Cmd
	changed func(m *model, text string) tea.Cmd
	// arrived is given the memories that were found for what is typed; see candidates.
	arrived func(m *model, items []memory.Item)
	// other does an action that is none of the list's; it may be nil.
	other func(m *model, a action, n int) tea.Cmd
}

// offer puts options in place of those that are there.
func (c *choice) offer(options []option) {
	c.options = options
	c.narrow()
}

// narrow shows the options that go with what is typed, the best first.
func (c *choice) narrow() {
	c.shown = c.shown[:0]
	typed := ""
	if c.line != nil && c.changed == nil {
		typed = strings.TrimSpace(c.line.text)
	}
	if typed == "" {
		for n := range c.options {
			c.shown = append(c.shown, n)
		}
	} else {
		for _, m := range fuzzy.FindFrom(typed, optionSource(c.options)) {
			c.shown = append(c.shown, m.Index)
		}
	}
	c.resize(len(c.shown), c.height)
}

// optionSource lets the fuzzy finder read options.
type optionSource []option

func (o optionSource) Len() int { return len(o) }

func (o optionSource) String(n int) string {
	if o[n].match != "" {
		return o[n].match
	}
	return o[n].label
}

func (c *choice) scope() scope {
	if c.line != nil {
		return inTyping
	}
	return inChoice
}

func (c *choice) typed(m *model, text string) tea.Cmd {
	c.line.insert(text)
	return c.edited(m)
}

func (c *choice) edited(m *model) tea.Cmd {
	c.cursor, c.top = 0, 0
	if c.changed != nil {
		return c.changed(m, c.line.text)
	}
	c.narrow()
	return nil
}

func (c *choice) act(m *model, a action) tea.Cmd {
	switch {
	case a == actAccept:
		return c.choose(m)
	case c.line != nil && a != actDown && a != actUp:
		if before := c.line.text; c.line.edit(a) {
			if c.line.text != before {
				return c.edited(m)
			}
			return nil
		}
	case c.rows.act(a):
		return nil
	}
	if c.other != nil && c.cursor < len(c.shown) {
		return c.other(m, a, c.shown[c.cursor])
	}
	return nil
}

func (c *choice) pick(m *model, n int) tea.Cmd {
	if c.line != nil {
		n -= 2
	}
	if there, _ := c.rows.pick(n); there {
		return c.choose(m)
	}
	return nil
}

func (c *choice) choose(m *model) tea.Cmd {
	if c.cursor >= len(c.shown) {
		return nil
	}
	n := c.shown[c.cursor]
	if why := c.options[n].why; why != "" {
		return m.say(themes.Muted, why)
	}
	m.closeOverlay()
	return c.chosen(m, n)
}

func (c *choice) place(_ *model, _, h int) {
	if c.line != nil {
		h -= 2
	}
	c.resize(len(c.shown), min(max(len(c.shown), 1), max(h, 1)))
}

func (c *choice) draw(m *model, w, _ int) ([]line, frameParts) {
	w = min(w, 84)
	var out []line
	if c.line != nil {
		text, column := c.line.visible(m.cells, w-4)
		out = append(out, withCursor(m.cells, text, column, w), m.cutLine(line{{themes.Border, strings.Repeat("─", w)}}, 0, w))
	}
	for n := c.top; n < c.end(); n++ {
		out = append(out, c.row(m, c.options[c.shown[n]], n == c.cursor, w))
	}
	if len(c.shown) == 0 {
		out = append(out, m.cutLine(line{{themes.Muted, "  " + c.empty}}, 0, w))
	}
	return out, frameParts{title: c.title, foot: c.foot, focus: true, offset: c.top, total: len(c.shown)}
}

func (c *choice) row(m *model, o option, selected bool, w int) line {
	role := themes.Text
	if o.why != "" {
		role = themes.Muted
	}
	note := m.shorten(o.note, w/2)
	l := append(line{{themes.Text, "  "}}, slices.Clone(o.lead)...)
	room := max(w-m.lineWidth(l)-m.width(note)-2, 0)
	l = append(l, span{role, m.fit(o.label, room)}, span{themes.Muted, " " + note + " "})
	l = m.cutLine(l, 0, w)
	if selected {
		l = rowStyle{cells: m.cells, w: w, focus: true}.asSelected(l)
	}
	return l
}

// withCursor draws a line being typed, with a mark where typing goes on: an
// overlay has no cursor of the terminal's.
func withCursor(c cells, text string, column, w int) line {
	before := c.cut(text, column)
	rest := text[len(before):]
	under := " "
	if rest != "" {
		under, _ = c.next(rest)
		rest = rest[len(under):]
	}
	return c.cutLine(line{{themes.Key, " ❯ "}, {themes.Strong, before}, {themes.Selected, under}, {themes.Strong, rest}}, 0, w)
}
