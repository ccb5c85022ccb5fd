//go:build !windows

package export

import (
	"io"
	"path/filepath"

	"github.com/google/renameio/v2"
)

func replace(path string, write func(io.Writer) error) (err error) {
	f, err := renameio.NewPendingFile(path,
		renameio.WithTempDir(filepath.Dir(path)),
		renameio.WithPermissions(filePerm),
		renameio.WithExistingPermissions())
	if err != nil {
		return err
	}
	defer func() { _ = f.Cleanup() }() // nothing to do after success; before it, err says what failed
	if err := write(f); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}
