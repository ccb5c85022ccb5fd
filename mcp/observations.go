package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cmem/memory"
	"cmem/store"
)

const (
	idsMost   = 50
	rawMost   = 40    // events of one prompt
	rawEvent  = 3_000 // bytes of one event
	wholeMost = 3_000 // tokens of one memory among several
)

// fetch is a call of get_observations, read.
type fetch struct {
	refs   []ref
	order  string // "", "oldest" or "newest"
	limit  int
	offset int // characters of the one memory that are left out
	raw    bool
	tokens int
	json   bool
}

func readFetch(a args) (f fetch, err error) {
	if f.refs, err = readRefs(a); err != nil {
		return f, err
	}
	order, err := a.text("order", "sort", "orderBy")
	if err != nil {
		return f, err
	}
	switch strings.ToLower(order) {
	case "", "given", "ids":
	case "oldest", "asc", "date_asc":
		f.order = "oldest"
	case "newest", "time", "desc", "date_desc":
		f.order = "newest"
	default:
		return f, mistakef("order must be given, oldest or newest, not %q", shorten(oneLine(order), 40))
	}
	if f.limit, err = a.number(idsMost, 1, idsMost, "limit"); err != nil {
		return f, err
	}
	if f.offset, err = a.number(0, 0, 1<<30, "offset"); err != nil {
		return f, err
	}
	if f.offset > 0 && len(f.refs) > 1 {
		return f, mistake("offset goes on within one memory: give one id with it")
	}
	if f.tokens, err = a.budget(wholeTokens); err != nil {
		return f, err
	}
	f.raw = a.yes("raw")
	f.json, err = a.json()
	return f, err
}

func readRefs(a args) ([]ref, error) {
	names, err := a.list("ids", "id", "observation_ids")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, mistake(`ids is missing; give the ids that search showed, like {"ids": ["#12", "#15"]}`)
	}
	if len(names) > idsMost {
		return nil, mistakef("%d ids at once are too many; %d at most", len(names), idsMost)
	}
	var refs []ref
	for _, n := range names {
		r, err := parseRef(n)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(refs, r) {
			refs = append(refs, r)
		}
	}
	return refs, nil
}

// observations answers with the whole of the rows that ids name.
func (t *tools) observations(ctx context.Context, src Source, a args) (answer, error) {
	f, err := readFetch(a)
	if err != nil {
		return answer{}, err
	}
	rows, missing, err := readRows(ctx, src, f.refs)
	if err != nil {
		return answer{}, err
	}
	if f.order != "" {
		slices.SortStableFunc(rows, func(a, b row) int {
			if f.order == "newest" {
				a, b = b, a
			}
			return a.at().Compare(b.at())
		})
	}
	return f.tell(ctx, src, rows, missing)
}

// readRows reads the rows that refs name, in their order, and names those that
// are not there.
func readRows(ctx context.Context, src Source, refs []ref) (rows []row, missing []string, err error) {
	var ids []int64
	for _, r := range refs {
		if r.kind == memory.KindObservation {
			ids = append(ids, r.id)
		}
	}
	byID := make(map[int64]*memory.Observation, len(ids))
	if len(ids) > 0 {
		list, err := src.Observations(ctx, ids)
		if err != nil {
			return nil, nil, fmt.Errorf("read the memories: %w", err)
		}
		for i := range list {
			byID[list[i].ID] = &list[i]
		}
	}
	for _, r := range refs {
		one := row{ref: r}
		var err error
		switch r.kind {
		case memory.KindPrompt:
			one.prompt, err = src.Prompt(ctx, r.id)
		case memory.KindSummary:
			one.summary, err = src.Summary(ctx, r.id)
		default:
			if one.observation = byID[r.id]; one.observation == nil {
				err = store.ErrNotFound
			}
		}
		switch {
		case errors.Is(err, store.ErrNotFound):
			missing = append(missing, r.String())
		case err != nil:
			return nil, nil, fmt.Errorf("read %s: %w", r, err)
		default:
			rows = append(rows, one)
		}
	}
	return rows, missing, nil
}

// tell writes the rows as far as there is room, and names the others.
func (f fetch) tell(ctx context.Context, src Source, rows []row, missing []string) (answer, error) {
	p := newPage(f.tokens)
	data := wholeData{Memories: []whole{}, NotFound: missing}
	told := map[string]bool{} // the prompts whose events are there already
	for i, r := range rows {
		text := r.text()
		x := r.whole()
		limit := wholeMost
		switch {
		case len(rows) == 1:
			limit = p.room
		case i == 0:
			limit = min(limit, p.room)
		}
		switch {
		case i >= f.limit:
			data.LeftOut = append(data.LeftOut, r.ref.String())
			continue
		case f.json:
			text = x.within(limit)
		default:
			text = f.cut(r.ref, text, limit)
		}
		if !p.add(text, text) {
			data.LeftOut = append(data.LeftOut, r.ref.String())
			continue
		}
		o := r.observation
		if o != nil && f.raw && !told[o.SessionID+" "+strconv.Itoa(o.PromptNumber)] {
			told[o.SessionID+" "+strconv.Itoa(o.PromptNumber)] = true
			events, err := f.events(ctx, src, p, o)
			if err != nil {
				return answer{}, err
			}
			x.Events = events
		}
		data.Memories = append(data.Memories, x)
	}
	if len(missing) > 0 {
		p.note("Not found: " + strings.Join(missing, ", "))
	}
	if len(data.LeftOut) > 0 {
		p.note("Left out, ask for them again: " + strings.Join(data.LeftOut, ", "))
	}
	return answer{text: p.String(), data: data}, nil
}

// cut gives what of a memory's text stands behind the offset and costs at most
// limit tokens, and says how to get the rest.
func (f fetch) cut(r ref, text string, limit int) string {
	if f.offset == 0 && memory.EstimateTokens(text) <= limit {
		return text
	}
	const hint = 40 // tokens of the lines around
	piece, next, all := part(text, f.offset, limit-hint)
	if f.offset > 0 {
		piece = fmt.Sprintf("\n%s from character %d:\n%s", r, min(f.offset, all), piece)
	}
	if next < all {
		return fmt.Sprintf("%s\n[cut at character %d of %d; the rest: ids=[%q], offset=%[2]d]\n", piece, next, all, r)
	}
	return piece
}

// events writes the events of the prompt that an observation is from.
func (f fetch) events(ctx context.Context, src Source, p *page, o *memory.Observation) ([]event, error) {
	list, err := src.RawEvents(ctx, o.SessionID, o.PromptNumber, "", rawMost)
	if err != nil {
		return nil, fmt.Errorf("read the events of #%d: %w", o.ID, err)
	}
	if len(list) == 0 {
		p.note("events: none are kept")
		return nil, nil
	}
	var told []event
	left := 0
	for _, e := range list {
		x := event{Name: strings.TrimSpace(e.Name + " " + e.ToolName), CreatedAt: e.CreatedAt.UTC(), Payload: "its payload is not kept any more"}
		if len(e.Payload) > 0 {
			x.Payload = headAndTail(harmless(string(e.Payload)), rawEvent)
		}
		line := "event " + oneLine(x.Name) + " " + stamp(x.CreatedAt) + ": " + x.Payload + "\n"
		if cost := memory.EstimateTokens(line); cost > p.room {
			left++
			continue
		}
		p.note(strings.TrimSuffix(line, "\n"))
		told = append(told, x)
	}
	if left > 0 {
		p.note(plural(left, "more event", "more events") + fmt.Sprintf(" left out for length: ask for #%d alone, or raise max_tokens.", o.ID))
	}
	return told, nil
}
