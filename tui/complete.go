package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/themes"
)

// maxSuggestions is how many completions are offered at once.
const maxSuggestions = 8

// suggestion is one way in which the word being typed could go on.
type suggestion struct {
	text string // what the whole word would be
	note string
}

// completion is what is offered for the word under the cursor of the filter line.
type completion struct {
	from    int    // where the word begins
	typed   string // the word when the suggestions were made for it
	options []suggestion
	at      int // the one that stands in the line; -1 for what was typed
}

// suggest offers completions for the word under the cursor: the names of the
// filters and what is fixed at once, and asks the store for the rest.
func (m *model) suggest() tea.Cmd {
	m.completion = completion{at: -1}
	if m.state.focus != filterPane {
		return nil
	}
	from, word := wordAt(m.input)
	m.completion.from, m.completion.typed = from, word
	name, typed, isFilter := strings.Cut(word, ":")
	if !isFilter {
		for _, f := range filterWords {
			if word != "" && strings.HasPrefix(f.name, strings.ToLower(word)) {
				m.completion.options = append(m.completion.options, suggestion{f.name + ":", f.help})
			}
		}
		return nil
	}
	f, known := findFilter(name)
	if !known {
		return nil
	}
	typed = strings.Trim(typed, `"`)
	last := typed[strings.LastIndexByte(typed, ',')+1:]
	lead := name + ":" + strings.TrimSuffix(typed, last)
	values := f.values
	switch f.name {
	case "project":
		for _, p := range m.projects {
			values = append(values[:len(values):len(values)], projectName(p.Key))
		}
	case "session":
		if s := m.subject().session; s != "" {
			values = []string{s}
		}
	}
	for _, v := range values {
		if strings.HasPrefix(strings.ToLower(v), strings.ToLower(last)) && v != typed {
			m.completion.add(lead+quoted(v), "")
		}
	}
	if !f.stored {
		return nil
	}
	filter, _ := m.filter()
	return m.cmds.values(word, lead, f.name, last, filter.Project)
}

func (c *completion) add(text, note string) {
	for i, o := range c.options {
		if strings.EqualFold(o.text, text) {
			if note != "" {
				c.options[i].note = note
			}
			return
		}
	}
	if len(c.options) < maxSuggestions {
		c.options = append(c.options, suggestion{text, note})
	}
}

// completionArrived adds what the store knows, unless the word is another by now.
func (m *model) completionArrived(msg completionMsg) {
	c := &m.completion
	if msg.word != c.typed || c.at >= 0 || m.state.focus != filterPane {
		return
	}
	for _, v := range msg.values {
		c.add(msg.lead+quoted(v.Name), thousands(v.N))
	}
}

// complete puts the next completion, or the one before, in the place of the word.
func (m *model) complete(step int) tea.Cmd {
	c := &m.completion
	if len(c.options) == 0 {
		return nil
	}
	word := c.typed
	if c.at >= 0 {
		word = c.options[c.at].text
	}
	c.at = (c.at + step + len(c.options)) % len(c.options)
	if c.at < 0 {
		c.at = len(c.options) - 1
	}
	next := c.options[c.at].text
	end := min(c.from+len(word), len(m.input.text))
	m.input.text = m.input.text[:c.from] + next + m.input.text[end:]
	m.input.at = c.from + len(next)
	if len(c.options) == 1 { // nothing to choose from: on to the next word, or to its value
		return tea.Batch(m.inputChanged(), m.suggest())
	}
	return m.inputChanged()
}

// wordAt gives the part of the word under the cursor that stands before it.
func wordAt(i input) (from int, word string) {
	for _, w := range wordsOf(i.text) {
		if w.from <= i.at && i.at <= w.to {
			return w.from, i.text[w.from:i.at]
		}
	}
	return i.at, ""
}

// drawCompletion draws the suggestions over the screen, under the word.
func (m *model) drawCompletion(screen []line) {
	c := m.completion
	top := m.layout.filter.y + 1
	rows := min(len(c.options), len(screen)-top)
	if rows <= 0 || m.layout.width < 6 || m.scope() != inFilter || m.layout.filter.h == 0 {
		return
	}
	w, notes := 0, 0
	for _, o := range c.options {
		w, notes = max(w, m.width(o.text)), max(notes, m.width(o.note))
	}
	room := m.layout.width
	w = min(w, room-2)
	if notes = min(notes, room-w-4); notes < 4 {
		notes = -2
	}
	all := w + notes + 4
	_, column := m.input.visible(m.cells, m.inputRoom())
	x := inputIndent + column - m.width(m.input.text[min(c.from, m.input.at):m.input.at]) - 1
	x = max(min(x, room-all), 0)
	for n, o := range c.options[:rows] {
		l := line{{themes.Chip, " " + m.fit(o.text, w)}}
		if notes > 0 {
			l = append(l, span{themes.Chip, "  " + m.fitRight(o.note, notes) + " "})
		} else {
			l = append(l, span{themes.Chip, " "})
		}
		if n == c.at {
			l = line{{themes.Selected, l.String()}}
		}
		screen[top+n] = m.over(screen[top+n], x, l, room)
	}
}

// completionMsg brings values of a filter that the store knows.
type completionMsg struct {
	word   string // the word for which they were asked
	lead   string // what stands before the value
	values []memory.Count
}
