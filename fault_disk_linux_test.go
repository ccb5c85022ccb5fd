package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/hooks/spool"
)

// waitingCalls gives the tool calls that wait in the spool.
func (h *machine) waitingCalls() map[string]bool {
	h.t.Helper()
	found := map[string]bool{}
	for _, name := range h.waiting() {
		raw, err := spool.Read(filepath.Join(h.data(), "spool"), name)
		if err != nil {
			h.t.Fatal(err)
		}
		var e struct {
			ID string `json:"tool_use_id"`
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			h.t.Errorf("event %s waits by half: %v", name, err)
		}
		if e.ID != "" {
			found[e.ID] = true
		}
	}
	return found
}

func TestAFullDiskCostsTheHooksNothingAndWhatWasAcceptedIsStored(t *testing.T) {
	t.Parallel()
	if !withOwnMounts(t) {
		return
	}
	h := newMachine(t)
	d := mountDisk(t, h.data(), "64m")
	h.hook(edit("full", "toolu_before"), "hook")
	h.hook(turn("full", "Stop"), "hook")
	h.settle()
	accepted := map[string]bool{"toolu_before": true}
	release := h.holdWorker()
	// Until nothing goes in any more, with payloads of several sizes.
	d.fill(300 << 10)
	lost := 0
	for n := range 60 {
		id := fmt.Sprintf("toolu_%d", n)
		out, stderr := h.hook(call("full", id, strings.Repeat("x", 1+n*977)), "hook")
		if out != "" || stderr != "" {
			t.Errorf("the hook printed %q and %q", out, stderr)
		}
		if n == 40 {
			d.fill(0)
		}
		if !h.waitingCalls()[id] {
			lost++
		} else {
			accepted[id] = true
		}
	}
	if lost < 10 || len(accepted) < 3 {
		t.Errorf("%d events were lost and %d accepted: the test does not test", lost, len(accepted))
	}
	out, _ := h.hook(turn("next", "SessionStart"), "hook")
	answersWhole(t, out)
	if !strings.Contains(out, "cmem cannot write to") {
		t.Errorf("the person is not told: %q", out)
	}
	if tmp, err := os.ReadDir(filepath.Join(h.data(), "spool", "tmp")); err != nil || len(tmp) > 0 {
		t.Errorf("%d files of events that were not accepted are left, %v", len(tmp), err)
	}
	if i := slices.IndexFunc(h.doctor(), func(d diagnosis) bool { return d.Name == "writing" && !d.OK }); i < 0 {
		t.Error("doctor does not say that nothing can be written")
	}
	// The worker has no space either: it keeps what waits, and says so.
	release()
	if said := h.fails("worker", "run"); !strings.Contains(said, "full") && !strings.Contains(said, "space") {
		t.Errorf("the worker says %q", said)
	}
	for id := range accepted {
		if id != "toolu_before" && !h.waitingCalls()[id] && h.query("SELECT count(*) FROM events WHERE tool_use_id = '"+id+"'") != 1 {
			t.Errorf("tool call %s is neither in the spool nor in the store", id)
		}
	}
	d.empty()
	h.hook(edit("full", "toolu_after"), "hook")
	accepted["toolu_after"] = true
	h.holds(accepted)
}

