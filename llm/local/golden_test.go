package local

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cmem/llm"
	"cmem/memory"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// decodeEvent is a stand-in for hooks.Decode, which this room may not import.
func decodeEvent(t *testing.T, id string, at time.Time, raw []byte) memory.Event {
	t.Helper()
	var p struct {
		SessionID      string          `json:"session_id"`
		PromptID       string          `json:"prompt_id"`
		TranscriptPath string          `json:"transcript_path"`
		CWD            string          `json:"cwd"`
		AgentID        string          `json:"agent_id"`
		AgentType      string          `json:"agent_type"`
		Name           string          `json:"hook_event_name"`
		Prompt         string          `json:"prompt"`
		ToolName       string          `json:"tool_name"`
		ToolUseID      string          `json:"tool_use_id"`
		ToolInput      json.RawMessage `json:"tool_input"`
		ToolResponse   json.RawMessage `json:"tool_response"`
		Error          string          `json:"error"`
		LastMessage    string          `json:"last_assistant_message"`
		Source         string          `json:"source"`
		Reason         string          `json:"reason"`
		Trigger        string          `json:"trigger"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatalf("decode payload %s: %v", id, err)
	}
	return memory.Event{
		ID: id, CreatedAt: at, Agent: "claude-code", Name: p.Name, SessionID: p.SessionID, PromptID: p.PromptID, TranscriptPath: p.TranscriptPath,
		CWD: p.CWD, AgentID: p.AgentID, AgentType: p.AgentType, Prompt: p.Prompt, ToolName: p.ToolName, ToolUseID: p.ToolUseID,
		ToolInput: p.ToolInput, ToolResponse: p.ToolResponse, Error: p.Error, LastAssistantMessage: p.LastMessage,
		Source: p.Source, Reason: p.Reason, Trigger: p.Trigger, Project: p.CWD, Branch: "main", Raw: raw,
	}
}

// readSession reads a recorded session: a line is {"at": …, "payload": {…}}.
func readSession(t *testing.T, file string) []memory.Event {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []memory.Event
	scan := bufio.NewScanner(bytes.NewReader(raw))
	scan.Buffer(nil, 64<<20)
	for scan.Scan() {
		var line struct {
			At      time.Time       `json:"at"`
			Payload json.RawMessage `json:"payload"`
		}
		if err := json.Unmarshal(scan.Bytes(), &line); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out = append(out, decodeEvent(t, fmt.Sprintf("%s-%04d", filepath.Base(file), len(out)), line.At, line.Payload))
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// replay groups a session's events as the store does, a batch a prompt, and
// compresses and summarizes it.
func replay(t *testing.T, events []memory.Event) string {
	t.Helper()
	c := New()
	var md strings.Builder
	story := llm.Story{}
	var order []string
	batches := map[string]*llm.Batch{}
	for _, e := range events {
		if e.PromptID == "" {
			continue
		}
		b := batches[e.PromptID]
		if b == nil {
			b = &llm.Batch{}
			batches[e.PromptID] = b
			order = append(order, e.PromptID)
		}
		if e.Name == memory.EventUserPromptSubmit {
			b.Prompt = memory.Prompt{Number: len(order), Text: e.Prompt, Machine: strings.HasPrefix(e.Prompt, "<task-notification>")}
		}
		b.Events = append(b.Events, e)
		if e.Name == memory.EventStop || e.IsTool() && (e.ToolName == "TodoWrite" || e.ToolName == "TaskCreate" || e.ToolName == "TaskUpdate") {
			story.Events = append(story.Events, e)
		}
	}
	var previous *memory.Summary
	raw, told := 0, 0
	for i, id := range order {
		b := *batches[id]
		for _, o := range story.Observations {
			b.Recent = append(b.Recent, o.Title)
		}
		res, err := c.Compress(context.Background(), b)
		if err != nil {
			t.Fatal(err)
		}
		story.Prompts = append(story.Prompts, b.Prompt)
		fmt.Fprintf(&md, "## Prompt %d\n\n> %s\n\n", i+1, strings.ReplaceAll(strings.TrimSpace(head(b.Prompt.Text, 600)), "\n", "\n> "))
		for _, e := range b.Events {
			raw += len(e.Raw)
		}
		if len(res.Observations) == 0 {
			md.WriteString("No observation.\n\n")
		}
		for _, o := range res.Observations {
			o.PromptNumber = i + 1
			writeObservation(&md, o)
			told += len(o.Title) + len(o.Subtitle) + len(o.Narrative) + len(strings.Join(o.Facts, ""))
			story.Observations = append(story.Observations, o)
		}
		partial := story
		partial.Previous = previous
		partial.Events = nil
		for _, e := range story.Events {
			for _, done := range order[:i+1] {
				if e.PromptID == done {
					partial.Events = append(partial.Events, e)
				}
			}
		}
		sum, _, err := c.Summarize(context.Background(), partial)
		if err != nil {
			t.Fatal(err)
		}
		previous = &sum
	}
	if previous != nil {
		writeSummary(&md, *previous)
	}
	if raw > 0 {
		fmt.Fprintf(&md, "---\n%d bytes of events became %d bytes of observations.\n", raw, told)
	}
	return md.String()
}

func writeObservation(md *strings.Builder, o memory.Observation) {
	fmt.Fprintf(md, "### [%s] %s\n\n", o.Type, o.Title)
	if o.Subtitle != "" {
		fmt.Fprintf(md, "_%s_\n\n", o.Subtitle)
	}
	fmt.Fprintf(md, "%s\n\n", o.Narrative)
	for _, f := range o.Facts {
		fmt.Fprintf(md, "- %s\n", f)
	}
	if len(o.Facts) > 0 {
		md.WriteString("\n")
	}
	fmt.Fprintf(md, "concepts: %s · %s · by %s at %s · %d → %d tokens\n", strings.Join(o.Concepts, ", "), o.Certainty, o.ToolName, o.CreatedAt.UTC().Format("15:04:05"), o.TokensSource, o.ReadTokens())
	fmt.Fprintf(md, "read: %s\nmodified: %s\n\n", strings.Join(o.FilesRead, ", "), strings.Join(o.FilesModified, ", "))
}

func writeSummary(md *strings.Builder, s memory.Summary) {
	md.WriteString("## Summary\n\n")
	if s.Request == "" {
		md.WriteString("Nothing to tell.\n")
	}
	for _, part := range []struct{ name, text string }{
		{"Request", s.Request}, {"Investigated", s.Investigated}, {"Learned", s.Learned}, {"Completed", s.Completed}, {"Next steps", s.NextSteps}, {"Notes", s.Notes},
		{"Files read", strings.Join(s.FilesRead, ", ")}, {"Files modified", strings.Join(s.FilesModified, ", ")},
	} {
		if part.text != "" {
			fmt.Fprintf(md, "- **%s**: %s\n", part.name, part.text)
		}
	}
	md.WriteString("\n")
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name+".md")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (run with -update to write it)", err)
	}
	if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("%s differs (run with -update and read the difference):\n%s", file, got)
	}
}

func TestRecordedSessionsReadWell(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "hooks", "testdata", "sessions", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 4 {
		t.Fatalf("found %d recorded sessions, want at least 4", len(files))
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".jsonl")
		t.Run(name, func(t *testing.T) {
			compareGolden(t, name, replay(t, readSession(t, f)))
		})
	}
}
