package spool

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// A folder that can be written to and not read cannot be synced. Whoever is told of
// an error may deliver the event again: it must not be there already.
func TestAnEventThatCouldNotBeSyncedIsNotDelivered(t *testing.T) {
	dir := t.TempDir()
	if err := Create(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(NewDir(dir), 0o300); err != nil {
		t.Fatal(err)
	}
	plain := func() error { return DeliverAs(dir, "1796026542123456789-00001", []byte("{}")) }
	synced := func() error {
		_, err := DeliverSynced(dir, []byte(`{"事件":1}`))
		return err
	}
	if os.Geteuid() == 0 { // who may read everything is somebody else for a moment
		plain, synced = asNobody(t, dir, plain), asNobody(t, dir, synced)
	}
	if err := plain(); err != nil {
		t.Fatalf("an event that is not synced: %v", err)
	}
	if err := synced(); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("error %v, want that the folder may not be read", err)
	}
	if err := os.Chmod(NewDir(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	if names, err := List(dir); err != nil || len(names) != 1 {
		t.Errorf("%v wait, want the event that was not to be synced (%v)", names, err)
	}
}

// asNobody gives do as a user who owns the spool at dir and is not root.
func asNobody(t *testing.T, dir string, do func() error) func() error {
	t.Helper()
	const nobody = 65534
	if err := os.Chmod(filepath.Dir(dir), 0o711); err != nil { //nolint:gosec // of this test alone, with nothing in it
		t.Fatal(err)
	}
	for _, d := range []string{dir, NewDir(dir), dir + sep + tmpDir} {
		if err := os.Chown(d, nobody, -1); err != nil {
			t.Fatal(err)
		}
	}
	return func() error {
		done := make(chan error)
		go func() {
			runtime.LockOSThread() // never unlocked: the thread ends with this goroutine
			if err := syscall.Setfsuid(nobody); err != nil {
				done <- err
				return
			}
			done <- do()
		}()
		return <-done
	}
}
