package main_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cmem/hooks/spool"
)

// TestAHookKilledAtAnyPointLosesNothingThatItAccepted holds that an event is
// either in the spool whole or not at all, and that it is there when the hook
// ended by itself.
func TestAHookKilledAtAnyPointLosesNothingThatItAccepted(t *testing.T) {
	t.Parallel()
	rng, rounds := chance(t, 120)
	h := newMachine(t)
	release := h.holdWorker()
	sent := map[string][]byte{}
	ended, killed := map[string]bool{}, 0
	var usual [2]time.Duration // how long a hook takes that is left alone, with a small and a large payload
	for n := range rounds {
		id, kind, size := fmt.Sprintf("toolu_%d", n), 0, 1+rng.IntN(4<<10)
		if n%4 == 1 {
			kind, size = 1, 2<<20
		}
		sent[id] = call("killed", id, strings.Repeat("x", size))
		cmd := h.command("hook")
		cmd.Stdin = bytes.NewReader(sent[id])
		begin := time.Now()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if usual[kind] > 0 {
			time.Sleep(time.Duration(rng.Int64N(int64(usual[kind]))))
			_ = cmd.Process.Kill() // it may have ended
		}
		_ = cmd.Wait() // it may have been killed
		if cmd.ProcessState.Success() {
			ended[id] = true
			usual[kind] = min(cmp.Or(usual[kind], soon), time.Since(begin))
		} else {
			killed++
		}
	}
	if rounds > 20 && (killed == 0 || len(ended) < 3) {
		t.Errorf("%d hooks were killed and %d ended by themselves: the test does not test", killed, len(ended))
	}
	accepted := map[string]bool{}
	for _, name := range h.waiting() {
		raw, err := spool.Read(filepath.Join(h.data(), "spool"), name)
		if err != nil {
			t.Fatal(err)
		}
		var e struct {
			ID string `json:"tool_use_id"`
		}
		if err := json.Unmarshal(raw, &e); err != nil || !bytes.Equal(raw, sent[e.ID]) {
			t.Errorf("event %s waits with %d bytes and not as it was sent: %v", name, len(raw), err)
		}
		if accepted[e.ID] {
			t.Errorf("tool call %s waits twice", e.ID)
		}
		accepted[e.ID] = true
	}
	for id := range ended {
		if !accepted[id] {
			t.Errorf("tool call %s: its hook ended by itself and it does not wait in the spool", id)
		}
	}
	t.Logf("%d killed, %d ended by themselves, %d accepted", killed, len(ended), len(accepted))
	release()
	h.holds(accepted)
}

// TestAWorkerKilledAtAnyPointLosesAndDoublesNothing kills workers while they
// start, drain, group, compress and leave.
func TestAWorkerKilledAtAnyPointLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	rng, rounds := chance(t, 25)
	h := newMachine(t)
	accepted := map[string]bool{}
	killed := 0
	for round := range rounds {
		session := fmt.Sprintf("session-%d", round/4)
		for n := range 1 + rng.IntN(3) {
			id := fmt.Sprintf("toolu_%d_%d", round, n)
			h.hook(edit(session, id), "hook")
			accepted[id] = true
		}
		if round%4 == 3 {
			h.hook(turn(session, "Stop"), "hook")
		}
		time.Sleep(time.Duration(rng.IntN(250)) * time.Millisecond)
		for _, p := range h.workers() {
			if p.Kill() == nil {
				killed++
			}
		}
		// The marks of a worker that is about to come, and of two that died one after the
		// other, would keep the next hooks from starting one.
		for _, mark := range []string{spool.StartingFile, spool.RestingFile} {
			if err := os.Remove(filepath.Join(h.data(), mark)); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
	}
	if killed < rounds/5 {
		t.Errorf("%d workers were there to be killed in %d rounds: the test does not test", killed, rounds)
	}
	t.Logf("killed %d workers", killed)
	h.holds(accepted)
	if n, kept := h.query("SELECT count(*) FROM observations"), h.query("SELECT count(DISTINCT session_id || title || narrative) FROM observations"); n == 0 || n != kept {
		t.Errorf("%d observations, %d different ones", n, kept)
	}
}
