package tui

import (
	"slices"
	"strings"

	"cmem/themes"
)

// maxMeasure is the longest line of running text: longer ones read badly.
const maxMeasure = 92

// writer makes the lines of the details.
type writer struct {
	cells
	w     int // cells for text
	total int // cells of the pane
	words []string
	out   []line
}

func (w *writer) line(spans ...span) {
	l := line{{themes.Text, " "}}
	l = append(l, spans...)
	w.out = append(w.out, w.cutLine(l, 0, w.total))
}

// parts writes pieces with dots between them, on as many lines as they need.
func (w *writer) parts(pieces []span) {
	var row []span
	used := 0
	for _, p := range pieces {
		p.text = w.shorten(p.text, w.w)
		n := w.width(p.text)
		if used > 0 && used+3+n > w.w {
			w.line(row...)
			row, used = nil, 0
		}
		if used > 0 {
			row = append(row, span{themes.Muted, " · "})
			used += 3
		}
		row = append(row, p)
		used += n
	}
	w.line(row...)
}

// gap leaves a line free, once.
func (w *writer) gap() {
	if n := len(w.out); n > 0 && strings.TrimSpace(w.out[n-1].String()) != "" {
		w.line()
	}
}

// text writes running text in a role.
func (w *writer) text(role themes.Role, s string) {
	for _, l := range w.wrap(s, w.w) {
		w.line(lit(l, role, w.words)...)
	}
}

// items writes a list with marks.
func (w *writer) items(mark string, list []string) {
	indent := w.width(mark) + 1
	for _, item := range list {
		for n, l := range w.wrap(item, w.w-indent) {
			lead := span{themes.Muted, w.fit(mark, indent)}
			if n > 0 {
				lead.text = strings.Repeat(" ", indent)
			}
			w.line(append([]span{lead}, lit(l, themes.Text, w.words)...)...)
		}
	}
}

func (w *writer) heading(s string) {
	w.gap()
	w.line(span{themes.Heading, s})
}

// section writes a headline with text, when there is text.
func (w *writer) section(title, body string) {
	if body != "" {
		w.heading(title)
		w.text(themes.Text, body)
	}
}

// chips writes short words side by side.
func (w *writer) chips(list []string) {
	var row []span
	used := 0
	for _, s := range list {
		chip := " " + w.shorten(s, w.w-2) + " "
		n := w.width(chip)
		if used > 0 && used+1+n > w.w {
			w.line(row...)
			row, used = nil, 0
		}
		if used > 0 {
			row = append(row, span{themes.Text, " "})
			used++
		}
		row = append(row, span{themes.Chip, chip})
		used += n
	}
	if used > 0 {
		w.line(row...)
	}
}

// nameWidth is the width of the names in front of values.
const nameWidth = 12

// fields writes names and values in two columns; empty values are left out.
func (w *writer) fields(pairs ...string) {
	for p := range slices.Chunk(pairs, 2) {
		if p[1] == "" {
			continue
		}
		for n, l := range w.wrap(p[1], max(w.w-nameWidth, 8)) {
			name := ""
			if n == 0 {
				name = p[0]
			}
			w.line(span{themes.Muted, w.fit(name, nameWidth)}, span{themes.Text, l})
		}
	}
}

// newWriter makes a writer for a pane of width cells.
func newWriter(c cells, width int, words []string) *writer {
	return &writer{cells: c, w: max(min(width-2, maxMeasure), 1), total: width, words: words}
}

// fence begins and ends a block of code in Markdown.
const fence = "```"

// prose writes text as an assistant writes it. Its Markdown stays as it is, since
// people read it so; code stands out, and the fences around it are left out.
func (w *writer) prose(s string) {
	if !strings.Contains(s, "`") {
		w.text(themes.Text, s)
		return
	}
	inFence := false
	for text := range strings.SplitSeq(s, "\n") {
		if strings.HasPrefix(strings.TrimSpace(text), fence) && strings.Count(text, fence) == 1 {
			inFence = !inFence
			continue
		}
		if inFence {
			for _, l := range w.wrap(text, w.w-2) {
				w.line(append([]span{{themes.Muted, "  "}}, lit(l, themes.Accent, w.words)...)...)
			}
			continue
		}
		if strings.Count(text, "`")%2 == 1 { // it ends nowhere: no code
			w.text(themes.Text, text)
			continue
		}
		inCode := false
		for _, l := range w.wrap(text, w.w) {
			var spans []span
			spans, inCode = codeSpans(l, inCode, w.words)
			w.line(spans...)
		}
	}
}

// codeSpans splits a line at its backticks, which stay. A code span can go on in
// the next line of the paragraph.
func codeSpans(l string, inCode bool, words []string) ([]span, bool) {
	var out []span
	for {
		role := themes.Text
		if inCode {
			role = themes.Accent
		}
		before, rest, found := strings.Cut(l, "`")
		if before != "" || !found {
			out = append(out, lit(before, role, words)...)
		}
		if !found {
			return out, inCode
		}
		out = append(out, span{themes.Muted, "`"})
		inCode, l = !inCode, rest
	}
}
