package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"cmem/memory"
	"cmem/store"
)

const (
	searchLimit  = 20
	searchRounds = 15
)

// search measures `cmem search` as a process and the search alone in an open
// store, for words of every kind at every size.
func (b *bench) search(ctx context.Context) (err error) {
	open := map[int]*store.Store{}
	defer func() {
		for _, s := range open {
			err = errors.Join(err, s.Close())
		}
	}()
	for _, s := range b.stores {
		db, err := store.OpenReadOnly(ctx, filepath.Join(s.Dir, "cmem.db"))
		if err != nil {
			return err
		}
		open[s.Observations] = db
	}
	rounds := min(searchRounds, b.rounds)
	start := contender{name: "cmem --version", run: func(ctx context.Context) (sample, error) {
		return b.process(ctx, b.work, nil, nil, b.cmem, "--version")
	}}
	if err := b.race(ctx, "search", rounds, []contender{start}); err != nil {
		return err
	}
	for i, kind := range b.stores[0].Queries {
		var contenders []contender
		for _, s := range b.stores {
			text := s.Queries[i].Text
			contenders = append(contenders, contender{
				name: kind.Name, observations: s.Observations,
				run: func(ctx context.Context) (sample, error) {
					return b.process(ctx, s.Dir, nil, hasHits, b.cmem, "search", "--json", "-n", fmt.Sprint(searchLimit), "--", text)
				},
			}, contender{
				name: kind.Name + ", in the store", observations: s.Observations,
				run: func(ctx context.Context) (sample, error) {
					begin := time.Now()
					hits, err := open[s.Observations].Search(ctx, text, memory.Filter{}, searchLimit)
					if err == nil && len(hits) == 0 {
						err = fmt.Errorf("nothing found for %q", text)
					}
					return sample{wall: time.Since(begin)}, err
				},
			})
		}
		if err := b.race(ctx, "search", rounds, contenders); err != nil {
			return err
		}
	}
	return nil
}

func hasHits(out []byte) error {
	if len(out) < 100 {
		return errors.New("nothing was found")
	}
	return nil
}
