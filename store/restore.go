package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"cmem/memory"
)

// Restore undoes the change that gave the snapshot: every row of it is again
// what it was, under its id, and rows that the change brought are gone. What was
// deleted since comes back; what was forgotten since does not, and what was edited
// since is not thrown away: the error is ErrChanged. A stand-in whose batch the provider has answered by
// now is left out: the answer is there in its place. It is all or nothing: the
// error is ErrDuplicate when another row has taken the place of one by now, or
// ErrReplaced.
func (s *Store) Restore(ctx context.Context, snap memory.Snapshot) error {
	transact := s.transact
	if len(snap.Created) > 0 {
		transact = s.erasing(indexesOf(snap.Created)...)
	}
	err := transact(ctx, func(t tx) error {
		if forgotten, err := isOfForgotten(ctx, t, snap); err != nil {
			return err
		} else if forgotten {
			return errForgotten
		}
		touched, err := removeCreated(ctx, t, snap)
		if err != nil {
			return err
		}
		for _, saved := range slices.Backward(snap.Saved) {
			if err := restoreRows(ctx, t, saved, snap.Left); err != nil {
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

func restoreRows(ctx context.Context, t tx, saved memory.SavedRows, left []int64) error {
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
	for _, values := range saved.Rows {
		if len(values) != len(saved.Columns) || len(values) == 0 {
			return errors.New("the snapshot is not whole")
		}
	}
	r := restorer{table: saved.Table, columns: saved.Columns, same: same, kind: kindOf(saved.Table), left: left}
	// Two rows may have swapped what makes them unique since: first all that differ
	// give it up.
	if r.kind == memory.KindObservation {
		for some := range slices.Chunk(saved.Rows, changeAtOnce) {
			if err := r.giveUpHashes(ctx, t, some); err != nil {
				return err
			}
		}
	}
	failed := func(id any, err error) error {
		if isDuplicate(err) {
			err = ErrDuplicate
		}
		return fmt.Errorf("row %v: %w", id, err)
	}
	// A row that was saved twice was changed in between: the first is how it was.
	seen := map[any]bool{}
	rows := slices.DeleteFunc(slices.Clone(saved.Rows), func(values []any) bool {
		id := r.value(values, "id")
		again := seen[id]
		seen[id] = true
		return again
	})
	for some := range slices.Chunk(rows, changeAtOnce) {
		now, err := r.current(ctx, t, some)
		if err != nil {
			return err
		}
		back := updates{table: r.table}
		for _, values := range some {
			if err := r.restore(ctx, t, &back, values, now); err != nil {
				return failed(r.value(values, "id"), err)
			}
		}
		if err := back.run(ctx, t, failed); err != nil {
			return err
		}
	}
	return nil
}

// kindOf gives the kind of the memories in a table, "" for a table of others.
func kindOf(table string) memory.ItemKind {
	for kind, of := range tableOf {
		if of == table {
			return kind
		}
	}
	return ""
}

// restorer puts rows of one table back.
type restorer struct {
	table   string
	columns []string
	same    []string        // see identity
	kind    memory.ItemKind // of the memories in it, if any
	left    []int64         // see memory.Snapshot
}

// changed reports whether somebody has edited an observation since the change, and
// not back to what it was.
func (r restorer) changed(have, saved []any) bool {
	edited, _ := r.value(have, "edited_at_epoch").(int64)
	return r.kind == memory.KindObservation && len(r.left) > 0 && !slices.Contains(r.left, edited) &&
		!reflect.DeepEqual(have, saved)
}

func (r restorer) value(values []any, column string) any {
	if i := slices.Index(r.columns, column); i >= 0 && i < len(values) {
		return values[i]
	}
	return nil
}

// current gives the rows as they stand, by their id, those that are the same
// memory only.
func (r restorer) current(ctx context.Context, t tx, saved [][]any) (map[any][]any, error) {
	id := slices.Index(r.columns, "id")
	if id < 0 {
		return nil, errors.New("the snapshot is not whole")
	}
	var ids []int64
	byID := make(map[any][]any, len(saved))
	for _, values := range saved {
		n, ok := values[id].(int64)
		if !ok {
			return nil, fmt.Errorf("the snapshot has a row with the id %v", values[id])
		}
		ids = append(ids, n)
		byID[n] = values
	}
	rows, err := all(ctx, t, scanValues(len(r.columns)),
		fmt.Sprintf("SELECT %s FROM %s WHERE %s", quoted(r.columns), r.table, amongIDs), encodeIDs(ids))
	if err != nil {
		return nil, err
	}
	now := make(map[any][]any, len(rows))
	for _, values := range rows {
		other := slices.ContainsFunc(r.same, func(c string) bool {
			return !reflect.DeepEqual(r.value(values, c), r.value(byID[values[id]], c))
		})
		if !other {
			now[values[id]] = values
		}
	}
	return now, nil
}

// giveUpHashes makes place among the observations of the sessions.
func (r restorer) giveUpHashes(ctx context.Context, t tx, saved [][]any) error {
	now, err := r.current(ctx, t, saved)
	if err != nil {
		return err
	}
	for _, values := range saved {
		id := r.value(values, "id")
		have := now[id]
		if have == nil || r.value(have, "content_hash") == r.value(values, "content_hash") {
			continue
		}
		if _, err := t.exec(ctx, "UPDATE observations SET content_hash = uid WHERE id = ?", id); err != nil {
			return err
		}
	}
	return nil
}

// restore puts one row back, or adds what does so to back; now is what current gave.
func (r restorer) restore(ctx context.Context, t tx, back *updates, values []any, now map[any][]any) error {
	id := r.value(values, "id")
	if answered, err := r.answered(ctx, t, values); err != nil {
		return err
	} else if answered {
		_, err := t.exec(ctx, "DELETE FROM observations WHERE id = ? AND uid = ?", id, r.value(values, "uid"))
		return err
	}
	if have := now[id]; have != nil {
		if r.changed(have, values) {
			return ErrChanged
		}
		if forgotten, err := r.ofForgotten(ctx, t, values); err != nil || forgotten {
			return err
		}
		r.setBack(back, have, values)
		return nil
	}
	if r.kind == "" {
		return nil
	}
	// It is gone, or somebody has brought it back under another id.
	terms, args := "true", []any{}
	for _, c := range r.same {
		terms += " AND " + c + " = ?"
		args = append(args, r.value(values, c))
	}
	if _, err := t.exec(ctx, fmt.Sprintf("DELETE FROM %s WHERE %s", r.table, terms), args...); err != nil {
		return err
	}
	inserted := values
	switch _, err := number(ctx, t, "SELECT id FROM "+r.table+" WHERE id = ?", id); {
	case err == nil: // another memory has the id: both are worth more than the number
		inserted = slices.Clone(values)
		inserted[slices.Index(r.columns, "id")] = nil
	case !errors.Is(err, ErrNotFound):
		return err
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(values)), ", ")
	if _, err := t.exec(ctx, fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", r.table, quoted(r.columns), marks), inserted...); err != nil {
		return err
	}
	// Who deleted it may have been another than whose change is undone. A live memory
	// has no tombstone.
	_, err := t.exec(ctx, "DELETE FROM tombstones WHERE kind = ? AND row_id = ? AND uid = coalesce(?, '')", r.kind, id, r.value(values, "uid"))
	return err
}

// setBack adds those columns of a row that differ. Writing the others, too, would
// index its texts anew, and that is slow.
func (r restorer) setBack(to *updates, have, values []any) {
	var columns []string
	var back []any
	for i, c := range r.columns {
		if !reflect.DeepEqual(have[i], values[i]) {
			columns, back = append(columns, c), append(back, values[i])
		}
	}
	if len(columns) > 0 {
		to.add(r.value(values, "id"), columns, back)
	}
}

// answered reports whether a saved observation is a stand-in that no person had a
// hand in, and the provider's answer to its batch is stored. Such a one is deleted
// when the answer comes; this one was spared for what is undone now.
func (r restorer) answered(ctx context.Context, t tx, values []any) (bool, error) {
	batch := r.value(values, "batch_id")
	if r.kind != memory.KindObservation || batch == nil || r.value(values, "provisional") != int64(1) ||
		r.value(values, "pinned") != int64(0) || r.value(values, "edited_at_epoch") != nil {
		return false, nil
	}
	_, err := number(ctx, t, `SELECT b.id FROM batches AS b WHERE b.id = ? AND b.state = 'done'
		AND EXISTS (SELECT 1 FROM observations AS o WHERE o.batch_id = b.id AND o.provisional = 0)`, batch)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
