package store

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"cmem/memory"
)

func TestEventsAreGroupedWhenTheirTurnIsOver(t *testing.T) {
	const quiet, limit = time.Minute, 4
	tests := []struct {
		name   string
		events func(d *day) *day
		after  time.Duration // since the last event
		want   []int         // events of each batch, in order
	}{
		{"a running turn waits", func(d *day) *day { return d.prompt("go", "p1").tool("Edit", "p1") }, 0, nil},
		{"Stop ends it", func(d *day) *day { return d.prompt("go", "p1").tool("Edit", "p1").add(memory.EventStop) }, 0, []int{3}},
		{"StopFailure ends it", func(d *day) *day { return d.prompt("go", "p1").add(memory.EventStopFailure) }, 0, []int{2}},
		{"PreCompact ends it", func(d *day) *day { return d.prompt("go", "p1").add(memory.EventPreCompact) }, 0, []int{2}},
		{"SessionEnd ends it", func(d *day) *day { return d.prompt("go", "p1").add(memory.EventSessionEnd) }, 0, []int{2}},
		{"SubagentStop does not", func(d *day) *day { return d.prompt("go", "p1").add(memory.EventSubagentStop) }, 0, nil},
		{"a newer prompt ends it", func(d *day) *day { return d.add(memory.EventSessionStart).prompt("go", "p1").prompt("on", "p2") }, 0, []int{1, 1}},
		{"quiet ends it", func(d *day) *day { return d.prompt("go", "p1").tool("Edit", "p1") }, quiet + time.Second, []int{2}},
		{"a long turn gives whole batches", func(d *day) *day {
			for range 9 {
				d.tool("Edit", "")
			}
			return d
		}, 0, []int{4, 4}},
		{"and the rest at its end", func(d *day) *day {
			for range 9 {
				d.tool("Edit", "")
			}
			return d.add(memory.EventStop)
		}, 0, []int{4, 4, 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore(t)
			d := tt.events(&day{session: "s1"}).store(t, s)
			now := d.events[len(d.events)-1].CreatedAt.Add(tt.after)
			for round, want := range []int{len(tt.want), 0} {
				if n, err := s.GroupEvents(t.Context(), now, quiet, limit); err != nil || n != want {
					t.Fatalf("round %d: %d batches, want %d (%v)", round, n, want, err)
				}
			}
			batches, err := s.PendingBatches(t.Context(), now, 10)
			if err != nil {
				t.Fatal(err)
			}
			var sizes []int
			next := 0
			for _, b := range batches {
				sizes = append(sizes, b.Events)
				if b.Project != webshop || b.State != memory.BatchPending || !b.CreatedAt.Equal(now) {
					t.Errorf("batch %+v", b)
				}
				events, err := s.BatchEvents(t.Context(), b.ID)
				if err != nil || len(events) != b.Events {
					t.Fatalf("batch of %d has %d events (%v)", b.Events, len(events), err)
				}
				for _, e := range events {
					if e.ID != d.events[next].ID || string(e.Payload) != string(d.events[next].Raw) || e.PromptNumber != b.PromptNumber {
						t.Errorf("event %+v in the place of %s", e, d.events[next].ID)
					}
					next++
				}
			}
			if fmt.Sprint(sizes) != fmt.Sprint(tt.want) {
				t.Errorf("batches of %v events, want %v", sizes, tt.want)
			}
		})
	}
}

// oneBatch stores a turn and gives its batch.
func oneBatch(t *testing.T, s *Store, session string) memory.Batch {
	t.Helper()
	(&day{session: session}).prompt("go", "p1").tool("Edit", "p1").add(memory.EventStop).store(t, s)
	if _, err := s.GroupEvents(t.Context(), noon, time.Hour, 10); err != nil {
		t.Fatal(err)
	}
	batches, err := s.PendingBatches(t.Context(), noon, 10)
	if err != nil || len(batches) == 0 {
		t.Fatalf("%d batches (%v)", len(batches), err)
	}
	return batches[len(batches)-1]
}

