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

// Housekeeping gives back to the disk what the store does not need any more. No
// statistics are gathered for the query planner (PRAGMA optimize): every query
// here is written for its index, and a plan that depends on what a machine has
// counted would be one that no test has seen.

const (
	// vacuumStep is how many pages are given back in one transaction: others who
	// want to write wait for one at most.
	vacuumStep = 64
	// leastSpare is how many free pages are always kept: what is written next needs
	// some. In a large store a part of spareOf is kept.
	leastSpare = 256
	spareOf    = 20
)

// Housekeep does a piece of what keeps the store small, for about as long as
// slice: it goes on erasing what was taken away, gives free pages back and writes
// the log into the file. It reports whether nothing is left that can be done now,
// so that a caller with time calls it until it is. Others who read or write are
// never waited for. The error is ErrBusy or ErrReplaced where one of them applies.
func (s *Store) Housekeep(ctx context.Context, slice time.Duration) (done bool, err error) {
	if s.write == nil {
		return false, fmt.Errorf("keep house in store %s: %w", s.path, ErrReadOnly)
	}
	if err := s.replaced(); err != nil {
		return false, fmt.Errorf("keep house in store %s: %w", s.path, err)
	}
	if done, err = s.write.housekeep(ctx, slice); done && err == nil {
		err = removeRemains(s.path)
	}
	if err != nil {
		return false, fmt.Errorf("keep house in store %s: %w", s.path, named(noRoom(err, s.path)))
	}
	return done, nil
}

// Erased reports whether all that was taken away because a person wanted it gone is
// overwritten: in the search index and in the log. Who reads the store can be in the
// way of the second for as long as he likes; Housekeep is done then, but not this.
func (s *Store) Erased() bool {
	if s.write == nil {
		return false
	}
	<-s.write.turn
	defer s.write.release()
	return !s.write.erasing.words && !s.write.erasing.log
}

func (w *writer) housekeep(ctx context.Context, slice time.Duration) (done bool, err error) {
	begun := time.Now()
	if err := w.take(ctx); err != nil {
		return false, err
	}
	defer w.release()
	if err := w.understood(ctx); err != nil {
		return false, err
	}
	if w.finishErasing(ctx, slice); w.erasing.words {
		return false, nil
	}
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		surplus, err := w.surplus(ctx)
		if err != nil {
			return false, err
		}
		if surplus <= 0 {
			break
		}
		freed, err := w.shrink(ctx, min(surplus, vacuumStep))
		if err != nil {
			return false, err
		}
		if freed == 0 {
			break
		}
		w.erasing.log = true // the file gets shorter when the log is written into it
		if time.Since(begun) >= slice {
			return false, nil
		}
	}
	w.erasing.tried = time.Time{} // who calls this has time
	if info, err := os.Stat(w.path + "-wal"); err == nil && info.Size() > 0 {
		w.erasing.log = true
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	w.emptyLog(ctx)
	return true, nil
}

// surplus gives how many free pages there are more than are kept for what is
// written next; none in a file that was made before free pages could be given back.
func (w *writer) surplus(ctx context.Context) (pages int64, err error) {
	var all, free, mode int64
	err = w.conn.QueryRowContext(ctx, `SELECT page_count, freelist_count, auto_vacuum
		FROM pragma_page_count, pragma_freelist_count, pragma_auto_vacuum`).Scan(&all, &free, &mode)
	if err != nil || mode != vacuumIncremental {
		return 0, err
	}
	return free - max(leastSpare, (all-free)/spareOf), nil
}

// shrink cuts up to that many free pages off the file and gives how many it were.
func (w *writer) shrink(ctx context.Context, pages int64) (freed int, err error) {
	rows, err := w.conn.QueryContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", pages))
	if err != nil {
		return 0, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells what went wrong
	for rows.Next() {  // each a page
		freed++
	}
	return freed, rows.Err()
}

// Compact writes the store anew, without free pages, and so that Housekeep can give
// free pages back from then on, which it cannot in a file of an early version. It
// gives how much shorter the file is now, in bytes. Others can read meanwhile but
// not write. The error is ErrBusy or a *NoRoomError where one of them applies; then
// nothing has changed.
func (s *Store) Compact(ctx context.Context) (freed int64, err error) {
	if s.write == nil {
		return 0, fmt.Errorf("compact store %s: %w", s.path, ErrReadOnly)
	}
	if err := s.replaced(); err != nil {
		return 0, fmt.Errorf("compact store %s: %w", s.path, err)
	}
	freed, err = s.write.compact(ctx)
	if err != nil {
		return 0, fmt.Errorf("compact store %s: %w", s.path, named(noRoom(err, s.path)))
	}
	return freed, nil
}

func (w *writer) compact(ctx context.Context) (freed int64, err error) {
	if err := w.take(ctx); err != nil {
		return 0, err
	}
	defer w.release()
	if err := w.understood(ctx); err != nil {
		return 0, err
	}
	// What is written goes through the log.
	if err := roomFor(ctx, w.conn, filepath.Dir(w.path)); err != nil {
		return 0, err
	}
	before, err := sizeOf(w.path)
	if err != nil {
		return 0, err
	}
	for _, statement := range []string{fmt.Sprintf("PRAGMA auto_vacuum = %d", vacuumIncremental), "VACUUM"} {
		if _, err := w.conn.ExecContext(ctx, statement); err != nil {
			return 0, err
		}
	}
	w.erasing.log, w.erasing.tried = true, time.Time{}
	w.emptyLog(ctx)
	after, err := sizeOf(w.path)
	return before - after, err
}
