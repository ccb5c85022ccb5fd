package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"

	"cmem/memory"
)

// identity is what makes a row of a table the same memory: its id alone could
// belong to another one by now. Rows of a table without one are only changed
// back, never brought back.
var identity = map[string][]string{
	"observations":      {"uid"},
	"session_summaries": {"uid"},
	"user_prompts":      {"session_id", "prompt_number", "prompt_text"},
	"sdk_sessions":      nil,
	"batches":           nil,
	"events":            nil,
}

// tableOf is where the rows of a kind stand.
var tableOf = map[memory.ItemKind]string{
	memory.KindObservation: "observations",
	memory.KindPrompt:      "user_prompts",
	memory.KindSummary:     "session_summaries",
}

// save adds the rows of a term to the snapshot as they are, whole, or only the
// named columns of them, id first.
func save(ctx context.Context, t tx, snap *memory.Snapshot, table string, columns []string, term string, args ...any) error {
	if len(columns) == 0 {
		var err error
		if columns, err = columnsOf(ctx, t, table); err != nil {
			return err
		}
	}
	rows, err := all(ctx, t, func(r row) ([]any, error) {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		return values, r.Scan(into...)
	}, fmt.Sprintf("SELECT %s FROM %s WHERE %s ORDER BY id", quoted(columns), table, term), args...)
	if err != nil || len(rows) == 0 {
		return err
	}
	for i := range snap.Saved {
		if saved := &snap.Saved[i]; saved.Table == table && slices.Equal(saved.Columns, columns) {
			saved.Rows = append(saved.Rows, rows...)
			return nil
		}
	}
	snap.Saved = append(snap.Saved, memory.SavedRows{Table: table, Columns: columns, Rows: rows})
	return nil
}

// columnsOf gives the columns of a table that can be written, also those that a
// person added.
func columnsOf(ctx context.Context, t tx, table string) ([]string, error) {
	return all(ctx, t, scanText, "SELECT name FROM pragma_table_info(?) ORDER BY cid", table)
}

// quoted writes names of columns for a statement.
func quoted(columns []string) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
	}
	return strings.Join(list, ", ")
}

// Restore undoes the change that gave the snapshot: every row of it is again
// what it was, under its id, and rows that the change brought are gone. What
// somebody else did to one of these rows since is undone with it; other rows stay
// as they are. It is all or nothing: the error is ErrDuplicate when another row
// has taken the place of one by now.
func (s *Store) Restore(ctx context.Context, snap memory.Snapshot) error {
	err := s.transact(ctx, func(t tx) error {
		touched, err := removeCreated(ctx, t, snap)
		if err != nil {
			return err
		}
		for _, saved := range snap.Saved {
			if err := restoreRows(ctx, t, saved); err != nil {
				return fmt.Errorf("%s: %w", saved.Table, err)
			}
		}
		for _, ref := range snap.Buried {
			if _, err := t.exec(ctx, "DELETE FROM tombstones WHERE kind = ? AND row_id = ?", ref.Kind, ref.ID); err != nil {
				return err
			}
		}
		return settleProjects(ctx, t, touched)
	})
	if err != nil {
		return fmt.Errorf("undo: %w", err)
	}
	return nil
}

// removeCreated deletes the rows that a change brought, and its sessions unless
// something else is in them by now. It gives the projects that were touched.
func removeCreated(ctx context.Context, t tx, snap memory.Snapshot) (projects []string, err error) {
	for _, ref := range snap.Created {
		table, known := tableOf[ref.Kind]
		if !known {
			return nil, fmt.Errorf("a snapshot of this store creates no %q", ref.Kind)
		}
		of, err := all(ctx, t, scanText, fmt.Sprintf(`SELECT s.project FROM %s AS r
			JOIN sdk_sessions AS s ON s.session_id = r.session_id WHERE r.id = ?`, table), ref.ID)
		if err != nil {
			return nil, err
		}
		projects = append(projects, of...)
		if _, err := t.exec(ctx, "DELETE FROM "+table+" WHERE id = ?", ref.ID); err != nil {
			return nil, err
		}
	}
	empty := "session_id = ?1"
	for _, child := range sessionTables {
		empty += fmt.Sprintf(" AND NOT EXISTS (SELECT 1 FROM %s AS c WHERE c.session_id = ?1)", child.table)
	}
	for _, id := range snap.CreatedSessions {
		if _, err := t.exec(ctx, "DELETE FROM sdk_sessions WHERE "+empty, id); err != nil {
			return nil, err
		}
	}
	return projects, nil
}

