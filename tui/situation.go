package tui

import (
	"cmem/memory"
)

// situation is what decides whether a binding can be used just now.
type situation struct {
	two         bool // list and details stand side by side
	alone       bool // there is nothing beside the list to go to
	selected    bool // there is a selected memory
	nothing     bool // nothing at all is selected
	observation bool // it is an observation, or marked ones are
	several     bool // more than one observation is marked
	session     bool // there is a session to go to
	marked      int  // memories that are marked
	imports     bool // there is something to import
	filtered    bool // a filter or search is on
	searching   bool // there are words that are searched for
	undo        bool // there is something to take back
	paged       bool // a page is shown, not the model's own list
	merging     bool // the selected memory can take others in
	typing      bool // a line is typed
	finder      bool // it finds a session
	words       bool // there are words to complete it with
	view        view
	focus       pane
	desk        *Desk
}

// situation tells the key map how things are.
func (m *model) situation() situation {
	s := m.subject()
	out := situation{
		two: m.layout.two, alone: m.state.alone, selected: s.isMemory(), nothing: s.isNothing(),
		session: s.session != "", marked: len(m.marks),
		observation: m.marks.haveObservations(1) || len(m.marks) == 0 && s.item.Kind == memory.KindObservation,
		several:     m.marks.haveObservations(2),
		imports:     m.offersImport(),
		filtered:    m.input.text != "", searching: m.query.text != "", undo: len(m.undo) > 0,
		view: m.view, focus: m.state.focus, desk: &m.cmds.desk,
	}
	out.paged, out.merging = m.page != nil, s.item.Kind == memory.KindObservation
	switch m.scope() {
	case inFilter:
		out.typing, out.words = true, len(m.completion.options) > 0
	case inTyping:
		out.typing = true
		switch o := m.overlays[len(m.overlays)-1].(type) {
		case *finder:
			out.finder = true
		case *ask:
			out.words = len(o.known) > 0
		}
	}
	return out
}

// Each of these gives why a binding is of no use, or "".

func nothingToOpen(s situation) string {
	switch {
	case s.imports:
		return ""
	case s.view == viewStats:
		return "the statistics have nothing to open"
	case s.nothing && s.focus == listPane:
		return "nothing is selected"
	case !s.selected && s.focus == detailPane:
		return "nothing is near it"
	}
	return ""
}

func noMany(s situation) string {
	if s.paged {
		return "it is for the timeline and a search"
	}
	return ""
}

func noRange(s situation) string {
	if why := noMany(s); why != "" {
		return why
	}
	return noSelection(s)
}

func noOtherPane(s situation) string {
	if s.alone {
		return "there is one pane only"
	}
	return ""
}

func noWords(s situation) string {
	if s.typing && !s.words {
		return "there is nothing to complete here"
	}
	return ""
}

func noFinder(s situation) string {
	if s.typing && !s.finder {
		return "it is for the window that finds a session"
	}
	return ""
}

func noSelection(s situation) string {
	if !s.selected && s.marked == 0 {
		return "nothing is selected"
	}
	return ""
}

func noEvents(s situation) string {
	if s.view == viewContext {
		return "" // there it shows the text itself, also where nothing is selected
	}
	return noSelection(s)
}

func noObservation(s situation) string {
	if why := noSelection(s); why != "" {
		return why
	}
	if !s.observation {
		return "only observations can be changed so"
	}
	return ""
}

func notOne(s situation) string {
	if s.several {
		return "several are marked, and they are edited one at a time"
	}
	return noObservation(s)
}

func noSession(s situation) string {
	if !s.session {
		return "no session is selected"
	}
	return ""
}

func onePane(s situation) string {
	if !s.two {
		return "there is one pane only"
	}
	return ""
}

func nothingToLeave(s situation) string {
	if s.focus == listPane && !s.filtered && s.marked == 0 && s.view == viewTimeline {
		return "nothing to go back from"
	}
	return ""
}

func noFilter(s situation) string {
	if !s.filtered {
		return "no filter is on"
	}
	return ""
}

func noSearch(s situation) string {
	if !s.searching {
		return "nothing is searched for: / does"
	}
	return ""
}

func nothingToUndo(s situation) string {
	if !s.undo {
		return "nothing to take back"
	}
	return ""
}

func notQueue(s situation) string {
	if s.view != viewQueue {
		return "it is for the queue (6)"
	}
	return ""
}

func notMany(s situation) string {
	if s.marked < 2 {
		return "mark two or more first, with space"
	}
	if !s.merging {
		return "select the observation that takes the marked ones in"
	}
	return ""
}
