// Package store is the only room of cmem that knows SQL: it keeps sessions,
// prompts, events, observations and summaries in one SQLite file and finds them
// again, by time, by filter and by full text.
//
// What a person changes by hand (Edit, Merge, Add, Delete) gives a Snapshot back
// with which Restore undoes it. A deleted memory leaves a tombstone, without its
// text, so that it does not come back from the events that it was made from.
//
// What the words in it mean is decided elsewhere. No hook payload is decoded
// here, nothing is compressed into an observation, ranked for a model or laid
// out for a person; and no SQL and no FTS5 syntax leaves the package.
package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the database/sql driver
)

const (
	// busyTimeout is how long a statement waits for another process's lock.
	busyTimeout = 5 * time.Second
	// maxReaders bounds the connections that read at the same time.
	maxReaders = 4
	// walLimit is the size, in bytes, that a checkpoint cuts the log back to.
	walLimit = 16 << 20

	applicationID = 0x636d656d // "cmem"
)

// Store is an open store. Its methods may be called from several goroutines and
// by several processes at once; writers take turns.
type Store struct {
	path  string
	file  fs.FileInfo // the store's file when it was opened
	read  *reader
	write *writer // nil when open for reading only

	watch  watcher
	recent recentTexts

	closing sync.Once
	closed  error // what closing it said

	now    func() time.Time
	scored int // see maxScored
}

// Open opens the store at path for reading and writing. It creates the file
// (mode 0600) and its directory (0700) where they are missing, and brings an
// older schema up to date, after writing a copy of it into the folder of backups.
// The error is ErrDamaged, ErrBusy, ErrForeign, a *NewerSchemaError or a
// *NoRoomError where one of them applies.
func Open(ctx context.Context, path string) (*Store, error) {
	s, err := open(ctx, path, schema)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, named(noRoom(err, path)))
	}
	return s, nil
}

func open(ctx context.Context, path string, steps []migration) (*Store, error) {
	return openWith(ctx, path, steps, true)
}

// openWith is open; without careful no backup is made before a migration.
func openWith(ctx context.Context, path string, steps []migration, careful bool) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return nil, err
	}
	for {
		s, err := openOnce(ctx, path, steps, careful)
		if errors.Is(err, ErrReplaced) {
			continue // just now: the other file may be in order
		}
		return s, err
	}
}

func openOnce(ctx context.Context, path string, steps []migration, careful bool) (*Store, error) {
	file, err := findOrMake(path)
	if err != nil {
		return nil, err
	}
	opened.add(path)
	w, err := openWriter(ctx, path, file)
	if err != nil {
		opened.remove(path)
		return nil, damage(path, err)
	}
	s := &Store{path: path, file: file, write: w, now: time.Now, scored: maxScored}
	// Where the gate is never shut, another file may have taken the place between the
	// opening of the file and that of its log.
	_, err = identify(ctx, w.conn)
	err = cmp.Or(s.replaced(), err)
	if err == nil {
		err = migrate(ctx, w, steps, careful)
	}
	if err == nil {
		err = w.findErasing(ctx)
	}
	if err == nil {
		s.read, err = openReader(path, file)
	}
	// Migrating may have waited for what puts another file in the place.
	if err == nil {
		if err = s.replaced(); err != nil {
			err = errors.Join(err, s.read.close())
		}
	}
	if err != nil {
		err = errors.Join(err, w.close())
		opened.remove(path)
		return nil, damage(path, err)
	}
	return s, nil
}

// findOrMake gives the store's file, after making an empty one where there is
// none: SQLite would give it the umask's permissions. Its -wal and -shm files get
// those of the file. A file that is there is not opened: when a process closes a
// file, the system forgets the locks that SQLite in the same process has on it.
func findOrMake(path string) (fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, fileMode)
	if err == nil {
		err = f.Close()
	} else if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	file, err := statFile(path)
	if err != nil || file.Size() > 0 {
		return file, err
	}
	// A new store has its first page before it has a log. SQLite would remove the log.
	if log, err := sizeOf(path + "-wal"); err != nil || log > 0 {
		return nil, errors.Join(fmt.Errorf("%w: it is empty, but its log is not", ErrDamaged), err)
	}
	return file, nil
}

// statFile tells of a file. To open a pipe would wait for who writes into it.
func statFile(path string) (fs.FileInfo, error) {
	st, err := os.Stat(path)
	if err == nil && !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	return st, err
}

// damage gives err, or what it means when the file does not begin as a store does.
func damage(path string, err error) error {
	if isBusy(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if lost := lostStart(path); errors.Is(lost, ErrDamaged) {
		return lost
	}
	return err
}

// OpenReadOnly opens the store at path for reading, with a single statement:
// a hook waits for it. It never creates or changes the file. The error is
// ErrNoStore, ErrOldSchema, ErrDamaged, ErrBusy or a *NewerSchemaError where one
// of them applies.
func OpenReadOnly(ctx context.Context, path string) (*Store, error) {
	s, err := openReadOnly(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, named(err))
	}
	return s, nil
}

func openReadOnly(ctx context.Context, path string) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	file, err := statFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoStore
	} else if err != nil {
		return nil, err
	}
	opened.add(path)
	r, err := openReader(path, file)
	if err != nil {
		opened.remove(path)
		return nil, err
	}
	s := &Store{path: path, file: file, read: r, now: time.Now, scored: maxScored}
	if err := s.readable(ctx); err != nil {
		err = errors.Join(err, r.close())
		opened.remove(path)
		if errors.Is(err, ErrReplaced) {
			return openReadOnly(ctx, path)
		}
		return nil, damage(path, err)
	}
	return s, nil
}

// readable gives the error of a store that cannot be read, or not by this program.
func (s *Store) readable(ctx context.Context) error {
	var have int
	err := s.read.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have)
	if err := cmp.Or(s.replaced(), err); err != nil { // see openOnce
		return err
	}
	want := newest(schema)
	switch {
	case have == 0:
		return ErrNoStore // created by another process that has not migrated it yet
	case have < want:
		return ErrOldSchema
	case have > want:
		return &NewerSchemaError{Path: s.path, Have: have, Want: want}
	}
	return nil
}

// Path gives the absolute path of the store's file.
func (s *Store) Path() string { return s.path }

// Close closes the store, after a running write. A second call does nothing.
func (s *Store) Close() error {
	s.closing.Do(func() { s.closed = s.close() })
	return s.closed
}

func (s *Store) close() error {
	var errs []error
	errs = append(errs, s.watch.close(), s.read.close())
	if s.write != nil {
		// Last, so that SQLite can fold the log into the file.
		errs = append(errs, s.write.close())
	}
	opened.remove(s.path)
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close store %s: %w", s.path, err)
	}
	return nil
}

// dsn gives the data source name of the file at the absolute path: an SQLite
// URI, so that no character of the path can be read as a parameter.
func dsn(path string, params ...string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // C:/… on Windows
	}
	u := url.URL{Scheme: "file", Path: p, RawQuery: strings.Join(params, "&")}
	return u.String()
}
