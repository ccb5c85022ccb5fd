package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cmem/memory"
)

// childStore, in the environment, makes the test binary write events into the
// store at that path until it is killed. The name before the path is its own.
const childStore = "CMEM_TEST_CHILD_STORE"

func TestMain(m *testing.M) {
	if path := os.Getenv(childMigration); path != "" {
		s, err := open(context.Background(), path, slowSchema())
		for isBusy(err) { // as the worker does: on a slow machine the other takes long
			s, err = open(context.Background(), path, slowSchema())
		}
		if err == nil {
			err = s.Close()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if path := os.Getenv(childReader); path != "" {
		if err := readForEver(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if spec := os.Getenv(childStore); spec != "" {
		if err := writeForEver(spec); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// writeForEver stores batches of events and tells, for each that is committed,
// how many events there are by now. Like the worker it tries again when others
// write for longer than it waits, as they may on a busy machine.
func writeForEver(spec string) error {
	name, path, _ := strings.Cut(spec, ":")
	var s *Store
	err := untilFree(func() (err error) {
		s, err = Open(context.Background(), path)
		return err
	})
	if err != nil {
		return err
	}
	for n := 0; ; {
		events := make([]memory.Event, 20)
		for i := range events {
			events[i] = memory.Event{
				ID: fmt.Sprintf("%s-%08d", name, n), SessionID: name, Project: webshop, Name: memory.EventPostToolUse, CreatedAt: noon, Raw: fmt.Appendf(nil, `{"n":%d}`, n),
			}
			n++
		}
		err := untilFree(func() error {
			_, err := s.AddEvents(context.Background(), events)
			return err
		})
		if err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// untilFree does f again as long as it finds the store busy.
func untilFree(f func() error) error {
	for {
		if err := f(); !errors.Is(err, ErrBusy) {
			return err
		}
	}
}

// Processes write at once and are killed in the middle of it; others read all
// the while. What was committed is there, nothing is there by half.
func TestKilledWritersLoseNothingThatWasCommitted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "cmem.db")
	s := openStore(t, path)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const children = 3
	var said [children]strings.Builder
	var running [children]*exec.Cmd
	ended := make(chan error, children)
	for i := range children {
		c := exec.CommandContext(t.Context(), exe)
		c.Env = append(os.Environ(), fmt.Sprintf("%s=child%d:%s", childStore, i, path))
		c.Stdout, c.Stderr = &said[i], os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		running[i] = c
		go func() { ended <- c.Wait() }()
	}
	// Reading goes on until every child has committed something, however long
	// that takes on a busy machine.
	for sessions := 0; sessions < children; {
		select {
		case err := <-ended:
			t.Fatalf("a writer ended by itself: %v", err)
		default:
		}
		ro, err := OpenReadOnly(t.Context(), path)
		if err != nil {
			t.Fatalf("open while others write: %v", err)
		}
		totals, err := ro.Totals(t.Context(), "")
		if err != nil {
			t.Fatalf("read while others write: %v", err)
		}
		if totals.Events%20 != 0 {
			t.Fatalf("%d events: half a transaction is visible", totals.Events)
		}
		sessions = totals.Sessions
		if err := ro.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range running {
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	for range running {
		if err := <-ended; err == nil {
			t.Error("a writer ended by itself")
		}
	}

	for i := range children {
		lines := strings.Fields(said[i].String())
		committed := 0
		if len(lines) > 0 {
			if _, err := fmt.Sscan(lines[len(lines)-1], &committed); err != nil {
				t.Fatal(err)
			}
		}
		n, err := number(t.Context(), s.read, "SELECT count(*) FROM events WHERE session_id = ?", fmt.Sprint("child", i))
		if err != nil {
			t.Fatal(err)
		}
		// It may have been killed after the commit and before it could say so.
		if int(n) < committed || n%20 != 0 {
			t.Errorf("child %d committed %d events, %d are there", i, committed, n)
		}
	}
	if found, err := s.Check(t.Context()); err != nil || len(found) != 0 {
		t.Errorf("findings %+v (%v)", found, err)
	}
}
