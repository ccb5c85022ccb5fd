package store

import (
	"errors"
	"io/fs"
	"os"
)

// openFilesStay says that a file which is open cannot be renamed. That is lock
// enough: while somebody has the store open nothing takes its place.
const openFilesStay = true

// lockout is a store that stands still. Without a file main is nil.
type lockout struct{ main *os.File }

func lockOut(path string) (*lockout, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &lockout{}, nil
	}
	return &lockout{main: f}, err
}

// letGo is called before names change: what is open here cannot be renamed either.
func (l *lockout) letGo() error {
	if l.main == nil {
		return nil
	}
	err := l.main.Close()
	l.main = nil
	return err
}

func (l *lockout) release() error { return l.letGo() }
