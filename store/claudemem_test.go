package store

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const modernClaudeMem = `
CREATE TABLE schema_versions (id INTEGER PRIMARY KEY, version INTEGER UNIQUE NOT NULL, applied_at TEXT NOT NULL);
CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL, memory_session_id TEXT UNIQUE,
  project TEXT NOT NULL, platform_source TEXT NOT NULL DEFAULT 'claude', user_prompt TEXT, started_at TEXT NOT NULL,
  started_at_epoch INTEGER NOT NULL, completed_at TEXT, completed_at_epoch INTEGER, status TEXT NOT NULL DEFAULT 'active', custom_title TEXT);
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, session_db_id INTEGER REFERENCES sdk_sessions(id), content_session_id TEXT NOT NULL,
  prompt_number INTEGER NOT NULL, prompt_text TEXT NOT NULL, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, text TEXT, type TEXT NOT NULL,
  title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT, prompt_number INTEGER,
  created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL, discovery_tokens INTEGER DEFAULT 0, content_hash TEXT, generated_by_model TEXT, merged_into_project TEXT);
CREATE TABLE session_summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, request TEXT, investigated TEXT,
  learned TEXT, completed TEXT, next_steps TEXT, files_read TEXT, files_edited TEXT, notes TEXT, prompt_number INTEGER, created_at TEXT NOT NULL,
  created_at_epoch INTEGER NOT NULL, discovery_tokens INTEGER DEFAULT 0, merged_into_project TEXT);
CREATE TABLE tool_uses (id INTEGER PRIMARY KEY, tool_use_id TEXT NOT NULL, content_session_id TEXT NOT NULL, cwd TEXT);
INSERT INTO sdk_sessions (id, content_session_id, memory_session_id, project, platform_source, user_prompt, started_at, started_at_epoch, completed_at_epoch) VALUES
  (1, 'cs1', 'ms1', 'webshop', 'claude', '修复退款 🐛', '2026-11-29T06:00:00.000Z', 1795932000000, 1795935600000),
  (2, 'cs1', 'ms2', 'webshop', 'codex', NULL, '2026-11-29T07:00:00.000Z', 1795935600000, NULL);
INSERT INTO user_prompts VALUES (1, 1, 'cs1', 1, '修复退款 🐛', '2026-11-29T06:00:00.000Z', 1795932000000), (2, NULL, 'cs1', 2, 'and now?', '2026-11-29T06:10:00.000Z', 1795932600000),
  (3, NULL, 'gone', 1, 'nobody knows my session', '2026-11-29T06:10:00.000Z', 1795932600000);
INSERT INTO observations (id, memory_session_id, project, type, title, subtitle, facts, narrative, concepts, files_read, files_modified, prompt_number, created_at, created_at_epoch, discovery_tokens, generated_by_model, merged_into_project) VALUES
  (1, 'ms1', 'webshop', 'bugfix', '退款', 'sub', '["f1"]', 'why', '["gotcha"]', '["/home/dev/webshop/a.go"]', '', 1, '2026-11-29T06:30:00.000Z', 1795933800000, 1200, 'haiku', NULL),
  (2, 'orphan', 'shop/fix', 'security_note', 'kept', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-29T06:31:00.000Z', 1795933860000, NULL, NULL, 'shop');
INSERT INTO session_summaries (id, memory_session_id, project, request, files_edited, created_at, created_at_epoch) VALUES
  (1, 'ms1', 'webshop', 'older', NULL, '2026-11-29T06:20:00.000Z', 1795933200000), (2, 'ms1', 'webshop', 'newer', '["b.go"]', '2026-11-29T06:40:00.000Z', 1795934400000);
INSERT INTO tool_uses VALUES (1, 't1', 'cs1', '/home/dev/webshop');`

