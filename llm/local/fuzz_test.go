package local

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cmem/llm"
	"cmem/memory"
)

// checkBounds fails when an observation is larger than promised, or carries text
// that could move a cursor.
func checkBounds(t *testing.T, obs []memory.Observation) {
	t.Helper()
	if len(obs) > maxArcs {
		t.Errorf("%d observations", len(obs))
	}
	for _, o := range obs {
		if o.Title == "" || o.Type == "" {
			t.Errorf("observation without title or type: %+v", o)
		}
		if cells(o.Title) > titleCells || len([]rune(o.Title)) > 100 {
			t.Errorf("title too wide: %q", o.Title)
		}
		if n := len([]rune(o.Narrative)); n > narrativeRunes {
			t.Errorf("narrative of %d runes", n)
		}
		if len(o.Facts) > maxFacts || len(o.Concepts) > maxConcepts || len(o.FilesRead) > maxFilesTold || len(o.FilesModified) > maxFilesTold {
			t.Errorf("too much told: %d facts, %d concepts, %d + %d files", len(o.Facts), len(o.Concepts), len(o.FilesRead), len(o.FilesModified))
		}
		for _, s := range append(append([]string{o.Title, o.Subtitle, o.Narrative}, o.Facts...), o.Concepts...) {
			if strings.ContainsAny(s, "\x1b\n\r\x00") {
				t.Errorf("control characters in %q", s)
			}
			if cells(s) > 2*narrativeRunes {
				t.Errorf("%d cells of text: %.80q…", cells(s), s)
			}
		}
	}
}

func TestEveryRecordedPayloadIsUnderstoodOrLeftAlone(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "hooks", "testdata", "payloads", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 40 {
		t.Fatalf("found %d payloads, want at least 40", len(files))
	}
	var all llm.Batch
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		e := decodeEvent(t, filepath.Base(f), time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC), raw)
		all.Events = append(all.Events, e)
		b := llm.Batch{Events: []memory.Event{e}}
		res, err := New().Compress(context.Background(), b)
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		checkBounds(t, res.Observations)
		want := 0
		switch filepath.Base(f) {
		case "PostToolUse-Edit.json", "PostToolUse-Write.json":
			want = 1
		}
		if len(res.Observations) != want && !strings.HasPrefix(filepath.Base(f), "SubagentStop") {
			t.Errorf("%s gave %d observations, want %d: %+v", filepath.Base(f), len(res.Observations), want, res.Observations)
		}
	}
	res, err := New().Compress(context.Background(), all)
	if err != nil {
		t.Fatal(err)
	}
	checkBounds(t, res.Observations)
}

// randomJSON gives JSON of any shape, often with the field names and strings that
// the compressor looks at.
func randomJSON(r *rand.Rand, depth int) any {
	words := []string{"", "a.go", "/home/dev/projects/webshop/a.go", "go test ./...", "git commit -m x", "cat <<EOF > b.go\nfunc f() {}\nEOF", "*** Begin Patch\n*** Add File: x\n+y", "\x1b[31mred\x1b[0m", "修复", "--- FAIL: TestX (0.0s)\n    a_test.go:1: no",
		"$(($((", "'\"`\\", "sed -i 's/a/b/' ''", "@@ -1 +1 @@", "Exit code 1\nTypeError: x", strings.Repeat("x", 5000), "<private>", "\xff\xfe", "- a_b 1\n- c.d 2", "https://example.com", "completed"}
	keys := []string{"file_path", "old_string", "new_string", "content", "command", "edits", "todos", "questions", "structuredPatch", "lines", "stdout", "stderr", "originalFile", "filenames", "file", "answers", "pattern", "url", "oldStart", "newStart", "gitOperation", "commit", "task", "status", "subject", "type", "text", "notebook_path", "input", "plan"}
	switch n := r.Intn(10); {
	case n == 0 || depth > 4:
		return words[r.Intn(len(words))]
	case n == 1:
		return r.Float64()*1e6 - 5e5
	case n == 2:
		return nil
	case n == 3:
		return r.Intn(2) == 0
	case n < 6:
		list := make([]any, r.Intn(4))
		for i := range list {
			list[i] = randomJSON(r, depth+1)
		}
		return list
	case n == 6:
		return words[r.Intn(len(words))]
	default:
		m := map[string]any{}
		for range r.Intn(7) {
			m[keys[r.Intn(len(keys))]] = randomJSON(r, depth+1)
		}
		return m
	}
}

