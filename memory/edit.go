package memory

import "time"

// Edit is a change that a person makes to observations. A field that is nil
// leaves what it names as it is.
type Edit struct {
	Pinned *bool
	// Status sets the status. With another status goes the reason that the old one
	// had, and with every one but superseded the successor.
	Status *Status
	// Reason says why it has its status, in one line.
	Reason *string
	// SupersededBy is the id of the observation that took its place; the status
	// follows. 0 says that none did.
	SupersededBy *int64
	// ValidUntil is when it stops to count; the zero time is never.
	ValidUntil *time.Time
	Weight     *float64 // more than 0; 1 is the ordinary weight
	Scope      *Scope

	Type      *string
	Title     *string
	Subtitle  *string
	Narrative *string

	Facts         *[]string
	Concepts      *[]string
	FilesRead     *[]string
	FilesModified *[]string

	AddTags    []string
	RemoveTags []string

	// Since is when the observation had been edited last as the person saw it: when
	// somebody has edited it after that, the edit is refused.
	Since *time.Time
}

// Ref names a row of a timeline.
type Ref struct {
	Kind ItemKind `json:"kind"`
	ID   int64    `json:"id"`
}

// Ref names the row.
func (i Item) Ref() Ref { return Ref{Kind: i.Kind, ID: i.ID} }

// Snapshot is what a change has to be undone with. The store makes it, and it is
// only for giving back to the store's Restore: its parts are the store's own and
// may change with it. The zero Snapshot undoes nothing.
type Snapshot struct {
	// Saved are the rows as they were.
	Saved []SavedRows
	// Created are the rows that the change brought, and CreatedSessions the
	// sessions that it made for them.
	Created         []Ref
	CreatedSessions []string
	// Buried are the rows that the change deleted.
	Buried []Ref
	// Left are the times at which the change left the observations that it edited,
	// in milliseconds: another time says that somebody edited one since.
	Left []int64
}

// SavedRows are rows of one table of the store, with the columns that the change
// may have touched.
type SavedRows struct {
	Table   string
	Columns []string
	Rows    [][]any
}

// IsZero reports whether there is nothing to undo: the change changed nothing.
func (s Snapshot) IsZero() bool {
	return len(s.Saved) == 0 && len(s.Created) == 0 && len(s.CreatedSessions) == 0 && len(s.Buried) == 0
}
