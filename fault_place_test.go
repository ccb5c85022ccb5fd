package main_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestADataDirectoryOfAnyNameWorks runs the main ways on a path that a shell, a URI, a
// glob and a terminal would each take for something else.
func TestADataDirectoryOfAnyNameWorks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not allow most of these characters")
	}
	t.Parallel()
	const name = "my data 数据 'q' \"d\" $HOME `id` 100%20 a?b#c [x]* ; 🎉\nnext"
	for _, by := range []string{"environment", "settings"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			h := newMachine(t)
			if dir := filepath.Join(h.dir, name); by == "settings" {
				// They stand in the usual place, and say where the rest is.
				h.run("config", "set", "data_dir", dir)
				h.moved = dir
			} else {
				h.store = dir
			}
			accepted := map[string]bool{}
			for _, id := range []string{"toolu_1", "toolu_2"} {
				h.hook(edit("place", id), "hook")
				accepted[id] = true
			}
			h.hook(turn("place", "Stop"), "hook")
			h.holds(accepted)
			if out := h.run("search", "checkout"); !strings.Contains(out, "#1") {
				t.Errorf("search finds %q", out)
			}
			if out, _ := h.hook(turn("next", "SessionStart"), "hook"); !strings.Contains(out, "#1") && !strings.Contains(out, "<cmem-context") {
				t.Errorf("the next session is given %q", out)
			}
			h.run("export", "-o", filepath.Join(h.data(), "out.md"))
			out := h.run("status")
			if !strings.Contains(out, "my data 数据 'q'") || strings.Count(out, "\nnext") > 1 {
				t.Errorf("status:\n%s", out)
			}
			if left, err := filepath.Glob(filepath.Join(h.dir, "*.db*")); err != nil || len(left) > 0 {
				t.Errorf("files beside the data directory: %v, %v", left, err)
			}
			if _, err := os.Stat(filepath.Join(h.data(), "cmem.db")); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWithoutAHomeHooksEndInOrderAndCommandsSayWhatToDo(t *testing.T) {
	t.Parallel()
	h := newMachine(t)
	bare := func(vars ...string) func(args ...string) *exec.Cmd {
		return func(args ...string) *exec.Cmd {
			cmd := h.command(args...)
			cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "CMEM_WORKER_IDLE=1s", patience}, vars...)
			if runtime.GOOS == "windows" {
				cmd.Env = append(cmd.Env, "SystemRoot="+os.Getenv("SystemRoot"))
			}
			return cmd
		}
	}
	hook := func(command func(...string) *exec.Cmd, payload []byte) string {
		cmd := command("hook")
		cmd.Stdin = bytes.NewReader(payload)
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		if err := cmd.Run(); err != nil || said.Len() > 0 {
			t.Errorf("hook: %v, %q", err, said.String())
		}
		return out.String()
	}
	homeless := bare()
	for _, p := range [][]byte{edit("s", "toolu_1"), turn("s", "Stop"), turn("s", "SessionStart"), turn("s", "UserPromptSubmit")} {
		if out := hook(homeless, p); out != "" {
			t.Errorf("the hook printed %q", out)
		}
	}
	for _, args := range [][]string{{"status"}, {"search", "x"}, {"doctor"}, {"worker", "run"}, {"install"}, {"mcp"}} {
		cmd := homeless(args...)
		out, err := cmd.CombinedOutput()
		if err == nil || cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "HOME") && !strings.Contains(string(out), "CMEM_DATA_DIR") {
			t.Errorf("cmem %v: %v, says %q", args, err, out)
		}
	}
	if left, err := os.ReadDir(h.dir); err != nil || len(left) > 0 {
		t.Errorf("files were made in the working directory: %v, %v", left, err)
	}
	// With a place for the data all works.
	placed := bare("CMEM_DATA_DIR=" + filepath.Join(h.dir, "data"))
	hook(placed, edit("s", "toolu_1"))
	if out := hook(placed, turn("s", "SessionStart")); !strings.Contains(out, "<cmem-context") {
		t.Errorf("the session is given %q", out)
	}
	for end := time.Now().Add(soon); ; time.Sleep(50 * time.Millisecond) {
		out, err := placed("search", "toolu_1").CombinedOutput()
		if err == nil && bytes.Contains(out, []byte("#1")) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("search: %v, %q", err, out)
		}
	}
	if out, err := placed("worker", "stop").CombinedOutput(); err != nil {
		t.Errorf("worker stop: %v, %s", err, out)
	}
}

