package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"cmem/store"
)

const (
	// turnBack makes a store of the newest schema one of the schema before.
	turnBack = `DROP TRIGGER user_prompts_indexed; DROP TRIGGER user_prompts_unindexed; DROP TRIGGER user_prompts_reindexed;
		DROP TRIGGER session_summaries_indexed; DROP TRIGGER session_summaries_unindexed; DROP TRIGGER session_summaries_reindexed;
		DROP TABLE user_prompts_fts; DROP TABLE session_summaries_fts; DROP TABLE search_indexes; DROP INDEX observations_global;
		ALTER TABLE user_prompts DROP COLUMN tokens; ALTER TABLE session_summaries DROP COLUMN tokens;
		CREATE TABLE search_tokens (only INTEGER PRIMARY KEY CHECK (only = 1), version INTEGER NOT NULL, below INTEGER NOT NULL);
		INSERT INTO search_tokens (only, version, below) VALUES (1, 1, 0);
		PRAGMA user_version = 4;`
	turnsBackFrom = 5

	upkeepHooks   = 1000 // to be measured at least
	upkeepWaiting = 20_000
)

// upkeep measures hooks, many at once, while a worker is busy with the store itself:
// it migrates the largest one, with the backup before, and it folds the log while it drains.
func (b *bench) upkeep(ctx context.Context) error {
	migrating, err := b.whileMigrating(ctx)
	if err != nil {
		return err
	}
	folding, err := b.whileFolding(ctx)
	if err != nil {
		return err
	}
	for _, r := range []loaded{migrating, folding} {
		b.targetOf("upkeep", "p99 of "+r.name, r.p99/r.median, 3, "× median", fmt.Sprintf("%.1f ms of %.1f ms", r.p99, r.median))
	}
	return nil
}

// whileMigrating migrates the store again and again until enough was measured.
func (b *bench) whileMigrating(ctx context.Context) (loaded, error) {
	largest := b.stores[len(b.stores)-1]
	var list []sample
	times := 0
	for ; len(list) < upkeepHooks; times++ {
		dir := filepath.Join(b.work, fmt.Sprint("migrating-", times))
		if err := makeSpool(dir); err != nil {
			return loaded{}, err
		}
		path := filepath.Join(dir, "cmem.db")
		if _, err := store.MakeBackup(ctx, filepath.Join(largest.Dir, "cmem.db"), path, false); err != nil {
			return loaded{}, err
		}
		if err := turnStoreBack(ctx, path); err != nil {
			return loaded{}, err
		}
		some, err := b.besideWorker(ctx, dir, func(ctx context.Context) error { return untilReadable(ctx, path) })
		if err != nil {
			return loaded{}, err
		}
		list = append(list, some...)
		if err := os.RemoveAll(dir); err != nil {
			return loaded{}, err
		}
	}
	b.figure("upkeep", fmt.Sprintf("migrations of %d observations, with their backups", largest.Observations), float64(times), "times")
	return b.loadRow("upkeep", "PostToolUse, 16 at once, while the worker migrates", list), nil
}

func turnStoreBack(ctx context.Context, path string) (err error) {
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version != turnsBackFrom {
		return fmt.Errorf("a store of schema %d cannot be turned back, only one of %d", version, turnsBackFrom)
	}
	_, err = db.ExecContext(ctx, turnBack)
	return err
}

// untilReadable waits until the worker has made or migrated the store.
func untilReadable(ctx context.Context, path string) error {
	for {
		s, err := store.OpenReadOnly(ctx, path)
		if err == nil {
			return s.Close()
		}
		if !errors.Is(err, store.ErrNoStore) && !errors.Is(err, store.ErrOldSchema) && !errors.Is(err, store.ErrBusy) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// whileFolding lets the worker drain while the log is folded into the store and cut
// after every few transactions.
func (b *bench) whileFolding(ctx context.Context) (loaded, error) {
	dir := filepath.Join(b.work, "folding")
	if err := makeSpool(dir); err != nil {
		return loaded{}, err
	}
	if err := b.replay(dir, upkeepWaiting); err != nil {
		return loaded{}, err
	}
	path := filepath.Join(dir, "cmem.db")
	folded := 0
	list, err := b.besideWorker(ctx, dir, func(ctx context.Context) (err error) {
		if err := untilReadable(ctx, path); err != nil {
			return err
		}
		db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?_pragma=busy_timeout(5000)")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
		db.SetMaxOpenConns(1)
		for begin := time.Now(); time.Since(begin) < 15*time.Second; {
			var busy, pages, written int
			if err := db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &written); err != nil {
				return err
			}
			if busy == 0 && pages >= 0 {
				folded++
			}
			time.Sleep(20 * time.Millisecond)
		}
		return nil
	})
	if err != nil {
		return loaded{}, err
	}
	b.figure("upkeep", "the log was folded and cut while the worker drained", float64(folded), "times")
	return b.loadRow("upkeep", "PostToolUse, 16 at once, while the worker drains and the log is folded", list), nil
}

// besideWorker runs hooks of many sessions at the same time, beside a worker in dir,
// for as long as do takes.
func (b *bench) besideWorker(ctx context.Context, dir string, do func(context.Context) error) (list []sample, err error) {
	_, ended, err := b.startWorker(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stopWorker(dir, ended)) }()
	var done atomic.Bool
	did := make(chan error, 1)
	go func() {
		did <- do(ctx)
		done.Store(true)
	}()
	list, err = b.loadWhile(ctx, dir, func(int) bool { return !done.Load() })
	return list, errors.Join(err, <-did)
}
