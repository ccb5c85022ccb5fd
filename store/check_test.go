package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"cmem/memory"
)

// busyStore has a bit of everything in it.
func busyStore(t *testing.T) *Store {
	t.Helper()
	s := newStore(t)
	finish(t, s, oneBatch(t, s, "s1"), memory.BatchDone, "Fixes the cart", "修复购物车")
	oneBatch(t, s, "s2")
	if _, err := s.AddSummary(t.Context(), memory.Summary{SessionID: "s1", Request: "x"}); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestHealthyStoreHasNoFindings(t *testing.T) {
	s := busyStore(t)
	if found, err := s.Check(t.Context()); err != nil || len(found) != 0 {
		t.Errorf("findings %+v (%v)", found, err)
	}
	if done, err := s.Fix(t.Context()); err != nil || len(done) != 0 {
		t.Errorf("repaired %q (%v)", done, err)
	}
}

func TestDamageIsFoundAndRepaired(t *testing.T) {
	slow(t)
	tests := []struct {
		name   string
		damage []string // statements of somebody else
		want   string   // the check that finds it, with a piece of what it says
	}{
		{
			"a trigger is missing",
			[]string{"DROP TRIGGER observations_counted", "DROP INDEX observations_by_time"},
			"schema: missing or changed: index observations_by_time, trigger observations_counted",
		},
		{
			"a trigger was replaced",
			[]string{"DROP TRIGGER events_counted", "CREATE TRIGGER events_counted AFTER INSERT ON events BEGIN SELECT 1; END"},
			"schema: missing or changed: trigger events_counted",
		},
		{
			"the search table is gone",
			[]string{"DROP TABLE observations_fts"},
			"schema: missing or changed: table observations_fts, table observations_fts_config",
		},
		{
			"a table within the search index is gone",
			[]string{"DROP TABLE observations_fts_docsize"},
			"schema: missing or changed: table observations_fts_docsize\n",
		},
		{
			"the settings of the search index are gone",
			[]string{"DROP TABLE observations_fts_config"},
			"schema: missing or changed: table observations_fts_config\n",
		},
		{
			"the words of the search index are gone",
			[]string{"DROP TABLE observations_fts_data"},
			"schema: missing or changed: table observations_fts_data\n",
		},
		{
			"the weights of the search index are gone",
			[]string{"DELETE FROM observations_fts_config WHERE k = 'rank'"},
			"search index: its weights are not ours",
		},
		{
			"a table of memories is gone, with its indexes and triggers",
			[]string{"DROP TABLE session_summaries"},
			"schema: missing or changed: table session_summaries, index session_summaries_by_project",
		},
		{
			"the table of sessions is gone",
			[]string{"PRAGMA foreign_keys = OFF", "DROP TABLE sdk_sessions"},
			"schema: missing or changed: table sdk_sessions, ",
		},
		{
			"tables of counters are gone",
			[]string{"DROP TABLE projects", "DROP TABLE project_types"},
			"schema: missing or changed: table project_types, table projects\n",
		},
		{
			"the tombstones are gone",
			[]string{"DROP TABLE tombstones"},
			"schema: missing or changed: table tombstones, index tombstones_by_batch, index tombstones_by_session, index tombstones_forgotten\n",
		},
		{
			"rows were written without the search trigger",
			[]string{
				"DROP TRIGGER observations_indexed",
				`INSERT INTO observations (uid, session_id, project, created_at, created_at_epoch, type, content_hash, title)
					VALUES ('u', 's1', '/p', '2026-11-30T08:00:00.000Z', 1, 'change', 'h', 'unindexed')`,
			},
			"search index: it has 2 of 3 observations, so searches miss memories",
		},
		{
			"rows were changed without the search trigger",
			[]string{"DROP TRIGGER observations_reindexed", "UPDATE observations SET title = 'renamed'"},
			"search index: it differs from the observations, so searches miss memories",
		},
		{
			"the search index lost a row",
			[]string{"DELETE FROM observations_fts_docsize WHERE id = 1"},
			"search index: it has 1 of 2 observations",
		},
		{
			"the search index is emptied",
			[]string{"INSERT INTO observations_fts (observations_fts) VALUES ('delete-all')"},
			"search index: it has 0 of 2 observations",
		},
		{
			"the search index is torn",
			[]string{"DELETE FROM observations_fts_data WHERE id > 10"},
			"search index: it differs from the observations",
		},
		{
			"the index of prompts is gone",
			[]string{"DROP TABLE user_prompts_fts"},
			"schema: missing or changed: table user_prompts_fts, table user_prompts_fts_config",
		},
		{
			"a table within the index of summaries is gone",
			[]string{"DROP TABLE session_summaries_fts_docsize"},
			"schema: missing or changed: table session_summaries_fts_docsize\n",
		},
		{
			"the note of how far the indexes are is gone",
			[]string{"DROP TABLE search_indexes"},
			"schema: missing or changed: table search_indexes\n",
		},
		{
			"prompts were written without the search trigger",
			[]string{
				"DROP TRIGGER user_prompts_indexed",
				`INSERT INTO user_prompts (session_id, project, prompt_number, created_at, created_at_epoch, prompt_text)
					VALUES ('s1', '/p', 77, '2026-11-30T08:00:00.000Z', 1, 'unindexed')`,
			},
			"search index: it has 2 of 3 prompts, so searches miss memories",
		},
		{
			"a summary was changed without the search trigger",
			[]string{"DROP TRIGGER session_summaries_reindexed", "UPDATE session_summaries SET learned = 'another'"},
			"search index: it differs from the summaries, so searches miss memories",
		},
		{
			"the index of prompts is torn",
			[]string{"DELETE FROM user_prompts_fts_data WHERE id > 10"},
			"search index: it differs from the prompts",
		},
		{
			"the weights of the index of summaries are others",
			[]string{"INSERT INTO session_summaries_fts (session_summaries_fts, rank) VALUES ('rank', 'bm25(9.0)')"},
			"search index: its weights are not ours",
		},
		{
			"a session went away without its rows",
			[]string{"PRAGMA foreign_keys = OFF", "DELETE FROM sdk_sessions WHERE session_id = 's1'"},
			"orphaned rows: 1 prompts without their session, 3 events without their session, 1 batches without their session, 2 observations without their session, 1 summaries without their session",
		},
		{
			"a batch went away without its events",
			[]string{"DELETE FROM batches WHERE state = 'pending'"},
			"orphaned rows: 3 events without their batch",
		},
		{
			"counters were changed",
			[]string{
				"UPDATE projects SET observations = 77, tokens_source = -5", "UPDATE sdk_sessions SET prompt_count = 9",
				"DELETE FROM project_types", "INSERT INTO projects (project, events) VALUES ('/ghost', 3)",
			},
			"counters: 6 counters of sessions and projects are wrong",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := busyStore(t)
			mustExec(t, sqliteDB(t, s), tt.damage...)
			found, err := s.Check(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			told := ""
			for _, f := range found {
				told += f.Name + ": " + f.Problem + "\n"
				if !f.Fixable || f.Advice == "" {
					t.Errorf("finding %+v", f)
				}
			}
			if !strings.Contains(told, tt.want) {
				t.Errorf("found\n%swant\n%s", told, tt.want)
			}
			done, err := s.Fix(t.Context())
			if err != nil || len(done) == 0 {
				t.Fatalf("repaired %q (%v)", done, err)
			}
			if left, err := s.Check(t.Context()); err != nil || len(left) != 0 {
				t.Errorf("still wrong after %q: %+v (%v)", done, left, err)
			}
			for _, text := range []string{"cart", "购物车"} {
				hits, err := s.Search(t.Context(), text, memory.Filter{}, 10)
				if renamed := strings.Contains(strings.Join(tt.damage, ""), "renamed"); err != nil || len(hits) == 0 && !renamed {
					t.Errorf("search for %s: %d hits (%v)", text, len(hits), err)
				}
			}
			if list, err := s.ListObservations(t.Context(), memory.Filter{}, memory.Cursor{}, 10); err != nil || len(list) < 2 {
				t.Errorf("the repair lost memories: %d left (%v)", len(list), err)
			}
		})
	}
}

// What a lost table held cannot be made anew, and nobody is told otherwise.
func TestLostMemoriesAreNotPromisedBack(t *testing.T) {
	s := busyStore(t)
	db := sqliteDB(t, s)
	advice := func() string {
		t.Helper()
		found, err := s.Check(t.Context())
		if err != nil || len(found) != 1 {
			t.Fatalf("findings %+v (%v)", found, err)
		}
		return found[0].Advice
	}
	mustExec(t, db, "DROP TABLE projects")
	if got := advice(); got != "make them anew" {
		t.Errorf("counters are lost, the advice is %q", got)
	}
	mustExec(t, db, "DROP TABLE session_summaries")
	if got := advice(); !strings.Contains(got, "only in a copy of "+s.Path()) {
		t.Errorf("summaries are lost, the advice is %q", got)
	}
}

// A table that was given a column more is not ours to make anew.
func TestTablesThatOthersChangedAreKept(t *testing.T) {
	s := busyStore(t)
	mustExec(t, sqliteDB(t, s), "ALTER TABLE observations ADD COLUMN stars INTEGER DEFAULT 5", "CREATE TABLE mine (x)")
	if done, err := s.Fix(t.Context()); err != nil || len(done) != 0 {
		t.Errorf("repaired %q (%v)", done, err)
	}
	if n, err := number(t.Context(), s.read, "SELECT sum(stars) FROM observations"); err != nil || n != 10 {
		t.Errorf("%d stars are left (%v)", n, err)
	}
}

func TestABusyStoreIsNotTakenForDamaged(t *testing.T) {
	s := busyStore(t)
	if _, err := s.write.conn.ExecContext(t.Context(), "PRAGMA busy_timeout = 1"); err != nil {
		t.Fatal(err)
	}
	other := sqliteDB(t, s)
	mustExec(t, other, "BEGIN IMMEDIATE")
	found, err := s.Check(t.Context())
	if !errors.Is(err, ErrBusy) || len(found) != 0 {
		t.Errorf("findings %+v (%v)", found, err)
	}
	if err != nil && !strings.Contains(err.Error(), "the database is busy: another program is writing; try again") {
		t.Errorf("the error is %v", err)
	}
	if done, err := s.Fix(t.Context()); !errors.Is(err, ErrBusy) || len(done) != 0 {
		t.Errorf("repaired %q (%v)", done, err)
	}
	if _, err := s.AddEvents(t.Context(), []memory.Event{{ID: "e", SessionID: "s", Name: memory.EventStop}}); !errors.Is(err, ErrBusy) {
		t.Errorf("writing: %v", err)
	}
	mustExec(t, other, "ROLLBACK")
	if found, err := s.Check(t.Context()); err != nil || len(found) != 0 {
		t.Errorf("findings after it %+v (%v)", found, err)
	}
}

func TestOpenPermissionsAreFoundAndRepaired(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("access is inherited from the directory on Windows")
	}
	s := busyStore(t)
	if err := os.Chmod(s.Path(), 0o644); err != nil {
		t.Fatal(err)
	}
	found, err := s.Check(t.Context())
	if err != nil || len(found) != 1 || found[0].Advice != fmt.Sprintf("chmod 0600 %s", s.Path()) {
		t.Errorf("%+v (%v)", found, err)
	}
	dir := filepath.Dir(s.Path())
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Fix(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found, err := s.Check(t.Context()); err != nil || len(found) != 1 || found[0].Fixable || found[0].Advice != "chmod 0700 "+dir {
		t.Errorf("a directory of others was changed, or not found: %+v (%v)", found, err)
	}
	if info, err := os.Stat(s.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v (%v)", info.Mode(), err)
	}
}

func TestDamagedPageIsFoundAndNotPapered(t *testing.T) {
	s := busyStore(t)
	// The root page of the events table, overwritten behind SQLite's back.
	page, err := number(t.Context(), s.read, "SELECT rootpage FROM sqlite_master WHERE name = 'events'")
	if err != nil {
		t.Fatal(err)
	}
	path := s.Path()
	if err := s.Close(); err != nil { // folds the log into the file
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte(strings.Repeat("\xde\xad", 2048)), (page-1)*4096); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	s, err = Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // it is damaged
	found, err := s.Check(t.Context())
	if err != nil || len(found) != 1 || found[0].Fixable || !strings.Contains(found[0].Advice, "doctor --fix") {
		t.Errorf("%+v (%v)", found, err)
	}
	if done, err := s.Fix(t.Context()); !errors.Is(err, ErrDamaged) || len(done) != 0 {
		t.Errorf("repaired %q (%v)", done, err)
	}
}

func TestADamagedFileIsNamedAsSuch(t *testing.T) {
	tests := []struct {
		name   string
		damage func(whole []byte) []byte
		hidden bool // from OpenReadOnly, which reads a single number
	}{
		{"random bytes", func(b []byte) []byte {
			r := rand.NewChaCha8([32]byte{7})
			_, _ = r.Read(b) // never fails
			return b
		}, false},
		{"text", func([]byte) []byte { return []byte(strings.Repeat("这不是数据库。\n", 100)) }, false},
		{"a broken header", func(b []byte) []byte { return append([]byte("SQLite\x00"), b[7:]...) }, false},
		{"a page size of nothing", func(b []byte) []byte { b[16], b[17] = 0, 0; return b }, false},
		{"cut within a page", func(b []byte) []byte { return b[:6000] }, false},
		{"cut within the header", func(b []byte) []byte { return b[:50] }, true},
		{"a torn schema", func(b []byte) []byte {
			for i := 100; i < 4096; i++ {
				b[i] = 0xff
			}
			return b
		}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := busyStore(t)
			path := s.Path()
			if err := s.Close(); err != nil { // folds the log into the file
				t.Fatal(err)
			}
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			broken := tt.damage(whole)
			if err := os.WriteFile(path, broken, 0o600); err != nil {
				t.Fatal(err)
			}
			for name, open := range map[string]func(context.Context, string) (*Store, error){"Open": Open, "OpenReadOnly": OpenReadOnly} {
				s, err := open(t.Context(), path)
				if err == nil {
					_ = s.Close() // it is damaged
				}
				if name == "OpenReadOnly" && tt.hidden {
					continue
				}
				if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "open store "+path+": the database file is damaged") {
					t.Errorf("%s: %v", name, err)
				}
			}
			if left, err := os.ReadFile(path); err != nil || !bytes.Equal(left, broken) {
				t.Errorf("the file was changed (%v)", err)
			}
		})
	}
}
