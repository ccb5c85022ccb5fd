package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// MakeBackup writes a copy of the store at path to the file, while others go on
// using the store; "" means a name with the time in the folder of backups. The copy
// stands under its name when it is whole and on the disk, readable by its owner
// only. A file that exists is replaced only if replace is set; otherwise the error
// is fs.ErrExist. The store's schema may be older or newer than ours. The error is
// ErrNoStore, ErrForeign, ErrDamaged or ErrBusy where one of them applies, or
// a *NoRoomError.
func MakeBackup(ctx context.Context, path, file string, replace bool) (Backup, error) {
	b, err := makeBackup(ctx, path, file, replace)
	if err != nil {
		return b, fmt.Errorf("back up store %s: %w", path, named(err))
	}
	return b, nil
}

func makeBackup(ctx context.Context, path, file string, replace bool) (b Backup, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return b, err
	}
	b = Backup{At: time.Now().UTC(), Reason: BackupAsked}
	if file == "" {
		if b.Path, err = newBackupPath(path, b.At, ""); err != nil {
			return b, err
		}
	} else if b.Path, err = filepath.Abs(file); err != nil {
		return b, err
	}
	if _, err := os.Stat(filepath.Dir(b.Path)); err != nil {
		return b, err
	}
	if info, err := os.Stat(b.Path); err == nil {
		store, err := os.Stat(path)
		if err == nil && os.SameFile(info, store) {
			return b, errors.New("the copy cannot be the store itself")
		}
		if !info.Mode().IsRegular() {
			return b, fmt.Errorf("%s is no file", b.Path)
		}
		if !replace {
			return b, fmt.Errorf("%s: %w", b.Path, fs.ErrExist)
		}
	}
	conn, closeIt, err := openToCopy(ctx, path)
	if err != nil {
		return b, err
	}
	defer func() { err = errors.Join(err, closeIt()) }()
	version, err := identify(ctx, conn)
	if err != nil {
		return b, err
	}
	if version == 0 {
		return b, ErrNoStore
	}
	err = copyTo(ctx, conn, b.Path, replace)
	for file == "" && errors.Is(err, fs.ErrExist) { // another backup of this second has the name by now
		if b.Path, err = newBackupPath(path, b.At, ""); err == nil {
			err = copyTo(ctx, conn, b.Path, replace)
		}
	}
	if err != nil {
		return b, err
	}
	b.Bytes, err = sizeOf(b.Path)
	return b, err
}

// openToCopy opens a store's file, of whatever schema, for reading.
func openToCopy(ctx context.Context, path string) (*sql.Conn, func() error, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, ErrNoStore
	} else if err != nil {
		return nil, nil, err
	}
	r, err := openReader(path, nil)
	if err != nil {
		return nil, nil, err
	}
	conn, err := r.db.Conn(ctx)
	if err != nil {
		return nil, nil, errors.Join(err, r.close())
	}
	return conn, func() error { return errors.Join(conn.Close(), r.close()) }, nil
}

// copyTo writes what conn reads as a file of its own: consistent, without free
// pages, on the disk before it gets its name. See putAt for replace.
func copyTo(ctx context.Context, conn *sql.Conn, final string, replace bool) error {
	part, err := copyInto(ctx, conn, filepath.Dir(final))
	if err != nil {
		return err
	}
	return putAt(part, final, replace)
}

// copyInto is copyTo for a file that has no name yet: it gives the one that it has
// until putAt.
func copyInto(ctx context.Context, conn *sql.Conn, folder string) (part string, err error) {
	if err := roomFor(ctx, conn, folder); err != nil {
		return "", err
	}
	// Free pages of the copy can be given back also when those of the store cannot.
	if err := vacuumBySteps(ctx, conn); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(folder, ".cmem-copy-*.tmp") // mode 0600
	if err != nil {
		return "", err
	}
	part = f.Name()
	if err := f.Close(); err != nil {
		return "", errors.Join(err, os.Remove(part))
	}
	if _, err := conn.ExecContext(ctx, "VACUUM INTO ?", part); err != nil {
		return "", errors.Join(noRoom(err, part), os.Remove(part))
	}
	if err := syncFile(part); err != nil {
		return "", errors.Join(err, os.Remove(part))
	}
	return part, nil
}

// putAt gives the file part its name. Without replace the error is fs.ErrExist when
// something has that name by now; after an error the file is gone.
func putAt(part, final string, replace bool) error {
	err := errors.ErrUnsupported
	if !replace {
		// A link, unlike a rename, takes nothing's place.
		err = os.Link(part, final)
		if err == nil {
			err = os.Remove(part)
		} else if _, there := os.Lstat(final); there == nil {
			return errors.Join(fmt.Errorf("%s: %w", final, fs.ErrExist), os.Remove(part))
		}
	}
	if err != nil { // a file system without links, or what is there may go
		err = os.Rename(part, final)
	}
	if err != nil {
		return errors.Join(err, removeIfThere(part))
	}
	return syncFolder(filepath.Dir(final))
}