var fuzzTools = []string{"Read", "Edit", "MultiEdit", "Write", "NotebookEdit", "apply_patch", "Bash", "Grep", "Glob", "Task", "Agent", "WebFetch", "WebSearch", "TodoWrite", "TaskCreate", "TaskUpdate", "AskUserQuestion", "ExitPlanMode", "mcp__x__create_y", "mcp__cmem__search", "Unknown", ""}

func TestNoJSONOfAnyShapeBreaksTheCompressor(t *testing.T) {
	for seed := range int64(500) {
		r := rand.New(rand.NewSource(seed))
		var b llm.Batch
		if r.Intn(2) == 0 {
			b.Prompt.Text, _ = randomJSON(r, 5).(string)
		}
		for i := range 1 + r.Intn(6) {
			in, err := json.Marshal(randomJSON(r, 0))
			if err != nil {
				t.Fatal(err)
			}
			out, err := json.Marshal(randomJSON(r, 0))
			if err != nil {
				t.Fatal(err)
			}
			e := memory.Event{Name: memory.EventPostToolUse, ToolName: fuzzTools[r.Intn(len(fuzzTools))], ToolUseID: fmt.Sprint(i), ToolInput: in, ToolResponse: out, CWD: testProject, Project: testProject}
			if r.Intn(4) == 0 {
				e.Name, e.Error = memory.EventPostToolUseFailure, string(out)
			}
			b.Events = append(b.Events, e)
		}
		b.Events = append(b.Events, memory.Event{Name: memory.EventStop, LastAssistantMessage: fmt.Sprint(randomJSON(r, 3))})
		res, err := New().Compress(context.Background(), b)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		checkBounds(t, res.Observations)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func FuzzCompress(f *testing.F) {
	f.Add("Bash", `{"command":"go test ./... | tail"}`, `{"stdout":"ok x 1s"}`, "fix it", "Done because x.")
	f.Add("Edit", `{"file_path":"/a/b.go","old_string":"x","new_string":"y"}`, `{"structuredPatch":[{"lines":["-x","+y"]}]}`, "改名", "已修复")
	f.Add("apply_patch", `"*** Begin Patch\n*** Update File: a\n@@\n-a\n+b"`, `[]`, "", "")
	f.Add("Bash", `{"command":"cat <<'E' > x.sql\nCREATE TABLE a();\nE"}`, `"text"`, "a, b and fix c", "- `a` 1\n")
	f.Fuzz(func(t *testing.T, tool, in, out, prompt, message string) {
		b := llm.Batch{Prompt: memory.Prompt{Text: prompt}, Events: []memory.Event{
			{Name: memory.EventPostToolUse, ToolName: tool, ToolInput: json.RawMessage(in), ToolResponse: json.RawMessage(out), CWD: testProject, Project: testProject},
			{Name: memory.EventPostToolUseFailure, ToolName: tool, ToolInput: json.RawMessage(in), Error: out},
			{Name: memory.EventStop, LastAssistantMessage: message},
		}}
		res, err := New().Compress(context.Background(), b)
		if err != nil {
			t.Fatal(err)
		}
		checkBounds(t, res.Observations)
		if _, _, err := New().Summarize(context.Background(), llm.Story{Prompts: []memory.Prompt{b.Prompt}, Observations: res.Observations, Events: b.Events}); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzParseShell(f *testing.F) {
	for _, s := range []string{"a && b", "cat <<EOF\nx\nEOF", "git commit -m \"$(cat <<'EOF'\nit's (x\nEOF\n)\"", "a 2>&1 >b", "'", "\"$(", "`", "\\", "<<", "bash -c 'bash -c \"bash -c x\"'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, c := range parseShell(s) {
			if len(c.words) == 0 {
				t.Fatalf("a command without a word in %q", s)
			}
			_ = purposeOf(c)
			_ = shown(c)
		}
	})
}

func TestTenMegabytesAreCutNotCopied(t *testing.T) {
	big := strings.Repeat("func x() { return 12345 }\n", 400_000) // 10 MB
	s := asked("store the generated code").write("gen.go", big).
		bash("go generate ./... && cat gen.go", big+"--- FAIL: TestGen (0.00s)\nFAIL\n").
		edit("gen.go", big, big+"\nfunc last() {}")
	obs := s.compress(t)
	checkBounds(t, obs)
	if len(obs) != 1 {
		t.Fatalf("got %d observations, want 1", len(obs))
	}
	sc := readScene(s.b)
	kept := 0
	for _, st := range sc.steps {
		for _, c := range st.changes {
			for _, b := range c.blocks {
				for _, l := range append(b.added, b.removed...) {
					kept += len(l.text)
				}
			}
		}
	}
	if kept > 4*maxText {
		t.Errorf("%d bytes of changed lines are held", kept)
	}
}