func finish(t *testing.T, s *Store, b memory.Batch, state memory.BatchState, titles ...string) []memory.Observation {
	t.Helper()
	var list []memory.Observation
	for _, title := range titles {
		list = append(list, memory.Observation{Type: memory.TypeBugfix, Title: title, Narrative: "Because of " + title})
	}
	stored, err := s.FinishBatch(t.Context(), b.ID, list, state)
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

func titles(t *testing.T, s *Store, f memory.Filter) string {
	t.Helper()
	list, err := s.ListObservations(t.Context(), f, memory.Cursor{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]string, len(list))
	for i, o := range list {
		out[len(list)-1-i] = o.Title
	}
	return fmt.Sprintf("%q", out)
}

func TestFinishedBatchFillsInItsObservations(t *testing.T) {
	s := newStore(t)
	b := oneBatch(t, s, "s1")
	o := finish(t, s, b, memory.BatchDone, "fix")[0]
	if o.ID == 0 || len(o.UID) != 36 || o.SessionID != "s1" || o.Project != webshop || o.PromptNumber != 1 || o.BatchID != b.ID ||
		!o.CreatedAt.Equal(b.CreatedAt) || o.Status != memory.StatusActive || o.Scope != memory.ScopeProject || o.Weight != 1 || o.Provisional ||
		o.ContentHash == "" {
		t.Errorf("%+v", o)
	}
	if left, err := s.PendingBatches(t.Context(), noon, 10); err != nil || len(left) != 0 {
		t.Errorf("%d batches are pending (%v)", len(left), err)
	}
}

func TestProvisionalObservationsAreReplaced(t *testing.T) {
	s := newStore(t)
	b := oneBatch(t, s, "s1")
	first := finish(t, s, b, memory.BatchProvisional, "rough", "rough and pinned")
	if !first[0].Provisional {
		t.Error("the stand-in is not marked as provisional")
	}
	mustExec(t, sqliteDB(t, s), fmt.Sprintf("UPDATE observations SET pinned = 1 WHERE id = %d", first[1].ID))
	pending, err := s.PendingBatches(t.Context(), noon, 10)
	if err != nil || len(pending) != 1 || pending[0].State != memory.BatchProvisional {
		t.Fatalf("pending %+v (%v)", pending, err)
	}
	finish(t, s, b, memory.BatchDone, "fine")
	if got := titles(t, s, memory.Filter{}); got != `["rough and pinned" "fine"]` {
		t.Errorf("observations %s", got)
	}
	finish(t, s, b, memory.BatchDone, "more of it")
	if got := titles(t, s, memory.Filter{}); got != `["rough and pinned" "fine" "more of it"]` {
		t.Errorf("final observations went away: %s", got)
	}
}

func TestTheSameIsNotStoredTwiceInASession(t *testing.T) {
	s := newStore(t)
	b := oneBatch(t, s, "s1")
	first := finish(t, s, b, memory.BatchDone, "Fixes the cart")
	again := finish(t, s, b, memory.BatchDone, "fixes  the CART", "修复购物车")
	if len(again) != 2 || again[0].ID != first[0].ID || again[1].ID == first[0].ID {
		t.Errorf("stored %+v, then %+v", first, again)
	}
	finish(t, s, oneBatch(t, s, "s2"), memory.BatchDone, "Fixes the cart")
	if got := titles(t, s, memory.Filter{}); got != `["Fixes the cart" "修复购物车" "Fixes the cart"]` {
		t.Errorf("observations %s", got)
	}
}

func TestFailedBatchWaitsForItsNextAttempt(t *testing.T) {
	s := newStore(t)
	b := oneBatch(t, s, "s1")
	next := noon.Add(10 * time.Minute)
	if err := s.RetryBatch(t.Context(), b.ID, "overloaded\x00", next); err != nil {
		t.Fatal(err)
	}
	if early, err := s.PendingBatches(t.Context(), next.Add(-time.Millisecond), 10); err != nil || len(early) != 0 {
		t.Errorf("%d batches before their time (%v)", len(early), err)
	}
	due, err := s.PendingBatches(t.Context(), next, 10)
	if err != nil || len(due) != 1 || due[0].Attempts != 1 || due[0].LastError != "overloaded\uFFFD" || !due[0].NextAttempt.Equal(next) {
		t.Errorf("%+v (%v)", due, err)
	}
}

func TestUnknownBatchIsNotFound(t *testing.T) {
	s := newStore(t)
	_, finishing := s.FinishBatch(t.Context(), 99, []memory.Observation{{Title: "x"}}, memory.BatchDone)
	retrying := s.RetryBatch(t.Context(), 99, "x", noon)
	for _, err := range []error{finishing, retrying} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("error %v, want ErrNotFound", err)
		}
	}
}

