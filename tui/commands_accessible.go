package tui

import (
	"context"

	"cmem/memory"
)

// What the accessible mode reads and changes. It waits for each answer: it has
// one question at a time, and no screen to keep alive.

// spokenPage is how many entries are read out at once.
const spokenPage = 10

// memoryPage gives memories after a cursor, newest first, and whether there are more.
func (c *commands) memoryPage(ctx context.Context, f memory.Filter, after memory.Cursor) ([]memory.Item, bool, error) {
	items, err := c.source.Timeline(ctx, f, after, spokenPage+1)
	more := len(items) > spokenPage
	return cleanItems(items[:min(len(items), spokenPage)]), more, err
}

// spokenHits gives the memories that a search finds, the best first: those that hold
// the words, so many, then what means the same.
func (c *commands) spokenHits(ctx context.Context, text string, f memory.Filter) (items []memory.Item, byWords int, err error) {
	hits, err := c.source.Search(ctx, text, f, maxHits)
	if err != nil {
		return nil, 0, err
	}
	held := make(map[int64]bool, len(hits))
	for _, h := range hits {
		held[h.Observation.ID] = true
		items = append(items, itemOf(h.Observation))
	}
	if len(hits) < maxHits {
		meant, err := c.source.Meant(ctx, text, f, maxMeant)
		if err != nil {
			return nil, 0, err
		}
		for _, h := range meant {
			if !held[h.Observation.ID] {
				items = append(items, itemOf(h.Observation))
			}
		}
	}
	return cleanItems(items), len(hits), nil
}

// whole gives a memory whole.
func (c *commands) whole(ctx context.Context, item memory.Item) (content, error) {
	var out content
	var err error
	switch item.Kind {
	case memory.KindSummary:
		out.summary, err = c.source.Summary(ctx, item.ID)
		out.summary = cleanSummary(out.summary)
	case memory.KindPrompt:
		out.prompt, err = c.source.Prompt(ctx, item.ID)
		out.prompt.Text = cleanText(out.prompt.Text)
	default:
		out.observation, err = c.source.Observation(ctx, item.ID)
		out.observation = cleanObservation(out.observation)
		out.observation.StatusReason = cleanLine(out.observation.StatusReason)
	}
	return out, err
}

// sessionPage gives sessions after a cursor, newest first, and whether there are more.
func (c *commands) sessionPage(ctx context.Context, f memory.Filter, after memory.Cursor) ([]memory.Session, bool, error) {
	list, err := c.source.Sessions(ctx, f, after, spokenPage+1)
	more := len(list) > spokenPage
	list = list[:min(len(list), spokenPage)]
	cleanSessions(list)
	return list, more, err
}

func (c *commands) allProjects(ctx context.Context) ([]memory.Project, error) {
	return c.source.Projects(ctx)
}

// batchPage gives batches that wait, after an id, and whether there are more.
func (c *commands) batchPage(ctx context.Context, after int64) ([]memory.Batch, bool, error) {
	list, err := c.source.OpenBatches(ctx, after, spokenPage+1)
	more := len(list) > spokenPage
	list = list[:min(len(list), spokenPage)]
	for n := range list {
		list[n].LastError = cleanLine(list[n].LastError)
	}
	return list, more, err
}

// workerNow gives the state of the worker; without a desk nothing is known of it.
func (c *commands) workerNow(ctx context.Context) (s Status, known bool, err error) {
	if c.desk.Status == nil {
		return Status{}, false, nil
	}
	s, err = c.desk.Status(ctx)
	s.Problem, s.Provider, s.Paused = cleanLine(s.Problem), cleanLine(s.Provider), cleanLine(s.Paused)
	return s, err == nil, err
}

// nextContext gives what the next session of a project will be told: a heading
// in words, and the memories.
func (c *commands) nextContext(ctx context.Context, project string) (entries []spoken, chars, maxChars int, err error) {
	plan, err := c.source.PlanContext(ctx, project)
	if err != nil {
		return nil, 0, 0, err
	}
	for _, e := range plan.Considered {
		e = cleanEntry(e)
		e.Reason.At = e.Reason.At.In(c.now().Location())
		verdict := "is left out"
		if e.In {
			verdict = "will be given"
		}
		entries = append(entries, spoken{item: e.Item, note: verdict + ", " + e.Reason.String()})
	}
	return entries, plan.Budget.Chars, plan.Budget.MaxChars, nil
}

// changeNow changes an observation and gives what takes it back.
func (c *commands) changeNow(ctx context.Context, id int64, e memory.Edit) (memory.Snapshot, error) {
	return c.source.Edit(ctx, []int64{id}, e)
}

func (c *commands) deleteNow(ctx context.Context, item memory.Item) (memory.Snapshot, error) {
	return c.source.Delete(ctx, []memory.Ref{item.Ref()})
}

func (c *commands) restoreNow(ctx context.Context, before memory.Snapshot) error {
	return c.source.Restore(ctx, before)
}
