package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cmem/memory"
	"cmem/store"
)

// MissSource is what explaining a search needs of the store.
type MissSource interface {
	Searcher
	IndexProber
	ListObservations(ctx context.Context, f memory.Filter, after memory.Cursor, limit int) ([]memory.Observation, error)
	MissingWords(ctx context.Context, text string, id int64) ([]string, error)
}

// Miss is an observation that a search does not show, and why not. Each of the
// reasons is enough to keep it out.
type Miss struct {
	Hit     memory.Hit
	Reasons []Reason // at least one; those first that say where it is
}

// maxMisses bounds how many misses a caller may ask for.
const maxMisses = 100

// Missed gives what a search for text with the filter f, of which the first shown
// hits are on the screen, could have found but does not show: what the filter
// leaves out, what ranks below, and what lacks one of the words. It gives limit at
// most (0 means DefaultLimit); those of the filter's project come first among
// their kind. A text without a letter or digit is store.ErrEmptyQuery, and an
// index that does not know what is stored is ErrIndex.
func Missed(ctx context.Context, src MissSource, text string, f memory.Filter, shown, limit int) ([]Miss, error) {
	if limit <= 0 {
		limit = DefaultLimit
	}
	limit = min(limit, maxMisses)
	v, err := newView(ctx, src, text, f, shown, limit)
	if err != nil {
		return nil, err
	}
	excluded, near, err := v.loosened(ctx, limit)
	if err != nil {
		return nil, err
	}
	misses := make([]Miss, 0, limit)
	for _, h := range shares(limit, excluded, v.below, near) {
		why, err := v.reasons(ctx, h.Observation)
		if errors.Is(err, store.ErrNotFound) {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		misses = append(misses, Miss{Hit: h, Reasons: why})
	}
	return misses, nil
}

// anywhere is the filter that leaves nothing out.
var anywhere = memory.Filter{Statuses: everyStatus(), IncludeExpired: true}

// view is a search as somebody sees it.
type view struct {
	src  MissSource
	text string
	f    memory.Filter
	now  time.Time

	top      map[int64]bool // shown
	ranks    map[int64]int  // of what ranks below that, from 1
	below    []memory.Hit   // the same in their order
	complete bool           // top and ranks are all that the search finds
	strict   bool           // it finds what holds all the words
	// looseStrict says the same of the search without the filter.
	looseStrict bool
}

// newView searches as somebody did who sees the first shown hits, and ranks depth
// more.
func newView(ctx context.Context, src MissSource, text string, f memory.Filter, shown, depth int) (*view, error) {
	v := &view{src: src, text: text, f: f, now: time.Now(), top: map[int64]bool{}, ranks: map[int64]int{}}
	shown = min(max(shown, 0), maxLimit)
	hits, err := v.search(ctx, text, f, max(shown, 1))
	if err != nil {
		return nil, err
	}
	if err := knowsWhatIsStored(ctx, src, memory.KindObservation); err != nil {
		return nil, err
	}
	if v.strict, err = v.hasAllWords(ctx, hits); err != nil {
		return nil, err
	}
	for _, h := range hits[:min(shown, len(hits))] {
		v.top[h.Observation.ID] = true
	}
	if v.complete = len(hits) < max(shown, 1); v.complete {
		return v, nil
	}
	// Asked for more, the search may also take what only begins as the last word
	// does, and order it in between: so ranks count on from what is shown.
	depth = min(shown+depth, maxLimit)
	if hits, err = v.search(ctx, text, f, depth); err != nil {
		return nil, err
	}
	v.complete = len(hits) < depth
	for _, h := range hits {
		if id := h.Observation.ID; !v.top[id] {
			v.below = append(v.below, h)
			v.ranks[id] = len(v.top) + len(v.below)
		}
	}
	return v, nil
}

func (v *view) search(ctx context.Context, text string, f memory.Filter, limit int) ([]memory.Hit, error) {
	hits, err := v.src.Search(ctx, text, f, limit)
	if err != nil {
		return nil, fmt.Errorf("search for what %q misses: %w", v.text, err)
	}
	return hits, nil
}

// hasAllWords reports whether the hits of a search hold all its words: they all do
// or none does.
func (v *view) hasAllWords(ctx context.Context, hits []memory.Hit) (bool, error) {
	for _, h := range hits {
		missing, err := v.missing(ctx, h.Observation.ID)
		if errors.Is(err, store.ErrNotFound) {
			continue // deleted meanwhile
		}
		return err == nil && len(missing) == 0, err
	}
	return false, nil
}

func (v *view) missing(ctx context.Context, id int64) ([]string, error) {
	words, err := v.src.MissingWords(ctx, v.text, id)
	if err != nil {
		return nil, fmt.Errorf("look for the words of %q in observation %d: %w", v.text, id, err)
	}
	return words, nil
}

// loosened searches the same text without the filter, its project first, and then
// without one of the words: excluded holds all the words, near some.
func (v *view) loosened(ctx context.Context, limit int) (excluded, near []memory.Hit, err error) {
	met := map[int64]bool{}
	isNew := func(h memory.Hit) bool {
		id := h.Observation.ID
		known := met[id] || v.top[id] || v.ranks[id] > 0
		met[id] = true
		return !known
	}
	home := anywhere
	home.Project, home.Projects, home.Global = v.f.Project, v.f.Projects, v.f.Global
	for _, f := range []memory.Filter{home, anywhere} {
		// As many as can be: what the filter takes is among them and may stand first.
		hits, err := v.search(ctx, v.text, f, maxLimit)
		if err != nil {
			return nil, nil, err
		}
		strict, err := v.hasAllWords(ctx, hits)
		if err != nil {
			return nil, nil, err
		}
		v.looseStrict = v.looseStrict || strict
		for _, h := range hits {
			switch {
			case !isNew(h):
			case !strict:
				near = append(near, h)
			case len(excluded) < limit:
				why, err := v.filtered(ctx, h.Observation)
				if err != nil {
					return nil, nil, err
				}
				if len(why) > 0 { // otherwise it ranks further below
					excluded = append(excluded, h)
				}
			}
		}
		if len(v.f.Keys()) == 0 {
			break
		}
	}
	// Fewer words are more common ones, and to look for these in one project of a
	// large store takes long.
	for _, text := range withoutOne(v.text) {
		hits, err := v.search(ctx, text, anywhere, maxMisses)
		if errors.Is(err, store.ErrEmptyQuery) {
			continue // what is left of the text is punctuation
		}
		if err != nil {
			return nil, nil, err
		}
		for _, h := range hits {
			if isNew(h) {
				near = append(near, h)
			}
		}
	}
	slices.SortStableFunc(near, func(a, b memory.Hit) int {
		return cmp.Compare(v.distance(a.Observation), v.distance(b.Observation))
	})
	return excluded, near, nil
}

// distance is 0 for what the filter takes by its project, 1 for others.
func (v *view) distance(o memory.Observation) int {
	if v.f.Applies(o.Project, o.Scope) {
		return 0
	}
	return 1
}

// reasons gives every reason why o, which is not among what is shown, is not.
func (v *view) reasons(ctx context.Context, o memory.Observation) ([]Reason, error) {
	if rank := v.ranks[o.ID]; rank > 0 {
		return []Reason{{Kind: ReasonRanked, N: rank, Of: len(v.top)}}, nil
	}
	why, err := v.filtered(ctx, o)
	if err != nil {
		return nil, err
	}
	missing, err := v.missing(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	switch {
	case len(why) > 0:
		if len(missing) > 0 && (v.looseStrict || len(missing) >= len(splitWords(v.text))) {
			why = append(why, Reason{Kind: ReasonLacks, Words: missing})
		}
	case len(missing) > 0 && (v.strict || v.complete):
		why = append(why, Reason{Kind: ReasonLacks, Words: missing})
	case v.complete:
		// It has the words and not as they are asked for, as those of a phrase.
		why = append(why, Reason{Kind: ReasonLacks, Words: []string{strings.TrimSpace(v.text)}})
	default:
		why = append(why, Reason{Kind: ReasonRanked, Of: len(v.top) + len(v.below)})
	}
	return why, nil
}

// filtered gives the parts of the filter that leave o out.
func (v *view) filtered(ctx context.Context, o memory.Observation) ([]Reason, error) {
	var why []Reason
	out := func(word string, values ...string) {
		why = append(why, Reason{Kind: ReasonFilter, Filter: word, Words: values})
	}
	f := v.f
	if !f.Applies(o.Project, o.Scope) {
		why = append(why, Reason{Kind: ReasonOtherProject, Project: o.Project})
	}
	if f.SessionID != "" && f.SessionID != o.SessionID {
		out("session", f.SessionID)
	}
	if reason, gone := ofStatus(o); !takesStatus(f, o.Status) {
		if !gone {
			reason = Reason{Kind: ReasonFilter, Filter: "status", Words: texts(f.Statuses)}
		}
		why = append(why, reason)
	}
	switch reason, expired := ofExpiry(o, v.now); {
	case expired && !f.IncludeExpired && !f.ExpiredOnly:
		why = append(why, reason)
	case !expired && f.ExpiredOnly:
		out("expired")
	}
	if len(f.Types) > 0 && !slices.Contains(f.Types, o.Type) {
		out("type", f.Types...)
	}
	if !f.After.IsZero() && o.CreatedAt.Before(f.After) {
		out("after", f.After.Format(dateLayout))
	}
	if !f.Before.IsZero() && !o.CreatedAt.Before(f.Before) {
		out("before", f.Before.Format(dateLayout))
	}
	if f.PinnedOnly && !o.Pinned {
		out("pinned")
	}
	// How these are compared, and what an agent is of, only the store knows.
	for _, part := range []struct {
		word   string
		values []string
		f      memory.Filter
	}{
		{"concept", f.Concepts, memory.Filter{Concepts: f.Concepts}},
		{"tag", f.Tags, memory.Filter{Tags: f.Tags}},
		{"file", f.Files, memory.Filter{Files: f.Files}},
		{"branch", f.Branches, memory.Filter{Branches: f.Branches}},
		{"agent", f.Agents, memory.Filter{Agents: f.Agents}},
	} {
		if len(part.values) == 0 {
			continue
		}
		taken, err := v.takes(ctx, part.f, o)
		if err != nil {
			return nil, err
		}
		if !taken {
			out(part.word, part.values...)
		}
	}
	return why, nil
}

// takes reports whether the store takes o with the filter.
func (v *view) takes(ctx context.Context, f memory.Filter, o memory.Observation) (bool, error) {
	f.Statuses, f.IncludeExpired, f.SessionID = anywhere.Statuses, true, o.SessionID
	f.After = o.CreatedAt.Truncate(time.Millisecond)
	f.Before = f.After.Add(time.Millisecond)
	list, err := v.src.ListObservations(ctx, f, memory.Cursor{}, maxTies)
	if err != nil {
		return false, fmt.Errorf("hold observation %d against the filter: %w", o.ID, err)
	}
	return slices.ContainsFunc(list, func(x memory.Observation) bool { return x.ID == o.ID }), nil
}

func takesStatus(f memory.Filter, s memory.Status) bool {
	if len(f.Statuses) == 0 {
		return s == memory.StatusActive
	}
	return slices.Contains(f.Statuses, s)
}

func texts(statuses []memory.Status) []string {
	list := make([]string, len(statuses))
	for i, s := range statuses {
		list[i] = string(s)
	}
	return list
}

// shares takes limit hits of three kinds, in the order of the kinds: the second
// and the third get a quarter each where they have so many.
func shares(limit int, excluded, below, near []memory.Hit) []memory.Hit {
	quarter := limit / 4
	first := min(len(excluded), limit-min(len(below), quarter)-min(len(near), quarter))
	second := min(len(below), limit-first-min(len(near), quarter))
	third := min(len(near), limit-first-second)
	return slices.Concat(excluded[:first], below[:second], near[:third])
}
