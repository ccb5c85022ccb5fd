package main_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite"

	"cmem/hooks"
	"cmem/hooks/spool"
)

// binary is the cmem that these tests run, built once.
var binary string

func TestMain(m *testing.M) { os.Exit(build(m)) }

func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "cmem-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	binary = filepath.Join(dir, "cmem")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	cmd := exec.Command("go", "build", "-o", binary, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build cmem: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("USERPROFILE", home)
			env.Setenv("PATH", filepath.Dir(binary)+string(os.PathListSeparator)+env.Getenv("PATH"))
			env.Setenv("CMEM_WORKER_IDLE", "1s")
			env.Setenv("TZ", "UTC")
			env.Defer(func() { stopWorkers(home) })
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			// recorded delivers the recorded sessions to the spool, as of when they were.
			"recorded": func(ts *testscript.TestScript, _ bool, _ []string) {
				all, err := hooks.RecordedSessions()
				ts.Check(err)
				for i, r := range all {
					ts.Check(spool.DeliverAs(filepath.Join(ts.Getenv("HOME"), ".cmem", "spool"), spool.NameAt(r.At, i), r.Payload))
				}
			},
			// settle waits until everything delivered is in the store and compressed.
			"settle": func(ts *testscript.TestScript, _ bool, _ []string) {
				cmd := exec.Command(binary, "worker", "run")
				cmd.Env = append(os.Environ(), "HOME="+ts.Getenv("HOME"), "CMEM_DATA_DIR="+ts.Getenv("CMEM_DATA_DIR"), "CMEM_WORKER_IDLE=1s")
				for range 60 {
					if out, err := cmd.CombinedOutput(); err != nil {
						ts.Fatalf("worker run: %v\n%s", err, out)
					} else if !bytes.Contains(out, []byte("another worker")) {
						return
					}
					time.Sleep(100 * time.Millisecond)
					cmd = &exec.Cmd{Path: cmd.Path, Args: cmd.Args, Env: cmd.Env}
				}
				ts.Fatalf("the worker did not come to an end")
			},
		},
	})
}

// stopWorkers ends a worker that a test left behind, so that its folder can go.
func stopWorkers(home string) {
	cmd := exec.Command(binary, "worker", "stop")
	cmd.Env = append(os.Environ(), "HOME="+home)
	_ = cmd.Run() // there may be none
}

// home is a person's machine: a home directory and a data directory in it.
type home struct {
	t    *testing.T
	dir  string
	vars []string
}

func newHome(t *testing.T, vars ...string) *home {
	t.Helper()
	h := &home{t: t, dir: t.TempDir(), vars: vars}
	t.Cleanup(func() { stopWorkers(h.dir) })
	return h
}

func (h *home) data() string { return filepath.Join(h.dir, ".cmem") }

// command gives a cmem process on this machine. Its worker leaves soon.
func (h *home) command(args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Dir = h.dir
	cmd.Env = append([]string{"HOME=" + h.dir, "USERPROFILE=" + h.dir, "PATH=" + os.Getenv("PATH"), "CMEM_WORKER_IDLE=1s"}, h.vars...)
	if runtime.GOOS == "windows" {
		cmd.Env = append(cmd.Env, "SystemRoot="+os.Getenv("SystemRoot"))
	}
	return cmd
}

// hook runs one hook call and gives what it printed. It fails the test when the
// exit code is not 0.
func (h *home) hook(payload []byte, args ...string) (stdout, stderr string) {
	h.t.Helper()
	cmd := h.command(args...)
	cmd.Stdin = bytes.NewReader(payload)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		h.t.Errorf("hook %v: %v\n%s", args, err, errOut.String())
	}
	return out.String(), errOut.String()
}

// run runs a command and gives its standard output.
func (h *home) run(args ...string) string {
	h.t.Helper()
	cmd := h.command(args...)
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if err != nil {
		h.t.Fatalf("cmem %s: %v\n%s%s", strings.Join(args, " "), err, out, errOut.String())
	}
	return string(out)
}

// settle waits until nothing is left to do.
func (h *home) settle() {
	h.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var st struct {
			Waiting int `json:"waiting"`
			Worker  struct{ Running bool }
			Totals  struct {
				WaitingBatches int `json:"waiting_batches"`
				WaitingEvents  int `json:"waiting_events"`
			}
		}
		if err := json.Unmarshal([]byte(h.run("status", "--json")), &st); err != nil {
			h.t.Fatal(err)
		}
		if !st.Worker.Running {
			if st.Waiting+st.Totals.WaitingBatches+st.Totals.WaitingEvents == 0 {
				return
			}
			h.run("worker", "run")
		}
	}
	h.t.Fatal("the worker did not finish")
}

