package store

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"cmem/memory"
	"cmem/store/wreck"
)

// fillAtOnce is how many rows are written in one transaction.
const fillAtOnce = 2000

// filler writes rows of a damaged store into a new one.
type filler struct {
	store   *Store
	shapes  []shape
	roots   map[uint32]string         // the table of a root page
	columns map[string][]string       // of the new store's tables
	saved   map[string]*SalvagedTable // by table
}

// fill writes every row that is left. Triggers are away meanwhile: Fix brings them
// back and makes anew what they keep.
func (f *filler) fill(ctx context.Context, file *wreck.File) error {
	conn := f.store.write.conn
	triggers, err := all(ctx, f.store.read, scanText, "SELECT name FROM sqlite_master WHERE type = 'trigger'")
	if err != nil {
		return err
	}
	for _, statement := range []string{"PRAGMA foreign_keys = OFF", "PRAGMA synchronous = OFF"} {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	for _, name := range triggers {
		if _, err := conn.ExecContext(ctx, "DROP TRIGGER "+name); err != nil {
			return err
		}
	}
	next, stop := iter.Pull(file.Rows(slices.Collect(maps.Keys(f.roots))))
	defer stop()
	for more := true; more; {
		err := f.store.transact(ctx, func(t tx) error {
			for range fillAtOnce {
				var r wreck.Row
				if r, more = next(); !more {
					return nil
				}
				if err := f.put(ctx, t, r); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if err := f.store.transact(ctx, f.finish(ctx)); err != nil {
		return err
	}
	for _, statement := range []string{"PRAGMA synchronous = NORMAL", "PRAGMA foreign_keys = ON"} {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// shapeOf tells which table a row is from: the one whose tree led to it, or the
// one whose rows look like it.
func (f *filler) shapeOf(r wreck.Row) (shape, bool) {
	table := f.roots[r.Root]
	for _, s := range f.shapes {
		if s.table == table && s.fits(r) {
			return s, true
		}
	}
	for _, s := range f.shapes {
		if s.table != table && s.fits(r) && s.likely(r) {
			return s, true
		}
	}
	return shape{}, false
}

// likely reports whether a row that fits has a time, in both forms and the same:
// nothing else looks like that by chance.
func (s shape) likely(r wreck.Row) bool {
	for i, c := range s.columns[:len(r.Values)] {
		if i == 0 || s.columns[i-1].name+"_epoch" != c.name || !s.columns[i-1].needed {
			continue
		}
		text, _ := r.Values[i-1].(string)
		ms, isNumber := r.Values[i].(int64)
		return isNumber && text == isoTime(fromEpoch(ms))
	}
	return false
}

// put writes a row, unless it makes no sense or the place is taken: what the trees
// lead to came first.
func (f *filler) put(ctx context.Context, t tx, r wreck.Row) error {
	s, ok := f.shapeOf(r)
	if !ok {
		return nil
	}
	cut, sensible := s.mend(r)
	if !sensible {
		return nil
	}
	var names []string
	var values []any
	for i, v := range r.Values {
		c := s.columns[i]
		if _, lost := v.(wreck.Missing); lost || !slices.Contains(f.columns[s.table], c.name) {
			continue // it gets what the column is preset with
		}
		if c.id {
			v = r.ID
		}
		names, values = append(names, c.name), append(values, v)
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(values)), ", ")
	n, err := t.exec(ctx, fmt.Sprintf("INSERT OR IGNORE INTO %s (%s) VALUES (%s)", s.table, quoted(names), marks), values...)
	if err != nil {
		return fmt.Errorf("row %d of %s: %w", r.ID, s.table, err)
	}
	if n > 0 {
		f.saved[s.table].Saved++
		if cut {
			f.saved[s.table].Cut++
		}
	}
	return nil
}

// finish removes what a person has deleted: it came from a page that was not
// overwritten. Only the mark of it is to be left.
func (f *filler) finish(ctx context.Context) func(tx) error {
	return func(t tx) error {
		// Whose version the saved words are of nobody knows.
		if _, err := t.exec(ctx, "UPDATE search_indexes SET version = 0"); err != nil {
			return err
		}
		for kind, table := range tableOf {
			same := "true"
			if kind != memory.KindPrompt { // prompts have no uid
				same = "m.uid = r.uid"
			}
			n, err := t.exec(ctx, fmt.Sprintf(`DELETE FROM %s AS r WHERE EXISTS
				(SELECT 1 FROM tombstones AS m WHERE m.kind = ? AND m.row_id = r.id AND %s)`, table, same), kind)
			if err != nil {
				return err
			}
			f.saved[table].Saved -= int(n)
		}
		return nil
	}
}
