package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

const hookData = "../../hooks/testdata"

// The recorded sessions are part of the binary, so they have to stay small.
const maxRecorded = 300 << 10

// foreignPath finds paths of a machine that is not the invented developer's.
var foreignPath = regexp.MustCompile(`/(?:root|tmp|private|Users|mnt|home/(?:[^d]|d[^e]|de[^v]))/`)

func TestRecordedSessionsAreWhole(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(hookData, "sessions", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded sessions: %v", err)
	}
	size := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		size += len(data)
		if trace := foreignPath.Find(data); trace != nil {
			t.Errorf("%s holds the path %s of the machine that recorded it", file, trace)
		}
		var before time.Time
		open := map[string]bool{} // tool calls whose outcome is awaited
		last := ""
		lines := bufio.NewScanner(bytes.NewReader(data))
		lines.Buffer(nil, 1<<20)
		for n := 1; lines.Scan(); n++ {
			var line struct {
				At      time.Time
				Payload struct {
					SessionID     string `json:"session_id"`
					HookEventName string `json:"hook_event_name"`
					ToolUseID     string `json:"tool_use_id"`
				}
			}
			if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
				t.Fatalf("%s:%d: %v", file, n, err)
			}
			p := line.Payload
			if p.SessionID == "" || p.HookEventName == "" {
				t.Errorf("%s:%d: no session or no event", file, n)
			}
			if line.At.Before(before) {
				t.Errorf("%s:%d: earlier than the line before", file, n)
			}
			before, last = line.At, p.HookEventName
			switch p.HookEventName {
			case "PreToolUse":
				open[p.ToolUseID] = true
			case "PostToolUse", "PostToolUseFailure":
				if !open[p.ToolUseID] {
					t.Errorf("%s:%d: the outcome of a tool call that never began", file, n)
				}
				delete(open, p.ToolUseID)
			}
		}
		if err := lines.Err(); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if len(open) > 0 || last != "SessionEnd" {
			t.Errorf("%s ends with %s and %d open tool calls", file, last, len(open))
		}
	}
	if size > maxRecorded {
		t.Errorf("the recorded sessions take %d bytes, at most %d are wanted in the binary", size, maxRecorded)
	}
}

func TestRecordedPayloadsAreAsOnTheWire(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(hookData, "payloads", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded payloads: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.IndexByte(data, '\n') != len(data)-1 || !json.Valid(data) {
			t.Errorf("%s is not one line of JSON", file)
		}
		if trace := foreignPath.Find(data); trace != nil {
			t.Errorf("%s holds the path %s of the machine that recorded it", file, trace)
		}
	}
}
