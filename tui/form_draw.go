package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"cmem/themes"
)

// The sizes of a form, in cells.
const (
	formWidth = 100
	fieldName = 11 // the names at the left
)

func (f *form) draw(m *model, w, h int) ([]line, frameParts) {
	w = min(w, formWidth)
	parts := frameParts{title: f.title, focus: true}
	parts.foot = m.keys.of(actSave, inForm) + " saves · " + m.keys.of(actLeave, inForm) + " leaves"
	var rows []line
	f.places = f.places[:0]
	cursor := 0
	for n, field := range f.fields {
		name := themes.Muted
		if n == f.at {
			name = themes.Key
		}
		for r, row := range field.area.rows(m.cells, max(w-fieldName-2, 4), n == f.at) {
			label := ""
			if r == 0 {
				label = field.name
			}
			l := line{{name, m.fit(" "+label, fieldName)}}
			if row.column >= 0 {
				cursor = len(rows)
				l = append(l, cursorSpans(m.cells, row)...)
			} else {
				l = append(l, span{themes.Text, row.text})
			}
			rows = append(rows, m.cutLine(l, 0, w))
			f.places = append(f.places, place{n, r})
		}
	}
	foot := f.footLines(m, w, h)
	h = max(h-len(foot), 1)
	f.top = min(max(f.top, cursor-h+1), cursor, max(len(rows)-h, 0))
	f.top = max(f.top, 0)
	parts.offset, parts.total = f.top, len(rows)
	out := append([]line(nil), rows[f.top:min(f.top+h, len(rows))]...)
	return append(out, foot...), parts
}

// footLines say what the field is for, or what is wrong.
func (f *form) footLines(m *model, w, h int) []line {
	if h < 4 && f.wrong == "" {
		return nil
	}
	role, text := themes.Muted, f.fields[f.at].hint
	if f.wrong != "" {
		role, text = themes.Bad, f.wrong
	}
	out := []line{m.cutLine(line{{themes.Border, strings.Repeat("─", w)}}, 0, w)}
	lines := m.wrap(text, w-2)
	for _, l := range lines[:min(len(lines), max(h-2, 1), 3)] {
		out = append(out, m.cutLine(line{{themes.Text, " "}, {role, l}}, 0, w))
	}
	return out
}

// cursorSpans draws a row with the cursor in it.
func cursorSpans(c cells, row areaRow) line {
	before := c.cut(row.text, row.column)
	rest := row.text[len(before):]
	under := " "
	if rest != "" {
		under, _ = c.next(rest)
		rest = rest[len(under):]
	}
	return line{{themes.Strong, before}, {themes.Selected, under}, {themes.Strong, rest}}
}

// pick goes to the field that was clicked.
func (f *form) pick(_ *model, n int) tea.Cmd {
	if n += f.top; n >= 0 && n < len(f.places) && !f.loading {
		f.at = f.places[n].field
	}
	return nil
}
