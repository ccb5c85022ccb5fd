//go:build unix && !solaris && !illumos && !aix

package store

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// openGate gives the gate of the stores in a folder, for this one alone or shared
// with others, until it is closed; ErrBusy when that is not possible now.
func openGate(folder string, alone bool) (io.Closer, error) {
	f, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	how := syscall.LOCK_SH
	if alone {
		how = syscall.LOCK_EX
	}
	for {
		err = syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errors.Join(ErrBusy, f.Close())
	}
	return f, nil // also where a folder cannot be locked
}