// TestADataDirectoryThatIsMovedAwayIsLeftAlone holds that the worker leaves and makes no
// new one in its place, and that the next hook begins anew.
func TestADataDirectoryThatIsMovedAwayIsLeftAlone(t *testing.T) {
	t.Parallel()
	h := newMachine(t, "CMEM_WORKER_IDLE=30s")
	h.hook(edit("old", "toolu_old"), "hook")
	until(t, "the worker has taken the event in", func() bool { return len(h.workers()) == 1 && len(h.waiting()) == 0 && h.has("toolu_old") })
	away := filepath.Join(h.dir, "away")
	if err := os.Rename(h.data(), away); err != nil {
		t.Fatal(err)
	}
	until(t, "the worker has left", func() bool { return len(h.workers()) == 0 })
	if _, err := os.Stat(h.data()); !os.IsNotExist(err) {
		t.Errorf("a data directory was made again: %v", err)
	}
	h.vars = nil
	h.hook(edit("new", "toolu_new"), "hook")
	h.holds(map[string]bool{"toolu_new": true})
	old := &machine{t: t, dir: h.dir, store: away}
	old.holds(map[string]bool{"toolu_old": true})
}

// TestADataDirectoryThatIsRemovedIsBegunAnew removes it while a worker starts, drains and
// waits: what is delivered afterwards is stored all the same.
func TestADataDirectoryThatIsRemovedIsBegunAnew(t *testing.T) {
	t.Parallel()
	h := newMachine(t, "CMEM_WORKER_IDLE=30s")
	var last string
	for round := range 5 {
		h.deliver(map[string]bool{}, "old", 100)
		h.hook(edit("old", "toolu_old"), "hook")
		until(t, "a worker is there", func() bool { return len(h.workers()) > 0 })
		time.Sleep(time.Duration(round) * 60 * time.Millisecond)
		// One that starts may make files meanwhile.
		until(t, "all is removed", func() bool { return os.RemoveAll(h.data()) == nil })
		last = fmt.Sprintf("toolu_new_%d", round)
		h.hook(edit("new", last), "hook")
		until(t, "the event after it is stored", func() bool { return h.has(last) })
	}
	h.run("worker", "stop")
	h.vars = nil
	h.holds(map[string]bool{last: true})
}

// has reports whether the tool call is in the store; a store that is being made has none.
func (h *machine) has(id string) bool {
	h.t.Helper()
	db := h.open("ro")
	defer db.Close() //nolint:errcheck // opened for reading
	n := 0
	err := db.QueryRow("SELECT count(*) FROM events WHERE tool_use_id = ?", id).Scan(&n)
	return err == nil && n > 0
}

// TestADataDirectoryOfAnotherUserDisturbsNobody holds that a hook which may not write there
// ends in order and says nothing to the model.
func TestADataDirectoryOfAnotherUserDisturbsNobody(t *testing.T) {
	t.Parallel()
	h := newMachine(t)
	h.hook(edit("mine", "toolu_mine"), "hook")
	h.settle()
	folders := []string{h.data(), filepath.Join(h.data(), "spool", "new"), filepath.Join(h.data(), "spool", "tmp")}
	for _, dir := range folders {
		must(t, os.Chmod(dir, 0o500)) //nolint:gosec // a folder
	}
	t.Cleanup(func() {
		for _, dir := range folders {
			_ = os.Chmod(dir, 0o700) //nolint:gosec // a folder that goes
		}
	})
	plain := h.plainUser()
	for _, event := range []string{"UserPromptSubmit", "Stop", "SessionEnd", "SessionStart"} {
		cmd := plain("hook")
		cmd.Stdin = bytes.NewReader(turn("ro", event))
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		if err := cmd.Run(); err != nil || said.Len() > 0 {
			t.Errorf("%s: %v, %q", event, err, said.String())
		}
		if event != "SessionStart" && out.Len() > 0 {
			t.Errorf("%s: printed %q", event, out.String())
		}
		if event == "SessionStart" && !strings.Contains(out.String(), "cmem cannot write to") {
			t.Errorf("the person is not told: %q", out.String())
		}
	}
	out, err := plain("doctor", "--json").Output()
	if err == nil || !slices.Contains(strings.Fields(string(out)), `"writing",`) || !strings.Contains(string(out), "permission denied") {
		t.Errorf("doctor: %v\n%s", err, out)
	}
}
