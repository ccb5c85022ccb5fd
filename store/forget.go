package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"cmem/memory"
)

// Forgetting says what is to be forgotten.
type Forgetting struct {
	Sessions []string     // by their ids, with all that is in them
	Refs     []memory.Ref // memories of other sessions
	Events   []string     // archived events, by their ids: what they held goes, that they were stays
}

// Forgotten counts what was forgotten, or would be.
type Forgotten struct {
	Sessions     int   `json:"sessions"`
	Observations int   `json:"observations"`
	Summaries    int   `json:"summaries"`
	Prompts      int   `json:"prompts"`
	Events       int   `json:"events"` // raw ones
	Bytes        int64 `json:"bytes"`  // that these texts had in the store
}

// Empty reports whether nothing was found.
func (f Forgotten) Empty() bool { return f == Forgotten{} }

// sessionMark is the kind of a tombstone for a whole session.
const sessionMark = "session"

// errOnlyCounting takes a change back that was made to count what it does.
var errOnlyCounting = errors.New("only counting")

// Forget removes memories, raw events and whole sessions for good: there is no
// undo. With an observation or a prompt go the raw events of its prompt, and the
// summaries of its session from then on, in whose place a new one is due. What is
// forgotten does not come back: neither from a provider that answers late, nor from
// events of the session that were on their way. The places of the texts in the file
// are overwritten; call Housekeep until it is done to have that finished. With
// onlyCount it says what it would do.
func (s *Store) Forget(ctx context.Context, what Forgetting, onlyCount bool) (Forgotten, error) {
	var n Forgotten
	change := s.erasing(wordIndexes...)
	if onlyCount {
		change = s.transact
	}
	err := change(ctx, func(t tx) error {
		n = Forgotten{}
		touched := map[string]bool{}
		for _, id := range what.Sessions {
			if err := s.forgetSession(ctx, t, id, &n, touched); err != nil {
				return fmt.Errorf("session %s: %w", id, err)
			}
		}
		if err := s.forgetRefs(ctx, t, what.Refs, &n); err != nil {
			return err
		}
		if err := forgetPayloads(ctx, t, &n, "event_id IN (SELECT value FROM json_each(?))", encodeJSON(append([]string{}, what.Events...))); err != nil {
			return err
		}
		projects := slices.Sorted(maps.Keys(touched))
		if err := settleProjects(ctx, t, projects); err != nil {
			return err
		}
		if _, err := t.exec(ctx, `DELETE FROM project_types WHERE observations = 0 AND project IN (SELECT value FROM json_each(?))`,
			encodeJSON(append([]string{}, projects...))); err != nil {
			return err
		}
		if onlyCount {
			return errOnlyCounting
		}
		return nil
	})
	if err != nil && !errors.Is(err, errOnlyCounting) {
		return Forgotten{}, fmt.Errorf("forget: %w", err)
	}
	return n, nil
}

// textBytes is how many bytes the texts of a row have.
var textBytes = map[string]string{
	"observations":      "octet_length(title) + octet_length(subtitle) + octet_length(narrative) + octet_length(facts) + octet_length(concepts) + octet_length(tags) + octet_length(files) + octet_length(tokens)",
	"session_summaries": "octet_length(request) + octet_length(investigated) + octet_length(learned) + octet_length(completed) + octet_length(next_steps) + octet_length(notes) + octet_length(tokens)",
	"user_prompts":      "octet_length(prompt_text) + octet_length(tokens)",
	"events":            "coalesce(octet_length(payload), 0)",
}

// tally counts the rows of a term, and their bytes.
func tally(ctx context.Context, t tx, table string, count *int, bytes *int64, term string, args ...any) error {
	of, err := one(ctx, t, func(r row) (of [2]int64, err error) {
		return of, r.Scan(&of[0], &of[1])
	}, fmt.Sprintf("SELECT count(*), coalesce(sum(%s), 0) FROM %s WHERE %s", textBytes[table], table, term), args...)
	*count += int(of[0])
	*bytes += of[1]
	return err
}

