//go:build unix

package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// buildVersion builds cmem of a version into path.
func buildVersion(t *testing.T, path, version string) {
	t.Helper()
	cmd := exec.Command("go", "build", "-ldflags", "-X main.version="+version, "-o", path, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build version %s: %v\n%s", version, err, out)
	}
}

// TestAnUpgradeWhileWorkerAndBrowserRunIsTakenOver renames another build over the
// program: the old worker finishes and leaves, the new one goes on, and the browser
// stays what it was until it is left.
func TestAnUpgradeWhileWorkerAndBrowserRunIsTakenOver(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program once more")
	}
	t.Parallel()
	h := newMachine(t, "CMEM_WORKER_IDLE=30s")
	h.exe = filepath.Join(h.dir, "bin", "cmem")
	must(t, os.Mkdir(filepath.Dir(h.exe), 0o700))
	program, err := os.ReadFile(binary)
	must(t, err)
	must(t, os.WriteFile(h.exe, program, 0o700)) //nolint:gosec // a program
	buildVersion(t, h.exe+".new", "2.0.0")
	accepted := map[string]bool{}
	call := func(session, id string) {
		h.hook(edit(session, id), "hook")
		accepted[id] = true
	}
	runs := func(version string) bool {
		var st struct {
			Running bool
			Version string
		}
		if err := json.Unmarshal([]byte(h.run("worker", "status", "--json")), &st); err != nil {
			t.Fatal(err)
		}
		return st.Running && st.Version == version
	}
	call("before", "toolu_before")
	h.hook(turn("before", "Stop"), "hook")
	until(t, "the first version's worker has stored the event", func() bool { return runs("dev") && h.has("toolu_before") })
	browser := h.browse()
	browser.shows("toolu_before")
	must(t, os.Rename(h.exe+".new", h.exe))
	for n := range 5 {
		call("after", fmt.Sprintf("toolu_after_%d", n))
	}
	h.hook(turn("after", "Stop"), "hook")
	until(t, "the second version's worker has stored what came after", func() bool {
		if !h.has("toolu_after_4") {
			return false
		}
		if !runs("2.0.0") { // the last event may have been the old one's; the next hook starts the new one
			call("more", fmt.Sprintf("toolu_more_%d", len(accepted)))
			return false
		}
		return true
	})
	until(t, "the first version's worker has left", func() bool { return len(h.workers()) == 1 })
	browser.shows("toolu_after")
	browser.quits()
	if out := h.run("--version"); !strings.Contains(out, "2.0.0") {
		t.Errorf("the program is %q", out)
	}
	h.run("worker", "stop")
	h.vars = nil
	h.holds(accepted)
}

// TestABrowserWhoseStoreIsRemovedSaysSoAndEndsInOrder removes the data directory under it.
func TestABrowserWhoseStoreIsRemovedSaysSoAndEndsInOrder(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"removed", "moved"} {
		t.Run(how, func(t *testing.T) {
			h := newMachine(t)
			h.deliver(map[string]bool{}, "gone", 5)
			h.settle()
			browser := h.browse()
			browser.shows("toolu_gone")
			if how == "moved" {
				must(t, os.Rename(h.data(), filepath.Join(h.dir, "away")))
			} else {
				must(t, os.RemoveAll(h.data()))
			}
			browser.types("jkP")
			browser.shows("removed or replaced")
			browser.types("/checkout\r") // what was read before can still be read
			browser.shows("Search · all projects")
			browser.quits()
			if how == "removed" {
				if _, err := os.Stat(filepath.Join(h.data(), "cmem.db")); err == nil {
					t.Error("the browser made the store again")
				}
			}
		})
	}
}
