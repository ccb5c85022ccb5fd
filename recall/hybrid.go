package recall

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"cmem/llm/static"
	"cmem/memory"
	"cmem/store"
)

// HybridSource is what a search by words and meaning needs of the store.
type HybridSource interface {
	Matcher
	MeaningSource
	Observations(ctx context.Context, ids []int64) ([]memory.Observation, error)
}

// Matcher finds observations that hold any of the words of a text.
type Matcher interface {
	Match(ctx context.Context, text string, f memory.Filter, limit int) (store.Matches, error)
}

// MeaningSource has the encodings of observations by an embedding model.
type MeaningSource interface {
	// Near gives the encodings nearest to a vector by a coarse measure.
	Near(ctx context.Context, model string, vector []int8, f memory.Filter, limit int) ([]memory.Meaning, error)
	// Meanings gives the encodings of those of the observations that have one.
	Meanings(ctx context.Context, model string, ids []int64) ([]memory.Meaning, error)
	// MeaningState tells how many observations are encoded and how many wait for it.
	MeaningState(ctx context.Context, model string) (have, due int64, err error)
	// EmbeddingModels names the models that there are encodings of, the newest first.
	EmbeddingModels(ctx context.Context) ([]string, error)
	// SomeMeanings gives encodings from all over the store.
	SomeMeanings(ctx context.Context, model string, limit int) ([]memory.Meaning, error)
	// Rarities gives the inverse document frequencies of words.
	Rarities(ctx context.Context, words []string) ([]float64, error)
}

// depth is how many observations a search looks at. It does not follow the number
// of results that are asked for but in steps, so that pages fit together.
type depth struct {
	byWords   int // that each way of searching gives to be compared
	byMeaning int // more, because the store measures coarsely
	items     int // summaries and prompts, of each
	whole     int // of which the whole text is looked at, and from which the results are
}

// depths are the steps. The first was measured, and is as good as the others for the
// first results.
var depths = []depth{{80, 120, 10, 50}, {300, 400, 40, 240}, {maxLimit, maxLimit, 100, 2 * maxLimit}}

// depthFor gives the step for so many results.
func depthFor(results int) depth {
	for _, d := range depths {
		if results < d.whole {
			return d
		}
	}
	return depths[len(depths)-1]
}

// candidate is a memory that may be a result.
type candidate struct {
	hit     memory.Hit // its observation is zero until it is read
	id      int64
	item    *memory.ItemHit // of a summary or prompt, nil of an observation
	share   float64         // of the former, see summaryShare
	keyword float64         // as the store gives it, 0 where no word was found
	meaning *memory.Meaning

	words, letters, near float64 // see scorer
	size                 int     // pieces of words in its text
	score                Score
	said                 *said // nil until it is asked for
}

// gathering is what a search has to choose from.
type gathering struct {
	candidates []*candidate // observations
	items      []*candidate // summaries and prompts
	ideal      float64
	words      []string // of the search
	rarity     map[string]float64
	model      string     // by whose encodings meanings are compared
	meant      comparison // nil where they are not
	snippet    func(memory.Observation) string
	notes      []string
}

// gatherBoth finds what may be a result, by words and by meaning. What goes wrong with
// meanings is a note, for the words alone find much.
func gatherBoth(ctx context.Context, src HybridSource, q Query, plain plainText) (*gathering, error) {
	deep := depthFor(q.Offset + q.Limit)
	g := &gathering{words: static.Words(plain.text)}
	var (
		matches  store.Matches
		items    store.ItemMatches
		errs     [2]error
		matching sync.WaitGroup
	)
	if takesObservations(q.Filter) {
		matching.Go(func() { matches, errs[0] = src.Match(ctx, q.Text, q.Filter, deep.byWords) })
	}
	if other, ok := src.(ItemMatcher); ok {
		matching.Go(func() { items, errs[1] = other.MatchItems(ctx, q.Text, q.Filter, deep.items) })
	}
	near, failed := g.nearest(ctx, src, q, plain, deep.byMeaning)
	matching.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	if err := missedByIndex(ctx, src, q.Filter, len(matches.Hits), items); err != nil {
		return nil, err
	}
	g.ideal, g.snippet = matches.Ideal, matches.Snippet
	byID := make(map[int64]*candidate, len(matches.Hits)+len(near))
	add := func(c candidate) *candidate {
		byID[c.id] = &c
		g.candidates = append(g.candidates, &c)
		return &c
	}
	for _, h := range matches.Hits {
		add(candidate{id: h.Observation.ID, hit: h, keyword: h.Keyword})
	}
	if g.meant != nil && len(matches.Hits) == 0 && !g.meant.isKnown() {
		near = nil // a name that is nowhere: what looks like it is not what was meant
	}
	if g.meant != nil && failed == nil {
		failed = g.compare(ctx, src, near, byID, func(m memory.Meaning) *candidate {
			return add(candidate{id: m.ID})
		})
	}
	if failed != nil {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g.meant = nil
		g.notes = append(g.notes, "Searched by words only: what memories mean could not be read ("+failed.Error()+").")
	}
	g.gatherItems(items)
	return g, nil
}

