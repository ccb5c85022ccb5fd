package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"cmem/memory"
)

const observationColumns = `id, uid, session_id, project, prompt_number, coalesce(batch_id, 0), created_at_epoch,
	type, title, subtitle, narrative, facts, concepts, files_read, files_modified, tags,
	scope, status, certainty, pinned, weight, coalesce(valid_until_epoch, 0),
	tool_name, compressor, model, provisional, tokens_spent, tokens_source, git_branch, git_commit, content_hash,
	status_reason, superseded_by, coalesce(edited_at_epoch, 0)`

func scanObservation(r row) (memory.Observation, error) {
	var o memory.Observation
	return o, r.Scan(observationFields(&o)...)
}

// observationFields are where the observationColumns go.
func observationFields(o *memory.Observation) []any {
	return []any{
		&o.ID, &o.UID, &o.SessionID, &o.Project, &o.PromptNumber, &o.BatchID, epoch{&o.CreatedAt},
		&o.Type, &o.Title, &o.Subtitle, &o.Narrative,
		list{&o.Facts}, list{&o.Concepts}, list{&o.FilesRead}, list{&o.FilesModified}, list{&o.Tags},
		&o.Scope, &o.Status, &o.Certainty, &o.Pinned, &o.Weight, epoch{&o.ValidUntil},
		&o.ToolName, &o.Compressor, &o.Model, &o.Provisional, &o.TokensSpent, &o.TokensSource,
		&o.GitBranch, &o.GitCommit, &o.ContentHash,
		&o.StatusReason, &o.SupersededBy, epoch{&o.EditedAt},
	}
}

// Observation gives one observation, whatever its status. The error is
// ErrNotFound when there is none with that id.
func (s *Store) Observation(ctx context.Context, id int64) (memory.Observation, error) {
	o, err := one(ctx, s.read, scanObservation, "SELECT "+observationColumns+" FROM observations WHERE id = ?", id)
	if err != nil {
		return o, fmt.Errorf("read observation %d: %w", id, err)
	}
	return o, nil
}

// ObservationByUID gives the observation with a UID, as SupersededBy names one,
// whatever its status. The error is ErrNotFound when there is none.
func (s *Store) ObservationByUID(ctx context.Context, uid string) (memory.Observation, error) {
	o, err := one(ctx, s.read, scanObservation, "SELECT "+observationColumns+" FROM observations WHERE uid = ?", uid)
	if err != nil {
		return o, fmt.Errorf("read observation %s: %w", uid, err)
	}
	return o, nil
}

// Observations gives the observations with the ids, in the order of ids;
// those that do not exist are left out.
func (s *Store) Observations(ctx context.Context, ids []int64) ([]memory.Observation, error) {
	found, err := all(ctx, s.read, scanObservation, "SELECT "+observationColumns+
		" FROM observations WHERE id IN (SELECT value FROM json_each(?))", encodeIDs(ids))
	if err != nil {
		return nil, fmt.Errorf("read %d observations: %w", len(ids), err)
	}
	byID := make(map[int64]memory.Observation, len(found))
	for _, o := range found {
		byID[o.ID] = o
	}
	out := make([]memory.Observation, 0, len(found))
	for _, id := range ids {
		if o, ok := byID[id]; ok {
			out = append(out, o)
			delete(byID, id) // an id that is asked for twice is answered once
		}
	}
	return out, nil
}

// ListObservations gives a page of the observations that f takes, newest first,
// strictly older than the cursor.
func (s *Store) ListObservations(ctx context.Context, f memory.Filter, after memory.Cursor, limit int) ([]memory.Observation, error) {
	narrow, err := s.narrowed(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("list observations: %w", err)
	}
	query, args := s.observationPage(narrow, spanOf(f).before(after, memory.KindObservation), "DESC", limit)
	page, err := all(ctx, s.read, scanObservation, query, args...)
	if err != nil {
		return nil, fmt.Errorf("list observations: %w", err)
	}
	return page, nil
}

// observationPage is the query for the rows of a span in the given direction.
func (s *Store) observationPage(f filter, in span, direction string, limit int) (query string, args []any) {
	return page(memory.KindObservation, observationColumns, f, in, direction, limit, s.now())
}

func (s *Store) observationsWhere(f filter, in span) *where {
	return rowsWhere(memory.KindObservation, f, in, s.now())
}

