package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	sqlite3 "modernc.org/sqlite/lib"
)

// NoRoomError says that a disk has no room for what was to be written to it. What
// was there before is as it was.
type NoRoomError struct {
	Folder     string
	Need, Free int64 // bytes, 0 where they are not known
}

func (e *NoRoomError) Error() string {
	if e.Need == 0 {
		return fmt.Sprintf("the disk of %s is full: free some space and try again", e.Folder)
	}
	return fmt.Sprintf("the disk of %s has %d MB free, %d MB are needed: free some space and try again", e.Folder, e.Free>>20, e.Need>>20+1)
}

// spareRoom is what a copy leaves free, in bytes: hooks write their events to the
// same disk meanwhile.
const spareRoom = 32 << 20

// roomFor reports a *NoRoomError when a copy of what conn reads does not fit into
// the folder. It is looked for before the copy is written: filling the disk up
// first would take from hooks what they need.
func roomFor(ctx context.Context, conn *sql.Conn, folder string) error {
	var need int64
	err := conn.QueryRowContext(ctx, `SELECT (page_count - freelist_count) * page_size
		FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&need)
	if err != nil {
		return err
	}
	free, known := freeSpace(folder)
	if need += need/16 + spareRoom; known && free < need {
		return &NoRoomError{Folder: folder, Need: need, Free: free}
	}
	return nil
}

// noRoom puts a *NoRoomError before an error that says, of writing to file, that
// the disk is full.
func noRoom(err error, file string) error {
	var known *NoRoomError
	if err == nil || errors.As(err, &known) {
		return err
	}
	full := hasCode(err, sqlite3.SQLITE_FULL) || errors.Is(err, syscall.ENOSPC)
	if hasCode(err, sqlite3.SQLITE_IOERR) { // which it is, too, when the -shm file cannot grow
		const nothing = 64 << 10
		free, told := freeSpace(filepath.Dir(file))
		full = told && free < nothing
	}
	if full {
		return fmt.Errorf("%w (%w)", &NoRoomError{Folder: filepath.Dir(file)}, err)
	}
	return err
}

// syncFile waits until a file is on the disk.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
