package store

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"cmem/memory"
)

func TestTheIdleWorkerRemovesWhatKilledCopiesLeft(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "数据.db")
	s := openStore(t, path)
	remember(t, s, memory.Observation{Title: "Caches the 订单 totals"})
	old, fresh := filepath.Join(dir, ".cmem-restore-1.tmp"), filepath.Join(dir, backupFolder, ".cmem-copy-2.tmp")
	for _, remain := range []string{old, fresh} {
		if err := os.MkdirAll(remain, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	if got, err := Remains(path); err != nil || len(got) != 2 {
		t.Fatalf("remains %q, %v", got, err)
	}
	for done := false; !done; {
		var err error
		if done, err = s.Housekeep(t.Context(), time.Second); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := Remains(path); err != nil || len(got) != 1 || got[0] != fresh {
		t.Errorf("after tidying up %q are left (%v), want %q, which somebody may be writing", got, err, fresh)
	}
}
