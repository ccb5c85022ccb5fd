package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"cmem/themes"
)

// leaver is an overlay that wants to know when it is closed without a choice.
type leaver interface{ left(m *model) }

// leaveOverlay closes the uppermost overlay without a choice.
func (m *model) leaveOverlay() {
	if len(m.overlays) == 0 {
		return
	}
	o := m.overlays[len(m.overlays)-1]
	m.closeOverlay()
	if l, is := o.(leaver); is {
		l.left(m)
	}
}

// nameCells is the room that the palette has for the name of an action.
const (
	nameCells  = 20
	namesWidth = 60 // on a narrower screen there is none
)

// openPalette shows every action by its name, with its key, and why it cannot
// be used now.
func (m *model) openPalette() tea.Cmd {
	s := m.situation()
	c := &choice{
		title: "Actions", foot: m.keys.of(actAccept, inTyping) + " does it · " + m.keys.of(actLeave, inTyping) + " closes",
		empty: "no action is called that", line: &input{},
	}
	var actions []action
	var options, cannot []option
	var later []action
	for _, b := range m.keys.everywhere() {
		if b.action == actPalette {
			continue
		}
		o := option{
			label: b.help, match: strings.ReplaceAll(string(b.action), "-", " ") + " " + b.help,
			note: strings.Join(b.names(), "  "), why: b.reason(s),
		}
		role := themes.Key
		if o.why != "" {
			role = themes.Muted
			o.label += " · not now: " + o.why
		}
		if m.layout.width >= namesWidth {
			o.lead = []span{{role, m.fit(string(b.action), nameCells) + " "}}
		}
		if o.why != "" {
			cannot, later = append(cannot, o), append(later, b.action)
			continue
		}
		options, actions = append(options, o), append(actions, b.action)
	}
	actions = append(actions, later...)
	c.chosen = func(m *model, n int) tea.Cmd { return m.do(actions[n], inPanes) }
	c.offer(append(options, cannot...))
	m.overlays = append(m.overlays, c)
	return nil
}

// everywhere gives the binding of every action of the panes, each once, in the
// order of the help.
func (k keymap) everywhere() []binding {
	var out []binding
	seen := map[action]bool{}
	for _, b := range k {
		if !seen[b.action] && k.applies(b, inPanes) {
			seen[b.action] = true
			out = append(out, b)
		}
	}
	return out
}
