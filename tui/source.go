package tui

import (
	"context"
	"io"
	"time"

	"cmem/memory"
	"cmem/recall"
	"cmem/store"
	"cmem/themes"
)

// Source is what the browser needs of the store and of recall. Its methods are
// called from several goroutines at once.
type Source interface {
	Lists
	Details
	Sessions
	RawEvents
	Changes
	Edits
	Undo
	Figures
	Completion
	Queue
	Explanations
}

// Lists finds rows. The slices are bounded by limit.
type Lists interface {
	// Timeline gives rows strictly older than the cursor, newest first.
	Timeline(ctx context.Context, f memory.Filter, after memory.Cursor, limit int) ([]memory.Item, error)
	// TimelineNewer gives rows strictly newer than the cursor, oldest first.
	TimelineNewer(ctx context.Context, f memory.Filter, than memory.Cursor, limit int) ([]memory.Item, error)
	// Search gives observations by relevance.
	Search(ctx context.Context, text string, f memory.Filter, limit int) ([]memory.Hit, error)
	// Meant gives observations that say what a text says, also in other words, best first.
	Meant(ctx context.Context, text string, f memory.Filter, limit int) ([]memory.Hit, error)
}

// Details reads one memory whole.
type Details interface {
	Observation(ctx context.Context, id int64) (memory.Observation, error)
	// ObservationByUID gives the one with a UID, as SupersededBy names it.
	ObservationByUID(ctx context.Context, uid string) (memory.Observation, error)
	Summary(ctx context.Context, id int64) (memory.Summary, error)
	Prompt(ctx context.Context, id int64) (memory.Prompt, error)
}

// Sessions finds sessions.
type Sessions interface {
	Session(ctx context.Context, id string) (memory.Session, error)
	// Sessions gives sessions strictly older than the cursor, newest first.
	Sessions(ctx context.Context, f memory.Filter, after memory.Cursor, limit int) ([]memory.Session, error)
	// FindSessions gives the newest sessions that have all words of text.
	FindSessions(ctx context.Context, text string, f memory.Filter, limit int) ([]memory.Session, error)
}

// RawEvents reads the events behind memories, a page at a time.
type RawEvents interface {
	// BatchEventsPage gives events of a batch in order, those after an event's ID.
	BatchEventsPage(ctx context.Context, batchID int64, after string, limit int) ([]memory.RawEvent, error)
	// RawEvents gives events of a session's prompt in order, likewise.
	RawEvents(ctx context.Context, sessionID string, prompt int, after string, limit int) ([]memory.RawEvent, error)
}

// Changes tells what there is and whether it changed.
type Changes interface {
	// Projects lists all projects, most recently active first.
	Projects(ctx context.Context) ([]memory.Project, error)
	// DataVersion gives a number that changes when somebody wrote.
	DataVersion(ctx context.Context) (int64, error)
}

// Edits puts memories right. Each gives what Restore needs to take it back.
type Edits interface {
	Edit(ctx context.Context, ids []int64, e memory.Edit) (memory.Snapshot, error)
	Delete(ctx context.Context, refs []memory.Ref) (memory.Snapshot, error)
	// Merge lets one observation take in others, which it supersedes.
	Merge(ctx context.Context, keep int64, others []int64) (memory.Snapshot, error)
}

// Undo makes memories by hand and takes changes back.
type Undo interface {
	Add(ctx context.Context, o memory.Observation) (memory.Observation, memory.Snapshot, error)
	Restore(ctx context.Context, before memory.Snapshot) error
}

// Figures counts. Project is a key, empty for all.
type Figures interface {
	// Activity counts by day, from the day of from to that of to.
	Activity(ctx context.Context, project string, from, to time.Time) ([]memory.DayActivity, error)
	TopFiles(ctx context.Context, f memory.Filter, limit int) ([]memory.Count, error)
	TopConcepts(ctx context.Context, f memory.Filter, limit int) ([]memory.Count, error)
	Totals(ctx context.Context, project string) (store.Totals, error)
}

// Completion knows which values a filter can have.
type Completion interface {
	// Values gives the values of a filter's field that go with what is typed so
	// far, the most frequent first.
	Values(ctx context.Context, field, typed, project string, limit int) ([]memory.Count, error)
}

// Queue is the work that waits for the worker.
type Queue interface {
	// OpenBatches gives unfinished batches after an id, oldest first.
	OpenBatches(ctx context.Context, after int64, limit int) ([]memory.Batch, error)
	// RetryNow lets batches be tried again at once; no ids for all.
	RetryNow(ctx context.Context, ids []int64) (int, error)
}

