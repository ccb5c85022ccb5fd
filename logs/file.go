package logs

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"
)

const (
	fileName = "cmem.log"
	oldName  = "cmem.log.1" // the one before
	lockName = "cmem.log.lock"
	maxFile  = 4 << 20
)

// file appends lines to the log. It is opened for each line, since lines are few:
// so a process that lives for days follows a rotation that another one did, keeps
// no handle that would hinder a rename on Windows, and does not write into a
// directory that was moved away.
type file struct {
	dir string
	max int64
	mu  sync.Mutex
}

// Write appends one line. The system keeps appends of different processes apart
// when each is one write.
func (f *file) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fits, err := f.append(line, false)
	if err == nil && !fits {
		rotate(f.dir, f.max)
		_, err = f.append(line, true)
	}
	if err != nil {
		return 0, err
	}
	return len(line), nil
}

// append writes the line and reports true, unless the file would become too large;
// then it does so only when it must.
func (f *file) append(line []byte, must bool) (fits bool, err error) {
	h, err := os.OpenFile(filepath.Join(f.dir, fileName), os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return false, err
	}
	defer func() {
		if cerr := h.Close(); err == nil {
			err = cerr
		}
	}()
	info, err := h.Stat()
	if err != nil {
		return false, err
	}
	fits = info.Size() == 0 || info.Size()+int64(len(line)) <= f.max
	if !fits && !must {
		return false, nil
	}
	if torn(h, info.Size()) {
		line = append([]byte{'\n'}, line...)
	}
	_, err = h.Write(line)
	return fits, err
}

// torn reports whether the file ends within a line: a full disk or a power cut
// left it so. The next line must not be lost with that one.
func torn(h *os.File, size int64) bool {
	if size == 0 {
		return false
	}
	var last [1]byte
	_, err := h.ReadAt(last[:], size-1)
	return err == nil && last[0] != '\n'
}

// rotate makes the log the one before and lets a new one begin. One process does
// it; two at once would throw away the one before and the log itself. Where the
// file cannot be renamed it is emptied once it has twice its size.
func rotate(dir string, limit int64) {
	lock := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err == nil && !locked {
		return // another process is doing it
	}
	if locked {
		defer lock.Close() //nolint:errcheck // the lock goes with the process at the latest
	}
	path := filepath.Join(dir, fileName)
	info, serr := os.Stat(path)
	if serr != nil || info.Size() <= limit/2 {
		return // it was done meanwhile
	}
	if err == nil {
		err = os.Rename(path, filepath.Join(dir, oldName))
	}
	if err != nil && info.Size() > 2*limit {
		_ = os.Truncate(path, 0) // what cannot be bounded either way stays as it is
	}
}
