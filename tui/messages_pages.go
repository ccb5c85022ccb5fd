package tui

import (
	"cmem/memory"
	"cmem/recall"
	"cmem/store"
)

// The messages that bring what the pages show. Each has the number of the
// question that it answers: an answer to an older one is dropped.

// sessionPart says what sessions are read for.
type sessionPart int

const (
	sessionsAnew  sessionPart = iota // in place of those that are there
	sessionsOlder                    // to stand below them
	sessionsEnd                      // the oldest, in place of those that are there
)

// sessionRowsMsg brings sessions for the list of sessions, newest first.
type sessionRowsMsg struct {
	number   int
	part     sessionPart
	from     memory.Cursor   // they come after this place
	above    []memory.Cursor // sessionsEnd: the beginnings of the pages that were passed
	sessions []memory.Session
	full     bool // there may be older ones
	err      error
}

// storyMsg brings what happened in a session, oldest first.
type storyMsg struct {
	id         string
	items      []memory.Item
	full       bool           // there is more than was read
	summary    memory.Summary // the newest that counts
	hasSummary bool
	err        error
}

// foundSessionsMsg brings the sessions that the finder found.
type foundSessionsMsg struct {
	number   int
	sessions []memory.Session
	err      error
}

// projectFactsMsg brings what the details of a project show; the key is empty
// for all of them.
type projectFactsMsg struct {
	key    string
	totals store.Totals
	files  []memory.Count
	err    error
}

// figures are what the statistics are drawn from.
type figures struct {
	totals   store.Totals
	days     []memory.DayActivity
	files    []memory.Count
	concepts []memory.Count
}

// isEmpty reports whether there is nothing to count.
func (f figures) isEmpty() bool {
	return f.totals.Observations+f.totals.Prompts+f.totals.Sessions+f.totals.Summaries == 0
}

// figuresMsg brings the statistics.
type figuresMsg struct {
	number  int
	figures figures
	err     error
}

// batchesMsg brings the work that waits, oldest first, and the sessions that it
// is from.
type batchesMsg struct {
	number   int
	batches  []memory.Batch
	full     bool // there may be more
	sessions map[string]memory.Session
	err      error
}

// retriedMsg says how many batches are to be tried again at once.
type retriedMsg struct {
	n   int
	due bool // the store took it, whatever became of the worker
	err error
}

// planMsg brings what the next session will be given, and, where a memory was
// asked about that is not among what was considered, the word on it.
type planMsg struct {
	number int
	plan   recall.ContextPlan
	asked  *recall.ContextEntry
	err    error
}

// missesMsg brings what a search did not show.
type missesMsg struct {
	number int
	misses []recall.Miss
	err    error
}
