package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"cmem/store/wreck"
)

// shape is what the rows of a table look like in a file: of a row on a page that
// nothing leads to any more it tells the table.
type shape struct {
	table   string
	columns []column
	least   int // values that a row has, which may be from before columns were added
}

// column is a column that is stored.
type column struct {
	name   string
	kind   string // INTEGER, REAL, TEXT or BLOB
	needed bool   // NOT NULL
	id     bool   // another name of the rowid: the row itself has NULL there
	list   bool   // a JSON array
}

// shapesOf gives the shapes of the tables of a schema that hold what cannot be
// made anew. tables has the statements that a damaged file tells for them, where it
// does: a person may have added columns.
func shapesOf(ctx context.Context, steps []migration, tables map[string]string) (list []shape, err error) {
	for n := range steps {
		db, err := inMemory(ctx, steps[:n+1])
		if err != nil {
			return nil, err
		}
		r := reader{db: db, stmts: map[string]*sql.Stmt{}}
		names, err := all(ctx, &r, scanText, "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
		for _, name := range names {
			if err != nil || slices.Contains(derived, name) || virtualOf(name) != "" || strings.HasPrefix(name, "sqlite_") {
				continue
			}
			var columns []column
			columns, err = storedColumns(ctx, &r, name)
			if i := slices.IndexFunc(list, func(s shape) bool { return s.table == name }); i >= 0 {
				list[i].columns = columns
			} else {
				list = append(list, shape{table: name, columns: columns, least: len(columns)})
			}
		}
		if err := errors.Join(err, r.close()); err != nil {
			return nil, err
		}
	}
	for i, s := range list {
		if own, err := columnsOfStatement(ctx, s.table, tables[s.table]); err == nil && len(own) >= s.least {
			list[i].columns = own
		}
	}
	return list, nil
}

// storedColumns gives the columns of a table in the order in which rows have them.
func storedColumns(ctx context.Context, q querier, table string) ([]column, error) {
	return all(ctx, q, func(r row) (c column, err error) {
		var preset sql.NullString
		var key bool
		err = r.Scan(&c.name, &c.kind, &c.needed, &key, &preset)
		c.kind = strings.ToUpper(c.kind)
		c.id = key && c.kind == "INTEGER"
		c.list = preset.String == "'[]'"
		return c, err
	}, `SELECT name, type, "notnull", pk, dflt_value FROM pragma_table_xinfo(?) WHERE hidden <> 2 ORDER BY cid`, table)
}

// columnsOfStatement reads the columns of a CREATE TABLE from a file that is not
// to be trusted: the statement is not run, SQLite only reads it, as part of a
// schema.
func columnsOfStatement(ctx context.Context, table, statement string) (list []column, err error) {
	if statement == "" {
		return nil, ErrNotFound
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, step := range []struct {
		text string
		args []any
	}{
		{"CREATE TABLE other (x)", nil}, // whose page the table is said to have
		{"PRAGMA writable_schema = ON", nil},
		{"INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', ?1, ?1, 2, ?2)", []any{table, statement}},
		{"DELETE FROM sqlite_master WHERE name = 'other'", nil},
		{"PRAGMA writable_schema = RESET", nil},
	} {
		if _, err := db.ExecContext(ctx, step.text, step.args...); err != nil {
			return nil, err
		}
	}
	return storedColumns(ctx, &reader{db: db, stmts: map[string]*sql.Stmt{}}, table)
}

// fits reports whether a row can be one of the table.
func (s shape) fits(r wreck.Row) bool {
	if len(r.Values) < s.least || len(r.Values) > len(s.columns) || r.ID < 1 || r.ID > 1<<48 {
		return false
	}
	for i, v := range r.Values {
		if !s.columns[i].takes(v) {
			return false
		}
	}
	return true
}

func (c column) takes(v any) bool {
	switch v.(type) {
	case wreck.Missing:
		return true
	case nil:
		return c.id || !c.needed
	case string:
		return c.kind == "TEXT"
	case []byte:
		return c.kind == "BLOB"
	case float64:
		return c.kind == "REAL"
	}
	return !c.id && (c.kind == "INTEGER" || c.kind == "REAL") // whole numbers are stored as such
}

// mend makes a row whole that has lost something: text is cut where it is damaged,
// a list or payload that cannot be read is emptied, the two forms of a time are
// made to agree. It reports whether it had to, and whether the row makes sense.
func (s shape) mend(r wreck.Row) (cut, sensible bool) {
	sensible = true
	for i, v := range r.Values {
		c, now := s.columns[i], v
		switch v := v.(type) {
		case string:
			text := v[:validText(v)]
			if c.list && !json.Valid([]byte(text)) {
				text = "[]"
			}
			now = text
			cut = cut || text != v
		case []byte:
			if _, err := unpack(v); c.name == "payload" && err != nil {
				now, cut = nil, true
			}
		case wreck.Missing:
			if cut = true; !c.needed {
				now = nil
			}
		case int64:
			if i == 0 || s.columns[i-1].name+"_epoch" != c.name {
				continue
			}
			text, _ := r.Values[i-1].(string)
			at, err := time.Parse(timeLayout, text)
			if err == nil && at.UnixMilli() == v {
				continue
			}
			cut = true
			if year := fromEpoch(v).Year(); err != nil && year >= 2000 && year < 2200 {
				r.Values[i-1] = isoTime(fromEpoch(v))
				continue
			}
			sensible = false
		}
		r.Values[i] = now
	}
	return cut, sensible
}

// validText gives how much of a text is one.
func validText(s string) int {
	for i, r := range s {
		if _, n := utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && n == 1 {
			return i
		}
	}
	return len(s)
}

// inMemory gives an empty store of a schema that is in no file.
func inMemory(ctx context.Context, steps []migration) (*sql.DB, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	for _, m := range steps {
		text, err := m.text()
		if err == nil {
			_, err = db.ExecContext(ctx, text)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("schema version %d: %w", m.version, err), db.Close())
		}
	}
	return db, nil
}
