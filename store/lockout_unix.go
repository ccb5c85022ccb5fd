//go:build unix

package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// openFilesStay says that a file which is open cannot be renamed.
const openFilesStay = false

// What SQLite locks, in bytes of its files (its os.h and wal.c): who opens a store
// passes by the pending byte; who writes or folds the log holds one of the two in
// the -shm file.
const (
	pendingByte  = 0x40000000
	walWriteByte = 120
	walFoldByte  = 121
)

// lockout is a store that stands still. Without a file there is nothing to lock.
type lockout struct {
	gate      io.Closer
	main, shm *os.File
}

func lockOut(path string) (l *lockout, err error) {
	l = &lockout{}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.release())
		}
	}()
	if l.gate, err = openGate(filepath.Dir(path), true); err != nil {
		return l, err
	}
	// The rest is for those who know nothing of the gate.
	if l.main, err = openIfThere(path); l.main == nil {
		return l, err
	}
	if err := lockBytes(l.main, pendingByte, 1); err != nil {
		return l, err
	}
	// Without that file nothing has the store open.
	if l.shm, err = openIfThere(path + "-shm"); l.shm == nil {
		return l, err
	}
	return l, lockBytes(l.shm, walWriteByte, walFoldByte-walWriteByte+1)
}

func openIfThere(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return f, err
}

// lockBytes locks bytes of a file for this process; ErrBusy when another has them.
func lockBytes(f *os.File, start, length int64) error {
	err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{
		Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: start, Len: length,
	})
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		return ErrBusy
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return nil
}

// letGo is called before names change.
func (l *lockout) letGo() error { return nil }

// release lets others in again.
func (l *lockout) release() error {
	var errs []error
	for _, f := range []*os.File{l.shm, l.main} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	if l.gate != nil {
		errs = append(errs, l.gate.Close())
	}
	return errors.Join(errs...)
}
