package tui

import "cmem/memory"

// editedMsg says how a change went, or, with undo, how it was taken back.
type editedMsg struct {
	step *change
	undo bool
	err  error
	size int // what taking it back holds in memory, in bytes
}

// editLateMsg says that a change is long in being made, if it still is.
type editLateMsg struct {
	step *change
	undo bool
}

// formMsg brings the observation that a form edits.
type formMsg struct {
	form        *form
	id          int64
	observation memory.Observation
	err         error
}

// tagsMsg brings the tags that the observations have, each with how many have
// it, and those that there are, the most frequent first.
type tagsMsg struct {
	ask     *ask
	present map[string]int
	known   []string
}

// candidatesMsg brings memories to choose from.
type candidatesMsg struct {
	choice *choice
	text   string // what was typed when they were looked for
	items  []memory.Item
	err    error
}

// foundMsg brings all rows that the list has, for marking them.
type foundMsg struct {
	list  int
	items []memory.Item
	more  bool // there are more than can be marked
	err   error
}

// copiedMsg brings text for the terminal's clipboard.
type copiedMsg struct {
	text   string
	what   string       // "2 memories"
	gone   []memory.Ref // those that are not there any more
	system error        // why the system's clipboard did not take it
	err    error
}

// exportedMsg says where memories were written to.
type exportedMsg struct {
	items []memory.Item
	what  string
	path  string
	err   error
}

// filesMsg brings the files that a memory names.
type filesMsg struct {
	item  memory.Item
	cwd   string // where its session ran
	files []string
	err   error
}

// readyMsg brings a command that takes over the terminal.
type readyMsg struct {
	command Command
	what    string // "open cart/total.go"
	err     error
}

// returnedMsg says that such a command has ended.
type returnedMsg struct {
	what string
	err  error
}

// editorMsg brings a memory written out for the editor.
type editorMsg struct {
	draft   draft
	command Command
	err     error
}

// editorDoneMsg says that the editor with it has ended.
type editorDoneMsg struct {
	draft  draft
	atOnce bool // it may not have waited for the person
	err    error
}

// installedMsg says what connecting to the assistant did.
type installedMsg struct {
	said string
	err  error
}
