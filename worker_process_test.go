package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"cmem/hooks/spool"
)

// TestEightThousandEventsOfSixteenWritersAreStoredOnce kills the worker while
// sixteen processes at a time deliver.
func TestEightThousandEventsOfSixteenWritersAreStoredOnce(t *testing.T) {
	writers, each := 16, 500
	if testing.Short() {
		each = 20
	}
	h := newMachine(t)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				p := fmt.Sprintf(`{"session_id":"session-%d","cwd":"/home/dev/projects/webshop","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"make %d"},"tool_response":{"stdout":"ok"},"tool_use_id":"toolu_%d_%d"}`+"\n", w, i, w, i)
				h.hook([]byte(p), "hook")
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	kills := 0
	for ticking := true; ticking && kills < 5; {
		select {
		case <-done:
			ticking = false
		case <-time.After(300 * time.Millisecond):
			if h.killWorker() {
				kills++
			}
		}
	}
	<-done
	if kills == 0 {
		t.Error("no worker was there to be killed: the test does not test")
	}
	t.Logf("killed the worker %d times", kills)
	h.settle()
	want := writers * each
	if got := h.query("SELECT count(*) FROM events"); got != want {
		t.Errorf("%d events in the store, want %d", got, want)
	}
	if got := h.query("SELECT count(DISTINCT tool_use_id) FROM events"); got != want {
		t.Errorf("%d different events in the store, want %d", got, want)
	}
	if got := h.query("SELECT count(*) FROM events WHERE batch_id IS NULL"); got != 0 {
		t.Errorf("%d events are in no batch", got)
	}
}

// killWorker kills the worker as a crash would and reports whether there was one.
func (h *machine) killWorker() bool {
	var st struct {
		Running bool
		PID     int
	}
	if err := json.Unmarshal([]byte(h.run("worker", "status", "--json")), &st); err != nil || !st.Running || st.PID == 0 {
		return false
	}
	p, err := os.FindProcess(st.PID)
	if err != nil {
		return false
	}
	return p.Kill() == nil
}

// TestTheHookAfterAKilledWorkerStartsAnother holds that the last events of a
// session do not wait for the next one.
func TestTheHookAfterAKilledWorkerStartsAnother(t *testing.T) {
	h := newMachine(t, "CMEM_WORKER_IDLE=30s")
	h.hook(payload(t, "PostToolUse-Bash"), "hook")
	for deadline := time.Now().Add(30 * time.Second); !h.killWorker(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no worker came")
		}
	}
	time.Sleep(4 * time.Second) // past the time that a worker may take to start; its heartbeat is still fresh
	h.hook(payload(t, "Stop"), "hook")
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if empty, err := spool.Empty(filepath.Join(h.data(), "spool")); err == nil && empty {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the event still waits in the spool")
		}
	}
}

func TestNoProcessIsLeftBehind(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	h := newMachine(t)
	h.hook(payload(t, "PostToolUse-Bash"), "hook")
	h.settle()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		left := processesOf(t, h.dir)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("still running: %v", left)
		}
	}
}

// processesOf gives the cmem processes whose HOME is dir, and checks that the
// host's keys are not in their environment.
func processesOf(t testing.TB, dir string) []string {
	t.Helper()
	environs, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, path := range environs {
		b, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(b, []byte("HOME="+dir+"\x00")) {
			continue
		}
		if exe, err := os.Readlink(filepath.Join(filepath.Dir(path), "exe")); err == nil && filepath.Base(strings.TrimSuffix(exe, " (deleted)")) == "cmem" {
			found = append(found, path)
		}
	}
	return found
}

func TestTheWorkerDoesNotSeeTheHostsKeys(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	h := newMachine(t, "ANTHROPIC_API_KEY=sk-ant-test", "CLAUDE_CODE_MESSAGING_TOKEN=t", "CMEM_WORKER_IDLE=20s")
	h.hook(payload(t, "PostToolUse-Bash"), "hook")
	var workers []string
	for deadline := time.Now().Add(20 * time.Second); len(workers) == 0 && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		workers = processesOf(t, h.dir)
	}
	if len(workers) == 0 {
		t.Fatal("no worker was started")
	}
	f, err := os.Open(workers[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // opened for reading
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"ANTHROPIC_API_KEY", "MESSAGING_TOKEN"} {
		if bytes.Contains(b, []byte(secret)) {
			t.Errorf("the worker's environment holds %s", secret)
		}
	}
}

// A host that waits for the end of a pipe which a hook had inherited waits for the
// hook, not for the worker.
func TestTheWorkerInheritsNoFilesOfTheHost(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	h := newMachine(t, "CMEM_WORKER_IDLE=20s")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() //nolint:errcheck // opened for reading
	cmd := h.command("hook")
	cmd.Stdin = bytes.NewReader(payload(t, "PostToolUse-Bash"))
	cmd.ExtraFiles = []*os.File{w}
	if err := errors.Join(cmd.Run(), w.Close()); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); len(processesOf(t, h.dir)) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no worker was started")
		}
	}
	if err := r.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the pipe is still held: %v", err)
	}
	if len(processesOf(t, h.dir)) == 0 {
		t.Error("the worker had left, so that the pipe tells nothing")
	}
}
