package store

import (
	"fmt"
	"testing"

	"cmem/memory"
)

func TestWordsOfAnOlderProgramAreMadeAnewInPieces(t *testing.T) {
	s := newStore(t)
	db := sqliteDB(t, s)
	for i := range 10 {
		remember(t, s, memory.Observation{Title: fmt.Sprintf("处理支付回调 orderService%d", i), Narrative: fmt.Sprint("case ", i)})
	}
	finds := func(text string) int {
		t.Helper()
		hits, err := s.Search(t.Context(), text, memory.Filter{}, 100)
		if err != nil {
			t.Fatal(err)
		}
		return len(hits)
	}
	step := func(want int64) {
		t.Helper()
		left, err := s.RetokenizeSome(t.Context(), 4)
		if err != nil || left != want {
			t.Fatalf("%d left, want %d (%v)", left, want, err)
		}
	}
	step(0)
	mustExec(t, db, "UPDATE observations SET tokens = 'before' WHERE id > 2", "UPDATE search_indexes SET version = 0 WHERE name = 'observations'")
	if n := finds("支付"); n != 2 {
		t.Fatalf("%d found before", n)
	}
	version, err := s.DataVersion(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	step(6)
	if n := finds("支付"); n != 6 { // the newest four and the two that were right
		t.Errorf("%d found after the first piece", n)
	}
	step(2)
	step(0)
	step(0)
	if n := finds("支付"); n != 10 {
		t.Errorf("%d found in the end", n)
	}
	if n := finds("before "); n != 0 {
		t.Errorf("%d found by words of before", n)
	}
	if found, err := s.checkSearch(t.Context()); err != nil || len(found) != 0 {
		t.Errorf("%v (%v)", found, err)
	}
	if now, err := s.DataVersion(t.Context()); err != nil || now == version {
		t.Errorf("who watches the store is not told: %d, %d (%v)", version, now, err)
	}
	// A finished store is not written to.
	if version, err = s.DataVersion(t.Context()); err != nil {
		t.Fatal(err)
	}
	step(0)
	if now, err := s.DataVersion(t.Context()); err != nil || now != version {
		t.Errorf("nothing to do, but the store was changed (%v)", err)
	}
}
