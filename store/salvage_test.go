package store

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"cmem/memory"
	"cmem/store/wreck"
)

// seeds is how many kinds of each damage a run tries: go test ./store -run Salvage -seeds 100
var seeds = flag.Uint("seeds", 4, "how often each kind of damage is tried")

// Whatever is damaged: what stands on the other pages is saved as it was, and
// nothing comes back that was deleted.
func TestSalvageSavesEverythingThatCanBeRead(t *testing.T) {
	slow(t)
	path, content := richStore(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	pages := pagesOf(t, path)
	count := len(whole) / 4096
	pick := func(r *rand.Rand) int { return 1 + r.IntN(count) }
	rubbish := func(r *rand.Rand, b []byte) {
		for i := range b {
			b[i] = byte(r.Uint32())
		}
	}
	kinds := []struct {
		name   string
		damage func(b []byte, r *rand.Rand) (left []byte, hit []int)
	}{
		{"a page of rubbish", func(b []byte, r *rand.Rand) ([]byte, []int) {
			n := pick(r)
			rubbish(r, b[(n-1)*4096:n*4096])
			return b, []int{n}
		}},
		{"a page of zeros", func(b []byte, r *rand.Rand) ([]byte, []int) {
			n := pick(r)
			clear(b[(n-1)*4096 : n*4096])
			return b, []int{n}
		}},
		{"a page that is a copy of another", func(b []byte, r *rand.Rand) ([]byte, []int) {
			n, of := pick(r), pick(r)
			copy(b[(n-1)*4096:n*4096], b[(of-1)*4096:of*4096])
			return b, []int{n}
		}},
		{"several pages in a row", func(b []byte, r *rand.Rand) ([]byte, []int) {
			n := min(pick(r), count-8)
			var hit []int
			for i := range 1 + r.IntN(8) {
				rubbish(r, b[(n+i-1)*4096:(n+i)*4096])
				hit = append(hit, n+i)
			}
			return b, hit
		}},
		{"a piece of a page", func(b []byte, r *rand.Rand) ([]byte, []int) {
			n, from, long := pick(r), r.IntN(4000), 1+r.IntN(95)
			rubbish(r, b[(n-1)*4096+from:(n-1)*4096+from+long])
			return b, []int{n}
		}},
		{"the beginning", func(b []byte, r *rand.Rand) ([]byte, []int) {
			long := 1 + r.IntN(3*4096)
			rubbish(r, b[:long])
			return b, []int{1, 2, 3}
		}},
		{"cut off", func(b []byte, r *rand.Rand) ([]byte, []int) {
			at := r.IntN(len(b))
			var hit []int
			for n := at/4096 + 1; n <= count; n++ {
				hit = append(hit, n)
			}
			return b[:at], hit
		}},
		{"a hole of a tenth", func(b []byte, r *rand.Rand) ([]byte, []int) {
			n := 1 + r.IntN(count*9/10)
			var hit []int
			for i := range count / 10 {
				hit = append(hit, n+i)
			}
			clear(b[(n-1)*4096 : (n-1+count/10)*4096])
			return b, hit
		}},
	}
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			const enough = 50 // a small damage often meets what is unused
			salvaged := 0
			for seed := uint64(0); seed < uint64(*seeds) || salvaged == 0 && seed < enough; seed++ {
				left, hit := kind.damage(slices.Clone(whole), rand.New(rand.NewPCG(seed, 7)))
				if salvageOf(t, fmt.Sprintf("seed %d, pages %v", seed, hit), left, hit, pages, content) {
					salvaged++
				}
			}
			if salvaged == 0 {
				t.Error("nothing was damaged")
			}
		})
	}
}

