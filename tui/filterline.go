package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"cmem/themes"
)

// inputIndent is where the text of the filter line begins.
const inputIndent = 3

// inputRoom is how many cells the text being typed has.
func (m *model) inputRoom() int { return max(m.layout.filter.w-inputIndent-14, 1) }

// filterLine draws the line of the filters: as text while it is typed, else as
// chips that can be removed one by one.
func (m *model) filterLine() line {
	w := m.layout.filter.w
	left := line{{themes.Key, " / "}}
	var right []line
	typing := m.state.focus == filterPane
	switch {
	case m.input.text == "" && !typing:
		left = append(left, span{themes.Muted, "search"})
	case m.input.text == "":
		names := make([]string, 0, len(filterWords))
		for _, f := range filterWords {
			names = append(names, f.name+":")
		}
		left = append(left, span{themes.Muted, m.shorten("words to search for   "+strings.Join(names, " "), w-inputIndent)})
	case typing:
		text, _ := m.input.visible(m.cells, m.inputRoom())
		if text == m.settle(m.input.text) {
			left = append(left, m.typedSpans()...)
		} else { // scrolled: the places of the terms are others
			left = append(left, span{themes.Strong, text})
		}
	}
	if m.input.text != "" {
		switch {
		case m.query.wrong() != "":
			right = []line{{{themes.Bad, m.shorten(m.query.wrong(), w/2) + " "}}}
		case m.loading != loadPage && m.page == nil:
			right = []line{{{themes.Muted, m.foundLabel() + " "}}}
		}
	}
	if m.input.text != "" && !typing {
		used := 1
		for _, part := range right {
			used += m.lineWidth(part)
		}
		for _, c := range m.chips(w - used) {
			left = append(left, c.spans...)
		}
	}
	return bar(m.cells, w, []line{left}, right)
}

// foundLabel counts what the filter line found.
func (m *model) foundLabel() string {
	n, more := len(m.list.items), ""
	if m.list.flat {
		n = m.list.byWords
	}
	if !m.list.atEnd || !m.list.atTop || m.list.flat && n >= m.hits {
		more = "+"
	}
	label := thousands(n) + more + " found"
	if near := len(m.list.items) - n; near > 0 {
		label += ", " + thousands(near) + " near"
	}
	return label
}

// typedSpans shows the words of the line as what they are.
func (m *model) typedSpans() []span {
	var out []span
	at := 0
	for _, t := range m.query.terms {
		if t.to > len(m.input.text) || t.from < at {
			return []span{{themes.Strong, m.settle(m.input.text)}}
		}
		out = append(out, span{themes.Text, m.input.text[at:t.from]})
		role := themes.Strong
		switch {
		case t.wrong != "":
			role = themes.Bad
		case t.isFilter():
			role = themes.Chip
		}
		out = append(out, span{role, m.settle(m.input.text[t.from:t.to])})
		at = t.to
	}
	return append(out, span{themes.Text, m.input.text[at:]})
}

// chip is a term of the filter line as it is shown while nobody types there.
type chip struct {
	x, w  int // in cells of the screen
	term  int // -1 for a mark that there are more
	spans []span
}

// chips lays out the terms of the line within w cells.
func (m *model) chips(w int) []chip {
	var out []chip
	x := inputIndent
	for n, t := range m.query.terms {
		text := m.settle(m.input.text[t.from:t.to])
		body := []span{{themes.Strong, m.shorten(text, 40)}}
		switch {
		case t.wrong != "":
			body = []span{{themes.Bad, " " + m.shorten(text, 40) + " ×"}}
		case t.isFilter():
			body = []span{{themes.Chip, " " + m.shorten(text, 40) + " × "}}
		}
		size := m.lineWidth(body)
		rest := len(m.query.terms) - n
		if room := w - x; size > room || rest > 1 && size+5 > room {
			more := "+" + thousands(rest)
			return append(out, chip{x: x, w: len(more), term: -1, spans: []span{{themes.Muted, more}}})
		}
		out = append(out, chip{x: x, w: size, term: n, spans: append(body, span{themes.Text, " "})})
		x += size + 1
	}
	return out
}

// unfilter takes the n-th term out of the line.
func (m *model) unfilter(n int) tea.Cmd {
	m.setInput(m.query.without(m.input.text, n))
	return m.reload()
}

// unfilterLast takes out the filter that was set last, or when there is none
// the last word.
func (m *model) unfilterLast() tea.Cmd {
	terms := m.query.terms
	for n := range slices.Backward(terms) {
		if terms[n].isFilter() {
			return m.unfilter(n)
		}
	}
	if len(terms) == 0 {
		return nil
	}
	return m.unfilter(len(terms) - 1)
}

// toggleStatuses shows memories of every status, or the active ones again.
func (m *model) toggleStatuses() tea.Cmd {
	for n, t := range m.query.terms {
		if t.name == "status" || t.name == "is" && len(m.query.wants.Statuses) > 0 {
			return m.unfilter(n)
		}
	}
	m.setInput(strings.TrimSpace(m.input.text + " status:all"))
	return tea.Batch(m.reload(), m.say(themes.Muted, "Archived, superseded, wrong and expired ones are shown too. "+m.keys.of(actStatuses, inPanes)+" hides them."))
}

// clickFilter removes the chip at a column, or goes to typing.
func (m *model) clickFilter(x int) tea.Cmd {
	if m.state.focus != filterPane && m.input.text != "" {
		for _, c := range m.chips(m.layout.filter.w) {
			if c.term >= 0 && m.query.terms[c.term].isFilter() && x >= c.x && x < c.x+c.w {
				return m.unfilter(c.term)
			}
		}
	}
	m.state.focus = filterPane
	return m.suggest()
}

// wantsHits reports whether the selection, or what is in sight, comes near the
// end of the hits while there may be more.
func (m *model) wantsHits() bool {
	n, t := m.list.byWords, &m.list
	return n >= m.hits && m.hits < maxHits && (t.cursor+nearEnd >= n || t.top+t.height+nearEnd >= n)
}

// nearEnd is how many rows before the end of the hits more are asked for.
const nearEnd = 20

// firstHits is how many hits a search asks for first: each costs something, and who
// types sees those that are on the screen.
func (m *model) firstHits() int { return m.list.height + 2*nearEnd }
