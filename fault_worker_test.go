package main_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"cmem/hooks/spool"
)

// deliver puts tool calls of a session into the spool as hooks do, without a
// process for each, and notes them as accepted.
func (h *machine) deliver(accepted map[string]bool, session string, n int) {
	h.t.Helper()
	for i := range n {
		id := fmt.Sprintf("toolu_%s_%d", session, i)
		if _, err := spool.Deliver(filepath.Join(h.data(), "spool"), edit(session, id)); err != nil {
			h.t.Fatal(err)
		}
		accepted[id] = true
	}
}

func TestOfTwentyWorkersAtOnceOneWorks(t *testing.T) {
	t.Parallel()
	h := newMachine(t)
	accepted := map[string]bool{}
	h.deliver(accepted, "crowd", 300)
	const workers = 20
	said := make([]string, workers)
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			out, err := h.command("worker", "run").CombinedOutput()
			if err != nil {
				t.Errorf("worker run: %v\n%s", err, out)
			}
			said[i] = string(out)
		})
	}
	wg.Wait()
	turnedAway := 0
	for _, text := range said {
		if strings.Contains(text, "another worker is running") {
			turnedAway++
		}
	}
	// One that is late may find that the first has left.
	if turnedAway < workers/2 {
		t.Errorf("%d of %d workers were told that another is running:\n%s", turnedAway, workers, strings.Join(said, ""))
	}
	h.holds(accepted)
}

// TestAProviderThatNeverAnswersKeepsNobodyWaiting holds that hooks, the draining
// of the spool and the end of the worker do not depend on it.
func TestAProviderThatNeverAnswersKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 100)
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	defer close(over)
	h := newMachine(t, "CMEM_PROVIDER=openai", "CMEM_OPENAI_BASE_URL="+server.URL+"/v1", "CMEM_OPENAI_API_KEY=test", "CMEM_OPENAI_MODEL=silent", "CMEM_WORKER_IDLE=30s")
	accepted := map[string]bool{}
	call := func(id string) {
		h.hook(edit("silent", id), "hook")
		accepted[id] = true
	}
	h.hook(turn("silent", "UserPromptSubmit"), "hook")
	call("toolu_before")
	h.hook(turn("silent", "Stop"), "hook")
	select {
	case <-asked:
	case <-time.After(soon):
		t.Fatal("the provider was not asked: the test does not test")
	}
	for n := range 10 {
		call(fmt.Sprintf("toolu_meanwhile_%d", n))
	}
	if out, _ := h.hook(turn("next", "SessionStart"), "hook"); !strings.Contains(out, "<cmem-context") {
		t.Errorf("a session that starts meanwhile is given %q", out)
	}
	until(t, "the spool was drained", func() bool { return len(h.waiting()) == 0 })
	begin := time.Now()
	h.run("worker", "stop") // fails when it does not leave
	t.Logf("stopped after %s", time.Since(begin).Round(time.Millisecond))
	if len(h.workers()) != 0 {
		t.Error("a worker is left")
	}
	h.vars = nil // the local compressor does the rest
	h.holds(accepted)
}

// TestADatabaseLockedByAnotherProgramIsWaitedFor holds that hooks go on, that the
// worker does not spin, and that all is stored when the other program is done.
func TestADatabaseLockedByAnotherProgramIsWaitedFor(t *testing.T) {
	t.Parallel()
	long := 7 * time.Second // more than a statement waits for a lock
	if text := os.Getenv(faultLock); text != "" {
		seconds, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		long = time.Duration(seconds) * time.Second
	}
	h := newMachine(t)
	accepted := map[string]bool{}
	call := func(id string) {
		h.hook(edit("locked", id), "hook")
		accepted[id] = true
	}
	call("toolu_before")
	h.settle()
	db := h.open("rw")
	defer db.Close() //nolint:errcheck // nothing is written
	if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	var spent time.Duration
	for end, n := time.Now().Add(long), 0; time.Now().Before(end); n++ {
		call(fmt.Sprintf("toolu_meanwhile_%d", n))
		h.hook(turn("locked", "SessionStart"), "hook")
		for _, p := range h.workers() {
			spent = max(spent, processorTime(t, p.Pid))
		}
		time.Sleep(300 * time.Millisecond)
	}
	if n := len(h.waiting()); n < len(accepted)-1 {
		t.Errorf("%d events wait, %d were delivered since the database was locked", n, len(accepted)-1)
	}
	// A worker that starts costs a few tenths; one that spins, all there is.
	if spent > 2*time.Second && spent > long/3 {
		t.Errorf("a worker used %s of processor time while it waited for %s", spent, long)
	}
	if _, err := db.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	h.holds(accepted)
}

// processorTime gives what a process has used of the processor; 0 when it has ended.
func processorTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(b, []byte(") "))
	f := strings.Fields(string(rest))
	if len(f) < 13 {
		return 0
	}
	const perSecond = 100 // ticks, on every Linux that Go knows
	ticks := 0
	for _, field := range f[11:13] {
		n, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / perSecond
}

// TestAClockThatIsWrongLosesNothing delivers as hooks do whose clock was set back
// by a day, forward by a year and to its beginning.
func TestAClockThatIsWrongLosesNothing(t *testing.T) {
	t.Parallel()
	h := newMachine(t)
	dir := filepath.Join(h.data(), "spool")
	accepted := map[string]bool{}
	now := time.Now()
	for name, at := range map[string]time.Time{"back": now.AddDate(0, 0, -1), "forward": now.AddDate(1, 0, 0), "zero": time.Unix(0, 0)} {
		id := "toolu_" + name
		for n, p := range [][]byte{turn(name, "UserPromptSubmit"), edit(name, id), turn(name, "Stop")} {
			if err := spool.DeliverAs(dir, spool.NameAt(at.Add(time.Duration(n)*time.Second), 1), p); err != nil {
				t.Fatal(err)
			}
		}
		accepted[id] = true
	}
	// The files of a worker of the time before the clock was set back.
	future := now.AddDate(1, 0, 0)
	for _, name := range []string{spool.StartingFile, spool.HeartbeatFile} {
		path := filepath.Join(h.data(), name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, future, future); err != nil {
			t.Fatal(err)
		}
	}
	h.hook(edit("now", "toolu_now"), "hook")
	accepted["toolu_now"] = true
	until(t, "the hook's worker has taken all in", func() bool { return len(h.waiting()) == 0 })
	h.holds(accepted)
	if n := h.query("SELECT count(*) FROM user_prompts"); n != 3 {
		t.Errorf("%d prompts, want 3", n)
	}
	for _, name := range []string{"back", "forward", "zero", "now"} {
		if out := h.run("search", "toolu_"+name); !strings.Contains(out, "toolu_"+name) {
			t.Errorf("search for toolu_%s: %q", name, out)
		}
	}
	if out, _ := h.hook(turn("next", "SessionStart"), "hook"); !strings.Contains(out, "<cmem-context") {
		t.Errorf("the next session is given %q", out)
	}
}
