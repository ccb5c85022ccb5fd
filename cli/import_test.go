package cli

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cmem/config"
	"cmem/hooks"
	"cmem/hooks/spool"
	"cmem/memory"
	"cmem/store"
	"cmem/worker"
)

// importer is a person with a home of their own.
type importer struct {
	t    *testing.T
	home string
	env  map[string]string
}

func newImporter(t *testing.T) *importer {
	home := t.TempDir()
	return &importer{t, home, map[string]string{"HOME": home, "USERPROFILE": home}}
}

func (p *importer) getenv(name string) string { return p.env[name] }

func (p *importer) config() *config.Config {
	cfg, err := config.Load(p.getenv)
	if err != nil {
		p.t.Fatal(err)
	}
	return cfg
}

// run calls cmem and gives what it wrote to both outputs.
func (p *importer) run(wantCode int, args ...string) string {
	p.t.Helper()
	var out bytes.Buffer
	a := &App{
		In: strings.NewReader(""), Out: &out, Err: &out, Getenv: p.getenv, Now: time.Now, Version: "test",
		Getwd: func() (string, error) { return p.home, nil },
	}
	if code := a.Main(args); code != wantCode {
		p.t.Errorf("cmem %s ended with %d, want %d:\n%s", strings.Join(args, " "), code, wantCode, out.String())
	}
	return out.String()
}

