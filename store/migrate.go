package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// vacuumIncremental is the value of PRAGMA auto_vacuum with which free pages are
// given back when asked for.
const vacuumIncremental = 2

// migration is one step of the schema. Steps are never changed after a release.
type migration struct {
	version int // PRAGMA user_version after the step
	file    string
	sql     string // set in tests; otherwise the file's
}

// schema is the history of the store's schema, oldest first.
var schema = []migration{
	{version: 1, file: "migrations/0001_store.sql"},
	{version: 2, file: "migrations/0002_edits.sql"},
	{version: 3, file: "migrations/0003_twins.sql"},
	{version: 4, file: "migrations/0004_search.sql"},
	{version: 5, file: "migrations/0005_kinds.sql"},
}

func newest(steps []migration) int { return steps[len(steps)-1].version }

func (m migration) text() (string, error) {
	if m.sql != "" {
		return m.sql, nil
	}
	b, err := migrationFiles.ReadFile(m.file)
	return string(b), err
}

// migrate brings the store behind w up to the newest step. Other processes may be
// doing the same at the same time. With careful a backup is made before.
func migrate(ctx context.Context, w *writer, steps []migration, careful bool) error {
	conn, path := w.conn, w.path
	have, err := identify(ctx, conn)
	if err != nil {
		return err
	}
	want := newest(steps)
	if have > want {
		return &NewerSchemaError{Path: path, Have: have, Want: want}
	}
	// A file that has something in it keeps the way it was made. Free pages can only
	// be given back (Housekeep) when it was made for that.
	if err := vacuumBySteps(ctx, conn); err != nil {
		return err
	}
	if err := w.turnLogOn(ctx); err != nil {
		return err
	}
	if have == want {
		return nil
	}
	// Also before a step that only adds something: a copy of a gigabyte takes seconds,
	// once an upgrade, and what a step does wrong is found later than it is done.
	if have > 0 && careful {
		if err := backUpForMigration(ctx, conn, path, have); err != nil {
			return fmt.Errorf("back up before migrating from schema version %d: %w", have, err)
		}
	}
	if have == 0 { // nobody ever finds a new store that is half made
		return apply(ctx, conn, steps...)
	}
	for _, m := range steps {
		if err := apply(ctx, conn, m); err != nil {
			return err
		}
	}
	return nil
}

// vacuumBySteps makes a new file one whose free pages can be given back. Where that
// is so already, to say it again would write.
func vacuumBySteps(ctx context.Context, conn *sql.Conn) error {
	var mode int
	err := conn.QueryRowContext(ctx, "PRAGMA auto_vacuum").Scan(&mode)
	if err == nil && mode != vacuumIncremental {
		_, err = conn.ExecContext(ctx, fmt.Sprintf("PRAGMA auto_vacuum = %d", vacuumIncremental))
	}
	return err
}

// turnLogOn makes the store one with a write-ahead log.
func (w *writer) turnLogOn(ctx context.Context) (err error) {
	gate, err := standInGate(ctx, w.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, gate.Close()) }()
	if err := sameFile(w.path, w.file); err != nil {
		return err
	}
	// It needs the file for itself and does not wait for it.
	return retryBusy(ctx, func() error {
		var mode string
		if err := w.conn.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
			return err
		}
		if mode != "wal" {
			return fmt.Errorf("the file system does not allow a write-ahead log (journal mode stays %q)", mode)
		}
		return nil
	})
}

// identify gives the schema version of the file, 0 for a new one, and refuses
// a database of another program.
func identify(ctx context.Context, conn *sql.Conn) (version int, err error) {
	var app, tables int64
	err = conn.QueryRowContext(ctx, `SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)
		FROM pragma_application_id, pragma_user_version`).Scan(&app, &version, &tables)
	if err != nil {
		return 0, err
	}
	if app != applicationID && (app != 0 || version != 0 || tables != 0) {
		return 0, ErrForeign
	}
	return version, nil
}

// apply runs steps in one transaction, those but for which another process was faster.
func apply(ctx context.Context, conn *sql.Conn, steps ...migration) (err error) {
	version := steps[0].version
	defer func() {
		if err != nil {
			err = fmt.Errorf("migrate to schema version %d: %w", version, err)
		}
	}()
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		}
	}()
	var have int
	if err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return err
	}
	for _, m := range steps {
		if version = m.version; have >= version {
			continue
		}
		text, err := m.text()
		if err != nil {
			return err
		}
		if _, err := conn.ExecContext(ctx, text); err != nil {
			return err
		}
		if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version)); err != nil {
			return err
		}
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return err
}
