//go:build unix

package spool

import (
	"errors"
	"os"
	"syscall"
)

// openEvent opens a file of the spool for reading. A pipe that somebody made there
// would keep the worker waiting for a writer, and a link would lead out of the spool.
func openEvent(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	// A link (EMLINK on FreeBSD), a socket.
	if errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.EMLINK) || errors.Is(err, syscall.ENXIO) {
		return nil, ErrNoFile
	}
	return f, err
}

// syncFolder makes the names in a folder survive a power cut. File systems that
// cannot do it keep them some other way.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // opened for reading
	if err := f.Sync(); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
