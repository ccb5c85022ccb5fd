package hooks

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

var updateTranscripts = flag.Bool("update", false, "rewrite the golden files")

func events(t *testing.T, tr Transcript) []TranscriptEvent {
	t.Helper()
	var list []TranscriptEvent
	for e, err := range tr.Events(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

func find(t *testing.T, dir string) []Transcript {
	t.Helper()
	found, err := FindTranscripts(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// tell describes an event in a line.
func tell(e memory.Event) string {
	parts := []string{e.Name}
	for _, p := range []struct{ name, value string }{
		{"prompt_id", e.PromptID}, {"agent", strings.Trim(e.AgentID+" "+e.AgentType, " ")}, {"tool", strings.Trim(e.ToolName+" "+e.ToolUseID, " ")},
		{"prompt", e.Prompt}, {"error", e.Error}, {"said", e.LastAssistantMessage}, {"source", e.Source}, {"reason", e.Reason}, {"trigger", e.Trigger},
		{"in", string(e.ToolInput)}, {"out", string(e.ToolResponse)},
	} {
		if p.value != "" {
			if r := []rune(p.value); len(r) > 90 {
				p.value = string(r[:90]) + "…"
			}
			parts = append(parts, fmt.Sprintf("%s=%q", p.name, p.value))
		}
	}
	return strings.Join(parts, " ")
}

func TestTranscriptsTellWhatHooksWouldHave(t *testing.T) {
	found := find(t, filepath.Join("testdata", "transcripts"))
	slices.SortFunc(found, func(a, b Transcript) int { return strings.Compare(a.Path, b.Path) })
	var b strings.Builder
	for _, tr := range found {
		fmt.Fprintf(&b, "== %s in %s\n", tr.SessionID, tr.WorkDir())
		for _, e := range events(t, tr) {
			last := ""
			if e.Last {
				last = " (last)"
			}
			fmt.Fprintf(&b, "%s %s%s\n", e.Event.CreatedAt.Format("15:04:05.000"), tell(e.Event), last)
		}
	}
	const golden = "testdata/transcripts/events.golden"
	if *updateTranscripts {
		if err := os.WriteFile(golden, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("events of the transcripts:\n%s\nwant:\n%s", b.String(), want)
	}
}

// What a real client reported to a hook of a session is what its transcript tells,
// in the fields that cmem reads.
func TestTranscriptsAgreeWithTheHooksOfTheSameSession(t *testing.T) {
	byTool := map[string]memory.Event{}
	for _, e := range events(t, find(t, filepath.Join("testdata", "transcripts", "webshop", "00000001-0000-4000-8000-000000000001.jsonl"))[0]) {
		byTool[e.Event.Name+e.Event.ToolUseID] = e.Event
	}
	compared := 0
	for _, name := range []string{"PostToolUse-Read", "PostToolUse-Edit", "PostToolUse-Write", "PostToolUse-Bash", "PostToolUseFailure-Bash", "PostToolUseFailure-Read", "PostToolUse-Agent-async", "UserPromptSubmit", "PostToolUse-Bash-in-subagent"} {
		raw, err := os.ReadFile(filepath.Join("testdata", "payloads", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		want, err := Decode("", raw)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := byTool[want.Name+want.ToolUseID]
		if !ok || want.SessionID != got.SessionID {
			continue // another session's payload
		}
		if want.Name == memory.EventUserPromptSubmit && got.PromptID != want.PromptID {
			continue
		}
		compared++
		if got.ToolName != want.ToolName || got.CWD != want.CWD || got.PromptID != want.PromptID || got.Error != want.Error || got.Prompt != want.Prompt ||
			got.AgentID != want.AgentID || got.AgentType != want.AgentType || !sameJSON(t, got.ToolInput, want.ToolInput) {
			t.Errorf("%s: %s\nwant %s", name, tell(got), tell(want))
		}
	}
	if compared < 5 {
		t.Errorf("only %d payloads were of that session", compared)
	}
}

func sameJSON(t *testing.T, a, b json.RawMessage) bool {
	t.Helper()
	var x, y any
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		t.Fatalf("no JSON: %s, %s", a, b)
	}
	return fmt.Sprint(x) == fmt.Sprint(y)
}

// written makes a transcript of lines; $n in a line is a time n seconds after noon.
func written(t *testing.T, dir, session string, lines ...string) string {
	t.Helper()
	path := filepath.Join(dir, session+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for n, l := range lines {
		at := time.Date(2026, 11, 30, 12, 0, n, 0, time.UTC).Format("2006-01-02T15:04:05.000Z")
		l = strings.Replace(l, "{", fmt.Sprintf(`{"timestamp":%q,"uuid":"%s-%d","sessionId":%q,"cwd":"/home/dev/webshop",`, at, session, n, filepath.Base(session)), 1)
		b.WriteString(l + "\n")
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func asked(text string) string {
	b, _ := json.Marshal(text)
	return `{"type":"user","message":{"role":"user","content":` + string(b) + `}}`
}

func answered(text string) string {
	b, _ := json.Marshal(text)
	return `{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":` + string(b) + `}]}}`
}

func called(id, name, input string) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"content":[{"type":"tool_use","id":%q,"name":%q,"input":%s}]}}`, id, name, input)
}

func gave(id string) string {
	const result = "ok"
	return fmt.Sprintf(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":%q,"content":%q}]},"toolUseResult":{"stdout":%q}}`, id, result, result)
}

func failed(id, result string) string {
	return fmt.Sprintf(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":%q,"is_error":true,"content":%q}]}}`, id, result)
}

func TestLinesOfATranscriptBecomeEvents(t *testing.T) {
	const start, end = "SessionStart", "SessionEnd"
	tests := []struct {
		name  string
		lines []string
		want  []string // beginnings
	}{
		{"a turn", []string{asked("修复退款 🐛"), called("t1", "Bash", `{"command":"go test"}`), gave("t1"), answered("好了")}, []string{
			start, `UserPromptSubmit prompt_id="s-0" prompt="修复退款 🐛"`, `PostToolUse prompt_id="s-0" tool="Bash t1" in="{\"command\":\"go test\"}" out="{\"stdout\":\"ok\"}"`,
			`Stop prompt_id="s-0" said="好了"`, end,
		}},
		{"a turn that goes on has no end", []string{asked("a"), answered("let me see"), called("t1", "Read", `{}`), gave("t1")}, []string{start, "UserPromptSubmit", "PostToolUse", end}},
		{"a tool without a result was not run", []string{asked("a"), called("t1", "Read", `{}`)}, []string{start, "UserPromptSubmit", end}},
		{"a result without a call tells nothing", []string{asked("a"), gave("t9"), answered("b")}, []string{start, "UserPromptSubmit", "Stop", end}},
		{"failures", []string{asked("a"), called("t1", "Bash", `{}`), failed("t1", "Exit code 1"), called("t2", "Edit", `{}`), failed("t2", "<tool_use_error>no</tool_use_error>"),
			called("t3", "Bash", `{}`), failed("t3", "The user doesn't want to proceed with this tool use."), answered("b")},
			[]string{start, "UserPromptSubmit", `PostToolUseFailure prompt_id="s-0" tool="Bash t1" error="Exit code 1"`, "Stop", end}},
		{"interrupted", []string{asked("a"), answered("I begin"), called("t1", "Bash", `{}`), asked("[Request interrupted by user for tool use]"), asked("b"), answered("c")},
			[]string{start, "UserPromptSubmit", `Stop prompt_id="s-0" said="I begin"`, `UserPromptSubmit prompt_id="s-4"`, `Stop prompt_id="s-4" said="c"`, end}},
		{"a command that the model answers", []string{asked("<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>退款</command-args>"),
			`{"type":"user","isMeta":true,"message":{"content":"the text of the command"}}`, answered("fine")},
			[]string{start, `UserPromptSubmit prompt_id="s-0" prompt="/review 退款"`, `Stop prompt_id="s-0" said="fine"`, end}},
		{"a command of the host", []string{asked("<command-name>/clear</command-name>"), asked("<local-command-stdout></local-command-stdout>"), asked("a"), answered("b")},
			[]string{start, `UserPromptSubmit prompt_id="s-2" prompt="a"`, "Stop", end}},
		{"blocks of one message", []string{asked("a"), `{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"one"}]}}`, `{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"two"}]}}`},
			[]string{start, "UserPromptSubmit", `Stop prompt_id="s-0" said="one\ntwo"`, end}},
		{"the host's own words", []string{asked("a"), `{"type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text","text":"No response requested."}]}}`}, []string{start, "UserPromptSubmit", end}},
		{"compaction", []string{asked("a"), answered("b"), `{"type":"system","subtype":"compact_boundary","compactMetadata":{"trigger":"auto"}}`,
			`{"type":"user","isCompactSummary":true,"message":{"content":"This session is being continued"}}`, asked("c"), answered("d")},
			[]string{start, "UserPromptSubmit", `Stop prompt_id="s-0"`, `PreCompact prompt_id="s-0" trigger="auto"`, `UserPromptSubmit prompt_id="s-4"`, "Stop", end}},
		{"a picture", []string{`{"type":"user","message":{"content":[{"type":"image","source":{}}]}}`, answered("b")}, []string{start, `UserPromptSubmit prompt_id="s-0" prompt="[image]"`, "Stop", end}},
		{"a subagent of an older client", []string{asked("a"), `{"type":"user","isSidechain":true,"message":{"content":"do it"}}`,
			`{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"text","text":"inner"},{"type":"tool_use","id":"t1","name":"Bash","input":{}}]}}`,
			`{"type":"user","isSidechain":true,"message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}`, answered("outer")},
			[]string{start, "UserPromptSubmit", `PostToolUse prompt_id="s-0" agent="sidechain" tool="Bash t1" in="{}" out="{\"interrupted\":false,\"stderr\":\"\",\"stdout\":\"ok\"}"`, `Stop prompt_id="s-0" said="outer"`, end}},
		{"what is private or secret", []string{asked("my key <private>hunter2 ☎</private> and AKIAABCDEFGHIJKLMNOP"), answered("<private>never closed")},
			[]string{start, `UserPromptSubmit prompt_id="s-0" prompt="my key [private] and [secret]"`, `Stop prompt_id="s-0" said="[private]"`, end}},
		{"broken and unknown lines", []string{asked("a"), `{"type":"user","message":`, "not JSON at all", `{"type":"user","message":42}`, `{"type":"new-thing","user":1}`, `{"type":"user","isMeta":"yes","message":{"content":"b"}}`, answered("c")},
			[]string{start, "UserPromptSubmit", `UserPromptSubmit prompt_id="s-5" prompt="b"`, "Stop", end}},
		{"nothing", []string{`{"type":"mode"}`}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := find(t, written(t, t.TempDir(), "s", tt.lines...))[0]
			var got []string
			for _, e := range events(t, tr) {
				got = append(got, tell(e.Event))
			}
			ok := len(got) == len(tt.want)
			for i := 0; ok && i < len(got); i++ {
				ok = strings.HasPrefix(got[i], tt.want[i])
			}
			if !ok {
				t.Errorf("events:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestEventsOfATranscriptKeepTheirNamesWhenItGrows(t *testing.T) {
	lines := []string{asked("a"), called("t1", "Bash", `{}`), gave("t1"), answered("b"), asked("c"), called("t2", "Bash", `{}`), gave("t2"), answered("d")}
	dir := t.TempDir()
	seen := map[string]string{}
	for n := range lines {
		tr := find(t, written(t, dir, "s", lines[:n+1]...))[0]
		order := ""
		for _, e := range events(t, tr) {
			if e.Event.ID <= order {
				t.Errorf("%s comes after %s", e.Event.ID, order)
			}
			order = e.Event.ID
			if e.Last {
				continue // there is a new end each time
			}
			if before, ok := seen[e.Event.ID]; ok && before != string(e.Event.Raw) {
				t.Errorf("event %s was\n%s\nand is\n%s", e.Event.ID, before, e.Event.Raw)
			}
			seen[e.Event.ID] = string(e.Event.Raw)
		}
	}
	if len(seen) != 7 { // beginning, two prompts, two results, two ends of turns
		t.Errorf("%d events in all", len(seen))
	}
}

func TestAForkTellsOnlyWhatIsItsOwn(t *testing.T) {
	dir := t.TempDir()
	copied := func(l string) string { return strings.Replace(l, "{", `{"forkedFrom":{"sessionId":"first"},`, 1) }
	first := []string{asked("a"), called("t1", "Bash", `{}`), gave("t1"), answered("b")}
	written(t, dir, "first", first...)
	var fork []string
	for _, l := range first {
		fork = append(fork, copied(l))
	}
	fork = append(fork, asked("go another way"), answered("c"))
	path := written(t, dir, "second", fork...)
	var got []string
	for _, e := range events(t, find(t, path)[0]) {
		got = append(got, e.Event.Name+e.Event.Source)
	}
	if want := "SessionStartfork UserPromptSubmit Stop SessionEnd"; strings.Join(got, " ") != want {
		t.Errorf("of the fork: %v", got)
	}
	// Without the first transcript the copy is all there is.
	if err := os.Remove(filepath.Join(dir, "first.jsonl")); err != nil {
		t.Fatal(err)
	}
	if n := len(events(t, find(t, path)[0])); n != 7 {
		t.Errorf("alone: %d events", n)
	}
}

func TestFindingTranscripts(t *testing.T) {
	dir := t.TempDir()
	older := written(t, dir, "-home-dev-webshop/older", asked("a"))
	newer := written(t, dir, "-home-dev-商店/newer", asked("b"))
	written(t, dir, "-home-dev--claude-mem-observer-sessions/watcher", asked("c"))
	written(t, dir, "-home-dev-webshop/older/subagents/agent-a1", called("t1", "Bash", `{}`), gave("t1"))
	written(t, dir, "-home-dev-webshop/older/subagents/agent-acompact-1", called("t2", "Bash", `{}`), gave("t2"))
	beside := written(t, dir, "-home-dev-webshop/agent-b2", called("t3", "Bash", `{}`), gave("t3"))
	b, err := os.ReadFile(beside)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(beside, []byte(strings.ReplaceAll(string(b), `"sessionId":"agent-b2"`, `"sessionId":"older"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	for _, p := range []string{older, beside, filepath.Join(dir, "-home-dev-webshop", "older", "subagents", "agent-a1.jsonl")} {
		if err := os.Chtimes(p, long, long); err != nil {
			t.Fatal(err)
		}
	}
	found := find(t, dir)
	if len(found) != 2 || found[0].Path != newer || found[1].Path != older {
		t.Fatalf("found %+v", found)
	}
	var tools []string
	for _, e := range events(t, found[1]) {
		if e.Event.IsTool() {
			tools = append(tools, e.Event.ToolUseID+" "+e.Event.AgentID+" "+e.Event.SessionID)
		}
	}
	slices.Sort(tools)
	if want := []string{"t1 a1 agent-a1", "t3 b2 older"}; !slices.Equal(tools, want) {
		t.Errorf("tools of subagents: %q, want %q", tools, want)
	}
	if _, err := FindTranscripts(context.Background(), filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there was searched")
	}
}

func TestCleanTextsSharesOneFieldsTags(t *testing.T) {
	for _, tt := range []struct{ in, want []string }{
		{[]string{"plain 退款", "a < b"}, []string{"plain 退款", "a < b"}},
		{[]string{"x <private>one", "two", "three</private> y"}, []string{"x [private]", "[private]", "[private] y"}},
		{[]string{"token=ghp_0123456789abcdefghijklmnopqrstuvwxyz"}, []string{"token=[secret]"}},
	} {
		if got := CleanTexts(tt.in...); !slices.Equal(got, tt.want) {
			t.Errorf("CleanTexts(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}
