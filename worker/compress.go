package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"cmem/llm"
	"cmem/logs"
	"cmem/memory"
)

const (
	recentTitles  = 12 // titles that a compressor sees of what it said before
	storyEvents   = 200
	giveUpAfter   = 5 // refusals of the same input before the local version stays
	sessionsAtOne = 16
)

// compress works on the batches that are due, some at a time so that the spool
// is not left waiting, and gives how many it dealt with.
func (w *worker) compress(ctx context.Context) (int, error) {
	batches, err := w.store.PendingBatches(ctx, time.Now(), workSlice)
	if err != nil {
		return 0, err
	}
	done := 0
	for _, b := range batches {
		if ctx.Err() != nil || w.mustLeave() {
			return done, nil
		}
		if err := w.compressBatch(ctx, b); err != nil {
			return done, fmt.Errorf("compress batch %d of session %s: %w", b.ID, b.SessionID, err)
		}
		done++
	}
	return done, nil
}

func (w *worker) compressBatch(ctx context.Context, b memory.Batch) error {
	w.work()
	in, err := w.batchInput(ctx, b)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(in.Events, tellsSomething) {
		_, err := w.store.FinishBatch(ctx, b.ID, nil, memory.BatchDone)
		return err
	}
	a, by, err := w.ask(ctx, compressing(in))
	if ctx.Err() != nil || errors.Is(err, errStopped) {
		return nil // the batch is still pending
	}
	if err == nil {
		if _, err := w.store.FinishBatch(ctx, b.ID, complete(a.result, by, in, false), memory.BatchDone); err != nil {
			return err
		}
		if b.State == memory.BatchProvisional {
			// The summary was the stand-in's, too.
			return w.store.MarkSummaryDue(ctx, b.SessionID)
		}
		return nil
	}
	return w.standIn(ctx, b, in, err)
}

// tellsSomething reports whether an event can be the matter of an observation:
// for a session's bare beginning and end nobody has to be asked.
func tellsSomething(e memory.Event) bool { return e.IsTool() || e.LastAssistantMessage != "" }

// standIn deals with a provider that failed: the local compressor writes a first
// version, once, and the batch is tried again later or, when the provider keeps
// refusing this input, stays as it is.
func (w *worker) standIn(ctx context.Context, b memory.Batch, in llm.Batch, failure error) error {
	final := llm.KindOf(failure) == llm.KindRequest && b.Attempts+1 >= giveUpAfter
	if b.State == memory.BatchPending || final {
		a, err := guarded(ctx, w.Local, compressing(in))
		if err != nil {
			return w.putOff(ctx, b, err)
		}
		state := memory.BatchProvisional
		if final {
			state = memory.BatchDone
		}
		if _, err := w.store.FinishBatch(ctx, b.ID, complete(a.result, w.Local.ID(), in, !final), state); err != nil {
			return err
		}
	}
	if final {
		w.Log.Warn("provider refuses this batch, the local version stays", "kind", logs.ProviderRefused, "batch", b.ID, "error", failure)
		return nil
	}
	next := w.breaker.next(time.Now())
	w.Log.Warn("provider failed, the local version stands in", "kind", logs.ProviderFailed, "batch", b.ID, "attempt", b.Attempts+1, "next", next.UTC().Format(time.RFC3339), "error", failure)
	return w.store.RetryBatch(ctx, b.ID, failure.Error(), next)
}

// putOff deals with a batch that even the local compressor cannot take, which is
// a fault of ours: it is tried again a few times, for an upgrade may mend it, and
// must not keep the others waiting.
func (w *worker) putOff(ctx context.Context, b memory.Batch, failure error) error {
	if b.Attempts+1 < giveUpAfter {
		w.Log.Error("batch not compressed, trying again later", "kind", logs.BatchDelayed, "batch", b.ID, "error", failure)
		return w.store.RetryBatch(ctx, b.ID, failure.Error(), time.Now().Add(longPause))
	}
	w.Log.Error("batch given up: its events stay in the archive, without an observation", "kind", logs.BatchGivenUp, "batch", b.ID, "error", failure)
	_, err := w.store.FinishBatch(ctx, b.ID, nil, memory.BatchDone)
	return err
}

func (w *worker) batchInput(ctx context.Context, b memory.Batch) (llm.Batch, error) {
	session, err := w.store.Session(ctx, b.SessionID)
	if err != nil {
		return llm.Batch{}, err
	}
	in := llm.Batch{Session: session}
	prompts, err := w.store.SessionPrompts(ctx, b.SessionID)
	if err != nil {
		return llm.Batch{}, err
	}
	for _, p := range prompts {
		if p.Number == b.PromptNumber {
			in.Prompt = p
		}
	}
	raws, err := w.store.BatchEvents(ctx, b.ID)
	if err != nil {
		return llm.Batch{}, err
	}
	in.Events = w.decodeRaw(session.Project, raws)
	recent, err := w.store.ListObservations(ctx, memory.Filter{SessionID: b.SessionID}, memory.Cursor{}, recentTitles)
	if err != nil {
		return llm.Batch{}, err
	}
	for i := len(recent) - 1; i >= 0; i-- {
		in.Recent = append(in.Recent, recent[i].Title)
	}
	return in, nil
}

