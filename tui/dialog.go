package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"cmem/themes"
)

// question is a window that asks for a yes: it says what would happen, to how
// many of what.
type question struct {
	title string
	text  string   // what would happen
	list  []string // examples of what it would happen to
	yes   func(m *model) tea.Cmd
	// danger says that something would be lost.
	danger bool
}

func (q *question) scope() scope { return inConfirm }

func (q *question) act(m *model, a action) tea.Cmd {
	switch a {
	case actYes:
		m.closeOverlay()
		return q.yes(m)
	case actNo:
		m.closeOverlay()
	}
	return nil
}

func (q *question) pick(*model, int) tea.Cmd { return nil }

func (q *question) draw(m *model, w, h int) ([]line, frameParts) {
	w = min(w, 66)
	var out []line
	add := func(role themes.Role, s string) {
		for _, l := range m.wrap(s, w-2) {
			out = append(out, m.cutLine(line{{themes.Text, " "}, {role, l}}, 0, w))
		}
	}
	role := themes.Strong
	if q.danger {
		role = themes.Danger
	}
	add(role, q.text)
	if len(q.list) > 0 {
		out = append(out, m.cutLine(nil, 0, w))
	}
	for _, s := range q.list {
		out = append(out, m.cutLine(line{{themes.Muted, "   " + m.shorten(s, w-4)}}, 0, w))
	}
	if len(out) > h {
		out = out[:h]
	}
	foot := m.keys.of(actYes, inConfirm) + " yes · " + m.keys.of(actNo, inConfirm) + " no"
	return out, frameParts{title: q.title, foot: foot, focus: true, danger: q.danger}
}

// ask is a window in which one line is typed.
type ask struct {
	title string
	hint  string // what can be typed
	line  input
	// check says what is wrong with the text, or "".
	check func(text string) string
	// live says what the text means, while it is typed; it may be nil.
	live  func(text string) string
	done  func(m *model, text string) tea.Cmd
	wrong string
	// known are words that the last one typed can be completed to.
	known []string
	// stem is what was typed of the word that is being completed, and tried how
	// many completions of it were shown.
	stem  string
	tried int
}

func (a *ask) scope() scope { return inTyping }

func (a *ask) typed(_ *model, text string) tea.Cmd { //nolint:unparam // a method of typing, of which that of choice gives a command
	a.line.insert(text)
	a.wrong, a.tried = "", 0
	return nil
}

// complete puts the next known word in place of the one before the cursor.
func (a *ask) complete(step int) {
	from := a.wordStart()
	ways := a.ways()
	if len(ways) == 0 {
		return
	}
	if a.tried += step; a.tried <= 0 {
		a.tried += len(ways)
	}
	word := ways[(a.tried-1)%len(ways)]
	a.line.text = a.line.text[:from] + word + a.line.text[a.line.at:]
	a.line.at = from + len(word)
}

// wordStart gives where the word before the cursor begins.
func (a *ask) wordStart() int {
	from := strings.LastIndexAny(a.line.text[:a.line.at], " ,") + 1
	for from < a.line.at && strings.IndexByte("+-#", a.line.text[from]) >= 0 {
		from++
	}
	return from
}

// ways gives the known words that begin as what is typed does.
func (a *ask) ways() []string {
	if a.tried == 0 {
		a.stem = a.line.text[a.wordStart():a.line.at]
	}
	stem := strings.ToLower(a.stem)
	var out []string
	for _, w := range a.known {
		if strings.HasPrefix(strings.ToLower(w), stem) {
			out = append(out, w)
		}
	}
	return out
}

func (a *ask) act(m *model, what action) tea.Cmd {
	switch what {
	case actComplete:
		a.complete(1)
		return nil
	case actCompleteBack:
		a.complete(-1)
		return nil
	}
	a.tried = 0
	if what == actAccept {
		if a.check != nil {
			if a.wrong = a.check(a.line.text); a.wrong != "" {
				return nil
			}
		}
		m.closeOverlay()
		return a.done(m, a.line.text)
	}
	a.line.edit(what)
	a.wrong = ""
	return nil
}

func (a *ask) pick(*model, int) tea.Cmd { return nil }

func (a *ask) draw(m *model, w, _ int) ([]line, frameParts) {
	w = min(w, 72)
	text, column := a.line.visible(m.cells, w-4)
	out := []line{withCursor(m.cells, text, column, w)}
	note, role := a.hint, themes.Muted
	if a.wrong != "" {
		note, role = a.wrong, themes.Bad
	} else if a.live != nil {
		if means := a.live(a.line.text); means != "" {
			note = means
		}
	}
	for _, l := range m.wrap(note, w-4) {
		out = append(out, m.cutLine(line{{themes.Text, "   "}, {role, l}}, 0, w))
	}
	if ways := a.ways(); len(ways) > 0 {
		key := m.keys.of(actComplete, inTyping)
		known := m.shorten(strings.Join(ways[:min(len(ways), maxListed*4)], " "), w-5-m.width(key))
		out = append(out, m.cutLine(line{{themes.Text, "   "}, {themes.Key, key}, {themes.Muted, " " + known}}, 0, w))
	}
	return out, frameParts{title: a.title, foot: m.keys.of(actAccept, inTyping) + " accepts · " + m.keys.of(actLeave, inTyping) + " leaves", focus: true}
}
