package tui

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
)

// Changes to memories, and what has to be read before one can be made.

const (
	maxCandidates = 50  // memories that are offered to choose from
	maxKnownTags  = 300 // tags that are offered while one is typed
	maxTagged     = 200 // marked memories whose present tags are counted
)

// editQueue lets changes be made one after the other, in the order in which the
// person asked for them; an export and the installation wait their turn too.
// Unlike other commands none is cancelled by a newer one, and each begins by
// itself: one that was asked for is made even if the browser is left at once.
type editQueue struct {
	last  chan struct{} // closed when the last one in the queue is done
	ctx   context.Context
	abort context.CancelFunc

	mu     sync.Mutex
	left   bool    // nobody is there any more to be told how it went
	failed []error // what went wrong since then
}

// done notes how something of the queue went, if nobody else will tell.
func (q *editQueue) done(msg tea.Msg) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := failureOf(msg); err != nil && q.left {
		q.failed = append(q.failed, err)
	}
}

// failureOf gives why something of the queue was not done, or nil.
func failureOf(msg tea.Msg) error {
	switch msg := msg.(type) {
	case editedMsg:
		if msg.err == nil || errors.Is(msg.err, errNothing) {
			return nil
		}
		what := msg.step.todo
		if msg.undo {
			what = "take back: " + what
		}
		return fmt.Errorf("%s: %w", what, msg.err)
	case exportedMsg:
		if msg.err != nil {
			return fmt.Errorf("export %s: %w", msg.what, msg.err)
		}
	case installedMsg:
		if msg.err != nil {
			return fmt.Errorf("connect cmem: %w", msg.err)
		}
	case crashMsg:
		return msg.err
	}
	return nil
}

// errNothing says that a change changed nothing, so nothing can be taken back.
var errNothing = errors.New("it had changed nothing")

// inTurn makes a change when those before it are done.
func (c *commands) inTurn(what string, work func(ctx context.Context) tea.Msg) tea.Cmd {
	q := &c.edits
	if q.ctx == nil {
		// Leaving the browser must not stop a change half way.
		q.ctx, q.abort = context.WithCancel(context.WithoutCancel(c.ctx))
	}
	before, done, ctx := q.last, make(chan struct{}), q.ctx
	q.last = done
	answer := make(chan tea.Msg, 1)
	go func() {
		defer close(done)
		if before != nil {
			<-before
		}
		msg := guarded(what, func() tea.Msg { return work(ctx) })
		q.done(msg)
		answer <- msg
	}()
	return func() tea.Msg { return <-answer }
}

// guarded does work and makes a message of a panic in it.
func guarded(what string, work func() tea.Msg) (msg tea.Msg) {
	defer func() {
		if r := recover(); r != nil {
			msg = crashMsg{fmt.Errorf("panic while the browser wanted to %s: %v\n%s", what, r, debug.Stack())}
		}
	}()
	return work()
}

// A leave says how long leaving waits for what was asked for.
type leave struct {
	ctx      context.Context // it ends when the person does not want to wait
	tell     func()          // says that there is something to wait for
	quiet    time.Duration   // how long that is not said
	patience time.Duration   // how long is waited when ctx had ended before
}

// finishEdits waits until all that was asked for is done, however long that takes,
// and gives what went wrong meanwhile. The person can end the waiting, and the
// change with it, which then is not made at all.
func (c *commands) finishEdits(l leave) error {
	q := &c.edits
	if q.last == nil {
		return nil
	}
	defer q.abort()
	q.mu.Lock()
	q.left = true
	q.mu.Unlock()
	select {
	case <-q.last:
		return q.failures()
	case <-time.After(l.quiet):
		l.tell()
	}
	unwanted, over := l.ctx.Done(), make(<-chan time.Time)
	if l.ctx.Err() != nil { // the machine goes down, perhaps
		unwanted, over = nil, time.After(l.patience)
	}
	select {
	case <-q.last:
		return q.failures()
	case <-unwanted:
	case <-over:
	}
	return errors.Join(q.failures(), errors.New("the last change was not waited for; it may not have been made"))
}

func (q *editQueue) failures() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return errors.Join(q.failed...)
}

// edited answers how a change went.
func edited(s *change, err error) editedMsg {
	return editedMsg{step: s, err: err, size: sizeOf(s.before)}
}

// editLate tells after a while that a change is still under way, if it is.
func (c *commands) editLate(s *change, undo bool) tea.Cmd {
	if c.timing.late == 0 {
		return nil
	}
	return tea.Tick(c.timing.late, func(time.Time) tea.Msg { return editLateMsg{s, undo} })
}

// edit changes observations.
func (c *commands) edit(s *change, ids []int64, e memory.Edit) tea.Cmd {
	return c.inTurn("change memories", func(ctx context.Context) tea.Msg {
		var err error
		s.before, err = c.source.Edit(ctx, ids, e)
		return edited(s, err)
	})
}

// remove deletes memories.
func (c *commands) remove(s *change, items []memory.Item) tea.Cmd {
	return c.inTurn("delete memories", func(ctx context.Context) tea.Msg {
		refs := make([]memory.Ref, 0, len(items))
		for _, i := range items {
			refs = append(refs, i.Ref())
		}
		var err error
		s.before, err = c.source.Delete(ctx, refs)
		return edited(s, err)
	})
}

