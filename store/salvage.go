package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cmem/store/wreck"
)

var (
	// ErrSound says that a store is not damaged beyond what Fix repairs.
	ErrSound = errors.New("the store is not damaged")
	// ErrNothingLeft says that nothing of a damaged store can be read, and that there
	// are backups.
	ErrNothingLeft = errors.New("nothing of it can be read any more")
)

// Salvaged says what Salvage saved.
type Salvaged struct {
	Kept   string          `json:"kept"` // where the damaged store is now
	Tables []SalvagedTable `json:"tables"`
	// Done says that the fresh store is in place. An error beside that is of tidying up.
	Done bool `json:"-"`
}

// SalvagedTable says what was saved of a table.
type SalvagedTable struct {
	Name  string `json:"name"`
	Saved int    `json:"saved"` // rows
	Cut   int    `json:"cut"`   // those of them that have lost a part: the end of a text, a payload
	// Known is how many rows there were at least, as far as the damaged file tells.
	Known int `json:"known"`
	// Remade is how many rows were made anew from what refers to them: sessions.
	Remade int `json:"remade"`
}

// Rows gives how many rows were saved in all.
func (s Salvaged) Rows() (n int) {
	for _, t := range s.Tables {
		n += t.Saved
	}
	return n
}

// Salvage reads what is left of the damaged store at path into a fresh one, which
// takes its place, and keeps the damaged one beside it. Search index and counters
// are made anew. The worker must not be running; hooks and readers may. A store that
// is not damaged is left alone: ErrSound; one of which nothing is left, too, while
// there is a backup: ErrNothingLeft. Without a backup an empty store takes its
// place. When there is an error nothing has changed, unless Salvaged.Done
// is set; it can be ErrNoStore, ErrForeign, ErrBusy, a *NewerSchemaError or a
// *NoRoomError as well.
func Salvage(ctx context.Context, path string) (Salvaged, error) {
	s, err := salvage(ctx, path)
	if err != nil {
		return s, fmt.Errorf("salvage store %s: %w", path, named(err))
	}
	return s, nil
}

func salvage(ctx context.Context, path string) (saved Salvaged, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return saved, err
	}
	if err := damagedEnough(ctx, path); err != nil {
		return saved, err
	}
	if free, known := freeSpace(filepath.Dir(path)); known {
		size, err := sizeOf(path)
		if err != nil {
			return saved, err
		}
		if size += spareRoom; free < size {
			return saved, &NoRoomError{Folder: filepath.Dir(path), Need: size, Free: free}
		}
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), ".cmem-salvage-*.tmp")
	if err != nil {
		return saved, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	fresh := filepath.Join(dir, filepath.Base(path))
	err = standStill(ctx, path, func(l *lockout) (err error) {
		if l.main == nil {
			return ErrNoStore
		}
		if saved.Tables, err = rescue(ctx, l.main, path+"-wal", fresh); err != nil {
			return noRoom(err, fresh)
		}
		if saved.Rows() == 0 {
			if list, err := backups(path); err != nil || len(list) > 0 {
				return errors.Join(ErrNothingLeft, err)
			}
		}
		if saved.Kept, err = asidePath(path, time.Now()); err != nil {
			return err
		}
		saved.Done, err = l.swap(fresh, path, saved.Kept)
		return err
	})
	return saved, err
}

// damagedEnough gives an error when a store is not to be salvaged.
func damagedEnough(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNoStore
	}
	if err != nil {
		return err
	}
	if log, err := sizeOf(path + "-wal"); err == nil && info.Size() == 0 && log > 0 {
		return nil // SQLite would remove the log
	}
	if err := lostStart(path); errors.Is(err, ErrDamaged) {
		return nil
	}
	r, err := openReader(path, nil)
	if err != nil {
		return err
	}
	s := &Store{path: path, read: r}
	found, err := s.checkOwn(ctx)
	if err == nil {
		err = s.searchOpens(ctx)
	}
	if cerr := r.close(); err == nil {
		err = cerr
	}
	var newer *NewerSchemaError
	switch {
	case isBusy(err), ctx.Err() != nil, errors.As(err, &newer), errors.Is(err, ErrForeign):
		return err
	case err != nil: // not even the check can be made
		return nil
	case slices.ContainsFunc(found, func(f Finding) bool { return !f.Fixable }):
		return nil
	}
	return ErrSound
}

