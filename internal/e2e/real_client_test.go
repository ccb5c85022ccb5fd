package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/internal/e2e/claude"
	"cmem/internal/e2e/scene"
)

// patience is how long the test waits for the worker. It is a guard against
// waiting for ever, not a promise of speed.
const patience = 2 * time.Minute

func TestRealClientFindsTheMemoryOfItsFirstSessionInTheSecond(t *testing.T) {
	client := realClient(t)
	h := newHouse(t, client)
	h.cmem(t, "install", "--force") // the binary is in a temporary folder

	retry := h.scene(t, "retry-backoff")
	first := contextBlock(t, h.firstRequest(t, retry))
	if strings.Contains(first, "fetchPage") {
		t.Errorf("a project without memory is given memories:\n%s", first)
	}
	h.waitUntilRemembered(t, retry)

	faq := h.scene(t, "faq-zh")
	second := contextBlock(t, h.firstRequest(t, faq))
	for _, want := range []string{"fetchPage", "backoff"} {
		if !strings.Contains(second, want) {
			t.Errorf("the second session's first request holds a block without %q:\n%s", want, second)
		}
	}
	h.waitUntilRemembered(t, faq)

	ask := h.scene(t, "ask-again")
	third := contextBlock(t, h.firstRequest(t, ask))
	for _, want := range []string{"fetchPage", "退款"} {
		if !strings.Contains(third, want) {
			t.Errorf("the third session's first request holds a block without %q:\n%s", want, third)
		}
	}
	if answer := h.lastToolResult(t); !strings.Contains(answer, "fetchPage") {
		t.Errorf("the search by MCP for what the first session did answers:\n%s", answer)
	}

	db := h.openStore(t)
	h.waitUntilNoProcessIsLeft(t)
	db.hasEachToolCallOnce(t, h.toolUses)
	db.hasPrompts(t, retry)
	db.hasPrompts(t, faq)
	db.answersThePublicQueries(t, retry.Session)
}

