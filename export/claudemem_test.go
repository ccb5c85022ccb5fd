package export

import (
	"context"
	"database/sql"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"cmem/memory"
	"cmem/store"
)

// A database as claude-mem leaves it, with what goes wrong in such databases.
const claudeMemSQL = `
CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, content_session_id TEXT NOT NULL, memory_session_id TEXT UNIQUE, project TEXT NOT NULL, platform_source TEXT NOT NULL DEFAULT 'claude',
  user_prompt TEXT, started_at TEXT NOT NULL, started_at_epoch INTEGER NOT NULL, completed_at_epoch INTEGER, custom_title TEXT);
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY, session_db_id INTEGER, content_session_id TEXT NOT NULL, prompt_number INTEGER NOT NULL, prompt_text TEXT NOT NULL, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, text TEXT, type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT,
  concepts TEXT, files_read TEXT, files_modified TEXT, prompt_number INTEGER, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL, discovery_tokens INTEGER, generated_by_model TEXT, merged_into_project TEXT);
CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, request TEXT, learned TEXT, completed TEXT, files_edited TEXT, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
INSERT INTO sdk_sessions (id, content_session_id, memory_session_id, project, user_prompt, started_at, started_at_epoch) VALUES
  (1, 'cs1', 'ms1', 'webshop', '修复退款 🐛', '', 1795932000000),
  (2, 'cs2', 'ms2', 'webshop', '<private>nobody may read this</private>', '', 1795932000000),
  (3, 'cs3', 'ms3', 'webshop/fix-tax', 'in a worktree', '', 1795932000000),
  (4, 'cs4', 'ms4', 'blog', 'hello <private>not closed', '', 1795932000000),
  (5, 'obs', 'ms5', 'observer-sessions', 'x', '', 1795932000000),
  (6, 'ver', 'ms6', '13.12.4', 'x', '', 1795932000000),
  (7, 'self', 'ms7', 'webshop', 'You are a Claude-Mem, a specialized observer tool', '', 1795932000000),
  (8, 'cs8', 'ms8', 'hidden', 'of an excluded project', '', 1795932000000),
  (9, 'cs9', 'ms9', 'lonely', 'nothing tells my path', '', 1795932000000);
INSERT INTO user_prompts VALUES (1, 1, 'cs1', 1, '修复退款 🐛', '', 1795932000000), (2, 1, 'cs1', 2, replace(printf('%040000d', 0), '0', '长'), '', 1795932100000),
  (3, NULL, 'cs1', 3, 'Hello memory agent, you are continuing to observe', '', 1795932200000), (4, 4, 'cs4', 1, 'hello <private>not closed', '', 1795932000000);
INSERT INTO observations (id, memory_session_id, project, text, type, title, subtitle, facts, narrative, concepts, files_read, files_modified, prompt_number, created_at, created_at_epoch, discovery_tokens, generated_by_model, merged_into_project) VALUES
  (1, 'ms1', 'webshop', NULL, 'bugfix', '退款按比例', '副标题', '["one","two <private>x</private>"]', 'why', '["gotcha: it rounds","pattern"]', '["/home/dev/webshop/a.go"]', '/home/dev/webshop/b.go', 1, '', 1795932300000, 1200, 'haiku', NULL),
  (2, 'ms1', 'webshop', 'First line' || char(10) || 'second', 'security_note', NULL, NULL, '', NULL, 'not json', NULL, '[broken', 1, '', 1795932400000, NULL, NULL, NULL),
  (3, 'gone', 'webshop', NULL, 'change', 'kept though its session is lost', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '', 1795932500000, NULL, NULL, NULL),
  (4, 'ms3', 'webshop/fix-tax', NULL, 'feature', 'made in a worktree', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '', 1795932600000, NULL, NULL, 'webshop'),
  (5, 'ms5', 'observer-sessions', NULL, 'change', 'junk', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '', 1795932600000, NULL, NULL, NULL),
  (6, 'ms1', 'webshop', '', 'change', ' ', NULL, '[]', '', NULL, NULL, NULL, NULL, '', 1795932600000, NULL, NULL, NULL),
  (7, 'ms8', 'hidden', NULL, 'change', 'of an excluded project', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '', 1795932600000, NULL, NULL, NULL);
INSERT INTO session_summaries VALUES (1, 'ms1', 'webshop', 'older', NULL, NULL, NULL, '', 1795932300000), (2, 'ms1', 'webshop', 'newer', 'learned', 'done', '["/home/dev/webshop/b.go"]', '', 1795932400000), (3, 'ms4', 'blog', NULL, NULL, NULL, NULL, '', 1795932400000);`

