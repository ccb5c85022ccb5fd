package store

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"cmem/memory"
)

// Bundle is memories that come from elsewhere than from events: an export of
// another store, a generated store.
type Bundle struct {
	Sessions     []memory.Session
	Prompts      []memory.Prompt
	Observations []memory.Observation
	Summaries    []memory.Summary
}

// Import stores a bundle in one transaction and says how many rows were new.
// Sessions, prompts, observations and summaries that the store has already (the
// same session id, number within a session, uid, or content within a session)
// are left as they are. A session that only its contents name is created.
func (s *Store) Import(ctx context.Context, b Bundle) (added int, err error) {
	err = s.transact(ctx, func(t tx) error {
		count := func(isNew bool, err error) error {
			if isNew {
				added++
			}
			return err
		}
		for _, v := range b.Sessions {
			if err := count(insertSession(ctx, t, v)); err != nil {
				return fmt.Errorf("session %s: %w", v.ID, err)
			}
		}
		for _, p := range b.Prompts {
			if err := count(stubSession(ctx, t, p.SessionID, p.Project, p.CreatedAt)); err != nil {
				return fmt.Errorf("session %s: %w", p.SessionID, err)
			}
			if err := count(insertPrompt(ctx, t, p)); err != nil {
				return fmt.Errorf("prompt %d of session %s: %w", p.Number, p.SessionID, err)
			}
		}
		for _, o := range b.Observations {
			if err := count(stubSession(ctx, t, o.SessionID, o.Project, o.CreatedAt)); err != nil {
				return fmt.Errorf("session %s: %w", o.SessionID, err)
			}
			_, isNew, err := s.insertObservation(ctx, t, o)
			if err := count(isNew, err); err != nil {
				return err
			}
		}
		for _, m := range b.Summaries {
			if err := count(stubSession(ctx, t, m.SessionID, m.Project, m.CreatedAt)); err != nil {
				return fmt.Errorf("session %s: %w", m.SessionID, err)
			}
			_, isNew, err := s.insertSummary(ctx, t, m)
			if err := count(isNew, err); err != nil {
				return fmt.Errorf("summary of session %s: %w", m.SessionID, err)
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("import: %w", err)
	}
	return added, nil
}

func insertSession(ctx context.Context, t tx, v memory.Session) (added bool, err error) {
	last := v.LastEventAt
	if last.IsZero() {
		last = v.CreatedAt
	}
	var completedAt, completedEpoch any
	if !v.CompletedAt.IsZero() {
		completedAt, completedEpoch = isoTime(v.CompletedAt), v.CompletedAt.UnixMilli()
	}
	changed, err := t.exec(ctx, `INSERT INTO sdk_sessions (session_id, agent, project, cwd, transcript_path, git_branch, status,
			title, created_at, created_at_epoch, last_event_at, last_event_at_epoch, completed_at, completed_at_epoch)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		clean(v.ID), cmp.Or(clean(v.Agent), "claude-code"), clean(v.Project), clean(v.CWD), clean(v.TranscriptPath), clean(v.GitBranch),
		cmp.Or(v.Status, memory.SessionCompleted), oneLine(clean(v.Title), titleLength), isoTime(v.CreatedAt), v.CreatedAt.UnixMilli(),
		isoTime(last), last.UnixMilli(), completedAt, completedEpoch)
	return changed > 0, err
}

// stubSession creates the session that a memory names when it is not there.
func stubSession(ctx context.Context, t tx, id, project string, created time.Time) (added bool, err error) {
	return insertSession(ctx, t, memory.Session{ID: id, Project: project, CreatedAt: created})
}
