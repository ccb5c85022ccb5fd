package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	sqlite "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"cmem/memory"
)

var (
	// ErrNotFound says that no row has the asked id.
	ErrNotFound = errors.New("not found")
	// ErrDuplicate says that a change would make an observation say the same as
	// another one of its session. Nothing was changed.
	ErrDuplicate = errors.New("the session has an observation that says the same")
	// ErrChanged says that somebody has edited an observation since the change that
	// was to be undone, or since Edit.Since. Nothing was done.
	ErrChanged = errors.New("it was changed since, and stays as it is")
	// ErrNoStore says that there is no store at the path yet.
	ErrNoStore = errors.New("no store yet")
	// ErrOldSchema says that the store has to be migrated, which reading does not do.
	ErrOldSchema = errors.New("the store has an older schema")
	// ErrForeign says that the file is an SQLite database of another program.
	ErrForeign = errors.New("not a cmem store")
	// ErrReadOnly says that a store opened with OpenReadOnly was asked to write.
	ErrReadOnly = errors.New("the store is open for reading only")
	// ErrBusy says that another program held the write lock for longer than was
	// waited for. Nothing was done, and doing it again later can succeed.
	ErrBusy = errors.New("the database is busy: another program is writing; try again")
	// ErrDamaged says that the file is no SQLite database, or no whole one any
	// more. Trying again does not help; a copy of the file does.
	ErrDamaged = errors.New("the database file is damaged")
)

// NewerSchemaError says that a newer cmem wrote the store: this one must not touch it.
type NewerSchemaError struct {
	Path       string
	Have, Want int // the store's schema version and the newest that this program knows
}

func (e *NewerSchemaError) Error() string {
	return fmt.Sprintf("store %s has schema version %d, this cmem knows versions up to %d: update cmem", e.Path, e.Have, e.Want)
}

// MissingError says which rows are not there of those that a change was asked
// for. It is ErrNotFound, and nothing was changed: the others can be asked for
// again without them.
type MissingError struct {
	Refs []memory.Ref
}

// mostNamed is how many missing rows an error names one by one.
const mostNamed = 10

func (e *MissingError) Error() string {
	var names []string
	for _, ref := range e.Refs[:min(len(e.Refs), mostNamed)] {
		names = append(names, fmt.Sprintf("%s %d", ref.Kind, ref.ID))
	}
	if more := len(e.Refs) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ") + ": " + ErrNotFound.Error()
}

// Is makes the error ErrNotFound for errors.Is.
func (e *MissingError) Is(target error) bool { return target == ErrNotFound }

// IDs gives the ids of the missing rows of a kind.
func (e *MissingError) IDs(kind memory.ItemKind) []int64 {
	var ids []int64
	for _, ref := range e.Refs {
		if ref.Kind == kind {
			ids = append(ids, ref.ID)
		}
	}
	return ids
}

// named puts ErrBusy or ErrDamaged before an error of SQLite that means it, and
// gives any other as it is.
func named(err error) error {
	switch {
	case errors.Is(err, ErrBusy), errors.Is(err, ErrDamaged):
		return err
	case isBusy(err):
		return fmt.Errorf("%w (%w)", ErrBusy, err)
	case isDamage(err):
		return fmt.Errorf("%w (%w)", ErrDamaged, err)
	}
	return err
}

// isBusy reports whether err says that another process holds a lock.
func isBusy(err error) bool { return hasCode(err, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) }

// isDamage reports whether err says that the file is not a whole database.
func isDamage(err error) bool { return hasCode(err, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) }

// hasCode reports whether err is one of SQLite's with one of the primary codes.
func hasCode(err error, codes ...int) bool {
	have, ok := sqliteCode(err)
	return ok && slices.Contains(codes, have&0xff)
}

// sqliteCode gives the extended code of an error of SQLite's.
func sqliteCode(err error) (code int, ok bool) {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return 0, false
	}
	return e.Code(), true
}
