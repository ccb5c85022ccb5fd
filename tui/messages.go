package tui

import (
	"cmem/memory"
)

// Every message that a command of ours sends to the model.

// direction says which end of the window a page is for.
type direction int

const (
	fromTop direction = iota // the newest rows, in place of what is there
	fromEnd                  // the oldest rows, in place of what is there
	toOlder                  // the rows after the last
	toNewer                  // the rows before the first
)

// pageMsg brings a page of the timeline.
type pageMsg struct {
	list  int // which list it is for: an answer to an older question is dropped
	dir   direction
	from  memory.Cursor // where it was asked from
	items []memory.Item // toNewer and fromEnd: oldest first
	full  bool          // there may be more in this direction
	err   error
}

// refreshMsg brings what the list shows anew after a change in the store: the
// newest rows, or those of the window.
type refreshMsg struct {
	list   int
	from   memory.Cursor // the first row when it was asked for
	newest bool          // items are the newest rows
	items  []memory.Item // newest first
	full   bool
	fresh  []memory.Item // rows newer than all known ones, oldest first; not with newest
	err    error
}

// hitsMsg brings what a search found.
type hitsMsg struct {
	list  int
	hits  []hit
	limit int // how many were asked for
	err   error
}

// meantMsg brings what means the same as the words of a search.
type meantMsg struct {
	list int
	hits []hit
	err  error
}

// detailMsg brings a memory whole.
type detailMsg struct {
	key     itemKey
	content content
	err     error
}

// sessionsMsg brings sessions by id; one that the store does not have has
// only its id.
type sessionsMsg struct{ sessions []memory.Session }

// projectsMsg brings the projects and their counts.
type projectsMsg struct {
	projects []memory.Project
	err      error
}

// changedMsg says that somebody wrote to the store.
type changedMsg struct {
	version int64
	err     error
}

// statusMsg says that the work behind the memory goes differently now.
type statusMsg struct{ status Status }

// dayMsg says that another day has begun.
type dayMsg struct{}

// themeSavedMsg says how remembering the theme went.
type themeSavedMsg struct{ err error }

// noticeOverMsg ends the notice of that number.
type noticeOverMsg struct{ number int }

// crashMsg says that a command panicked. The program ends with it in order,
// so that the terminal is restored.
type crashMsg struct{ err error }
