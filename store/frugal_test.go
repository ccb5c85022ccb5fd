package store

import (
	"sync"
	"testing"

	"cmem/memory"
)

func TestAFrugalStoreKeepsLittleAndAnswersTheSame(t *testing.T) {
	s := newStore(t)
	remember(t, s, memory.Observation{Title: "退款 the refund"})
	if err := s.Frugal(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Readers wait for each other, and none for itself.
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if hits, err := s.Search(t.Context(), "refund", memory.Filter{}, 10); err != nil || len(hits) != 1 {
				t.Errorf("%d hits (%v)", len(hits), err)
			}
			if n, err := number(t.Context(), s.read, "PRAGMA cache_size"); err != nil || n != -frugalCache {
				t.Errorf("a reader keeps %d (%v)", n, err)
			}
		})
	}
	wg.Wait()
	err := s.transact(t.Context(), func(w tx) error {
		n, err := number(t.Context(), w, "PRAGMA cache_size")
		if err == nil && n != -frugalCache {
			t.Errorf("the writer keeps %d", n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
