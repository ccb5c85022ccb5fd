package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"cmem/memory"
)

const (
	// byHand is the assistant and the compressor of what a person wrote.
	byHand = "person"
	// notesTitle is the title of the session that keeps a project's notes.
	notesTitle = "Notes by hand"
)

// Add stores an observation that a person wrote and gives it back as stored, with
// what Restore needs to take it away again. It needs a title. Without a session
// it goes to one of its own, the same for all notes of its project. The error is
// ErrNotFound when there is no such session, and ErrDuplicate when the session
// has one that says the same.
func (s *Store) Add(ctx context.Context, o memory.Observation) (memory.Observation, memory.Snapshot, error) {
	var before memory.Snapshot
	var stored memory.Observation
	err := s.transact(ctx, func(t tx) (err error) {
		stored, err = s.addByHand(ctx, t, &before, o)
		return err
	})
	if err != nil {
		return memory.Observation{}, memory.Snapshot{}, fmt.Errorf("add a memory: %w", err)
	}
	return stored, before, nil
}

func (s *Store) addByHand(ctx context.Context, t tx, before *memory.Snapshot, o memory.Observation) (memory.Observation, error) {
	if strings.TrimSpace(clean(o.Title)) == "" {
		return o, errNoTitle
	}
	if o.CreatedAt.IsZero() {
		o.CreatedAt = s.now()
	}
	o.ID, o.BatchID, o.UID, o.Provisional = 0, 0, "", false
	o.Compressor, o.Certainty = byHand, memory.CertaintyConfirmed
	o.Project = clean(o.Project)
	if o.SessionID == "" {
		o.SessionID = notesSession(o.Project)
		created, err := insertSession(ctx, t, memory.Session{
			ID: o.SessionID, Agent: byHand, Project: o.Project, Title: notesTitle, CreatedAt: o.CreatedAt,
		})
		if err != nil {
			return o, fmt.Errorf("session %s: %w", o.SessionID, err)
		}
		if created {
			before.CreatedSessions = append(before.CreatedSessions, o.SessionID)
		}
	}
	session, err := one(ctx, t, scanSession, "SELECT "+sessionColumns+" FROM sdk_sessions WHERE session_id = ?", o.SessionID)
	if err != nil {
		return o, fmt.Errorf("session %s: %w", o.SessionID, err)
	}
	if o.Project == "" {
		o.Project = session.Project
	}
	if session.LastEventAt.Before(o.CreatedAt) && session.Agent == byHand {
		if err := save(ctx, t, before, "sdk_sessions", []string{"id", "session_id", "last_event_at", "last_event_at_epoch"},
			"session_id = ?", o.SessionID); err != nil {
			return o, err
		}
		if _, err := t.exec(ctx, "UPDATE sdk_sessions SET last_event_at = ?, last_event_at_epoch = ? WHERE session_id = ?",
			isoTime(o.CreatedAt), o.CreatedAt.UnixMilli(), o.SessionID); err != nil {
			return o, err
		}
	}
	stored, added, err := s.insertObservation(ctx, t, o)
	if err == nil && !added {
		err = fmt.Errorf("%w: observation %d", ErrDuplicate, stored.ID)
	}
	if err != nil {
		return o, err
	}
	before.Created = append(before.Created, memory.Ref{Kind: memory.KindObservation, ID: stored.ID})
	return stored, nil
}

// notesSession is the id of the session that keeps the notes of a project.
func notesSession(project string) string {
	sum := sha256.Sum256([]byte(project))
	return "notes-" + hex.EncodeToString(sum[:8])
}
