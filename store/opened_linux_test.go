package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"testing"
)

// When a process closes a file, the system forgets all locks that it has on it: a
// second Store that fails to open must not cost the first one its own.
func TestAStoreThatCannotBeOpenedTakesNoLockFromAnother(t *testing.T) {
	s := newStore(t)
	remember(t, s)
	// Looks at the locks of this process, too. It is closed after all is seen.
	f, err := os.Open(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // opened for reading
	locked := func() bool {
		const (
			ofdGetLock  = 36 // F_OFD_GETLK
			sharedStart = pendingByte + 2
			sharedSize  = 510
		)
		l := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: sharedStart, Len: sharedSize}
		if err := syscall.FcntlFlock(f.Fd(), ofdGetLock, &l); err != nil {
			t.Skipf("the system does not tell of locks: %v", err)
		}
		return l.Type != syscall.F_UNLCK
	}
	if !locked() {
		t.Fatal("an open store has no lock: the test sees nothing")
	}
	mustExec(t, sqliteDB(t, s), fmt.Sprintf("PRAGMA user_version = %d", newest(schema)+1))
	for name, open := range map[string]func() (*Store, error){
		"for reading": func() (*Store, error) { return OpenReadOnly(t.Context(), s.Path()) },
		"for writing": func() (*Store, error) { return Open(t.Context(), s.Path()) },
	} {
		var newer *NewerSchemaError
		if _, err := open(); !errors.As(err, &newer) {
			t.Errorf("%s: error %v, want a *NewerSchemaError", name, err)
		}
		if !locked() {
			t.Errorf("%s: the store that is open has lost its lock", name)
		}
	}
}

func TestAStoreCountsAsOpenUntilItIsClosed(t *testing.T) {
	s := newStore(t)
	looked := func() (did bool) {
		_ = opened.alone(s.Path(), func() error { did = true; return nil }) // it gives none
		return did
	}
	ro, err := OpenReadOnly(t.Context(), s.Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*Store{s, ro} {
		if looked() {
			t.Error("a file that is open was opened and closed")
		}
		for range 2 { // the second time nothing is closed
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !looked() {
		t.Error("a file that nobody has open counts as open")
	}
}
