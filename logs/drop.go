package logs

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// dropPatience is how long Drop waits for a rotation, which takes a moment.
const dropPatience = 10 * time.Second

// texts are the files in which lines may be dropped.
var texts = []string{oldName, fileName, crashName}

// Count gives how many lines match of the log in dir, and of what a crash left there.
func Count(dir string, match func(line []byte) bool) (int, error) {
	n := 0
	for _, name := range texts {
		err := matching(filepath.Join(dir, name), os.O_RDONLY, match, func(*os.File, int64, []byte) error { n++; return nil })
		if err != nil {
			return 0, fmt.Errorf("look through the log: %w", err)
		}
	}
	return n, nil
}

// Drop overwrites the lines that Count counts, empties what a crash left, and gives the
// number of the lines. Blanks stay in their places: other processes append to the log
// meanwhile, and none of their lines is lost.
func Drop(dir string, match func(line []byte) bool) (dropped int, err error) {
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), dropPatience)
	defer cancel()
	// A rotation in between would make one file of two be looked at twice.
	lock := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return 0, fmt.Errorf("lock the log: %w", err)
	}
	defer lock.Close() //nolint:errcheck // the lock goes with the process at the latest
	for _, name := range texts {
		err := matching(filepath.Join(dir, name), os.O_RDWR, match, func(f *os.File, at int64, line []byte) error {
			dropped++
			_, err := f.WriteAt(bytes.Repeat([]byte{' '}, len(bytes.TrimRight(line, "\n"))), at)
			return err
		})
		if err != nil {
			return dropped, fmt.Errorf("clean the log: %w", err)
		}
	}
	if err := os.Truncate(filepath.Join(dir, crashName), 0); err != nil && !errors.Is(err, os.ErrNotExist) {
		return dropped, fmt.Errorf("empty the report of a crash: %w", err)
	}
	return dropped, nil
}

// matching hands the lines of a file that match to each, with their places, to the end
// that the file has by then. A file that is not there has none.
func matching(path string, flag int, match func([]byte) bool, each func(f *os.File, at int64, line []byte) error) error {
	f, err := os.OpenFile(path, flag, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // what is written is written by WriteAt
	in := bufio.NewReader(f)
	for at := int64(0); ; {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 && match(line) {
			if err := each(f, at, line); err != nil {
				return err
			}
		}
		at += int64(len(line))
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
