package store

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// While somebody opens a store, no other file takes its place, and while one does,
// nobody opens it.
func TestOpeningAStoreAndPuttingAnotherInItsPlaceTakeTurns(t *testing.T) {
	if openFilesStay {
		t.Skip("what is open cannot be renamed on " + runtime.GOOS)
	}
	path := filepath.Join(t.TempDir(), "数据", "cmem.db")
	if err := openStore(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	gate, err := standInGate(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := OpenReadOnly(t.Context(), path); err != nil {
		t.Errorf("two cannot open the store at the same time: %v", err)
	} else if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := lockOut(path); !errors.Is(err, ErrBusy) {
		t.Fatalf("the store stands still while somebody opens it (%v)", err)
	}
	if err := gate.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := lockOut(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openGate(filepath.Dir(path), false); !errors.Is(err, ErrBusy) {
		t.Errorf("somebody opens the store while it stands still (%v)", err)
	}
	if err := l.release(); err != nil {
		t.Fatal(err)
	}
	if gate, err = openGate(filepath.Dir(path), false); err != nil {
		t.Fatal(err)
	}
	if err := gate.Close(); err != nil {
		t.Fatal(err)
	}
}

// A connection that is opened later, as the pool does, is to the same file or none.
func TestAConnectionIsToTheFileThatWasOpened(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cmem.db")
	for _, name := range []string{path, path + ".other"} {
		if err := openStore(t, name).Close(); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".other", path); err != nil {
		t.Fatal(err)
	}
	r, err := openReader(path, file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := number(t.Context(), r, "SELECT count(*) FROM observations"); !errors.Is(err, ErrReplaced) {
		t.Errorf("got %v", err)
	}
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
	if w, err := openWriter(t.Context(), path, file); !errors.Is(err, ErrReplaced) {
		t.Errorf("got %v, %v", w, err)
	}
}
