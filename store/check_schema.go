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

// Indexes and triggers only, and FTS5's shadow tables left out with the tables:
// what is here can be made anew without touching a memory.
const objectsQuery = `SELECT type, name, sql FROM sqlite_master
	WHERE type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY type, name`

// wrongObjects gives the indexes and triggers of the schema that are missing or
// different in the store.
func (s *Store) wrongObjects(ctx context.Context) ([]object, error) {
	want, err := freshObjects(ctx)
	if err != nil {
		return nil, err
	}
	have, err := all(ctx, s.read, scanObject, objectsQuery)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(want, func(o object) bool { return slices.Contains(have, o) }), nil
}

// freshObjects gives the indexes and triggers of a store that was just made.
func freshObjects(ctx context.Context) (list []object, err error) {
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
	fresh := reader{db: db, stmts: map[string]*sql.Stmt{}}
	return all(ctx, &fresh, scanObject, objectsQuery)
}

func (s *Store) checkSchema(ctx context.Context) ([]Finding, error) {
	wrong, err := s.wrongObjects(ctx)
	if err != nil || len(wrong) == 0 {
		return nil, err
	}
	names := make([]string, len(wrong))
	for i, o := range wrong {
		names[i] = o.kind + " " + o.name
	}
	return []Finding{{
		Name:    CheckSchema,
		Problem: "missing or changed: " + strings.Join(names, ", "),
		Advice:  "make them anew",
		Fixable: true,
	}}, nil
}

func (s *Store) fixSchema(ctx context.Context) error {
	wrong, err := s.wrongObjects(ctx)
	if err != nil {
		return err
	}
	return s.transact(ctx, func(t tx) error {
		for _, o := range wrong {
			// Kind and name come from our own schema, never from the file.
			for _, statement := range []string{fmt.Sprintf("DROP %s IF EXISTS %s", o.kind, o.name), o.sql} {
				if _, err := t.w.conn.ExecContext(ctx, statement); err != nil {
					return fmt.Errorf("%s %s: %w", o.kind, o.name, err)
				}
			}
		}
		return nil
	})
}
