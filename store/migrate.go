package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migration is one step of the schema. Steps are never changed after a release.
type migration struct {
	version int // PRAGMA user_version after the step
	file    string
	sql     string // set in tests; otherwise the file's
	// adds says that the step only adds columns, tables and indexes. It reads and
	// writes no memory, so no copy of the store has to be made before it, which of a
	// large store takes minutes.
	adds bool
}

// schema is the history of the store's schema, oldest first.
var schema = []migration{
	{version: 1, file: "migrations/0001_store.sql"},
	{version: 2, file: "migrations/0002_edits.sql", adds: true},
}

func newest(steps []migration) int { return steps[len(steps)-1].version }

func (m migration) text() (string, error) {
	if m.sql != "" {
		return m.sql, nil
	}
	b, err := migrationFiles.ReadFile(m.file)
	return string(b), err
}

// migrate brings the file behind conn up to the newest step. Other processes may
// be doing the same at the same time.
func migrate(ctx context.Context, conn *sql.Conn, path string, steps []migration) error {
	have, err := identify(ctx, conn)
	if err != nil {
		return err
	}
	want := newest(steps)
	if have > want {
		return &NewerSchemaError{Path: path, Have: have, Want: want}
	}
	// Turning the log on needs the file for itself and does not wait for it.
	err = retryBusy(ctx, func() error {
		var mode string
		if err := conn.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
			return err
		}
		if mode != "wal" {
			return fmt.Errorf("the file system does not allow a write-ahead log (journal mode stays %q)", mode)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if have == want {
		return nil
	}
	if have > 0 && slices.ContainsFunc(steps, func(m migration) bool { return m.version > have && !m.adds }) {
		if err := backup(ctx, conn, path, have); err != nil {
			return fmt.Errorf("back up before migrating from schema version %d: %w", have, err)
		}
	}
	for _, m := range steps {
		if err := apply(ctx, conn, m); err != nil {
			return fmt.Errorf("migrate to schema version %d: %w", m.version, err)
		}
	}
	return nil
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

// apply runs one step in a transaction, unless another process was faster.
func apply(ctx context.Context, conn *sql.Conn, m migration) (err error) {
	text, err := m.text()
	if err != nil {
		return err
	}
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
	if have < m.version {
		if _, err := conn.ExecContext(ctx, text); err != nil {
			return err
		}
		if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", m.version)); err != nil {
			return err
		}
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return err
}

// backup writes a consistent copy of the store beside it while others go on
// using it. The copy stands under its final name only when it is whole.
func backup(ctx context.Context, conn *sql.Conn, path string, version int) error {
	final := backupPath(path, version)
	f, err := os.CreateTemp(filepath.Dir(path), "backup-*.tmp") // mode 0600
	if err != nil {
		return err
	}
	part := f.Name()
	if err := f.Close(); err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "VACUUM INTO ?", part); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	if err := os.Rename(part, final); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return nil
}

// backupPath is where the copy of a store before its migration from version stands.
func backupPath(path string, version int) string {
	return fmt.Sprintf("%s.v%d.bak", path, version)
}
