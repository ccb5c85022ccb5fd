package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"cmem/memory"
)

const (
	// summaryEvery is after how many prompts a running session gets a checkpoint.
	summaryEvery = 10
	// unknownSession keeps events that name no session: nothing is lost.
	unknownSession = "unknown"
)

// AddEvents stores events, each once, with the sessions and prompts that they tell
// of, in one transaction. An event is known by its ID; under another ID the same
// event of a hook that is registered twice is recognised too. Events should come in
// the order of their IDs. It says how many were new. When it returns without an
// error they are on the disk: not even a power cut takes them back.
func (s *Store) AddEvents(ctx context.Context, events []memory.Event) (added int, err error) {
	err = s.transactDurably(ctx, func(t tx) error {
		for _, e := range events {
			isNew, err := s.addEvent(ctx, t, e)
			if err != nil {
				return fmt.Errorf("event %s (%s): %w", e.ID, e.Name, err)
			}
			if isNew {
				added++
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("store %d events: %w", len(events), err)
	}
	return added, nil
}

func (s *Store) addEvent(ctx context.Context, t tx, e memory.Event) (added bool, err error) {
	if e.ID == "" {
		return false, errors.New("it has no id")
	}
	switch _, err := number(ctx, t, "SELECT id FROM events WHERE event_id = ?", e.ID); {
	case err == nil:
		return false, nil
	case !errors.Is(err, ErrNotFound):
		return false, err
	}
	if e.CreatedAt.IsZero() {
		e.CreatedAt = s.now()
	}
	e.Name, e.Project = clean(e.Name), clean(cmp.Or(e.Project, e.CWD))
	e.SessionID = cmp.Or(clean(e.SessionID), unknownSession)
	sum, within := fingerprint(e)
	if twin, err := isTwin(ctx, t, e, sum, within); twin || err != nil {
		return false, err
	}

	if gone, err := isForgotten(ctx, t, e); gone || err != nil {
		return false, err
	}

	if err := touchSession(ctx, t, e, s.now()); err != nil {
		return false, fmt.Errorf("session %s: %w", e.SessionID, err)
	}
	prompt, err := promptNumber(ctx, t, e)
	if err != nil {
		return false, fmt.Errorf("prompt of session %s: %w", e.SessionID, err)
	}
	if summaryDue(e, prompt) {
		if _, err := t.exec(ctx, "UPDATE sdk_sessions SET summary_due = 1 WHERE session_id = ?", e.SessionID); err != nil {
			return false, err
		}
	}
	payload, err := pack(e.Raw)
	if err != nil {
		return false, err
	}
	_, err = t.exec(ctx, `INSERT INTO events (event_id, session_id, project, prompt_number, event, tool_name, tool_use_id,
			agent_id, git_branch, git_commit, created_at, created_at_epoch, payload, fingerprint, prompt_id)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		e.ID, e.SessionID, e.Project, prompt, e.Name, clean(e.ToolName), clean(e.ToolUseID),
		clean(e.AgentID), clean(e.Branch), clean(e.Commit), isoTime(e.CreatedAt), e.CreatedAt.UnixMilli(), payload, sum, clean(e.PromptID))
	return err == nil, err
}

// clockSlack is how far ahead of the clock a stored time may be before it is plain
// that the clock was set back since.
const clockSlack = time.Minute

// touchSession creates the session of e or moves it on. An event that arrives
// late changes nothing that a later one has said, unless that one was told by a
// clock that has been set back since.
func touchSession(ctx context.Context, t tx, e memory.Event, now time.Time) error {
	ended := e.Name == memory.EventSessionEnd
	status := memory.SessionActive
	var completedAt, completedEpoch any
	if ended {
		status = memory.SessionCompleted
		completedAt, completedEpoch = isoTime(e.CreatedAt), e.CreatedAt.UnixMilli()
	}
	_, err := t.exec(ctx, `INSERT INTO sdk_sessions (session_id, agent, project, cwd, transcript_path, git_branch, status,
			created_at, created_at_epoch, last_event_at, last_event_at_epoch, completed_at, completed_at_epoch)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (session_id) DO UPDATE SET
			project = coalesce(nullif(project, ''), excluded.project),
			cwd = coalesce(nullif(excluded.cwd, ''), cwd),
			transcript_path = coalesce(nullif(excluded.transcript_path, ''), transcript_path),
			git_branch = coalesce(nullif(excluded.git_branch, ''), git_branch),
			status = excluded.status,
			last_event_at = excluded.last_event_at,
			last_event_at_epoch = excluded.last_event_at_epoch,
			completed_at = excluded.completed_at,
			completed_at_epoch = excluded.completed_at_epoch
		WHERE excluded.last_event_at_epoch >= last_event_at_epoch OR last_event_at_epoch > ?`,
		e.SessionID, cmp.Or(clean(e.Agent), "claude-code"), e.Project, clean(e.CWD), clean(e.TranscriptPath), clean(e.Branch), status,
		isoTime(e.CreatedAt), e.CreatedAt.UnixMilli(), isoTime(e.CreatedAt), e.CreatedAt.UnixMilli(), completedAt, completedEpoch,
		now.Add(clockSlack).UnixMilli())
	return err
}

// promptNumber gives the number of the prompt that e belongs to, 0 before the
// first, after storing the prompt when e brings one.
func promptNumber(ctx context.Context, t tx, e memory.Event) (int, error) {
	// The number of a deleted prompt is not given again: its events still have it.
	latest, err := number(ctx, t, `SELECT max(
		(SELECT coalesce(max(prompt_number), 0) FROM user_prompts WHERE session_id = ?1),
		(SELECT coalesce(max(prompt_number), 0) FROM tombstones WHERE session_id = ?1 AND kind = 'prompt'))`, e.SessionID)
	if err != nil {
		return 0, err
	}
	if e.PromptID != "" {
		n, err := number(ctx, t, `SELECT prompt_number FROM user_prompts
			WHERE session_id = ? AND prompt_id = ? AND (? <> ? OR prompt_text = ?)
			ORDER BY prompt_number DESC LIMIT 1`,
			// An import tells of a prompt that a hook has told of long ago.
			e.SessionID, clean(e.PromptID), e.Name, memory.EventUserPromptSubmit, clean(e.Prompt))
		if err == nil {
			return int(n), nil
		}
		if !errors.Is(err, ErrNotFound) {
			return 0, err
		}
	}
	if e.Name != memory.EventUserPromptSubmit {
		return int(latest), nil
	}
	p := memory.Prompt{
		SessionID: e.SessionID, Project: e.Project, Number: int(latest) + 1, PromptID: e.PromptID,
		Text: e.Prompt, CreatedAt: e.CreatedAt,
	}
	if _, err := insertPrompt(ctx, t, p); err != nil {
		return 0, err
	}
	if err := adoptEvents(ctx, t, p); err != nil {
		return 0, err
	}
	return p.Number, titleSession(ctx, t, p)
}

// adoptEvents gives a new prompt the events that name it and came before it: the
// clock was set back in between, and events are taken in by their time.
func adoptEvents(ctx context.Context, t tx, p memory.Prompt) error {
	if p.PromptID == "" {
		return nil
	}
	_, err := t.exec(ctx, `UPDATE events SET prompt_number = ?1
		WHERE session_id = ?2 AND batch_id IS NULL AND prompt_id = ?3 AND NOT EXISTS (
			SELECT 1 FROM user_prompts WHERE session_id = ?2 AND prompt_id = ?3 AND prompt_number <> ?1)`,
		p.Number, p.SessionID, clean(p.PromptID))
	return err
}

// titleSession gives a session without a title the first words of what the person asked.
func titleSession(ctx context.Context, t tx, p memory.Prompt) error {
	_, err := t.exec(ctx, `UPDATE sdk_sessions SET title = ? WHERE session_id = ? AND title = ''
		AND (SELECT machine FROM user_prompts WHERE session_id = ? AND prompt_number = ?) = 0`,
		oneLine(clean(p.Text), titleLength), p.SessionID, p.SessionID, p.Number)
	return err
}

// summaryDue reports whether e is a moment for a checkpoint of its session.
func summaryDue(e memory.Event, prompt int) bool {
	switch e.Name {
	case memory.EventStop, memory.EventSessionEnd, memory.EventPreCompact:
		return true
	case memory.EventUserPromptSubmit:
		return prompt > 0 && prompt%summaryEvery == 0
	}
	return false
}

const eventColumns = "event_id, session_id, prompt_number, event, tool_name, tool_use_id, created_at_epoch, git_branch, git_commit, payload"

func scanEvent(r row) (memory.RawEvent, error) {
	var e memory.RawEvent
	var packed []byte
	err := r.Scan(&e.ID, &e.SessionID, &e.PromptNumber, &e.Name, &e.ToolName, &e.ToolUseID, epoch{&e.CreatedAt},
		&e.Branch, &e.Commit, &packed)
	if err != nil {
		return e, err
	}
	if e.Payload, err = unpack(packed); err != nil {
		return e, fmt.Errorf("event %s: %w", e.ID, err)
	}
	return e, nil
}

// RawEvents gives a page of the archived events of a session in order, those
// after the event with the given ID ("" for the beginning). A negative prompt
// number takes the events of all prompts.
func (s *Store) RawEvents(ctx context.Context, sessionID string, prompt int, afterEventID string, limit int) ([]memory.RawEvent, error) {
	term, args := "prompt_number = ? AND event_id > ?", []any{sessionID, prompt, afterEventID}
	if prompt < 0 {
		// In the order of the index: by prompt, then by event.
		term = `(prompt_number, event_id) > (coalesce((SELECT prompt_number FROM events WHERE event_id = ?), -1), ?)`
		args = []any{sessionID, afterEventID, afterEventID}
	}
	list, err := all(ctx, s.read, scanEvent, "SELECT "+eventColumns+" FROM events WHERE session_id = ? AND "+term+
		" ORDER BY prompt_number, event_id LIMIT ?", append(args, limit)...)
	if err != nil {
		return nil, fmt.Errorf("read the events of session %s: %w", sessionID, err)
	}
	return list, nil
}

// StoryEvents gives the events of a session that tell its story (Stop,
// SubagentStop, plans and tasks): the newest ones up to limit, in order.
func (s *Store) StoryEvents(ctx context.Context, sessionID string, limit int) ([]memory.RawEvent, error) {
	list, err := all(ctx, s.read, scanEvent, "SELECT "+eventColumns+` FROM events WHERE session_id = ?
		AND (event IN ('Stop', 'SubagentStop') OR tool_name IN ('TodoWrite', 'TaskCreate', 'TaskUpdate'))
		ORDER BY event_id DESC LIMIT ?`, sessionID, limit)
	if err != nil {
		return nil, fmt.Errorf("read the story of session %s: %w", sessionID, err)
	}
	slices.Reverse(list)
	return list, nil
}

// DropPayloads empties the archive of events from before a time whose batches
// are done: at most limit of them. It says how many it emptied; the events
// themselves stay.
func (s *Store) DropPayloads(ctx context.Context, before time.Time, limit int) (dropped int, err error) {
	err = s.transact(ctx, func(t tx) error {
		n, err := t.exec(ctx, `UPDATE events SET payload = NULL WHERE id IN (
			SELECT e.id FROM events AS e JOIN batches AS b ON b.id = e.batch_id
			WHERE e.payload IS NOT NULL AND e.created_at_epoch < ? AND b.state = 'done'
			ORDER BY e.created_at_epoch LIMIT ?)`, before.UnixMilli(), limit)
		dropped = int(n)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("drop payloads from before %s: %w", isoTime(before), err)
	}
	return dropped, nil
}
