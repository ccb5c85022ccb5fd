package worker

import (
	"errors"
	"fmt"
	"time"

	"cmem/llm"
	"cmem/store"
)

const (
	firstPause = 10 * time.Second
	longPause  = 10 * time.Minute // also after a wrong key: the person has to act first
	// longestPause is how long a provider can ask to be left alone. The store takes
	// an attempt that is due much later for the doing of a wrong clock.
	longestPause = time.Hour
)

// breaker keeps a provider that fails from being asked again and again: each
// failure doubles the pause, an answer ends it.
type breaker struct {
	failures int
	until    time.Time
	last     error
}

// errPaused is given in place of a call while the breaker is open. It wraps what
// went wrong before.
type errPaused struct {
	until time.Time
	last  error
}

func (e *errPaused) Error() string {
	return fmt.Sprintf("provider is left alone until %s: %v", e.until.UTC().Format(time.RFC3339), e.last)
}

func (e *errPaused) Unwrap() error { return e.last }

// allow gives an error while the provider must be left alone.
func (b *breaker) allow(now time.Time) error {
	if now.Before(b.until) {
		return &errPaused{b.until, b.last}
	}
	return nil
}

// note takes in how a call went.
func (b *breaker) note(now time.Time, err error) {
	if err == nil {
		*b = breaker{}
		return
	}
	kind := llm.KindOf(err)
	if kind == llm.KindRequest {
		return // this input is to blame, not the provider
	}
	b.failures++
	b.last = err
	pause := min(firstPause<<min(b.failures-1, 6), longPause)
	var e *llm.Error
	if errors.As(err, &e) && e.RetryAfter > pause {
		pause = min(e.RetryAfter, longestPause)
	}
	if kind == llm.KindAuth {
		pause = longPause
	}
	b.until = now.Add(pause)
}

// next gives when a batch that just failed is due again.
func (b *breaker) next(now time.Time) time.Time {
	if b.until.After(now) {
		return b.until
	}
	return now.Add(firstPause)
}

func isNotFound(err error) bool { return errors.Is(err, store.ErrNotFound) }
