package tui

import (
	"context"
	"io"
	"time"

	"cmem/memory"
)

// Source is what the browser needs of the store. Its methods are called from
// several goroutines at once.
type Source interface {
	Lists
	Details
	Changes
}

// Lists finds rows. The slices are bounded by limit.
type Lists interface {
	// Timeline gives rows strictly older than the cursor, newest first.
	Timeline(ctx context.Context, f memory.Filter, after memory.Cursor, limit int) ([]memory.Item, error)
	// TimelineNewer gives rows strictly newer than the cursor, oldest first.
	TimelineNewer(ctx context.Context, f memory.Filter, than memory.Cursor, limit int) ([]memory.Item, error)
	// Search gives observations by relevance.
	Search(ctx context.Context, text string, f memory.Filter, limit int) ([]memory.Hit, error)
}

// Details reads one memory whole.
type Details interface {
	Observation(ctx context.Context, id int64) (memory.Observation, error)
	Summary(ctx context.Context, id int64) (memory.Summary, error)
	Prompt(ctx context.Context, id int64) (memory.Prompt, error)
	Session(ctx context.Context, id string) (memory.Session, error)
}

// Changes tells what there is and whether it changed.
type Changes interface {
	// Projects lists all projects, most recently active first.
	Projects(ctx context.Context) ([]memory.Project, error)
	// DataVersion gives a number that changes when somebody else wrote.
	DataVersion(ctx context.Context) (int64, error)
}

// Status is how the work behind the memory is going.
type Status struct {
	Running bool   // a worker is at work
	Waiting int    // events that are on disk and not yet in the store
	Problem string // what a person should know, in one line; empty when all is well
}

// Options says what Run shows and where.
type Options struct {
	Source Source
	// Project is the key of the project to begin with; empty for all.
	Project string
	// Theme is a name that themes.Named knows; SaveTheme, if set, is told
	// when the person chooses another.
	Theme     string
	SaveTheme func(name string) error
	// Status, if set, is asked now and then.
	Status func(ctx context.Context) (Status, error)
	// Now is the clock; its location is the one in which times are shown.
	// Nil for the machine's.
	Now func() time.Time
	// Input and Output are the terminal; nil for the process's own.
	Input  io.Reader
	Output io.Writer
}
