package worker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/gofrs/flock"

	"cmem/hooks/spool"
	"cmem/logs"
)

// stopFile asks the worker of its data directory to leave.
const stopFile = "worker.stop"

// home is the data directory as it was when its lock was taken.
type home struct {
	dir  string
	lock os.FileInfo // of the lock's file; nil where that cannot be told
}

func homeOf(dir string, lock *flock.Flock) home {
	info, err := lock.Stat()
	if err != nil {
		return home{dir: dir}
	}
	return home{dir: dir, lock: info}
}

// gone reports whether the directory was moved, removed or replaced since: its lock
// is not ours any more, and nothing may be written there.
func (h home) gone() bool {
	if h.lock == nil {
		return false
	}
	now, err := os.Stat(filepath.Join(h.dir, spool.LockFile))
	return errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(now, h.lock)
}

// stopAsked reports whether somebody wants the worker to leave.
func (h home) stopAsked() bool {
	_, err := os.Stat(filepath.Join(h.dir, stopFile))
	return err == nil
}

// forgetStop takes the wish to leave as heard, unless the directory is another one by now.
func (h home) forgetStop() error {
	if h.gone() {
		return nil
	}
	return removeIfThere(filepath.Join(h.dir, stopFile))
}

// mustLeave reports whether the worker shall leave after the piece in hand.
func (w *worker) mustLeave() bool { return w.home.stopAsked() || w.home.gone() }

// houseSlice is how long a piece of housekeeping takes: an event that arrives waits
// for one.
const houseSlice = 100 * time.Millisecond

// keepHouse tidies up while nothing else is to be done, and reports whether it is
// done with that until there was work again. It gives up when an event arrives.
func (w *worker) keepHouse(ctx context.Context) (done bool) {
	for !done {
		if ctx.Err() != nil || len(w.arrivals) > 0 || w.mustLeave() {
			return false
		}
		var err error
		if done, err = w.store.Housekeep(ctx, houseSlice); err != nil {
			if ctx.Err() == nil {
				w.Log.Warn("the store could not be tidied up", "kind", logs.WorkerHindered, "error", err)
			}
			return true // it can wait for the next time
		}
	}
	// The last burst is over, and the next may be a minute away.
	debug.FreeOSMemory()
	trim()
	return true
}

// lastThings does, before the worker leaves, what nobody may wake a worker for in a
// long time.
func (w *worker) lastThings(ctx context.Context) error {
	if err := w.flushOpen(ctx); err != nil {
		return err
	}
	for w.index(ctx) && ctx.Err() == nil && !w.mustLeave() { // what has just been made is found by its meaning, too
	}
	return w.retain(ctx)
}

// flushOpen compresses also what still waits for the end of its prompt.
func (w *worker) flushOpen(ctx context.Context) error {
	if _, err := w.store.GroupEvents(ctx, time.Now(), 0, maxEvents); err != nil {
		return err
	}
	for !w.mustLeave() {
		n, err := w.compress(ctx)
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
	}
	_, err := w.summarise(ctx)
	return err
}

func removeIfThere(path string) error {
	err := os.Remove(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
