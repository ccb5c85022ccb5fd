// Package worker turns what the hooks left in the spool into memory: it drains
// events into the store, groups those of one prompt, has a compressor make
// observations of them, and writes the checkpoints of sessions.
//
// There is at most one worker to a data directory. The hooks wake it and it goes
// away when idle; it listens on nothing and nobody waits for it. It knows no
// assistant's JSON and no SQL.
package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/gofrs/flock"

	"cmem/hooks/spool"
	"cmem/llm"
	"cmem/memory"
	"cmem/store"
)

// ErrRunning is given when another worker holds the data directory.
var ErrRunning = errors.New("another worker is running for this data directory")

// stopFile asks the worker of its data directory to leave.
const stopFile = "worker.stop"

const (
	lockPatience = 100 * time.Millisecond
	worstPause   = 30 * time.Second // between steps that fail
	pollEvery    = 2 * time.Second  // behind the file-system events, which some file systems lack
	quiet        = 30 * time.Second // a prompt without an end is compressed after this much silence
	maxEvents    = 60               // events in one batch
	drainCount   = 256              // events in one transaction
	drainBytes   = 16 << 20         // payload bytes in one transaction
	workSlice    = 8                // batches compressed between two looks at the spool
)

// Place says where in a project an event happened.
type Place struct{ Project, Branch, Commit string }

// Options say what a worker works on and with.
type Options struct {
	DataDir  string
	SpoolDir string
	DB       string // path of the store
	// Decode reads a payload of the spool; its error means that the payload can
	// never be read.
	Decode func(id string, raw []byte) (memory.Event, error)
	Locate func(cwd string) Place
	// Compressor makes the observations; Local stands in while it fails. They
	// may be the same.
	Compressor llm.Compressor
	Local      llm.Compressor
	// Idle is how long nothing must happen before the worker goes away.
	Idle time.Duration
	// KeepRaw is how long raw events are kept beside their observations; 0 for ever.
	KeepRaw time.Duration
	Version string
	Log     *slog.Logger
}

// worker is one run of Run.
type worker struct {
	Options
	store   *store.Store
	breaker breaker
	places  map[string]Place
	exe     executable
}

// Run works until nothing has happened for Options.Idle, ctx ends, a stop is
// asked for, or the executable has been replaced; it finishes the piece in hand
// first. It gives ErrRunning at once when another worker is there.
func Run(ctx context.Context, o Options) error {
	for {
		again, err := runLocked(ctx, o)
		if err != nil || !again {
			return err
		}
	}
}

// runLocked is one stay of a worker, from lock to unlock. It reports whether an
// event came in just while it was leaving, whose hook may have found the lock
// still taken: then the stay has to begin again.
func runLocked(ctx context.Context, o Options) (again bool, err error) {
	if err := os.MkdirAll(o.DataDir, 0o700); err != nil {
		return false, fmt.Errorf("create the data directory: %w", err)
	}
	lock := flock.New(filepath.Join(o.DataDir, spool.LockFile), flock.SetPermissions(0o600))
	// Somebody who only looks (ReadStatus) holds the lock for a moment; a worker
	// holds it for longer than this waits.
	wait, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	locked, err := lock.TryLockContext(wait, lockPatience/10)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return false, fmt.Errorf("lock the data directory %s: %w", o.DataDir, err)
	}
	if !locked {
		return false, ErrRunning
	}
	if err := removeIfThere(filepath.Join(o.DataDir, spool.StartingFile)); err != nil {
		o.Log.Warn("hooks may wait a little before they start the next worker", "error", err.Error())
	}
	why, err := o.stay(ctx)
	if ctx.Err() != nil {
		why, err = leaveEnd, nil // asked to stop in the middle of something: that is no failure
	}
	// The order matters. Hooks deliver, then look whether a worker is there. Once
	// the heartbeat is gone and the lock is free, an event either is seen by the
	// check below or its hook starts a worker that gets the lock.
	if rerr := removeIfThere(filepath.Join(o.DataDir, spool.HeartbeatFile)); err == nil {
		err = rerr
	}
	if uerr := lock.Unlock(); err == nil {
		err = uerr
	}
	if err != nil || why == leaveEnd {
		return false, err
	}
	empty, err := spool.Empty(o.SpoolDir)
	if err != nil || empty {
		return false, err
	}
	if why == leaveReplaced {
		// The new executable takes over; this one must not touch the store again.
		return false, spool.Wake(o.DataDir)
	}
	return why == leaveIdle, nil
}

// leave says why a stay ended.
type leave int

const (
	leaveIdle     leave = iota // nothing to do
	leaveEnd                   // asked to stop, or failed
	leaveReplaced              // a newer executable stands in our place
)