func claudeMemDB(t *testing.T, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "claude-mem.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range append([]string{claudeMemSQL}, statements...) {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// cutPrivate stands in for the hooks' own.
func cutPrivate(texts ...string) []string {
	out := slices.Clone(texts)
	for i, s := range out {
		if before, rest, found := strings.Cut(s, "<private>"); found {
			_, after, _ := strings.Cut(rest, "</private>")
			out[i] = before + "[private]" + after
		}
	}
	return out
}

func claudeMemOptions() ClaudeMemOptions {
	return ClaudeMemOptions{
		Clean:     cutPrivate,
		Directory: func(id string) string { return map[string]string{"cs4": "/home/dev/blog/content"}[id] },
		Project:   func(dir string) string { return dir },
		Known:     func(string) string { return "" },
		Relative: func(project, path string) string {
			return strings.TrimPrefix(path, project+"/")
		},
		Excluded: func(project string) bool { return project == "hidden" },
	}
}

func TestClaudeMemIsImportedAsItWasMeant(t *testing.T) {
	ctx := context.Background()
	s := stored(t, &fakeSource{})
	path := claudeMemDB(t)
	r, err := ImportClaudeMem(ctx, path, s, claudeMemOptions())
	if err != nil {
		t.Fatal(err)
	}
	want := ClaudeMemReport{
		Counts: Counts{Sessions: 5, Prompts: 6, Observations: 4, Summaries: 2},
		Added:  18, // with a session made for the orphan
		// Of the observer: two sessions and an observation; a session that asks for it, and a prompt.
		Junk: 5, Orphans: 1, Empty: 2, Excluded: 2, Cut: 1, Unplaced: []string{"lonely"},
	}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("report\n%+v\nwant\n%+v", r, want)
	}
	again, err := ImportClaudeMem(ctx, path, s, claudeMemOptions())
	if err != nil || again.Added != 0 {
		t.Errorf("a second import added %d rows, %v", again.Added, err)
	}

	const shop = "/home/dev/webshop"
	for id, project := range map[string]string{"cs1": shop, "cs2": shop, "cs3": shop, "cs4": "/home/dev/blog", "cs9": "lonely", "gone": shop} {
		v, err := s.Session(ctx, id)
		if err != nil || v.Project != project || v.Agent != "claude-code" || v.Status != memory.SessionCompleted {
			t.Errorf("session %s: %+v, %v; want project %s", id, v, err, project)
		}
	}
	for id, want := range map[string][]string{"cs2": {"[private]"}, "cs4": {"hello [private]"}, "cs9": {"nothing tells my path"}} {
		prompts, err := s.SessionPrompts(ctx, id)
		if err != nil || len(prompts) != 1 || prompts[0].Text != want[0] {
			t.Errorf("prompts of %s: %+v, %v; want %q", id, prompts, err, want)
		}
	}
	prompts, err := s.SessionPrompts(ctx, "cs1")
	if err != nil || len(prompts) != 2 || prompts[0].Text != "修复退款 🐛" || len([]rune(prompts[1].Text)) != 32_001 {
		t.Errorf("prompts of cs1: %d, %v", len(prompts), err)
	}

	list, err := s.SessionObservations(ctx, "cs1")
	if err != nil || len(list) != 2 {
		t.Fatalf("observations %+v, %v", list, err)
	}
	o := list[0]
	if o.Type != "bugfix" || o.Title != "退款按比例" || o.Subtitle != "副标题" || !slices.Equal(o.Facts, []string{"one", "two [private]"}) ||
		!slices.Equal(o.Concepts, []string{"gotcha", "pattern"}) || !slices.Equal(o.FilesRead, []string{"a.go"}) || !slices.Equal(o.FilesModified, []string{"b.go"}) ||
		o.Compressor != "claude-mem" || o.Model != "haiku" || o.TokensSpent != 1200 || o.Certainty != memory.CertaintyClaimed || o.CreatedAt.UnixMilli() != 1795932300000 {
		t.Errorf("observation %+v", o)
	}
	if o := list[1]; o.Type != "security_note" || o.Title != "First line" || o.Narrative != "First line\nsecond" || !slices.Equal(o.Concepts, []string{"not json"}) || !slices.Equal(o.FilesModified, []string{"[broken"}) {
		t.Errorf("old observation %+v", o)
	}
	sums, err := s.SessionSummaries(ctx, "cs1")
	if err != nil || len(sums) != 2 || sums[0].Status != memory.StatusSuperseded || sums[1].Status != memory.StatusActive || sums[1].Request != "newer" || !slices.Equal(sums[1].FilesModified, []string{"b.go"}) {
		t.Errorf("summaries %+v, %v", sums, err)
	}
}