func (h *home) query(query string, args ...any) int {
	h.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(filepath.Join(h.data(), "cmem.db"))+"?mode=ro&_pragma=busy_timeout(5000)")
	if err != nil {
		h.t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // opened for reading
	var n int
	if err := db.QueryRow(query, args...).Scan(&n); err != nil {
		h.t.Fatal(err)
	}
	return n
}

func (h *home) log() string {
	b, err := os.ReadFile(filepath.Join(h.data(), "logs", "cmem.log"))
	if err != nil && !os.IsNotExist(err) {
		h.t.Fatal(err)
	}
	return string(b)
}

func payload(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("hooks", "testdata", "payloads", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestTheFastPathPaysForNoPackageItDoesNotNeed reads the runtime's own trace of
// what was initialised.
func TestTheFastPathPaysForNoPackageItDoesNotNeed(t *testing.T) {
	trace := func(name string) (out string, packages []string) {
		stderr := initTrace(t, name)
		for _, f := range initLines(stderr) {
			packages = append(packages, f[1])
		}
		return stderr, packages
	}
	// What package os needs, which is what the rules of hooks/early allow.
	allowed := map[string]bool{}
	out, err := exec.Command("go", "list", "-deps", "os").Output()
	if err != nil {
		t.Fatal(err)
	}
	for p := range strings.FieldsSeq(string(out)) {
		allowed[p] = true
	}
	for _, p := range []string{
		"cmem/hooks/spool", "cmem/hooks/early",
		// These need next to nothing themselves and come by the alphabet before os
		// does; each costs microseconds. Look at the trace before adding one.
		"context", "crypto", "crypto/internal/fips140deps/cpu", "crypto/internal/fips140deps/time", "encoding/base64", "hash/crc32", "math",
		"github.com/charmbracelet/x/ansi/parser", "github.com/klauspost/compress/internal/cpuinfo", "google.golang.org/grpc/internal/backoff",
	} {
		allowed[p] = true
	}
	for _, name := range []string{"PostToolUse-Bash", "PostToolUse-Edit", "PostToolUseFailure-Bash", "Stop", "SessionEnd-other-print", "UserPromptSubmit"} {
		text, packages := trace(name)
		if len(packages) == 0 {
			t.Fatalf("%s: no trace: %q", name, text)
		}
		for _, p := range packages {
			if !allowed[p] {
				t.Errorf("%s: package %s was initialised on the fast path", name, p)
			}
		}
	}
	// The test must be able to fail: an answered event goes through main.
	_, packages := trace("SessionStart-startup-print")
	for _, want := range []string{"google.golang.org/grpc", "modernc.org/sqlite", "github.com/modelcontextprotocol/go-sdk/mcp", "charm.land/lipgloss/v2"} {
		if !slices.Contains(packages, want) {
			t.Errorf("SessionStart does not show %s: is the finished product linked?", want)
		}
	}
}

// initTrace gives the runtime's trace of what a hook call initialised.
func initTrace(t *testing.T, name string) string {
	t.Helper()
	_, stderr := newHome(t, "GODEBUG=inittrace=1").hook(payload(t, name), "hook")
	return stderr
}

// initLines takes a trace apart: "init PACKAGE @0.1 ms, 0.2 ms clock, 300 bytes, 4 allocs".
func initLines(trace string) [][]string {
	var lines [][]string
	for line := range strings.Lines(trace) {
		if f := strings.Fields(line); len(f) == 11 && f[0] == "init" {
			lines = append(lines, f)
		}
	}
	return lines
}

// TestNoPackageOfOursPreparesMuchBeforeMain looks at memory and not at time,
// which is the machine's: tables of compiled expressions built at start show in both.
func TestNoPackageOfOursPreparesMuchBeforeMain(t *testing.T) {
	const most = 96 << 10 // bytes allocated by one package's initialisation
	seen := 0
	for _, f := range initLines(initTrace(t, "SessionStart-startup-print")) {
		if !strings.HasPrefix(f[1], "cmem") {
			continue
		}
		seen++
		if n, err := strconv.Atoi(f[7]); err != nil || n > most {
			t.Errorf("%s allocates %s bytes before main: prepare it when it is first used", f[1], f[7])
		}
	}
	if seen == 0 {
		t.Error("the trace names no package of ours")
	}
}

func TestEveryRecordedPayloadIsTakenAndAnsweredAsItsHostExpects(t *testing.T) {
	files, err := filepath.Glob("hooks/testdata/payloads/*.json")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d recorded payloads, %v", len(files), err)
	}
	h := newHome(t)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		stdout, stderr := h.hook(payload(t, name), "hook")
		if stderr != "" {
			t.Errorf("%s: standard error %q", name, stderr)
		}
		if !strings.HasPrefix(name, "SessionStart") {
			if stdout != "" {
				t.Errorf("%s: printed %q", name, stdout)
			}
			continue
		}
		var answer struct {
			HookSpecificOutput struct{ HookEventName, AdditionalContext string }
		}
		if err := json.Unmarshal([]byte(stdout), &answer); err != nil || answer.HookSpecificOutput.HookEventName != "SessionStart" || !strings.HasPrefix(answer.HookSpecificOutput.AdditionalContext, "<cmem-context") {
			t.Errorf("%s: answer %q, %v", name, stdout, err)
		}
	}
	h.settle()
	if got := h.query("SELECT count(*) FROM events"); got != len(files) {
		t.Errorf("%d events in the store, %d were delivered", got, len(files))
	}
	if bytes.Contains([]byte(h.log()), []byte(`"level":"ERROR"`)) {
		t.Errorf("log:\n%s", h.log())
	}
}