// salvageOf salvages a file with damage on the hit pages and compares what comes
// out with what was in it. It reports whether SQLite saw the damage.
func salvageOf(t *testing.T, name string, damaged []byte, hit []int, pages map[int]pageUse, content tablesContent) bool {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cmem.db")
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	saved, err := Salvage(t.Context(), path)
	if errors.Is(err, ErrSound) {
		return false
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return false
	}
	lost, changed := map[string]int{}, map[string]int{}
	for _, n := range hit {
		p := pages[n]
		changed[p.tree]++ // of a row that went on in that page
		if p.kind == "leaf" {
			lost[p.tree] += p.cells
			changed[p.tree] += p.cells
		}
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return true
	}
	defer s.Close() //nolint:errcheck // only read
	if found, err := s.Check(t.Context()); err != nil || len(soundButFolder(found)) != 0 {
		t.Errorf("%s: findings %+v (%v)", name, found, err)
	}
	for table, rows := range contentOf(t, s) {
		missing, other := 0, 0
		for id, values := range content[table] {
			switch have := rows[id]; {
			case have == nil:
				missing++
			case !reflect.DeepEqual(have, values) && !sameButCounters(table, have, values):
				other++
			}
		}
		if missing > lost[table] || other > changed[table] {
			t.Errorf("%s: %s: %d of %d rows are missing, %d are different; at most %d and %d of them stood on damaged pages",
				name, table, missing, len(content[table]), other, lost[table], changed[table])
		}
		for id := range rows {
			if content[table][id] == nil && table != "sdk_sessions" { // of which lost ones are made anew
				t.Errorf("%s: %s has a row %d that was not there", name, table, id)
			}
		}
		i := slices.IndexFunc(saved.Tables, func(s SalvagedTable) bool { return s.Name == table })
		if n := len(content[table]) - missing; i < 0 || saved.Tables[i].Saved+saved.Tables[i].Remade != len(rows) || saved.Tables[i].Saved != n && table != "sdk_sessions" {
			t.Errorf("%s: says %+v of %s, %d rows are there", name, saved.Tables, table, n)
		}
	}
	if b, err := os.ReadFile(saved.Kept); err != nil || !slices.Equal(b, damaged) {
		t.Errorf("%s: the damaged store was not kept as it was (%v)", name, err)
	}
	return true
}

// soundButFolder leaves out what is said of the test's folder.
func soundButFolder(found []Finding) []Finding {
	return slices.DeleteFunc(found, func(f Finding) bool { return f.Name == CheckPermissions })
}

// sameButCounters compares rows of sessions without what is counted anew.
func sameButCounters(table string, a, b []any) bool {
	if table != "sdk_sessions" {
		return false
	}
	return reflect.DeepEqual(a[:15], b[:15]) && a[17] == b[17]
}

func TestASoundStoreIsNeverSalvaged(t *testing.T) {
	path, content := richStore(t)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Salvage(t.Context(), path); !errors.Is(err, ErrSound) {
		t.Errorf("error %v, want ErrSound", err)
	}
	after, err := os.ReadFile(path)
	if err != nil || !slices.Equal(before, after) {
		t.Errorf("the store was changed (%v)", err)
	}
	s := openStore(t, path)
	if !reflect.DeepEqual(contentOf(t, s), content) {
		t.Error("it holds something else")
	}
}

