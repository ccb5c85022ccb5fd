//go:build !unix

package spool

import "os"

// openEvent opens a file of the spool for reading, unless it is a link or a device.
func openEvent(path string) (*os.File, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNoFile
	}
	return os.Open(path)
}

// syncFolder does nothing: the file system journals the names by itself, and a
// folder cannot be opened for that.
func syncFolder(string) error { return nil }
