package store

import (
	"context"
	"fmt"
	"strings"

	"cmem/memory"
)

const sessionColumns = `id, session_id, agent, project, cwd, transcript_path, git_branch, status, title,
	created_at_epoch, last_event_at_epoch, coalesce(completed_at_epoch, 0), prompt_count, observation_count`

func scanSession(r row) (memory.Session, error) {
	var v memory.Session
	return v, r.Scan(&v.RowID, &v.ID, &v.Agent, &v.Project, &v.CWD, &v.TranscriptPath, &v.GitBranch, &v.Status, &v.Title,
		epoch{&v.CreatedAt}, epoch{&v.LastEventAt}, epoch{&v.CompletedAt}, &v.PromptCount, &v.ObservationCount)
}

// Session gives one session, ErrNotFound when there is none with that id.
func (s *Store) Session(ctx context.Context, id string) (memory.Session, error) {
	v, err := one(ctx, s.read, scanSession, "SELECT "+sessionColumns+" FROM sdk_sessions WHERE session_id = ?", id)
	if err != nil {
		return v, fmt.Errorf("read session %s: %w", id, err)
	}
	return v, nil
}

// Sessions gives a page of the sessions of f's project, agents, branches and time, newest first by
// their beginning, strictly older than the cursor, whose ID is a Session's RowID.
func (s *Store) Sessions(ctx context.Context, f memory.Filter, after memory.Cursor, limit int) ([]memory.Session, error) {
	narrow, err := s.narrowed(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	query, args := sessionPage(narrow, spanOf(f).before(after, after.Kind), "DESC", limit)
	page, err := all(ctx, s.read, scanSession, query, args...)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return page, nil
}

func sessionPage(f filter, in span, direction string, limit int) (query string, args []any) {
	return f.inParts("sdk_sessions", direction, limit, func(f filter) (string, []any) {
		var w where
		w.origin("sdk_sessions", f, in)
		w.branches("sdk_sessions", f)
		return fmt.Sprintf("SELECT %s FROM sdk_sessions WHERE %s ORDER BY created_at_epoch %s, id %[3]s LIMIT ?",
			sessionColumns, &w, direction), append(w.args, limit)
	})
}

// turnUntold is true of a session s with a turn that has ended and of which no batch was
// made yet: events may be stored at any time between two looks of the worker.
const turnUntold = `EXISTS (SELECT 1 FROM events AS e WHERE e.session_id = s.session_id
	AND e.batch_id IS NULL AND e.event IN ('Stop', 'SessionEnd', 'PreCompact'))`

// SessionsDue gives sessions that need a summary, whose turns are all in batches and
// whose batches all have an observation or at least a provisional one.
func (s *Store) SessionsDue(ctx context.Context, limit int) ([]memory.Session, error) {
	due, err := all(ctx, s.read, scanSession, "SELECT "+sessionColumns+` FROM sdk_sessions AS s
		WHERE summary_due = 1
		AND NOT EXISTS (SELECT 1 FROM batches AS b WHERE b.session_id = s.session_id AND b.state = 'pending')
		AND NOT `+turnUntold+`
		ORDER BY id LIMIT ?`, limit)
	if err != nil {
		return nil, fmt.Errorf("list sessions without a summary: %w", err)
	}
	return due, nil
}

// SessionsByPrefix gives the newest sessions, at most limit, whose id begins
// with prefix, as people type ids.
func (s *Store) SessionsByPrefix(ctx context.Context, prefix string, limit int) ([]memory.Session, error) {
	// substr and not LIKE, which gives % and _ a meaning; the range lets the index on session_id serve.
	found, err := all(ctx, s.read, scanSession, "SELECT "+sessionColumns+` FROM sdk_sessions
		WHERE session_id >= ?1 AND substr(session_id, 1, length(?1)) = ?1
		AND session_id < ?1 || char(0x10FFFF) ORDER BY created_at_epoch DESC, id DESC LIMIT ?2`, prefix, limit)
	if err != nil {
		return nil, fmt.Errorf("find sessions by id %q: %w", prefix, err)
	}
	return found, nil
}

const (
	maxFindWords = 16
	// firstWords is how many runes of a session's first prompt are looked through.
	firstWords = 2000
)

// FindSessions gives the newest sessions of f's origin and time in which each
// word of the text stands: in the title, in the first prompt that the title is the
// beginning of, the branch, the project's or the working directory, or at the
// beginning of the id. Parts of words count, small and capital Latin letters are
// the same. A text without a word finds every session.
func (s *Store) FindSessions(ctx context.Context, text string, f memory.Filter, limit int) ([]memory.Session, error) {
	narrow, err := s.narrowed(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("find sessions: %w", err)
	}
	words := strings.Fields(clean(text))
	query, args := findSessionsPage(narrow, words[:min(len(words), maxFindWords)], limit)
	found, err := all(ctx, s.read, scanSession, query, args...)
	if err != nil {
		return nil, fmt.Errorf("find sessions: %w", err)
	}
	return found, nil
}

func findSessionsPage(f filter, words []string, limit int) (query string, args []any) {
	var w where
	w.origin("sdk_sessions", f, spanOf(f.Filter))
	w.branches("sdk_sessions", f)
	for _, word := range words {
		begins := likeEscaper.Replace(word) + "%"
		has := "%" + begins
		// The first prompt stands in another table. It is looked up only where the
		// title, which is made of it, leaves some of it out.
		w.add(fmt.Sprintf(`(title LIKE ? ESCAPE '\' OR git_branch LIKE ? ESCAPE '\' OR project LIKE ? ESCAPE '\' OR cwd LIKE ? ESCAPE '\'
			OR +session_id LIKE ? ESCAPE '\' OR (title = '' OR substr(title, -1) = '…') AND coalesce((SELECT substr(p.prompt_text, 1, %d) LIKE ? ESCAPE '\' FROM user_prompts AS p
				WHERE p.session_id = sdk_sessions.session_id AND p.prompt_number = 1), 0))`, firstWords), has, has, has, has, begins, has)
	}
	return fmt.Sprintf("SELECT %s FROM sdk_sessions WHERE %s ORDER BY created_at_epoch DESC, id DESC LIMIT ?", sessionColumns, &w),
		append(w.args, limit)
}
