package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"cmem/memory"
)

// nextSchema is the schema with one more step.
func nextSchema(text string) []migration {
	return append(append([]migration(nil), schema...), migration{version: newest(schema) + 1, sql: text})
}

// oldStore makes a store of today's schema with one observation in it, and closes it.
func oldStore(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "cmem.db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	remember(t, s, memory.Observation{Title: "from before"})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// migrationBackup gives the path of the one backup that there is, which a migration
// made.
func migrationBackup(t *testing.T, path string) string {
	t.Helper()
	list, err := Backups(path)
	if err != nil || len(list) != 1 || list[0].Reason != BackupMigration {
		t.Fatalf("backups %+v (%v), want one made before a migration", list, err)
	}
	return list[0].Path
}

func TestMigrationBacksUpAndKeepsEverything(t *testing.T) {
	path := oldStore(t)
	s, err := open(t.Context(), path, nextSchema("CREATE TABLE novelty (id INTEGER PRIMARY KEY);"))
	if err != nil {
		t.Fatal(err)
	}
	version, err := number(t.Context(), s.read, "PRAGMA user_version")
	if err != nil || int(version) != newest(schema)+1 {
		t.Errorf("schema version %d, want %d (%v)", version, newest(schema)+1, err)
	}
	if list, err := s.ListObservations(t.Context(), memory.Filter{}, memory.Cursor{}, 10); err != nil || len(list) != 1 {
		t.Errorf("%d observations after the migration (%v)", len(list), err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	copied := migrationBackup(t, path)
	if info, err := os.Stat(copied); err != nil {
		t.Fatal(err)
	} else if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode != 0o600 {
		t.Errorf("the copy has mode %04o", mode)
	}
	b, err := OpenReadOnly(t.Context(), copied)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := b.ListObservations(t.Context(), memory.Filter{}, memory.Cursor{}, 10); err != nil || len(list) != 1 || list[0].Title != "from before" {
		t.Errorf("the copy has %v (%v)", list, err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

func TestTheFirstSchemaGrowsAfterACopy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "cmem.db")
	old, err := open(t.Context(), path, schema[:1])
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, sqliteDB(t, old),
		`INSERT INTO sdk_sessions (session_id, project, created_at, created_at_epoch, last_event_at, last_event_at_epoch)
			VALUES ('s1', '/p', '2026-11-30T08:00:00.000Z', 1, '2026-11-30T08:00:00.000Z', 1)`,
		`INSERT INTO observations (uid, session_id, project, created_at, created_at_epoch, type, content_hash, title)
			VALUES ('u', 's1', '/p', '2026-11-30T08:00:00.000Z', 1, 'change', 'h', '从前 the cart')`)
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, path)
	list, err := s.ListObservations(t.Context(), memory.Filter{}, memory.Cursor{}, 10)
	if err != nil || len(list) != 1 || list[0].Title != "从前 the cart" || list[0].StatusReason != "" || !list[0].EditedAt.IsZero() {
		t.Errorf("observations %+v (%v)", list, err)
	}
	if hits, err := s.Search(t.Context(), "cart", memory.Filter{}, 10); err != nil || len(hits) != 1 {
		t.Errorf("%d hits (%v)", len(hits), err)
	}
	migrationBackup(t, path)
	undo, err := s.Edit(t.Context(), []int64{list[0].ID}, memory.Edit{Pinned: ptr(true)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Restore(t.Context(), undo); err != nil {
		t.Fatal(err)
	}
	if found, err := s.Check(t.Context()); err != nil || len(found) != 0 {
		t.Errorf("findings %+v (%v)", found, err)
	}
}

func TestNewStoreNeedsNoBackup(t *testing.T) {
	s := newStore(t)
	if copies, err := Backups(s.Path()); err != nil || len(copies) != 0 {
		t.Errorf("a new store was backed up: %v (%v)", copies, err)
	}
}

func TestFailedMigrationChangesNothing(t *testing.T) {
	path := oldStore(t)
	_, err := open(t.Context(), path, nextSchema("CREATE TABLE half (id INTEGER); INSERT INTO no_such_table VALUES (1);"))
	if err == nil || !strings.Contains(err.Error(), fmt.Sprint("version ", newest(schema)+1)) {
		t.Fatalf("error %v, want one that names the step", err)
	}
	s := openStore(t, path)
	if n, err := number(t.Context(), s.read, "SELECT count(*) FROM sqlite_master WHERE name = 'half'"); err != nil || n != 0 {
		t.Errorf("half a migration is left (%v)", err)
	}
	if list, err := s.ListObservations(t.Context(), memory.Filter{}, memory.Cursor{}, 10); err != nil || len(list) != 1 {
		t.Errorf("%d observations after the failure (%v)", len(list), err)
	}
}

func TestNewerSchemaIsRefusedUntouched(t *testing.T) {
	path := oldStore(t)
	s, err := open(t.Context(), path, nextSchema("CREATE TABLE novelty (id INTEGER PRIMARY KEY);"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, forWriting := Open(t.Context(), path)
	_, forReading := OpenReadOnly(t.Context(), path)
	for _, err := range []error{forWriting, forReading} {
		var newer *NewerSchemaError
		if !errors.As(err, &newer) {
			t.Fatalf("error %v, want a NewerSchemaError", err)
		}
		if newer.Have != newest(schema)+1 || newer.Want != newest(schema) {
			t.Errorf("have %d, want %d", newer.Have, newer.Want)
		}
	}
}

func TestOldSchemaIsNotReadButAnnounced(t *testing.T) {
	path := oldStore(t)
	before := schema
	schema = nextSchema("")
	defer func() { schema = before }()
	if _, err := OpenReadOnly(t.Context(), path); !errors.Is(err, ErrOldSchema) {
		t.Errorf("error %v, want ErrOldSchema", err)
	}
}

func TestMigrationsOfTwoProcessesHappenOnce(t *testing.T) {
	path := oldStore(t)
	steps := nextSchema("CREATE TABLE once (id INTEGER PRIMARY KEY);")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s, err := open(t.Context(), path, steps)
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestSchemaStepsAreNumberedInOrder(t *testing.T) {
	files, err := migrationFiles.ReadDir("migrations")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(schema) {
		t.Errorf("%d files, %d steps", len(files), len(schema))
	}
	for i, m := range schema {
		if m.version != i+1 || m.file != "migrations/"+files[i].Name() {
			t.Errorf("step %d is version %d from %s, its file is %s", i, m.version, m.file, files[i].Name())
		}
	}
}

func TestOpeningAStoreThatIsUpToDateWritesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "cmem.db")
	s := openStore(t, path)
	remember(t, s, memory.Observation{Title: "购物车"})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := openStore(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file is another (%v)", err)
	}
}

func TestANewStoreIsMadeAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cmem.db")
	broken := nextSchema("CREATE TABLE x (")
	if _, err := open(t.Context(), path, broken); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("schema version %d", newest(broken))) {
		t.Fatalf("error %v", err)
	}
	if version, err := versionOf(path); err != nil || version != 0 {
		t.Errorf("it is there as schema version %d (%v)", version, err)
	}
	if _, err := OpenReadOnly(t.Context(), path); !errors.Is(err, ErrNoStore) {
		t.Errorf("readers find %v", err)
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
