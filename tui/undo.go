package tui

import (
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/themes"
)

// maxUndo bounds how many changes can be taken back.
const maxUndo = 100

// change is something that is done to memories and can be taken back, until the
// browser is left.
type change struct {
	did  string // "Archived 3 observations"
	todo string // "archive 3 observations", for when that failed
	note string // what else there is to say: what was left out
	// before is what it has to be taken back with. The command fills it in; nobody
	// else may look at it before the answer is there.
	before memory.Snapshot
	// acted are the marked rows that it was for; they are marked no longer when it is done.
	acted []itemKey
	// shows is the row to be selected when it is done, none of the zero key; gone
	// is the one to be selected when it was taken back.
	shows, gone itemKey
	form        *form // where it was typed; it stays open until the store has it
}

// push puts a change that is under way on the stack.
func (m *model) push(s *change) {
	m.undo = append(m.undo, s)
	if over := len(m.undo) - maxUndo; over > 0 {
		m.undo = slices.Delete(m.undo, 0, over)
	}
}

// drop takes a change off the stack, wherever it is in it.
func (m *model) drop(s *change) {
	m.undo = slices.DeleteFunc(m.undo, func(c *change) bool { return c == s })
}

// undoLast takes the last change back.
func (m *model) undoLast() tea.Cmd {
	if len(m.undo) == 0 {
		return nil
	}
	s := m.undo[len(m.undo)-1]
	m.drop(s)
	return m.cmds.takeBack(s)
}

// editedArrived says how a change went, and has what is shown read anew.
func (m *model) editedArrived(msg editedMsg) tea.Cmd {
	s := msg.step
	if msg.undo {
		return m.undone(s, msg.err)
	}
	if msg.err != nil {
		m.drop(s)
		if s.form != nil {
			s.form.failed(msg.err)
			return nil
		}
		return m.report(themes.Bad, fmt.Sprintf("Could not %s, nothing was changed: %s", s.todo, cleanLine(msg.err.Error())))
	}
	if s.form != nil {
		m.remove(s.form)
	}
	for _, k := range s.acted {
		delete(m.marks, k)
	}
	if s.before.IsZero() {
		m.drop(s)
		return m.say(themes.Muted, "It was so already: nothing was changed."+s.note)
	}
	m.rereadAll(s.shows)
	return tea.Batch(m.say(themes.Good, s.did+s.note+m.undoHint()), m.rereadPage())
}

// undoHint names the key that takes the last change back.
func (m *model) undoHint() string {
	if key := m.keys.of(actUndo, inPanes); key != "" {
		return " · " + key + " takes it back"
	}
	return ""
}

func (m *model) undone(s *change, err error) tea.Cmd {
	switch {
	case errors.Is(err, errNothing):
		return m.say(themes.Muted, "There was nothing to take back.")
	case err != nil:
		m.push(s)
		return m.report(themes.Bad, fmt.Sprintf("Could not take back “%s”, it can be tried again: %s", s.did, cleanLine(err.Error())))
	}
	m.rereadAll(s.gone)
	return tea.Batch(m.say(themes.Good, "Took back: "+s.did), m.rereadPage())
}

// rereadAll has everything that is shown read anew, without waiting for the
// watch, and selects the row of the key once it is there.
func (m *model) rereadAll(selected itemKey) {
	m.stale, m.detailStale, m.sessionsStale = true, true, true
	m.list.wanted = selected
}

// rereadPage has the page of the view read anew, and the projects counted.
func (m *model) rereadPage() tea.Cmd {
	var page tea.Cmd
	if m.page != nil {
		page = m.page.load(m, true)
	}
	return tea.Batch(page, m.countProjects(m.cmds.timing.counts))
}

// remove closes an overlay wherever it is in the stack.
func (m *model) remove(o overlay) {
	m.overlays = slices.DeleteFunc(m.overlays, func(other overlay) bool { return other == o })
}
