package tui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
)

const (
	storyRows    = 200 // rows of a session's story that are read
	maxFound     = 50  // sessions that the finder shows
	maxMatching  = 200 // sessions that have the words of the filter line
	maxBatches   = 500 // batches of the queue that are read
	maxTop       = 12  // files and concepts of the statistics
	maxMisses    = 100
	batchTitles  = 64   // sessions of batches that are read for their titles
	endPageLimit = 1000 // sessions a page on the way to the oldest
)

// sessionRows reads sessions for the list: those after a place, or, where words
// are given, the newest that have them all.
func (c *commands) sessionRows(number int, part sessionPart, f memory.Filter, text string, from memory.Cursor, limit int) tea.Cmd {
	return c.run(slotPage, "list the sessions", func(ctx context.Context) tea.Msg {
		msg := sessionRowsMsg{number: number, part: part, from: from}
		switch {
		case text != "":
			msg.sessions, msg.err = c.source.FindSessions(ctx, text, f, maxMatching)
			msg.full = len(msg.sessions) >= maxMatching
		case part == sessionsEnd:
			c.lastSessions(ctx, f, &msg)
		default:
			msg.sessions, msg.err = c.source.Sessions(ctx, f, from, limit)
			msg.full = len(msg.sessions) >= limit
		}
		cleanSessions(msg.sessions)
		return msg
	})
}

// lastSessions walks to the oldest sessions: the store gives them from the
// newest on only. It keeps the last few pages, and where the others began.
func (c *commands) lastSessions(ctx context.Context, f memory.Filter, msg *sessionRowsMsg) {
	var begins []memory.Cursor // of the pages of pageSize that were read so far
	var kept []memory.Session
	at := memory.Cursor{}
	for {
		page, err := c.source.Sessions(ctx, f, at, endPageLimit)
		if err != nil {
			msg.err = err
			return
		}
		for n := 0; n < len(page); n += pageSize {
			begins = append(begins, at)
			at = cursorOf(page[min(n+pageSize, len(page))-1])
		}
		kept = append(kept, page...)
		if over := len(kept) - maxRows; over > 0 {
			kept = slices.Clone(kept[(over+pageSize-1)/pageSize*pageSize:])
		}
		if len(page) < endPageLimit {
			break
		}
	}
	passed := max(len(begins)-(len(kept)+pageSize-1)/pageSize, 0)
	msg.sessions, msg.above = kept, begins[:passed]
	if passed < len(begins) {
		msg.from = begins[passed]
	}
}

// story reads what happened in a session, after a rest.
func (c *commands) story(id string, rest time.Duration) tea.Cmd {
	return c.run(slotDetail, "read a session's story", func(ctx context.Context) tea.Msg {
		if !sleep(ctx, rest) {
			return nil
		}
		f := memory.Filter{SessionID: id, IncludeExpired: true}
		msg := storyMsg{id: id}
		items, err := c.source.TimelineNewer(ctx, f, beforeAll(), storyRows)
		if err != nil {
			return storyMsg{id: id, err: err}
		}
		msg.items, msg.full = cleanItems(items), len(items) >= storyRows
		f.Kinds = []memory.ItemKind{memory.KindSummary}
		newest, err := c.source.Timeline(ctx, f, memory.Cursor{}, 1)
		if err == nil && len(newest) > 0 && newest[0].Kind == memory.KindSummary {
			var s memory.Summary
			s, err = c.source.Summary(ctx, newest[0].ID)
			msg.summary, msg.hasSummary = cleanSummary(s), err == nil
		}
		msg.err = err
		return msg
	})
}

// findSessions looks for sessions of all projects by words; without words it
// gives the newest.
func (c *commands) findSessions(number int, text string) tea.Cmd {
	return c.run(slotCompletion, "find sessions", func(ctx context.Context) tea.Msg {
		msg := foundSessionsMsg{number: number}
		if text == "" {
			msg.sessions, msg.err = c.source.Sessions(ctx, memory.Filter{}, memory.Cursor{}, maxFound)
		} else {
			msg.sessions, msg.err = c.source.FindSessions(ctx, text, memory.Filter{}, maxFound)
		}
		cleanSessions(msg.sessions)
		return msg
	})
}

// projectFacts reads what the details of a project show, after a rest.
func (c *commands) projectFacts(key string, rest time.Duration) tea.Cmd {
	return c.run(slotDetail, "read the figures of a project", func(ctx context.Context) tea.Msg {
		if !sleep(ctx, rest) {
			return nil
		}
		msg := projectFactsMsg{key: key}
		if msg.totals, msg.err = c.source.Totals(ctx, key); msg.err == nil {
			msg.files, msg.err = c.source.TopFiles(ctx, memory.Filter{Project: key}, maxTop)
		}
		msg.totals, msg.files = cleanTotals(msg.totals), cleanCounts(msg.files)
		return msg
	})
}