// searchOpens gives ErrDamaged when a search index cannot even be opened: its pages
// can be in order and what stands in them not, and then it cannot be rebuilt either.
func (s *Store) searchOpens(ctx context.Context) error {
	for _, x := range wordIndexes {
		_, err := number(ctx, s.read, x.query(`SELECT count(*) FROM $fts WHERE $fts MATCH '"a"' AND rowid = 0`))
		if err = named(err); errors.Is(err, ErrDamaged) {
			return err
		}
	}
	return nil // a missing one is made anew by Fix
}

// checkOwn is checkIntegrity of a file that may not be a store of ours.
func (s *Store) checkOwn(ctx context.Context) ([]Finding, error) {
	conn, err := s.read.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	version, err := identify(ctx, conn)
	if err := errors.Join(err, conn.Close()); err != nil {
		return nil, err
	}
	if want := newest(schema); version > want {
		return nil, &NewerSchemaError{Path: s.path, Have: version, Want: want}
	}
	return s.checkIntegrity(ctx)
}

// rescue writes what is left of a damaged store into a new one.
func rescue(ctx context.Context, main *os.File, walPath, fresh string) (tables []SalvagedTable, err error) {
	info, err := main.Stat()
	if err != nil {
		return nil, err
	}
	var file *wreck.File
	switch wal, err := os.Open(walPath); {
	case errors.Is(err, fs.ErrNotExist):
		file = wreck.Open(main, info.Size(), nil, 0)
	case err != nil:
		return nil, err
	default:
		defer wal.Close() //nolint:errcheck // only read
		log, err := wal.Stat()
		if err != nil {
			return nil, err
		}
		file = wreck.Open(main, info.Size(), wal, log.Size())
	}
	s, err := openWith(ctx, fresh, schema, false)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	objects := file.Schema()
	statements := map[string]string{}
	for _, o := range objects {
		if o.Kind == "table" {
			statements[o.Name] = o.SQL
		}
	}
	shapes, err := shapesOf(ctx, schema, statements)
	if err != nil {
		return nil, err
	}
	named := func(table string) bool {
		return slices.ContainsFunc(objects, func(o wreck.Object) bool { return o.Name == table })
	}
	if len(objects) > 0 && !slices.ContainsFunc(shapes, func(s shape) bool { return named(s.table) }) {
		return nil, ErrForeign
	}
	f := filler{store: s, shapes: shapes, roots: map[uint32]string{}, columns: map[string][]string{}, saved: map[string]*SalvagedTable{}}
	for _, shape := range shapes {
		tables = append(tables, SalvagedTable{Name: shape.table})
		if f.columns[shape.table], err = all(ctx, s.read, scanText, "SELECT name FROM pragma_table_info(?)", shape.table); err != nil {
			return nil, err
		}
	}
	for i := range tables {
		f.saved[tables[i].Name] = &tables[i]
	}
	for _, o := range objects {
		t := f.saved[o.Table]
		switch {
		case t == nil || o.Root == 0:
		case o.Kind == "table":
			f.roots[o.Root] = o.Name
		case o.Kind == "index" && !strings.Contains(strings.ToUpper(o.SQL), "WHERE"):
			t.Known = max(t.Known, file.Entries(o.Root))
		}
	}
	if err := f.fill(ctx, file); err != nil {
		return nil, err
	}
	for i := range tables {
		tables[i].Known = max(tables[i].Known, tables[i].Saved)
	}
	if _, err := s.Fix(ctx); err != nil {
		return nil, err
	}
	for i, t := range tables {
		n, err := number(ctx, s.read, "SELECT count(*) FROM "+t.Name)
		if err != nil {
			return nil, err
		}
		tables[i].Remade = int(n) - t.Saved
	}
	found, err := s.Check(ctx)
	for _, f := range found {
		if f.Name != CheckPermissions {
			err = errors.Join(err, fmt.Errorf("the fresh store is not sound: %s: %s", f.Name, f.Problem))
		}
	}
	return tables, err
}
