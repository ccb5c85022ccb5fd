package store

import (
	"context"
	"errors"
	"fmt"

	"cmem/memory"
)

// tokensVersion says by which rules the words beside the text (tokens) are made. It is
// raised with every change of them; a store in which they were made by others is
// brought up to date in the background (RetokenizeSome) and searched meanwhile as it is.
const tokensVersion = 1

// RetokenizeSome does a piece of what the indexes of words lack, limit rows at most,
// the newest first: it makes the words beside the text anew where they were made by the
// rules of another version of the program, and takes summaries and prompts into their
// indexes that are from before these were there. It gives how many rows may be left: 0
// when the store is up to date. Each call is one short transaction, and rows whose words
// stay the same are not written.
func (s *Store) RetokenizeSome(ctx context.Context, limit int) (left int64, err error) {
	upToDate, err := number(ctx, s.read, "SELECT count(*) FROM search_indexes WHERE version = ? AND below = 0", tokensVersion)
	if err == nil && upToDate == int64(len(wordIndexes)) {
		return 0, nil
	}
	err = s.transact(ctx, func(t tx) error {
		left = 0
		for done := int64(0); done < int64(max(limit, 1)); {
			x, state, err := nextToRetokenize(ctx, t)
			if err != nil || x == nil {
				return err
			}
			n, rest, err := x.retokenize(ctx, t, state, max(limit, 1)-int(done))
			if err != nil {
				return fmt.Errorf("%s: %w", x.table, err)
			}
			if left = rest; rest > 0 {
				return nil
			}
			done += n
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("renew the words of the search index: %w", err)
	}
	if left == 0 { // of that index; another one may lack something
		behind, err := number(ctx, s.read, "SELECT count(*) FROM search_indexes WHERE version <> ? OR below > 0", tokensVersion)
		if err != nil {
			return 0, fmt.Errorf("renew the words of the search index: %w", err)
		}
		left = behind
	}
	return left, nil
}

// retokenized is how far an index has come: rows below an id have the words of an
// earlier version, and rows below unindexed are not in it; that is never the larger one.
type retokenized struct {
	version          int
	below, unindexed int64
}

// nextToRetokenize gives the first index that is not up to date, nil when all are.
func nextToRetokenize(ctx context.Context, t tx) (*wordIndex, retokenized, error) {
	for _, x := range wordIndexes {
		state, err := one(ctx, t, func(r row) (s retokenized, err error) { return s, r.Scan(&s.version, &s.below, &s.unindexed) },
			"SELECT version, below, unindexed FROM search_indexes WHERE name = ?", x.table)
		switch {
		case errors.Is(err, ErrNotFound): // somebody took the note away: all rows are in the index, of whatever version
			if _, err := t.exec(ctx, "INSERT INTO search_indexes (name, version, below, unindexed) VALUES (?, 0, 0, 0)", x.table); err != nil {
				return nil, state, err
			}
		case err != nil:
			return nil, state, err
		case state.version == tokensVersion && state.below == 0:
			continue
		}
		if state.version != tokensVersion {
			state.below, err = number(ctx, t, x.query("SELECT coalesce(max(id), 0) + 1 FROM $table"))
		}
		return x, state, err
	}
	return nil, retokenized{}, nil
}

// tokenized is a row with the words that it has and those that it should have.
type tokenized struct {
	id           int64
	tokens, want string
}

// retokenize goes on with an index by at most limit rows. It gives how many it looked
// at and how many may be left.
func (x *wordIndex) retokenize(ctx context.Context, t tx, state retokenized, limit int) (done, left int64, err error) {
	rows, err := all(ctx, t, x.scanTokenized, x.query("SELECT "+x.sources()+", tokens FROM $table WHERE id < ? ORDER BY id DESC LIMIT ?"), state.below, limit)
	if err != nil {
		return 0, 0, err
	}
	changes := updates{table: x.table} // the index follows by its triggers
	for _, r := range rows {
		if r.tokens != r.want {
			changes.add(r.id, []string{"tokens"}, []any{r.want})
		}
	}
	if err := changes.run(ctx, t, func(id any, err error) error { return fmt.Errorf("row %d: %w", id, err) }); err != nil {
		return 0, 0, err
	}
	if len(rows) > 0 {
		left = rows[len(rows)-1].id - 1 // at most so many have smaller ids
	}
	below := int64(0)
	if left > 0 {
		below = left + 1
	}
	unindexed := min(state.unindexed, below)
	if unindexed < state.unindexed {
		// Only now: until then the triggers leave these rows alone.
		_, err := t.exec(ctx, x.query("INSERT INTO $fts (rowid, "+x.columns+") SELECT id, "+x.columns+" FROM $table WHERE id >= ? AND id < ?"),
			unindexed, state.unindexed)
		if err != nil {
			return 0, 0, err
		}
	}
	_, err = t.exec(ctx, "UPDATE search_indexes SET version = ?, below = ?, unindexed = ? WHERE name = ?", tokensVersion, below, unindexed, x.table)
	return int64(len(rows)), left, err
}

// sources are the columns that the words beside the text are made from.
func (x *wordIndex) sources() string {
	switch x {
	case summaryWords:
		return summaryColumns
	case promptWords:
		return promptColumns
	}
	return observationColumns
}

// scanTokenized reads the sources and the words that are there.
func (x *wordIndex) scanTokenized(r row) (v tokenized, err error) {
	switch x {
	case summaryWords:
		var m memory.Summary
		err = r.Scan(append(summaryFields(&m), &v.tokens)...)
		v.id, v.want = m.ID, summaryTokens(m)
	case promptWords:
		var p memory.Prompt
		err = r.Scan(append(promptFields(&p), &v.tokens)...)
		v.id, v.want = p.ID, promptTokens(p.Text)
	default:
		var o memory.Observation
		err = r.Scan(append(observationFields(&o), &v.tokens)...)
		v.id, v.want = o.ID, searchTokens(o)
	}
	return v, err
}
