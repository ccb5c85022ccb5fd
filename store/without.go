package store

import (
	"context"
	"slices"

	"cmem/memory"
)

// withoutPerScored is how many of the newest rows are looked at for what does not hold
// some words, for each that is scored elsewhere.
const withoutPerScored = 5

// without gives the newest observations that f takes and in which none of the words
// stands. It looks at some thousands of the newest.
func (s *Store) without(ctx context.Context, unwanted []queryWord, f memory.Filter, limit int) ([]memory.Hit, error) {
	narrow, err := s.narrowed(ctx, f)
	if err != nil {
		return nil, err
	}
	m := newMatcher()
	m.exclude(queryOf(nil, unwanted).not)
	g := gathering{s: s, index: observationWords, f: narrow}
	most := withoutPerScored * s.scored
	query, args := page(memory.KindObservation, "id, created_at_epoch", narrow, spanOf(f), "DESC", most, s.now())
	ids, err := g.ids(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	if limit < 0 {
		limit = most
	}
	var kept []int64
	for some := range slices.Chunk(ids, max(s.scored/4, 1)) {
		if len(kept) >= limit {
			break
		}
		texts, err := g.texts(ctx, some)
		if err != nil {
			return nil, err
		}
		held := map[int64]bool{}
		for i := range texts {
			m.read(&texts[i].columns)
			held[texts[i].id] = !slices.ContainsFunc(m.excluded, m.holds)
		}
		for _, id := range some { // in their order
			if held[id] {
				kept = append(kept, id)
			}
		}
	}
	observations, err := s.Observations(ctx, kept[:min(limit, len(kept))])
	hits := make([]memory.Hit, len(observations))
	for i, o := range observations {
		hits[i].Observation = o
	}
	return hits, err
}
