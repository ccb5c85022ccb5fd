package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"cmem/memory"
	"cmem/recall"
	"cmem/store"
)

// Source is what the tools need of the store.
type Source interface {
	recall.MissSource
	recall.ContextSource
	Observations(ctx context.Context, ids []int64) ([]memory.Observation, error)
	Summary(ctx context.Context, id int64) (memory.Summary, error)
	Prompt(ctx context.Context, id int64) (memory.Prompt, error)
	Timeline(ctx context.Context, f memory.Filter, after memory.Cursor, limit int) ([]memory.Item, error)
	TimelineNewer(ctx context.Context, f memory.Filter, than memory.Cursor, limit int) ([]memory.Item, error)
	RawEvents(ctx context.Context, sessionID string, promptNumber int, afterEventID string, limit int) ([]memory.RawEvent, error)
	Projects(ctx context.Context) ([]memory.Project, error)
}

// Store is a Source that is open.
type Store interface {
	Source
	// DataVersion gives store.ErrReplaced when another file has taken the store's place.
	DataVersion(ctx context.Context) (int64, error)
	Close() error
}

// openingPatience is how long a call waits for the store to be opened: that takes
// long only when a new version of cmem has to bring it up to date.
const openingPatience = 20 * time.Second

// errOpening says that the store is not open yet.
var errOpening = errors.New("memory is being brought up to date for this version of cmem; ask again in a minute")

// holder keeps the store open between the calls. It opens it when it is first
// asked for, because a client starts its servers long before, and before there may
// be a store at all; and it opens it anew when it does not serve any more.
type holder struct {
	open func(ctx context.Context) (Store, error)
	ctx  context.Context //nolint:containedctx // opening goes on when the call that began it is cancelled

	mu     sync.Mutex
	now    *held // nil before the first call and after a failure
	closed bool
}

// held is a store that is open, or is being opened until done is closed.
type held struct {
	done  chan struct{}
	store Store
	err   error

	users   int  // calls that are at it; guarded by the holder's mu
	dropped bool // to be closed by the last of them
}

// use calls do with the store. When the store fails do, as it does after another
// file has taken its place, do is called once more with one that is opened anew.
func (h *holder) use(ctx context.Context, do func(Source) error) error {
	for again := true; ; again = false {
		s, err := h.take(ctx)
		if err != nil {
			return err
		}
		if _, err = s.store.DataVersion(ctx); err == nil {
			err = do(s.store)
		}
		failed := err != nil && ctx.Err() == nil && isFailure(err)
		h.release(s, failed)
		if !failed || !again {
			return err
		}
	}
}

// take gives the store, open, to a caller that will release it.
func (h *holder) take(ctx context.Context) (*held, error) {
	h.mu.Lock()
	s := h.now
	if s == nil {
		s = &held{done: make(chan struct{})}
		h.now = s
		go h.openInto(s)
	}
	s.users++
	h.mu.Unlock()

	patience := time.NewTimer(openingPatience)
	defer patience.Stop()
	var err error
	select {
	case <-s.done:
		err = s.err
	case <-ctx.Done():
		err = ctx.Err()
	case <-patience.C:
		err = errOpening
	}
	if err != nil {
		h.release(s, false)
		return nil, err
	}
	return s, nil
}

func (h *holder) openInto(s *held) {
	opened, err := h.open(h.ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	s.store, s.err = opened, err
	close(s.done)
	switch {
	case err != nil && h.now == s:
		h.now = nil // the next call tries again
	case err == nil && h.closed && s.users == 0:
		_ = opened.Close() // it was only read
	}
}

// release gives the store back; one that failed is not used again.
func (h *holder) release(s *held, failed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.users--
	if failed {
		s.dropped = true
		if h.now == s {
			h.now = nil
		}
	}
	if s.users == 0 && (s.dropped || h.closed) && s.store != nil {
		_ = s.store.Close() // it was only read
	}
}

// close closes the store when the last call is through with it.
func (h *holder) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	if s := h.now; s != nil && s.users == 0 && s.store != nil {
		_ = s.store.Close() // it was only read
	}
}

// mistake is an error that the caller can mend: the sentence says how.
type mistake string

func (m mistake) Error() string { return string(m) }

func mistakef(format string, args ...any) error { return mistake(fmt.Sprintf(format, args...)) }

// isFailure reports whether err is the store's, and opening it anew may help.
func isFailure(err error) bool {
	var m mistake
	return !errors.As(err, &m) && !errors.Is(err, recall.ErrIndex) && !errors.Is(err, store.ErrBusy)
}

// explained gives an error as the model is told it: what is wrong, and what helps.
func explained(err error) string {
	text := oneLine(err.Error())
	var m mistake
	var newer *store.NewerSchemaError
	switch {
	case errors.As(err, &m), errors.Is(err, errOpening), errors.Is(err, store.ErrBusy):
		return text
	case errors.As(err, &newer):
		return "cmem was updated while this server was running. Ask the user to reconnect it (in Claude Code: /mcp) or to restart the assistant."
	case errors.Is(err, recall.ErrIndex):
		return text + ". Until then a search that finds nothing means nothing."
	case errors.Is(err, store.ErrDamaged):
		return text + ". This is not an empty result. Ask the user to run `cmem doctor --fix`, which saves what can be read."
	}
	return text + ". This is a failure and not an empty result; `cmem doctor` looks for the cause."
}
