package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"time"
)

// ErrReplaced says that the store's file was removed or that another file stands
// at its path. What is open is no longer the store of that path, so that nothing
// is written to it any more.
var ErrReplaced = errors.New("the store's file was removed or replaced")

const (
	// askAgain is after what time SQLite is asked although the files look untouched.
	askAgain = 2 * time.Second
	// settled is how old a file's last change must be before an equal look of the
	// file means that it was not changed: the time of a file moves in steps, and two
	// writes can fall into one.
	settled = 100 * time.Millisecond
)

// watcher answers DataVersion. An idle browser asks many times a second, so it
// looks at the files first, which costs a few microseconds, and asks SQLite only
// when something can have changed.
type watcher struct {
	mu      sync.Mutex
	conn    *sql.Conn // pinned: SQLite compares within one connection
	version int64     // what SQLite said at asked, when the files looked like seen
	seen    [2]look
	asked   time.Time
}

// look is what can be seen of a file without reading it.
type look struct {
	size    int64
	changed time.Time
}

// DataVersion gives a number that changes when any other connection, of this
// process or another, has committed a change; what this Store writes counts too.
// It reads no data and may be called as often as one likes. The error is
// ErrReplaced when the store's file is not there any more or is another one.
func (s *Store) DataVersion(ctx context.Context) (int64, error) {
	v, err := s.watch.dataVersion(ctx, s)
	if err != nil {
		return 0, fmt.Errorf("watch the store: %w", err)
	}
	return v, nil
}

// inUse reports whether DataVersion was asked for before.
func (w *watcher) inUse() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.conn != nil
}

func (w *watcher) dataVersion(ctx context.Context, s *Store) (int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	// Looked at before SQLite is asked: a write in between is seen the next time.
	file, looks, err := lookAt(s.path)
	if err != nil {
		return 0, err
	}
	if !os.SameFile(s.file, file) {
		return 0, ErrReplaced
	}
	now := time.Now()
	if w.conn != nil && looks == w.seen && now.Sub(w.asked) < askAgain && w.asked.Sub(looks[0].changed) > settled &&
		w.asked.Sub(looks[1].changed) > settled && runtime.GOOS != "windows" { // which tells the times of open files late
		return w.version, nil
	}
	if w.conn == nil {
		if w.conn, err = s.read.db.Conn(ctx); err != nil {
			return 0, err
		}
	}
	if err := w.conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&w.version); err != nil {
		w.asked = time.Time{}
		return 0, err
	}
	w.seen, w.asked = looks, now
	return w.version, nil
}

// replaced gives ErrReplaced when the file at the store's path is not the one that
// is open. What would be written to that goes with it when it is closed.
func (s *Store) replaced() error {
	return sameFile(s.path, s.file)
}

// lookAt looks at the store's file and its log.
func lookAt(path string) (file fs.FileInfo, looks [2]look, err error) {
	for i, name := range []string{path, path + "-wal"} {
		info, err := os.Stat(name)
		switch {
		case err == nil:
			looks[i] = look{info.Size(), info.ModTime()}
		case !errors.Is(err, fs.ErrNotExist):
			return nil, looks, err
		case i == 0:
			return nil, looks, ErrReplaced
		}
		if i == 0 {
			file = info
		}
	}
	return file, looks, nil
}

func (w *watcher) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn == nil {
		return nil
	}
	err := w.conn.Close()
	w.conn = nil
	return err
}
