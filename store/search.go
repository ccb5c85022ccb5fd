package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cmem/memory"
)

// maxScored bounds how many matches of a common word are scored: the newest.
const maxScored = 10000

// Search gives the observations that match a text as a person types it, best
// first by keyword alone. All words must match; when no observation has them
// all, those that have some are given. A text without a letter or digit is
// ErrEmptyQuery.
func (s *Store) Search(ctx context.Context, text string, f memory.Filter, limit int) ([]memory.Hit, error) {
	q, err := parseQuery(text)
	if err != nil {
		return nil, err
	}
	narrow, err := s.narrowed(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("search observations: %w", err)
	}
	// From the narrow to the wide reading, until there is enough. The unfinished
	// last word comes second: collecting all words with a common beginning takes
	// long, and who typed a whole word means that one.
	hits, err := s.match(ctx, q.whole, narrow, limit)
	if err == nil && len(hits) < limit && q.all != q.whole {
		hits, err = s.match(ctx, q.all, narrow, limit)
	}
	if err == nil && len(hits) == 0 && q.any != q.all {
		hits, err = s.match(ctx, q.any, narrow, limit)
	}
	if err != nil {
		return nil, fmt.Errorf("search observations: %w", err)
	}
	for i := range hits {
		if hits[i].Snippet == "" {
			hits[i].Snippet = markWide(hits[i].Observation, q.wide)
		}
	}
	return hits, nil
}

// match gives the best matches of an FTS5 expression.
func (s *Store) match(ctx context.Context, expr string, f filter, limit int) ([]memory.Hit, error) {
	// Scoring a match takes much longer than finding it. Where a word stands in
	// most of a large store, only the newest matches are scored, unless the
	// filter leaves too few of them.
	oldest, err := number(ctx, s.read, `SELECT rowid FROM observations_fts WHERE observations_fts MATCH ?
		ORDER BY rowid DESC LIMIT 1 OFFSET ?`, expr, s.scored)
	switch {
	case errors.Is(err, ErrNotFound):
	case err != nil:
		return nil, err
	default:
		hits, err := s.matchFrom(ctx, expr, oldest, f, limit)
		if err != nil || len(hits) == limit {
			return hits, err
		}
	}
	return s.matchFrom(ctx, expr, 0, f, limit)
}

func (s *Store) matchFrom(ctx context.Context, expr string, oldest int64, f filter, limit int) ([]memory.Hit, error) {
	query, args := s.matchQuery(expr, oldest, f, limit)
	type found struct {
		id      int64
		keyword float64
		snippet string
	}
	matches, err := all(ctx, s.read, func(r row) (m found, err error) {
		var title, subtitle, narrative, facts string
		err = r.Scan(&m.id, &m.keyword, &title, &subtitle, &narrative, &facts)
		for _, text := range []string{narrative, factsText.Replace(facts), subtitle, title} {
			if strings.ContainsRune(text, memory.MatchStart) {
				m.snippet = oneLine(text, len(text))
				break
			}
		}
		return m, err
	}, query, args...)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(matches))
	byID := make(map[int64]found, len(matches))
	for i, m := range matches {
		ids[i] = m.id
		byID[m.id] = m
	}
	observations, err := s.Observations(ctx, ids)
	if err != nil {
		return nil, err
	}
	hits := make([]memory.Hit, len(observations))
	for i, o := range observations {
		hits[i] = memory.Hit{Observation: o, Keyword: byID[o.ID].keyword, Snippet: byID[o.ID].snippet}
	}
	// Of two that match equally well the newer one is likelier to be meant.
	slices.SortStableFunc(hits, func(a, b memory.Hit) int {
		return cmp.Or(cmp.Compare(b.Keyword, a.Keyword), b.Observation.CreatedAt.Compare(a.Observation.CreatedAt),
			cmp.Compare(b.Observation.ID, a.Observation.ID))
	})
	return hits, nil
}

func (s *Store) matchQuery(expr string, oldest int64, f filter, limit int) (query string, args []any) {
	w := s.observationsWhere(f, spanOf(f.Filter))
	const snippet = `snippet(observations_fts, %d, char(0xE000), char(0xE001), '…', 24)`
	// CROSS JOIN keeps the order: the index of words drives, the table is read by
	// id. The other way round a search takes seconds in a large store.
	query = fmt.Sprintf(`SELECT id, -rank, `+snippet+`, `+snippet+`, `+snippet+`, `+snippet+`
		FROM observations_fts CROSS JOIN observations ON observations.id = observations_fts.rowid
		WHERE observations_fts MATCH ? AND observations_fts.rowid >= ? AND %s
		ORDER BY rank LIMIT ?`, 0, 1, 2, 3, w)
	return query, slices.Concat([]any{expr, oldest}, w.args, []any{limit})
}

// factsText turns a piece of a JSON array of strings into a line for people.
var factsText = strings.NewReplacer(`["`, "", `"]`, "", `","`, " · ", `\"`, `"`, `\\`, `\`)

// markWide gives the neighbourhood of the first run of wide script that stands
// in o, marked, "" when there is none.
func markWide(o memory.Observation, runs []string) string {
	const around = 30 // runes before and after
	for _, run := range runs {
		for _, text := range slices.Concat([]string{o.Narrative}, o.Facts, []string{o.Subtitle, o.Title}) {
			before, after, found := strings.Cut(text, run)
			if !found {
				continue
			}
			b, a := []rune(before), []rune(after)
			head, tail := "", ""
			if len(b) > around {
				head, b = "…", b[len(b)-around:]
			}
			if len(a) > around {
				tail, a = "…", a[:around]
			}
			line := head + string(b) + string(memory.MatchStart) + run + string(memory.MatchEnd) + string(a) + tail
			return oneLine(line, len(line))
		}
	}
	return ""
}
