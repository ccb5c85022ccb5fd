package memory

import (
	"encoding/json"
	"time"
)

// Observation types. Others are kept as they are: an import may bring its own.
const (
	TypeDecision  = "decision"
	TypeBugfix    = "bugfix"
	TypeFeature   = "feature"
	TypeRefactor  = "refactor"
	TypeDiscovery = "discovery"
	TypeChange    = "change"
)

// ObservationTypes lists the built-in types in the order in which they are shown.
func ObservationTypes() []string {
	return []string{TypeDecision, TypeBugfix, TypeFeature, TypeRefactor, TypeDiscovery, TypeChange}
}

// Status says whether a memory counts.
type Status string

// The statuses of observations and summaries.
const (
	StatusActive     Status = "active"
	StatusArchived   Status = "archived"
	StatusSuperseded Status = "superseded"
	StatusInvalid    Status = "invalid"
)

// Scope says where a memory applies.
type Scope string

// The scopes of an observation.
const (
	ScopeProject Scope = "project"
	ScopeGlobal  Scope = "global"
	ScopeTeam    Scope = "team"
)

// IsGlobal reports whether what has the scope counts in every project.
func (s Scope) IsGlobal() bool { return s == ScopeGlobal || s == ScopeTeam }

// Certainty says how sure a memory is.
type Certainty string

// Certainties, from what a tool showed to what a later turn took back.
const (
	CertaintyObserved  Certainty = "observed"
	CertaintyClaimed   Certainty = "claimed"
	CertaintyConfirmed Certainty = "confirmed"
	CertaintyDisputed  Certainty = "disputed"
	CertaintyRetracted Certainty = "retracted"
)

// Observation is one thing worth remembering, made from one or more events.
type Observation struct {
	ID           int64     `json:"id"`
	UID          string    `json:"uid"` // stable across exports and machines
	SessionID    string    `json:"session_id"`
	Project      string    `json:"project"` // project key, see Project
	PromptNumber int       `json:"prompt_number"`
	BatchID      int64     `json:"-"` // the batch of events it was made from; 0 for none
	CreatedAt    time.Time `json:"created_at"`

	Type          string   `json:"type"`
	Title         string   `json:"title"`
	Subtitle      string   `json:"subtitle,omitempty"`
	Narrative     string   `json:"narrative,omitempty"`
	Facts         []string `json:"facts,omitempty"`
	Concepts      []string `json:"concepts,omitempty"`
	FilesRead     []string `json:"files_read,omitempty"`     // relative to the project where possible
	FilesModified []string `json:"files_modified,omitempty"` // likewise
	Tags          []string `json:"tags,omitempty"`

	Scope     Scope     `json:"scope"`
	Status    Status    `json:"status"`
	Certainty Certainty `json:"certainty,omitempty"`
	Pinned    bool      `json:"pinned,omitempty"`
	Weight    float64   `json:"weight,omitempty"`
	// ValidUntil is zero for a memory that does not expire.
	ValidUntil time.Time `json:"valid_until,omitzero"`
	// StatusReason is why it is archived, superseded or invalid, in one line, and
	// SupersededBy the UID of the observation that took its place.
	StatusReason string    `json:"status_reason,omitempty"`
	SupersededBy string    `json:"superseded_by,omitempty"`
	EditedAt     time.Time `json:"edited_at,omitzero"` // when a person last changed it

	ToolName     string `json:"tool_name,omitempty"` // the tool of the main event
	Compressor   string `json:"compressor"`          // for example "local/v1"
	Model        string `json:"model,omitempty"`
	Provisional  bool   `json:"provisional,omitempty"` // a stand-in until the provider returns
	TokensSpent  int    `json:"tokens_spent,omitempty"`
	TokensSource int    `json:"tokens_source,omitempty"` // estimated tokens of the events it was made from
	GitBranch    string `json:"git_branch,omitempty"`
	GitCommit    string `json:"git_commit,omitempty"`
	ContentHash  string `json:"content_hash,omitempty"` // for duplicates; the store fills it in
}

// ReadTokens estimates what reading the observation whole costs a model, in
// tokens, by EstimateTokens over its text.
func (o Observation) ReadTokens() int {
	n := EstimateTokens(o.Title) + EstimateTokens(o.Subtitle) + EstimateTokens(o.Narrative)
	for _, f := range o.Facts {
		n += EstimateTokens(f)
	}
	return n
}