// merge lets an observation take others in.
func (c *commands) merge(s *change, keep int64, others []int64) tea.Cmd {
	return c.inTurn("merge memories", func(ctx context.Context) tea.Msg {
		var err error
		s.before, err = c.source.Merge(ctx, keep, others)
		return edited(s, err)
	})
}

// create stores a memory that was written by hand.
func (c *commands) create(s *change, o memory.Observation) tea.Cmd {
	return c.inTurn("add a memory", func(ctx context.Context) tea.Msg {
		stored, before, err := c.source.Add(ctx, o)
		s.before = before
		if err == nil {
			s.did = "Added " + idOf(memory.KindObservation, stored.ID)
			s.shows = itemKey{memory.KindObservation, stored.ID}
		}
		return edited(s, err)
	})
}

// takeBack undoes a change. It may have been asked for before the change was
// made: its turn comes after.
func (c *commands) takeBack(s *change) tea.Cmd {
	return c.inTurn("take a change back", func(ctx context.Context) tea.Msg {
		if s.before.IsZero() {
			return editedMsg{step: s, undo: true, err: errNothing}
		}
		return editedMsg{step: s, undo: true, err: c.source.Restore(ctx, s.before)}
	})
}

// readForForm reads an observation for being edited.
func (c *commands) readForForm(f *form, id int64) tea.Cmd {
	return c.run(slotAim, "read a memory for editing", func(ctx context.Context) tea.Msg {
		o, err := c.source.Observation(ctx, id)
		return formMsg{f, id, cleanObservation(o), err}
	})
}

// tagsOf counts the tags of observations, and reads those that there are.
func (c *commands) tagsOf(a *ask, ids []int64, project string) tea.Cmd {
	return c.run(slotAim, "read tags", func(ctx context.Context) tea.Msg {
		msg := tagsMsg{ask: a, present: map[string]int{}}
		for _, id := range ids[:min(len(ids), maxTagged)] {
			o, err := c.source.Observation(ctx, id)
			if err != nil {
				continue // the change itself will tell
			}
			for _, t := range cleanLines(o.Tags) {
				msg.present[t]++
			}
		}
		known, err := c.source.Values(ctx, "tag", "", project, maxKnownTags)
		if err != nil {
			return msg // typing goes without
		}
		for _, v := range known {
			if t := cleanLine(v.Name); t != "" {
				msg.known = append(msg.known, t)
			}
		}
		return msg
	})
}

// candidates finds memories that could be meant by text: by number, by words, or
// without either those that are near the observation of that id.
func (c *commands) candidates(into *choice, text, project string, near int64) tea.Cmd {
	return c.run(slotAim, "look for memories", func(ctx context.Context) tea.Msg {
		items, err := c.candidatesFor(ctx, strings.TrimSpace(text), project, near)
		return candidatesMsg{into, text, cleanItems(items), err}
	})
}

func (c *commands) candidatesFor(ctx context.Context, text, project string, near int64) ([]memory.Item, error) {
	if id, err := strconv.ParseInt(strings.TrimPrefix(text, "#"), 10, 64); err == nil && text != "" {
		if o, err := c.source.Observation(ctx, id); err == nil {
			return []memory.Item{itemOf(o)}, nil
		}
	}
	var hits []memory.Hit
	var err error
	if text == "" {
		var o memory.Observation
		if o, err = c.source.Observation(ctx, near); err == nil {
			hits, err = c.source.Related(ctx, o, maxCandidates)
		}
	} else {
		hits, err = c.source.Search(ctx, text, memory.Filter{Project: project}, maxCandidates)
	}
	items := make([]memory.Item, 0, len(hits))
	for _, h := range hits {
		items = append(items, itemOf(h.Observation))
	}
	return items, err
}

// foundHits reads all hits of a search that can be shown, the best first.
func (c *commands) foundHits(list int, text string, f memory.Filter) tea.Cmd {
	return c.run(slotMarks, "read what was found", func(ctx context.Context) tea.Msg {
		hits, err := c.source.Search(ctx, text, f, maxHits)
		items := make([]memory.Item, 0, len(hits))
		for _, h := range hits {
			items = append(items, itemOf(h.Observation))
		}
		return foundMsg{list: list, items: cleanItems(items), more: len(items) >= maxHits, err: err}
	})
}

// found reads all rows that a filter finds, newest first, up to limit.
func (c *commands) found(list int, f memory.Filter, limit int) tea.Cmd {
	return c.run(slotMarks, "read what was found", func(ctx context.Context) tea.Msg {
		msg := foundMsg{list: list}
		var after memory.Cursor
		for len(msg.items) < limit {
			page, err := c.source.Timeline(ctx, f, after, min(pageSize*5, limit-len(msg.items)))
			if err != nil {
				msg.err = err
				return msg
			}
			if len(page) == 0 {
				return msg
			}
			after = page[len(page)-1].Cursor()
			msg.items = append(msg.items, cleanItems(page)...)
		}
		more, err := c.source.Timeline(ctx, f, after, 1)
		msg.more, msg.err = len(more) > 0, err
		return msg
	})
}
