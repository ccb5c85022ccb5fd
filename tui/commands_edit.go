package tui

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
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
// person asked for them. Unlike other commands none is cancelled by a newer one,
// and each begins by itself: one that was asked for is made even if the browser
// is left at once.
type editQueue struct {
	last  chan struct{} // closed when the last one in the queue is done
	ctx   context.Context
	abort context.CancelFunc
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
		answer <- guarded(what, func() tea.Msg { return work(ctx) })
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

// finishEdits waits until the changes that were asked for are made, as long as
// patience lasts.
func (c *commands) finishEdits(patience time.Duration) error {
	if c.edits.last == nil {
		return nil
	}
	defer c.edits.abort()
	select {
	case <-c.edits.last:
		return nil
	case <-time.After(patience):
		return errors.New("the store did not take the last change in time; it may not have been made")
	}
}

// edit changes observations.
func (c *commands) edit(s *change, ids []int64, e memory.Edit) tea.Cmd {
	return c.inTurn("change memories", func(ctx context.Context) tea.Msg {
		var err error
		s.before, err = c.source.Edit(ctx, ids, e)
		return editedMsg{step: s, err: err}
	})
}

// remove deletes memories.
func (c *commands) remove(s *change, refs []memory.Ref) tea.Cmd {
	return c.inTurn("delete memories", func(ctx context.Context) tea.Msg {
		var err error
		s.before, err = c.source.Delete(ctx, refs)
		return editedMsg{step: s, err: err}
	})
}

// merge lets an observation take others in.
func (c *commands) merge(s *change, keep int64, others []int64) tea.Cmd {
	return c.inTurn("merge memories", func(ctx context.Context) tea.Msg {
		var err error
		s.before, err = c.source.Merge(ctx, keep, others)
		return editedMsg{step: s, err: err}
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
		return editedMsg{step: s, err: err}
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
		return formMsg{f, cleanObservation(o), err}
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