// settleProjects makes the projects' last activity that of their sessions again:
// what the change added to it is gone.
func settleProjects(ctx context.Context, t tx, projects []string) error {
	for _, p := range projects {
		for _, statement := range []string{
			"DELETE FROM projects WHERE project = ? AND " + emptyProject,
			`UPDATE projects SET last_active_epoch = coalesce(
				(SELECT max(last_event_at_epoch) FROM sdk_sessions AS s WHERE s.project = projects.project), 0) WHERE project = ?`,
		} {
			if _, err := t.exec(ctx, statement, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func restoreRows(ctx context.Context, t tx, saved memory.SavedRows) error {
	same, known := identity[saved.Table]
	if !known {
		return errors.New("a snapshot of this store has no such table")
	}
	have, err := columnsOf(ctx, t, saved.Table)
	if err != nil {
		return err
	}
	for _, c := range saved.Columns {
		if !slices.Contains(have, c) {
			return fmt.Errorf("a snapshot of this store has no column %q", c)
		}
	}
	r := restorer{table: saved.Table, columns: saved.Columns, same: same}
	// Two rows may have swapped what makes them unique since.
	if saved.Table == "observations" {
		for _, values := range saved.Rows {
			if _, err := t.exec(ctx, "UPDATE observations SET content_hash = uid WHERE id = ? AND uid = ?",
				r.value(values, "id"), r.value(values, "uid")); err != nil {
				return err
			}
		}
	}
	for _, values := range saved.Rows {
		if err := r.restore(ctx, t, values); err != nil {
			if isDuplicate(err) {
				err = ErrDuplicate
			}
			return fmt.Errorf("row %v: %w", r.value(values, "id"), err)
		}
	}
	return nil
}

// restorer puts rows of one table back.
type restorer struct {
	table   string
	columns []string
	same    []string // see identity
}

func (r restorer) value(values []any, column string) any {
	if i := slices.Index(r.columns, column); i >= 0 && i < len(values) {
		return values[i]
	}
	return nil
}

// is is the term for the row that is the same memory, with its arguments.
func (r restorer) is(values []any) (term string, args []any) {
	terms := []string{"true"}
	for _, c := range r.same {
		terms = append(terms, c+" = ?")
		args = append(args, r.value(values, c))
	}
	return strings.Join(terms, " AND "), args
}

func (r restorer) restore(ctx context.Context, t tx, values []any) error {
	if len(values) != len(r.columns) {
		return errors.New("the snapshot is not whole")
	}
	id := r.value(values, "id")
	same, args := r.is(values)
	sets := strings.ReplaceAll(quoted(r.columns), ", ", " = ?, ") + " = ?"
	changed, err := t.exec(ctx, fmt.Sprintf("UPDATE %s SET %s WHERE id = ? AND %s", r.table, sets, same),
		slices.Concat(values, []any{id}, args)...)
	if err != nil || changed > 0 || len(r.same) == 0 {
		return err
	}
	// It is gone, or somebody has brought it back under another id.
	if _, err := t.exec(ctx, fmt.Sprintf("DELETE FROM %s WHERE %s", r.table, same), args...); err != nil {
		return err
	}
	switch _, err := number(ctx, t, "SELECT id FROM "+r.table+" WHERE id = ?", id); {
	case err == nil: // another memory has the id: both are worth more than the number
		values = slices.Clone(values)
		values[slices.Index(r.columns, "id")] = nil
	case !errors.Is(err, ErrNotFound):
		return err
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(values)), ", ")
	_, err = t.exec(ctx, fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", r.table, quoted(r.columns), marks), values...)
	return err
}

// isDuplicate reports whether err says that a row exists already.
func isDuplicate(err error) bool {
	code, ok := sqliteCode(err)
	return ok && code == sqlite3.SQLITE_CONSTRAINT_UNIQUE
}

// nextID is the expression for the id of a new row of a table: one that no row
// has had, also none that a person deleted, because ids of memories are told to
// models and people.
func nextID(table string, kind memory.ItemKind) string {
	return fmt.Sprintf(`(SELECT max(coalesce((SELECT max(id) FROM %s), 0),
		coalesce((SELECT max(row_id) FROM tombstones WHERE kind = '%s'), 0)) + 1)`, table, kind)
}
