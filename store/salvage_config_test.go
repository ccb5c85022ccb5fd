package store

import (
	"os"
	"path/filepath"
	"testing"

	"cmem/memory"
)

// The pages can all be in order for SQLite's check, and the index useless.
func TestAStoreWhoseSearchIndexCannotBeOpenedIsSalvaged(t *testing.T) {
	for _, filling := range []byte{0, 0xff} {
		path := filepath.Join(t.TempDir(), "数据.db")
		s := openStore(t, path)
		remember(t, s, memory.Observation{Title: "Caches the 订单 totals 🛒"}, memory.Observation{Title: "Drops the carts"})
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		db := rawDB(t, path)
		var root, size int64
		if err := db.QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = 'observations_fts_config'").Scan(&root); err != nil {
			t.Fatal(err)
		}
		if err := db.QueryRow("PRAGMA page_size").Scan(&size); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := (root - 1) * size; i < root*size; i++ {
			b[i] = filling
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		saved, err := Salvage(t.Context(), path)
		if err != nil {
			t.Fatalf("filled with %#x: %v", filling, err)
		}
		fresh := openStore(t, path)
		if found, err := fresh.Check(t.Context()); err != nil || len(soundButFolder(found)) > 0 {
			t.Errorf("filled with %#x: the fresh store has %v (%v)", filling, found, err)
		}
		if got := titlesFound(t, fresh, "订单", memory.Filter{}); len(got) != 1 || saved.Rows() < 2 {
			t.Errorf("filled with %#x: found %q, saved %+v", filling, got, saved)
		}
	}
}
