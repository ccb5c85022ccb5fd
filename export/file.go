package export

import (
	"io"
	"os"
	"path/filepath"
)

// filePerm lets the owner alone read what is exported.
const filePerm = 0o600

// replaceFile replaces the file at path by what write writes, all at once, or
// leaves it as it was when write fails. Permissions that the file has stay; of a
// symbolic link its target is replaced.
func replaceFile(path string, write func(io.Writer) error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	return replace(path, write)
}

// writeThrough writes to the device or pipe at path.
func writeThrough(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		_ = f.Close() // the first error tells more
		return err
	}
	return f.Close()
}
