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

	"github.com/gofrs/flock"

	"cmem/hooks/spool"
	"cmem/llm"
	"cmem/logs"
	"cmem/memory"
	"cmem/store"
)

// ErrRunning is given when another worker holds the data directory.
var ErrRunning = errors.New("another worker is running for this data directory")

const (
	lockPatience = 100 * time.Millisecond
	pollEvery    = 2 * time.Second  // behind the file-system events, which some file systems lack
	roundEvery   = 10 * time.Second // when nothing arrives: for what becomes due by time alone
	worstPause   = 30 * time.Second // between rounds that fail
	quiet        = 30 * time.Second // a prompt without an end is compressed after this much silence
	maxEvents    = 60               // events in one batch
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
	// Embedder encodes observations for searches by meaning; nil for none. Asked does so,
	// too, by calls to a provider; AskedWith is another text whenever its settings are others.
	Embedder  llm.Embedder
	Asked     *llm.VectorModel
	AskedWith string
	// Idle is how long nothing must happen before the worker goes away.
	Idle time.Duration
	// KeepRaw is how long raw events are kept beside their observations; 0 for ever.
	KeepRaw time.Duration
	Version string
	Log     *slog.Logger
}

// worker is one stay: from taking the lock to giving it back.
type worker struct {
	Options
	home     home
	store    *store.Store
	breaker  breaker
	asked    asked
	places   map[string]Place
	exe      executable
	arrivals <-chan struct{} // has a value when something came into the spool
	progress progress
	taken    int           // events drained so far
	busy     chan struct{} // has a value when a piece of work has begun
	onTrial  bool          // the worker before died, and this one has done nothing yet
	// stuck are the events that can neither be stored nor taken away; they are left
	// for the next worker, and the person.
	stuck map[string]struct{}
}

// Run works until nothing has happened for Options.Idle, ctx ends, a stop is
// asked for, the executable has been replaced, or the data directory has been moved
// away; it finishes the piece in hand first. It gives ErrRunning at once when another
// worker is there.
func Run(ctx context.Context, o Options) error {
	for {
		again, err := runLocked(ctx, o)
		if err != nil || !again {
			return err
		}
	}
}

// runLocked is one stay of a worker, from lock to unlock. It reports whether there
// has to be another: an event came in just while it was leaving, whose hook may have
// found the lock still taken, or there is another store to work on.
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
	w := &worker{
		Options: o, home: homeOf(o.DataDir, lock), exe: thisExecutable(), busy: make(chan struct{}, 1),
		places: map[string]Place{}, stuck: map[string]struct{}{},
	}
	if err := removeIfThere(filepath.Join(o.DataDir, spool.StartingFile)); err != nil {
		o.Log.Warn("hooks may wait a little before they start the next worker", "kind", logs.WorkerHindered, "error", err)
	}
	if _, err := os.Stat(filepath.Join(o.DataDir, spool.HeartbeatFile)); err == nil {
		o.Log.Warn("the worker before died in the middle of its work", "kind", logs.WorkerDied)
		w.onTrial = true
		if err := w.rest(errDiedBefore); err != nil {
			o.Log.Warn("hooks will start workers that die again", "kind", logs.WorkerHindered, "error", err)
		}
	}
	why, err := w.stay(ctx)
	if ctx.Err() != nil {
		why, err = leaveEnd, nil // asked to stop in the middle of something: that is no failure
	}
	if w.home.gone() {
		// What stands at the path now is another worker's, or nobody's.
		o.Log.Info("the data directory was moved or removed; the next hook begins anew", "path", o.DataDir)
		return false, lock.Unlock()
	}
	if rerr := w.rest(err); rerr != nil {
		o.Log.Warn("hooks will start workers that leave again", "kind", logs.WorkerHindered, "error", rerr)
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
	waits, err := w.somethingWaits()
	if err != nil || !waits {
		return false, err
	}
	if why == leaveReplaced {
		// The new executable takes over; this one must not touch the store again.
		return false, spool.Wake(o.DataDir)
	}
	return true, nil
}

// errDiedBefore is why hooks start no other worker until this one has done something.
var errDiedBefore = errors.New("the worker before died in the middle of its work; whether this one gets further is not known yet")

// passed ends the trial of a worker whose predecessor died: it got through a round, so
// that the next one may be started at once should it die, too.
func (w *worker) passed() {
	if !w.onTrial {
		return
	}
	w.onTrial = false
	if err := w.rest(nil); err != nil {
		w.Log.Warn("hooks may wait a minute before they start the next worker", "kind", logs.WorkerHindered, "error", err)
	}
}

// rest keeps the hooks from starting one worker after the other when this one has
// failed and the next one would, too; otherwise it lets them.
func (w *worker) rest(failure error) error {
	path := filepath.Join(w.DataDir, spool.RestingFile)
	if failure == nil {
		return removeIfThere(path)
	}
	return os.WriteFile(path, []byte(failure.Error()+"\n"), 0o600)
}

// leave says why a stay ended.
type leave int

const (
	leaveIdle     leave = iota // nothing to do
	leaveEnd                   // asked to stop, or failed
	leaveReplaced              // a newer executable stands in our place
	leaveStore                 // another store stands in the place of ours
)

