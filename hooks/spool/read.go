package spool

import (
	"errors"
	"io"
	"os"
	"time"
)

// tmpAge is how old a file in tmp/ must be before Sweep takes it for the
// remains of a hook that was killed while writing.
const tmpAge = time.Hour

// NewDir gives the folder in which the events of the spool at dir wait, for
// watching it.
func NewDir(dir string) string { return dir + sep + newDir }

// BadDir gives the folder with the events that were put aside.
func BadDir(dir string) string { return dir + sep + badDir }

// TmpDir gives the folder with what is being written, and what hooks that were killed
// have left of it.
func TmpDir(dir string) string { return dir + sep + tmpDir }

// Each calls do with the name of each waiting event, in no order, until it says no.
// It holds a few names at a time, however many wait. A spool that does not exist yet
// has none. What others left there (folders, links, pipes, an editor's lock file) is
// passed over.
func Each(dir string, do func(name string) bool) error { return eachEvent(dir+sep+newDir, do) }

// List gives the names of all waiting events, in no order.
func List(dir string) ([]string, error) { return names(dir + sep + newDir) }

// ListBad gives the names of the events that were put aside, in no order.
func ListBad(dir string) ([]string, error) { return names(dir + sep + badDir) }

// ListTmp gives the names of the events that are not written to their end, in no order.
func ListTmp(dir string) ([]string, error) { return names(dir + sep + tmpDir) }

func names(dir string) ([]string, error) {
	var all []string
	err := eachEvent(dir, func(name string) bool {
		all = append(all, name)
		return true
	})
	return all, err
}

// Waiting says how many events wait and which of them is the oldest, "" for none.
func Waiting(dir string) (events int, oldest string, err error) {
	err = Each(dir, func(name string) bool {
		if events == 0 || name < oldest {
			oldest = name
		}
		events++
		return true
	})
	return events, oldest, err
}

// Empty reports whether no event waits. It stops at the first one.
func Empty(dir string) (bool, error) {
	empty := true
	err := Each(dir, func(string) bool {
		empty = false
		return false
	})
	return empty, err
}

func eachEvent(dir string, do func(name string) bool) error {
	return each(dir, func(e os.DirEntry) bool { return !isEvent(e) || do(e.Name()) })
}

// isEvent reports whether e is a file that Deliver may have made.
func isEvent(e os.DirEntry) bool {
	_, ours := Time(e.Name())
	return ours && e.Type().IsRegular()
}

// each calls do for the entries of dir, some at a time, until it says no. A
// folder that does not exist has none.
func each(dir string, do func(os.DirEntry) bool) error {
	f, err := os.Open(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // opened for reading
	for {
		some, err := f.ReadDir(256)
		for _, e := range some {
			if !do(e) {
				return nil
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// MaxEvent is how many bytes a waiting event can have. A hook keeps less of a payload
// (early.MaxPayload), also when it writes it anew.
const MaxEvent = 64 << 20

// Errors of what stands in the spool under an event's name and is none.
var (
	ErrTooLarge = errors.New("the file is larger than any event")
	ErrNoFile   = errors.New("it is no plain file")
)

// Read gives the payload of a waiting event. It never waits, follows no link, and
// gives ErrTooLarge or ErrNoFile for what cannot be an event.
func Read(dir, name string) ([]byte, error) {
	f, err := openEvent(dir + sep + newDir + sep + name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // opened for reading
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNoFile
	}
	if info.Size() > MaxEvent {
		return nil, ErrTooLarge
	}
	payload := make([]byte, info.Size())
	n, err := io.ReadFull(f, payload)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // cut since; the decoder says what is missing
	}
	return payload[:n], err
}

// Remove takes an event out of the spool. One that is gone already is no error.
func Remove(dir, name string) error {
	err := os.Remove(dir + sep + newDir + sep + name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// PutAside moves a waiting event that cannot be decoded to bad/, where a person
// can look at it and nothing trips over it again.
func PutAside(dir, name string) error {
	if err := os.MkdirAll(dir+sep+badDir, 0o700); err != nil {
		return err
	}
	return os.Rename(dir+sep+newDir+sep+name, dir+sep+badDir+sep+name)
}

// Sweep removes what killed hooks left in tmp/ more than an hour ago and gives
// how many files that were. None of them had been accepted.
func Sweep(dir string) (int, error) {
	removed := 0
	all, err := names(dir + sep + tmpDir)
	if err != nil {
		return 0, err
	}
	for _, name := range all {
		path := dir + sep + tmpDir + sep + name
		info, err := os.Stat(path)
		if err != nil || time.Since(info.ModTime()) < tmpAge {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return removed, err
		}
		removed++
	}
	return removed, nil
}