// What a person saved by hand is no assistant's: nothing can resume it.
func TestSessionsMadeByHandAreThePersons(t *testing.T) {
	s := stored(t, &fakeSource{})
	path := claudeMemDB(t, `INSERT INTO sdk_sessions (id, content_session_id, memory_session_id, project, started_at, started_at_epoch)
		VALUES (10, 'manual-content-webshop', 'manual-webshop', 'webshop', '', 1795932000000)`,
		`INSERT INTO observations (id, memory_session_id, project, type, title, created_at, created_at_epoch)
		VALUES (10, 'manual-webshop', 'webshop', 'decision', '手动保存', '', 1795932000000)`)
	if _, err := ImportClaudeMem(context.Background(), path, s, claudeMemOptions()); err != nil {
		t.Fatal(err)
	}
	for id, agent := range map[string]string{"manual-content-webshop": "person", "cs1": "claude-code"} {
		if v, err := s.Session(context.Background(), id); err != nil || v.Agent != agent {
			t.Errorf("session %s is %q's, want %q (%v)", id, v.Agent, agent, err)
		}
	}
}

// counting hands bundles on and fails after some of them.
type counting struct {
	Importer
	bundles, largest int
	failAfter        int
}

func (c *counting) Import(ctx context.Context, b store.Bundle) (int, error) {
	if c.failAfter > 0 && c.bundles == c.failAfter {
		return 0, context.Canceled
	}
	c.bundles++
	c.largest = max(c.largest, len(b.Sessions)+len(b.Prompts)+len(b.Observations)+len(b.Summaries))
	return c.Importer.Import(ctx, b)
}

func TestAnInterruptedClaudeMemImportGoesOn(t *testing.T) {
	ctx := context.Background()
	path := claudeMemDB(t, `WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 1699)
		INSERT INTO observations (id, memory_session_id, project, type, title, created_at, created_at_epoch) SELECT i, 'ms1', 'webshop', 'change', '变更 ' || i, '', 1795933000000 + i FROM n`)
	whole := stored(t, &fakeSource{})
	all := &counting{Importer: whole}
	r, err := ImportClaudeMem(ctx, path, all, claudeMemOptions())
	if err != nil || r.Observations != 1604 || all.largest > bundleRows+1 || all.bundles < 4 {
		t.Fatalf("%+v, %v, %+v", r, err, all)
	}
	parts := stored(t, &fakeSource{})
	first, err := ImportClaudeMem(ctx, path, &counting{Importer: parts, failAfter: 2}, claudeMemOptions())
	if err == nil || first.Added == 0 {
		t.Fatalf("not interrupted: %+v", first)
	}
	second, err := ImportClaudeMem(ctx, path, parts, claudeMemOptions())
	if err != nil || first.Added+second.Added != r.Added {
		t.Errorf("in two parts %d and %d rows, %v; at once %d", first.Added, second.Added, err, r.Added)
	}
	opts := Options{Format: JSON, Filter: Everything(memory.Filter{})}
	a, b := readJSON(t, write(t, whole, opts)), readJSON(t, write(t, parts, opts))
	if len(a.observations) != len(b.observations) || len(a.prompts) != len(b.prompts) || len(a.sessions) != len(b.sessions) || len(a.summaries) != len(b.summaries) {
		t.Error("the stores differ")
	}
}

func TestADryRunOfClaudeMemStoresNothing(t *testing.T) {
	o := claudeMemOptions()
	o.DryRun = true
	r, err := ImportClaudeMem(context.Background(), claudeMemDB(t), nil, o)
	if err != nil || r.Observations != 4 || r.Added != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestFoldersAreFoundByTheirName(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"webshop", "/home/dev/webshop/src/main.go", "/home/dev/webshop"},
		{"webshop", "/home/dev/webshop", ""},
		{"webshop", "/home/dev/webshop2/main.go", ""},
		{"商店", "/home/dev/商店/a.go", "/home/dev/商店"},
		{"webshop", `C:\src\webshop\a.go`, `C:\src\webshop`},
		{"webshop", "src/webshop/a.go", ""},
		{"a", "/a/b/a/c.go", "/a"},
		{"", "/a/b", ""},
	} {
		if got := rootNamed(tt.name, tt.file); got != tt.want {
			t.Errorf("rootNamed(%q, %q) = %q, want %q", tt.name, tt.file, got, tt.want)
		}
	}
}

func TestListsAreReadHoweverTheyStand(t *testing.T) {
	for in, want := range map[string][]string{
		"": nil, "null": nil, "[]": nil, `["a","b"]`: {"a", "b"}, `"a"`: {"a"}, "/a/b.go": {"/a/b.go"}, `["a",`: {`["a",`},
		`["a",1,null,{"b":2}]`: {"a", "1", `{"b":2}`}, `[" ", "退款"]`: {"退款"},
	} {
		if got := listOf(in); !slices.Equal(got, want) {
			t.Errorf("listOf(%q) = %q, want %q", in, got, want)
		}
	}
}
