package store

import (
	"context"
	"fmt"

	"cmem/memory"
)

// SearchRank gives the place, from 1, that an observation has among the first
// limit hits of a search, 0 when it is not among them. A text without a letter or
// digit is ErrEmptyQuery.
func (s *Store) SearchRank(ctx context.Context, text string, f memory.Filter, id int64, limit int) (rank int, err error) {
	hits, err := s.Search(ctx, text, f, limit)
	if err != nil {
		return 0, err
	}
	for i, h := range hits {
		if h.Observation.ID == id {
			return i + 1, nil
		}
	}
	return 0, nil
}

// MissingWords gives the words and quoted phrases of a search text, as they were
// typed, that the index does not find in an observation. The error is ErrNotFound
// when there is no such observation, and ErrEmptyQuery of a text without a letter
// or digit.
func (s *Store) MissingWords(ctx context.Context, text string, id int64) ([]string, error) {
	words, _, err := queryWords(text)
	if err != nil {
		return nil, err
	}
	columns, err := one(ctx, s.read, func(r row) (c [7]string, err error) {
		return c, r.Scan(&c[0], &c[1], &c[2], &c[3], &c[4], &c[5], &c[6])
	}, "SELECT "+indexedColumns+" FROM observations WHERE id = ?", id)
	if err != nil {
		return nil, fmt.Errorf("look for the words of %q in observation %d: %w", oneLine(text, 60), id, err)
	}
	var missing []string
	for _, w := range meaning(words) {
		e := w.exact()
		if e.isOpen() {
			// The index would collect every row with a word that begins so.
			if m := newMatcher(e); !m.matches(&columns) {
				missing = append(missing, w.text)
			}
			continue
		}
		n, err := number(ctx, s.read, "SELECT count(*) FROM observations_fts WHERE observations_fts MATCH ? AND rowid = ?", e.String(), id)
		if err != nil {
			return nil, fmt.Errorf("look for %q in observation %d: %w", oneLine(w.text, 60), id, err)
		}
		if n == 0 {
			missing = append(missing, w.text)
		}
	}
	return missing, nil
}
