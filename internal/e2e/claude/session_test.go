package claude

import (
	"reflect"
	"testing"
)

func TestReadKeepsToolCallsAndHookRuns(t *testing.T) {
	var s Session
	for _, line := range []string{
		`{"type":"system","subtype":"hook_started","hook_event":"PostToolUse"}`,
		`{"type":"system","subtype":"hook_response","hook_event":"PostToolUse","stdout":"","stderr":"糟糕\n","exit_code":1}`,
		`{"type":"assistant","message":{"content":[{"type":"text","text":"I'll look."},{"type":"tool_use","id":"toolu_1"}]}}`,
		`{"type":"system","subtype":"init","mcp_servers":[{"name":"tickets","status":"connected"}]}`,
		`{"type":"user","message":{"content":"a string"}}`,
	} {
		if _, err := s.read([]byte(line)); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	want := Seen{
		Servers:  []string{"tickets connected"},
		ToolUses: []string{"toolu_1"},
		Hooks:    []HookRun{{Event: "PostToolUse", Stderr: "糟糕\n", ExitCode: 1}},
	}
	if !reflect.DeepEqual(s.seen, want) {
		t.Errorf("seen %+v, want %+v", s.seen, want)
	}
	if _, err := s.read([]byte("not JSON\n")); err == nil {
		t.Error("a line that is not JSON is taken")
	}
}
