package store

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

// eraseAll has what is to be erased erased.
func eraseAll(t *testing.T, s *Store) {
	t.Helper()
	for range 100 {
		done, err := s.Housekeep(t.Context(), time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if done {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("housekeeping does not come to an end")
}

// tell stores a session whose every text has the word.
func tell(t *testing.T, s *Store, session, word string) *day {
	t.Helper()
	d := (&day{session: session}).prompt(word+" 请修复", session+"-p1").tool("Edit", session+"-p1").add(memory.EventStop, func(e *memory.Event) {
		e.Raw = fmt.Appendf(nil, `{"last_assistant_message":%q}`, word)
	}).store(t, s)
	b := batchOf(t, s, session)
	if _, err := s.FinishBatch(t.Context(), b.ID, []memory.Observation{{
		SessionID: session, Project: webshop, PromptNumber: 1, Type: memory.TypeChange, Title: word + " title", Narrative: word + " 叙述", CreatedAt: noon,
	}}, memory.BatchDone); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AddSummary(t.Context(), memory.Summary{SessionID: session, Project: webshop, PromptNumber: 1, Request: word, Status: memory.StatusActive, CreatedAt: noon.Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	return d
}

func batchOf(t *testing.T, s *Store, session string) memory.Batch {
	t.Helper()
	if _, err := s.GroupEvents(t.Context(), noon.Add(time.Hour), 0, 60); err != nil {
		t.Fatal(err)
	}
	batches, err := s.PendingBatches(t.Context(), noon.Add(2*time.Hour), 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		if b.SessionID == session {
			return b
		}
	}
	t.Fatalf("session %s has no batch", session)
	return memory.Batch{}
}

func TestAForgottenSessionLeavesNoByteOfItsText(t *testing.T) {
	s := newStore(t)
	tell(t, s, "keep", "hazelnut")
	tell(t, s, "gone", "Falconry")
	optimize(t, s)
	for _, word := range []string{"alconry", "gone-p1"} {
		if !holds(t, s, word) {
			t.Fatalf("%s is not in the file: the test sees nothing", word)
		}
	}
	what := Forgetting{Sessions: []string{"gone", "no such session"}}
	counted, err := s.Forget(t.Context(), what, true)
	if err != nil {
		t.Fatal(err)
	}
	n, err := s.Forget(t.Context(), what, false)
	if err != nil {
		t.Fatal(err)
	}
	if n != counted || n.Sessions != 1 || n.Observations != 1 || n.Summaries != 1 || n.Prompts != 1 || n.Events != 3 || n.Bytes < 100 {
		t.Errorf("forgotten %+v, announced %+v", n, counted)
	}
	eraseAll(t, s)
	for _, word := range []string{"alconry", "gone-p1"} {
		if holds(t, s, word) {
			t.Errorf("%q stands in the file", word)
		}
	}
	if !holds(t, s, "hazelnut") {
		t.Error("what was not to be forgotten is gone, too")
	}
	if again, err := s.Forget(t.Context(), what, false); err != nil || !again.Empty() {
		t.Errorf("forgotten again: %+v, %v", again, err)
	}
	mustBeSound(t, s)
}

func TestAForgottenProjectIsNotListedAnyMore(t *testing.T) {
	s := newStore(t)
	tell(t, s, "gone", "falconry")
	if _, err := s.Forget(t.Context(), Forgetting{Sessions: []string{"gone"}}, false); err != nil {
		t.Fatal(err)
	}
	eraseAll(t, s)
	if all, err := s.Projects(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("projects %+v, %v", all, err)
	}
	if holds(t, s, webshop) {
		t.Error("the project's path stands in the file")
	}
	mustBeSound(t, s)
}

func TestLateEventsDoNotBringAForgottenSessionBack(t *testing.T) {
	s := newStore(t)
	clock := noon.Add(time.Hour)
	s.now = func() time.Time { return clock }
	d := tell(t, s, "gone", "falconry")
	if _, err := s.Forget(t.Context(), Forgetting{Sessions: []string{"gone"}}, false); err != nil {
		t.Fatal(err)
	}
	late := func(at time.Time, name, id string) memory.Event {
		return memory.Event{ID: id, CreatedAt: at, Name: name, SessionID: "gone", Project: webshop, Prompt: "neu", Raw: []byte(`{"falconry":1}`)}
	}
	for what, e := range map[string]memory.Event{
		"the same one":                d.events[1],
		"one from before, of another": late(clock.Add(-time.Minute), memory.EventUserPromptSubmit, "x1"),
		"the end of the turn":         late(clock.Add(time.Minute), memory.EventStop, "x2"),
	} {
		if n, err := s.AddEvents(t.Context(), []memory.Event{e}); err != nil || n != 0 {
			t.Errorf("%s: %d stored, %v", what, n, err)
		}
	}
	if _, err := s.Session(t.Context(), "gone"); err == nil {
		t.Error("the session is back")
	}
	// The person goes on with the session: that is new.
	next := []memory.Event{late(clock.Add(2*time.Minute), memory.EventUserPromptSubmit, "x3"), late(clock.Add(3*time.Minute), memory.EventStop, "x4")}
	if n, err := s.AddEvents(t.Context(), next); err != nil || n != 2 {
		t.Errorf("the next turn: %d stored, %v", n, err)
	}
	mustBeSound(t, s)
}

func TestAForgottenObservationTakesItsRawEventsAndSummaryAlong(t *testing.T) {
	s := newStore(t)
	tell(t, s, "s1", "falconry")
	list, err := s.SessionObservations(t.Context(), "s1")
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	prompts, err := s.SessionPrompts(t.Context(), "s1")
	if err != nil || len(prompts) != 1 {
		t.Fatal(prompts, err)
	}
	n, err := s.Forget(t.Context(), Forgetting{Refs: []memory.Ref{{Kind: memory.KindObservation, ID: list[0].ID}}}, false)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Forgotten{Observations: 1, Summaries: 1, Events: 3, Bytes: n.Bytes}); n != want {
		t.Errorf("forgotten %+v, want %+v", n, want)
	}
	if due, err := s.SessionsDue(t.Context(), 10); err != nil || len(due) != 1 {
		t.Errorf("a new summary is due of %d sessions, %v", len(due), err)
	}
	if n, err := s.Forget(t.Context(), Forgetting{Refs: []memory.Ref{{Kind: memory.KindPrompt, ID: prompts[0].ID}}}, false); err != nil || n.Prompts != 1 {
		t.Errorf("forgotten %+v, %v", n, err)
	}
	eraseAll(t, s)
	if holds(t, s, "alconry") {
		t.Error("the word stands in the file")
	}
	mustBeSound(t, s)
}

func TestRawEventsAreScannedAndForgottenOneByOne(t *testing.T) {
	s := newStore(t)
	tell(t, s, "s1", "falconry")
	tell(t, s, "s2", "hazelnut")
	var ids []string
	for e, err := range s.ScanRaw(t.Context(), memory.Filter{Project: webshop}) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(e.Payload), "falconry") {
			ids = append(ids, e.ID)
		}
	}
	if len(ids) != 1 {
		t.Fatalf("found %q", ids)
	}
	if n, err := s.Forget(t.Context(), Forgetting{Events: ids}, false); err != nil || n.Events != 1 {
		t.Errorf("forgotten %+v, %v", n, err)
	}
	for name, f := range map[string]memory.Filter{"session": {SessionID: "s1"}, "project": {Project: "/elsewhere"}, "time": {After: noon.AddDate(0, 0, 1)}} {
		left := 0
		for _, err := range s.ScanRaw(t.Context(), f) {
			if err != nil {
				t.Fatal(err)
			}
			left++
		}
		if want := map[string]int{"session": 2}[name]; left != want {
			t.Errorf("by %s: %d events are left, want %d", name, left, want)
		}
	}
}

func TestForgettingTakesWhatTellsOfTheRawEventsAlong(t *testing.T) {
	for name, what := range map[string]func(*Store, string, int64) Forgetting{
		"an event": func(_ *Store, event string, _ int64) Forgetting { return Forgetting{Events: []string{event}} },
		"a prompt": func(_ *Store, _ string, prompt int64) Forgetting {
			return Forgetting{Refs: []memory.Ref{{Kind: memory.KindPrompt, ID: prompt}}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			// The turn is not stopped: its last tool call has a fingerprint.
			d := (&day{session: "s"}).prompt("请修复", "s-p1").add(memory.EventPostToolUse, func(e *memory.Event) {
				e.ToolName, e.ToolUseID, e.Raw = "Bash", "t1", []byte(`{"x":1}`)
			}).store(t, s)
			b := batchOf(t, s, "s")
			if err := s.RetryBatch(t.Context(), b.ID, "the provider says falconry", noon); err != nil {
				t.Fatal(err)
			}
			if n, err := number(t.Context(), s.read, "SELECT count(*) FROM events WHERE fingerprint IS NOT NULL"); err != nil || n == 0 {
				t.Fatal("no event has a fingerprint: the test sees nothing")
			}
			prompts, err := s.SessionPrompts(t.Context(), "s")
			if err != nil || len(prompts) != 1 {
				t.Fatal(prompts, err)
			}
			for _, e := range d.events {
				if _, err := s.Forget(t.Context(), what(s, e.ID, prompts[0].ID), false); err != nil {
					t.Fatal(err)
				}
			}
			if n, err := number(t.Context(), s.read, "SELECT count(*) FROM events WHERE fingerprint IS NOT NULL OR payload IS NOT NULL"); err != nil || n != 0 {
				t.Errorf("%d events keep their fingerprint or payload", n)
			}
			if n, err := number(t.Context(), s.read, "SELECT count(*) FROM batches WHERE last_error <> ''"); err != nil || n != 0 {
				t.Errorf("%d batches keep what the provider said", n)
			}
			eraseAll(t, s)
			if holds(t, s, "alconry") {
				t.Error("what the provider said stands in the file")
			}
			mustBeSound(t, s)
		})
	}
}

// mustBeSound holds that nothing in the store contradicts anything else.
func mustBeSound(t *testing.T, s *Store) {
	t.Helper()
	found, err := s.Check(t.Context())
	if err != nil || len(found) > 0 {
		t.Errorf("the store is not sound: %+v, %v", found, err)
	}
	if info, err := os.Stat(s.Path()); err != nil || info.Size() == 0 {
		t.Errorf("the store's file: %v", err)
	}
}
