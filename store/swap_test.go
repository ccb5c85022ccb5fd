package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"cmem/memory"
)

// childReader, in the environment, makes the test binary open the store at that
// path again and again until it is killed.
const childReader = "CMEM_TEST_CHILD_READER"

// readForEver opens the store for reading, as hooks do, and every third time for
// writing, as commands do, and writes. It gives the first error that means damage or
// that what was read is in neither of the stores that take turns at the path.
func readForEver(path string) error {
	ctx := context.Background()
	for n := 0; ; n++ {
		open := OpenReadOnly
		if n%3 == 0 {
			open = Open
		}
		s, err := open(ctx, path)
		if err == nil {
			err = lookAtPairs(ctx, s)
			if n%3 == 0 && err == nil {
				_, err = s.AddEvents(ctx, []memory.Event{{ID: fmt.Sprint(os.Getpid(), n), SessionID: "child", CreatedAt: noon, Raw: []byte("{}")}})
			}
			if cerr := s.Close(); err == nil {
				err = cerr
			}
		}
		if err != nil && !errors.Is(err, ErrBusy) && !errors.Is(err, ErrReplaced) {
			return err
		}
		if n == 3 {
			fmt.Println("begun")
		}
	}
}

// lookAtPairs reads what both stores have, in the one a hundred and in the other
// three hundred times.
func lookAtPairs(ctx context.Context, s *Store) error {
	t, err := s.Totals(ctx, "")
	if err != nil {
		return err
	}
	list, err := s.ListObservations(ctx, memory.Filter{}, memory.Cursor{}, 500)
	if err != nil {
		return err
	}
	// The two reads may have met one store each.
	if len(list) != 100 && len(list) != 300 || t.Observations != 100 && t.Observations != 300 {
		return fmt.Errorf("%d observations, counted %d", len(list), t.Observations)
	}
	return nil
}

// Stores take each other's place while processes open the store, read it and write
// to it: none of them meets a half, and the store is sound at every moment.
func TestRestoresAmongReadersAndWritersHarmNothing(t *testing.T) {
	slow(t)
	path := filepath.Join(t.TempDir(), "data", "cmem.db")
	var backups []string
	for _, n := range []int{100, 200} {
		s := openStore(t, path)
		list := make([]memory.Observation, n)
		for i := range list {
			list[i] = memory.Observation{Title: fmt.Sprint("购物车 ", n, i), Narrative: string(bytes.Repeat([]byte("总价 "), 300))}
		}
		remember(t, s, list...)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		b, err := MakeBackup(t.Context(), path, "", false)
		if err != nil {
			t.Fatal(err)
		}
		backups = append(backups, b.Path)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const children = 3
	ended := make(chan error, children)
	var running []*exec.Cmd
	said := make([]syncedBuffer, children)
	for i := range children {
		c := exec.CommandContext(t.Context(), exe)
		c.Env = append(os.Environ(), childReader+"="+path)
		c.Stdout, c.Stderr = &said[i], os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, c)
		go func() { ended <- c.Wait() }()
	}
	for i := 0; i < children; time.Sleep(10 * time.Millisecond) {
		if said[i].Len() > 0 {
			i++
		}
	}
	for round := range 12 {
		for { // the readers may be in the way for long on a busy machine
			if _, err = RestoreBackup(t.Context(), path, backups[round%2]); !errors.Is(err, ErrBusy) {
				break
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-ended:
			t.Fatalf("round %d: a reader ended: %v", round, err)
		default:
		}
	}
	for _, c := range running {
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	for range running {
		if err := <-ended; err == nil {
			t.Error("a program that was killed ended in order")
		}
	}
	s := openStore(t, path)
	healthy(t, s)
	if n, err := number(t.Context(), s.read, "SELECT count(*) FROM observations"); err != nil || n != 300 {
		t.Errorf("%d observations (%v)", n, err)
	}
}

// syncedBuffer is a buffer that one may look at while another writes to it.
type syncedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncedBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncedBuffer) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Len()
}

// While a store stands still, who has it open commits nothing and nobody else can
// open it, not even to read; afterwards all go on.
func TestAStoreThatStandsStillIsNotWrittenOrOpened(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "cmem.db")
	if err := openStore(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]*syncedBuffer{"writer": {}, "opener": {}}
	start := func(name string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), exe)
		c.Env = append(os.Environ(), fmt.Sprintf("%s=%s:%s", childStore, name, path))
		c.Stdout, c.Stderr = said[name], os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = c.Process.Kill()
			_ = c.Wait()
		})
	}
	grows := func(name string) {
		t.Helper()
		for before := said[name].Len(); said[name].Len() == before; time.Sleep(10 * time.Millisecond) {
			if t.Context().Err() != nil {
				t.Fatal("it never goes on")
			}
		}
	}
	start("writer")
	grows("writer")
	err = standStill(t.Context(), path, func(*lockout) error {
		const moment = 300 * time.Millisecond
		time.Sleep(moment) // what was committed is told by then
		before := said["writer"].Len()
		start("opener")
		time.Sleep(2 * moment)
		if n := said["writer"].Len(); n != before {
			t.Error("somebody wrote to it")
		}
		if said["opener"].Len() > 0 {
			t.Error("somebody opened it and wrote to it")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	grows("writer")
	grows("opener")
}
