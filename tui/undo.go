package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/store"
	"cmem/themes"
)

// The changes that can be taken back are bounded: in their number, and in the
// memory that they hold, in bytes.
const (
	maxUndo      = 100
	maxUndoBytes = 64 << 20
)

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
	// without makes it again without the rows that turned out to be gone, and gives
	// nil when nothing would be left; it may be nil itself.
	without func(gone map[itemKey]bool) tea.Cmd

	order int  // of all changes: the last one has the largest
	size  int  // what before holds in memory, in bytes; 0 until the answer is there
	many  bool // it takes a moment
}

// rename puts another name of what it acts on into its words.
func (s *change) rename(old, name string) {
	s.did, s.todo = strings.Replace(s.did, old, name, 1), strings.Replace(s.todo, old, name, 1)
}

// sizeOf gives about how many bytes a snapshot holds.
func sizeOf(before memory.Snapshot) int {
	const perValue, perRef = 16, 24 // an interface; a kind and an id
	n := perRef * (len(before.Created) + len(before.Buried))
	for _, table := range before.Saved {
		for _, row := range table.Rows {
			n += perValue * len(row)
			for _, v := range row {
				switch v := v.(type) {
				case string:
					n += len(v)
				case []byte:
					n += len(v)
				}
			}
		}
	}
	return n
}

// underWay is a change that is being made, or taken back.
type underWay struct {
	step *change
	undo bool
	late bool // it takes long enough to be told
}

// begin notes that a change is under way with the command that makes it.
func (m *model) begin(s *change, undo bool, cmd tea.Cmd) tea.Cmd {
	m.underWay = append(m.underWay, underWay{s, undo, s.many})
	return tea.Batch(cmd, m.cmds.editLate(s, undo))
}

func (m *model) ended(s *change, undo bool) {
	m.underWay = slices.DeleteFunc(m.underWay, func(u underWay) bool { return u.step == s && u.undo == undo })
}

// editIsLate lets the status line tell of a change, and reports whether it is
// under way still.
func (m *model) editIsLate(msg editLateMsg) bool {
	for n, u := range m.underWay {
		if u.step == msg.step && u.undo == msg.undo && !u.late {
			m.underWay[n].late = true
			return true
		}
	}
	return false
}

// progress says what is being changed, or "".
func (m *model) progress() string {
	for _, u := range m.underWay {
		switch {
		case u.late && u.undo:
			return "Taking back: " + u.step.todo + " …"
		case u.late:
			return "Changing: " + u.step.todo + " …"
		}
	}
	return ""
}

// carryOut makes a change of items with do. When some turn out to be gone, it is made
// without them; name names the items in its words.
func (m *model) carryOut(s *change, items []memory.Item, name func([]memory.Item) string, do func([]memory.Item) tea.Cmd) tea.Cmd {
	s.many = len(items) > askAbove
	s.without = func(gone map[itemKey]bool) tea.Cmd {
		rest := slices.DeleteFunc(slices.Clone(items), func(i memory.Item) bool { return gone[keyOf(i)] })
		if len(rest) == 0 || len(rest) == len(items) {
			return nil
		}
		s.rename(name(items), name(rest))
		if gone[s.gone] {
			s.gone = keyOf(rest[0])
		}
		if gone[s.shows] {
			s.shows = keyOf(rest[0])
		}
		return m.carryOut(s, rest, name, do)
	}
	m.push(s)
	return m.begin(s, false, do(items))
}

// forget takes the marks off rows that are gone, and says how many those are.
func (m *model) forget(refs []memory.Ref) (gone map[itemKey]bool, said string) {
	gone = map[itemKey]bool{}
	for _, ref := range refs {
		k := itemKey{ref.Kind, ref.ID}
		gone[k] = true
		delete(m.marks, k)
	}
	m.rereadAll(itemKey{})
	switch {
	case len(gone) == 1:
		return gone, idOf(refs[0].Kind, refs[0].ID) + " is gone"
	default:
		return gone, thousands(len(gone)) + " are gone"
	}
}

// push puts a change on the stack, at the place that it has by its order: one that
// could not be taken back does not come above what was done after it.
func (m *model) push(s *change) {
	if s.order == 0 {
		m.changes++
		s.order = m.changes
	}
	at := len(m.undo)
	for at > 0 && m.undo[at-1].order > s.order {
		at--
	}
	m.undo = slices.Insert(m.undo, at, s)
	if over := len(m.undo) - maxUndo; over > 0 {
		m.undo = slices.Delete(m.undo, 0, over)
	}
}

// weigh lets go of the oldest changes when all hold too much memory, and reports
// whether s can be taken back.
func (m *model) weigh(s *change, size int) bool {
	s.size = size
	sum := 0
	for n, c := range slices.Backward(m.undo) {
		if sum += c.size; sum > maxUndoBytes {
			m.undo = slices.Delete(m.undo, 0, n+1)
			break
		}
	}
	return size <= maxUndoBytes
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
	return m.begin(s, true, m.cmds.takeBack(s))
}

// editedArrived says how a change went, and has what is shown read anew.
func (m *model) editedArrived(msg editedMsg) tea.Cmd {
	s := msg.step
	m.ended(s, msg.undo)
	if msg.undo {
		return m.undone(s, msg.err)
	}
	if msg.err != nil {
		m.drop(s)
		if s.form != nil {
			s.form.failed(msg.err)
			return nil
		}
		var missing *store.MissingError
		if errors.As(msg.err, &missing) && len(missing.Refs) > 0 {
			return m.changeRest(s, missing.Refs)
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
	hint := m.undoHint()
	if !m.weigh(s, msg.size) {
		hint = " · it is too much to be taken back"
	}
	m.rereadAll(s.shows)
	return tea.Batch(m.say(themes.Good, s.did+s.note+hint), m.rereadPage())
}

// changeRest makes a change without the rows that are gone.
func (m *model) changeRest(s *change, refs []memory.Ref) tea.Cmd {
	gone, said := m.forget(refs)
	if s.without != nil {
		if again := s.without(gone); again != nil {
			s.note += "; " + said
			return again
		}
	}
	return m.report(themes.Bad, fmt.Sprintf("Could not %s, nothing was changed: %s", s.todo, said))
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
	case errors.Is(err, store.ErrChanged): // trying again would not help
		m.rereadAll(itemKey{})
		return m.report(themes.Warn, fmt.Sprintf("“%s” was not taken back: it was changed by somebody else since, and stays as it is now.", s.did))
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
