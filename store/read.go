package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"sync"
)

// reader runs queries on a pool of connections that cannot write. Statements
// are prepared when they are first needed and kept.
type reader struct {
	db    *sql.DB
	mu    sync.Mutex
	stmts map[string]*sql.Stmt
}

// openReader is for the file at the absolute path; see connector for file.
func openReader(path string, file fs.FileInfo) (*reader, error) {
	db, err := openDB(path, file, "mode=ro", fmt.Sprintf("_busy_timeout=%d", busyTimeout.Milliseconds()))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(maxReaders)
	db.SetMaxIdleConns(maxReaders)
	return &reader{db: db, stmts: map[string]*sql.Stmt{}}, nil
}

func (r *reader) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt, err := r.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

func (r *reader) prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	r.mu.Lock()
	stmt := r.stmts[query]
	r.mu.Unlock()
	if stmt != nil {
		return stmt, nil
	}
	// Not under the lock: preparing may wait for a free connection.
	stmt, err := r.db.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if other := r.stmts[query]; other != nil {
		return other, stmt.Close()
	}
	r.stmts[query] = stmt
	return stmt, nil
}

func (r *reader) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, stmt := range r.stmts {
		errs = append(errs, stmt.Close())
	}
	r.stmts = nil
	return errors.Join(append(errs, r.db.Close())...)
}

// querier runs a query: outside a transaction (reader) or inside one (tx).
type querier interface {
	query(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// row is one row of a result.
type row interface {
	Scan(dest ...any) error
}

// all gives every row of a query.
func all[T any](ctx context.Context, q querier, scan func(row) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells what went wrong
	var list []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

// one gives the first row of a query, ErrNotFound when there is none.
func one[T any](ctx context.Context, q querier, scan func(row) (T, error), query string, args ...any) (T, error) {
	var zero T
	list, err := all(ctx, q, scan, query, args...)
	if err != nil {
		return zero, err
	}
	if len(list) == 0 {
		return zero, ErrNotFound
	}
	return list[0], nil
}

// number gives the single number that a query answers with, ErrNotFound when
// it has no row.
func number(ctx context.Context, q querier, query string, args ...any) (int64, error) {
	return one(ctx, q, scanNumber, query, args...)
}