// TestADiskThatFillsWhileTheWorkerWritesKeepsTheStoreWhole leaves room for a part of
// the way: the log of the database, its checkpoint, or neither. A worker that is there
// goes on by itself when there is space again.
func TestADiskThatFillsWhileTheWorkerWritesKeepsTheStoreWhole(t *testing.T) {
	t.Parallel()
	if !withOwnMounts(t) {
		return
	}
	failed := 0
	for _, room := range []int64{0, 40 << 10, 300 << 10} {
		t.Run(fmt.Sprint(room), func(t *testing.T) {
			h := newMachine(t)
			d := mountDisk(t, h.data(), "64m")
			accepted := map[string]bool{}
			h.deliver(accepted, "first", 20)
			h.settle()
			h.deliver(accepted, "second", 250)
			d.fill(room)
			h.vars = []string{"CMEM_WORKER_IDLE=3s"}
			worker := h.command("worker", "run")
			must(t, worker.Start())
			ended := make(chan struct{})
			go func() { _ = worker.Wait(); close(ended) }() // it may fail
			select {
			case <-ended:
			case <-time.After(1500 * time.Millisecond):
			}
			if len(h.waiting()) > 0 {
				failed++
			}
			d.empty()
			select {
			case <-ended: // it had not even room to open the store
			default:
				until(t, "the worker has stored what waited", func() bool { return len(h.waiting()) == 0 })
				h.run("worker", "stop")
				<-ended
			}
			h.vars = nil
			h.holds(accepted)
		})
	}
	if failed == 0 {
		t.Error("the worker always had room: the test does not test")
	}
}

// TestACheckpointOnAFullDiskLosesNothing has a reader keep the log from being folded
// into the database, and no room for it when the reader is gone.
func TestACheckpointOnAFullDiskLosesNothing(t *testing.T) {
	t.Parallel()
	if !withOwnMounts(t) {
		return
	}
	h := newMachine(t)
	d := mountDisk(t, h.data(), "64m")
	accepted := map[string]bool{}
	h.deliver(accepted, "first", 5)
	h.settle()
	reader := h.open("rw")
	defer reader.Close() //nolint:errcheck // nothing is written
	if _, err := reader.Exec("BEGIN; SELECT count(*) FROM events"); err != nil {
		t.Fatal(err)
	}
	h.deliver(accepted, "second", 200)
	h.run("worker", "run")
	if info, err := os.Stat(filepath.Join(h.data(), "cmem.db-wal")); err != nil || info.Size() < 100<<10 {
		t.Fatalf("the log is not there: the test does not test: %v", err)
	}
	d.fill(0)
	// The last to close the database makes the checkpoint, and has no room for it.
	if err := reader.Close(); err != nil {
		t.Logf("closing the reader: %v", err)
	}
	if said, code := h.runs("timeline", "--limit", "1"); code != 0 && !strings.Contains(said, "full") && !strings.Contains(said, "space") {
		t.Errorf("timeline says %q", said)
	}
	d.empty()
	h.holds(accepted)
}

