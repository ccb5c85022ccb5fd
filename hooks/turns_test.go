package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"cmem/hooks/early"
	"cmem/memory"
)

// hook gives a payload of session s.
func hook(event, rest string) early.Input {
	return whole(`{"session_id":"s","cwd":"/home/dev","hook_event_name":"` + event + `"` + rest + `}`)
}

// filesWith gives the files in dir that hold text.
func filesWith(t *testing.T, dir, text string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(text)) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestNothingOfATurnIsRecordedWhosePromptIsPrivate(t *testing.T) {
	c := call{}
	for _, step := range []struct {
		event, rest string
		recorded    bool
	}{
		{"SessionStart", `,"source":"startup"`, true},
		{"UserPromptSubmit", `,"prompt_id":"p1","prompt":"修复退款"`, true},
		{"PostToolUse", `,"prompt_id":"p1","tool_name":"Bash","tool_input":{"command":"ls"}`, true},
		{"UserPromptSubmit", `,"prompt_id":"p2","prompt":" <private>geheim, 记住</private> \n"`, false},
		{"PreToolUse", `,"prompt_id":"p2","tool_name":"Bash","tool_input":{"command":"geheim"}`, false},
		{"PostToolUse", `,"prompt_id":"p2","tool_name":"Bash","tool_input":{"command":"geheim"}`, false},
		{"PostToolUse", `,"prompt_id":"p2","tool_name":"Agent","tool_input":{"prompt":"geheim"},"tool_response":{"agentId":"a1"}`, false},
		{"PostToolUseFailure", `,"tool_name":"Bash","tool_input":{"command":"geheim"},"error":"geheim"`, false},
		{"PreCompact", `,"trigger":"manual","custom_instructions":"geheim"`, false},
		{"SessionStart", `,"source":"compact"`, true},
		{"UserPromptSubmit", `,"prompt_id":"p3","prompt":"<task-notification><task-id>a0</task-id>geheim"`, false},
		{"Stop", `,"prompt_id":"p2","last_assistant_message":"geheim"`, false},
		{"UserPromptSubmit", `,"prompt_id":"p4","prompt":"weiter <private>geheim</private>"`, true},
		{"Stop", `,"prompt_id":"p4","last_assistant_message":"fertig"`, true},
		// What the private turn left running comes to its end.
		{"PostToolUse", `,"prompt_id":"p2","agent_id":"a1","tool_name":"Bash","tool_input":{"command":"geheim"}`, false},
		{"SubagentStop", `,"agent_id":"a1","last_assistant_message":"geheim"`, false},
		{"UserPromptSubmit", `,"prompt_id":"p5","prompt":"<task-notification>\n<task-id>a1</task-id>geheim"`, false},
		{"Stop", `,"prompt_id":"p5","last_assistant_message":"geheim"`, false},
		{"UserPromptSubmit", `,"prompt_id":"p6","prompt":"danke"`, true},
		{"SessionEnd", `,"reason":"other"`, true},
	} {
		before := len(c.spooled(t))
		c.do(t, hook(step.event, step.rest))
		if recorded := len(c.spooled(t)) > before; recorded != step.recorded {
			t.Errorf("%s%s: recorded %v, want %v", step.event, step.rest, recorded, step.recorded)
		}
	}
	if found := filesWith(t, c.dir, "geheim"); len(found) > 0 {
		t.Errorf("private text stands in %q", found)
	}
	// Its agent may go on for a while; then hooks take the short way again.
	turns := privateTurnsIn(c.dir)
	turns.sweep(time.Now().Add(endedAfter - time.Minute))
	if _, err := os.Stat(turns.dir); err != nil {
		t.Errorf("the note of an agent that may go on is gone: %v", err)
	}
	turns.sweep(time.Now().Add(endedAfter + time.Minute))
	if _, err := os.Stat(turns.dir); !os.IsNotExist(err) {
		t.Errorf("the session is long over, and hooks still take the long way: %v", err)
	}
}

func TestAPrivateTurnOfOneSessionHidesNothingOfAnother(t *testing.T) {
	c := call{}
	c.do(t, hook("UserPromptSubmit", `,"prompt":"<private>x</private>"`))
	c.do(t, whole(`{"session_id":"other","hook_event_name":"PostToolUse","tool_name":"Bash"}`))
	if p := c.spooled(t); len(p) != 1 || !strings.Contains(p[0], "other") {
		t.Errorf("spooled %q, want the other session's event", p)
	}
	if _, err := os.Stat(filepath.Join(c.dir, early.PrivateTurns)); err != nil {
		t.Errorf("the early part of hooks cannot see that a turn is private: %v", err)
	}
	c.do(t, hook("UserPromptSubmit", `,"prompt":"ok"`))
	if _, err := os.Stat(filepath.Join(c.dir, early.PrivateTurns)); !os.IsNotExist(err) {
		t.Errorf("no turn is private any more, and hooks still take the long way: %v", err)
	}
}

