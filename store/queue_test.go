package store

import (
	"fmt"
	"testing"
	"time"

	"cmem/memory"
)

func TestOpenBatchesAreShownAndRetried(t *testing.T) {
	s := newStore(t)
	var open []memory.Batch
	for i := range 4 {
		open = append(open, oneBatch(t, s, fmt.Sprint("s", i)))
	}
	finish(t, s, open[0], memory.BatchDone, "done")
	finish(t, s, open[2], memory.BatchProvisional, "for now")
	later := noon.Add(time.Hour)
	for _, b := range open[1:3] {
		if err := s.RetryBatch(t.Context(), b.ID, "the provider said 余额不足", later); err != nil {
			t.Fatal(err)
		}
	}
	first, err := s.OpenBatches(t.Context(), 0, 2)
	if err != nil || len(first) != 2 || first[0].ID != open[1].ID || first[1].ID != open[2].ID {
		t.Fatalf("first page %+v (%v)", first, err)
	}
	if b := first[0]; b.LastError != "the provider said 余额不足" || b.Attempts != 1 || !b.NextAttempt.Equal(later) {
		t.Errorf("batch %+v", b)
	}
	second, err := s.OpenBatches(t.Context(), first[1].ID, 2)
	if err != nil || len(second) != 1 || second[0].ID != open[3].ID {
		t.Fatalf("second page %+v (%v)", second, err)
	}

	retry := func(want int, ids ...int64) {
		t.Helper()
		if n, err := s.RetryNow(t.Context(), ids); err != nil || n != want {
			t.Errorf("retried %d of %v, want %d (%v)", n, ids, want, err)
		}
	}
	due := func() int {
		t.Helper()
		list, err := s.PendingBatches(t.Context(), noon, 10)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	retry(1, open[0].ID, open[1].ID, 987)
	if n := due(); n != 2 {
		t.Errorf("%d batches are due", n)
	}
	retry(1)
	retry(0)
	if n := due(); n != 3 {
		t.Errorf("%d batches are due", n)
	}
	if list, err := s.OpenBatches(t.Context(), 0, 10); err != nil || list[0].LastError == "" || list[0].Attempts != 1 {
		t.Errorf("batches %+v (%v)", list, err)
	}
}

func TestEventsOfABatchArePaged(t *testing.T) {
	s := newStore(t)
	b := oneBatch(t, s, "s1")
	whole, err := s.BatchEvents(t.Context(), b.ID)
	if err != nil || len(whole) != 3 {
		t.Fatalf("%d events (%v)", len(whole), err)
	}
	after := ""
	for i := range whole {
		page, err := s.BatchEventsPage(t.Context(), b.ID, after, 1)
		if err != nil || len(page) != 1 || page[0].ID != whole[i].ID || string(page[0].Payload) != string(whole[i].Payload) {
			t.Fatalf("page %d: %+v (%v)", i, page, err)
		}
		after = page[0].ID
	}
	if page, err := s.BatchEventsPage(t.Context(), b.ID, after, 1); err != nil || len(page) != 0 {
		t.Errorf("after the last: %+v (%v)", page, err)
	}
	got := plan(t, s, "SELECT payload FROM events WHERE batch_id = 5 AND event_id > 'x' ORDER BY event_id LIMIT 9")
	if want := "SEARCH events USING INDEX events_by_batch (batch_id=? AND event_id>?)"; got != want {
		t.Errorf("plan %s, want %s", got, want)
	}
}
