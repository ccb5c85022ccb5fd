package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"cmem/bench/corpus"
	"cmem/memory"
	"cmem/store"
)

const (
	yearVersion   = 1 // of what is generated; part of the name of a cached store
	eventsPer     = 2 // raw events for an observation
	eventsAtATime = 5000
	yearDrain     = 500 // events that a worker finds waiting
	yearDrains    = 3   // how often
)

// yearLimits are how many times as long something may take in the largest store of
// a year as in the smallest.
var yearLimits = map[string]float64{
	"PostToolUse": 1.5, "SessionStart": 1.5, "timeline, newest page": 2, "timeline, a page in the middle": 2,
	"search, rare word": 2, "search, common word": 4, "drain and remember": 2,
}

// year measures what a store costs that has grown for long, with every raw event
// still in it: two events for each observation, two million at 1M.
func (b *bench) year(ctx context.Context) (err error) {
	// What is smaller is no year of anybody's.
	smallest := max(slices.IndexFunc(b.stores, func(s corpus.Store) bool { return s.Observations >= 10_000 }), 0)
	stores := slices.Compact([]int{smallest, len(b.stores) - 1})
	edit, err := b.payload("PostToolUse-Edit")
	if err != nil {
		return err
	}
	start, err := b.payload("SessionStart-startup-print")
	if err != nil {
		return err
	}
	var quick []contender
	var dirs []string
	for _, i := range stores {
		s := b.stores[i]
		dir, err := b.yearOf(ctx, s, edit)
		if err != nil {
			return err
		}
		dirs = append(dirs, dir)
		db, err := store.OpenReadOnly(ctx, filepath.Join(dir, "cmem.db"))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, db.Close()) }() //nolint:gocritic // two of them, open until all is measured
		if err := b.tellSizes(ctx, db, s.Observations); err != nil {
			return err
		}
		add := func(name string, run func(context.Context) (sample, error)) {
			quick = append(quick, contender{name: name, against: name, observations: s.Observations, run: run})
		}
		inStore := func(name string, do func(context.Context) (found int, err error)) {
			add(name, func(ctx context.Context) (sample, error) {
				begin := time.Now()
				n, err := do(ctx)
				if err == nil && n == 0 {
					err = fmt.Errorf("%s: nothing found", name)
				}
				return sample{wall: time.Since(begin)}, err
			})
		}
		add("PostToolUse", func(ctx context.Context) (sample, error) { return b.process(ctx, dir, edit, nil, b.cmem) })
		add("SessionStart", func(ctx context.Context) (sample, error) { return b.process(ctx, dir, start, isContext, b.cmem) })
		for _, q := range s.Queries {
			if q.Name == "rare word" || q.Name == "common word" {
				inStore("search, "+q.Name, func(ctx context.Context) (int, error) {
					hits, err := db.Search(ctx, q.Text, memory.Filter{}, searchLimit)
					return len(hits), err
				})
			}
		}
		inStore("timeline, newest page", func(ctx context.Context) (int, error) {
			items, err := db.Timeline(ctx, memory.Filter{}, memory.Cursor{}, 50)
			return len(items), err
		})
		middle, err := db.Observations(ctx, []int64{int64(s.Observations / 2)})
		if err != nil {
			return err
		}
		cursor := memory.Cursor{EpochMS: middle[0].CreatedAt.UnixMilli(), Kind: memory.KindObservation, ID: middle[0].ID}
		inStore("timeline, a page in the middle", func(ctx context.Context) (int, error) {
			items, err := db.Timeline(ctx, memory.Filter{Project: middle[0].Project}, cursor, 50)
			return len(items), err
		})
	}
	stop, err := pretendWorker(dirs...)
	if err != nil {
		return err
	}
	from := len(b.Rows)
	for len(quick) > 0 { // what is the same takes turns
		same := slices.DeleteFunc(slices.Clone(quick), func(c contender) bool { return c.name != quick[0].name })
		quick = slices.DeleteFunc(quick, func(c contender) bool { return c.name == same[0].name })
		if err := b.race(ctx, "year", b.rounds, same); err != nil {
			return errors.Join(err, stop())
		}
	}
	if err := stop(); err != nil {
		return err
	}
	var drains []contender
	for i, dir := range dirs {
		drains = append(drains, contender{
			name: "drain and remember", against: "drain and remember", observations: b.stores[stores[i]].Observations,
			run: func(ctx context.Context) (sample, error) {
				if err := errors.Join(makeSpool(dir), b.replay(dir, yearDrain)); err != nil {
					return sample{}, err
				}
				_, whole, err := b.work1(ctx, dir)
				return whole, err
			},
		})
	}
	if err := b.race(ctx, "year", yearDrains, drains); err != nil {
		return err
	}
	if len(stores) > 1 {
		b.yearTargets(b.Rows[from:])
	}
	return nil
}

