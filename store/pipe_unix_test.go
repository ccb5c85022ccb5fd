//go:build unix

package store

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAPipeInThePlaceOfTheStoreIsAnErrorAndNotWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cmem.db")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), path)
	_, rerr := OpenReadOnly(t.Context(), path)
	for _, err := range []error{err, rerr} {
		if err == nil || !strings.Contains(err.Error(), path+" is not a file") {
			t.Errorf("error %v", err)
		}
	}
}
