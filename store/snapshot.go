package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"

	"cmem/memory"
)

// identity is what makes a row of a table the same: its id alone could belong to
// another one by now. Rows that are no memories are only changed back, never brought
// back.
var identity = map[string][]string{
	"observations":      {"uid"},
	"session_summaries": {"uid"},
	"user_prompts":      {"session_id", "prompt_number", "prompt_text"},
	"sdk_sessions":      {"session_id"},
	"batches":           {"session_id"},
	"events":            {"session_id"},
}

// tableOf is where the rows of a kind stand.
var tableOf = map[memory.ItemKind]string{
	memory.KindObservation: "observations",
	memory.KindPrompt:      "user_prompts",
	memory.KindSummary:     "session_summaries",
}

// save adds the rows of a term to the snapshot as they are, whole, or only the
// named columns of them, id first. Of a row that is saved twice the first
// wins.
func save(ctx context.Context, t tx, snap *memory.Snapshot, table string, columns []string, term string, args ...any) error {
	if len(columns) == 0 {
		var err error
		if columns, err = columnsOf(ctx, t, table); err != nil {
			return err
		}
	}
	rows, err := all(ctx, t, scanValues(len(columns)), fmt.Sprintf("SELECT %s FROM %s WHERE %s ORDER BY id", quoted(columns), table, term), args...)
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

// scanValues reads a row of n columns as they are.
func scanValues(n int) func(row) ([]any, error) {
	return func(r row) ([]any, error) {
		values, into := make([]any, n), make([]any, n)
		for i := range values {
			into[i] = &values[i]
		}
		return values, r.Scan(into...)
	}
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
