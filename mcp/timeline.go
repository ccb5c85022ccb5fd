package mcp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"cmem/memory"
	"cmem/store"
)

const (
	depth     = 5
	depthMost = 50
)

// timeline answers with what happened around an id, a query's best match or a
// moment, oldest first; with none of them, with what happened last.
func (t *tools) timeline(ctx context.Context, a args) (string, error) {
	before, err := a.number(depth, 0, depthMost, "depth_before")
	if err != nil {
		return "", err
	}
	after, err := a.number(depth, 0, depthMost, "depth_after")
	if err != nil {
		return "", err
	}
	project, err := t.projectKey(ctx, a)
	if err != nil {
		return "", err
	}
	f := memory.Filter{Project: project}
	anchor, at, err := t.anchor(ctx, a, f)
	if err != nil {
		return "", err
	}
	if anchor != nil {
		f.Project = anchor.Project // what happened around it happened there
		at = anchor.Cursor()
	}
	var items []memory.Item
	if before > 0 {
		older, err := t.src.Timeline(ctx, f, at, before)
		if err != nil {
			return "", fmt.Errorf("read what came before: %w", err)
		}
		slices.Reverse(older)
		items = older
	}
	if anchor != nil {
		items = append(items, *anchor)
	}
	if after > 0 && !at.IsZero() {
		newer, err := t.src.TimelineNewer(ctx, f, at, after)
		if err != nil {
			return "", fmt.Errorf("read what came after: %w", err)
		}
		items = append(items, newer...)
	}
	return story(items, anchor, f), nil
}

// anchor finds the row that a call points at, or else the place.
func (t *tools) anchor(ctx context.Context, a args, f memory.Filter) (*memory.Item, memory.Cursor, error) {
	id, err := a.text("id", "anchor", "observation_id")
	if err != nil {
		return nil, memory.Cursor{}, err
	}
	if id != "" {
		r, err := parseRef(id)
		if err != nil {
			return nil, memory.Cursor{}, err
		}
		item, err := t.item(ctx, r)
		return item, memory.Cursor{}, err
	}
	query, err := a.text("query", "q")
	if err != nil {
		return nil, memory.Cursor{}, err
	}
	if query != "" {
		hits, err := t.src.Search(ctx, query, f, 1)
		if err != nil {
			return nil, memory.Cursor{}, fmt.Errorf("search the memories: %w", err)
		}
		if len(hits) == 0 {
			return nil, memory.Cursor{}, fmt.Errorf("no memory for «%s» %s", shorten(oneLine(query), 80), place(f))
		}
		item := observationItem(hits[0].Observation)
		return &item, memory.Cursor{}, nil
	}
	at, err := a.moment("at", "time", "date")
	if err != nil || at.IsZero() {
		return nil, memory.Cursor{}, err
	}
	// Kind and id sort before those of any row of that millisecond.
	return nil, memory.Cursor{EpochMS: at.UnixMilli(), ID: math.MinInt64}, nil
}

// item reads the row that r names.
func (t *tools) item(ctx context.Context, r ref) (*memory.Item, error) {
	var item memory.Item
	switch r.kind {
	case memory.KindPrompt:
		p, err := t.src.Prompt(ctx, r.id)
		if err != nil {
			return nil, notThere(r, err)
		}
		item = memory.Item{Kind: r.kind, ID: p.ID, SessionID: p.SessionID, Project: p.Project, PromptNumber: p.Number,
			CreatedAt: p.CreatedAt, Title: p.Text, Tokens: memory.EstimateTokens(p.Text)}
	case memory.KindSummary:
		s, err := t.src.Summary(ctx, r.id)
		if err != nil {
			return nil, notThere(r, err)
		}
		item = memory.Item{Kind: r.kind, ID: s.ID, SessionID: s.SessionID, Project: s.Project, PromptNumber: s.PromptNumber,
			CreatedAt: s.CreatedAt, Title: s.Request, Tokens: memory.EstimateTokens(s.Request + s.Investigated + s.Learned + s.Completed + s.NextSteps + s.Notes)}
	default:
		obs, err := t.src.Observations(ctx, []int64{r.id})
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", r, err)
		}
		if len(obs) == 0 {
			return nil, fmt.Errorf("there is no %s", r)
		}
		item = observationItem(obs[0])
	}
	return &item, nil
}

func notThere(r ref, err error) error {
	if err := unlessMissing(r, err); err != nil {
		return err
	}
	return fmt.Errorf("there is no %s", r)
}

// unlessMissing gives err unless it says that there is no such row.
func unlessMissing(r ref, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return fmt.Errorf("read %s: %w", r, err)
}

func observationItem(o memory.Observation) memory.Item {
	return memory.Item{Kind: memory.KindObservation, ID: o.ID, SessionID: o.SessionID, Project: o.Project, PromptNumber: o.PromptNumber,
		CreatedAt: o.CreatedAt, Type: o.Type, Title: o.Title, Subtitle: o.Subtitle, Tokens: o.ReadTokens(), Status: o.Status}
}

func story(items []memory.Item, anchor *memory.Item, f memory.Filter) string {
	p := newPage()
	if len(items) == 0 {
		p.note("Nothing " + place(f) + " around that time.")
		return p.String()
	}
	head := plural(len(items), "event ", "events ") + place(f) + ", oldest first"
	if anchor != nil {
		head += ", around " + label(anchor.Kind, anchor.ID)
	}
	p.note(head + ". P prompt, # observation, S summary; ~tokens to read it whole.")
	day, session := "", ""
	for _, i := range items {
		line := ""
		if d := i.CreatedAt.UTC().Format(time.DateOnly); d != day {
			line, day, session = d+"\n", d, ""
		}
		if i.SessionID != session {
			line, session = line+"session "+shorten(oneLine(i.SessionID), 40)+"\n", i.SessionID
		}
		p.add(line + timelineLine(i, anchor))
	}
	if p.cut > 0 {
		p.note(plural(p.cut, "more line", "more lines") + " left out for length.")
	}
	return p.String()
}

func timelineLine(i memory.Item, anchor *memory.Item) string {
	var b strings.Builder
	b.WriteString(label(i.Kind, i.ID) + " " + i.CreatedAt.UTC().Format("15:04") + " ")
	switch i.Kind {
	case memory.KindPrompt:
		b.WriteString("prompt ")
	case memory.KindSummary:
		b.WriteString("summary ")
	default:
		b.WriteString(shorten(oneLine(i.Type), 20) + " ")
	}
	title := oneLine(i.Title)
	b.WriteString(withinTokens(title, titleTokens))
	if sub := oneLine(i.Subtitle); sub != "" && !strings.Contains(title, sub) {
		b.WriteString(" — " + withinTokens(sub, aboutTokens))
	}
	fmt.Fprintf(&b, " ~%d", i.Tokens)
	if anchor != nil && anchor.Kind == i.Kind && anchor.ID == i.ID {
		b.WriteString(" ← here")
	}
	b.WriteString("\n")
	return b.String()
}

// minute and stamp are how a moment is written: for a reader, and to be sent back.
func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