func TestAnExportToAFullDiskSaysSoAndLeavesNoHalfFile(t *testing.T) {
	t.Parallel()
	if !withOwnMounts(t) {
		return
	}
	h := newMachine(t)
	h.deliver(map[string]bool{}, "exported", 120)
	h.settle()
	out := filepath.Join(t.TempDir(), "out")
	d := mountDisk(t, out, "1m")
	file, old := filepath.Join(out, "memory.md"), []byte("what was exported before\n")
	if err := os.WriteFile(file, old, 0o600); err != nil {
		t.Fatal(err)
	}
	d.fill(0)
	for _, args := range [][]string{
		{"export", "-o", file}, {"export", "--format", "json", "-o", filepath.Join(out, "new.jsonl")},
		{"export", "--dir", filepath.Join(out, "notes")},
	} {
		if said := h.fails(args...); !strings.Contains(said, "no space left") || !strings.Contains(said, out) {
			t.Errorf("cmem %v says %q", args, said)
		}
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, old) {
		t.Errorf("the export from before is now %q, %v", got, err)
	}
	err := filepath.WalkDir(out, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && path != file && path != d.ballast() {
			t.Errorf("a half file is left: %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	d.empty()
	h.run("export", "-o", file)
	if got, err := os.ReadFile(file); err != nil || !strings.Contains(string(got), "checkout") {
		t.Errorf("with space again: %d bytes, %v", len(got), err)
	}
}

func TestABackupToAFullDiskSaysSoAndLeavesNoHalfFile(t *testing.T) {
	t.Parallel()
	if !withOwnMounts(t) {
		return
	}
	h := newMachine(t)
	accepted := map[string]bool{}
	h.deliver(accepted, "kept", 120)
	h.settle()
	out := filepath.Join(t.TempDir(), "out")
	d := mountDisk(t, out, "64m")
	file, old := filepath.Join(out, "old.db"), []byte("another backup")
	must(t, os.WriteFile(file, old, 0o600))
	d.fill(64 << 10)
	for _, args := range [][]string{{"backup", filepath.Join(out, "new.db")}, {"backup", "--force", file}} {
		if said := h.fails(args...); !strings.Contains(said, "free") && !strings.Contains(said, "full") && !strings.Contains(said, "space") || !strings.Contains(said, out) {
			t.Errorf("cmem %v says %q", args, said)
		}
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, old) {
		t.Errorf("the file from before is now %q, %v", got, err)
	}
	if left, err := os.ReadDir(out); err != nil || len(left) != 2 {
		t.Errorf("half files are left: %v, %v", left, err)
	}
	d.empty()
	h.run("backup", "--force", file)
	h.run("restore", file)
	h.holds(accepted)
}

// TestAMigrationWithoutSpaceLeavesTheStoreAsItWas holds that a store of the first version is
// read and left as it is when neither its backup nor the change has room, and that hooks go on.
func TestAMigrationWithoutSpaceLeavesTheStoreAsItWas(t *testing.T) {
	t.Parallel()
	if !withOwnMounts(t) {
		return
	}
	for _, room := range []int64{32 << 10, 1 << 20} {
		t.Run(fmt.Sprint(room), func(t *testing.T) {
			h := newMachine(t)
			d := mountDisk(t, h.data(), "64m")
			h.oldStore([]string{"store/migrations/0001_store.sql"})
			before := sum(t, h.db())
			d.fill(room)
			release := h.holdWorker()
			if out, stderr := h.hook(edit("new", "toolu_new"), "hook"); out != "" || stderr != "" {
				t.Errorf("the hook printed %q and %q", out, stderr)
			}
			release()
			if said, code := h.runs("worker", "run"); code != 1 || !strings.Contains(said, "free") && !strings.Contains(said, "full") && !strings.Contains(said, "space") {
				t.Errorf("exit code %d, the worker says %q", code, said)
			}
			if !bytes.Equal(sum(t, h.db()), before) {
				t.Error("the store is not as it was")
			}
			d.empty()
			h.holds(map[string]bool{"toolu_old": true, "toolu_new": true})
		})
	}
}

// TestAReadOnlyDataDirectoryDisturbsNobody holds that hooks end in order, that what is
// remembered can be read, and that all goes on when the directory can be written.
func TestAReadOnlyDataDirectoryDisturbsNobody(t *testing.T) {
	t.Parallel()
	if !withOwnMounts(t) {
		return
	}
	h := newMachine(t)
	d := mountDisk(t, h.data(), "64m")
	accepted := map[string]bool{}
	h.deliver(accepted, "before", 10)
	h.settle()
	h.deliver(accepted, "waiting", 10)
	d.readOnly(true)
	for _, event := range []string{"UserPromptSubmit", "Stop", "SessionEnd"} {
		if out, stderr := h.hook(turn("ro", event), "hook"); out != "" || stderr != "" {
			t.Errorf("%s: the hook printed %q and %q", event, out, stderr)
		}
	}
	out, _ := h.hook(turn("ro", "SessionStart"), "hook")
	answersWhole(t, out)
	if !strings.Contains(out, "cmem cannot write to") {
		t.Errorf("the person is not told: %q", out)
	}
	if said := h.fails("worker", "run"); !strings.Contains(said, "read-only") {
		t.Errorf("the worker says %q", said)
	}
	if i := slices.IndexFunc(h.doctor(), func(d diagnosis) bool { return d.Name == "writing" && !d.OK }); i < 0 {
		t.Error("doctor does not say that nothing can be written")
	}
	if out := h.run("search", "checkout"); !strings.Contains(out, "#1") {
		t.Errorf("search finds %q", out)
	}
	d.readOnly(false)
	h.holds(accepted)
}
