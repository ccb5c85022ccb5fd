//go:build unix

package store

import (
	"errors"
	"os"
	"syscall"
)

// freeSpace gives how many bytes a person may still write to the disk of a folder.
func freeSpace(folder string) (bytes int64, known bool) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(folder, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true //nolint:gosec,unconvert // their types differ between systems
}

// syncFolder waits until the names in a folder are on the disk. File systems that
// cannot do it keep them some other way.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
