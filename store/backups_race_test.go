package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// schemasOf gives the schema versions of the backups before migrations.
func schemasOf(t *testing.T, path string) (versions []int) {
	t.Helper()
	list, err := Backups(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range list {
		if b.Reason != BackupMigration {
			continue
		}
		v, err := versionOf(b.Path)
		if err != nil {
			t.Fatal(err)
		}
		versions = append(versions, v)
	}
	return versions
}

// The slower one has looked at the version before the faster one migrated.
func TestTwoProgramsThatMigrateKeepACopyFromBefore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cmem.db")
	old := schema[:len(schema)-1]
	s, err := open(t.Context(), path, old)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.write.conn.ExecContext(t.Context(), `INSERT INTO sdk_sessions (session_id, created_at, created_at_epoch, last_event_at, last_event_at_epoch)
		VALUES ('s1', '2026-01-01T00:00:00Z', 1, '2026-01-01T00:00:00Z', 1)`); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	connect := func() *writer {
		w, err := openWriter(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := w.close(); err != nil {
				t.Error(err)
			}
		})
		return w
	}
	faster, slower := connect(), connect()
	have, err := identify(t.Context(), slower.conn)
	if err != nil || have != newest(old) {
		t.Fatalf("schema version %d (%v)", have, err)
	}
	if err := migrate(t.Context(), faster, schema, true); err != nil {
		t.Fatal(err)
	}
	if err := backUpForMigration(t.Context(), slower.conn, path, have); err != nil {
		t.Fatal(err)
	}
	if got := schemasOf(t, path); !slices.Equal(got, []int{have}) {
		t.Errorf("the backups have the schema versions %v, want %d", got, have)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), backupFolder, ".*")); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
}

// Each of them removes older copies of the version than its own, never newer ones.
func TestABackupBeforeAMigrationSparesNewerOnes(t *testing.T) {
	path := oldStore(t)
	w, err := openWriter(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.close(); err != nil {
			t.Error(err)
		}
	}()
	version := newest(schema)
	for _, at := range []time.Time{time.Now().Add(-time.Hour), time.Now().Add(time.Hour)} {
		name, err := newBackupPath(path, at, fmt.Sprint(migrationSuffix, version))
		if err != nil {
			t.Fatal(err)
		}
		if err := copyTo(t.Context(), w.conn, name, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := backUpForMigration(t.Context(), w.conn, path, version); err != nil {
		t.Fatal(err)
	}
	list, err := Backups(path)
	if err != nil || len(list) != 2 || list[0].At.Before(time.Now().Add(30*time.Minute)) || list[1].At.Before(time.Now().Add(-time.Minute)) {
		t.Errorf("backups %+v, want the newer one and the one made now (%v)", list, err)
	}
}

func TestACopyTakesNoPlaceThatWasTakenMeanwhile(t *testing.T) {
	dir := t.TempDir()
	part, final := filepath.Join(dir, ".cmem-copy-1.tmp"), filepath.Join(dir, "备份.db")
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(part, "ours")
	write(final, "precious")
	if err := putAt(part, final, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v, want fs.ErrExist", err)
	}
	if b, err := os.ReadFile(final); err != nil || string(b) != "precious" {
		t.Errorf("the file holds %q (%v)", b, err)
	}
	if _, err := os.Stat(part); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the copy is left over (%v)", err)
	}
	for _, replace := range []bool{true, false} {
		write(part, "ours")
		if err := putAt(part, final, replace); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(final); err != nil || string(b) != "ours" {
			t.Errorf("the file holds %q (%v)", b, err)
		}
		if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
			t.Errorf("the folder has %v (%v)", list, err)
		}
		if err := os.Remove(final); err != nil {
			t.Fatal(err)
		}
	}
}