func TestBadInputIsLoggedAndDisturbsNobody(t *testing.T) {
	good := payload(t, "PostToolUse-Bash")
	huge := enclose(`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{"content":"`, 50<<20, `"}}`)
	for name, tt := range map[string]struct {
		in     []byte
		logged string
		stored int // events beside the well-formed one
	}{
		"empty":          {nil, "payload is empty", 0},
		"cut off":        {good[:len(good)/2], "hook payload refused", 0},
		"binary":         {[]byte{0, 1, 2, 0xff, 0xfe, '{', '"', 0}, "not a JSON object", 0},
		"binary in JSON": {[]byte("{\"hook_event_name\":\"Stop\",\"session_id\":\"\x00\xff\"}"), "hook payload refused", 0},
		"text":           {[]byte("hello 你好"), "not a JSON object", 0},
		"no fields":      {[]byte(`{}`), "hook_event_name", 0},
		"no event":       {[]byte(`{"session_id":"s"}`), "hook_event_name", 0},
		"no session":     {[]byte(`{"hook_event_name":"Stop"}`), "session_id", 0},
		"wrong types":    {[]byte(`{"hook_event_name":["Stop"],"session_id":{}}`), "hook_event_name", 0},
		"50 MB":          {huge, "larger than is kept", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			var wg sync.WaitGroup
			wg.Go(func() {
				if out, _ := h.hook(good, "hook"); out != "" {
					t.Errorf("the payload beside it: printed %q", out)
				}
			})
			if out, stderr := h.hook(tt.in, "hook"); out != "" || stderr != "" {
				t.Errorf("printed %q and %q", out, stderr)
			}
			wg.Wait()
			h.settle()
			if !strings.Contains(h.log(), tt.logged) {
				t.Errorf("log %q does not say %q", h.log(), tt.logged)
			}
			if got := h.query("SELECT count(*) FROM events"); got != 1+tt.stored {
				t.Errorf("%d events in the store, want %d", got, 1+tt.stored)
			}
			cmd := h.command("doctor")
			out, _ := cmd.Output() // exits 1: no hooks are installed here
			if !strings.Contains(string(out), "hook payload") && !strings.Contains(string(out), "put aside") {
				t.Errorf("doctor does not show it:\n%s", out)
			}
		})
	}
}

// enclose gives n bytes of text between head and tail.
func enclose(head string, n int, tail string) []byte {
	b := append([]byte(head), bytes.Repeat([]byte("x"), n)...)
	return append(b, tail...)
}

func TestABareCallWithTextSaysWhatItWants(t *testing.T) {
	h := newHome(t)
	out, stderr := h.hook([]byte("hello\n"))
	if out != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "cmem --help") {
		t.Errorf("printed %q and %q; want one line of help on standard error", out, stderr)
	}
	cmd := h.command() // standard input is the null device
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	if got, err := cmd.Output(); err != nil || len(got) != 0 || !strings.Contains(errOut.String(), "cmem --help") {
		t.Errorf("with the null device: %q, %q, %v", got, errOut.String(), err)
	}
}

func TestBareAndHookAreTheSame(t *testing.T) {
	h := newHome(t)
	h.hook(payload(t, "PostToolUse-Edit"))
	h.hook(payload(t, "PostToolUse-Edit"), "hook")
	h.settle()
	if got := h.query("SELECT count(*) FROM events WHERE tool_name = 'Edit'"); got != 2 {
		t.Errorf("%d events, want 2", got)
	}
}