func TestAPromptIsWhollyPrivateWhenNoWordStandsBesideIt(t *testing.T) {
	for prompt, want := range map[string]bool{
		"[private]":             true,
		" [private]\n[private]": true,
		"[private].":            true,
		"[private] 继续":          false,
		"[private] 1":           false,
		"go on [private]":       false,
		"":                      false,
		"...":                   false,
	} {
		if got := whollyPrivate(prompt); got != want {
			t.Errorf("whollyPrivate(%q) = %v", prompt, got)
		}
	}
}

func TestATurnIsNotRecordedWhenItCannotBeNotedThatItIsPrivate(t *testing.T) {
	c := call{dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(c.dir, early.PrivateTurns), nil, 0o600); err != nil { // a file where the folder belongs
		t.Fatal(err)
	}
	c.do(t, hook("UserPromptSubmit", `,"prompt":"<private>geheim</private>"`))
	if p := c.spooled(t); len(p) != 0 {
		t.Errorf("spooled %q", p)
	}
	if !strings.Contains(c.out.String(), `"systemMessage":"cmem cannot write to`) {
		t.Errorf("the person is not told: %q", c.out.String())
	}
	c.out.Reset()
	c.do(t, hook("Stop", `,"last_assistant_message":"geheim"`))
	if p := c.spooled(t); len(p) != 0 || c.out.Len() != 0 {
		t.Errorf("at the end of the turn: spooled %q, printed %q", p, c.out.String())
	}
}

func TestNotesOfPrivateTurnsAreForgottenAfterTwoDays(t *testing.T) {
	dir := t.TempDir()
	turns := privateTurnsIn(dir)
	for _, session := range []string{"old", "new"} {
		if hidden, err := turns.hides(memory.Event{Name: memory.EventUserPromptSubmit, SessionID: session, Prompt: privateMark}); !hidden || err != nil {
			t.Fatal(hidden, err)
		}
	}
	old := time.Now().Add(-forgottenAfter - time.Minute)
	if err := os.Chtimes(turns.file("old"), old, old); err != nil {
		t.Fatal(err)
	}
	// The host of the old one was killed: it is another session that starts.
	if hidden, err := turns.hides(memory.Event{Name: memory.EventSessionStart, SessionID: "third"}); hidden || err != nil {
		t.Errorf("a session that starts: hidden %v, %v", hidden, err)
	}
	for session, want := range map[string]bool{"old": false, "new": true} {
		if hidden, err := turns.hides(memory.Event{Name: memory.EventStop, SessionID: session}); hidden != want || err != nil {
			t.Errorf("session %s: hidden %v, %v; want %v", session, hidden, err, want)
		}
	}
	if err := os.Chtimes(turns.file("new"), old, old); err != nil {
		t.Fatal(err)
	}
	if hidden, err := turns.hides(memory.Event{Name: memory.EventSessionStart, SessionID: "fourth"}); hidden || err != nil {
		t.Errorf("a session that starts: hidden %v, %v", hidden, err)
	}
	if _, err := os.Stat(turns.dir); !os.IsNotExist(err) {
		t.Errorf("no turn is private any more, and hooks still take the long way: %v", err)
	}
}

func TestHooksOfOneTurnKeepItsNoteSideBySide(t *testing.T) {
	turns := privateTurnsIn(t.TempDir())
	turns.patience = time.Minute // the machine may be slow
	begin := memory.Event{Name: memory.EventUserPromptSubmit, SessionID: "s", PromptID: "p", Prompt: privateMark}
	if hidden, err := turns.hides(begin); !hidden || err != nil {
		t.Fatal(hidden, err)
	}
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for k := range 20 {
				started, _ := json.Marshal(map[string]string{"agentId": fmt.Sprintf("a%d-%d", i, k)})
				e := memory.Event{Name: memory.EventPostToolUse, SessionID: "s", PromptID: "p", ToolResponse: started}
				if hidden, err := turns.hides(e); !hidden || err != nil {
					t.Errorf("hidden %v, %v", hidden, err)
				}
			}
		})
	}
	all.Wait()
	if n, err := turns.read("s"); err != nil || !n.Now || len(n.Prompts) != 1 || len(n.Agents) != 16*20 {
		t.Errorf("the note says %v, of the prompts %q, and has %d agents, %v", n.Now, n.Prompts, len(n.Agents), err)
	}
}

