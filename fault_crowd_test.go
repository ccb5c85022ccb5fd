package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"cmem/hooks/spool"
)

// TestTwoHundredSessionsAtTheSameTimeAreKeptApart has them all prompt, work and stop at once.
func TestTwoHundredSessionsAtTheSameTimeAreKeptApart(t *testing.T) {
	if testing.Short() {
		t.Skip("takes several seconds")
	}
	t.Parallel()
	const sessions = 200
	h := newMachine(t)
	accepted := map[string]bool{}
	for n := range sessions {
		accepted[fmt.Sprintf("toolu_%d", n)] = true
	}
	each := func(payload func(session string, n int) []byte) {
		var wg sync.WaitGroup
		for n := range sessions {
			wg.Go(func() {
				if out, stderr := h.hook(payload(fmt.Sprintf("session-%d", n), n), "hook"); out != "" || stderr != "" {
					t.Errorf("the hook printed %q and %q", out, stderr)
				}
			})
		}
		wg.Wait()
	}
	each(func(session string, _ int) []byte { return turn(session, "UserPromptSubmit") })
	each(func(session string, n int) []byte { return edit(session, fmt.Sprintf("toolu_%d", n)) })
	each(func(session string, _ int) []byte { return turn(session, "Stop") })
	h.holds(accepted)
	for what, query := range map[string]string{
		"sessions":                         "SELECT count(*) FROM sdk_sessions",
		"prompts, each in its session":     "SELECT count(*) FROM user_prompts WHERE prompt_text LIKE '% of ' || session_id",
		"sessions with a memory of theirs": "SELECT count(DISTINCT session_id) FROM observations WHERE title LIKE '%toolu_' || substr(session_id, 9) || '.go%'",
		"sessions with a summary":          "SELECT count(DISTINCT session_id) FROM session_summaries",
	} {
		if got := h.query(query); got != sessions {
			t.Errorf("%d %s, want %d", got, what, sessions)
		}
	}
}

// TestAFullSpoolIsDrainedWhileHooksGoOn lets many events wait, as after days without a
// worker: hooks end in order meanwhile, and status shows how far it is.
func TestAFullSpoolIsDrainedWhileHooksGoOn(t *testing.T) {
	if testing.Short() {
		t.Skip("takes several seconds")
	}
	t.Parallel()
	many := 10_000
	if os.Getenv(faultFull) == "1" {
		many = 100_000
	}
	h := newMachine(t)
	dir := filepath.Join(h.data(), "spool")
	begin := time.Now().Add(-24 * time.Hour)
	for n := range many {
		session := fmt.Sprintf("session-%d", n/500)
		if err := spool.DeliverAs(dir, spool.NameAt(begin.Add(time.Duration(n)*time.Millisecond), n), call(session, fmt.Sprintf("toolu_%d", n), "ok 好")); err != nil {
			t.Fatal(err)
		}
	}
	var between, hooks int
	var slowest time.Duration
	for end := time.Now().Add(10 * time.Minute); ; {
		start := time.Now()
		id := fmt.Sprintf("toolu_late_%d", hooks)
		if out, stderr := h.hook(call("late", id, "ok"), "hook"); out != "" || stderr != "" {
			t.Errorf("the hook printed %q and %q", out, stderr)
		}
		slowest = max(slowest, time.Since(start))
		hooks++
		var st struct{ Waiting int }
		if err := json.Unmarshal([]byte(h.run("status", "--json")), &st); err != nil {
			t.Fatal(err)
		}
		if st.Waiting > hooks && st.Waiting < many {
			between++
		}
		if st.Waiting <= hooks && len(h.waiting()) < 100 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d events still wait", st.Waiting)
		}
		time.Sleep(200 * time.Millisecond)
	}
	t.Logf("%d hooks meanwhile, the slowest took %s", hooks, slowest.Round(time.Millisecond))
	if slowest > 10*time.Second {
		t.Errorf("a hook took %s", slowest)
	}
	if between == 0 {
		t.Error("status did not show any progress")
	}
	h.settle()
	if got, want := h.query("SELECT count(*) FROM events"), many+hooks; got != want {
		t.Errorf("%d events in the store, want %d", got, want)
	}
	if got, want := h.query("SELECT count(DISTINCT tool_use_id) FROM events"), many+hooks; got != want {
		t.Errorf("%d different events in the store, want %d", got, want)
	}
	h.sound()
}
