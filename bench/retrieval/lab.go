package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"cmem/bench/corpus"
	"cmem/memory"
	"cmem/recall"
	"cmem/store"
)

// The ways of searching that are compared.
const (
	byKeyword  = "keyword"
	bySemantic = "semantic"
	byBoth     = "hybrid"
)

var ways = []string{byKeyword, bySemantic, byBoth}

// resultCount is how many results a search is asked for.
const resultCount = 20

// outcome is what was measured with a set.
type outcome struct {
	name string
	// figures by way of searching and by kind of question, "" for all.
	figures map[string]map[string]*figures
	docs    int
	stored  time.Duration // for all documents, into the store and its index of words
	encoded time.Duration // for all documents, for being found by meaning
	bytes   int64         // of the stores
}

// measure searches a set in each of the ways.
func measure(ctx context.Context, s set) (outcome, error) {
	o := outcome{name: s.Name, figures: map[string]map[string]*figures{}}
	for _, way := range ways {
		o.figures[way] = map[string]*figures{}
	}
	for _, g := range s.Groups {
		if err := o.measure(ctx, g); err != nil {
			return o, fmt.Errorf("measure %s: %w", s.Name, err)
		}
	}
	return o, nil
}

func (o *outcome) measure(ctx context.Context, g group) (err error) {
	dir, err := os.MkdirTemp("", "cmem-retrieval-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "cmem.db")
	s, err := store.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	all, now := g.memories()
	if err := o.fill(ctx, s, all); err != nil {
		return err
	}
	ids, err := g.ids(ctx, s)
	if err != nil {
		return err
	}
	for _, q := range g.Queries {
		for _, way := range ways {
			a, err := search(ctx, s, way, q.Query, now, ids)
			if err != nil {
				return fmt.Errorf("search %q: %w", q.Query, err)
			}
			for _, kind := range []string{"", q.Kind} {
				if o.figures[way][kind] == nil {
					o.figures[way][kind] = &figures{}
				}
				o.figures[way][kind].add(q, a)
			}
		}
	}
	sizes, err := s.Sizes(ctx)
	o.bytes += sizes.File + sizes.Log - sizes.Free
	return err
}

// ids gives the documents by where they are in a store that holds them.
func (g group) ids(ctx context.Context, s *store.Store) (map[memory.Ref]string, error) {
	byUID := map[string]string{}
	for i, d := range g.Docs {
		byUID[uidOf(i)] = d.ID
	}
	ids := map[memory.Ref]string{}
	for x, err := range s.ScanObservations(ctx, memory.Filter{}) {
		if err != nil {
			return nil, err
		}
		ids[memory.Ref{Kind: memory.KindObservation, ID: x.ID}] = byUID[x.UID]
	}
	for x, err := range s.ScanSummaries(ctx, memory.Filter{}) {
		if err != nil {
			return nil, err
		}
		ids[memory.Ref{Kind: memory.KindSummary, ID: x.ID}] = byUID[x.UID]
	}
	for x, err := range s.ScanPrompts(ctx, memory.Filter{}) {
		if err != nil {
			return nil, err
		}
		ids[memory.Ref{Kind: memory.KindPrompt, ID: x.ID}] = byUID[uidOf(x.Number-1)]
	}
	return ids, nil
}

// fill puts memories into a store and encodes the observations.
func (o *outcome) fill(ctx context.Context, s *store.Store, all store.Bundle) error {
	const atOnce = 200
	list := all.Observations
	o.docs += len(list)
	if _, err := s.Import(ctx, store.Bundle{Prompts: all.Prompts, Summaries: all.Summaries}); err != nil {
		return err
	}
	from := time.Now()
	for some := range slices.Chunk(list, atOnce) {
		if _, err := s.Import(ctx, store.Bundle{Observations: some}); err != nil {
			return err
		}
	}
	o.stored += time.Since(from)
	from = time.Now()
	err := corpus.Encode(ctx, s, nil)
	o.encoded += time.Since(from)
	return err
}

// search answers a question in one of the ways.
func search(ctx context.Context, s *store.Store, way, text string, now time.Time, ids map[memory.Ref]string) (a found, err error) {
	from := time.Now()
	defer func() {
		a.took = time.Since(from)
		if errors.Is(err, store.ErrEmptyQuery) {
			err = nil
		}
	}()
	if way == byKeyword {
		m, err := s.Match(ctx, text, memory.Filter{}, resultCount)
		for _, h := range m.Hits {
			a.ids = append(a.ids, ids[memory.Ref{Kind: memory.KindObservation, ID: h.Observation.ID}])
		}
		return a, err
	}
	q := recall.Query{Text: text, Limit: resultCount, Now: now}
	if way == bySemantic {
		q.Weights = recall.Weights{Semantic: 1}
	}
	answer, err := recall.Search(ctx, s, q)
	for _, r := range answer.Results {
		a.ids = append(a.ids, ids[r.Ref()])
	}
	a.sure = len(answer.Results) > 0 && answer.Results[0].Score.Relevance >= recall.Sure
	return a, err
}
