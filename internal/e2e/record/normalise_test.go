package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cmem/internal/e2e/scene"
)

// recording normalises one run of payloads from a stage under root.
func recording(t *testing.T, root string, payloads ...string) (string, error) {
	t.Helper()
	m := machine{home: root + "/home", project: root + "/projects/webshop", traces: []string{root}}
	sc := scene.Scene{
		Session: "11111111-1111-4111-8111-111111111111",
		Runs:    []scene.Run{{At: time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)}},
	}
	var raw [][]byte
	for _, p := range payloads {
		p = strings.NewReplacer("ROOT", root, "DASHED", dashed(root)).Replace(p)
		raw = append(raw, []byte(p+"\n"))
	}
	lines, err := normalise("test", sc, [][][]byte{raw}, m)
	return string(lines), err
}

func TestRecordingIsTheSameWhereverItWasMade(t *testing.T) {
	payload := func(prompt, tool string) []string {
		return []string{
			`{"session_id":"11111111-1111-4111-8111-111111111111","hook_event_name":"SessionStart","transcript_path":"ROOT/home/.claude/projects/DASHED-projects-webshop/1.jsonl"}`,
			fmt.Sprintf(`{"prompt_id":%q,"hook_event_name":"PreToolUse","tool_use_id":%q,"tool_input":{"file_path":"ROOT/projects/webshop/docs/退款.md"}}`, prompt, tool),
			fmt.Sprintf(`{"prompt_id":%q,"hook_event_name":"PostToolUse","tool_use_id":%q,"duration_ms":1500}`, prompt, tool),
		}
	}
	one, err := recording(t, "/var/one", payload("22222222-2222-4222-8222-222222222222", "toolu_00000100")...)
	if err != nil {
		t.Fatal(err)
	}
	two, err := recording(t, "/var/number-two", payload("33333333-3333-4333-8333-333333333333", "toolu_00004201")...)
	if err != nil {
		t.Fatal(err)
	}
	if one != two {
		t.Errorf("the recordings differ:\n%s\n%s", one, two)
	}
	for _, want := range []string{
		`{"at":"2026-11-24T09:00:00.000Z","payload":{"session_id":"11111111-1111-4111-8111-111111111111",`,
		`"/home/dev/.claude/projects/-home-dev-projects-webshop/1.jsonl"`,
		`"tool_input":{"file_path":"/home/dev/projects/webshop/docs/退款.md"}}`,
	} {
		if !strings.Contains(one, want) {
			t.Errorf("the recording lacks %s:\n%s", want, one)
		}
	}
}

func TestRecordingWithATraceOfTheMachineIsRefused(t *testing.T) {
	_, err := recording(t, "/var/one", `{"hook_event_name":"Stop","last_assistant_message":"see ROOT/elsewhere"}`)
	if err == nil || !strings.Contains(err.Error(), "trace of this machine") {
		t.Errorf("error %v", err)
	}
}