func TestNobodyElsesAndNoNewerStoreIsSalvaged(t *testing.T) {
	path := oldStore(t)
	mustExec(t, rawDB(t, path), fmt.Sprintf("PRAGMA user_version = %d", newest(schema)+1))
	var newer *NewerSchemaError
	if _, err := Salvage(t.Context(), path); !errors.As(err, &newer) {
		t.Errorf("error %v, want a NewerSchemaError", err)
	}
	foreign := filepath.Join(t.TempDir(), "cmem.db")
	mustExec(t, rawDB(t, foreign), "CREATE TABLE theirs (x)", "INSERT INTO theirs VALUES ('precious')")
	for range 2 { // sound, then damaged
		if _, err := Salvage(t.Context(), foreign); !errors.Is(err, ErrForeign) {
			t.Errorf("error %v, want ErrForeign", err)
		}
		if err := os.Truncate(foreign, 4096+100); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Salvage(t.Context(), filepath.Join(t.TempDir(), "cmem.db")); !errors.Is(err, ErrNoStore) {
		t.Errorf("error %v, want ErrNoStore", err)
	}
}

// rawDB opens a file as another program would.
func rawDB(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// What was committed and is only in the log yet is saved with it; without the log
// what is in the file is.
func TestSalvageReadsTheLog(t *testing.T) {
	path, content := richStore(t)
	s := openStore(t, path)
	// Who stands in a state of the store keeps what comes later in the log.
	reader, err := rawDB(t, path).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{"BEGIN", "SELECT count(*) FROM observations"} {
		if _, err := reader.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	remember(t, s, memory.Observation{Title: "只在日志里", Narrative: "only in the log"})
	want := contentOf(t, s)
	dir := filepath.Join(t.TempDir(), "copied")
	copied := filepath.Join(dir, "cmem.db")
	copyStore := func(endings ...string) {
		t.Helper()
		if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil {
			t.Fatal(err)
		}
		for _, ending := range endings {
			b, err := os.ReadFile(path + ending)
			if err != nil {
				t.Fatal(err)
			}
			if ending == "" {
				clear(b[:4096])
			}
			if err := os.WriteFile(copied+ending, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	check := func(want tablesContent) {
		t.Helper()
		if _, err := Salvage(t.Context(), copied); err != nil {
			t.Fatal(err)
		}
		got, err := Open(t.Context(), copied)
		if err != nil {
			t.Fatal(err)
		}
		if have := contentOf(t, got); !reflect.DeepEqual(have, want) {
			for table := range want {
				t.Errorf("%s: %d rows, want %d", table, len(have[table]), len(want[table]))
			}
		}
		if err := got.Close(); err != nil {
			t.Error(err)
		}
	}
	copyStore("", "-wal")
	check(want)
	copyStore("")
	check(content)
	// A file of no length beside a log: SQLite would throw the log away.
	copyStore("-wal")
	if err := os.WriteFile(copied, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), copied); !errors.Is(err, ErrDamaged) {
		t.Fatalf("error %v, want ErrDamaged", err)
	}
	saved, err := Salvage(t.Context(), copied)
	if err != nil || saved.Rows() == 0 {
		t.Errorf("saved %+v (%v)", saved, err)
	}
}

func TestWithNothingLeftABackupIsWorthMoreThanAnEmptyStore(t *testing.T) {
	path := oldStore(t)
	if _, err := MakeBackup(t.Context(), path, "", false); err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("这不是数据库。\n", 500)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Salvage(t.Context(), path); !errors.Is(err, ErrNothingLeft) {
		t.Fatalf("error %v, want ErrNothingLeft", err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != text {
		t.Errorf("the file was changed (%v)", err)
	}
	if err := os.RemoveAll(filepath.Join(filepath.Dir(path), backupFolder)); err != nil {
		t.Fatal(err)
	}
	saved, err := Salvage(t.Context(), path)
	if err != nil || saved.Rows() != 0 {
		t.Fatalf("saved %+v (%v)", saved, err)
	}
	if b, err := os.ReadFile(saved.Kept); err != nil || string(b) != text {
		t.Errorf("what was there was not kept (%v)", err)
	}
	remember(t, openStore(t, path), memory.Observation{Title: "a new beginning"})
}

// Rows of no table look like those of another, so that a page to which nothing
// leads any more can be told.
func TestRowsOfEachTableAreToldByTheirLooks(t *testing.T) {
	path, content := richStore(t)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // only read
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	f := filler{shapes: mustShapes(t)}
	got := map[string]int{}
	for r := range wreck.Open(file, info.Size(), nil, 0).Rows(nil) {
		if s, ok := f.shapeOf(r); ok {
			got[s.table]++
		}
	}
	want := map[string]int{}
	for table, rows := range content {
		if len(rows) > 0 {
			want[table] = len(rows)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
}

func TestSalvageThatIsCalledOffChangesNothing(t *testing.T) {
	path, _ := richStore(t)
	if err := os.Truncate(path, 200_000); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Salvage(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return strings.Contains(e.Name(), "salvage") || strings.Contains(e.Name(), "damaged")
	}) {
		t.Errorf("left over: %v (%v)", entries, err)
	}
}
