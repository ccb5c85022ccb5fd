package store

import (
	"os"
	"path/filepath"
	"slices"
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
	if got, err := remains(path); err != nil || len(got) != 2 {
		t.Fatalf("remains %q, %v", got, err)
	}
	for done := false; !done; {
		var err error
		if done, err = s.Housekeep(t.Context(), time.Second); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := remains(path); err != nil || len(got) != 1 || got[0] != fresh {
		t.Errorf("after tidying up %q are left (%v), want %q, which somebody may be writing", got, err, fresh)
	}
}

func TestEveryCopyOfWhatAStoreHeldIsListed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "数据.db")
	s := openStore(t, path)
	remember(t, s, memory.Observation{Title: "Caches the 订单 totals"})
	b, err := MakeBackup(t.Context(), path, "", false)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		b.Path, b.Path + "-wal", path + ".damaged-20261130T120000Z", path + ".damaged-20261130T120000Z-wal",
		filepath.Join(dir, ".cmem-salvage-1.tmp"), filepath.Join(dir, backupFolder, ".cmem-copy-2.tmp"),
	}
	for _, name := range append(want[1:], filepath.Join(dir, "theirs.db"), filepath.Join(dir, backupFolder, "notes.txt")) {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Copies(path)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("copies\n%q, want\n%q", got, want)
	}
}
