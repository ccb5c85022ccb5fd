package store

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

// childStore, in the environment, makes the test binary write events into the
// store at that path until it is killed. The name before the path is its own.
const childStore = "CMEM_TEST_CHILD_STORE"

func TestMain(m *testing.M) {
	if spec := os.Getenv(childStore); spec != "" {
		if err := writeForEver(spec); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// writeForEver stores batches of events and tells, for each that is committed,
// how many events there are by now.
func writeForEver(spec string) error {
	name, path, _ := strings.Cut(spec, ":")
	s, err := Open(context.Background(), path)
	if err != nil {
		return err
	}
	for n := 0; ; {
		events := make([]memory.Event, 20)
		for i := range events {
			events[i] = memory.Event{
				ID: fmt.Sprintf("%s-%08d", name, n), SessionID: name, Project: webshop, Name: memory.EventPostToolUse, CreatedAt: noon, Raw: []byte("{}"),
			}
			n++
		}
		if _, err := s.AddEvents(context.Background(), events); err != nil {
			return err
		}
		fmt.Println(n)
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
	for i := range children {
		c := exec.CommandContext(t.Context(), exe)
		c.Env = append(os.Environ(), fmt.Sprintf("%s=child%d:%s", childStore, i, path))
		c.Stdout, c.Stderr = &said[i], os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		running[i] = c
	}
	// Reading goes on until every child has committed something, a moment for the
	// slowest machine.
	deadline := time.Now().Add(time.Minute)
	for sessions := 0; sessions < children; {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d writers have written", sessions, children)
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
		_ = c.Wait() // says that it was killed
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
