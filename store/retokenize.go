package store

import (
	"context"
	"fmt"

	"cmem/memory"
)

// tokensVersion says by which rules searchTokens makes its words. It is raised with
// every change of them; a store in which they were made by others is brought up to
// date in the background (RetokenizeSome) and searched meanwhile as it is.
const tokensVersion = 1

// RetokenizeSome makes the words beside the text of some observations anew, limit at
// most, newest first, where they were made by the rules of another version of the
// program. It gives how many may be left: 0 when the store is up to date. Each call is
// one short transaction, and observations whose words stay the same are not written.
func (s *Store) RetokenizeSome(ctx context.Context, limit int) (left int64, err error) {
	upToDate, err := number(ctx, s.read, "SELECT count(*) FROM search_tokens WHERE version = ? AND below = 0", tokensVersion)
	if err == nil && upToDate > 0 {
		return 0, nil
	}
	err = s.transact(ctx, func(t tx) error {
		left, err = retokenize(ctx, t, limit)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("renew the words of the search index: %w", err)
	}
	return left, nil
}

// retokenized is how far a store has come: rows below an id have the words of an
// earlier version.
type retokenized struct {
	version int
	below   int64
}

// tokenized is an observation with the words that it has.
type tokenized struct {
	memory.Observation
	tokens string
}

func retokenize(ctx context.Context, t tx, limit int) (left int64, err error) {
	state, err := one(ctx, t, func(r row) (s retokenized, err error) { return s, r.Scan(&s.version, &s.below) },
		"SELECT version, below FROM search_tokens")
	if err != nil {
		return 0, err
	}
	if state.version != tokensVersion {
		if state.below, err = number(ctx, t, "SELECT coalesce(max(id), 0) + 1 FROM observations"); err != nil {
			return 0, err
		}
	} else if state.below == 0 {
		return 0, nil
	}
	rows, err := all(ctx, t, func(r row) (o tokenized, err error) {
		return o, r.Scan(append(observationFields(&o.Observation), &o.tokens)...)
	}, "SELECT "+observationColumns+", tokens FROM observations WHERE id < ? ORDER BY id DESC LIMIT ?", state.below, max(limit, 1))
	if err != nil {
		return 0, err
	}
	changes := updates{table: "observations"} // the index follows by its triggers
	for _, o := range rows {
		if tokens := searchTokens(o.Observation); tokens != o.tokens {
			changes.add(o.ID, []string{"tokens"}, []any{tokens})
		}
	}
	if err := changes.run(ctx, t, func(id any, err error) error { return fmt.Errorf("observation %d: %w", id, err) }); err != nil {
		return 0, err
	}
	if len(rows) > 0 {
		left = rows[len(rows)-1].ID - 1 // at most so many have smaller ids
	}
	below := int64(0)
	if left > 0 {
		below = left + 1
	}
	_, err = t.exec(ctx, "UPDATE search_tokens SET version = ?, below = ?", tokensVersion, below)
	return left, err
}