// forgetSession removes a session and all that belongs to it. What stays is the
// mark that it was forgotten, and the highest ids that its memories had: these are
// not given to others.
func (s *Store) forgetSession(ctx context.Context, t tx, id string, n *Forgotten, touched map[string]bool) error {
	const of = "session_id = ?"
	projects, err := all(ctx, t, scanText, "SELECT project FROM sdk_sessions WHERE "+of, id)
	if err != nil || len(projects) == 0 {
		return err
	}
	n.Sessions++
	for table, count := range map[string]*int{"observations": &n.Observations, "session_summaries": &n.Summaries, "user_prompts": &n.Prompts, "events": &n.Events} {
		if err := tally(ctx, t, table, count, &n.Bytes, of, id); err != nil {
			return err
		}
		others, err := all(ctx, t, scanText, "SELECT DISTINCT project FROM "+table+" WHERE "+of, id)
		if err != nil {
			return err
		}
		projects = append(projects, others...)
	}
	for _, p := range projects {
		touched[p] = true
	}
	// What was deleted before does not come back any more either.
	if _, err := t.exec(ctx, "UPDATE tombstones SET forgotten = 1 WHERE forgotten = 0 AND "+of, id); err != nil {
		return err
	}
	now := s.now()
	for kind, table := range tableOf {
		if _, err := t.exec(ctx, fmt.Sprintf(`INSERT OR REPLACE INTO tombstones (kind, row_id, session_id, deleted_at, deleted_at_epoch, forgotten)
			SELECT ?, max(id), ?, ?, ?, 2 FROM %s WHERE session_id = ? HAVING max(id) IS NOT NULL`, table),
			kind, id, isoTime(now), now.UnixMilli(), id); err != nil {
			return err
		}
	}
	if _, err := t.exec(ctx, "DELETE FROM tombstones WHERE kind = ? AND session_id = ?", sessionMark, id); err != nil {
		return err
	}
	// Ids of sessions are given again: the mark has one of its own.
	if _, err := t.exec(ctx, `INSERT INTO tombstones (kind, row_id, session_id, deleted_at, deleted_at_epoch)
		VALUES (?, (SELECT coalesce(max(row_id), 0) + 1 FROM tombstones WHERE kind = ?), ?, ?, ?)`,
		sessionMark, sessionMark, id, isoTime(now), now.UnixMilli()); err != nil {
		return err
	}
	for _, child := range sessionTables {
		if _, err := t.exec(ctx, "DELETE FROM "+child.table+" WHERE "+of, id); err != nil {
			return err
		}
	}
	_, err = t.exec(ctx, "DELETE FROM sdk_sessions WHERE "+of, id)
	return err
}

// forgetRefs removes single memories, those that are still there.
func (s *Store) forgetRefs(ctx context.Context, t tx, refs []memory.Ref, n *Forgotten) error {
	ids := map[memory.ItemKind][]int64{}
	for _, ref := range refs {
		ids[ref.Kind] = append(ids[ref.Kind], ref.ID)
	}
	var unused memory.Snapshot // there is no undo
	from := map[string]int64{} // the first prompt of a session that something is forgotten of
	for _, of := range []struct {
		kind   memory.ItemKind
		count  *int
		remove func(context.Context, tx, *memory.Snapshot, []int64) error
	}{
		{memory.KindObservation, &n.Observations, s.deleteObservations},
		{memory.KindPrompt, &n.Prompts, s.deletePrompts},
	} {
		if err := s.forgetOf(ctx, t, of.kind, ids[of.kind], of.count, n, from); err != nil {
			return err
		}
		if err := of.remove(ctx, t, &unused, ids[of.kind]); err != nil {
			return err
		}
		if err := markForgotten(ctx, t, of.kind, ids[of.kind]); err != nil {
			return err
		}
	}
	summaries := ids[memory.KindSummary]
	for session, prompt := range from {
		later, err := all(ctx, t, scanNumber, "SELECT id FROM session_summaries WHERE session_id = ? AND prompt_number >= ?", session, prompt)
		if err != nil {
			return err
		}
		if len(later) == 0 {
			continue
		}
		summaries = append(summaries, later...)
		if _, err := t.exec(ctx, "UPDATE sdk_sessions SET summary_due = 1 WHERE session_id = ?", session); err != nil {
			return err
		}
	}
	if err := tally(ctx, t, "session_summaries", &n.Summaries, &n.Bytes, amongIDs, encodeIDs(summaries)); err != nil {
		return err
	}
	if err := s.deleteSummaries(ctx, t, &unused, summaries); err != nil {
		return err
	}
	return markForgotten(ctx, t, memory.KindSummary, summaries)
}

// markForgotten has no undo bring the memories back that were deleted.
func markForgotten(ctx context.Context, t tx, kind memory.ItemKind, ids []int64) error {
	_, err := t.exec(ctx, "UPDATE tombstones SET forgotten = 1 WHERE forgotten = 0 AND kind = ? AND row_id IN (SELECT value FROM json_each(?))",
		kind, encodeIDs(ids))
	return err
}

