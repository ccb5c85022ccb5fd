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
	"cmem/recall"
	"cmem/store"
)

const (
	depth     = 5
	depthMost = 50
)

// story is what a timeline tells.
type story struct {
	items  []memory.Item // oldest first
	at     int           // the place in items that it is around
	anchor *memory.Item  // what stands there, nil for a moment
	place  string        // where was looked
	notes  []string      // of the search for the anchor
	tokens int
	json   bool
}

// timeline answers with what happened around an id, a query's best match or a
// moment, oldest first; with none of them, with what happened last.
func (t *tools) timeline(ctx context.Context, src Source, a args) (answer, error) {
	before, err := a.number(depth, 0, depthMost, "depth_before", "before_depth")
	if err != nil {
		return answer{}, err
	}
	after, err := a.number(depth, 0, depthMost, "depth_after", "after_depth")
	if err != nil {
		return answer{}, err
	}
	var s story
	if s.tokens, err = a.budget(indexTokens); err != nil {
		return answer{}, err
	}
	if s.json, err = a.json(); err != nil {
		return answer{}, err
	}
	look, err := t.readScope(ctx, src, a)
	if err != nil {
		return answer{}, err
	}
	if len(look.projects) > 1 {
		return answer{}, mistake(`a timeline is of one project, or of all with project="*"`)
	}
	at, err := s.find(ctx, src, a, lookup{scope: look, base: t.query, limit: 1})
	if err != nil {
		return answer{}, err
	}
	if s.anchor != nil {
		look.projects = []string{s.anchor.Project} // what happened around it happened there
	}
	s.place = look.place()
	f := look.whole()
	f.Global = false // what happened elsewhere happened elsewhere
	if before > 0 {
		if s.items, err = src.Timeline(ctx, f, at, before); err != nil {
			return answer{}, fmt.Errorf("read what came before: %w", err)
		}
		slices.Reverse(s.items)
	}
	s.at = len(s.items)
	if s.anchor != nil {
		s.items = append(s.items, *s.anchor)
	}
	if after > 0 && !at.IsZero() {
		newer, err := src.TimelineNewer(ctx, f, at, after)
		if err != nil {
			return answer{}, fmt.Errorf("read what came after: %w", err)
		}
		s.items = append(s.items, newer...)
	}
	return s.tell(), nil
}

// find finds the row that a call points at, or else the place.
func (s *story) find(ctx context.Context, src Source, a args, l lookup) (memory.Cursor, error) {
	id, err := a.text("id", "anchor", "observation_id")
	if err != nil {
		return memory.Cursor{}, err
	}
	if l.query, err = a.text("query", "q"); err != nil {
		return memory.Cursor{}, err
	}
	switch {
	case id != "":
		r, err := parseRef(id)
		if err != nil {
			return memory.Cursor{}, err
		}
		if s.anchor, err = readItem(ctx, src, r); err != nil {
			return memory.Cursor{}, err
		}
		return s.anchor.Cursor(), nil
	case l.query != "":
		found, err := l.find(ctx, src)
		if err != nil {
			return memory.Cursor{}, err
		}
		if len(found.Results) == 0 {
			if _, err := l.missed(ctx, src); err != nil {
				return memory.Cursor{}, err
			}
			return memory.Cursor{}, mistakef("no memory for «%s» %s", shorten(oneLine(l.query), 80), l.place())
		}
		s.anchor, s.notes = &found.Results[0].Item, found.Notes
		return s.anchor.Cursor(), nil
	}
	at, err := a.moment("at", "time", "date")
	if err != nil || at.IsZero() {
		return memory.Cursor{}, err
	}
	// Kind and id sort before those of any row of that millisecond.
	return memory.Cursor{EpochMS: at.UnixMilli(), ID: math.MinInt64}, nil
}

// readItem reads the row that r names; one that is not there is a mistake.
func readItem(ctx context.Context, src Source, r ref) (*memory.Item, error) {
	switch r.kind {
	case memory.KindPrompt:
		p, err := src.Prompt(ctx, r.id)
		if err != nil {
			return nil, notThere(r, err)
		}
		return &memory.Item{Kind: r.kind, ID: p.ID, SessionID: p.SessionID, Project: p.Project, PromptNumber: p.Number,
			CreatedAt: p.CreatedAt, Title: p.Text, Tokens: memory.EstimateTokens(p.Text)}, nil
	case memory.KindSummary:
		s, err := src.Summary(ctx, r.id)
		if err != nil {
			return nil, notThere(r, err)
		}
		return &memory.Item{Kind: r.kind, ID: s.ID, SessionID: s.SessionID, Project: s.Project, PromptNumber: s.PromptNumber,
			CreatedAt: s.CreatedAt, Title: s.Request, Tokens: memory.EstimateTokens(s.Request + s.Investigated + s.Learned + s.Completed + s.NextSteps + s.Notes)}, nil
	}
	obs, err := src.Observations(ctx, []int64{r.id})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", r, err)
	}
	if len(obs) == 0 {
		return nil, notThere(r, store.ErrNotFound)
	}
	item := recall.ResultOf(memory.Hit{Observation: obs[0]}).Item
	return &item, nil
}

