package jsonfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrChanged means that another program wrote the file since it was read.
var ErrChanged = errors.New("another program changed it at the same moment; nothing was written, try again")

// File is a file as it was read: what is needed to replace it safely.
type File struct {
	Path    string // as it was asked for
	Data    []byte
	Existed bool

	target string // Path with symbolic links followed
	mode   fs.FileMode
}

// Read reads a file, through symbolic links. A file that does not exist is an
// empty one, to be made with mode 0600.
func Read(path string) (*File, error) {
	f := &File{Path: path, target: path, mode: 0o600}
	if st, err := os.Lstat(path); err == nil && st.Mode()&fs.ModeSymlink != 0 {
		if f.target, err = filepath.EvalSymlinks(path); err != nil {
			return nil, fmt.Errorf("follow the symbolic link %s: %w; repair or remove the link", path, err)
		}
	}
	data, err := os.ReadFile(f.target)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	st, err := os.Stat(f.target)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	f.Data, f.Existed, f.mode = data, true, st.Mode().Perm()
	return f, nil
}

// Writable returns an error that says what to do when the file is read-only. To
// replace a file only its directory must be writable, but a person who took the
// right to write away meant it.
func (f *File) Writable() error {
	if f.Existed && f.mode&0o200 == 0 {
		return fmt.Errorf("%s is read-only (mode %04o); make it writable and try again", f.Path, f.mode)
	}
	return nil
}

// Linked reports whether the path is a symbolic link to the file.
func (f *File) Linked() bool { return f.target != f.Path }

// Changed reports whether the file on disk is no longer what was read.
func (f *File) Changed() bool {
	now, err := os.ReadFile(f.target)
	if errors.Is(err, fs.ErrNotExist) {
		return f.Existed
	}
	return err != nil || !f.Existed || !bytes.Equal(now, f.Data)
}

// Write replaces the file by data in one step, so that a reader sees the old text
// or the new one, and keeps its mode. It fails with ErrChanged when the file is no
// longer what was read. (renameio, which is for this, does not build on Windows.)
func (f *File) Write(data []byte) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %s: %w", f.Path, err)
		}
	}()
	if err := f.Writable(); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(f.target), ".cmem-*.tmp") // made with mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name()) // nothing more can be done about it
		}
	}()
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(f.mode)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	if f.Changed() {
		return ErrChanged
	}
	if err := os.Rename(tmp.Name(), f.target); err != nil {
		return err
	}
	f.Data, f.Existed = data, true
	return nil
}

// Remove deletes the file; it fails with ErrChanged like Write.
func (f *File) Remove() error {
	if f.Changed() {
		return fmt.Errorf("remove %s: %w", f.Path, ErrChanged)
	}
	if err := os.Remove(f.target); err != nil {
		return fmt.Errorf("remove %s: %w", f.Path, err)
	}
	return nil
}
