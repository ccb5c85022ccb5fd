package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"cmem/hooks/spool"
	"cmem/memory"
)

// drain moves what waits in the spool into the store, in the order of names, in
// transactions of bounded size, and gives how many events it took. A file goes
// only after the transaction that holds its event was committed; when the worker
// dies in between, the next one finds the event stored and only removes the file.
func (w *worker) drain(ctx context.Context) (int, error) {
	names, err := spool.List(w.SpoolDir)
	if err != nil {
		return 0, fmt.Errorf("list the spool: %w", err)
	}
	slices.Sort(names)
	clear(w.places) // branches and commits change
	taken := 0
	for len(names) > 0 && ctx.Err() == nil {
		seen, n, err := w.drainSome(ctx, names)
		taken += n
		if err != nil {
			return taken, err
		}
		names = names[seen:]
	}
	return taken, nil
}

// drainSome deals with the first few of names in one transaction: it gives how
// many names it has seen and how many events it took out of the spool.
func (w *worker) drainSome(ctx context.Context, names []string) (seen, taken int, err error) {
	var (
		events []memory.Event
		done   []string
		size   int
	)
	for _, name := range names {
		if len(events) == drainCount || size >= drainBytes {
			break
		}
		seen++
		raw, err := spool.Read(w.SpoolDir, name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil && !errors.Is(err, os.ErrPermission) {
			return seen, 0, fmt.Errorf("read event %s: %w", name, err)
		}
		var e memory.Event
		if err == nil {
			e, err = w.Decode(name, raw)
		}
		if err != nil {
			// Also one that another user owns: it must not keep the others waiting.
			w.Log.Error("event put aside: it cannot be read", "event_id", name, "bytes", len(raw), "error", err.Error(), "folder", spool.BadDir(w.SpoolDir))
			if err := spool.PutAside(w.SpoolDir, name); err != nil {
				return seen, 0, fmt.Errorf("put event %s aside: %w", name, err)
			}
			continue
		}
		w.locate(&e)
		events = append(events, e)
		done = append(done, name)
		size += len(raw)
	}
	if len(events) == 0 {
		return seen, 0, nil
	}
	if _, err := w.store.AddEvents(ctx, events); err != nil {
		return seen, 0, err
	}
	for i, name := range done {
		if err := spool.Remove(w.SpoolDir, name); err != nil {
			return seen, i, fmt.Errorf("remove event %s, which is stored: %w", name, err)
		}
	}
	return seen, len(done), nil
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