func notThere(r ref, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return mistakef("there is no %s", r)
	}
	return fmt.Errorf("read %s: %w", r, err)
}

// tell writes the story. Where it is too long, what is farthest from its place is
// left out.
func (s story) tell() answer {
	p := newPage(s.tokens)
	data := storyData{Notes: s.notes, Items: []indexed{}}
	if len(s.items) == 0 {
		p.note("Nothing " + s.place + " around that time.")
		return answer{text: p.String(), data: data}
	}
	head := plural(len(s.items), "event ", "events ") + s.place + ", oldest first"
	if s.anchor != nil {
		head += ", around " + label(s.anchor.Kind, s.anchor.ID)
	}
	p.note(head + ". P prompt, # observation, S summary; ~tokens to read it whole.")
	for _, n := range s.notes {
		p.note("Note: " + withinTokens(oneLine(n), 80))
	}
	from, to := s.window(p.room)
	for i := from; i < to; i++ {
		p.add(s.head(i, i == from)+s.line(i), "") // window has seen to the room
		data.Items = append(data.Items, s.indexed(i))
	}
	if from > 0 {
		data.Earlier = from
		p.note(fmt.Sprintf("%d earlier found no room: timeline(id=%q, depth_after=0) goes on.", from, data.Items[0].ID))
	}
	if left := len(s.items) - to; left > 0 {
		data.Later = left
		p.note(fmt.Sprintf("%d later found no room: timeline(id=%q, depth_before=0) goes on.", left, data.Items[len(data.Items)-1].ID))
	}
	return answer{text: p.String(), data: data}
}

// window gives which items have room, those next to the story's place first.
func (s story) window(room int) (from, to int) {
	cost := func(i int) int {
		if s.json {
			return memory.EstimateTokens(s.indexed(i).String())
		}
		return memory.EstimateTokens(s.head(i, i == 0) + s.line(i))
	}
	from = min(s.at, len(s.items)-1)
	to = from + 1
	room -= cost(from) + memory.EstimateTokens(s.head(from, true)) // which whatever is first gets
	for down, up := true, true; down || up; {
		if down = down && from > 0; down {
			c := cost(from - 1)
			if down = c <= room; down {
				from, room = from-1, room-c
			}
		}
		if up = up && to < len(s.items); up {
			c := cost(to)
			if up = c <= room; up {
				to, room = to+1, room-c
			}
		}
	}
	return from, to
}

// head gives the lines that stand over item i: its day and its session, where they
// are others than those of the item before it, which is not there over the first.
func (s story) head(i int, first bool) string {
	session := "session " + shorten(oneLine(s.items[i].SessionID), 40) + "\n"
	switch {
	case first || day(s.items[i]) != day(s.items[i-1]):
		return day(s.items[i]) + "\n" + session
	case s.items[i].SessionID != s.items[i-1].SessionID:
		return session
	}
	return ""
}

func day(i memory.Item) string { return i.CreatedAt.UTC().Format(time.DateOnly) }

func (s story) isAnchor(i memory.Item) bool {
	return s.anchor != nil && s.anchor.Kind == i.Kind && s.anchor.ID == i.ID
}

func (s story) line(n int) string {
	i := s.items[n]
	var b strings.Builder
	b.WriteString(label(i.Kind, i.ID) + " " + i.CreatedAt.UTC().Format("15:04") + " " + typeOf(i) + " ")
	title := oneLine(i.Title)
	b.WriteString(withinTokens(title, titleTokens))
	if sub := oneLine(i.Subtitle); sub != "" && !strings.Contains(title, sub) {
		b.WriteString(" — " + withinTokens(sub, aboutTokens))
	}
	fmt.Fprintf(&b, " ~%d", i.Tokens)
	if s.isAnchor(i) {
		b.WriteString(" ← here")
	}
	b.WriteString("\n")
	return b.String()
}

// storyData is a timeline for a program.
type storyData struct {
	Items   []indexed `json:"items"`
	Earlier int       `json:"earlier_left_out,omitempty"`
	Later   int       `json:"later_left_out,omitempty"`
	Notes   []string  `json:"notes,omitempty"`
}

func (s story) indexed(i int) indexed {
	x := indexedItem(s.items[i])
	x.Session, x.Here = s.items[i].SessionID, s.isAnchor(s.items[i])
	return x
}

// minute and stamp are how a moment is written: for a reader, and to be sent back.
func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