// figures reads the statistics from a day on, after a rest.
func (c *commands) figures(number int, project string, from, to time.Time, rest time.Duration) tea.Cmd {
	return c.run(slotPage, "read the statistics", func(ctx context.Context) tea.Msg {
		if !sleep(ctx, rest) {
			return nil
		}
		msg := figuresMsg{number: number}
		f := memory.Filter{Project: project}
		for _, read := range []func(*figures) error{
			func(g *figures) (err error) { g.totals, err = c.source.Totals(ctx, project); return },
			func(g *figures) (err error) { g.days, err = c.source.Activity(ctx, project, from, to); return },
			func(g *figures) (err error) { g.files, err = c.source.TopFiles(ctx, f, maxTop); return },
			func(g *figures) (err error) { g.concepts, err = c.source.TopConcepts(ctx, f, maxTop); return },
		} {
			if msg.err = read(&msg.figures); msg.err != nil {
				return msg
			}
		}
		g := &msg.figures
		g.totals, g.files, g.concepts = cleanTotals(g.totals), cleanCounts(g.files), cleanCounts(g.concepts)
		return msg
	})
}

// batches reads the work that waits.
func (c *commands) batches(number int) tea.Cmd {
	return c.run(slotPage, "read the queue", func(ctx context.Context) tea.Msg {
		msg := batchesMsg{number: number, sessions: map[string]memory.Session{}}
		msg.batches, msg.err = c.source.OpenBatches(ctx, 0, maxBatches)
		msg.full = len(msg.batches) >= maxBatches
		for n, b := range msg.batches {
			msg.batches[n].LastError = cleanText(b.LastError)
			if _, have := msg.sessions[b.SessionID]; have || len(msg.sessions) >= batchTitles {
				continue
			}
			s, err := c.source.Session(ctx, b.SessionID)
			if err != nil { // its title is not worth more than the queue itself
				s = memory.Session{}
			}
			msg.sessions[b.SessionID] = cleanSession(s)
		}
		return msg
	})
}

// retry lets batches be tried at once, all of them without ids, and wakes the
// worker for it.
func (c *commands) retry(ids []int64) tea.Cmd {
	return c.inTurn("have the queue tried again", func(ctx context.Context) tea.Msg {
		n, err := c.source.RetryNow(ctx, ids)
		due := err == nil
		if err == nil && c.desk.WakeWorker != nil {
			err = c.desk.WakeWorker()
		}
		return retriedMsg{n, due, err}
	})
}

// plan reads what the next session of a project will be given, after a rest. A
// memory that is asked about is looked up if it was not considered.
func (c *commands) plan(number int, project string, about int64, rest time.Duration) tea.Cmd {
	return c.run(slotPage, "plan the context", func(ctx context.Context) tea.Msg {
		if !sleep(ctx, rest) {
			return nil
		}
		msg := planMsg{number: number}
		if msg.plan, msg.err = c.source.PlanContext(ctx, project); msg.err != nil {
			return msg
		}
		known := about == 0
		msg.plan.Block.Text = cleanText(msg.plan.Block.Text)
		for n, e := range msg.plan.Considered {
			msg.plan.Considered[n] = cleanEntry(e)
			known = known || e.Item.ID == about
		}
		if known {
			return msg
		}
		o, err := c.source.Observation(ctx, about)
		if err != nil {
			return msg // it is gone: the plan stands for itself
		}
		e, err := c.source.WhyContext(ctx, project, o)
		if err == nil {
			e = cleanEntry(e)
			msg.asked = &e
		}
		return msg
	})
}

// misses reads what a search did not show, of which shown hits are in the list.
func (c *commands) misses(number int, text string, f memory.Filter, shown int, rest time.Duration) tea.Cmd {
	return c.run(slotPage, "ask why a search missed", func(ctx context.Context) tea.Msg {
		if !sleep(ctx, rest) {
			return nil
		}
		msg := missesMsg{number: number}
		msg.misses, msg.err = c.source.Missed(ctx, text, f, shown, maxMisses)
		for n := range msg.misses {
			miss := &msg.misses[n]
			miss.Hit.Observation = cleanObservation(miss.Hit.Observation)
			for i, r := range miss.Reasons {
				miss.Reasons[i] = cleanReason(r)
			}
		}
		return msg
	})
}
