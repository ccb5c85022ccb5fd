package store

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

// childMigration, in the environment, makes the test binary migrate the store at
// that path with slowSchema.
const childMigration = "CMEM_TEST_CHILD_MIGRATION"

// slowSchema is the schema with a step that takes a while and is wrong when done
// twice or by half.
func slowSchema() []migration {
	return nextSchema(`CREATE TABLE novelty (n INTEGER NOT NULL, t TEXT NOT NULL);
		WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 40000)
			INSERT INTO novelty SELECT n, hex(randomblob(60)) FROM c;
		CREATE INDEX novelty_by_text ON novelty (t);
		UPDATE observations SET subtitle = subtitle || '+';`)
}

// pastStore gives a store that the cmem of that time has written.
func pastStore(t *testing.T, version int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "data", "cmem.db")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(fmt.Sprintf("testdata/schema-%d.db.gz", version))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// valuesOf gives what stands in the columns of a store's tables.
func valuesOf(t *testing.T, path string, columns map[string]string) map[string][][]any {
	t.Helper()
	got := map[string][][]any{}
	r, err := openReader(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for table, names := range columns {
		n := strings.Count(names, ",") + 1
		if got[table], err = all(t.Context(), r, scanValues(n), "SELECT "+names+" FROM "+table+" ORDER BY id"); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
	return got
}

// columnsIn gives the columns of a schema's tables of what cannot be made anew.
func columnsIn(t *testing.T, steps []migration) map[string]string {
	t.Helper()
	shapes, err := shapesOf(t.Context(), steps, nil)
	if err != nil {
		t.Fatal(err)
	}
	columns := map[string]string{}
	for _, s := range shapes {
		columns[s.table] = namesOf(s)
	}
	return columns
}

func TestEverySchemaOfThePastIsMigratedAfterABackup(t *testing.T) {
	for version := 1; version < newest(schema); version++ {
		t.Run(fmt.Sprint("schema ", version), func(t *testing.T) {
			path := pastStore(t, version)
			columns := columnsIn(t, schema[:version])
			before := valuesOf(t, path, columns)
			if len(before["observations"]) == 0 || len(before["events"]) == 0 {
				t.Fatal("there is nothing in it")
			}
			s := openStore(t, path)
			if have, err := number(t.Context(), s.read, "PRAGMA user_version"); err != nil || int(have) != newest(schema) {
				t.Errorf("schema version %d (%v)", have, err)
			}
			if after := valuesOf(t, path, columns); !reflect.DeepEqual(before, after) {
				t.Error("what was in it is not what it was")
			}
			healthy(t, s)
			if hits, err := s.Search(t.Context(), "购物车", memory.Filter{}, 5); err != nil || len(hits) != 2 {
				t.Errorf("%d hits (%v)", len(hits), err)
			}
			copied := migrationBackup(t, path)
			if !reflect.DeepEqual(valuesOf(t, copied, columns), before) {
				t.Error("the backup is not what the store was")
			}
			// And the backup can be restored.
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if r, err := RestoreBackup(t.Context(), path, copied); err != nil || r.Schema != version || r.Totals.Observations != 2 {
				t.Errorf("restored %+v (%v)", r, err)
			}
			if have := valuesOf(t, path, columns); !reflect.DeepEqual(have, before) {
				t.Error("what was restored is not what it was")
			}
		})
	}
}

// A damaged store of the past is salvaged into today's schema.
func TestADamagedStoreOfThePastIsSalvaged(t *testing.T) {
	for version := 1; version < newest(schema); version++ {
		path := pastStore(t, version)
		columns := columnsIn(t, schema[:version])
		before := valuesOf(t, path, columns)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		clear(b[:4096])
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Salvage(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		if have := valuesOf(t, path, columns); !reflect.DeepEqual(have, before) {
			t.Errorf("schema %d: what was salvaged is not what was there", version)
		}
		healthy(t, openStore(t, path))
	}
}

func TestAFailedMigrationLeavesTheFileAsItWas(t *testing.T) {
	for version := 1; version < newest(schema); version++ {
		path := pastStore(t, version)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		steps := append(slices.Clone(schema[:version]), migration{version: version + 1, sql: `
			UPDATE observations SET title = 'spoiled'; CREATE TABLE half (x); DROP TABLE session_summaries; INSERT INTO no_such_table VALUES (1);`})
		if _, err := open(t.Context(), path, steps); err == nil || !strings.Contains(err.Error(), fmt.Sprint("version ", version+1)) {
			t.Errorf("schema %d: error %v, want one that names the step", version, err)
		}
		after, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(before, after) {
			t.Errorf("schema %d: the file is another (%v)", version, err)
		}
		if _, err := os.Stat(path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("schema %d: a log is left (%v)", version, err)
		}
	}
}

// migrating starts processes that migrate the store.
func migrating(t *testing.T, path string, n int) (running []*exec.Cmd) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for range n {
		c := exec.CommandContext(t.Context(), exe)
		c.Env = append(os.Environ(), childMigration+"="+path)
		c.Stderr = os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, c)
	}
	return running
}

func TestAMigrationKilledAtAnyPointIsWholeOrNotDone(t *testing.T) {
	slow(t)
	columns := columnsIn(t, schema)
	r := rand.New(rand.NewPCG(4, 2))
	began := time.Now()
	path := oldStore(t)
	for _, c := range migrating(t, path, 1) {
		if err := c.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	takes := time.Since(began)
	halves := map[string]int{}
	for round := range 12 {
		path := oldStore(t)
		before := valuesOf(t, path, columns)
		c := migrating(t, path, 1)[0]
		time.Sleep(time.Duration(r.Int64N(int64(takes))))
		_ = c.Process.Kill() // it may have ended
		_ = c.Wait()
		version, rows := stateOf(t, path)
		switch {
		case version == newest(schema) && rows == 0:
			halves["before"]++
			if after := valuesOf(t, path, columns); !reflect.DeepEqual(before, after) {
				t.Errorf("round %d: what was in the store has changed", round)
			}
		case version == newest(schema)+1 && rows == 40000:
			halves["after"]++
		default:
			t.Fatalf("round %d: schema version %d with %d rows of the new table", round, version, rows)
		}
		s, err := open(t.Context(), path, slowSchema())
		if err != nil {
			t.Fatalf("round %d: the next one cannot migrate it: %v", round, err)
		}
		if version, rows := stateOf(t, path); version != newest(schema)+1 || rows != 40000 {
			t.Errorf("round %d: schema version %d with %d rows", round, version, rows)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if list, err := Backups(path); err != nil || len(list) != 1 {
			t.Errorf("round %d: backups %v (%v)", round, list, err)
		}
	}
	if halves["before"] == 0 {
		t.Errorf("killed %v: never in time", halves)
	}
}

// stateOf gives a store's schema version and the rows of the table of slowSchema.
func stateOf(t *testing.T, path string) (version int, rows int64) {
	t.Helper()
	w, err := openWriter(context.Background(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close() //nolint:errcheck // only read
	if version, err = identify(t.Context(), w.conn); err != nil {
		t.Fatal(err)
	}
	err = w.conn.QueryRowContext(t.Context(), "SELECT count(*) FROM sqlite_master WHERE name = 'novelty'").Scan(&rows)
	if err == nil && rows > 0 {
		err = w.conn.QueryRowContext(t.Context(), "SELECT count(*) FROM novelty").Scan(&rows)
	}
	if err != nil {
		t.Fatal(err)
	}
	return version, rows
}

func TestProcessesThatMigrateAtOnceDoItOnce(t *testing.T) {
	path := oldStore(t)
	for _, c := range migrating(t, path, 3) {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	if version, rows := stateOf(t, path); version != newest(schema)+1 || rows != 40000 {
		t.Errorf("schema version %d with %d rows", version, rows)
	}
	s, err := open(t.Context(), path, slowSchema())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // only read
	if list, err := all(t.Context(), s.read, scanText, "SELECT subtitle FROM observations"); err != nil || !slices.Equal(list, []string{"+"}) {
		t.Errorf("subtitles %q: the step was done more than once (%v)", list, err)
	}
}