// Summary is a checkpoint of a session: the newest active one of a session stands for it.
type Summary struct {
	ID           int64     `json:"id"`
	UID          string    `json:"uid"`
	SessionID    string    `json:"session_id"`
	Project      string    `json:"project"`
	PromptNumber int       `json:"prompt_number"`
	CreatedAt    time.Time `json:"created_at"`

	Request      string `json:"request,omitempty"`
	Investigated string `json:"investigated,omitempty"`
	Learned      string `json:"learned,omitempty"`
	Completed    string `json:"completed,omitempty"`
	NextSteps    string `json:"next_steps,omitempty"`
	Notes        string `json:"notes,omitempty"`

	FilesRead     []string `json:"files_read,omitempty"`
	FilesModified []string `json:"files_modified,omitempty"`

	Status      Status `json:"status"`
	Compressor  string `json:"compressor"`
	Model       string `json:"model,omitempty"`
	Provisional bool   `json:"provisional,omitempty"`
	TokensSpent int    `json:"tokens_spent,omitempty"`
}

// Session is one run of an assistant.
type Session struct {
	RowID          int64     `json:"-"` // its place in the store, for Cursor.ID; 0 when it did not come from one
	ID             string    `json:"session_id"`
	Agent          string    `json:"agent"`
	Project        string    `json:"project"`
	CWD            string    `json:"cwd,omitempty"`
	TranscriptPath string    `json:"transcript_path,omitempty"`
	GitBranch      string    `json:"git_branch,omitempty"`
	Status         string    `json:"status"` // SessionActive or SessionCompleted
	Title          string    `json:"title,omitempty"`
	CreatedAt      time.Time `json:"created_at"`
	LastEventAt    time.Time `json:"last_event_at,omitzero"`
	CompletedAt    time.Time `json:"completed_at,omitzero"`
	PromptCount    int       `json:"prompt_count"`
	// ObservationCount is filled in where a list asks for it.
	ObservationCount int `json:"observation_count"`
}

// The statuses of a session.
const (
	SessionActive    = "active"
	SessionCompleted = "completed"
)

// Prompt is what a person (or, when Machine is set, the host) asked.
type Prompt struct {
	ID        int64     `json:"id"`
	SessionID string    `json:"session_id"`
	Project   string    `json:"project"`
	Number    int       `json:"prompt_number"` // 1-based within the session
	PromptID  string    `json:"prompt_id,omitempty"`
	Text      string    `json:"prompt_text"`
	Machine   bool      `json:"machine,omitempty"` // written by the host, such as a task notification
	CreatedAt time.Time `json:"created_at"`
}

// Project is a body of code with memories of its own. Its Key is the absolute
// path of the main git work tree, or of the directory outside git.
type Project struct {
	Key          string    `json:"project"`
	Sessions     int       `json:"sessions"`
	Observations int       `json:"observations"` // active ones
	LastActive   time.Time `json:"last_active,omitzero"`

	Prompts      int   `json:"prompts,omitempty"`
	Summaries    int   `json:"summaries,omitempty"` // active ones
	Events       int   `json:"events,omitempty"`
	TokensSpent  int64 `json:"tokens_spent,omitempty"`  // what making its active observations cost
	TokensSource int64 `json:"tokens_source,omitempty"` // what the events behind them would cost to read
	TokensRead   int64 `json:"tokens_read,omitempty"`   // what reading all of them costs
}

// BatchState says how far a batch of events is.
type BatchState string

// The states of a batch.
const (
	BatchPending     BatchState = "pending"     // no observation yet
	BatchProvisional BatchState = "provisional" // local observations stand in until the provider returns
	BatchDone        BatchState = "done"
)

// Batch is a run of events of one prompt that is compressed together.
type Batch struct {
	ID           int64      `json:"id"`
	SessionID    string     `json:"session_id"`
	Project      string     `json:"project"`
	PromptNumber int        `json:"prompt_number"`
	State        BatchState `json:"state"`
	Attempts     int        `json:"attempts"`
	NextAttempt  time.Time  `json:"next_attempt,omitzero"`
	LastError    string     `json:"last_error,omitempty"`
	Events       int        `json:"events"` // how many events it holds
	CreatedAt    time.Time  `json:"created_at"`
}

// RawEvent is an archived event as the store gives it back.
type RawEvent struct {
	ID           string          `json:"event_id"`
	SessionID    string          `json:"session_id"`
	PromptNumber int             `json:"prompt_number"`
	Name         string          `json:"event"`
	ToolName     string          `json:"tool_name,omitempty"`
	ToolUseID    string          `json:"tool_use_id,omitempty"`
	CreatedAt    time.Time       `json:"created_at"`
	Branch       string          `json:"git_branch,omitempty"`
	Commit       string          `json:"git_commit,omitempty"`
	Payload      json.RawMessage `json:"payload,omitempty"` // nil after retention removed it
}
