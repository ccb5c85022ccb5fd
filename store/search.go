package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"cmem/memory"
)

// Search gives the observations that match a text as a person types it, best
// first by keyword alone, of those that match equally well the newest first. All
// words must match; those in which the last word is whole come before those in
// which it is the beginning of a longer one. When no observation has all the
// words, those that have some are given. Of a text that only says which words must not
// stand, the newest observations without them are given. A text without a letter or
// digit is ErrEmptyQuery.
//
// The first n of a search are the same whatever the limit is, and the same store
// gives the same answer. What it costs is bounded: of a word that stands in few
// observations (some hundreds) every one is found and ranked, as is what a filter
// by project, session or time takes where that is so little. Where every word is
// common, as many of the newest observations that hold them are looked at, or some
// thousands where the filter leaves out most, and the best of those are given. That
// may leave out an older one that matches better and, behind a filter for other
// things than tags and concepts, one that matches at all. More than some hundreds
// are not given, even if the limit is larger.
func (s *Store) Search(ctx context.Context, text string, f memory.Filter, limit int) ([]memory.Hit, error) {
	words, unwanted, err := queryWords(text)
	if err != nil {
		return nil, err
	}
	hits, err := s.hits(ctx, words, unwanted, f, limit)
	if err != nil {
		return nil, fmt.Errorf("search observations: %w", err)
	}
	return hits, nil
}

func (s *Store) hits(ctx context.Context, words, unwanted []queryWord, f memory.Filter, limit int) ([]memory.Hit, error) {
	if len(words) == 0 {
		return s.without(ctx, unwanted, f, limit)
	}
	g, err := s.gathered(ctx, words, unwanted, f)
	if err != nil {
		return nil, err
	}
	if len(g.found) == 0 {
		other, ok, err := g.containing(ctx, words)
		if err != nil {
			return nil, err
		}
		if ok {
			if g, err = s.gathered(ctx, other, unwanted, f); err != nil {
				return nil, err
			}
		}
	}
	if err := g.score(ctx); err != nil {
		return nil, err
	}
	hits, err := g.hits(ctx, limit)
	snippet := g.snippets(wideOf(words))
	for i := range hits {
		hits[i].Snippet = snippet(hits[i].Observation)
	}
	return hits, err
}

func (s *Store) gathered(ctx context.Context, words, unwanted []queryWord, f memory.Filter) (*gathering, error) {
	g, err := s.newGathering(ctx, observationWords, queryOf(words, unwanted), f)
	if err != nil {
		return nil, err
	}
	return g, g.gather(ctx)
}

// hits gives what was found as it is stored, without snippets.
func (g *gathering) hits(ctx context.Context, limit int) ([]memory.Hit, error) {
	found := g.found
	if limit >= 0 {
		found = found[:min(limit, len(found))]
	}
	ids := make([]int64, len(found))
	scores := make(map[int64]float64, len(found))
	for i, c := range found {
		ids[i], scores[c.id] = c.id, c.score
	}
	observations, err := g.s.Observations(ctx, ids)
	if err != nil {
		return nil, err
	}
	hits := make([]memory.Hit, len(observations))
	for i, o := range observations {
		hits[i] = memory.Hit{Observation: o, Keyword: scores[o.ID]}
	}
	return hits, nil
}

// snippets gives what makes the snippets of observations that were found. The runs of
// wide script are marked where they stand, if nothing else is.
func (g *gathering) snippets(wide []string) func(memory.Observation) string {
	readings := make(map[int64]int, len(g.found))
	for _, c := range g.found {
		readings[c.id] = c.reading
	}
	return func(o memory.Observation) string {
		if reading, ok := readings[o.ID]; ok {
			if s := g.matcher.snippet(o, reading); s != "" {
				return s
			}
		}
		return markWide(o, wide)
	}
}

// score gives each row that was found its score and puts them in order: what a
// narrower reading finds first, then by score, then the newest.
func (g *gathering) score(ctx context.Context) error {
	// Only what has all the words counts where there is such.
	if slices.ContainsFunc(g.found, func(c candidate) bool { return c.reading < g.loose }) {
		g.found = slices.DeleteFunc(g.found, func(c candidate) bool { return c.reading >= g.loose })
	}
	rarities := map[int][]float64{}
	for i := range g.found {
		c := &g.found[i]
		rare, ok := rarities[c.reading]
		if !ok {
			for _, p := range g.matcher.readings[c.reading].phrases {
				n, err := g.rowsWith(ctx, g.matcher.phrases[p].expr)
				if err != nil {
					return err
				}
				rare = append(rare, rarity(min(n, g.rows), g.rows))
			}
			rarities[c.reading] = rare
		}
		c.score = bm25(c.freq, rare, float64(c.size)/g.length)
	}
	slices.SortFunc(g.found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.reading, b.reading), cmp.Compare(b.score, a.score),
			cmp.Compare(b.epoch, a.epoch), cmp.Compare(b.id, a.id))
	})
	// The scores of two readings say nothing about each other, but a score that is
	// larger than one before it would.
	least, factor := 0.0, 1.0
	for i := range g.found {
		c := &g.found[i]
		if i > 0 && c.reading != g.found[i-1].reading {
			factor = min(1, least/c.score)
		}
		c.score *= factor
		if i > 0 {
			c.score = min(c.score, least) // rounding
		}
		least = c.score
	}
	return nil
}