// Explanations say why a memory is, or is not, where one looks for it.
type Explanations interface {
	// PlanContext gives what the next session of a project will be given.
	PlanContext(ctx context.Context, project string) (recall.ContextPlan, error)
	// WhyContext says why an observation will be given to it, or will not.
	WhyContext(ctx context.Context, project string, o memory.Observation) (recall.ContextEntry, error)
	// Missed gives observations that a search did not show, and why.
	Missed(ctx context.Context, text string, f memory.Filter, shown, limit int) ([]recall.Miss, error)
	// Related gives observations near one in meaning.
	Related(ctx context.Context, o memory.Observation, limit int) ([]memory.Hit, error)
}

// Status is how the work behind the memory is going.
type Status struct {
	Running  bool      // a worker is at work
	Since    time.Time // since when; zero when none is
	Waiting  int       // events that are on disk and not yet in the store
	Bad      int       // events that were put aside because they cannot be read
	Provider string    // who compresses, "local"
	Paused   string    // why the provider is left alone for now; empty when it is not
	Problem  string    // what a person should know, in one line; empty when all is well
}

// Setup is what the first run has to know of the machine.
type Setup struct {
	Installed bool   // Claude Code calls cmem
	Claude    bool   // Claude Code is on this machine
	Problem   string // what is wrong with the installation; empty when nothing is
	Imports   []Import
}

// Import is a source of memories found on the machine.
type Import struct {
	What    string // "214 Claude Code transcripts, 92 MB"
	Command string // how to import it, "cmem import claude-code"
	Args    []string
}

// Desk is what the browser can have done outside of the store: by the person's
// editor, assistant and files. A nil function is a thing that cannot be done here.
type Desk struct {
	// Status is asked now and then.
	Status func(ctx context.Context) (Status, error)
	// SaveTheme is told when the person chooses another theme.
	SaveTheme func(name string) error
	// SaveState keeps the state for the next run; it is what State had given.
	SaveState func(state []byte) error
	// Export writes memories into a new Markdown file and gives its path.
	Export func(ctx context.Context, refs []memory.Ref) (path string, err error)
	// Clipboard puts text on the system's clipboard; the terminal's is told besides.
	Clipboard func(text string) error
	// EditCommand gives the command that opens a file in the person's editor, at
	// a line where that is known (else 0).
	EditCommand func(path string, line int) (Command, error)
	// ResumeCommand gives the command that resumes an assistant's session.
	ResumeCommand func(s memory.Session) (Command, error)
	// FindFile gives the path of a file that a memory names, and an error that
	// says so when it is not there any more.
	FindFile func(project, cwd, name string) (string, error)
	// FindTranscript gives where the transcript of a session is, and the line of
	// one of its prompts where that is found cheaply, else 0. The error says so
	// when it is not there any more.
	FindTranscript func(ctx context.Context, s memory.Session, p memory.Prompt) (path string, line int, err error)
	// Scratch writes text into a file for editing and gives its path; ReadScratch
	// reads it again, DropScratch removes it. What is never dropped outlives the browser.
	Scratch     func(name, text string) (path string, err error)
	ReadScratch func(path string) (text string, err error)
	DropScratch func(path string) error
	// Setup looks at the machine, for the first run.
	Setup func(ctx context.Context) (Setup, error)
	// Install connects cmem to Claude Code and says what it did.
	Install func(ctx context.Context) (string, error)
	// Themes reads the person's own themes; problems are sentences for people.
	Themes func() (set themes.Set, problems []string)
	// ThemesVersion changes when a file of them does.
	ThemesVersion func() string
	// WakeWorker starts the worker if none is running.
	WakeWorker func() error
}

// Command is a program that takes over the terminal for a while.
type Command struct {
	Path string
	Args []string // without the program's name
	Dir  string
	Env  []string // nil for the browser's own
	// Waits says that it ends only when the person is done, as far as is known.
	Waits bool
}

// Options says what Run shows and where.
type Options struct {
	Source Source
	Desk   Desk
	// Project is the key of the project to begin with; empty for all.
	Project string
	// IfAny says that Project is where to begin only if it has memories: else it is
	// where the last run ended. The browser finds out while it shows itself.
	IfAny bool
	// Theme is a name that the themes know.
	Theme string
	// Keys remaps actions: from an action's name to its keys.
	Keys map[string][]string
	// Accessible prints line by line, for a screen reader, and draws nothing.
	Accessible bool
	// NoMouse leaves the mouse to the terminal from the beginning.
	NoMouse bool
	// State is what SaveState got in an earlier run; nil for none.
	State []byte
	// Now is the clock; its location is the one in which times are shown.
	// Nil for the machine's.
	Now func() time.Time
	// Input and Output are the terminal; nil for the process's own.
	Input  io.Reader
	Output io.Writer
}
