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
	words, err := queryWords(text)
	if err != nil {
		return nil, err
	}
	if _, err := number(ctx, s.read, "SELECT id FROM observations WHERE id = ?", id); err != nil {
		return nil, fmt.Errorf("observation %d: %w", id, err)
	}
	var missing []string
	for _, w := range words {
		n, err := number(ctx, s.read, "SELECT count(*) FROM observations_fts WHERE observations_fts MATCH ? AND rowid = ?", w.exact(), id)
		if err != nil {
			return nil, fmt.Errorf("look for %q in observation %d: %w", oneLine(w.text, 60), id, err)
		}
		if n == 0 {
			missing = append(missing, w.text)
		}
	}
	return missing, nil
}
