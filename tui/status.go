package tui

import (
	"cmem/themes"
)

// keptFacts is how many of the facts in the status line go before hints: how
// the worker is, and how much is remembered. On a narrow screen it is the first.
const (
	keptFacts      = 2
	keptFactsWidth = 100
)

// statusLine says what happened or what can be done, and how things are.
func (m *model) statusLine() line {
	var left []line
	if said := m.saying(); said.text != "" {
		left = []line{{{said.role, " " + m.shorten(said.text, m.layout.width-2)}}}
	} else {
		for _, b := range m.hinted(m.scope(), m.situation()) {
			left = append(left, hintOf(b))
		}
	}
	return bar(m.cells, m.layout.width, left, m.facts())
}

// saying is what stands in the status line instead of hints; it may be empty.
func (m *model) saying() span {
	switch progress := m.progress(); {
	case progress != "":
		return span{themes.Muted, progress}
	case m.notice != "":
		return span{m.noticeRole, m.notice}
	case m.failure != "" && len(m.list.items) > 0:
		return span{themes.Bad, m.failure}
	}
	return span{themes.Bad, m.trouble}
}

// hinted gives the bindings that are hinted at in the status line. Where there
// is no room for all, the way to the others stays.
func (m *model) hinted(in scope, s situation) []binding {
	var all []binding
	room := m.layout.width
	for n, f := range m.facts() {
		if n == 0 || n < keptFacts && m.layout.width >= keptFactsWidth {
			room -= m.lineWidth(f)
		}
	}
	room -= 2 // the gap
	for _, b := range m.keys {
		// In the filter line the hints stay as they are while one types.
		if b.hint != "" && len(b.keys.Keys()) > 0 && m.keys.applies(b, in) && (in == inFilter || b.reason(s) == "") {
			all = append(all, b)
			if leadsOn(b.action) {
				room -= m.lineWidth(hintOf(b))
			}
		}
	}
	var out []binding
	for _, b := range all {
		if !leadsOn(b.action) {
			if room -= m.lineWidth(hintOf(b)); room < 0 {
				continue
			}
		}
		out = append(out, b)
	}
	return out
}

// leadsOn reports whether an action leads to all others, or out.
func leadsOn(a action) bool {
	return a == actHelp || a == actPalette || a == actLeave || a == actNo
}

func hintOf(b binding) line {
	return line{{themes.Key, " " + keyName(b.keys.Keys()[0])}, {themes.Muted, " " + b.hint + " "}}
}
