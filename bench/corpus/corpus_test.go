package corpus

import (
	"context"
	"path/filepath"
	"reflect"
	"testing"

	"cmem/memory"
	"cmem/store"
)

func TestSameSizeGivesSameMemories(t *testing.T) {
	a, b := newGenerator(500), newGenerator(500)
	for a.left > 0 {
		if !reflect.DeepEqual(a.next(100), b.next(100)) {
			t.Fatal("two generators of one size differ")
		}
	}
	if b.left != 0 {
		t.Errorf("%d observations are left", b.left)
	}
}

func TestBuiltStoreHoldsWhatItsQueriesAskFor(t *testing.T) {
	ctx := context.Background()
	cache := t.TempDir()
	built, err := Build(ctx, cache, 2000, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Build(ctx, cache, 2000, func(int) { t.Error("a store in the cache was built again") })
	if err != nil || !reflect.DeepEqual(again, built) {
		t.Fatalf("from the cache came %+v, %v; want %+v", again, err, built)
	}
	db, err := store.OpenReadOnly(ctx, filepath.Join(built.Dir, "cmem.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // only read
	totals, err := db.Totals(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	if totals.Observations != 2000 || totals.Projects < 20 || totals.Summaries != totals.Sessions {
		t.Errorf("totals = %+v", totals)
	}
	for _, q := range built.Queries {
		hits, err := db.Search(ctx, q.Text, memory.Filter{}, 20)
		if err != nil {
			t.Fatal(err)
		}
		if len(hits) == 0 || q.Rows > 0 && len(hits) < min(q.Rows, 20) {
			t.Errorf("%s %q: %d hits, want %d or more", q.Name, q.Text, len(hits), min(q.Rows, 20))
		}
	}
}
