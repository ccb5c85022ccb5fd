package store

import (
	"context"
	"errors"
	"fmt"

	sqlite3 "modernc.org/sqlite/lib"
)

// ranking is the setting of the index that says how much its columns weigh.
const ranking = "SELECT v FROM observations_fts_config WHERE k = 'rank'"

func scanText(r row) (text string, err error) { return text, r.Scan(&text) }
func scanNumber(r row) (n int64, err error)   { return n, r.Scan(&n) }

// checkSearch lets FTS5 compare the index with the observations. That is a
// command, which is written like an insert; it changes nothing.
func (s *Store) checkSearch(ctx context.Context) ([]Finding, error) {
	err := s.transact(ctx, func(t tx) error {
		_, err := t.exec(ctx, "INSERT INTO observations_fts (observations_fts, rank) VALUES ('integrity-check', 1)")
		return err
	})
	problem := ""
	switch {
	case err == nil:
	// An index so torn that FTS5 cannot open it is told as an ordinary error. Any
	// other, as of a lock or of the disk, tells nothing about the index.
	case !errors.Is(err, ErrBusy) && (isDamage(err) || hasCode(err, sqlite3.SQLITE_ERROR)):
		problem = "it differs from the observations"
	default:
		return nil, err
	}
	rows, err := number(ctx, s.read, "SELECT count(*) FROM observations")
	if err != nil {
		return nil, err
	}
	indexed, err := number(ctx, s.read, "SELECT count(*) FROM observations_fts_docsize")
	switch {
	case isBusy(err) || ctx.Err() != nil:
		return nil, err
	case err != nil:
		problem = "it cannot be read"
	case indexed != rows:
		problem = fmt.Sprintf("it has %d of %d observations", indexed, rows)
	}
	if problem != "" {
		return searchFinding(problem + ", so searches miss memories"), nil
	}
	want, err := fresh(ctx, scanText, ranking)
	if err != nil {
		return nil, err
	}
	have, err := one(ctx, s.read, scanText, ranking)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return nil, err
	}
	if have != want[0] {
		return searchFinding("its weights are not ours, so searches rank memories wrongly"), nil
	}
	return nil, nil
}

func searchFinding(problem string) []Finding {
	return []Finding{{Name: CheckSearch, Problem: problem, Advice: "rebuild the search index", Fixable: true}}
}

func (s *Store) fixSearch(ctx context.Context) error {
	rank, err := fresh(ctx, scanText, ranking)
	if err != nil {
		return err
	}
	version, err := fresh(ctx, scanNumber, "SELECT v FROM observations_fts_config WHERE k = 'version'")
	if err != nil {
		return err
	}
	return s.transact(ctx, func(t tx) error {
		for _, step := range []struct {
			statement string
			args      []any
		}{
			// FTS5 opens no index without a version, not even to rebuild it.
			{"INSERT OR IGNORE INTO observations_fts_config (k, v) VALUES ('version', ?)", []any{version[0]}},
			{"INSERT INTO observations_fts (observations_fts) VALUES ('rebuild')", nil},
			{"INSERT INTO observations_fts (observations_fts, rank) VALUES ('rank', ?)", []any{rank[0]}},
		} {
			if _, err := t.exec(ctx, step.statement, step.args...); err != nil {
				return err
			}
		}
		return nil
	})
}
