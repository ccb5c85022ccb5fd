package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cmem/memory"
)

func TestABackupIsWholeWhileOthersWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "cmem.db")
	s := openStore(t, path)
	remember(t, s, memory.Observation{Title: "修复购物车"})
	var stop atomic.Bool
	wrote := make(chan error, 1)
	go func() { // pairs of events, each pair at once
		var err error
		for n := 0; err == nil && !stop.Load(); n += 2 {
			_, err = s.AddEvents(context.Background(), []memory.Event{
				{ID: fmt.Sprintf("%08d", n), SessionID: "pairs", CreatedAt: noon}, {ID: fmt.Sprintf("%08d", n+1), SessionID: "pairs", CreatedAt: noon},
			})
		}
		wrote <- err
	}()
	for range 5 {
		b, err := MakeBackup(t.Context(), path, "", false)
		if err != nil {
			t.Fatal(err)
		}
		if mode := modeOf(t, b.Path); runtime.GOOS != "windows" && mode != fileMode {
			t.Errorf("mode %04o", mode)
		}
		c, err := Open(t.Context(), b.Path)
		if err != nil {
			t.Fatal(err)
		}
		if found, err := c.Check(t.Context()); err != nil || len(found) != 0 {
			t.Errorf("findings %+v (%v)", found, err)
		}
		if n, err := number(t.Context(), c.read, "SELECT count(*) FROM events WHERE session_id = 'pairs'"); err != nil || n%2 != 0 {
			t.Errorf("%d events: half a transaction is in it (%v)", n, err)
		}
		if hits, err := c.Search(t.Context(), "购物车", memory.Filter{}, 5); err != nil || len(hits) != 1 {
			t.Errorf("%d hits (%v)", len(hits), err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	stop.Store(true)
	if err := <-wrote; err != nil {
		t.Error(err)
	}
	list, err := Backups(path)
	if err != nil || len(list) != 5 {
		t.Errorf("%d backups, want those that were asked for, all 5 (%v)", len(list), err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), backupFolder, ".*")); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
}

func modeOf(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestABackupReplacesNothingUnlessTold(t *testing.T) {
	path := oldStore(t)
	file := filepath.Join(t.TempDir(), "Sicherung 备份.db")
	if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := MakeBackup(t.Context(), path, file, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v, want fs.ErrExist", err)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "precious" {
		t.Errorf("the file was changed (%v)", err)
	}
	if _, err := MakeBackup(t.Context(), path, file, true); err != nil {
		t.Fatal(err)
	}
	if s := openStore(t, file); len(contentOf(t, s)["observations"]) != 1 {
		t.Error("the copy is not whole")
	}
	if _, err := MakeBackup(t.Context(), path, path, true); err == nil {
		t.Error("the store was replaced by its own copy")
	}
	if _, err := MakeBackup(t.Context(), path, t.TempDir(), true); err == nil {
		t.Error("a folder was replaced by a copy")
	}
	if _, err := MakeBackup(t.Context(), filepath.Join(t.TempDir(), "cmem.db"), "", false); !errors.Is(err, ErrNoStore) {
		t.Errorf("error %v, want ErrNoStore", err)
	}
}

func TestRestoreBringsABackupBackAndKeepsWhatWasThere(t *testing.T) {
	path, content := richStore(t)
	b, err := MakeBackup(t.Context(), path, "", false)
	if err != nil {
		t.Fatal(err)
	}
	s := openStore(t, path)
	late := remember(t, s, memory.Observation{Title: "later"})
	later := contentOf(t, s)
	reader, err := OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close() //nolint:errcheck // only read
	version(t, reader)

	r, err := RestoreBackup(t.Context(), path, b.Path)
	if err != nil {
		t.Fatal(err)
	}
	if r.Schema != newest(schema) || r.Totals.Sessions != 12 || r.Totals.Observations != len(content["observations"]) {
		t.Errorf("restored %+v", r)
	}
	// Who has the old one open knows, and writes nothing more to it.
	if _, err := reader.DataVersion(t.Context()); !errors.Is(err, ErrReplaced) {
		t.Errorf("error %v, want ErrReplaced", err)
	}
	if _, err := s.Edit(t.Context(), []int64{late[0].ID}, memory.Edit{Pinned: ptr(true)}); !errors.Is(err, ErrReplaced) {
		t.Errorf("error %v, want ErrReplaced", err)
	}
	fresh := openStore(t, path)
	if have := contentOf(t, fresh); !reflect.DeepEqual(have, content) {
		t.Error("the store is not what the backup was")
	}
	if found, err := fresh.Check(t.Context()); err != nil || len(found) != 0 {
		t.Errorf("findings %+v (%v)", found, err)
	}
	remember(t, fresh, memory.Observation{Title: "written after the restore"})
	// Closing what was open before takes nothing from the new store.
	for _, old := range []*Store{reader, s} {
		if err := old.Close(); err != nil {
			t.Error(err)
		}
	}
	if n, err := number(t.Context(), openStore(t, path).read, "SELECT count(*) FROM observations WHERE title = 'written after the restore'"); err != nil || n != 1 {
		t.Errorf("what was written after the restore is gone (%v)", err)
	}
	// And back again.
	if err := fresh.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := RestoreBackup(t.Context(), path, r.Kept); err != nil {
		t.Fatal(err)
	}
	if have := contentOf(t, openStore(t, path)); !reflect.DeepEqual(have, later) {
		t.Error("the store is not what it was before the restore")
	}
}

func TestWhatCannotBeRestoredChangesNothing(t *testing.T) {
	path := oldStore(t)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	newer := write("newer.db", before)
	mustExec(t, rawDB(t, newer), fmt.Sprintf("PRAGMA user_version = %d", newest(schema)+1))
	foreign := filepath.Join(dir, "foreign.db")
	mustExec(t, rawDB(t, foreign), "CREATE TABLE theirs (x)")
	torn := slices.Clone(before)
	for i := 5 * 4096; i < 9*4096; i++ {
		torn[i] = 0x55
	}
	as := func(target error) func(error) bool { return func(err error) bool { return errors.Is(err, target) } }
	tests := []struct {
		name, file string
		want       func(error) bool
	}{
		{"a newer store", newer, func(err error) bool {
			var e *NewerSchemaError
			return errors.As(err, &e) && e.Path == newer && strings.Contains(err.Error(), "update cmem")
		}},
		{"a database of others", foreign, as(ErrForeign)},
		{"text", write("text.db", []byte(strings.Repeat("不是", 4000))), as(ErrDamaged)},
		{"pages of rubbish", write("torn.db", torn), as(ErrDamaged)},
		{"a part of one", write("part.db", before[:len(before)/2]), as(ErrDamaged)},
		{"nothing in it", write("empty.db", nil), as(ErrNoStore)},
		{"no file", filepath.Join(dir, "none.db"), as(fs.ErrNotExist)},
		{"itself", path, func(err error) bool { return err != nil }},
		{"a folder", dir, func(err error) bool { return err != nil }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := RestoreBackup(t.Context(), path, tt.file); !tt.want(err) {
				t.Errorf("error %v", err)
			}
			after, err := os.ReadFile(path)
			if err != nil || !slices.Equal(before, after) {
				t.Errorf("the store was changed (%v)", err)
			}
			entries, err := os.ReadDir(filepath.Dir(path))
			if err != nil || len(entries) != 1 {
				t.Errorf("left over: %v (%v)", entries, err)
			}
		})
	}
}

func TestRestoreTakesThePlaceOfADamagedOrLostStore(t *testing.T) {
	path := oldStore(t)
	b, err := MakeBackup(t.Context(), path, "", false)
	if err != nil {
		t.Fatal(err)
	}
	damaged := strings.Repeat("不是数据库", 1000)
	if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := RestoreBackup(t.Context(), path, b.Path)
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := os.ReadFile(r.Kept); err != nil || string(kept) != damaged || !strings.Contains(r.Kept, damagedMark) {
		t.Errorf("kept as %s (%v)", r.Kept, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"-wal", []byte("of the lost one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err = RestoreBackup(t.Context(), path, b.Path); err != nil || r.Kept != "" {
		t.Fatalf("kept %q (%v)", r.Kept, err)
	}
	if n := len(contentOf(t, openStore(t, path))["observations"]); n != 1 {
		t.Errorf("%d observations", n)
	}
}

func TestTheLastThreeBackupsThatNobodyAskedForAreKept(t *testing.T) {
	path := oldStore(t)
	dir := filepath.Join(filepath.Dir(path), backupFolder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"cmem-20250101T000000Z.db", "cmem-20250102T000000Z.db", "cmem-20250103T000000Z-2.db", "cmem-20250104T000000Z.db",
		"cmem-20250101T000000Z-schema4.db", "cmem-20250102T000000Z-schema5.db", "cmem-20250103T000000Z-schema6-2.db", "cmem-20250104T000000Z-schema7.db",
		"cmem-20250101T000000Z-replaced.db", "cmem-20250102T000000Z-replaced.db", "cmem-20250103T000000Z-replaced.db", "cmem-20250104T000000Z-replaced-3.db",
		"cmem-20250104T000000Z-mine.db", "notes.txt",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, age := range map[string]time.Duration{".cmem-copy-1.tmp": 25 * time.Hour, ".cmem-copy-2.tmp": time.Minute} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	old := path + ".v1.bak"
	if err := os.WriteFile(old, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(old, noon, noon.AddDate(-5, 0, 0)); err != nil {
		t.Fatal(err)
	}
	for range 3 { // a migration that fails is tried again: one copy is enough
		if _, err := open(t.Context(), path, nextSchema("INSERT INTO no_such_table VALUES (1);")); err == nil {
			t.Fatal("it did not fail")
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, "cmem-"+time.Now().UTC().Format("2006")) && strings.Contains(name, fmt.Sprint("-schema", newest(schema))) {
			name = "the new one"
		}
		names = append(names, name)
	}
	slices.Sort(names)
	want := []string{
		".cmem-copy-2.tmp", // may still be written
		"cmem-20250101T000000Z.db", "cmem-20250102T000000Z-replaced.db", "cmem-20250102T000000Z.db",
		"cmem-20250103T000000Z-2.db", "cmem-20250103T000000Z-replaced.db", "cmem-20250103T000000Z-schema6-2.db",
		"cmem-20250104T000000Z-mine.db", "cmem-20250104T000000Z-replaced-3.db", "cmem-20250104T000000Z-schema7.db", "cmem-20250104T000000Z.db",
		"notes.txt", "the new one",
	}
	if !slices.Equal(names, want) {
		t.Errorf("left are\n%s\nwant\n%s", strings.Join(names, "\n"), strings.Join(want, "\n"))
	}
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the copy of an earlier cmem is still there (%v)", err)
	}
}
