package worker

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"cmem/logs"
)

const (
	// clockFile notes when the clock was looked at last, as its own time, and since
	// when it has gone on evenly, as its content.
	clockFile = "clock"
	// clockGap is a step of the clock that may be no passing of time: it was set.
	clockGap = 30 * 24 * time.Hour
	// clockTrusted is how long it has to go on evenly after such a step before raw
	// events are dropped by it.
	clockTrusted = 24 * time.Hour
)

// retain drops the raw events that are older than the person wants to keep. It is
// the last thing that a worker does, when nothing waits for it. What is dropped is
// gone, so a clock that was set forward, or a machine that was off for long, is given
// a day first.
func (w *worker) retain(ctx context.Context) error {
	if w.KeepRaw <= 0 {
		return nil
	}
	now := time.Now()
	since, err := evenSince(filepath.Join(w.DataDir, clockFile), now)
	if err != nil {
		w.Log.Warn("raw events are kept for longer, since the clock cannot be noted", "kind", logs.WorkerHindered, "error", err)
		return nil
	}
	if now.Sub(since) < clockTrusted {
		return nil
	}
	for before := now.Add(-w.KeepRaw); ctx.Err() == nil && !w.mustLeave(); {
		n, err := w.store.DropPayloads(ctx, before, drainCount)
		if err != nil || n == 0 {
			return err
		}
	}
	return nil
}

// evenSince notes that the clock says now, and gives since when it has gone on without
// a step.
func evenSince(path string, now time.Time) (since time.Time, err error) {
	since = now
	if info, err := os.Stat(path); err == nil {
		last := info.ModTime()
		if b, err := os.ReadFile(path); err == nil && !last.After(now) && now.Sub(last) < clockGap {
			if t, err := time.Parse(time.RFC3339, string(b)); err == nil && !t.After(now) {
				since = t
			}
		}
	}
	if err := os.WriteFile(path, []byte(since.UTC().Format(time.RFC3339)), 0o600); err != nil {
		return since, err
	}
	return since, os.Chtimes(path, time.Time{}, now)
}
