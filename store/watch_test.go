package store

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"cmem/memory"
)

func version(t *testing.T, s *Store) int64 {
	t.Helper()
	v, err := s.DataVersion(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEveryWriteIsSeenByTheNextLook(t *testing.T) {
	s := newStore(t)
	o := remember(t, s, memory.Observation{Title: "购物车"})[0]
	stranger := sqliteDB(t, s)
	ro, err := OpenReadOnly(t.Context(), s.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ro.Close(); err != nil {
			t.Error(err)
		}
	})
	own, others := version(t, s), version(t, ro)
	for i := range 500 {
		if i%2 == 0 {
			mustExec(t, stranger, fmt.Sprintf("UPDATE observations SET weight = 1 + %d WHERE id = %d", i, o.ID))
		} else if _, err := s.Edit(t.Context(), []int64{o.ID}, memory.Edit{Weight: ptr(1000 + float64(i))}); err != nil {
			t.Fatal(err)
		}
		// Some writes come in a hurry, some after a while of quiet, some when the log
		// has just been folded into the file.
		switch i % 50 {
		case 20:
			time.Sleep(settled + 20*time.Millisecond)
		case 40:
			mustExec(t, stranger, "PRAGMA wal_checkpoint(TRUNCATE)")
		}
		a, b := version(t, s), version(t, ro)
		if a == own || b == others {
			t.Fatalf("write %d was not seen: %d then %d, %d then %d", i, own, a, others, b)
		}
		own, others = a, b
	}
}

func TestAQuietStoreIsNotAsked(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the times of open files come late there")
	}
	s := newStore(t)
	remember(t, s, memory.Observation{Title: "a"})
	time.Sleep(settled + 50*time.Millisecond)
	first := version(t, s)
	asked := s.watch.asked
	for range 100 {
		if v := version(t, s); v != first {
			t.Fatalf("version %d, then %d", first, v)
		}
	}
	if s.watch.asked != asked && time.Since(asked) < askAgain {
		t.Error("SQLite was asked although nothing had changed")
	}
	if allocs := testing.AllocsPerRun(100, func() { version(t, s) }); allocs > 10 {
		t.Errorf("a look takes %.0f allocations", allocs)
	}
}

// Whoever watches sees what another process writes.
func TestWritesOfAnotherProcessAreSeen(t *testing.T) {
	s := newStore(t)
	before := version(t, s)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), exe)
	c.Env = append(os.Environ(), fmt.Sprintf("%s=child:%s", childStore, s.Path()))
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for began := time.Now(); seen < 5 && time.Since(began) < 30*time.Second; time.Sleep(10 * time.Millisecond) {
		if v := version(t, s); v != before {
			before = v
			seen++
		}
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if seen < 5 {
		t.Errorf("saw %d changes", seen)
	}
}

func TestAReplacedStoreIsNoticed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be removed there")
	}
	s := newStore(t)
	version(t, s)
	if err := os.Rename(s.Path(), s.Path()+".old"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.DataVersion(t.Context()); !errors.Is(err, ErrReplaced) {
		t.Errorf("removed: error %v", err)
	}
	if err := os.WriteFile(s.Path(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.DataVersion(t.Context()); !errors.Is(err, ErrReplaced) {
		t.Errorf("replaced: error %v", err)
	}
	if err := errors.Join(os.Remove(s.Path()), os.Rename(s.Path()+".old", s.Path())); err != nil {
		t.Fatal(err)
	}
	version(t, s)
}

func BenchmarkDataVersion(b *testing.B) {
	s := newStore(b)
	remember(b, s, memory.Observation{Title: "a"})
	time.Sleep(2 * settled)
	for b.Loop() {
		if _, err := s.DataVersion(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