func (p *importer) totals() store.Totals {
	p.t.Helper()
	s, err := store.OpenReadOnly(context.Background(), p.config().DB())
	if err != nil {
		p.t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // only read
	t, err := s.Totals(context.Background(), "")
	if err != nil {
		p.t.Fatal(err)
	}
	t.SizeBytes = 0
	return t
}

// session writes a transcript with a prompt for each of turns, a tool call in each.
func (p *importer) session(id string, start time.Time, turns ...string) string {
	p.t.Helper()
	dir := filepath.Join(p.home, ".claude", "projects", "-home-dev-webshop")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		p.t.Fatal(err)
	}
	var b strings.Builder
	n := 0
	line := func(kind, prompt, rest string) {
		n++
		fmt.Fprintf(&b, `{"type":%q,"uuid":"%s-%d","timestamp":%q,"sessionId":%q,"cwd":"/home/dev/webshop","gitBranch":"old","promptId":"%s-%s",%s}`+"\n",
			kind, id, n, start.Add(time.Duration(n)*time.Second).Format("2006-01-02T15:04:05.000Z"), id, id, prompt, rest)
	}
	for i, turn := range turns {
		prompt := fmt.Sprint("p", i)
		line("user", prompt, fmt.Sprintf(`"message":{"role":"user","content":%q}`, turn))
		line("assistant", prompt, fmt.Sprintf(`"message":{"content":[{"type":"tool_use","id":"%s-t%d","name":"Edit","input":{"file_path":"/home/dev/webshop/f%d.go","old_string":"a := %d","new_string":"b := %d"}}]}`, id, i, i, i, i))
		line("user", prompt, fmt.Sprintf(`"message":{"content":[{"type":"tool_result","tool_use_id":"%s-t%d","content":"ok"}]},"toolUseResult":{"filePath":"/home/dev/webshop/f%d.go","oldString":"a := %d","newString":"b := %d","structuredPatch":[{"oldStart":1,"oldLines":1,"newStart":1,"newLines":1,"lines":["-a := %d","+b := %d"]}]}`, id, i, i, i, i, i, i))
		line("assistant", prompt, fmt.Sprintf(`"message":{"content":[{"type":"text","text":"Done: %s"}]}`, turn))
	}
	path := filepath.Join(dir, id+".jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func TestTranscriptsAreImportedOnce(t *testing.T) {
	p := newImporter(t)
	p.session("s1", noon, "修复退款 🐛", "and the tax")
	p.session("s2", noon.Add(time.Hour), "my password is <private>hunter2</private>")
	out := p.run(0, "import", "claude-code", "--dry-run")
	if !strings.Contains(out, "Would import from "+filepath.Join("~", ".claude", "projects")) && !strings.Contains(out, "Would import") || !strings.Contains(out, "13 events of 2 sessions in 2 transcripts") {
		t.Errorf("dry run: %s", out)
	}
	if _, err := os.Stat(p.config().DB()); err == nil {
		t.Error("a dry run made a store")
	}
	out = p.run(0, "import", "claude-code")
	if !strings.Contains(out, "13 events of 2 sessions gave") {
		t.Errorf("import: %s", out)
	}
	first := p.totals()
	if first.Sessions != 2 || first.Prompts != 3 || first.Events != 13 || first.Observations == 0 || first.Summaries != 2 || first.WaitingBatches+first.WaitingEvents != 0 {
		t.Errorf("after the import: %+v", first)
	}
	out = p.run(0, "import", "claude-code")
	if !strings.Contains(out, "Nothing new") || !strings.Contains(out, "2 sessions are known already") {
		t.Errorf("second import: %s", out)
	}
	if again := p.totals(); again.Events != first.Events || again.Observations != first.Observations || again.Prompts != first.Prompts || again.Summaries != first.Summaries {
		t.Errorf("after a second import: %+v\nwas: %+v", again, first)
	}
	// The session goes on and ends anew.
	p.session("s1", noon, "修复退款 🐛", "and the tax", "one more thing")
	if out = p.run(0, "import", "claude-code"); !strings.Contains(out, "4 events of 1 session gave") {
		t.Errorf("after it has grown: %s", out)
	}
	if now := p.totals(); now.Prompts != 4 || now.Events != 17 {
		t.Errorf("after it has grown: %+v", now)
	}
	if dump := p.run(0, "export", "--format", "json"); strings.Contains(dump, "hunter2") || !strings.Contains(dump, "[private]") || !strings.Contains(dump, `"git_branch":"old"`) || strings.Contains(dump, `"git_commit":"`) {
		t.Errorf("exported: %s", dump)
	}
}

func TestWhatHooksRecordedIsNotImportedAgain(t *testing.T) {
	p := newImporter(t)
	path := p.session("s1", noon, "first", "second", "third")
	// Hooks saw the first two turns, with names of their own.
	cfg := p.config()
	found, err := hooks.FindTranscripts(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	live := 0
	for e, err := range found[0].Events(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(e.Event.PromptID, "p2") || e.Last {
			continue
		}
		if err := spool.DeliverAs(cfg.Spool(), spool.NameAt(e.Event.CreatedAt.Add(7*time.Millisecond), 4711+live), e.Event.Raw); err != nil {
			t.Fatal(err)
		}
		live++
	}
	if live != 7 { // still in the spool when the import begins
		t.Fatalf("%d events by hooks", live)
	}
	if out := p.run(0, "import", "claude-code"); !strings.Contains(out, "4 events of 1 session") {
		t.Errorf("import: %s", out)
	}
	if got := p.totals(); got.Prompts != 3 || got.Events != 11 {
		t.Errorf("totals: %+v", got)
	}
}

func TestSettingsHoldForImports(t *testing.T) {
	p := newImporter(t)
	p.session("s1", noon, "a", "b")
	p.env["CMEM_SKIP_TOOLS"] = "Ed*"
	if out := p.run(0, "import", "claude-code", "--dry-run"); !strings.Contains(out, "6 events of 1 session") || !strings.Contains(out, "2 events of projects and tools that your settings exclude") {
		t.Errorf("without the tool: %s", out)
	}
	p.env["CMEM_EXCLUDE"] = "/home/dev/**"
	if out := p.run(0, "import", "claude-code", "--dry-run"); !strings.Contains(out, "0 events of 0 sessions") {
		t.Errorf("without the project: %s", out)
	}
	if err := os.MkdirAll(p.config().Base(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.config().File(), []byte(`{"exclude": [`), 0o600); err != nil {
		t.Fatal(err)
	}
	delete(p.env, "CMEM_EXCLUDE")
	if out := p.run(1, "import", "claude-code"); !strings.Contains(out, "does not tell what is excluded") {
		t.Errorf("with broken settings: %s", out)
	}
}

func TestSessionsThatWatchOthersAreNotImported(t *testing.T) {
	p := newImporter(t)
	p.session("s1", noon, "Hello memory agent, you are continuing to observe the primary Claude session.")
	if out := p.run(0, "import", "claude-code"); !strings.Contains(out, "Nothing new") || !strings.Contains(out, "1 transcript of programs that watch") {
		t.Errorf("import: %s", out)
	}
	if got := p.totals(); got.Sessions != 0 || got.Events != 0 {
		t.Errorf("totals: %+v", got)
	}
}

func TestAPaidProviderIsNotSentThePastUnasked(t *testing.T) {
	p := newImporter(t)
	p.session("s1", noon, "a", "b")
	p.env["CMEM_PROVIDER"] = "claude"
	p.env["CMEM_CLAUDE_BASE_URL"] = "http://127.0.0.1:9" // nobody is there
	out := p.run(1, "import", "claude-code")
	if !strings.Contains(out, "of 8 events would be sent to claude (claude-haiku-4-5), in about 2 calls") || !strings.Contains(out, "--yes") {
		t.Errorf("unasked: %s", out)
	}
	if got := p.totals(); got.Events != 0 {
		t.Errorf("stored unasked: %+v", got)
	}
	// Its key is missing; the local version stands in and the events are not lost.
	if out := p.run(0, "import", "claude-code", "--yes"); !strings.Contains(out, "8 events of 1 session") || !strings.Contains(out, "wait for claude") {
		t.Errorf("with --yes: %s", out)
	}
}

func TestAnInterruptedImportGoesOn(t *testing.T) {
	p := newImporter(t)
	turns := make([]string, 150) // more than one portion
	for i := range turns {
		turns[i] = fmt.Sprint("turn ", i)
	}
	p.session("s1", noon, turns...)
	p.session("s2", noon.Add(24*time.Hour), turns...)
	cfg := p.config()
	if err := cfg.EnsureDirs(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s, err := store.Open(ctx, cfg.DB())
	if err != nil {
		t.Fatal(err)
	}
	a := &App{Out: new(bytes.Buffer), Err: new(bytes.Buffer), Getenv: p.getenv, Now: time.Now}
	log := newLog(cfg, "test")
	m := &transcriptImport{app: a, cfg: cfg, store: s, worker: workerOptions(cfg, log, "test")}
	m.worker.Idle = 0
	delivered, largest := 0, 0
	m.deliver = func(ctx context.Context, e memory.Event) error {
		if delivered++; delivered == 700 {
			cancel() // Ctrl-C
		}
		err := m.intoSpool(ctx, e)
		largest = max(largest, m.waiting)
		return err
	}
	found, err := hooks.FindTranscripts(ctx, hooks.TranscriptsDir(p.getenv, p.home))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.run(ctx, found, ""); err == nil {
		t.Fatal("it was not interrupted")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := p.totals(); got.Events == 0 || got.Events >= 904 || largest > portionEvents+4 {
		t.Errorf("after the interruption: %+v, at most %d waiting", got, largest)
	}
	p.run(0, "import", "claude-code")
	if got := p.totals(); got.Events != 904 || got.Prompts != 300 || got.WaitingEvents != 0 {
		t.Errorf("in the end: %+v", got)
	}
	if st, err := worker.ReadStatus(cfg.DataDir()); err != nil || st.Running {
		t.Errorf("a worker is left: %+v, %v", st, err)
	}
}

func TestClaudeMemIsImportedByCommand(t *testing.T) {
	p := newImporter(t)
	if out := p.run(1, "import", "claude-mem"); !strings.Contains(out, "no claude-mem database at") {
		t.Errorf("without a database: %s", out)
	}
	path := filepath.Join(p.home, ".claude-mem", "claude-mem.db")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, content_session_id TEXT, memory_session_id TEXT UNIQUE, project TEXT, user_prompt TEXT, started_at_epoch INTEGER);
		CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, type TEXT, title TEXT, narrative TEXT, created_at_epoch INTEGER);
		INSERT INTO sdk_sessions VALUES (1, 's1', 'm1', 'webshop', '修复 <private>hunter2</private>', 1795932000000), (2, 's9', 'm9', 'elsewhere', 'x', 1795932000000);
		INSERT INTO observations VALUES (1, 'm1', 'webshop', 'bugfix', '退款', 'token ghp_0123456789abcdefghijklmnopqrstuvwxyz', 1795932100000)`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	p.session("s1", noon, "a") // its transcript tells where it ran
	if out := p.run(0, "import", "claude-mem", "--dry-run"); !strings.Contains(out, "Would import") || !strings.Contains(out, "1 observation, 0 summaries and 2 prompts of 2 sessions.") {
		t.Errorf("dry run: %s", out)
	}
	out := p.run(0, "import", "claude-mem", filepath.Dir(path))
	if !strings.Contains(out, "5 rows are new.") || !strings.Contains(out, "Nothing tells the path of 1 project, which keep their bare names: elsewhere.") {
		t.Errorf("import: %s", out)
	}
	if out := p.run(0, "import", "claude-mem"); !strings.Contains(out, "0 rows are new.") {
		t.Errorf("second import: %s", out)
	}
	dump := p.run(0, "export", "--format", "json")
	if strings.Contains(dump, "hunter2") || strings.Contains(dump, "ghp_") || !strings.Contains(dump, `"project":"/home/dev/webshop"`) {
		t.Errorf("exported: %s", dump)
	}
}

func TestWhatCanBeImportedIsFoundAndListed(t *testing.T) {
	p := newImporter(t)
	if found := FindImports(context.Background(), p.home, p.getenv); len(found) != 0 {
		t.Errorf("found %+v where there is nothing", found)
	}
	if out := p.run(0, "import"); !strings.Contains(out, "Nothing to import was found") || !strings.Contains(out, "cmem import claude-mem PATH") {
		t.Errorf("list of nothing: %s", out)
	}
	p.session("s1", noon, "a")
	path := filepath.Join(p.home, ".claude-mem", "claude-mem.db")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("torn", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	found := FindImports(context.Background(), p.home, p.getenv)
	if len(found) != 2 || found[0].Kind != "claude-code" || !strings.HasPrefix(found[0].What, "1 Claude Code transcript, ") || found[0].Command != "cmem import claude-code" ||
		found[1].Path != path || found[1].What != "a claude-mem database, 400 B" {
		t.Errorf("found %+v", found)
	}
	if out := p.run(0, "import"); !strings.Contains(out, "cmem import claude-code") || !strings.Contains(out, "cmem import claude-mem") {
		t.Errorf("list: %s", out)
	}
	if out := p.run(1, "import", "claude-mem"); !strings.Contains(out, "no database, or a damaged one") {
		t.Errorf("of a damaged database: %s", out)
	}
}
