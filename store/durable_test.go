package store

import (
	"testing"

	"cmem/memory"
)

// The worker removes an event from the spool when AddEvents has returned: the
// transaction must be on the disk by then, not only in the log's pages.
func TestEventsAreSyncedBeforeTheyCountAsStored(t *testing.T) {
	s := newStore(t)
	const normal, full = 1, 2
	level := func(q querier) int64 {
		t.Helper()
		n, err := number(t.Context(), q, "PRAGMA synchronous")
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if err := s.transact(t.Context(), func(w tx) error {
		if got := level(w); got != normal {
			t.Errorf("an ordinary change runs at %d, want %d", got, normal)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.transactDurably(t.Context(), func(w tx) error {
		if got := level(w); got != full {
			t.Errorf("a durable change runs at %d, want %d", got, full)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AddEvents(t.Context(), []memory.Event{{}}); err == nil {
		t.Fatal("an event without an id is stored")
	}
	if err := s.transact(t.Context(), func(w tx) error {
		if got := level(w); got != normal {
			t.Errorf("after a durable change that failed: %d, want %d", got, normal)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
