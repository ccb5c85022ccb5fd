package memory

import (
	"slices"
	"time"
)

// Filter narrows a list. The zero Filter takes every active memory.
type Filter struct {
	Project string // project key; empty for all
	// Projects are several project keys, any of them, beside Project.
	Projects []string
	// Global takes observations that count in every project besides those of the
	// projects that are named: the global layer. What is no observation has no such.
	Global    bool
	Scopes    []Scope // any of them; empty means all
	SessionID string
	Types     []string  // any of them
	Concepts  []string  // any of them
	Tags      []string  // any of them
	Files     []string  // any of them, as a part of a path read or modified
	Agents    []string  // any of them: the assistants whose sessions to take
	Branches  []string  // any of them, as the beginning of a branch: feat/ takes feat/cart
	After     time.Time // inclusive; zero for no bound
	Before    time.Time // exclusive; zero for no bound
	// Statuses are the statuses to take; empty means active only.
	Statuses []Status
	// IncludeExpired takes memories past their ValidUntil too.
	IncludeExpired bool
	// ExpiredOnly takes nothing but memories past their ValidUntil.
	ExpiredOnly bool
	PinnedOnly  bool
	// Kinds are the kinds of rows that a timeline and a search have; empty means all.
	// Other lists have one kind anyway.
	Kinds []ItemKind
}

// Keys gives the keys of all the projects that are named, each once, none for all.
func (f Filter) Keys() []string {
	keys := make([]string, 0, 1+len(f.Projects))
	for _, key := range append([]string{f.Project}, f.Projects...) {
		if key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// Applies reports whether a memory of a project and scope is of the projects that are
// named, or of the global layer where that is taken, too.
func (f Filter) Applies(project string, scope Scope) bool {
	keys := f.Keys()
	return len(keys) == 0 || slices.Contains(keys, project) || f.Global && scope.IsGlobal()
}

// ItemKind says what a timeline row is.
type ItemKind string

// The kinds of rows in a timeline.
const (
	KindPrompt      ItemKind = "prompt"
	KindObservation ItemKind = "observation"
	KindSummary     ItemKind = "summary"
)

// Cursor is a place in a list that is ordered by time, newest first. The zero
// Cursor is the top. Rows after a cursor are strictly older than it by
// (EpochMS, Kind, ID); so a page costs the same wherever it is.
type Cursor struct {
	EpochMS int64
	Kind    ItemKind
	ID      int64
}

// IsZero reports whether c is the top of a list.
func (c Cursor) IsZero() bool { return c == Cursor{} }

// Item is one row of a timeline: enough to draw a line, without the details.
type Item struct {
	Kind         ItemKind  `json:"kind"`
	ID           int64     `json:"id"`
	SessionID    string    `json:"session_id"`
	Project      string    `json:"project"`
	PromptNumber int       `json:"prompt_number"`
	CreatedAt    time.Time `json:"created_at"`
	Type         string    `json:"type,omitempty"` // observations
	Title        string    `json:"title"`          // prompt text, observation title or summary request, one line
	Subtitle     string    `json:"subtitle,omitempty"`
	Tokens       int       `json:"tokens"` // what reading it whole costs, estimated
	Pinned       bool      `json:"pinned,omitempty"`
	Machine      bool      `json:"machine,omitempty"` // a prompt that the host wrote
	Status       Status    `json:"status,omitempty"`
	Scope        Scope     `json:"scope,omitempty"` // of observations that count in every project
}

// Cursor gives the place of the row, for asking for the rows after it.
func (i Item) Cursor() Cursor {
	return Cursor{EpochMS: i.CreatedAt.UnixMilli(), Kind: i.Kind, ID: i.ID}
}

// Hit is an observation found by a search, with its keyword score.
type Hit struct {
	Observation Observation `json:"observation"`
	// Keyword is the negated bm25 rank: larger is better, comparable within one query.
	Keyword float64 `json:"keyword"`
	Snippet string  `json:"snippet,omitempty"` // matched words between U+E000 and U+E001
}

// ItemHit is a summary or prompt found by a search, with its keyword score.
type ItemHit struct {
	Item Item
	// Text is what it says, of an endless one the beginning.
	Text    string
	Keyword float64 // as Hit's
	Snippet string  // as Hit's
}

// The private-use runes that surround a matched word in a Snippet.
const (
	MatchStart = '\uE000'
	MatchEnd   = '\uE001'
)
