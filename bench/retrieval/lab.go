package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"cmem/llm/static"
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
	list, now := g.observations()
	if err := o.fill(ctx, s, list); err != nil {
		return err
	}
	ids := map[string]string{}
	for i, d := range g.Docs {
		ids[list[i].UID] = d.ID
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

// fill puts the observations into a store and encodes them.
func (o *outcome) fill(ctx context.Context, s *store.Store, list []memory.Observation) error {
	const atOnce = 200
	o.docs += len(list)
	from := time.Now()
	for some := range slices.Chunk(list, atOnce) {
		if _, err := s.Import(ctx, store.Bundle{Observations: some}); err != nil {
			return err
		}
	}
	o.stored += time.Since(from)
	from = time.Now()
	model := static.Model{}
	if err := s.UseModel(ctx, model.ID()); err != nil {
		return err
	}
	for {
		due, err := s.DueMeanings(ctx, model.ID(), atOnce)
		if err != nil || len(due) == 0 {
			o.encoded += time.Since(from)
			return err
		}
		meanings, err := model.Embed(ctx, due)
		if err != nil {
			return err
		}
		if _, err := s.SaveMeanings(ctx, model.ID(), due, meanings); err != nil {
			return err
		}
	}
}

// search answers a question in one of the ways.
func search(ctx context.Context, s *store.Store, way, text string, now time.Time, ids map[string]string) (a found, err error) {
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
			a.ids = append(a.ids, ids[h.Observation.UID])
		}
		return a, err
	}
	q := recall.Query{Text: text, Limit: resultCount, Now: now}
	if way == bySemantic {
		q.Weights = recall.Weights{Semantic: 1}
	}
	answer, err := recall.Search(ctx, s, q)
	for _, r := range answer.Results {
		a.ids = append(a.ids, ids[r.Observation.UID])
	}
	a.sure = len(answer.Results) > 0 && answer.Results[0].Score.Relevance >= recall.Sure
	return a, err
}
