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

// Another file in the place of a store's: hooks, the browser and a person's sqlite3
// may have the store open, or be opening it, at any moment. What is open goes on
// with the old file and finds out (ErrReplaced); what is opened later gets the new.
// Never is there no file, for that would be made anew, and never does a log stand
// beside a file that it does not belong to, for SQLite would read it into that.

// lockPatience is how long others may hold what has to stand still for a moment.
const lockPatience = busyTimeout

// swap puts the file fresh, which no process has open, in the place of the store
// at path and keeps the old one, with its log, as kept. When it is done there can
// still be an error: that it is on the disk is not certain.
func (l *lockout) swap(fresh, path, kept string) (done bool, err error) {
	if err := syncFile(fresh); err != nil {
		return false, err
	}
	if err := l.letGo(); err != nil {
		return false, err
	}
	// A second name first: the first goes over to the new file in one step.
	linked := os.Link(path, kept) == nil
	var moved []string
	back := func(err error) error {
		for _, ending := range moved {
			err = errors.Join(err, os.Rename(kept+ending, path+ending))
		}
		if linked {
			err = errors.Join(err, os.Remove(kept))
		}
		return err
	}
	for _, ending := range []string{"-wal", "-shm"} {
		err := os.Rename(path+ending, kept+ending)
		if err == nil {
			moved = append(moved, ending)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return false, back(inUse(err))
		}
	}
	if !linked { // a file system without links
		err := os.Rename(path, kept)
		if err == nil {
			moved = append(moved, "")
		} else if !errors.Is(err, fs.ErrNotExist) {
			return false, back(inUse(err))
		}
	}
	if err := os.Rename(fresh, path); err != nil {
		return false, back(inUse(err))
	}
	// The one is made anew when it is needed, the other only if there is nothing in it.
	_ = os.Remove(kept + "-shm") // nothing of it is missed if it stays
	if size, err := sizeOf(kept + "-wal"); err == nil && size == 0 {
		_ = os.Remove(kept + "-wal")
	}
	return true, syncFolder(filepath.Dir(path))
}

// inUse adds to an error what it means where open files cannot be renamed.
func inUse(err error) error {
	if !openFilesStay {
		return err
	}
	return fmt.Errorf("%w (another program has the store open: close Claude Code and the memory browser, then try again)", err)
}

// standStill calls do while nothing else can open the store at path, write to it
// or fold its log into it. What has it open may go on reading. No file of the
// store may be opened and closed by this process meanwhile: that would give the
// locks up. The error is ErrBusy when others do not let go within lockPatience.
func standStill(ctx context.Context, path string, do func(*lockout) error) error {
	const pause = 20 * time.Millisecond
	for left := lockPatience; ; left -= pause {
		l, err := lockOut(path)
		if err == nil {
			return errors.Join(do(l), l.release())
		}
		if !errors.Is(err, ErrBusy) || left <= 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}
