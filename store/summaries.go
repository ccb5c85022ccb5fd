package store

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"cmem/memory"
)

const summaryColumns = `id, uid, session_id, project, prompt_number, created_at_epoch,
	request, investigated, learned, completed, next_steps, notes, files_read, files_modified,
	status, compressor, model, provisional, tokens_spent`

func scanSummary(r row) (memory.Summary, error) {
	var m memory.Summary
	return m, r.Scan(summaryFields(&m)...)
}

// summaryFields are where the summaryColumns go.
func summaryFields(m *memory.Summary) []any {
	return []any{
		&m.ID, &m.UID, &m.SessionID, &m.Project, &m.PromptNumber, epoch{&m.CreatedAt},
		&m.Request, &m.Investigated, &m.Learned, &m.Completed, &m.NextSteps, &m.Notes,
		list{&m.FilesRead}, list{&m.FilesModified},
		&m.Status, &m.Compressor, &m.Model, &m.Provisional, &m.TokensSpent,
	}
}

// Summary gives one summary, whatever its status. The error is ErrNotFound when
// there is none with that id.
func (s *Store) Summary(ctx context.Context, id int64) (memory.Summary, error) {
	m, err := one(ctx, s.read, scanSummary, "SELECT "+summaryColumns+" FROM session_summaries WHERE id = ?", id)
	if err != nil {
		return m, fmt.Errorf("read summary %d: %w", id, err)
	}
	return m, nil
}

// LatestSummary gives the newest active summary of a session, ErrNotFound when it
// has none.
func (s *Store) LatestSummary(ctx context.Context, sessionID string) (memory.Summary, error) {
	m, err := one(ctx, s.read, scanSummary, "SELECT "+summaryColumns+` FROM session_summaries
		WHERE session_id = ? AND status = 'active' ORDER BY created_at_epoch DESC, id DESC LIMIT 1`, sessionID)
	if err != nil {
		return m, fmt.Errorf("read the summary of session %s: %w", sessionID, err)
	}
	return m, nil
}

// RecentSummaries gives the newest summaries of f's project, session, time and
// statuses, newest first.
func (s *Store) RecentSummaries(ctx context.Context, f memory.Filter, limit int) ([]memory.Summary, error) {
	narrow, err := s.narrowed(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("list summaries: %w", err)
	}
	query, args := summaryPage(narrow, spanOf(f), "DESC", limit)
	page, err := all(ctx, s.read, scanSummary, query, args...)
	if err != nil {
		return nil, fmt.Errorf("list summaries: %w", err)
	}
	return page, nil
}

// SessionSummaries gives all summaries of a session, superseded ones too, oldest first.
func (s *Store) SessionSummaries(ctx context.Context, sessionID string) ([]memory.Summary, error) {
	list, err := all(ctx, s.read, scanSummary, "SELECT "+summaryColumns+` FROM session_summaries
		WHERE session_id = ? ORDER BY created_at_epoch, id`, sessionID)
	if err != nil {
		return nil, fmt.Errorf("read the summaries of session %s: %w", sessionID, err)
	}
	return list, nil
}

// summaryPage is the query for the rows of a span in the given direction.
func summaryPage(f filter, in span, direction string, limit int) (query string, args []any) {
	return page(memory.KindSummary, summaryColumns, f, in, direction, limit, time.Time{})
}

// AddSummary stores a checkpoint of a session in the place of the session's
// active ones, and gives it back as stored. The session is no longer due, unless another turn of it
// has ended meanwhile.
func (s *Store) AddSummary(ctx context.Context, m memory.Summary) (memory.Summary, error) {
	err := s.transact(ctx, func(t tx) error {
		session, err := one(ctx, t, scanSession, "SELECT "+sessionColumns+" FROM sdk_sessions WHERE session_id = ?", m.SessionID)
		if err != nil {
			return err
		}
		m.Project = cmp.Or(m.Project, session.Project)
		m.PromptNumber = cmp.Or(m.PromptNumber, session.PromptCount)
		m.Status = memory.StatusActive
		if _, err := t.exec(ctx, `UPDATE session_summaries SET status = 'superseded'
			WHERE session_id = ? AND status = 'active'`, m.SessionID); err != nil {
			return err
		}
		if m, _, err = s.insertSummary(ctx, t, m); err != nil {
			return err
		}
		return clearSummaryDue(ctx, t, m.SessionID)
	})
	if err != nil {
		return m, fmt.Errorf("store the summary of session %s: %w", m.SessionID, err)
	}
	return m, nil
}

func (s *Store) insertSummary(ctx context.Context, t tx, m memory.Summary) (stored memory.Summary, added bool, err error) {
	if m.CreatedAt.IsZero() {
		m.CreatedAt = s.now()
	}
	if m.UID == "" {
		m.UID = newUID(m.CreatedAt)
	}
	m.SessionID, m.Project = clean(m.SessionID), clean(m.Project)
	tokens := 0
	texts := []*string{&m.Request, &m.Investigated, &m.Learned, &m.Completed, &m.NextSteps, &m.Notes}
	for _, text := range texts {
		*text = clean(*text)
		tokens += memory.EstimateTokens(*text)
	}
	changed, err := t.exec(ctx, `INSERT INTO session_summaries (
			id, uid, session_id, project, prompt_number, created_at, created_at_epoch,
			status, compressor, model, provisional, tokens_spent, tokens_read,
			request, investigated, learned, completed, next_steps, notes, files_read, files_modified, tokens)
		VALUES (`+nextID("session_summaries", memory.KindSummary)+`, ?, ?, ?, ?, ?, ?,  ?, ?, ?, ?, ?, ?,  ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		m.UID, m.SessionID, m.Project, m.PromptNumber, isoTime(m.CreatedAt), m.CreatedAt.UnixMilli(),
		cmp.Or(m.Status, memory.StatusActive), m.Compressor, m.Model, m.Provisional, m.TokensSpent, tokens,
		m.Request, m.Investigated, m.Learned, m.Completed, m.NextSteps, m.Notes,
		encodeList(m.FilesRead), encodeList(m.FilesModified), summaryTokens(m))
	if err != nil {
		return m, false, err
	}
	stored, err = one(ctx, t, scanSummary, "SELECT "+summaryColumns+" FROM session_summaries WHERE uid = ?", m.UID)
	return stored, changed > 0, err
}

// MarkSummaryDue says that a session needs a summary.
func (s *Store) MarkSummaryDue(ctx context.Context, sessionID string) error {
	return s.noteSummaryDue(ctx, sessionID, func(ctx context.Context, t tx, id string) error {
		_, err := t.exec(ctx, "UPDATE sdk_sessions SET summary_due = 1 WHERE session_id = ?", id)
		return err
	})
}

// ClearSummaryDue says that a session needs no summary for now. It stays due when
// another turn of it has ended meanwhile.
func (s *Store) ClearSummaryDue(ctx context.Context, sessionID string) error {
	return s.noteSummaryDue(ctx, sessionID, clearSummaryDue)
}

func clearSummaryDue(ctx context.Context, t tx, sessionID string) error {
	_, err := t.exec(ctx, "UPDATE sdk_sessions AS s SET summary_due = "+turnUntold+" WHERE session_id = ?", sessionID)
	return err
}

func (s *Store) noteSummaryDue(ctx context.Context, sessionID string, note func(context.Context, tx, string) error) error {
	err := s.transact(ctx, func(t tx) error { return note(ctx, t, sessionID) })
	if err != nil {
		return fmt.Errorf("note whether session %s needs a summary: %w", sessionID, err)
	}
	return nil
}
