package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// writer owns the one connection that writes. Transactions of this process take
// turns on it; those of other processes are kept apart by SQLite's lock.
type writer struct {
	db    *sql.DB
	conn  *sql.Conn
	turn  chan struct{} // holds one token: who has it may use conn
	stmts map[string]*sql.Stmt

	path   string
	file   fs.FileInfo // see connector
	newest int         // the schema version up to which this program knows the store

	erasing erasing
	pace    pace // of erasing
}

// openWriter opens the file at the absolute path; see connector for file.
func openWriter(ctx context.Context, path string, file fs.FileInfo) (*writer, error) {
	db, err := openDB(path, file,
		"mode=rw",
		fmt.Sprintf("_busy_timeout=%d", busyTimeout.Milliseconds()),
		"_dqs=0",
		"_pragma=synchronous(NORMAL)",
		"_pragma=foreign_keys(ON)",
		// What is deleted is overwritten, not only given up.
		"_pragma=secure_delete(ON)",
		fmt.Sprintf("_pragma=journal_size_limit(%d)", walLimit),
	)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	var conn *sql.Conn
	err = retryBusy(ctx, func() (err error) {
		conn, err = db.Conn(ctx)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	w := &writer{path: path, file: file, pace: usualPace, newest: newest(schema), db: db, conn: conn, turn: make(chan struct{}, 1), stmts: map[string]*sql.Stmt{}}
	w.turn <- struct{}{}
	return w, nil
}

// retryBusy calls f until it does not fail for a lock of another process, for
// busyTimeout at most. Some steps of opening a file do not wait by themselves.
func retryBusy(ctx context.Context, f func() error) error {
	const pause = 20 * time.Millisecond
	for left := busyTimeout; ; left -= pause {
		err := f()
		if !isBusy(err) || left <= 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

func (w *writer) close() error {
	<-w.turn // after a running transaction
	defer func() { w.turn <- struct{}{} }()
	w.finishErasing(context.Background(), w.pace.closing)
	var errs []error
	for _, stmt := range w.stmts {
		errs = append(errs, stmt.Close())
	}
	gate, err := standInGate(context.Background(), w.path)
	errs = append(errs, w.conn.Close(), w.db.Close())
	if err == nil { // otherwise who shut it may never go on
		errs = append(errs, gate.Close())
	}
	return errors.Join(errs...)
}

// tx is a running transaction.
type tx struct{ w *writer }

// transact runs f in one transaction, which is committed when f returns nil and
// leaves no trace otherwise.
func (s *Store) transact(ctx context.Context, f func(tx) error) error {
	if s.write == nil {
		return ErrReadOnly
	}
	if err := s.replaced(); err != nil {
		return err
	}
	return noRoom(s.write.transact(ctx, s.inPlace(f)), s.path)
}

// inPlace is f for a store that is still the one at its path. Before the lock is
// there another file can take the place, with the lock none can: what would be
// written then is lost, and nobody would know.
func (s *Store) inPlace(f func(tx) error) func(tx) error {
	return func(t tx) error {
		if err := s.replaced(); err != nil {
			return err
		}
		return f(t)
	}
}

// take waits for the turn to use conn; release gives it back.
func (w *writer) take(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-w.turn:
		return nil
	}
}

func (w *writer) release() { w.turn <- struct{}{} }

func (w *writer) transact(ctx context.Context, f func(tx) error) error {
	if err := w.take(ctx); err != nil {
		return err
	}
	defer w.release()
	return w.run(ctx, f)
}

// run is transact for who has the turn.
func (w *writer) run(ctx context.Context, f func(tx) error) error {
	// IMMEDIATE takes the write lock at once: a transaction that begins with a
	// read and writes later can fail although everyone waited politely.
	if _, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return named(err)
	}
	// What ends the transaction is not cancelled: the next one needs a clean connection.
	end := context.WithoutCancel(ctx)
	committed := false
	defer func() {
		if !committed {
			// SQLite has rolled back by itself after some errors, and says so here.
			_, _ = w.conn.ExecContext(end, "ROLLBACK")
		}
	}()
	if err := w.understood(ctx); err != nil {
		return err
	}
	if err := f(tx{w}); err != nil {
		return err
	}
	if _, err := w.conn.ExecContext(end, "COMMIT"); err != nil {
		return err
	}
	committed = true
	w.finishErasing(end, w.erasing.patience)
	return nil
}

// understood gives the error of a store that a newer cmem has migrated while it
// was open here: what is written by the old rules could be wrong by the new ones.
func (w *writer) understood(ctx context.Context) error {
	var have int
	if err := w.conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return named(err)
	}
	if have > w.newest {
		return &NewerSchemaError{Path: w.path, Have: have, Want: w.newest}
	}
	return nil
}

func (t tx) prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt := t.w.stmts[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := t.w.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	t.w.stmts[query] = stmt
	return stmt, nil
}

func (t tx) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt, err := t.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

// exec runs a statement and gives the number of rows that it changed.
func (t tx) exec(ctx context.Context, query string, args ...any) (changed int64, err error) {
	stmt, err := t.prepared(ctx, query)
	if err != nil {
		return 0, err
	}
	res, err := stmt.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// insert runs an INSERT and gives the id of the new row.
func (t tx) insert(ctx context.Context, query string, args ...any) (id int64, err error) {
	stmt, err := t.prepared(ctx, query)
	if err != nil {
		return 0, err
	}
	res, err := stmt.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}
