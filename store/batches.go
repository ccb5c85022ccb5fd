package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"cmem/memory"
)

const batchColumns = "id, session_id, project, prompt_number, state, attempts, next_attempt_epoch, last_error, events, created_at_epoch"

func scanBatch(r row) (memory.Batch, error) {
	var b memory.Batch
	return b, r.Scan(&b.ID, &b.SessionID, &b.Project, &b.PromptNumber, &b.State, &b.Attempts,
		epoch{&b.NextAttempt}, &b.LastError, &b.Events, epoch{&b.CreatedAt})
}

// group is the events of one prompt that are in no batch yet.
type group struct {
	session string
	prompt  int
	events  int
	closed  bool // nothing more is to be expected
}

// ripe finds the groups of which batches can be made: the prompt is over, its newest
// event is older than ?1, or later than ?2 (it was told by a clock that was set back
// since, and nobody waits for that time), or a batch of ?3 events is full.
const ripe = `SELECT session_id, prompt_number, events, closed FROM (
	SELECT session_id, prompt_number, count(*) AS events, min(event_id) AS first,
		max(event IN ('Stop', 'StopFailure', 'SessionEnd', 'PreCompact'))
		OR max(created_at_epoch) < ?1 OR max(created_at_epoch) > ?2
		OR EXISTS (SELECT 1 FROM user_prompts AS p
			WHERE p.session_id = events.session_id AND p.prompt_number > events.prompt_number) AS closed
	FROM events WHERE batch_id IS NULL GROUP BY session_id, prompt_number)
	WHERE closed OR events >= ?3 ORDER BY first`