// decodeRaw reads archived events again; where they happened is kept beside the payload.
func (w *worker) decodeRaw(project string, raws []memory.RawEvent) []memory.Event {
	events := make([]memory.Event, 0, len(raws))
	for _, r := range raws {
		if r.Payload == nil {
			continue // retention removed it
		}
		e, err := w.Decode(r.ID, r.Payload)
		if err != nil {
			w.Log.Warn("archived event left out: it cannot be read any more", "kind", logs.EventUnreadable, "event_id", r.ID, "error", err)
			continue
		}
		e.CreatedAt, e.Project, e.Branch, e.Commit = r.CreatedAt, project, r.Branch, r.Commit
		events = append(events, e)
	}
	return events
}

// complete fills in what a compressor leaves to the worker.
func complete(r llm.Result, by string, in llm.Batch, provisional bool) []memory.Observation {
	source := 0
	var last memory.Event
	for _, e := range in.Events {
		source += memory.EstimateTokens(string(e.Raw))
		last = e
	}
	for i := range r.Observations {
		o := &r.Observations[i]
		o.SessionID, o.Project, o.PromptNumber = in.Session.ID, in.Session.Project, in.Prompt.Number
		o.Compressor, o.Model, o.Provisional = by, r.Model, provisional
		o.Scope, o.Status = memory.ScopeProject, memory.StatusActive
		// A batch's cost is shared evenly among what it gave.
		o.TokensSpent = r.TokensSpent / len(r.Observations)
		if o.TokensSource == 0 {
			o.TokensSource = source / len(r.Observations)
		}
		if o.CreatedAt.IsZero() {
			o.CreatedAt = last.CreatedAt
		}
		if o.GitBranch == "" {
			o.GitBranch = last.Branch
		}
		if o.GitCommit == "" {
			o.GitCommit = last.Commit
		}
	}
	return r.Observations
}

// summarise writes the checkpoints that are due and gives how many sessions it
// dealt with.
func (w *worker) summarise(ctx context.Context) (int, error) {
	sessions, err := w.store.SessionsDue(ctx, sessionsAtOne)
	if err != nil {
		return 0, err
	}
	for i, s := range sessions {
		if ctx.Err() != nil || w.mustLeave() {
			return i, nil
		}
		if err := w.summariseSession(ctx, s); err != nil {
			return i, fmt.Errorf("summarise session %s: %w", s.ID, err)
		}
	}
	return len(sessions), nil
}

func (w *worker) summariseSession(ctx context.Context, s memory.Session) error {
	story, err := w.story(ctx, s)
	if err != nil {
		return err
	}
	if upToDate(story) {
		return w.store.ClearSummaryDue(ctx, s.ID)
	}
	provisional := false
	a, by, err := w.ask(ctx, summarising(story))
	if ctx.Err() != nil || errors.Is(err, errStopped) {
		return nil
	}
	if err != nil {
		w.Log.Warn("provider failed, the local summary stands in", "kind", logs.ProviderFailed, "session", s.ID, "error", err)
		a, err = guarded(ctx, w.Local, summarising(story))
		if err != nil {
			w.Log.Error("session not summarised", "kind", logs.SummaryFailed, "session", s.ID, "error", err)
			return w.store.ClearSummaryDue(ctx, s.ID)
		}
		by, provisional = w.Local.ID(), true
	}
	sum := a.summary
	if sum.Request == "" && sum.Investigated == "" && sum.Learned == "" && sum.Completed == "" && sum.NextSteps == "" {
		return w.store.ClearSummaryDue(ctx, s.ID)
	}
	sum.SessionID, sum.Project, sum.Status = s.ID, s.Project, memory.StatusActive
	sum.Compressor, sum.Model, sum.Provisional, sum.TokensSpent = by, a.result.Model, provisional, a.result.TokensSpent
	if n := len(story.Prompts); n > 0 {
		sum.PromptNumber = story.Prompts[n-1].Number
	}
	sum.CreatedAt = s.LastEventAt
	_, err = w.store.AddSummary(ctx, sum)
	return err
}

// upToDate reports whether the last checkpoint tells all there is: the end of a
// session after its last turn adds nothing.
func upToDate(s llm.Story) bool {
	if s.Previous == nil || s.Previous.Provisional {
		return false
	}
	since := s.Previous.CreatedAt
	return !slices.ContainsFunc(s.Prompts, func(p memory.Prompt) bool { return p.CreatedAt.After(since) }) &&
		!slices.ContainsFunc(s.Observations, func(o memory.Observation) bool { return o.CreatedAt.After(since) })
}

func (w *worker) story(ctx context.Context, s memory.Session) (llm.Story, error) {
	story := llm.Story{Session: s}
	var err error
	if story.Prompts, err = w.store.SessionPrompts(ctx, s.ID); err != nil {
		return story, err
	}
	if story.Observations, err = w.store.SessionObservations(ctx, s.ID); err != nil {
		return story, err
	}
	raws, err := w.store.StoryEvents(ctx, s.ID, storyEvents)
	if err != nil {
		return story, err
	}
	story.Events = w.decodeRaw(s.Project, raws)
	previous, err := w.store.LatestSummary(ctx, s.ID)
	switch {
	case err == nil:
		story.Previous = &previous
	case !isNotFound(err):
		return story, err
	}
	return story, nil
}
