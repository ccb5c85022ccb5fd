// Package llm declares what a compressor and an embedder are. Each sub-package
// is one provider; a provider's wire format never leaves its sub-package.
package llm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cmem/memory"
)

// Batch is what a compressor is given: the events of one prompt, in order,
// and what it needs to understand them.
type Batch struct {
	Session memory.Session
	Prompt  memory.Prompt // Number 0 when the events came before any prompt
	Events  []memory.Event
	// Recent holds titles of the session's latest observations, newest last, so
	// that a compressor does not tell the same thing twice.
	Recent []string
}

// Result is what a compressor made of a batch. No observation at all is a
// good answer for a batch in which nothing happened.
type Result struct {
	// Observations have Type, Title and the other told fields set, and
	// CreatedAt, ToolName, Certainty, GitBranch, GitCommit and TokensSource
	// where the compressor knows them; the worker fills in the rest.
	Observations []memory.Observation
	Model        string // the model that answered; empty for rules
	TokensSpent  int    // tokens in and out, as the provider counted them
}

// Story is what a session summary is made from.
type Story struct {
	Session      memory.Session
	Prompts      []memory.Prompt      // in order
	Observations []memory.Observation // in order
	// Events holds the latest Stop and SubagentStop events and the calls of
	// TodoWrite, TaskCreate and TaskUpdate of the session, in order.
	Events   []memory.Event
	Previous *memory.Summary // the checkpoint that the new one replaces; nil for the first
}

// Compressor turns events into observations and sessions into summaries. Its
// methods honour ctx and are called from one goroutine at a time.
type Compressor interface {
	// ID names the compressor and its version for provenance, for example "local/v1".
	ID() string
	// Compress gives the observations of a batch.
	Compress(ctx context.Context, b Batch) (Result, error)
	// Summarize gives a checkpoint of a session: Request to Notes, files, and
	// nothing else set. A zero Summary means there is nothing to tell.
	Summarize(ctx context.Context, s Story) (memory.Summary, Result, error)
}

// Kind says what to do about a failed call to a provider.
type Kind int

// The kinds of failure.
const (
	KindTemporary Kind = iota // try again after a pause: network, 5xx, overload
	KindRateLimit             // try again after RetryAfter
	KindAuth                  // the key is missing or wrong: the person has to act
	KindRequest               // the provider refuses this input: trying again does not help
	KindAnswer                // the answer was not in the agreed form
)

// Error is a failed call to a provider.
type Error struct {
	Provider   string
	Kind       Kind
	Status     int           // HTTP status; 0 when there was none
	RetryAfter time.Duration // 0 when the provider did not say
	Err        error
}

func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("%s answered %d: %v", e.Provider, e.Status, e.Err)
	}
	return fmt.Sprintf("%s: %v", e.Provider, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// KindOf gives the kind of err; an error that is not an *Error is KindTemporary.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return KindTemporary
}
