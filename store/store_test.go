package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"cmem/memory"
)

const webshop = "/home/dev/projects/webshop"

// noon is the time of the first event in most tests.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 123_000_000, time.UTC)

// newStore opens a new store whose clock stands at a day after noon.
func newStore(t testing.TB) *Store {
	t.Helper()
	return openStore(t, filepath.Join(t.TempDir(), "data", "cmem.db"))
}

func openStore(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	s.now = func() time.Time { return noon.Add(24 * time.Hour) }
	return s
}

// remember stores observations and gives them back with their ids. Session,
// project and time are filled in where they are open.
func remember(t testing.TB, s *Store, list ...memory.Observation) []memory.Observation {
	t.Helper()
	for i := range list {
		o := &list[i]
		if o.SessionID == "" {
			o.SessionID = "s1"
		}
		if o.Project == "" {
			o.Project = webshop
		}
		if o.CreatedAt.IsZero() {
			o.CreatedAt = noon.Add(time.Duration(i) * time.Minute)
		}
		if o.UID == "" {
			o.UID = newUID(o.CreatedAt)
		}
	}
	if _, err := s.Import(t.Context(), Bundle{Observations: list}); err != nil {
		t.Fatal(err)
	}
	ids := make([]int64, len(list))
	for i, o := range list {
		id, err := number(t.Context(), s.read, "SELECT id FROM observations WHERE uid = ?", o.UID)
		if err != nil {
			t.Fatalf("observation %q is not there: %v", o.Title, err)
		}
		ids[i] = id
	}
	stored, err := s.Observations(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

// sqliteDB opens the store's file as a stranger would, with no pragma of ours.
func sqliteDB(t testing.TB, s *Store) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", s.Path())
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func mustExec(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, q := range statements {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

func TestOpenCreatesAPrivateStore(t *testing.T) {
	s := newStore(t)
	var journal string
	var foreignKeys, synchronous, app int
	err := s.write.conn.QueryRowContext(t.Context(), `SELECT journal_mode, foreign_keys, synchronous, application_id
		FROM pragma_journal_mode, pragma_foreign_keys, pragma_synchronous, pragma_application_id`).
		Scan(&journal, &foreignKeys, &synchronous, &app)
	if err != nil {
		t.Fatal(err)
	}
	if journal != "wal" || foreignKeys != 1 || synchronous != 1 || app != applicationID {
		t.Errorf("journal_mode %s, foreign_keys %d, synchronous %d, application_id %#x", journal, foreignKeys, synchronous, app)
	}
	if runtime.GOOS == "windows" {
		return
	}
	want := map[string]os.FileMode{filepath.Dir(s.Path()): 0o700}
	for _, name := range s.files() {
		want[name] = 0o600
	}
	for name, want := range want {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %04o, want %04o", name, got, want)
		}
	}
}

func TestPathMayHoldAnyCharacter(t *testing.T) {
	for _, name := range []string{"a b", "100%", "what?mode=memory", "#1", "记忆 🧠", "a&b=c;d'e"} {
		if runtime.GOOS == "windows" && strings.ContainsAny(name, `?*"<>|:`) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name, "cmem.db")
			s := openStore(t, path)
			remember(t, s, memory.Observation{Title: "it is here"})
			if _, err := os.Stat(path); err != nil {
				t.Fatal(err)
			}
			ro, err := OpenReadOnly(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if list, err := ro.ListObservations(t.Context(), memory.Filter{}, memory.Cursor{}, 10); err != nil || len(list) != 1 {
				t.Errorf("read only: %d observations, %v", len(list), err)
			}
			if err := ro.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestOpenReadOnlyWithoutAStore(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.db")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "missing.db"), filepath.Join(dir, "no", "dir", "cmem.db"), empty} {
		if _, err := OpenReadOnly(t.Context(), path); !errors.Is(err, ErrNoStore) {
			t.Errorf("%s: %v, want ErrNoStore", path, err)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("opening for reading left %d files, want the one that was there", len(entries))
	}
}

func TestOpenReadOnlyCannotWrite(t *testing.T) {
	s := newStore(t)
	ro, err := OpenReadOnly(t.Context(), s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer ro.Close() //nolint:errcheck // nothing was written
	if _, err := ro.AddEvents(t.Context(), []memory.Event{{ID: "1", SessionID: "s"}}); !errors.Is(err, ErrReadOnly) {
		t.Errorf("AddEvents: %v, want ErrReadOnly", err)
	}
	if _, err := ro.read.db.ExecContext(t.Context(), "DELETE FROM sdk_sessions"); err == nil {
		t.Error("a reading connection deleted rows")
	}
}

func TestForeignDatabaseIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, db, "CREATE TABLE bookmarks (url TEXT)", "INSERT INTO bookmarks VALUES ('https://example.com')")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path); !errors.Is(err, ErrForeign) {
		t.Errorf("Open: %v, want ErrForeign", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the file was changed (%v)", err)
	}
}

func TestPublicColumnsCanBeQueried(t *testing.T) {
	s := newStore(t)
	remember(t, s, memory.Observation{SessionID: "YOUR_SESSION_ID", Title: "缓存 🚀", ToolName: "Edit"})
	if _, err := s.AddSummary(t.Context(), memory.Summary{SessionID: "YOUR_SESSION_ID", Request: "why", Completed: "that", Learned: "this", CreatedAt: noon}); err != nil {
		t.Fatal(err)
	}
	db := sqliteDB(t, s)
	for query, want := range map[string]string{
		"SELECT session_id, project, created_at, status FROM sdk_sessions ORDER BY created_at DESC LIMIT 10;":              "YOUR_SESSION_ID|" + webshop + "|2026-11-30T12:00:00.123Z|completed",
		"SELECT session_id, request, completed, learned FROM session_summaries ORDER BY created_at DESC LIMIT 5;":          "YOUR_SESSION_ID|why|that|this",
		"SELECT tool_name, created_at FROM observations WHERE session_id = 'YOUR_SESSION_ID';":                             "Edit|2026-11-30T12:00:00.123Z",
		"SELECT o.title FROM observations_fts AS f JOIN observations AS o ON o.id = f.rowid WHERE observations_fts = '缓存'": "缓存 🚀",
	} {
		got, err := table(t, db, query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
		}
		if got != want {
			t.Errorf("%s\ngives %q\nwant  %q", query, got, want)
		}
	}
}

func TestTextSurvivesWhateverIsInIt(t *testing.T) {
	s := newStore(t)
	tests := []struct{ name, in, want string }{
		{"chinese and emoji", "修复了缓存 🎉 café", "修复了缓存 🎉 café"},
		{"quotes and SQL", `it's "quoted"; DROP TABLE observations;--`, `it's "quoted"; DROP TABLE observations;--`},
		{"NUL", "before\x00after", "before\uFFFDafter"},
		{"invalid UTF-8", "a\xff\xfeb", "a\uFFFD\uFFFDb"},
		{"lone surrogate", "a\xed\xa0\x80b", "a\uFFFD\uFFFD\uFFFDb"},
		{"marks of a match", "a\ue000b\ue001c", "a\uFFFDb\uFFFDc"},
		{"line breaks", "one\n\ttwo\r\nthree", "one\n\ttwo\r\nthree"},
		{"terminal escapes", "\x1b[2Jgone\a", "\x1b[2Jgone\a"},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := remember(t, s, memory.Observation{SessionID: fmt.Sprint("s", i), Title: "title", Narrative: tt.in})[0]
			if o.Narrative != tt.want {
				t.Errorf("narrative %q, want %q", o.Narrative, tt.want)
			}
		})
	}
}

func TestListsSurvive(t *testing.T) {
	s := newStore(t)
	o := remember(t, s, memory.Observation{
		Title:         "lists",
		Facts:         []string{`timeout = "5s" <b>&amp;</b>`, "two\nlines", "", "路径 C:\\temp"},
		FilesModified: []string{"src/购物车.go"},
	})[0]
	if got, want := fmt.Sprintf("%q", o.Facts), fmt.Sprintf("%q", []string{`timeout = "5s" <b>&amp;</b>`, "two lines", "路径 C:\\temp"}); got != want {
		t.Errorf("facts %s, want %s", got, want)
	}
	if len(o.FilesRead) != 0 || len(o.FilesModified) != 1 {
		t.Errorf("files %q and %q", o.FilesRead, o.FilesModified)
	}
	// Somebody edited the file by hand.
	mustExec(t, sqliteDB(t, s), "UPDATE observations SET facts = 'just text', concepts = ''")
	if o, err := s.Observation(t.Context(), o.ID); err != nil || fmt.Sprint(o.Facts) != "[just text]" || len(o.Concepts) != 0 {
		t.Errorf("facts %q, concepts %q, %v", o.Facts, o.Concepts, err)
	}
}

func TestUIDsSortByTime(t *testing.T) {
	old, recent := newUID(noon), newUID(noon.Add(time.Millisecond))
	if old >= recent {
		t.Errorf("%s is not before %s", old, recent)
	}
	if len(old) != 36 || old[14] != '7' || !strings.ContainsRune("89ab", rune(old[19])) {
		t.Errorf("%s is no UUID of version 7", old)
	}
	if other := newUID(noon.Add(time.Millisecond)); other == recent {
		t.Error("two uids of the same time are equal")
	}
}

func TestDataVersionChangesWithEveryCommitOfAnother(t *testing.T) {
	s := newStore(t)
	watcher, err := OpenReadOnly(t.Context(), s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Close() //nolint:errcheck // nothing was written
	version := func(s *Store) int64 {
		v, err := s.DataVersion(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	other, own := version(watcher), version(s)
	if version(watcher) != other {
		t.Error("the version changed without a commit")
	}
	remember(t, s, memory.Observation{Title: "news"})
	if version(watcher) == other {
		t.Error("another process's commit went unnoticed")
	}
	if version(s) == own {
		t.Error("the store's own commit went unnoticed")
	}
}

func TestWritersTakeTurns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cmem.db")
	const writers, each = 4, 25
	var wg sync.WaitGroup
	errs := make(chan error, writers)
	for w := range writers {
		wg.Go(func() {
			// Each its own store, as processes have; the file is created in the race.
			s, err := Open(t.Context(), path)
			if err != nil {
				errs <- err
				return
			}
			for i := range each {
				id := fmt.Sprintf("%d-%d", w, i)
				if _, err := s.AddEvents(t.Context(), []memory.Event{{ID: id, SessionID: id, CreatedAt: noon}}); err != nil {
					errs <- err
				}
			}
			errs <- s.Close()
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	s := openStore(t, path)
	if totals, err := s.Totals(t.Context(), ""); err != nil || totals.Events != writers*each {
		t.Errorf("%d events, want %d (%v)", totals.Events, writers*each, err)
	}
}

func TestCancelledWriteLeavesNoTraceAndNoLock(t *testing.T) {
	s := newStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := s.transact(ctx, func(tx tx) error {
		if _, err := tx.exec(ctx, "INSERT INTO projects (project) VALUES ('half')"); err != nil {
			return err
		}
		cancel()
		_, err := tx.exec(ctx, "INSERT INTO projects (project) VALUES ('other half')")
		return err
	})
	if err == nil {
		t.Fatal("a cancelled write succeeded")
	}
	if n, err := number(t.Context(), s.read, "SELECT count(*) FROM projects"); err != nil || n != 0 {
		t.Errorf("%d rows of the cancelled write are there (%v)", n, err)
	}
	remember(t, s, memory.Observation{Title: "the next write goes through"})
}

func TestClosedStoreSaysSo(t *testing.T) {
	s := newStore(t)
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.AddEvents(t.Context(), []memory.Event{{ID: "1"}}); err == nil {
		t.Error("a closed store was written to")
	}
	if _, err := s.Projects(t.Context()); err == nil {
		t.Error("a closed store was read")
	}
}

// table gives the answer to a query, columns between bars and rows on lines.
func table(t *testing.T, db *sql.DB, query string) (string, error) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		return "", err
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells what went wrong
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	var lines []string
	for rows.Next() {
		values := make([]string, len(columns))
		dest := make([]any, len(columns))
		for i := range values {
			dest[i] = &values[i]
		}
		if err := rows.Scan(dest...); err != nil {
			return "", err
		}
		lines = append(lines, strings.Join(values, "|"))
	}
	return strings.Join(lines, "\n"), rows.Err()
}

// slow skips a test under -short, with which the race detector runs: it takes long
// there, and nothing in it runs at once.
func slow(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long, and nothing in it runs at once")
	}
}
