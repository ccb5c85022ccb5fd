package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"cmem/hooks/spool"
	"cmem/logs"
	"cmem/memory"
)

const (
	drainNames = 8192    // names held at once, however many wait
	drainCount = 256     // events in one transaction
	drainBytes = 4 << 20 // payload bytes in one transaction
)

// drain moves what waits in the spool into the store, in the order of names, in
// transactions of bounded size, and gives how many events it took. A file goes
// only after the transaction that holds its event is on the disk; when the worker
// dies in between, the next one finds the event stored and only removes the file.
func (w *worker) drain(ctx context.Context) (int, error) {
	clear(w.places) // branches and commits change
	defer w.progress.end()
	taken := 0
	for {
		names, waiting, err := w.oldest(drainNames)
		if err != nil {
			return taken, fmt.Errorf("list the spool: %w", err)
		}
		w.progress.left(waiting)
		if len(names) == 0 {
			return taken, nil
		}
		for len(names) > 0 {
			if ctx.Err() != nil || w.mustLeave() {
				return taken, nil
			}
			seen, n, err := w.drainSome(ctx, names)
			taken += n
			w.taken += n
			w.progress.took(seen)
			if err != nil {
				return taken, err
			}
			names = names[seen:]
		}
	}
}

// oldest gives the n oldest of the events that can be taken in, in order, and how
// many there are.
func (w *worker) oldest(n int) (names []string, waiting int, err error) {
	last := "" // no name behind it is wanted
	err = spool.Each(w.SpoolDir, func(name string) bool {
		if _, stuck := w.stuck[name]; stuck {
			return true
		}
		waiting++
		if last != "" && name > last {
			return true
		}
		if names = append(names, name); len(names) == 2*n {
			slices.Sort(names)
			clear(names[n:])
			names, last = names[:n], names[n-1]
		}
		return true
	})
	slices.Sort(names)
	return names[:min(n, len(names))], waiting, err
}

// newsInSpool reports whether an event waits that can be taken in. What cannot be
// listed is for the drain to report.
func (w *worker) newsInSpool() bool {
	waits, err := w.somethingWaits()
	return waits || err != nil
}

// somethingWaits is newsInSpool with the error. It stops at the first event.
func (w *worker) somethingWaits() (waits bool, err error) {
	err = spool.Each(w.SpoolDir, func(name string) bool {
		_, stuck := w.stuck[name]
		waits = !stuck
		return !waits
	})
	return waits, err
}

// drainSome deals with the first few of names in one transaction: it gives how
// many names it has seen and how many events it took out of the spool.
func (w *worker) drainSome(ctx context.Context, names []string) (seen, taken int, err error) {
	var (
		events []memory.Event
		done   []string
		size   int
		now    = time.Now()
	)
	w.work()
	for _, name := range names {
		if len(events) == drainCount || size >= drainBytes {
			break
		}
		seen++
		e, bytes, err := w.take(name)
		switch {
		case errors.Is(err, os.ErrNotExist):
			continue
		case errors.Is(err, errDisk):
			w.leaveStuck(name, "event not read from the spool", err)
			continue
		case err != nil:
			// Also one that another user owns: it must not keep the others waiting.
			w.putAside(name, bytes, err)
			continue
		}
		e.CreatedAt = believable(e, now)
		w.locate(&e)
		events = append(events, e)
		done = append(done, name)
		size += bytes
	}
	if len(events) == 0 {
		return seen, 0, nil
	}
	if _, err := w.store.AddEvents(ctx, events); err != nil {
		return seen, 0, err
	}
	for _, name := range done {
		if err := spool.Remove(w.SpoolDir, name); err != nil {
			w.leaveStuck(name, "event not removed from the spool, though it is stored", err)
			continue
		}
		taken++
	}
	return seen, taken, nil
}

// errDisk marks the error of an event that may be whole, but cannot be read now.
var errDisk = errors.New("the file could not be read")

// take reads an event of the spool, which is bytes long there.
func (w *worker) take(name string) (e memory.Event, bytes int, err error) {
	raw, err := spool.Read(w.SpoolDir, name)
	switch {
	case err == nil:
	case errors.Is(err, os.ErrNotExist), errors.Is(err, os.ErrPermission), errors.Is(err, spool.ErrTooLarge), errors.Is(err, spool.ErrNoFile):
		return e, 0, err
	default:
		return e, 0, fmt.Errorf("%w: %w", errDisk, err)
	}
	defer func() {
		if p := recover(); p != nil { // one event that nobody thought of must not stop all memory
			err = logs.Recovered(p)
		}
	}()
	e, err = w.Decode(name, raw)
	return e, len(raw), err
}

func (w *worker) putAside(name string, bytes int, why error) {
	w.Log.Error("event put aside: it cannot be read", "kind", logs.EventAside, "event_id", name, "bytes", bytes, "error", why, "folder", spool.BadDir(w.SpoolDir))
	if err := spool.PutAside(w.SpoolDir, name); err != nil && !errors.Is(err, os.ErrNotExist) {
		w.leaveStuck(name, "event not put aside either", err)
	}
}

// leaveStuck leaves an event to the next worker: the others must not wait for it.
func (w *worker) leaveStuck(name, what string, why error) {
	w.stuck[name] = struct{}{}
	w.Log.Error(what+"; it is left alone", "kind", logs.WorkerHindered, "event_id", name, "error", why)
}

const (
	clockSlack = time.Minute
	// An event that does not come from the past and is older than this program was
	// told by a clock that had not been set.
	firstYear = 2025
)

// believable gives the time of an event, or now when the clock that told it was wrong:
// a memory from next year would stand above all others until then. The events of a
// session stay in the order of their names.
func believable(e memory.Event, now time.Time) time.Time {
	if e.CreatedAt.After(now.Add(clockSlack)) || !e.Past && e.CreatedAt.Year() < firstYear {
		return now.UTC().Truncate(time.Millisecond)
	}
	return e.CreatedAt
}

// locate fills in where the event happened; within one drain a directory is
// looked up once.
func (w *worker) locate(e *memory.Event) {
	if e.CWD == "" {
		return
	}
	p, ok := w.places[e.CWD]
	if !ok {
		p = w.Locate(e.CWD)
		w.places[e.CWD] = p
	}
	e.Project = p.Project
	if !e.Past { // what is checked out today tells nothing about then
		e.Branch, e.Commit = p.Branch, p.Commit
	}
}
