package store

import (
	"fmt"
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
			for _, text := range []string{"cart", "购物车", "unindexed", "renamed"} {
				if _, err := s.Search(t.Context(), text, memory.Filter{}, 10); err != nil {
					t.Errorf("search: %v", err)
				}
			}
			if list, err := s.ListObservations(t.Context(), memory.Filter{}, memory.Cursor{}, 10); err != nil || len(list) < 2 {
				t.Errorf("the repair lost memories: %d left (%v)", len(list), err)
			}
		})
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
	found, err := s.checkIntegrity(t.Context())
	if err != nil || len(found) != 1 || found[0].Fixable || !strings.Contains(found[0].Advice, ".recover") {
		t.Errorf("%+v (%v)", found, err)
	}
}