func TestAPrivateTurnThatBeginsWhileAnAgentWorksIsHidden(t *testing.T) {
	turns := privateTurnsIn(t.TempDir())
	hides := func(name, prompt, text, agent string) bool {
		hidden, err := turns.hides(memory.Event{Name: name, SessionID: "s", PromptID: prompt, Prompt: text, AgentID: agent})
		if err != nil {
			t.Error(err)
		}
		return hidden
	}
	for round := range 100 {
		hides(memory.EventUserPromptSubmit, "p1", privateMark, "")
		hides(memory.EventPostToolUse, "p1", "", "in the background")
		hides(memory.EventUserPromptSubmit, "p2", "weiter", "")
		var all sync.WaitGroup
		all.Go(func() { hides(memory.EventPostToolUse, "", "", "in the background") })
		all.Go(func() { hides(memory.EventUserPromptSubmit, "p3", privateMark, "") })
		all.Wait()
		if !hides(memory.EventPostToolUse, "p3", "", "") {
			t.Fatalf("round %d: a private turn is recorded", round)
		}
		all.Go(func() { hides(memory.EventPostToolUse, "", "", "in the background") })
		all.Go(func() { hides(memory.EventUserPromptSubmit, "p4", "öffentlich", "") })
		all.Wait()
		if hides(memory.EventPostToolUse, "p4", "", "") {
			t.Fatalf("round %d: a turn is not recorded that is not private", round)
		}
	}
}

func TestWhoCannotTellWhetherATurnIsPrivateRecordsNothing(t *testing.T) {
	c := call{}
	c.do(t, hook("UserPromptSubmit", `,"prompt":"<private>geheim</private>"`))
	unlock, err := privateTurnsIn(c.dir).lock() // a hook that hangs
	if err != nil {
		t.Fatal(err)
	}
	other := whole(`{"session_id":"other","hook_event_name":"PostToolUse","tool_name":"Bash"}`)
	c.do(t, other)
	if p := c.spooled(t); len(p) != 0 || !strings.Contains(c.log.String(), "cannot be kept") {
		t.Errorf("spooled %q, logged %q", p, c.log.String())
	}
	unlock()
	c.do(t, other)
	if p := c.spooled(t); len(p) != 1 {
		t.Errorf("spooled %q, want the event", p)
	}
}

func TestNothingIsLockedWhileNoTurnIsPrivate(t *testing.T) {
	c := call{}
	c.do(t, whole(start))
	if _, err := os.Stat(filepath.Join(c.dir, early.PrivateTurns+".lock")); !os.IsNotExist(err) {
		t.Errorf("there is a lock: %v", err)
	}
}

func TestPrivateTurnsOfATranscriptAreLeftOut(t *testing.T) {
	dir := t.TempDir()
	line := func(at int, kind, rest string) string {
		return fmt.Sprintf(`{"type":%q,"uuid":"u%d","timestamp":"2026-11-30T10:00:%02dZ","sessionId":"s","cwd":"/w",%s}`, kind, at, at, rest)
	}
	text := strings.Join([]string{
		line(1, "user", `"promptId":"p1","message":{"content":"<private>geheim</private>"}`),
		line(2, "assistant", `"message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"geheim"}}]}`),
		line(3, "user", `"promptId":"p1","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"geheim"}]}`),
		line(4, "assistant", `"message":{"id":"m2","content":[{"type":"text","text":"geheim"}]}`),
		line(5, "user", `"promptId":"p2","message":{"content":"offen <private>geheim</private>"}`),
		line(6, "assistant", `"message":{"id":"m3","content":[{"type":"text","text":"fertig"}]}`),
	}, "\n") + "\n"
	path := filepath.Join(dir, "s.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := FindTranscripts(context.Background(), path)
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	var names []string
	for e, err := range found[0].Events(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, e.Event.Name+" "+e.Event.Prompt+e.Event.LastAssistantMessage)
		if bytes.Contains(e.Event.Raw, []byte("geheim")) {
			t.Errorf("private text in %s", e.Event.Raw)
		}
	}
	if got, want := strings.Join(names, "|"), "SessionStart |UserPromptSubmit offen [private]|Stop fertig|SessionEnd "; got != want {
		t.Errorf("events %q, want %q", got, want)
	}
}