// stay works under the lock until there is a reason to leave.
func (o Options) stay(ctx context.Context) (leave, error) {
	if err := removeIfThere(filepath.Join(o.DataDir, stopFile)); err != nil {
		return leaveEnd, err
	}
	beat := startHeartbeat(o)
	defer beat.stop()
	if err := spool.Create(o.SpoolDir); err != nil {
		return leaveEnd, fmt.Errorf("create the spool: %w", err)
	}
	s, err := store.Open(ctx, o.DB)
	if err != nil {
		return leaveEnd, err
	}
	defer func() {
		if err := s.Close(); err != nil {
			o.Log.Warn("store not closed cleanly", "error", err.Error())
		}
	}()
	w := &worker{Options: o, store: s, places: map[string]Place{}, exe: thisExecutable()}
	if n, err := spool.Sweep(o.SpoolDir); err != nil {
		o.Log.Warn("remains of killed hooks could not be removed", "error", err.Error())
	} else if n > 0 {
		o.Log.Info("removed the remains of killed hooks", "files", n)
	}
	return w.loop(ctx)
}

func (w *worker) loop(ctx context.Context) (leave, error) {
	arrivals, closeWatch := w.watch()
	defer closeWatch()
	lastWork := time.Now()
	failed := 0 // steps in a row
	for {
		worked, err := w.step(ctx)
		if err == nil {
			failed = 0
		} else {
			failed++
		}
		switch {
		case ctx.Err() != nil:
			return leaveEnd, nil
		case err != nil:
			// A locked or full disk passes; what is in the spool stays there.
			w.Log.Error("worker step failed, trying again", "error", err.Error())
		case worked:
			lastWork = time.Now()
			if !w.stopAsked() && !w.exe.replaced() {
				continue
			}
		}
		if w.stopAsked() {
			return leaveEnd, removeIfThere(filepath.Join(w.DataDir, stopFile))
		}
		if w.exe.replaced() {
			return leaveReplaced, nil
		}
		if time.Since(lastWork) >= w.Idle {
			if err := w.flushOpen(ctx); err != nil {
				return leaveIdle, err
			}
			return leaveIdle, w.retain(ctx)
		}
		pause := pollEvery
		woken := arrivals
		if failed > 1 {
			// What fails again and again is not worth an attempt for every arrival.
			pause = min(pollEvery<<min(failed-1, 4), worstPause)
			woken = nil
		}
		wait := time.NewTimer(min(pause, max(w.Idle-time.Since(lastWork), 10*time.Millisecond)))
		select {
		case <-ctx.Done():
		case <-woken:
		case <-wait.C:
		}
		wait.Stop()
	}
}

// step does one round: take in what waits, then some of the work that is due.
// It reports whether there was anything to do.
func (w *worker) step(ctx context.Context) (bool, error) {
	drained, err := w.drain(ctx)
	if err != nil {
		return drained > 0, err
	}
	if _, err := w.store.GroupEvents(ctx, time.Now(), quiet, maxEvents); err != nil {
		return drained > 0, err
	}
	compressed, err := w.compress(ctx)
	if err != nil {
		return drained > 0 || compressed > 0, err
	}
	summarised, err := w.summarise(ctx)
	return drained > 0 || compressed > 0 || summarised > 0, err
}

// flushOpen compresses, before the worker leaves, also what still waits for the
// end of its prompt: nobody may wake a worker for a long time.
func (w *worker) flushOpen(ctx context.Context) error {
	if _, err := w.store.GroupEvents(ctx, time.Now(), 0, maxEvents); err != nil {
		return err
	}
	for {
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

// retain drops the raw events that are older than the person wants to keep. It is
// the last thing that a worker does, when nothing waits for it.
func (w *worker) retain(ctx context.Context) error {
	if w.KeepRaw <= 0 {
		return nil
	}
	for before := time.Now().Add(-w.KeepRaw); ctx.Err() == nil; {
		n, err := w.store.DropPayloads(ctx, before, drainCount)
		if err != nil || n == 0 {
			return err
		}
	}
	return nil
}

// watch gives a channel that has a value when something arrived in the spool.
// Where events of the file system are not to be had, only the poll is left.
func (w *worker) watch() (<-chan struct{}, func()) {
	arrivals := make(chan struct{}, 1)
	watcher, err := fsnotify.NewWatcher()
	if err == nil {
		err = watcher.Add(spool.NewDir(w.SpoolDir))
		if err != nil {
			_ = watcher.Close() // the reason is reported below
		}
	}
	if err != nil {
		w.Log.Warn("no file-system events for the spool, polling instead", "error", err.Error())
		return arrivals, func() {}
	}
	go func() {
		for {
			select {
			case _, open := <-watcher.Events:
				if !open {
					return
				}
				select {
				case arrivals <- struct{}{}:
				default:
				}
			case err, open := <-watcher.Errors:
				if !open {
					return
				}
				w.Log.Warn("file-system events of the spool were missed; the poll finds what they meant", "error", err.Error())
			}
		}
	}()
	return arrivals, func() {
		if err := watcher.Close(); err != nil {
			w.Log.Warn("spool watch not closed", "error", err.Error())
		}
	}
}

func (w *worker) stopAsked() bool {
	_, err := os.Stat(filepath.Join(w.DataDir, stopFile))
	return err == nil
}

func removeIfThere(path string) error {
	err := os.Remove(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
