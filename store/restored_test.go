package store

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// What goes wrong after the backup is in its place does not undo it, and whoever
// tells of it has to know.
func TestARestoreThatIsDoneSaysSoWhateverComesAfter(t *testing.T) {
	path := oldStore(t)
	b, err := MakeBackup(t.Context(), path, "", false)
	if err != nil {
		t.Fatal(err)
	}
	// One that is to go, and cannot: its log is a folder with something in it.
	for n := range keptBackups + 1 {
		name := filepath.Join(filepath.Dir(b.Path), fmt.Sprintf("cmem-2025010%dT000000Z-replaced.db", n+1))
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(name+"-wal", "sub"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	r, err := RestoreBackup(t.Context(), path, b.Path)
	if err == nil || !r.Done {
		t.Errorf("done: %v, error %v; want true and what could not be removed", r.Done, err)
	}
	if list := contentOf(t, openStore(t, path))["observations"]; len(list) != 1 {
		t.Errorf("%d observations", len(list))
	}
	if r, err := RestoreBackup(t.Context(), path, path+".no"); err == nil || r.Done {
		t.Errorf("done: %v, error %v of a file that is not there", r.Done, err)
	}
}