// yearTargets compares the largest store with the smallest.
func (b *bench) yearTargets(rows []Row) {
	largest := b.stores[len(b.stores)-1].Observations
	for _, r := range rows {
		if limit, known := yearLimits[r.Name]; known && r.Observations == largest {
			b.Targets = append(b.Targets, Target{
				Part: "year", Name: r.Name, Value: r.WallRatio, Limit: limit, Unit: "×", Met: r.WallRatio <= limit, Note: r.Against,
			})
		}
	}
}

// tellSizes says how large a store of a year is, and what of it could go.
func (b *bench) tellSizes(ctx context.Context, db *store.Store, observations int) error {
	z, err := db.Sizes(ctx)
	if err != nil {
		return err
	}
	t, err := db.Totals(ctx, "")
	if err != nil {
		return err
	}
	at := " at " + sizeName(observations)
	b.figure("year", "events"+at, float64(t.Events), "")
	b.figure("year", "store"+at, float64(z.File+z.Log)/1e6, "MB")
	b.figure("year", "raw events"+at+", which retention.raw_days would drop", float64(z.RawEvents)/1e6, "MB")
	b.figure("year", "search index"+at, float64(z.Search)/1e6, "MB")
	b.figure("year", "free pages"+at+", which cmem compact would give back", float64(z.Free)/1e6, "MB")
	return nil
}

// yearOf gives the data directory with a store of a year, from beside the store
// that it is made from where it was made before.
func (b *bench) yearOf(ctx context.Context, from corpus.Store, payload []byte) (dir string, err error) {
	dir = filepath.Join(filepath.Dir(from.Dir), fmt.Sprintf("year-v%d-%d", yearVersion, from.Observations))
	path := filepath.Join(dir, "cmem.db")
	if _, err := os.Stat(path); err == nil {
		db, err := store.Open(ctx, path) // lets it migrate
		if err != nil {
			return dir, err
		}
		return dir, db.Close()
	}
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil {
		return dir, err
	}
	building := path + ".building"
	if _, err := store.MakeBackup(ctx, filepath.Join(from.Dir, "cmem.db"), building, true); err != nil {
		return dir, err
	}
	if err := addYear(ctx, building, from.Observations*eventsPer, payload); err != nil {
		return dir, fmt.Errorf("build a year of %s observations: %w", sizeName(from.Observations), err)
	}
	return dir, os.Rename(building, path)
}

// addYear gives the sessions of a store that many raw events, in batches that are
// done.
func addYear(ctx context.Context, path string, events int, payload []byte) (err error) {
	db, err := store.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	totals, err := db.Totals(ctx, "")
	if err != nil {
		return err
	}
	each, made, told := events/max(totals.Sessions, 1)+1, 0, time.Now()
	var list []memory.Event
	var after memory.Cursor
	for made < events {
		sessions, err := db.Sessions(ctx, memory.Filter{}, after, 500)
		if err != nil || len(sessions) == 0 {
			return err
		}
		last := sessions[len(sessions)-1]
		after = memory.Cursor{EpochMS: last.CreatedAt.UnixMilli(), ID: last.RowID}
		for _, s := range sessions {
			for range min(each, events-made) {
				at := s.CreatedAt.Add(time.Duration(made%each) * 5 * time.Second)
				raw := bytes.Replace(payload, []byte(`"tool_use_id":"`), fmt.Appendf(nil, `"tool_use_id":"%d-`, made), 1)
				list = append(list, memory.Event{
					ID: fmt.Sprintf("%013d-%08d", at.UnixMilli(), made), SessionID: s.ID, Project: s.Project, CWD: s.CWD,
					Name: memory.EventPostToolUse, ToolName: "Edit", ToolUseID: fmt.Sprint(made), CreatedAt: at, Raw: raw,
				})
				made++
			}
		}
		for some := range slices.Chunk(list, eventsAtATime) {
			if _, err := db.AddEvents(ctx, some); err != nil {
				return err
			}
		}
		list = list[:0]
		if err := finishAll(ctx, db); err != nil {
			return err
		}
		if time.Since(told) > 10*time.Second {
			told = time.Now()
			fmt.Fprintf(os.Stderr, "generating %d events: %d %%\n", events, 100*made/events)
		}
	}
	return nil
}

// finishAll groups what waits and says that nothing came of it.
func finishAll(ctx context.Context, db *store.Store) error {
	if _, err := db.GroupEvents(ctx, time.Now(), 0, 60); err != nil {
		return err
	}
	for {
		open, err := db.OpenBatches(ctx, 0, 500)
		if err != nil || len(open) == 0 {
			return err
		}
		for _, batch := range open {
			if _, err := db.FinishBatch(ctx, batch.ID, nil, memory.BatchDone); err != nil {
				return err
			}
		}
	}
}