// GroupEvents puts events that are in no batch yet into batches of one prompt
// with at most limit events. A prompt's events are taken when one of them ends
// the turn, when the session has a newer prompt, or when the newest of them is
// older than quiet; before that only as many as fill whole batches. It says how
// many batches it formed, and writes nothing when there are none.
func (s *Store) GroupEvents(ctx context.Context, now time.Time, quiet time.Duration, limit int) (formed int, err error) {
	limit = max(limit, 1)
	find := func(q querier) ([]group, error) {
		return all(ctx, q, func(r row) (g group, err error) {
			return g, r.Scan(&g.session, &g.prompt, &g.events, &g.closed)
		}, ripe, now.Add(-quiet).UnixMilli(), now.Add(clockSlack).UnixMilli(), limit)
	}
	if groups, err := find(s.read); err != nil || len(groups) == 0 {
		if err != nil {
			err = fmt.Errorf("group events: %w", err)
		}
		return 0, err
	}
	err = s.transact(ctx, func(t tx) error {
		groups, err := find(t)
		if err != nil {
			return err
		}
		for _, g := range groups {
			for left := g.events; left >= limit || left > 0 && g.closed; left -= limit {
				if err := formBatch(ctx, t, g, now, min(left, limit)); err != nil {
					return fmt.Errorf("session %s, prompt %d: %w", g.session, g.prompt, err)
				}
				formed++
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("group events: %w", err)
	}
	return formed, nil
}

// formBatch makes a batch of the next n events of a group.
func formBatch(ctx context.Context, t tx, g group, now time.Time, n int) error {
	// The project is the first event's: a session may wander.
	id, err := t.insert(ctx, `INSERT INTO batches (session_id, project, prompt_number, events, created_at, created_at_epoch)
		SELECT session_id, project, prompt_number, ?, ?, ? FROM events
		WHERE session_id = ? AND prompt_number = ? AND batch_id IS NULL ORDER BY event_id LIMIT 1`,
		n, isoTime(now), now.UnixMilli(), g.session, g.prompt)
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, `UPDATE events SET batch_id = ? WHERE id IN (SELECT id FROM events
		WHERE session_id = ? AND prompt_number = ? AND batch_id IS NULL ORDER BY event_id LIMIT ?)`, id, g.session, g.prompt, n)
	return err
}

// retryHorizon is how far ahead a next attempt can be. One that is later was set by a
// clock that has been set back since, and is due.
const retryHorizon = 2 * time.Hour

// PendingBatches gives batches that wait for their final observations and whose
// next attempt is due, oldest first.
func (s *Store) PendingBatches(ctx context.Context, now time.Time, limit int) ([]memory.Batch, error) {
	list, err := all(ctx, s.read, scanBatch, "SELECT "+batchColumns+` FROM batches
		WHERE state <> 'done' AND (next_attempt_epoch <= ? OR next_attempt_epoch > ?) ORDER BY id LIMIT ?`,
		now.UnixMilli(), now.Add(retryHorizon).UnixMilli(), limit)
	if err != nil {
		return nil, fmt.Errorf("list pending batches: %w", err)
	}
	return list, nil
}

// BatchEvents gives the events of a batch in order, with their payloads.
func (s *Store) BatchEvents(ctx context.Context, batchID int64) ([]memory.RawEvent, error) {
	list, err := all(ctx, s.read, scanEvent, "SELECT "+eventColumns+" FROM events WHERE batch_id = ? ORDER BY event_id", batchID)
	if err != nil {
		return nil, fmt.Errorf("read the events of batch %d: %w", batchID, err)
	}
	return list, nil
}

// BatchEventsPage gives a page of the events of a batch in order, with their
// payloads: those after the event with the given ID ("" for the beginning).
func (s *Store) BatchEventsPage(ctx context.Context, batchID int64, after string, limit int) ([]memory.RawEvent, error) {
	list, err := all(ctx, s.read, scanEvent, "SELECT "+eventColumns+
		" FROM events WHERE batch_id = ? AND event_id > ? ORDER BY event_id LIMIT ?", batchID, after, limit)
	if err != nil {
		return nil, fmt.Errorf("read the events of batch %d: %w", batchID, err)
	}
	return list, nil
}

// FinishBatch stores the observations made from a batch in the place of its
// provisional ones, and sets its state; with BatchProvisional they are
// provisional themselves. A provisional one that a person pinned or edited stays.
// Of a batch from which a person deleted an observation, or whose provisional one
// a person archived, merged or called wrong, nothing more is taken, and none that
// says what a deleted one of the session said. What an observation leaves open (session, project,
// prompt, time) is taken from the batch. It gives the observations as stored;
// where the session already has one that says the same, that one. The error is
// ErrNotFound when there is no such batch.
func (s *Store) FinishBatch(ctx context.Context, batchID int64, observations []memory.Observation, state memory.BatchState) ([]memory.Observation, error) {
	var stored []memory.Observation
	err := s.transact(ctx, func(t tx) error {
		b, err := one(ctx, t, scanBatch, "SELECT "+batchColumns+" FROM batches WHERE id = ?", batchID)
		if err != nil {
			return err
		}
		finished := "UPDATE batches SET state = ?, last_error = '' WHERE id = ?"
		// Said in other words it would be back, and which of the new ones says it
		// nobody knows.
		switch _, err := number(ctx, t, rejected, batchID); {
		case err == nil:
			_, err = t.exec(ctx, finished, memory.BatchDone, batchID)
			return err
		case !errors.Is(err, ErrNotFound):
			return err
		}
		// What a person had a hand in stays.
		if _, err := t.exec(ctx, `DELETE FROM observations
			WHERE batch_id = ? AND provisional = 1 AND pinned = 0 AND edited_at_epoch IS NULL`, batchID); err != nil {
			return err
		}
		for _, o := range observations {
			o.ID, o.BatchID = 0, batchID
			o.SessionID = cmp.Or(o.SessionID, b.SessionID)
			o.Project = cmp.Or(o.Project, b.Project)
			o.PromptNumber = cmp.Or(o.PromptNumber, b.PromptNumber)
			o.Provisional = state == memory.BatchProvisional
			if o.CreatedAt.IsZero() {
				o.CreatedAt = b.CreatedAt
			}
			if deleted, err := isDeleted(ctx, t, o); err != nil {
				return err
			} else if deleted {
				continue
			}
			o, _, err := s.insertObservation(ctx, t, o)
			if err != nil {
				return err
			}
			stored = append(stored, o)
		}
		_, err = t.exec(ctx, finished, state, batchID)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("finish batch %d: %w", batchID, err)
	}
	return stored, nil
}

// rejected finds a batch of which a person did not want an observation.
const rejected = `SELECT id FROM tombstones WHERE batch_id = ?1
	UNION ALL SELECT id FROM observations
		WHERE batch_id = ?1 AND provisional = 1 AND edited_at_epoch IS NOT NULL AND status <> 'active' LIMIT 1`

// RetryBatch notes a failed attempt at a batch and when to try again. The error
// is ErrNotFound when there is no such batch.
func (s *Store) RetryBatch(ctx context.Context, batchID int64, lastError string, next time.Time) error {
	err := s.transact(ctx, func(t tx) error {
		n, err := t.exec(ctx, `UPDATE batches SET attempts = attempts + 1, last_error = ?, next_attempt_epoch = ? WHERE id = ?`,
			clean(lastError), next.UnixMilli(), batchID)
		if err == nil && n == 0 {
			return ErrNotFound
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("note a failed attempt at batch %d: %w", batchID, err)
	}
	return nil
}
