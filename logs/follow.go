package logs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// Follow hands what is logged in dir after the place from to each, as far as the
// query's level wants it, until ctx ends or each gives an error. It looks every
// so often, keeps no file open in between, and goes on in the new file when the
// log was rotated.
func Follow(ctx context.Context, dir string, from Place, q Query, every time.Duration, each func(Line) error) error {
	q.Since = time.Time{} // what comes now is wanted, also when the clock is set back
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		var err error
		if from, err = more(dir, from, q, each); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// more hands on what came after from and gives the place after it.
func more(dir string, from Place, q Query, each func(Line) error) (Place, error) {
	f, err := os.Open(filepath.Join(dir, fileName))
	if errors.Is(err, os.ErrNotExist) {
		return from, nil // between a rotation and the next line
	}
	if err != nil {
		return from, err
	}
	defer f.Close() //nolint:errcheck // opened for reading
	info, err := f.Stat()
	if err != nil {
		return from, err
	}
	if from.file != nil && os.SameFile(from.file, info) && info.Size() >= from.at {
		if info.Size() == from.at {
			return from, nil
		}
		return forward(f, from.at, q, each)
	}
	if err := remainder(dir, from, q, each); err != nil {
		return from, err
	}
	return forward(f, 0, q, each)
}

// remainder hands on what was logged after from in a file that is the one before now.
func remainder(dir string, from Place, q Query, each func(Line) error) error {
	old, err := os.Open(filepath.Join(dir, oldName))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer old.Close() //nolint:errcheck // opened for reading
	info, err := old.Stat()
	if err != nil || from.file == nil || !os.SameFile(from.file, info) {
		return err // more than one rotation ago
	}
	_, err = forward(old, from.at, q, each)
	return err
}
