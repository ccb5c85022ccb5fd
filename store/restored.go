package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Restored says what RestoreBackup put in place.
type Restored struct {
	File   string `json:"file"`   // what was restored
	Schema int    `json:"schema"` // the version that it had
	// Kept is where the store is that was in its place before, "" when there was none.
	Kept   string `json:"kept,omitempty"`
	Totals Totals `json:"totals"` // what is in it
	// Done says that it is in place. An error beside that is of tidying up.
	Done bool `json:"-"`
}

// RestoreBackup puts a copy of a backup in the place of the store at path. The
// backup is read whole first: it must be a store, undamaged and of a schema that we
// know; an older one is migrated, the backup itself stays as it is. The store that
// is there is kept in the folder of backups, or beside it when it is damaged. Who
// has it open goes on with that one and finds out: ErrReplaced. The worker must not
// be running. When there is an error nothing has changed, unless Restored.Done is set;
// it is ErrNoStore, ErrForeign, ErrDamaged, ErrBusy, a *NewerSchemaError or a
// *NoRoomError where one of them applies.
func RestoreBackup(ctx context.Context, path, file string) (Restored, error) {
	r, err := restoreBackup(ctx, path, file)
	if err != nil {
		return r, fmt.Errorf("restore %s: %w", file, named(noRoom(err, path)))
	}
	return r, nil
}

func restoreBackup(ctx context.Context, path, file string) (r Restored, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return r, err
	}
	if r.File, err = filepath.Abs(file); err != nil {
		return r, err
	}
	backup, err := os.Stat(r.File)
	if err != nil {
		return r, err
	}
	if have, err := os.Stat(path); err == nil && os.SameFile(have, backup) {
		return r, errors.New("that is the store itself")
	}
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return r, err
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), ".cmem-restore-*.tmp")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	fresh := filepath.Join(dir, filepath.Base(path))
	if r.Schema, err = copyChecked(ctx, r.File, fresh); err != nil {
		return r, err
	}
	if r.Totals, err = settle(ctx, fresh); err != nil {
		return r, err
	}
	if r.Kept, err = keepAs(ctx, path); err != nil {
		return r, err
	}
	kept := r.Kept
	if kept == "" { // of a store that is gone a log may be left
		if kept, err = asidePath(path, time.Now()); err != nil {
			return r, err
		}
	}
	err = standStill(ctx, path, func(l *lockout) (err error) {
		r.Done, err = l.swap(fresh, path, kept)
		return err
	})
	if r.Done {
		err = errors.Join(err, prune(path))
	}
	return r, err
}

// copyChecked copies a store that is whole and gives its schema version.
func copyChecked(ctx context.Context, from, to string) (version int, err error) {
	conn, closeIt, err := openToCopy(ctx, from)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, closeIt()) }()
	if version, err = identify(ctx, conn); err != nil {
		return version, err
	}
	if version == 0 {
		return version, ErrNoStore
	}
	if want := newest(schema); version > want {
		return version, &NewerSchemaError{Path: from, Have: version, Want: want}
	}
	var said string
	if err := conn.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&said); err != nil {
		return version, err
	}
	if said != "ok" {
		return version, fmt.Errorf("%w: %s", ErrDamaged, said)
	}
	return version, copyTo(ctx, conn, to, false)
}

// settle brings a store that nobody else knows of up to date, without a backup,
// repairs what is left over in it, and leaves it closed, without a log.
func settle(ctx context.Context, path string) (t Totals, err error) {
	s, err := openWith(ctx, path, schema, false)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, err := s.Fix(ctx); err != nil {
		return t, err
	}
	return s.Totals(ctx, "")
}

// keepAs gives the name under which the store at path is kept, "" when there is
// none. Its log is folded into it as far as that is possible.
func keepAs(ctx context.Context, path string) (string, error) {
	now := time.Now().UTC()
	err := foldLog(ctx, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err == nil:
		return newBackupPath(path, now, restoreSuffix)
	case isDamage(err), errors.Is(err, ErrForeign):
		return asidePath(path, now)
	}
	return "", err
}

// foldLog writes the log of the store at path into it.
func foldLog(ctx context.Context, path string) (err error) {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	w, err := openWriter(ctx, path, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if _, err := identify(ctx, w.conn); err != nil {
		return err
	}
	var busy, pages, written int
	if err := w.conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &written); err != nil {
		return err
	}
	if busy != 0 {
		return ErrBusy
	}
	return nil
}
