package worker

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"cmem/hooks/spool"
	"cmem/llm"
	"cmem/memory"
	"cmem/store"
)

func TestProgressIsToldWhileManyWait(t *testing.T) {
	var p progress
	p.left(shownFrom - 1)
	if told := p.tell(); told != nil {
		t.Errorf("a few events are told of: %+v", told)
	}
	p.end()
	p.left(100_000)
	p.took(12_300)
	told := p.tell()
	if told == nil || told.Done != 12_300 || told.Left != 87_700 {
		t.Fatalf("told %+v", told)
	}
	told.At = told.Since.Add(123 * time.Second)
	if got, want := told.Remaining(), 877*time.Second; got != want {
		t.Errorf("%s left, want %s", got, want)
	}
	if got := (Progress{Left: 5}).Remaining(); got != 0 {
		t.Errorf("%s left before the first event", got)
	}
	p.end()
	if told := p.tell(); told != nil {
		t.Errorf("told after the end: %+v", told)
	}
	var wg sync.WaitGroup // the heartbeat reads while the drain writes
	for range 4 {
		wg.Go(func() { p.left(2000); p.took(1); p.tell() })
	}
	wg.Wait()
}

func TestTheHeartbeatTellsTheProgress(t *testing.T) {
	s := newSetup(t)
	w := &worker{Options: s.Options, home: home{dir: s.DataDir}}
	w.progress.left(5000)
	w.progress.took(1000)
	beat := startHeartbeat(w)
	defer beat.stop()
	path := filepath.Join(s.DataDir, spool.HeartbeatFile)
	holds := func(text string) func() bool {
		return func() bool {
			b, err := os.ReadFile(path)
			return err == nil && strings.Contains(string(b), text) && strings.HasSuffix(string(b), "}\n")
		}
	}
	waitFor(t, "the progress in the heartbeat", holds(`"draining":{"done":1000,"left":4000`))
	w.progress.end()
	waitFor(t, "the end of it", func() bool { return holds("pid")() && !holds("draining")() })
}

// An event that kills every worker which reads it must not cost a process a hook.
func TestTheSuccessorOfADeadWorkerIsOnTrialUntilItHasDoneSomething(t *testing.T) {
	s := newSetup(t)
	s.turn("修复缓存 🐛", 1)
	if err := os.WriteFile(filepath.Join(s.DataDir, spool.HeartbeatFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	resting := filepath.Join(s.DataDir, spool.RestingFile)
	decode, read, during := s.Decode, 0, 0
	s.Decode = func(id string, raw []byte) (memory.Event, error) {
		read++
		if _, err := os.Stat(resting); err == nil {
			during++
		}
		return decode(id, raw)
	}
	s.run()
	if read == 0 || during != read {
		t.Errorf("hooks would have started another worker during %d of %d readings", read-during, read)
	}
	if _, err := os.Stat(resting); !os.IsNotExist(err) {
		t.Errorf("hooks start none although it got through: %v", err)
	}
	during = 0
	s.turn("next", 1)
	s.run()
	if during != 0 {
		t.Errorf("the successor of a worker that left in order is on trial")
	}
}

// warnings counts what a log has of that level or above.
type warnings struct {
	slog.Handler
	level slog.Level
	n     *atomic.Int64
}

func (h warnings) Enabled(context.Context, slog.Level) bool { return true }

func (h warnings) Handle(_ context.Context, r slog.Record) error {
	if r.Level >= h.level {
		h.n.Add(1)
	}
	return nil
}

// As on a full disk: the file is not there, and cannot be made for a while.
func TestAHeartbeatThatFailedIsToldOfOnceAndTriedAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for three beats")
	}
	s := newSetup(t)
	var told atomic.Int64
	s.Log = slog.New(warnings{Handler: slog.DiscardHandler, level: slog.LevelWarn, n: &told})
	path := filepath.Join(s.DataDir, spool.HeartbeatFile)
	if err := os.Mkdir(path+".part", 0o700); err != nil {
		t.Fatal(err)
	}
	w := &worker{Options: s.Options, home: home{dir: s.DataDir}}
	beat := startHeartbeat(w)
	defer beat.stop()
	time.Sleep(2*spool.HeartbeatEvery + spool.HeartbeatEvery/2)
	if n := told.Load(); n != 1 {
		t.Errorf("told of %d times, want once", n)
	}
	if err := os.Remove(path + ".part"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the heartbeat", func() bool {
		b, err := os.ReadFile(path)
		return err == nil && strings.Contains(string(b), `"pid"`)
	})
	if n := told.Load(); n != 1 {
		t.Errorf("told of %d times when it was there, want once", n)
	}
}

// A worker that begins takes the wish to leave that it finds for its predecessor's.
func TestAStopIsHeardByAWorkerThatHasJustBegun(t *testing.T) {
	s := newSetup(t)
	lock := flock.New(filepath.Join(s.DataDir, spool.LockFile))
	if ok, err := lock.TryLock(); !ok || err != nil {
		t.Fatalf("lock: %v, %v", ok, err)
	}
	asked := make(chan error, 1)
	go func() { _, err := Stop(s.DataDir, time.Minute); asked <- err }()
	here := homeOf(s.DataDir, lock)
	for range 2 { // the one that it clears away when it begins, and the one that it heeds
		waitFor(t, "the wish to leave", here.stopAsked)
		if err := here.forgetStop(); err != nil {
			t.Fatal(err)
		}
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := ends(t, asked, time.Minute); err != nil {
		t.Error(err)
	}
	if here.stopAsked() {
		t.Error("the wish is left for the next worker")
	}
}

// replacing is a compressor during whose work another store takes the place.
type replacing struct {
	llm.Compressor
	replace func()
}

func (c *replacing) Compress(ctx context.Context, b llm.Batch) (llm.Result, error) {
	c.replace()
	return c.Compressor.Compress(ctx, b)
}

func TestAStoreThatIsReplacedDuringTheLastThingsIsNoFailure(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be renamed here")
	}
	s := newSetup(t)
	// A turn without an end is compressed as one of the last things.
	s.clock = time.Now().Add(-2 * time.Second)
	s.deliver(memory.Event{Name: memory.EventUserPromptSubmit, Prompt: "换库", PromptID: "p1"})
	s.deliver(memory.Event{Name: memory.EventPostToolUse, ToolName: "Edit", ToolUseID: "t1", PromptID: "p1"})
	other := filepath.Join(t.TempDir(), "other.db")
	db, err := store.Open(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	var replaced sync.Once
	c := &replacing{Compressor: s.Local, replace: func() {
		replaced.Do(func() {
			for _, ending := range []string{"", "-wal", "-shm"} {
				if err := os.Rename(s.DB+ending, s.DB+".away"+ending); err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Error(err)
				}
			}
			if err := os.Rename(other, s.DB); err != nil {
				t.Error(err)
			}
		})
	}}
	s.Compressor, s.Local = c, c
	s.run() // an error fails the test
	if _, err := os.Stat(filepath.Join(s.DataDir, spool.RestingFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("hooks would start no worker for a minute (%v)", err)
	}
}