func TestSummaryIsDueAtTheRightMoments(t *testing.T) {
	tests := []struct {
		name   string
		events func(d *day) *day
		want   bool
	}{
		{"not while a turn runs", func(d *day) *day { return d.prompt("go", "p1").tool("Edit", "p1") }, false},
		{"Stop", func(d *day) *day { return d.add(memory.EventStop) }, true},
		{"SessionEnd", func(d *day) *day { return d.add(memory.EventSessionEnd) }, true},
		{"PreCompact", func(d *day) *day { return d.add(memory.EventPreCompact) }, true},
		{"not at the ninth prompt", func(d *day) *day {
			for i := range 9 {
				d.prompt("go", fmt.Sprint(i))
			}
			return d
		}, false},
		{"at the tenth prompt", func(d *day) *day {
			for i := range 10 {
				d.prompt("go", fmt.Sprint(i))
			}
			return d
		}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore(t)
			tt.events(&day{session: "s1"}).store(t, s)
			compressEnded(t, s)
			due, err := s.SessionsDue(t.Context(), 10)
			if err != nil || (len(due) == 1) != tt.want {
				t.Errorf("due %+v (%v)", due, err)
			}
		})
	}
}

func TestSummaryWaitsForTheSessionsBatches(t *testing.T) {
	s := newStore(t)
	b := oneBatch(t, s, "s1")
	count := func() int {
		due, err := s.SessionsDue(t.Context(), 10)
		if err != nil {
			t.Fatal(err)
		}
		return len(due)
	}
	if count() != 0 {
		t.Error("due while a batch is pending")
	}
	finish(t, s, b, memory.BatchProvisional, "rough")
	if count() != 1 {
		t.Error("not due with a provisional batch")
	}
	if err := s.MarkSummaryDue(t.Context(), "s1"); err != nil || count() != 1 {
		t.Errorf("after MarkSummaryDue: %d sessions due, %v", count(), err)
	}
	if err := s.ClearSummaryDue(t.Context(), "s1"); err != nil || count() != 0 {
		t.Errorf("due after it was cleared (%v)", err)
	}
}

func TestNewestSummarySupersedes(t *testing.T) {
	s := newStore(t)
	(&day{session: "s1"}).prompt("go", "p1").add(memory.EventStop).store(t, s)
	if _, err := s.LatestSummary(t.Context(), "s1"); !errors.Is(err, ErrNotFound) {
		t.Errorf("error %v, want ErrNotFound", err)
	}
	for i, request := range []string{"第一", "second"} {
		m, err := s.AddSummary(t.Context(), memory.Summary{
			SessionID: "s1", Request: request, Completed: "x", FilesModified: []string{"a.go"}, CreatedAt: noon.Add(time.Duration(i) * time.Minute),
		})
		if err != nil || m.ID == 0 || m.UID == "" || m.Project != webshop || m.PromptNumber != 1 || m.Status != memory.StatusActive {
			t.Fatalf("%+v (%v)", m, err)
		}
		if got, err := s.Summary(t.Context(), m.ID); err != nil || got.Request != request || fmt.Sprint(got.FilesModified) != "[a.go]" {
			t.Errorf("%+v (%v)", got, err)
		}
	}
	if latest, err := s.LatestSummary(t.Context(), "s1"); err != nil || latest.Request != "second" {
		t.Errorf("latest %+v (%v)", latest, err)
	}
	every, err := s.SessionSummaries(t.Context(), "s1")
	if err != nil || len(every) != 2 || every[0].Status != memory.StatusSuperseded || every[1].Status != memory.StatusActive {
		t.Errorf("all %+v (%v)", every, err)
	}
	if recent, err := s.RecentSummaries(t.Context(), memory.Filter{Project: webshop}, 10); err != nil || len(recent) != 1 {
		t.Errorf("%d active summaries (%v)", len(recent), err)
	}
	if due, err := s.SessionsDue(t.Context(), 10); err != nil || len(due) != 0 {
		t.Errorf("the session is still due (%v)", err)
	}
	if _, err := s.AddSummary(t.Context(), memory.Summary{SessionID: "nobody"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("summary of no session: %v, want ErrNotFound", err)
	}
}
