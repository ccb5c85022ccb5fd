package store

import (
	"context"
	"errors"
	"fmt"

	sqlite3 "modernc.org/sqlite/lib"
)

// ranking is the setting of an index that says how much its columns weigh.
const ranking = "SELECT v FROM $fts_config WHERE k = 'rank'"

func scanText(r row) (text string, err error) { return text, r.Scan(&text) }
func scanNumber(r row) (n int64, err error)   { return n, r.Scan(&n) }

// wordsForPeople is what the rows of an index are called.
var wordsForPeople = map[*wordIndex]string{observationWords: "observations", summaryWords: "summaries", promptWords: "prompts"}

func (s *Store) checkSearch(ctx context.Context) (findings []Finding, err error) {
	for _, x := range wordIndexes {
		found, err := s.checkIndex(ctx, x)
		if err != nil {
			return nil, err
		}
		findings = append(findings, found...)
	}
	return findings, nil
}

// checkIndex lets FTS5 compare an index with its rows. That is a command, which is
// written like an insert; it changes nothing. An index that is still being filled is
// compared with itself only.
func (s *Store) checkIndex(ctx context.Context, x *wordIndex) ([]Finding, error) {
	const unindexed = "coalesce((SELECT unindexed FROM search_indexes WHERE name = ?), 0)"
	err := s.transact(ctx, func(t tx) error {
		whole, err := number(ctx, t, "SELECT "+unindexed+" = 0", x.table)
		if err != nil {
			return err
		}
		_, err = t.exec(ctx, x.query("INSERT INTO $fts ($fts, rank) VALUES ('integrity-check', ?)"), whole)
		return err
	})
	what := wordsForPeople[x]
	problem := ""
	switch {
	case err == nil:
	// An index so torn that FTS5 cannot open it is told as an ordinary error. Any
	// other, as of a lock or of the disk, tells nothing about the index.
	case !errors.Is(err, ErrBusy) && (isDamage(err) || hasCode(err, sqlite3.SQLITE_ERROR)):
		problem = "it differs from the " + what
	default:
		return nil, err
	}
	var rows, indexed int64
	_, err = one(ctx, s.read, func(r row) (struct{}, error) { return struct{}{}, r.Scan(&rows, &indexed) },
		x.query("SELECT (SELECT count(*) FROM $table WHERE id >= "+unindexed+"), (SELECT count(*) FROM $fts_docsize)"), x.table)
	switch {
	case isBusy(err) || ctx.Err() != nil:
		return nil, err
	case err != nil:
		problem = "it cannot be read"
	case indexed != rows:
		problem = fmt.Sprintf("it has %d of %d %s", indexed, rows, what)
	}
	if problem != "" {
		return searchFinding(problem + ", so searches miss memories"), nil
	}
	want, err := fresh(ctx, scanText, x.query(ranking))
	if err != nil {
		return nil, err
	}
	have, err := one(ctx, s.read, scanText, x.query(ranking))
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
	for _, x := range wordIndexes {
		found, err := s.checkIndex(ctx, x)
		if err == nil && len(found) > 0 {
			err = s.rebuild(ctx, x)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rebuild makes an index anew, from all the rows.
func (s *Store) rebuild(ctx context.Context, x *wordIndex) error {
	rank, err := fresh(ctx, scanText, x.query(ranking))
	if err != nil {
		return err
	}
	version, err := fresh(ctx, scanNumber, x.query("SELECT v FROM $fts_config WHERE k = 'version'"))
	if err != nil {
		return err
	}
	return s.transact(ctx, func(t tx) error {
		for _, step := range []struct {
			statement string
			args      []any
		}{
			// FTS5 opens no index without a version, not even to rebuild it.
			{x.query("INSERT OR IGNORE INTO $fts_config (k, v) VALUES ('version', ?)"), []any{version[0]}},
			{x.query("INSERT INTO $fts ($fts) VALUES ('rebuild')"), nil},
			{x.query("INSERT INTO $fts ($fts, rank) VALUES ('rank', ?)"), []any{rank[0]}},
			{"UPDATE search_indexes SET unindexed = 0 WHERE name = ?", []any{x.table}},
		} {
			if _, err := t.exec(ctx, step.statement, step.args...); err != nil {
				return err
			}
		}
		return nil
	})
}