func TestRealClientRunsNothingOfOursAfterUninstall(t *testing.T) {
	h := newHouse(t, realClient(t))
	h.cmem(t, "install", "--force")
	h.cmem(t, "uninstall")
	seen, err := h.stage.Play(t.Context(), h.scene(t, "faq-zh"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(seen.Hooks) > 0 || len(seen.Servers) > 0 {
		t.Errorf("hooks %+v and MCP servers %q are still there", seen.Hooks, seen.Servers)
	}
}

// realClient returns the client's binary, or skips the test.
func realClient(t *testing.T) string {
	t.Helper()
	skip := t.Skipf
	if os.Getenv("CMEM_E2E_REQUIRED") == "1" {
		skip = t.Fatalf
	}
	if os.Getenv("CMEM_E2E") != "1" {
		skip("runs the real Claude Code client, which npm installs; set CMEM_E2E=1")
	}
	for _, tool := range []string{"git", "ps"} {
		if _, err := exec.LookPath(tool); err != nil {
			skip("%s is not installed", tool)
		}
	}
	bin, err := claude.Install(t.Context())
	if errors.Is(err, claude.ErrUnavailable) {
		skip("%v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// house is a fresh home with the cmem binary and the client in it.
type house struct {
	stage    *scene.Stage
	bin      string // the cmem binary
	data     string // its data directory
	toolUses []string
}

func newHouse(t *testing.T, client string) *house {
	t.Helper()
	work := t.TempDir()
	h := &house{bin: filepath.Join(work, "bin", "cmem"), data: filepath.Join(work, "data")}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", h.bin, "cmem")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build cmem: %v\n%s", err, out)
	}
	var err error
	if h.stage, err = scene.NewStage(client, work, filepath.Join("testdata", "webshop.txtar")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.stage.Close)
	h.stage.Env = []string{"CMEM_DATA_DIR=" + h.data, "CMEM_WORKER_IDLE=3s"}
	// The worker must be gone before the folder is removed, also after a failure.
	t.Cleanup(func() {
		if out, err := h.command(context.Background(), "worker", "stop").CombinedOutput(); err != nil {
			t.Logf("cmem worker stop: %v\n%s", err, out)
		}
		if t.Failed() {
			t.Log(h.log())
		}
	})
	return h
}

// command runs cmem as the person would in a terminal of this house.
func (h *house) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, h.bin, args...)
	cmd.Dir = h.stage.Project
	cmd.Env = append([]string{
		"PATH=" + filepath.Dir(h.bin) + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + h.stage.Home,
	}, h.stage.Env...)
	return cmd
}

// cmem runs a command that must succeed.
func (h *house) cmem(t *testing.T, args ...string) {
	t.Helper()
	if out, err := h.command(t.Context(), args...).CombinedOutput(); err != nil {
		t.Fatalf("cmem %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// log returns what the hooks and the worker wrote to their log.
func (h *house) log() string {
	data, err := os.ReadFile(filepath.Join(h.data, "logs", "cmem.log"))
	if err != nil {
		return "no log: " + err.Error()
	}
	return "cmem.log:\n" + string(data)
}

func (h *house) scene(t *testing.T, name string) scene.Scene {
	t.Helper()
	sc, err := scene.Load(filepath.Join("testdata", "scenes", name+".yaml"), "${CWD}", h.stage.Project)
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

// play plays all runs of a scene and checks that the client saw nothing of our
// hooks but their answers.
func (h *house) play(t *testing.T, sc scene.Scene) {
	t.Helper()
	for i := range sc.Runs {
		seen, err := h.stage.Play(t.Context(), sc, i)
		if err != nil {
			t.Fatal(err)
		}
		if seen.Stderr != "" {
			t.Errorf("the client wrote to standard error:\n%s", seen.Stderr)
		}
		var events []string
		for _, run := range seen.Hooks {
			events = append(events, run.Event)
			if run.ExitCode != 0 || run.Stderr != "" {
				t.Errorf("%s hook: exit code %d, standard error %q", run.Event, run.ExitCode, run.Stderr)
			}
			if run.Stdout != "" && !json.Valid([]byte(run.Stdout)) {
				t.Errorf("%s hook: standard output is not one JSON value: %q", run.Event, run.Stdout)
			}
			if strings.HasSuffix(run.Event, "Stop") && run.Stdout != "" {
				t.Errorf("%s hook: an answer makes the turn go on: %q", run.Event, run.Stdout)
			}
		}
		for _, want := range []string{"SessionStart", "UserPromptSubmit", "Stop"} {
			if !slices.Contains(events, want) {
				t.Errorf("no %s hook ran; those that did: %q", want, events)
			}
		}
		if !slices.Equal(seen.Servers, []string{"cmem connected"}) {
			t.Errorf("MCP servers %q, want ours, connected", seen.Servers)
		}
		h.toolUses = append(h.toolUses, seen.ToolUses...)
	}
}

// firstRequest plays a scene and returns the body of its first request to the API.
func (h *house) firstRequest(t *testing.T, sc scene.Scene) []byte {
	t.Helper()
	before := len(h.stage.API.Requests())
	h.play(t, sc)
	after := h.stage.API.Requests()[before:]
	if len(after) == 0 {
		t.Fatal("the client asked the API nothing")
	}
	return after[0].Body
}

// lastToolResult returns the text of the last tool result in the newest request.
func (h *house) lastToolResult(t *testing.T) string {
	t.Helper()
	requests := h.stage.API.Requests()
	var body struct {
		Messages []struct {
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(requests[len(requests)-1].Body, &body); err != nil {
		t.Fatalf("decode the request: %v", err)
	}
	result := ""
	for _, m := range body.Messages {
		var blocks []struct {
			Type    string
			Content json.RawMessage
		}
		if json.Unmarshal(m.Content, &blocks) != nil {
			continue // a plain text
		}
		for _, b := range blocks {
			if b.Type == "tool_result" {
				result = string(b.Content)
			}
		}
	}
	return result
}

// waitUntilNoProcessIsLeft waits until no process of the house's cmem runs.
func (h *house) waitUntilNoProcessIsLeft(t *testing.T) {
	t.Helper()
	var left []string
	waitFor(t, func() bool {
		out, err := exec.CommandContext(t.Context(), "ps", "-A", "-o", "args=").Output()
		if err != nil {
			t.Fatalf("list the processes: %v", err)
		}
		left = nil
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, h.bin) {
				left = append(left, line)
			}
		}
		return len(left) == 0
	}, func() string { return "a cmem process stays after the worker's idle time: " + strings.Join(left, "; ") })
}

// waitFor waits until done, and fails with what explain says when it takes for ever.
func waitFor(t *testing.T, done func() bool, explain func() string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !done() {
		if time.Now().After(deadline) {
			t.Fatal(explain())
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// contextBlock returns the block of ours in a request's body. There must be
// exactly one.
func contextBlock(t *testing.T, body []byte) string {
	t.Helper()
	const begin, end = "<cmem-context", "</cmem-context>"
	var request any
	if err := json.Unmarshal(body, &request); err != nil {
		t.Fatalf("decode the request: %v", err)
	}
	var blocks []string
	for _, text := range texts(request) {
		for {
			i := strings.Index(text, begin)
			if i < 0 {
				break
			}
			j := strings.Index(text[i:], end)
			if j < 0 {
				t.Fatalf("the block is not closed:\n%s", text[i:])
			}
			blocks = append(blocks, text[i:i+j])
			text = text[i+j+len(end):]
		}
	}
	if len(blocks) != 1 {
		t.Fatalf("the request holds %d blocks of ours, want 1: %q", len(blocks), blocks)
	}
	return blocks[0]
}

// texts returns all strings in a decoded JSON value.
func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var all []string
		for _, e := range v {
			all = append(all, texts(e)...)
		}
		return all
	case map[string]any:
		var all []string
		for _, e := range v {
			all = append(all, texts(e)...)
		}
		return all
	default:
		return nil
	}
}
