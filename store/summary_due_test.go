package store

import (
	"path/filepath"
	"testing"
	"time"

	"cmem/memory"
)

// Events are stored while others are compressed and summarised, so a turn can end
// between any two steps of the worker.
func TestATurnThatEndsMeanwhileIsNotForgottenInTheSummary(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "cmem.db"))
	n := 0
	store := func(name string) {
		t.Helper()
		n++
		at := noon.Add(time.Duration(n) * time.Minute)
		e := memory.Event{ID: at.Format("20060102150405.000000000"), SessionID: "s1", Project: webshop, Name: name, CreatedAt: at, Raw: []byte("{}"), ToolUseID: at.String()}
		if _, err := s.AddEvents(t.Context(), []memory.Event{e}); err != nil {
			t.Fatal(err)
		}
	}
	due := func() bool {
		t.Helper()
		found, err := s.SessionsDue(t.Context(), 10)
		if err != nil {
			t.Fatal(err)
		}
		return len(found) == 1
	}
	store(memory.EventPostToolUse)
	store(memory.EventStop)
	if due() {
		t.Error("a session is due whose last turn is in no batch yet")
	}
	compressEnded(t, s)
	if !due() {
		t.Error("a session is not due when its turn was compressed")
	}
	for name, done := range map[string]func() error{
		"written": func() error {
			_, err := s.AddSummary(t.Context(), memory.Summary{SessionID: "s1", Request: "结账"})
			return err
		},
		"found needless": func() error { return s.ClearSummaryDue(t.Context(), "s1") },
	} {
		store(memory.EventPostToolUse)
		store(memory.EventStop)
		if err := done(); err != nil {
			t.Fatal(err)
		}
		compressEnded(t, s)
		if !due() {
			t.Errorf("the turn that ended before a summary was %s is forgotten", name)
		}
		if err := done(); err != nil {
			t.Fatal(err)
		}
		if due() {
			t.Errorf("the session is due for ever: the summary was %s", name)
		}
	}
}

// compressEnded makes batches of the turns that have ended, and finishes them.
func compressEnded(t *testing.T, s *Store) {
	t.Helper()
	const forEver = 100 * 365 * 24 * time.Hour // no silence ends a turn
	if _, err := s.GroupEvents(t.Context(), time.Now(), forEver, 60); err != nil {
		t.Fatal(err)
	}
	batches, err := s.PendingBatches(t.Context(), time.Now(), 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		if _, err := s.FinishBatch(t.Context(), b.ID, nil, memory.BatchDone); err != nil {
			t.Fatal(err)
		}
	}
}
