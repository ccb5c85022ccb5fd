package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// object is a table, index or trigger of the schema.
type object struct{ kind, name, sql string }

func scanObject(r row) (o object, err error) { return o, r.Scan(&o.kind, &o.name, &o.sql) }

// In the order in which they can be made: the tables, with FTS5's own (shadow)
// tables after the virtual table that brings them, then what stands on them.
const objectsQuery = `SELECT type, name, sql FROM sqlite_master
	WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
	ORDER BY type <> 'table', name LIKE '%!_fts!_%' ESCAPE '!', sql LIKE 'CREATE VIRTUAL%', type, name`

// derived are the tables that can be filled from others.
var derived = []string{
	"projects", "project_types", observationWords.name, summaryWords.name, promptWords.name,
	"search_indexes", "search_tokens", // the latter in schema 4
	"embedding_models", "embeddings", "embedding_blocks", "embeddings_due", "embeddings_gone",
}

func (o object) isTable() bool  { return o.kind == "table" }
func (o object) isShadow() bool { return o.isTable() && virtualOf(o.name) != "" }

// wrongObjects gives the parts of the schema that are missing in the store, and
// the indexes and triggers that are different. A table that is different is left
// alone: there are memories in it, and a column more does no harm.
func (s *Store) wrongObjects(ctx context.Context) ([]object, error) {
	want, err := fresh(ctx, scanObject, objectsQuery)
	if err != nil {
		return nil, err
	}
	have, err := all(ctx, s.read, scanObject, objectsQuery)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(want, func(o object) bool {
		return slices.ContainsFunc(have, func(h object) bool {
			return h == o || o.isTable() && h.isTable() && h.name == o.name
		})
	}), nil
}

// fresh gives every row of a query to a store that was just made.
func fresh[T any](ctx context.Context, scan func(row) (T, error), query string) (list []T, err error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	for _, m := range schema {
		text, err := m.text()
		if err != nil {
			return nil, err
		}
		if _, err := db.ExecContext(ctx, text); err != nil {
			return nil, err
		}
	}
	r := reader{db: db, stmts: map[string]*sql.Stmt{}}
	return all(ctx, &r, scan, query)
}

func (s *Store) checkSchema(ctx context.Context) ([]Finding, error) {
	wrong, err := s.wrongObjects(ctx)
	if err != nil || len(wrong) == 0 {
		return nil, err
	}
	f := Finding{Name: CheckSchema, Advice: "make them anew", Fixable: true}
	var names []string
	for _, o := range wrong {
		names = append(names, o.kind+" "+o.name)
		f.blocks = f.blocks || o.isTable()
		if o.isTable() && !o.isShadow() && !slices.Contains(derived, o.name) {
			f.Advice = "make them anew; what was in a lost table is only in a copy of " + s.path
		}
	}
	f.Problem = "missing or changed: " + strings.Join(names, ", ")
	return []Finding{f}, nil
}

func (s *Store) fixSchema(ctx context.Context) error {
	wrong, err := s.wrongObjects(ctx)
	if err != nil {
		return err
	}
	remade := map[string]bool{} // the indexes of words
	for _, o := range wrong {
		remade[o.name] = true
	}
	return s.transact(ctx, func(t tx) error {
		for _, o := range wrong {
			if o.isShadow() && remade[virtualOf(o.name)] {
				continue // it came with the virtual table
			}
			statements := []string{o.sql}
			if !o.isTable() {
				// Kind and name come from our own schema, never from the file.
				statements = []string{fmt.Sprintf("DROP %s IF EXISTS %s", o.kind, o.name), o.sql}
			}
			for _, statement := range statements {
				if _, err := t.w.conn.ExecContext(ctx, statement); err != nil {
					return fmt.Errorf("%s %s: %w", o.kind, o.name, err)
				}
			}
		}
		return nil
	})
}