// stay works under the lock until there is a reason to leave.
func (w *worker) stay(ctx context.Context) (leave, error) {
	if err := w.home.forgetStop(); err != nil {
		return leaveEnd, err
	}
	beat := startHeartbeat(w)
	defer beat.stop()
	trimmer := startTrimmer(w)
	defer trimmer.stop()
	if err := spool.Create(w.SpoolDir); err != nil {
		return leaveEnd, fmt.Errorf("create the spool: %w", err)
	}
	s, err := w.openStore(ctx)
	if err != nil || s == nil {
		return leaveEnd, err
	}
	defer func() {
		if err := s.Close(); err != nil {
			w.Log.Warn("store not closed cleanly", "kind", logs.StoreNotClosed, "error", err)
		}
	}()
	if err := s.Frugal(ctx); err != nil {
		w.Log.Warn("the store uses more memory than it need", "kind", logs.WorkerHindered, "error", err)
	}
	w.store = s
	w.asked = w.readAsked()
	if n, err := spool.Sweep(w.SpoolDir); err != nil {
		w.Log.Warn("remains of killed hooks could not be removed", "kind", logs.WorkerHindered, "error", err)
	} else if n > 0 {
		w.Log.Info("removed the remains of killed hooks", "files", n)
	}
	arrivals, closeWatch := w.watch()
	defer closeWatch()
	w.arrivals = arrivals
	return w.loop(ctx)
}

const (
	// busyPatience is how long a worker waits for a store that another program holds.
	busyPatience = 10 * time.Minute
	busyPause    = time.Second // beside the seconds that SQLite waits by itself
)

// openStore opens the store, waiting while another program holds it. It gives no
// store and no error when the worker is asked to stop meanwhile.
func (w *worker) openStore(ctx context.Context) (*store.Store, error) {
	for begun, told := time.Now(), false; ; {
		s, err := store.Open(ctx, w.DB)
		if err == nil || !errors.Is(err, store.ErrBusy) || time.Since(begun) > busyPatience {
			return s, err
		}
		if !told {
			told = true
			w.Log.Warn("the store is held by another program; waiting for it", "kind", logs.StepFailed, "error", err)
		}
		select {
		case <-ctx.Done():
			return nil, nil
		case <-time.After(busyPause):
		}
		if w.mustLeave() {
			return nil, w.home.forgetStop()
		}
	}
}

func (w *worker) loop(ctx context.Context) (leave, error) {
	var (
		now    = time.Now()
		active = now // the last time that something was done
		round  time.Time
		due    = true // a round, whatever the spool looks like
		kept   = false
		failed = 0 // rounds in a row
	)
	for {
		worked, err := false, error(nil)
		if due || time.Since(round) >= roundEvery || w.newsInSpool() {
			round = time.Now()
			worked, err = w.round(ctx)
		}
		due = worked
		switch {
		case ctx.Err() != nil:
			return leaveEnd, nil
		case err == nil:
			failed = 0
			w.passed()
		default:
			if why, ends, failure := w.endsBy(err); ends {
				return why, failure
			}
			// A locked or full disk passes; what is in the spool stays there.
			failed++
			due = true
			w.Log.Error("worker step failed, trying again", "kind", logs.StepFailed, "error", err)
		}
		if worked {
			active, kept = time.Now(), false
		}
		if w.mustLeave() {
			return leaveEnd, w.home.forgetStop()
		}
		if w.exe.replaced() {
			return leaveReplaced, nil
		}
		if worked && err == nil {
			continue
		}
		if time.Since(active) >= w.Idle {
			before := w.taken
			if err := w.lastThings(ctx); err != nil {
				if why, ends, failure := w.endsBy(err); ends {
					return why, failure
				}
				return leaveIdle, err
			}
			if w.taken == before {
				return leaveIdle, nil
			}
			active, due = time.Now(), true // not the last things after all
			continue
		}
		if !kept && failed == 0 && time.Since(active) >= min(pollEvery, w.Idle/2) {
			kept = w.keepHouse(ctx)
		}
		trim() // what this round needed, the next one finds again
		w.wait(ctx, failed, w.Idle-time.Since(active))
		if failed == 0 && len(w.arrivals) > 0 {
			due = true
		}
	}
}

// endsBy reports whether trying again after err is of no use here, why the stay ends
// then, and with what failure.
func (w *worker) endsBy(err error) (why leave, ends bool, failure error) {
	var newer *store.NewerSchemaError
	switch {
	case errors.Is(err, store.ErrReplaced):
		return leaveStore, true, nil
	case w.exe.replaced():
		return leaveReplaced, true, nil
	case errors.As(err, &newer), errors.Is(err, store.ErrDamaged), errors.Is(err, store.ErrForeign):
		return leaveEnd, true, err
	}
	return leaveIdle, false, nil
}

// wait sleeps until something arrives, the next look is due, or ctx ends; for left at
// most.
func (w *worker) wait(ctx context.Context, failed int, left time.Duration) {
	pause, woken := pollEvery, w.arrivals
	if failed > 1 {
		// What fails again and again is not worth an attempt for every arrival.
		pause = min(pollEvery<<min(failed-1, 4), worstPause)
		woken = nil
	}
	timer := time.NewTimer(min(pause, max(left, 10*time.Millisecond)))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-woken:
	case <-timer.C:
	}
}

// round takes in what waits, then does some of the work that is due. It reports
// whether there was anything to do.
func (w *worker) round(ctx context.Context) (worked bool, err error) {
	drained, err := w.drain(ctx)
	if err != nil || w.mustLeave() {
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
	if err != nil {
		return drained > 0 || compressed > 0 || summarised > 0, err
	}
	indexed := w.index(ctx)
	return drained > 0 || compressed > 0 || summarised > 0 || indexed, nil
}
