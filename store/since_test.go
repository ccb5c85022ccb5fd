package store

import (
	"database/sql"
	"errors"
	"testing"
	"time"

	"cmem/memory"
)

// Two browsers may change one memory. Taking back the older change must not
// throw the newer one away unseen.
func TestUndoDoesNotThrowAwayWhatSomebodyElseChangedSince(t *testing.T) {
	s := newStore(t)
	clock := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	s.now = func() time.Time { clock = clock.Add(time.Second); return clock }
	o, _, err := s.Add(t.Context(), memory.Observation{Project: "/p", Title: "退款按比例扣 🐛"})
	if err != nil {
		t.Fatal(err)
	}
	pinned, err := s.Edit(t.Context(), []int64{o.ID}, memory.Edit{Pinned: ptr(true)})
	if err != nil {
		t.Fatal(err)
	}
	tagged, err := s.Edit(t.Context(), []int64{o.ID}, memory.Edit{AddTags: []string{"api"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Restore(t.Context(), pinned); !errors.Is(err, ErrChanged) {
		t.Errorf("undoing the older change: %v", err)
	}
	if now, _ := s.Observation(t.Context(), o.ID); !now.Pinned || len(now.Tags) != 1 {
		t.Errorf("after the refused undo: pinned %v, tags %q", now.Pinned, now.Tags)
	}
	for _, snap := range []memory.Snapshot{tagged, pinned} { // the last one first
		if err := s.Restore(t.Context(), snap); err != nil {
			t.Fatal(err)
		}
	}
	if now, _ := s.Observation(t.Context(), o.ID); now.Pinned || len(now.Tags) != 0 {
		t.Errorf("after both: pinned %v, tags %q", now.Pinned, now.Tags)
	}
}

// A newer cmem may migrate the store while an older one has it open.
func TestAStoreThatBecameNewerWhileOpenIsNotWritten(t *testing.T) {
	s := newStore(t)
	o, _, err := s.Add(t.Context(), memory.Observation{Project: "/p", Title: "one"})
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // a test's own
	if _, err := db.ExecContext(t.Context(), "PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	var newer *NewerSchemaError
	if _, err := s.Edit(t.Context(), []int64{o.ID}, memory.Edit{Pinned: ptr(true)}); !errors.As(err, &newer) || newer.Have != 99 {
		t.Errorf("an edit: %v", err)
	}
	if now, _ := s.Observation(t.Context(), o.ID); now.Pinned {
		t.Error("it was written all the same")
	}
}
