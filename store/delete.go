package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"cmem/memory"
)

// Delete deletes observations, summaries and prompts, all or none, and gives what
// Restore needs to bring them back whole. The error is a *MissingError with the
// rows that are missing, or ErrReplaced.
//
// What is deleted does not come back by itself. Of its batch nothing more is
// stored; with the last observation of a batch, and with a prompt, go the
// archived payloads that it was made from, and the title that a session had from
// the prompt. What stays is a tombstone without any of the text: in the file
// its place is overwritten at once, in the search index at once or, of a large
// store, by and by with the next writes, in the log as soon as no other process
// reads. Copies of the file have it still. An import may bring a deleted memory
// back: whoever imports asks for it.
func (s *Store) Delete(ctx context.Context, refs []memory.Ref) (before memory.Snapshot, err error) {
	err = s.erase(ctx, indexesOf(refs), func(t tx) error {
		byKind, seen := map[memory.ItemKind][]int64{}, map[memory.Ref]bool{}
		for _, ref := range refs {
			if _, known := tableOf[ref.Kind]; !known {
				return fmt.Errorf("there are no rows of kind %q", ref.Kind)
			}
			if seen[ref] {
				continue
			}
			seen[ref] = true
			before.Buried = append(before.Buried, ref)
			byKind[ref.Kind] = append(byKind[ref.Kind], ref.ID)
		}
		if err := present(ctx, t, byKind); err != nil {
			return err
		}
		for _, of := range []struct {
			kind   memory.ItemKind
			remove func(context.Context, tx, *memory.Snapshot, []int64) error
		}{
			{memory.KindObservation, s.deleteObservations},
			{memory.KindSummary, s.deleteSummaries},
			{memory.KindPrompt, s.deletePrompts},
		} {
			if ids := byKind[of.kind]; len(ids) > 0 {
				if err := of.remove(ctx, t, &before, ids); err != nil {
					return fmt.Errorf("%d rows of kind %s: %w", len(ids), of.kind, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		return memory.Snapshot{}, fmt.Errorf("delete: %w", err)
	}
	return before, nil
}

// indexesOf gives the indexes that have the words of the rows.
func indexesOf(refs []memory.Ref) (list []*wordIndex) {
	for _, x := range wordIndexes {
		if slices.ContainsFunc(refs, func(r memory.Ref) bool { return r.Kind == x.kind }) {
			list = append(list, x)
		}
	}
	return list
}

// present gives a *MissingError when rows with some of the ids are not there.
func present(ctx context.Context, t tx, ids map[memory.ItemKind][]int64) error {
	var missing []memory.Ref
	for _, kind := range slices.Sorted(maps.Keys(ids)) {
		gone, err := all(ctx, t, scanNumber, fmt.Sprintf(`SELECT DISTINCT j.value FROM json_each(?) AS j
			LEFT JOIN %s AS r ON r.id = j.value WHERE r.id IS NULL ORDER BY j.key`, tableOf[kind]), encodeIDs(ids[kind]))
		if err != nil {
			return err
		}
		for _, id := range gone {
			missing = append(missing, memory.Ref{Kind: kind, ID: id})
		}
	}
	if len(missing) > 0 {
		return &MissingError{Refs: missing}
	}
	return nil
}

const amongIDs = "id IN (SELECT value FROM json_each(?))"

// bury saves the rows, leaves a tombstone for each with the given columns of it,
// and deletes them.
func (s *Store) bury(ctx context.Context, t tx, before *memory.Snapshot, kind memory.ItemKind, columns, from string, ids []int64) error {
	table, among := tableOf[kind], encodeIDs(ids)
	if err := save(ctx, t, before, table, nil, amongIDs, among); err != nil {
		return err
	}
	now := s.now()
	_, err := t.exec(ctx, fmt.Sprintf(`INSERT OR REPLACE INTO tombstones (kind, deleted_at, deleted_at_epoch, row_id, session_id, prompt_number, %s)
		SELECT ?, ?, ?, id, session_id, prompt_number, %s FROM %s WHERE %s`, columns, from, table, amongIDs),
		kind, isoTime(now), now.UnixMilli(), among)
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, "DELETE FROM "+table+" WHERE "+amongIDs, among)
	return err
}

func (s *Store) deleteObservations(ctx context.Context, t tx, before *memory.Snapshot, ids []int64) error {
	batches, err := all(ctx, t, scanNumber,
		"SELECT DISTINCT batch_id FROM observations WHERE batch_id IS NOT NULL AND "+amongIDs, encodeIDs(ids))
	if err != nil {
		return err
	}
	if err := s.bury(ctx, t, before, memory.KindObservation, "uid, batch_id, content_hash", "uid, batch_id, content_hash", ids); err != nil {
		return err
	}
	// A batch that waits for its provider would bring back what was deleted.
	open := "state <> 'done' AND " + amongIDs
	if err := save(ctx, t, before, "batches", []string{"id", "session_id", "state", "last_error"}, open, encodeIDs(batches)); err != nil {
		return err
	}
	if _, err := t.exec(ctx, "UPDATE batches SET state = 'done', last_error = '' WHERE "+open, encodeIDs(batches)); err != nil {
		return err
	}
	return emptyPayloads(ctx, t, before, `batch_id IN (SELECT value FROM json_each(?) AS b
		WHERE NOT EXISTS (SELECT 1 FROM observations AS o WHERE o.batch_id = b.value))`, encodeIDs(batches))
}

// emptyPayloads takes the archived payloads of the events of a term away.
func emptyPayloads(ctx context.Context, t tx, before *memory.Snapshot, term string, args ...any) error {
	term += " AND payload IS NOT NULL"
	if err := save(ctx, t, before, "events", []string{"id", "session_id", "prompt_number", "payload"}, term, args...); err != nil {
		return err
	}
	_, err := t.exec(ctx, "UPDATE events SET payload = NULL WHERE "+term, args...)
	return err
}

func (s *Store) deleteSummaries(ctx context.Context, t tx, before *memory.Snapshot, ids []int64) error {
	return s.bury(ctx, t, before, memory.KindSummary, "uid", "uid", ids)
}

func (s *Store) deletePrompts(ctx context.Context, t tx, before *memory.Snapshot, ids []int64) error {
	prompts, err := all(ctx, t, scanPrompt, "SELECT "+promptColumns+" FROM user_prompts WHERE "+amongIDs, encodeIDs(ids))
	if err != nil {
		return err
	}
	if err := s.bury(ctx, t, before, memory.KindPrompt, "uid", "''", ids); err != nil {
		return err
	}
	for _, p := range prompts {
		if err := emptyPayloads(ctx, t, before, "session_id = ? AND prompt_number = ? AND event = ?",
			p.SessionID, p.Number, memory.EventUserPromptSubmit); err != nil {
			return err
		}
		// The session's title may be the words of the prompt.
		title := oneLine(p.Text, titleLength)
		if title == "" {
			continue
		}
		const titled = "session_id = ? AND title = ?"
		if err := save(ctx, t, before, "sdk_sessions", []string{"id", "session_id", "title"}, titled, p.SessionID, title); err != nil {
			return err
		}
		next, err := one(ctx, t, scanText, `SELECT substr(prompt_text, 1, 2000) FROM user_prompts
			WHERE session_id = ? AND machine = 0 ORDER BY prompt_number LIMIT 1`, p.SessionID)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		if _, err := t.exec(ctx, "UPDATE sdk_sessions SET title = ? WHERE "+titled, oneLine(next, titleLength), p.SessionID, title); err != nil {
			return err
		}
	}
	return nil
}

// isDeleted reports whether a person deleted an observation of the session that
// says the same as o.
func isDeleted(ctx context.Context, t tx, o memory.Observation) (bool, error) {
	o.Title, o.Narrative = clean(o.Title), clean(o.Narrative)
	_, err := number(ctx, t, "SELECT id FROM tombstones WHERE session_id = ? AND kind = 'observation' AND content_hash = ? LIMIT 1",
		o.SessionID, contentHash(o))
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
