package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cmem/llm"
	"cmem/logs"
	"cmem/memory"
)

const (
	// askTimeout is how long one request to a provider may take.
	askTimeout = 2 * time.Minute
	// stopGrace is how long a request may still take when the worker shall leave.
	stopGrace = 5 * time.Second
	// heedGrace is how long a compressor may take to end when its time is up. One
	// that does not is left behind.
	heedGrace = time.Second
)

// errStopped is given in place of an answer that the worker could not wait for.
var errStopped = errors.New("the worker was asked to leave")

// answer is what a compressor gives.
type answer struct {
	result  llm.Result
	summary memory.Summary // of a session; else nothing
}

// request is a question to a compressor.
type request func(context.Context, llm.Compressor) (answer, error)

func compressing(in llm.Batch) request {
	return func(ctx context.Context, c llm.Compressor) (answer, error) {
		r, err := c.Compress(ctx, in)
		return answer{result: r}, err
	}
}

func summarising(story llm.Story) request {
	return func(ctx context.Context, c llm.Compressor) (answer, error) {
		sum, r, err := c.Summarize(ctx, story)
		return answer{result: r, summary: sum}, err
	}
}

// guarded calls a compressor and makes an error of its panic: one event that
// nobody thought of must not stop all memory.
func guarded(ctx context.Context, c llm.Compressor, do request) (a answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &llm.Error{Provider: c.ID(), Kind: llm.KindRequest, Err: logs.Recovered(p)}
		}
	}()
	return do(ctx, c)
}

// ask puts a request to the compressor, through the breaker, and gives its
// answer and who gave it. The error is errStopped when the worker shall leave.
func (w *worker) ask(ctx context.Context, do request) (answer, string, error) {
	if err := w.breaker.allow(time.Now()); err != nil {
		return answer{}, "", err
	}
	a, err := w.beside(ctx, do)
	if errors.Is(err, errStopped) {
		return answer{}, "", err
	}
	if err == nil && w.breaker.failures > 0 {
		w.Log.Info("provider answers again", "kind", logs.ProviderBack)
	}
	w.breaker.note(time.Now(), err)
	return a, w.Compressor.ID(), err
}

// beside waits for the compressor.
func (w *worker) beside(ctx context.Context, do request) (answer, error) {
	return alongside(ctx, w, w.Compressor.ID(), func(ctx context.Context) (answer, error) {
		return guarded(ctx, w.Compressor, do)
	})
}

// alongside waits for a provider and goes on taking in what the hooks deliver: a
// provider may take minutes, or never answer. The error is errStopped when the worker
// shall leave.
func alongside[T any](ctx context.Context, w *worker, provider string, ask func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	type reply struct {
		answer T
		err    error
	}
	var none T
	replies := make(chan reply, 1)
	go func() {
		a, err := ask(ctx)
		replies <- reply{a, err}
	}()
	look := time.NewTicker(pollEvery)
	defer look.Stop()
	var (
		arrivals = w.arrivals
		stopping <-chan time.Time
	)
	for {
		select {
		case r := <-replies:
			return r.answer, r.err
		case <-stopping:
			return none, errStopped
		case <-ctx.Done():
			select {
			case r := <-replies:
				return r.answer, r.err
			case <-time.After(heedGrace):
				err := fmt.Errorf("no answer, and no end of waiting for it: %w", ctx.Err())
				return none, &llm.Error{Provider: provider, Kind: llm.KindTemporary, Err: err}
			}
		case <-look.C:
			arrivals = w.arrivals
			if stopping == nil && w.mustLeave() {
				stopping = time.After(stopGrace)
			}
			if !w.newsInSpool() {
				continue
			}
		case <-arrivals:
		}
		if _, err := w.drain(ctx); err != nil {
			arrivals = nil // until the next look; the next round says what is wrong
		}
	}
}
