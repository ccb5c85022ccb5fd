package store

import (
	"context"
	"errors"
	"fmt"

	"cmem/memory"
)

// What is forgotten does not come back by an undo either: a browser that is open
// holds the texts of its last changes as they were.

// errForgotten is ErrChanged for what was forgotten.
var errForgotten = fmt.Errorf("%w: it was forgotten", ErrChanged)

const (
	// forgottenRow finds the mark of a memory that was forgotten, by itself or with its
	// session. It may have come back under another id before that.
	forgottenRow = `SELECT id FROM tombstones WHERE session_id = ?1 AND kind = ?2 AND forgotten > 0
		AND (row_id = ?3 OR uid <> '' AND uid = ?4 OR forgotten = 2 AND row_id >= ?3) LIMIT 1`
	// forgottenAtPrompt finds the mark of something that was forgotten of a prompt. The
	// first term of forgotten is the one that the index of such marks has.
	forgottenAtPrompt = `SELECT id FROM tombstones WHERE session_id = ? AND kind IN ('observation', 'prompt') AND forgotten > 0
		AND forgotten = 1 AND prompt_number = ? LIMIT 1`
)

// isOfForgotten reports whether a snapshot has one of the memories that were
// forgotten since.
func isOfForgotten(ctx context.Context, t tx, snap memory.Snapshot) (bool, error) {
	for _, ref := range snap.Created {
		forgotten, err := is(ctx, t, "SELECT id FROM tombstones WHERE kind = ? AND row_id = ? AND forgotten > 0", ref.Kind, ref.ID)
		if err != nil || forgotten {
			return forgotten, err
		}
	}
	for _, saved := range snap.Saved {
		r := restorer{columns: saved.Columns, kind: kindOf(saved.Table)}
		if r.kind == "" {
			continue
		}
		for _, values := range saved.Rows {
			forgotten, err := is(ctx, t, forgottenRow, r.value(values, "session_id"), r.kind, r.value(values, "id"), r.value(values, "uid"))
			if err != nil || forgotten {
				return forgotten, err
			}
		}
	}
	return false, nil
}

// ofForgotten reports whether a saved row is of a raw event of whose prompt something
// was forgotten: what that was made of is in it.
func (r restorer) ofForgotten(ctx context.Context, t tx, values []any) (bool, error) {
	if r.table != "events" {
		return false, nil
	}
	return is(ctx, t, forgottenAtPrompt, r.value(values, "session_id"), r.value(values, "prompt_number"))
}

// is reports whether a query for a number finds one.
func is(ctx context.Context, t tx, query string, args ...any) (bool, error) {
	_, err := number(ctx, t, query, args...)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
