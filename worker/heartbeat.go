package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"cmem/hooks/spool"
	"cmem/logs"
)

// heartbeat touches the heartbeat file as long as the worker is there, also
// while it waits for a provider.
type heartbeat struct {
	done    chan struct{}
	stopped chan struct{}
}

// life is what the heartbeat file holds, for people; only its time counts.
type life struct {
	PID        int       `json:"pid"`
	Version    string    `json:"version"`
	Compressor string    `json:"compressor"`
	StartedAt  time.Time `json:"started_at"`
	Draining   *Progress `json:"draining,omitempty"`
}

func startHeartbeat(w *worker) *heartbeat {
	h := &heartbeat{done: make(chan struct{}), stopped: make(chan struct{})}
	path := filepath.Join(w.DataDir, spool.HeartbeatFile)
	l := life{PID: os.Getpid(), Version: w.Version, Compressor: w.Compressor.ID(), StartedAt: time.Now().UTC().Truncate(time.Second)}
	failing := false // so that a full disk is told of once, not every two seconds
	if err := l.write(path); err != nil {
		failing = true
		w.Log.Error("no heartbeat: hooks will start workers that leave again", "kind", logs.WorkerHindered, "error", err)
	}
	go func() {
		defer close(h.stopped)
		tick := time.NewTicker(spool.HeartbeatEvery)
		defer tick.Stop()
		for {
			select {
			case <-h.done:
				return
			case now := <-tick.C:
				if w.home.gone() {
					continue // the file at the path would be another worker's
				}
				var err error
				if told := w.progress.tell(); told != nil || l.Draining != nil {
					l.Draining = told
					err = l.write(path)
				} else if err = os.Chtimes(path, now, now); errors.Is(err, os.ErrNotExist) {
					err = l.write(path)
				}
				if err != nil && !failing {
					w.Log.Warn("heartbeat not written", "kind", logs.WorkerHindered, "error", err)
				}
				failing = err != nil
			}
		}
	}()
	return h
}

// write puts l in the place of what is in the file, at once: somebody may be reading it.
func (l life) write(path string) error {
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	part := path + ".part"
	if err := os.WriteFile(part, append(b, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(part, path)
}

func (h *heartbeat) stop() {
	close(h.done)
	<-h.stopped
}

// Status says how it stands with the worker of a data directory.
type Status struct {
	Running    bool      `json:"running"`
	PID        int       `json:"pid,omitempty"`
	Version    string    `json:"version,omitempty"`
	Compressor string    `json:"compressor,omitempty"`
	StartedAt  time.Time `json:"started_at,omitzero"`
	// Draining says how far it is with many events, while it takes them in.
	Draining *Progress `json:"draining,omitempty"`
}

// ReadStatus looks whether a worker holds the lock of dataDir, and what its
// heartbeat file says of it. A data directory that does not exist has none.
func ReadStatus(dataDir string) (Status, error) {
	path := filepath.Join(dataDir, spool.LockFile)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return Status{}, nil
	}
	lock := flock.New(path)
	free, err := lock.TryRLock()
	if err != nil {
		return Status{}, fmt.Errorf("look at the worker's lock %s: %w", path, err)
	}
	if free {
		return Status{}, lock.Unlock()
	}
	s := Status{Running: true}
	b, err := os.ReadFile(filepath.Join(dataDir, spool.HeartbeatFile))
	if err != nil {
		return s, nil //nolint:nilerr // between lock and first heartbeat there is no file
	}
	var l life
	if json.Unmarshal(b, &l) == nil {
		s.PID, s.Version, s.Compressor, s.StartedAt, s.Draining = l.PID, l.Version, l.Compressor, l.StartedAt, l.Draining
	}
	return s, nil
}

// Stop asks the worker of dataDir to leave after the piece in hand and waits
// until it has, at most for timeout. It reports whether there was one.
func Stop(dataDir string, timeout time.Duration) (bool, error) {
	s, err := ReadStatus(dataDir)
	if err != nil || !s.Running {
		return false, err
	}
	for deadline := time.Now().Add(timeout); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		// Again and again: a worker that has just begun takes the wish for its predecessor's.
		err := os.WriteFile(filepath.Join(dataDir, stopFile), nil, 0o600)
		if err != nil && !errors.Is(err, os.ErrNotExist) { // without its directory it leaves by itself
			return true, fmt.Errorf("ask the worker to stop: %w", err)
		}
		if s, err = ReadStatus(dataDir); err != nil {
			return true, err
		}
		if !s.Running {
			// It may have been written after the worker had taken it as heard.
			return true, removeIfThere(filepath.Join(dataDir, stopFile))
		}
	}
	return true, fmt.Errorf("the worker (process %d) did not stop within %s; it stops after the piece in hand", s.PID, timeout)
}
