package main_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

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
	// The last ones may be answered, but not where there is no store.
	for _, name := range []string{"PostToolUse-Bash", "PostToolUse-Edit", "PostToolUseFailure-Read", "PreToolUse-Bash", "PreToolUse-Bash-in-subagent", "Stop", "SessionEnd-other-print", "UserPromptSubmit",
		"PreToolUse-Read", "PostToolUseFailure-Bash"} {
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
	_, stderr := newMachine(t, "GODEBUG=inittrace=1").hook(payload(t, name), "hook")
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
	h := newMachine(t)
	asked := 0 // before a tool is used, of which its outcome tells
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if strings.HasPrefix(name, "PreToolUse") {
			asked++
		}
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
	if got := h.query("SELECT count(*) FROM events"); got != len(files)-asked || asked == 0 {
		t.Errorf("%d events in the store, %d were delivered", got, len(files)-asked)
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
			h := newMachine(t)
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
			told := func(words string) bool { return strings.Contains(string(out), words) }
			if !told("a hook call could not be read") && !told("an event was too large") && !told("put aside") {
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
	h := newMachine(t)
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
	h := newMachine(t)
	edit := payload(t, "PostToolUse-Edit")
	h.hook(edit)
	h.hook(bytes.Replace(edit, []byte("toolu_200"), []byte("toolu_201"), 1), "hook") // another call, or it would be known as the same
	h.settle()
	if got := h.query("SELECT count(*) FROM events WHERE tool_name = 'Edit'"); got != 2 {
		t.Errorf("%d events, want 2", got)
	}
}

func TestDisabledHooksDoNothing(t *testing.T) {
	h := newMachine(t, "CMEM_DISABLED=1")
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
	h := newMachine(t)
	h.hook(payload(t, "SessionStart-startup-print"), "hook")
	h.hook(payload(t, "PostToolUse-Bash"), "hook")
	h.hook([]byte("rubbish"), "hook")
	h.run("config", "set", "theme", "dark")
	h.settle()
	stopWorkers(t, h.dir) // one that leaves takes files with it
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