// ErrIndex says that the search index does not know what is stored, so that what
// it finds and does not find means nothing.
var ErrIndex = errors.New("the search index is behind what is stored; `cmem doctor --fix` rebuilds it")

// IndexProber tells of a store's indexes of words whether they know what is stored.
type IndexProber interface {
	IndexKnows(ctx context.Context, kind memory.ItemKind) (bool, error)
}

// missedByIndex gives ErrIndex where a kind of memories was looked for and nothing of it
// found because its index does not know what is stored: that must not look as if nothing
// were there.
func missedByIndex(ctx context.Context, src HybridSource, f memory.Filter, observations int, items store.ItemMatches) error {
	prober, ok := src.(IndexProber)
	if !ok {
		return nil
	}
	for _, of := range []struct {
		kind  memory.ItemKind
		found int
	}{
		{memory.KindObservation, observations}, {memory.KindSummary, len(items.Summaries.Hits)}, {memory.KindPrompt, len(items.Prompts.Hits)},
	} {
		if of.found > 0 || len(f.Kinds) > 0 && !slices.Contains(f.Kinds, of.kind) {
			continue
		}
		if err := knowsWhatIsStored(ctx, prober, of.kind); err != nil {
			return err
		}
	}
	return nil
}

// knowsWhatIsStored gives ErrIndex where the index of a kind does not know what is stored.
func knowsWhatIsStored(ctx context.Context, src IndexProber, kind memory.ItemKind) error {
	known, err := src.IndexKnows(ctx, kind)
	if err == nil && !known {
		err = fmt.Errorf("the words of each %s: %w", kind, ErrIndex)
	}
	return err
}

// nearest prepares the comparison of meanings and gives the encodings that are
// nearest to the search.
func (g *gathering) nearest(ctx context.Context, src HybridSource, q Query, plain plainText, limit int) ([]memory.Meaning, error) {
	if len(g.words) == 0 {
		return nil, nil
	}
	rarities, err := src.Rarities(ctx, g.words)
	if err == nil && len(rarities) != len(g.words) {
		err = fmt.Errorf("%d rarities for %d words", len(rarities), len(g.words))
	}
	if err != nil {
		return nil, err
	}
	g.rarity = make(map[string]float64, len(g.words))
	for i, w := range g.words {
		g.rarity[w] = rarities[i]
	}
	if q.Weights.orDefault().Semantic <= 0 {
		return nil, nil // a person does not want it
	}
	observations, models, notes := takesObservations(q.Filter), q.Models, g.notes
	if !observations && len(models) > 0 {
		models = nil // the others are compared by the table, if at all
	}
	if err := g.choose(ctx, src, models, plain.text); err != nil || g.meant == nil {
		return nil, err
	}
	if !observations {
		g.notes = notes
	}
	if plain.isQuoted || !observations {
		return nil, nil // what may be found the words say
	}
	return src.Near(ctx, g.model, g.meant.vector(), q.Filter, limit)
}

// compare tells each candidate how near it is to the search, and adds those that
// only their meaning brings.
func (g *gathering) compare(ctx context.Context, src HybridSource, near []memory.Meaning, byID map[int64]*candidate, add func(memory.Meaning) *candidate) error {
	known := make(map[int64]bool, len(near))
	for _, m := range near {
		known[m.ID] = true
	}
	var ids []int64
	for _, c := range g.candidates {
		if !known[c.id] {
			ids = append(ids, c.id)
		}
	}
	others, err := src.Meanings(ctx, g.model, ids)
	if err != nil {
		return err
	}
	for _, list := range [][]memory.Meaning{near, others} {
		for _, m := range list {
			near, ok := g.meant.near(m)
			if !ok {
				continue // judged by its words, if it has any
			}
			c := byID[m.ID]
			if c == nil {
				c = add(m)
			}
			c.meaning, c.near = &m, near
		}
	}
	return nil
}

// read fetches the observations of candidates that the words did not find. Those
// that are gone by now, or hold what must not stand, are left out.
func read(ctx context.Context, src HybridSource, list []*candidate, plain plainText) ([]*candidate, error) {
	byID := map[int64]*candidate{}
	var ids []int64
	for _, c := range list {
		if c.hit.Observation.ID == 0 {
			byID[c.id] = c
			ids = append(ids, c.id)
		}
	}
	if len(ids) == 0 {
		return list, nil
	}
	observations, err := src.Observations(ctx, ids)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	for _, o := range observations {
		if c := byID[o.ID]; c != nil && !plain.holdsUnwanted(textOf(o)) {
			c.hit.Observation = o
		}
	}
	kept := list[:0]
	for _, c := range list {
		if c.hit.Observation.ID != 0 {
			kept = append(kept, c)
		}
	}
	return kept, nil
}