// forgetOf counts the memories of a kind and takes away the raw events of their
// prompts. It notes in from where in their sessions they stood first.
func (s *Store) forgetOf(ctx context.Context, t tx, kind memory.ItemKind, ids []int64, count *int, n *Forgotten, from map[string]int64) error {
	table := tableOf[kind]
	if err := tally(ctx, t, table, count, &n.Bytes, amongIDs, encodeIDs(ids)); err != nil {
		return err
	}
	type place struct {
		session string
		prompt  int64
	}
	places, err := all(ctx, t, func(r row) (p place, err error) { return p, r.Scan(&p.session, &p.prompt) },
		fmt.Sprintf("SELECT DISTINCT session_id, prompt_number FROM %s WHERE %s", table, amongIDs), encodeIDs(ids))
	if err != nil {
		return err
	}
	for _, p := range places {
		if first, known := from[p.session]; !known || p.prompt < first {
			from[p.session] = p.prompt
		}
		if err := forgetPayloads(ctx, t, n, "session_id = ? AND prompt_number = ?", p.session, p.prompt); err != nil {
			return err
		}
	}
	return nil
}

// forgetPayloads takes away the payloads of the events of a term, what was made of them
// to know them again, and what a provider said when it was given them.
func forgetPayloads(ctx context.Context, t tx, n *Forgotten, term string, args ...any) error {
	if err := tally(ctx, t, "events", &n.Events, &n.Bytes, term+" AND payload IS NOT NULL", args...); err != nil {
		return err
	}
	if _, err := t.exec(ctx, "UPDATE batches SET last_error = '' WHERE last_error <> '' AND id IN (SELECT batch_id FROM events WHERE "+term+")", args...); err != nil {
		return err
	}
	_, err := t.exec(ctx, "UPDATE events SET payload = NULL, fingerprint = NULL WHERE (payload IS NOT NULL OR fingerprint IS NOT NULL) AND "+term, args...)
	return err
}

// isForgotten reports whether an event belongs to a session that was forgotten: it
// came before that, or belongs to the turn in which that was done, which has no
// prompt any more.
func isForgotten(ctx context.Context, t tx, e memory.Event) (bool, error) {
	at, err := number(ctx, t, "SELECT deleted_at_epoch FROM tombstones WHERE session_id = ? AND kind = ?", e.SessionID, sessionMark)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil || e.CreatedAt.UnixMilli() <= at {
		return err == nil, err
	}
	if e.Name == memory.EventUserPromptSubmit {
		return false, nil
	}
	prompts, err := number(ctx, t, "SELECT count(*) FROM user_prompts WHERE session_id = ?", e.SessionID)
	return prompts == 0, err
}

// ScanRaw gives the raw events of f's project, session and times that are still
// archived, in the order in which they were stored. After an error it ends.
func (s *Store) ScanRaw(ctx context.Context, f memory.Filter) iter.Seq2[memory.RawEvent, error] {
	const page = 100
	return func(yield func(memory.RawEvent, error) bool) {
		in := spanOf(f)
		for after := int64(0); ; {
			var w where
			w.add("id > ?", after)
			w.add("payload IS NOT NULL")
			w.add("created_at_epoch >= ?", in.from.epoch)
			w.add("created_at_epoch < ?", in.to.epoch)
			if f.SessionID != "" {
				w.add("+session_id = ?", f.SessionID)
			}
			if f.Project != "" {
				w.add("+project = ?", f.Project)
			}
			type raw struct {
				id    int64
				event memory.RawEvent
			}
			rows, err := all(ctx, s.read, func(r row) (v raw, err error) {
				err = r.Scan(&v.id, &v.event.ID, &v.event.SessionID, &v.event.Payload)
				return v, err
			}, fmt.Sprintf("SELECT id, event_id, session_id, payload FROM events WHERE %s ORDER BY id LIMIT %d", w.String(), page), w.args...)
			for i := 0; err == nil && i < len(rows); i++ {
				v := rows[i]
				after = v.id
				if v.event.Payload, err = unpack(v.event.Payload); err == nil && !yield(v.event, nil) {
					return
				}
			}
			if err != nil {
				yield(memory.RawEvent{}, fmt.Errorf("read all raw events: %w", err))
				return
			}
			if len(rows) < page {
				return
			}
		}
	}
}