func TestDisabledHooksDoNothing(t *testing.T) {
	h := newHome(t, "CMEM_DISABLED=1")
	for _, name := range []string{"PostToolUse-Bash", "SessionStart-startup-print"} {
		if out, stderr := h.hook(payload(t, name), "hook"); out != "" || stderr != "" {
			t.Errorf("%s: printed %q and %q", name, out, stderr)
		}
	}
	if _, err := os.Stat(h.data()); !os.IsNotExist(err) {
		t.Errorf("a data directory was made: %v", err)
	}
}

func TestFilesAreForTheOwnerOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps no such modes")
	}
	h := newHome(t)
	h.hook(payload(t, "SessionStart-startup-print"), "hook")
	h.hook(payload(t, "PostToolUse-Bash"), "hook")
	h.hook([]byte("rubbish"), "hook")
	h.run("config", "set", "theme", "dark")
	h.settle()
	err := filepath.Walk(h.data(), func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %o", path, info.Mode().Perm())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestEightThousandEventsOfSixteenWritersAreStoredOnce kills the worker while
// sixteen processes at a time deliver.
func TestEightThousandEventsOfSixteenWritersAreStoredOnce(t *testing.T) {
	writers, each := 16, 500
	if testing.Short() {
		each = 20
	}
	h := newHome(t)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				p := fmt.Sprintf(`{"session_id":"session-%d","cwd":"/home/dev/projects/webshop","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"make %d"},"tool_response":{"stdout":"ok"},"tool_use_id":"toolu_%d_%d"}`+"\n", w, i, w, i)
				h.hook([]byte(p), "hook")
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	kills := 0
	for ticking := true; ticking && kills < 5; {
		select {
		case <-done:
			ticking = false
		case <-time.After(300 * time.Millisecond):
			if h.killWorker() {
				kills++
			}
		}
	}
	<-done
	if kills == 0 {
		t.Error("no worker was there to be killed: the test does not test")
	}
	t.Logf("killed the worker %d times", kills)
	h.settle()
	want := writers * each
	if got := h.query("SELECT count(*) FROM events"); got != want {
		t.Errorf("%d events in the store, want %d", got, want)
	}
	if got := h.query("SELECT count(DISTINCT tool_use_id) FROM events"); got != want {
		t.Errorf("%d different events in the store, want %d", got, want)
	}
	if got := h.query("SELECT count(*) FROM events WHERE batch_id IS NULL"); got != 0 {
		t.Errorf("%d events are in no batch", got)
	}
}

// killWorker kills the worker as a crash would and reports whether there was one.
func (h *home) killWorker() bool {
	var st struct {
		Running bool
		PID     int
	}
	if err := json.Unmarshal([]byte(h.run("worker", "status", "--json")), &st); err != nil || !st.Running || st.PID == 0 {
		return false
	}
	p, err := os.FindProcess(st.PID)
	if err != nil {
		return false
	}
	return p.Kill() == nil
}

func TestNoProcessIsLeftBehind(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	h := newHome(t)
	h.hook(payload(t, "PostToolUse-Bash"), "hook")
	h.settle()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		left := processesOf(t, h.dir)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("still running: %v", left)
		}
	}
}

// processesOf gives the cmem processes whose HOME is dir, and checks that the
// host's keys are not in their environment.
func processesOf(t *testing.T, dir string) []string {
	t.Helper()
	environs, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, path := range environs {
		b, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(b, []byte("HOME="+dir+"\x00")) {
			continue
		}
		if exe, err := os.Readlink(filepath.Join(filepath.Dir(path), "exe")); err == nil && filepath.Base(exe) == "cmem" {
			found = append(found, path)
		}
	}
	return found
}

func TestTheWorkerDoesNotSeeTheHostsKeys(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	h := newHome(t, "ANTHROPIC_API_KEY=sk-ant-test", "CLAUDE_CODE_MESSAGING_TOKEN=t", "CMEM_WORKER_IDLE=20s")
	h.hook(payload(t, "PostToolUse-Bash"), "hook")
	var workers []string
	for deadline := time.Now().Add(20 * time.Second); len(workers) == 0 && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		workers = processesOf(t, h.dir)
	}
	if len(workers) == 0 {
		t.Fatal("no worker was started")
	}
	f, err := os.Open(workers[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // opened for reading
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"ANTHROPIC_API_KEY", "MESSAGING_TOKEN"} {
		if bytes.Contains(b, []byte(secret)) {
			t.Errorf("the worker's environment holds %s", secret)
		}
	}
}