// Before the seventeenth version ids had other names; here a column is missing and
// the types of others are not what they should be, as it has been seen.
const earlierClaudeMem = `
CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, claude_session_id TEXT UNIQUE NOT NULL, sdk_session_id TEXT UNIQUE, project TEXT NOT NULL,
  user_prompt TEXT, started_at TEXT NOT NULL, started_at_epoch INTEGER NOT NULL, completed_at TEXT, status TEXT);
CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, sdk_session_id TEXT NOT NULL, project TEXT NOT NULL, text TEXT NOT NULL, type TEXT NOT NULL,
  created_at TEXT NOT NULL, created_at_epoch INTEGER);
CREATE TABLE session_summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, sdk_session_id TEXT UNIQUE NOT NULL, project TEXT NOT NULL, request TEXT, files_read TEXT, created_at TEXT);
INSERT INTO sdk_sessions VALUES (1, 'cs1', 'ms1', 'webshop', '旧的', '2025-10-01T06:00:00.000Z', 1759298400, NULL, 'failed');
INSERT INTO observations VALUES (1, 'ms1', 'webshop', 'Only a text' || char(10) || '第二行', 'decision', '2025-10-01T06:05:00.000Z', NULL), (2, 'ms1', 'webshop', x'ff41', 'change', '2025-10-01 06:06:00', 'soon');
INSERT INTO session_summaries VALUES (1, 'ms1', 'webshop', 'asked', 'a.go', '2025-10-01T06:07:00Z');`

const oldestClaudeMem = `
CREATE TABLE sessions (id INTEGER PRIMARY KEY, session_id TEXT UNIQUE, project TEXT, created_at TEXT, created_at_epoch INTEGER, source TEXT);
CREATE TABLE memories (id INTEGER PRIMARY KEY, session_id TEXT, text TEXT, document_id TEXT UNIQUE, keywords TEXT, created_at TEXT, created_at_epoch INTEGER, project TEXT, title TEXT, facts TEXT, concepts TEXT, files_touched TEXT);
CREATE TABLE overviews (id INTEGER PRIMARY KEY, session_id TEXT, content TEXT, created_at TEXT, created_at_epoch INTEGER, project TEXT);
INSERT INTO sessions VALUES (1, 'old1', 'webshop', '2025-08-01T06:00:00Z', 1754028000000, 'compress');
INSERT INTO memories VALUES (1, 'old1', '最早的记忆', 'd1', 'k', '2025-08-01T06:00:00Z', 1754028000000, 'webshop', 'Title', '["f"]', '', '/srv/webshop/x.go');
INSERT INTO overviews VALUES (1, 'old1', 'What was done', '2025-08-01T06:01:00Z', 1754028060000, 'webshop');`

