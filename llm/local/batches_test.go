package local

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/llm"
	"cmem/memory"
)

const testProject = "/home/dev/projects/webshop"

// script builds a batch by hand, as a session would have sent it.
type script struct {
	b llm.Batch
	n int
}

func asked(prompt string) *script {
	s := &script{b: llm.Batch{Session: memory.Session{Project: testProject}, Prompt: memory.Prompt{Number: 1, Text: prompt}}}
	s.add(memory.Event{Name: memory.EventUserPromptSubmit, Prompt: prompt})
	return s
}

func (s *script) add(e memory.Event) *script {
	s.n++
	e.ID = fmt.Sprintf("e%03d", s.n)
	e.CreatedAt = time.Date(2026, 11, 24, 9, 0, s.n, 0, time.UTC)
	e.Project, e.CWD, e.Branch = testProject, testProject, "main"
	e.PromptID = "p1"
	if e.ToolName != "" {
		e.ToolUseID = fmt.Sprintf("toolu_%d", s.n)
	}
	s.b.Events = append(s.b.Events, e)
	return s
}

func obj(kv ...any) json.RawMessage {
	m := map[string]any{}
	for i := 0; i+1 < len(kv); i += 2 {
		m[kv[i].(string)] = kv[i+1]
	}
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return raw
}

func (s *script) tool(name string, in, out json.RawMessage) *script {
	return s.add(memory.Event{Name: memory.EventPostToolUse, ToolName: name, ToolInput: in, ToolResponse: out})
}

func (s *script) toolFails(name string, in json.RawMessage, msg string) *script {
	return s.add(memory.Event{Name: memory.EventPostToolUseFailure, ToolName: name, ToolInput: in, Error: msg})
}

func abs(file string) string { return testProject + "/" + file }

func (s *script) read(files ...string) *script {
	for _, f := range files {
		s.tool("Read", obj("file_path", abs(f)), obj("type", "text", "file", map[string]any{"filePath": abs(f), "content": "…"}))
	}
	return s
}

func (s *script) edit(file, old, updated string) *script {
	return s.tool("Edit", obj("file_path", abs(file), "old_string", old, "new_string", updated), obj("filePath", abs(file)))
}

// editIn is an edit for which the client tells the whole file.
func (s *script) editIn(file, original, old, updated string) *script {
	return s.tool("Edit", obj("file_path", abs(file), "old_string", old, "new_string", updated), obj("filePath", abs(file), "originalFile", original))
}

func (s *script) write(file, content string) *script {
	return s.tool("Write", obj("file_path", abs(file), "content", content), obj("type", "create", "filePath", abs(file), "content", content, "structuredPatch", []any{}))
}

func (s *script) bash(command, stdout string) *script {
	return s.tool("Bash", obj("command", command), obj("stdout", stdout, "stderr", "", "interrupted", false))
}

func (s *script) bashFails(command, output string) *script {
	return s.toolFails("Bash", obj("command", command), "Exit code 1\n"+output)
}

func (s *script) stop(message string) *script {
	return s.add(memory.Event{Name: memory.EventStop, LastAssistantMessage: message})
}

func (s *script) compress(t testing.TB) []memory.Observation {
	t.Helper()
	res, err := New().Compress(context.Background(), s.b)
	if err != nil {
		t.Fatal(err)
	}
	return res.Observations
}

// told is what a test expects of an observation.
type told struct {
	kind, title string
	certainty   memory.Certainty // not looked at when empty
	facts       []string         // these stand among the facts, to the letter
	says        []string         // these stand in the narrative
	concepts    []string         // these are among the concepts
	modified    []string         // exactly these, when not nil
	read        []string         // exactly these, when not nil
}

type batchCase struct {
	name string
	s    *script
	want []told
}

func checkBatches(t *testing.T, cases []batchCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := c.s.compress(t)
			if len(got) != len(c.want) {
				for _, o := range got {
					t.Logf("[%s] %s | %s", o.Type, o.Title, o.Narrative)
				}
				t.Fatalf("got %d observations, want %d", len(got), len(c.want))
			}
			for i, o := range got {
				checkTold(t, o, c.want[i])
			}
		})
	}
}

func checkTold(t *testing.T, o memory.Observation, w told) {
	t.Helper()
	failed := false
	if o.Type != w.kind || o.Title != w.title {
		failed = true
		t.Errorf("told as  [%s] %s\nwant     [%s] %s", o.Type, o.Title, w.kind, w.title)
	}
	if w.certainty != "" && o.Certainty != w.certainty {
		t.Errorf("certainty %q, want %q", o.Certainty, w.certainty)
	}
	for _, f := range w.facts {
		if !slices.Contains(o.Facts, f) {
			failed = true
			t.Errorf("fact missing: %s", f)
		}
	}
	for _, q := range w.says {
		if !strings.Contains(o.Narrative, q) {
			failed = true
			t.Errorf("narrative does not say: %s", q)
		}
	}
	for _, k := range w.concepts {
		if !slices.Contains(o.Concepts, k) {
			t.Errorf("concept %q is missing from %q", k, o.Concepts)
		}
	}
	if w.modified != nil && fmt.Sprint(o.FilesModified) != fmt.Sprint(w.modified) {
		t.Errorf("files modified %q, want %q", o.FilesModified, w.modified)
	}
	if w.read != nil && fmt.Sprint(o.FilesRead) != fmt.Sprint(w.read) {
		t.Errorf("files read %q, want %q", o.FilesRead, w.read)
	}
	if failed {
		t.Logf("narrative: %s\nfacts: %q", o.Narrative, o.Facts)
	}
}
