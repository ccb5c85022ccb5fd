//go:build unix && !solaris && !illumos && !aix

package spool

import (
	"errors"
	"os"
	"syscall"
)

// lockHeld looks whether somebody holds the lock on path. It has to take the lock
// for a moment where it is free, which a worker that starts just then waits for.
// It reports false for known where the file system has no such locks.
func lockHeld(path string) (held, known bool) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, true
	}
	if err != nil {
		return false, false
	}
	defer f.Close() //nolint:errcheck // opened for reading; closing frees the lock
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); err {
	case nil:
		return false, true
	case syscall.EWOULDBLOCK:
		return true, true
	default:
		return false, false
	}
}