// claudeMemFile makes a database of some shape. A nil finish closes it.
func claudeMemFile(t *testing.T, schema string, finish func(db *sql.DB, path string)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "claude-mem.db")
	db, err := sql.Open("sqlite", dsn(path, "_pragma=journal_mode(WAL)"))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(schema); err != nil {
		t.Fatal(err)
	}
	if finish != nil {
		finish(db, path)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func openForeign(t *testing.T, path string) *ClaudeMem {
	t.Helper()
	c, err := OpenClaudeMem(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func collect[T any](t *testing.T, rows iter.Seq2[T, error]) []T {
	t.Helper()
	var list []T
	for v, err := range rows {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

func TestClaudeMemIsReadInItsPresentShape(t *testing.T) {
	ctx := context.Background()
	c := openForeign(t, claudeMemFile(t, modernClaudeMem, nil))
	if n, err := c.Count(ctx); err != nil || n != (ClaudeMemCounts{2, 3, 2, 2}) {
		t.Errorf("counts %+v, %v", n, err)
	}
	sessions := collect(t, c.Sessions(ctx))
	at := func(s string) time.Time {
		v, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	want := ClaudeMemSession{
		Row: 1, ID: "cs1", MemoryID: "ms1", Platform: "claude", Project: "webshop", CWD: "/home/dev/webshop", Prompt: "修复退款 🐛", Prompted: true,
		StartedAt: at("2026-11-29T06:00:00Z"), LastAt: at("2026-11-29T06:30:00Z"), EndedAt: at("2026-11-29T07:00:00Z"),
	}
	if len(sessions) != 2 || sessions[0] != want || !sessions[1].Doubled || sessions[1].Platform != "codex" {
		t.Errorf("sessions:\n%+v\nwant first:\n%+v", sessions, want)
	}
	prompts := collect(t, c.Prompts(ctx))
	if len(prompts) != 3 || prompts[1].Session.Row != 1 || prompts[1].Number != 2 || prompts[2].Session.Row != 0 || prompts[2].Session.ID != "gone" {
		t.Errorf("prompts: %+v", prompts)
	}
	obs := collect(t, c.Observations(ctx))
	if len(obs) != 2 {
		t.Fatalf("observations: %+v", obs)
	}
	if o := obs[0]; o.Session.ID != "cs1" || o.Title != "退款" || o.Facts != `["f1"]` || o.Tokens != 1200 || o.Model != "haiku" || !o.CreatedAt.Equal(at("2026-11-29T06:30:00Z")) {
		t.Errorf("observation: %+v", o)
	}
	if o := obs[1]; o.Session.Row != 0 || o.Session.ID != "orphan" || o.MergedInto != "shop" || o.Type != "security_note" {
		t.Errorf("orphan: %+v", o)
	}
	sums := collect(t, c.Summaries(ctx))
	if len(sums) != 2 || sums[0].Newest || !sums[1].Newest || sums[1].FilesModified != `["b.go"]` {
		t.Errorf("summaries: %+v", sums)
	}
	if files, err := c.SessionFiles(ctx, "ms1"); err != nil || !slices.Contains(files, `["/home/dev/webshop/a.go"]`) {
		t.Errorf("files: %q, %v", files, err)
	}
}

func TestClaudeMemIsReadInItsEarlierShapes(t *testing.T) {
	ctx := context.Background()
	c := openForeign(t, claudeMemFile(t, earlierClaudeMem, nil))
	s := collect(t, c.Sessions(ctx))
	if len(s) != 1 || s[0].ID != "cs1" || s[0].MemoryID != "ms1" || s[0].Prompt != "旧的" || s[0].Prompted || s[0].StartedAt.Year() != 2025 {
		t.Errorf("sessions: %+v", s)
	}
	o := collect(t, c.Observations(ctx))
	if len(o) != 2 || o[0].Text != "Only a text\n第二行" || o[0].CreatedAt.Minute() != 5 || o[1].Text != "\uFFFDA" || o[1].CreatedAt.Minute() != 6 || o[0].Session.ID != "cs1" {
		t.Errorf("observations: %+v", o)
	}
	m := collect(t, c.Summaries(ctx))
	if len(m) != 1 || m[0].Request != "asked" || m[0].FilesRead != "a.go" || !m[0].Newest || m[0].CreatedAt.Minute() != 7 {
		t.Errorf("summaries: %+v", m)
	}

	c = openForeign(t, claudeMemFile(t, oldestClaudeMem, nil))
	s, o, m = collect(t, c.Sessions(ctx)), collect(t, c.Observations(ctx)), collect(t, c.Summaries(ctx))
	if len(s) != 1 || s[0].ID != "old1" || len(o) != 1 || o[0].Text != "最早的记忆" || o[0].FilesRead != "/srv/webshop/x.go" || o[0].Session.ID != "old1" ||
		len(m) != 1 || m[0].Completed != "What was done" {
		t.Errorf("oldest: %+v\n%+v\n%+v", s, o, m)
	}
}

func TestClaudeMemRowsOfManyPagesAndHugePrompts(t *testing.T) {
	ctx := context.Background()
	path := claudeMemFile(t, modernClaudeMem, func(db *sql.DB, _ string) {
		for _, q := range []string{
			`WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 1009)
			INSERT INTO observations (id, memory_session_id, project, type, title, created_at, created_at_epoch) SELECT i, 'ms1', 'webshop', 'change', 't' || i, '', 1795933800000 + i FROM n`,
			`INSERT INTO user_prompts VALUES (10, 1, 'cs1', 3, replace(printf('%040000d', 0), '0', '长'), '', 1795933800000)`,
		} {
			if _, err := db.Exec(q); err != nil {
				t.Fatal(err)
			}
		}
	})
	c := openForeign(t, path)
	if o := collect(t, c.Observations(ctx)); len(o) != 1002 || o[1001].Title != "t1009" {
		t.Errorf("%d observations", len(o))
	}
	p := collect(t, c.Prompts(ctx))
	if last := p[len(p)-1]; !last.Cut || last.Text != strings.Repeat("长", claudeMemPrompt) {
		t.Errorf("cut %v, %d bytes", last.Cut, len(last.Text))
	}
}

// folder gives names and contents of all files beside path.
func folder(t *testing.T, path string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(filepath.Dir(path), e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(b)
	}
	return all
}

// caught copies a database in use, with the files beside it that are named.
func caught(t *testing.T, path string, suffixes ...string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "claude-mem.db")
	for _, suffix := range append(suffixes, "") {
		b, err := os.ReadFile(path + suffix)
		if err == nil {
			err = os.WriteFile(to+suffix, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return to
}

func TestClaudeMemIsNeverWrittenTo(t *testing.T) {
	var killed, withoutIndex, inUse string
	closed := claudeMemFile(t, modernClaudeMem, func(db *sql.DB, path string) {
		if _, err := db.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(`INSERT INTO observations (memory_session_id, project, type, title, created_at, created_at_epoch) VALUES ('ms1', 'webshop', 'change', 'in the log', '', 1795933800001)`); err != nil {
			t.Fatal(err)
		}
		killed, withoutIndex = caught(t, path, "-wal", "-shm"), caught(t, path, "-wal")
		inUse = path
		c := openForeign(t, path)
		if o := collect(t, c.Observations(context.Background())); len(o) != 3 {
			t.Errorf("beside a running program: %d observations", len(o))
		}
		// A writer goes on while it is read.
		if _, err := db.Exec(`INSERT INTO observations (memory_session_id, project, type, title, created_at, created_at_epoch) VALUES ('ms1', 'webshop', 'change', 'later', '', 1795933800002)`); err != nil {
			t.Error(err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	if closed != inUse {
		t.Fatal("the database was not looked at while in use")
	}
	for name, tt := range map[string]struct {
		path string
		want int
	}{"closed": {closed, 4}, "killed": {killed, 3}, "log without its index": {withoutIndex, 3}} {
		before := folder(t, tt.path)
		c, err := OpenClaudeMem(context.Background(), tt.path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if o := collect(t, c.Observations(context.Background())); len(o) != tt.want {
			t.Errorf("%s: %d observations, want %d", name, len(o), tt.want)
		}
		copied := c.copied
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(copied); copied != "" && !os.IsNotExist(err) {
			t.Errorf("%s: the copy is left behind", name)
		}
		after := folder(t, tt.path)
		for file, content := range before {
			if after[file] != content {
				t.Errorf("%s: %s was changed", name, file)
			}
		}
		if len(after) != len(before) {
			t.Errorf("%s: %d files became %d", name, len(before), len(after))
		}
	}
	// A log that cannot be used is left out.
	c, err := OpenClaudeMemBase(context.Background(), killed)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close() //nolint:errcheck // only read
	if o := collect(t, c.Observations(context.Background())); len(o) != 2 {
		t.Errorf("without the log: %d observations", len(o))
	}
}

func TestOtherFilesAreNotTakenForClaudeMem(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	for name, tt := range map[string]struct {
		path string
		want error
	}{
		"none":      {filepath.Join(dir, "missing.db"), os.ErrNotExist},
		"empty":     {write("empty.db", ""), ErrNotClaudeMem},
		"text":      {write("text.db", strings.Repeat("not a database at all\n", 100)), ErrDamaged},
		"a folder":  {dir, ErrNotClaudeMem},
		"another's": {claudeMemFile(t, "CREATE TABLE sessions (id INTEGER)", nil), ErrNotClaudeMem},
	} {
		if _, err := OpenClaudeMem(context.Background(), tt.path); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
}
