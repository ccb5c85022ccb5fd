package store

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"cmem/store/wreck"
)

// everyValue is a file with a value of every kind and length, as SQLite writes it, and
// what it wrote.
func everyValue(t *testing.T, pragmas ...string) (file, log []byte, rows map[int64][]any) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "every.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	exec := func(statement string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), statement, args...); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	for _, p := range append(pragmas, "PRAGMA synchronous = OFF") {
		exec(p)
	}
	exec("CREATE TABLE every (id INTEGER PRIMARY KEY, a, b)")
	exec("CREATE INDEX every_a ON every (a)")
	rows = map[int64][]any{}
	id := int64(0)
	add := func(v any) {
		id++
		exec("INSERT INTO every VALUES (?, ?, ?)", id, v, id)
		rows[id] = []any{nil, v, id}
	}
	for _, n := range []int64{0, 1, -1, 2, 127, -128, 128, 32767, -32768, 1 << 20, -1 << 23, 1 << 30, -1 << 31, 1 << 40, -1 << 47, math.MaxInt64, math.MinInt64} {
		add(n)
	}
	add(nil)
	add(1.5)
	add(-math.MaxFloat64)
	for _, long := range []int{0, 1, 57, 58, 500, 4000, 4050, 4060, 4061, 4062, 4063, 4091, 4092, 8200, 70_000} {
		add(strings.Repeat("x", long))
		add(bytes.Repeat([]byte{0xe8}, long))
	}
	add("总价 🛒")
	for range 300 {
		add("购物车")
	}
	if file, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	if log, err = os.ReadFile(path + "-wal"); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return file, log, rows
}

func wreckOf(file, log []byte) *wreck.File {
	if log == nil {
		return wreck.Open(bytes.NewReader(file), int64(len(file)), nil, 0)
	}
	return wreck.Open(bytes.NewReader(file), int64(len(file)), bytes.NewReader(log), int64(len(log)))
}

func TestEveryValueIsReadAsSQLiteWroteIt(t *testing.T) {
	for _, pragmas := range [][]string{
		nil, {"PRAGMA page_size = 512"}, {"PRAGMA page_size = 65536"}, {"PRAGMA auto_vacuum = 2"},
		{"PRAGMA journal_mode = WAL"}, {"PRAGMA page_size = 1024", "PRAGMA journal_mode = WAL", "PRAGMA wal_autocheckpoint = 20"},
	} {
		t.Run(strings.Join(pragmas, " "), func(t *testing.T) {
			file, log, want := everyValue(t, pragmas...)
			f := wreckOf(file, log)
			schema := f.Schema()
			names := []string{}
			var roots []uint32
			for _, o := range schema {
				names = append(names, o.Kind+" "+o.Name)
				if o.Kind == "table" {
					roots = append(roots, o.Root)
				}
			}
			if !slices.Equal(names, []string{"table every", "index every_a"}) {
				t.Fatalf("schema %v", names)
			}
			got := map[int64][]any{}
			for r := range f.Rows(roots) {
				if r.Root != roots[0] {
					t.Errorf("row %d is of the tree %d", r.ID, r.Root)
				}
				got[r.ID] = r.Values
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%d rows, want %d", len(got), len(want))
				for id := range want {
					if !reflect.DeepEqual(got[id], want[id]) {
						t.Errorf("row %d: %.60s", id, fmt.Sprint(got[id]))
					}
				}
			}
			if n := f.Entries(schema[1].Root); n != len(want) {
				t.Errorf("%d entries in the index, want %d", n, len(want))
			}
			// Without a tree that leads to them the rows are there, too.
			n := 0
			for r := range f.Rows(nil) {
				if r.Root == 0 && len(r.Values) == 3 {
					n++
				}
			}
			if n != len(want) {
				t.Errorf("%d rows on pages that nothing leads to, want %d", n, len(want))
			}
		})
	}
}

// A log counts as far as it is whole: up to the last commit before what is broken.
func TestABrokenLogCountsUpToWhatIsBroken(t *testing.T) {
	file, log, want := everyValue(t, "PRAGMA journal_mode = WAL", "PRAGMA wal_autocheckpoint = 0")
	const head, frame = 32, 24 + 4096
	last := len(want)
	for frames := (len(log) - head) / frame; frames > 0; frames -= 7 {
		torn := slices.Clone(log)
		torn[head+frames*frame-100] ^= 1
		n := 0
		for range wreckOf(file, torn).Rows(nil) {
			n++
		}
		if n > last+2 { // two of the schema
			t.Errorf("with %d whole frames %d rows, with more of them %d", frames-1, n, last)
		}
		last = n
	}
	if last >= len(want) {
		t.Errorf("%d rows in a log that is broken at its beginning", last)
	}
}
