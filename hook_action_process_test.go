package main_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"cmem/memory"
	"cmem/project"
	"cmem/store"
)

// shop is a machine with a project of which something is remembered.
type shop struct {
	*machine
	dir string // the project
}

func newShop(t *testing.T) shop {
	t.Helper()
	s := shop{machine: newMachine(t)}
	s.dir = filepath.Join(s.machine.dir, "网店 shop")
	if err := os.MkdirAll(filepath.Join(s.dir, "src", "购物车"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.remember(memory.Observation{
		Type: memory.TypeBugfix, Title: "Cart total no longer negative", Narrative: "The discount was applied twice.", FilesModified: []string{"src/main.go"},
	})
	s.remember(memory.Observation{Type: memory.TypeDecision, Title: "价格用整数分", Narrative: "浮点数会差一分钱。", FilesModified: []string{"src/购物车/价格.go"}})
	s.remember(memory.Observation{
		Type: memory.TypeBugfix, Title: "pnpm install fails: ERR_PNPM_OUTDATED_LOCKFILE", Narrative: "The lockfile was made by another version of pnpm. Run corepack enable first.",
	})
	s.remember(memory.Observation{Type: memory.TypeBugfix, Title: "What does not hold any more", Status: memory.StatusArchived, FilesModified: []string{"src/main.go"}})
	return s
}

// remember adds a memory to the store.
func (s shop) remember(o memory.Observation) {
	s.t.Helper()
	db, err := store.Open(s.t.Context(), filepath.Join(s.data(), "cmem.db"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // the next one that opens it would fail
	o.Project, o.CreatedAt = project.Find(s.dir).Key, time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	if _, _, err := db.Add(s.t.Context(), o); err != nil {
		s.t.Fatal(err)
	}
}

// at gives a recorded payload as if it came from the project, with more replaced.
func (s shop) at(name string, more ...string) []byte {
	s.t.Helper()
	dir, err := json.Marshal(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	return []byte(strings.NewReplacer(append(more, "/home/dev/projects/webshop", strings.Trim(string(dir), `"`))...).Replace(string(payload(s.t, name))))
}

// told gives the block that a hook call is answered with, "" for no answer.
func (s shop) told(in []byte) string {
	s.t.Helper()
	out, stderr := s.hook(in, "hook")
	if stderr != "" {
		s.t.Errorf("standard error %q", stderr)
	}
	if out == "" {
		return ""
	}
	var answer struct {
		HookSpecificOutput map[string]string
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil || len(answer.HookSpecificOutput) != 2 || strings.Contains(out, "permission") {
		s.t.Fatalf("answer %q: %v", out, err)
	}
	return answer.HookSpecificOutput["additionalContext"]
}

func TestAFileThatIsOpenedBringsItsMemoriesOnceASession(t *testing.T) {
	s := newShop(t)
	block := s.told(s.at("PreToolUse-Read"))
	for _, want := range []string{"<cmem-recall of=\"file\" about=\"src/main.go\">", "2026-11-02 bugfix Cart total no longer negative", "The discount was applied twice.", "not instructions", "get_observations"} {
		if !strings.Contains(block, want) {
			t.Errorf("the block lacks %q:\n%s", want, block)
		}
	}
	if strings.Contains(block, "any more") || memory.EstimateTokens(block) > 300 {
		t.Errorf("the block holds what is archived, or more than its tokens:\n%s", block)
	}
	for name, in := range map[string][]byte{
		"the same again":   s.at("PreToolUse-Read"),
		"an edit of it":    s.at("PreToolUse-Edit"),
		"an unknown file":  s.at("PreToolUse-Write"),
		"an agent":         s.at("PreToolUse-Read", `"hook_event_name"`, `"agent_id":"a9","hook_event_name"`),
		"another tool":     s.at("PreToolUse-Bash"),
		"a longer path":    s.at("PreToolUse-Read", "src/main.go", "src/main.go/x"),
		"a file elsewhere": s.at("PreToolUse-Read", "/home/dev/projects/webshop/src/main.go", "/srv/src/main.go"),
	} {
		if got := s.told(in); got != "" {
			t.Errorf("%s: told\n%s", name, got)
		}
	}
	if again := s.told(s.at("PreToolUse-Edit", "00000001-0000", "00000009-0000")); again != block {
		t.Errorf("another session is told\n%s\nwant\n%s", again, block)
	}
	if got := s.told(s.at("PreToolUse-Read", "main.go", "购物车/价格.go")); !strings.Contains(got, "价格用整数分") || !strings.Contains(got, "浮点数会差一分钱。") {
		t.Errorf("of a file with a Chinese name is told\n%s", got)
	}
	s.settle()
	if n := s.query("SELECT count(*) FROM events"); n != 0 {
		t.Errorf("%d events are in the store, want none: what a tool did its outcome tells", n)
	}
}

func TestAFileIsKnownInAWorkTreeAndThroughALink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights on Windows")
	}
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("needs the git program")
	}
	s := newShop(t)
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command(git, args...)
		cmd.Dir = s.dir
		cmd.Env = append(os.Environ(), "HOME="+s.machine.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=D", "GIT_AUTHOR_EMAIL=d@example.com", "GIT_COMMITTER_NAME=D", "GIT_COMMITTER_EMAIL=d@example.com")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	tree, link := filepath.Join(s.machine.dir, "tree"), filepath.Join(s.machine.dir, "link")
	run("init", "-q")
	run("commit", "-q", "--allow-empty", "-m", "x")
	run("worktree", "add", "-q", tree)
	if err := os.Symlink(s.dir, link); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"a work tree": tree, "a link to the project": link} {
		in := strings.ReplaceAll(string(payload(t, "PreToolUse-Read")), "/home/dev/projects/webshop", dir)
		in = strings.Replace(in, "00000001-0000", name, 1)
		if got := s.told([]byte(in)); !strings.Contains(got, "Cart total") {
			t.Errorf("in %s: told %q", name, got)
		}
	}
}

func TestAFailingCommandBringsWhatIsKnownOfItsError(t *testing.T) {
	s := newShop(t)
	failing := func(output string) []byte {
		b, err := json.Marshal(output)
		if err != nil {
			t.Fatal(err)
		}
		return s.at("PostToolUseFailure-Bash", `"Exit code 3\npartial\noops"`, string(b), "echo partial; echo oops >&2; exit 3", "pnpm install")
	}
	if got := s.told(failing("Exit code 1\nerror: something else is wrong with the moon")); got != "" {
		t.Errorf("of another error is told\n%s", got)
	}
	outdated := failing("Exit code 1\n\x1b[41m ERR_PNPM_OUTDATED_LOCKFILE \x1b[0m Cannot install with \"frozen-lockfile\"")
	if got := s.told(outdated); !strings.Contains(got, `<cmem-recall of="error">`) || !strings.Contains(got, "corepack enable") {
		t.Errorf("told\n%s", got)
	}
	if got := s.told(outdated); got != "" {
		t.Errorf("told again\n%s", got)
	}
	s.settle()
	// The third is the same event as the second, and is recognised.
	if n := s.query("SELECT count(*) FROM events WHERE event = 'PostToolUseFailure'"); n < 2 {
		t.Errorf("%d events are in the store: what is answered is recorded, too", n)
	}
}

func TestPromptsBringMemoriesOnlyWhenTheyAreToldTo(t *testing.T) {
	s := newShop(t)
	ask := s.at("UserPromptSubmit", "Please tidy the webshop sources", "pnpm install fails with ERR_PNPM_OUTDATED_LOCKFILE, what now?")
	if got := s.told(ask); got != "" {
		t.Errorf("told by default\n%s", got)
	}
	s.run("config", "set", "recall.prompt", "true")
	if got := s.told(ask); !strings.Contains(got, `<cmem-recall of="prompt">`) || !strings.Contains(got, "corepack") {
		t.Errorf("told\n%s", got)
	}
	if got := s.told(s.at("UserPromptSubmit")); got != "" {
		t.Errorf("with a prompt about nothing that is known is told\n%s", got)
	}
}

func TestReadingsSideBySideTellAMemoryOnce(t *testing.T) {
	s := newShop(t)
	var mu sync.Mutex
	var wg sync.WaitGroup
	told := 0
	for range 6 {
		wg.Go(func() {
			if s.told(s.at("PreToolUse-Read")) != "" {
				mu.Lock()
				told++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if told != 1 {
		t.Errorf("six hooks of a session told the memory %d times, want once", told)
	}
}

func TestAStoreThatCannotBeReadTellsNothingAndDisturbsNobody(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"no store":      os.Remove,
		"no SQLite":     func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("broken ", 1000)), 0o600) },
		"empty":         func(path string) error { return os.Truncate(path, 0) },
		"cut in middle": func(path string) error { return os.Truncate(path, 20_000) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			if err := damage(filepath.Join(s.data(), "cmem.db")); err != nil {
				t.Fatal(err)
			}
			for _, event := range []string{"PreToolUse-Read", "PostToolUseFailure-Bash"} {
				if got := s.told(s.at(event)); got != "" {
					t.Errorf("%s: told\n%s", event, got)
				}
			}
		})
	}
}

func TestADeadlineThatIsOverTellsNothing(t *testing.T) {
	s := newShop(t)
	s.vars = []string{"CMEM_HOOK_DEADLINE=10ms"}
	db := s.open("rw")
	defer db.Close() //nolint:errcheck // the folder goes
	// Whoever waits for the lock waits longer than that.
	if _, err := db.Exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	if got := s.told(s.at("PreToolUse-Read")); got != "" {
		t.Errorf("told\n%s", got)
	}
	if !strings.Contains(s.log(), "recall-late") && !strings.Contains(s.log(), "recall-failed") {
		t.Errorf("log %q says nothing", s.log())
	}
}

func TestWhatASessionWasToldIsForgottenWithIt(t *testing.T) {
	s := newShop(t)
	s.told(s.at("PreToolUse-Read"))
	s.hook(s.at("PostToolUse-Edit"), "hook")
	s.settle()
	notes := filepath.Join(s.data(), "told", "*")
	if files, err := filepath.Glob(notes); err != nil || len(files) != 1 {
		t.Fatalf("%q, %v: want one file", files, err)
	}
	s.run("forget", "--session", "00000001-0000-4000-8000-000000000001", "--yes")
	if files, err := filepath.Glob(notes); err != nil || len(files) != 0 {
		t.Errorf("%q is left, %v", files, err)
	}
}
