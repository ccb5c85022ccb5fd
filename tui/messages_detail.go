package tui

import "cmem/memory"

// settledMsg says that the cursor rests.
type settledMsg struct{ at sight }

// lateMsg says that a memory is long in coming.
type lateMsg struct{ at sight }

// neighboursMsg brings what is near a memory.
type neighboursMsg struct {
	key          itemKey
	newer, older []memory.Item // of its session, newest first
	related      []memory.Item // about the same, best first
	err          error
}

// rawMsg brings a page of the events behind a memory.
type rawMsg struct {
	key    itemKey
	from   eventSource // where they were
	after  string      // the event after which was asked
	events []rawEvent
	full   bool // there may be more
	err    error
}