// SessionObservations gives the active observations of a session, oldest first.
func (s *Store) SessionObservations(ctx context.Context, sessionID string) ([]memory.Observation, error) {
	f := memory.Filter{SessionID: sessionID, IncludeExpired: true}
	query, args := s.observationPage(filter{Filter: f}, spanOf(f), "ASC", -1)
	list, err := all(ctx, s.read, scanObservation, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read the observations of session %s: %w", sessionID, err)
	}
	return list, nil
}

// CountObservations counts the observations that f takes.
func (s *Store) CountObservations(ctx context.Context, f memory.Filter) (int, error) {
	narrow, err := s.narrowed(ctx, f)
	if err != nil {
		return 0, fmt.Errorf("count observations: %w", err)
	}
	sum := 0
	for _, part := range narrow.parts("observations") {
		w := s.observationsWhere(part, spanOf(f))
		n, err := number(ctx, s.read, "SELECT count(*) FROM observations WHERE "+w.String(), w.args...)
		if err != nil {
			return 0, fmt.Errorf("count observations: %w", err)
		}
		sum += int(n)
	}
	return sum, nil
}

// insertObservation stores o and gives it back as stored. When its session has
// an observation that says the same, that one is given back and added is false.
func (s *Store) insertObservation(ctx context.Context, t tx, o memory.Observation) (stored memory.Observation, added bool, err error) {
	if o.CreatedAt.IsZero() {
		o.CreatedAt = s.now()
	}
	if o.UID == "" {
		o.UID = newUID(o.CreatedAt)
	}
	o.SessionID, o.Project = clean(o.SessionID), clean(o.Project)
	o.Title, o.Subtitle, o.Narrative = clean(o.Title), clean(o.Subtitle), clean(o.Narrative)
	o.ContentHash = contentHash(o)
	until, untilEpoch := nullTime(o.ValidUntil)
	edited, editedEpoch := nullTime(o.EditedAt)
	if o.Weight == 0 {
		o.Weight = 1
	}
	changed, err := t.exec(ctx, `INSERT INTO observations (
			id, uid, session_id, project, prompt_number, batch_id, created_at, created_at_epoch,
			type, title, subtitle, narrative, facts, concepts, files_read, files_modified, tags, tokens,
			scope, status, certainty, pinned, weight, valid_until, valid_until_epoch,
			tool_name, compressor, model, provisional, tokens_spent, tokens_source, tokens_read,
			git_branch, git_commit, content_hash, status_reason, superseded_by, edited_at, edited_at_epoch)
		VALUES (`+nextID("observations", memory.KindObservation)+`,
			?, ?, ?, ?, nullif(?, 0), ?, ?,  ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,  ?, ?, ?, ?, ?, ?, ?,  ?, ?, ?, ?, ?, ?, ?,  ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`,
		o.UID, o.SessionID, o.Project, o.PromptNumber, o.BatchID, isoTime(o.CreatedAt), o.CreatedAt.UnixMilli(),
		cmp.Or(clean(o.Type), memory.TypeDiscovery), o.Title, o.Subtitle, o.Narrative,
		encodeList(o.Facts), encodeList(o.Concepts), encodeList(o.FilesRead), encodeList(o.FilesModified), encodeList(o.Tags),
		searchTokens(o),
		cmp.Or(o.Scope, memory.ScopeProject), cmp.Or(o.Status, memory.StatusActive), o.Certainty, o.Pinned, o.Weight, until, untilEpoch,
		clean(o.ToolName), o.Compressor, o.Model, o.Provisional, o.TokensSpent, o.TokensSource, o.ReadTokens(),
		clean(o.GitBranch), clean(o.GitCommit), o.ContentHash,
		oneLine(clean(o.StatusReason), reasonLength), clean(o.SupersededBy), edited, editedEpoch)
	if err != nil {
		return o, false, fmt.Errorf("store observation %q: %w", oneLine(o.Title, 60), err)
	}
	added = changed > 0
	stored, err = one(ctx, t, scanObservation, "SELECT "+observationColumns+
		" FROM observations WHERE uid = ? OR session_id = ? AND content_hash = ? LIMIT 1", o.UID, o.SessionID, o.ContentHash)
	if err != nil {
		return o, false, fmt.Errorf("read back observation %q: %w", oneLine(o.Title, 60), err)
	}
	return stored, added, nil
}

// contentHash is the same for two observations of a session whose titles and
// narratives differ in nothing but case and white space.
func contentHash(o memory.Observation) string {
	h := sha256.New()
	for _, part := range []string{o.SessionID, o.Title, o.Narrative} {
		h.Write([]byte(strings.ToLower(strings.Join(strings.Fields(part), " "))))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
