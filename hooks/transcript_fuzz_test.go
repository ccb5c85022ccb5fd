package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

// Lines between which a strange one is put: what they tell must always be heard.
const (
	lineBefore = `{"type":"user","uuid":"u-before","parentUuid":null,"isSidechain":false,"sessionId":"s","cwd":"/home/dev/webshop","timestamp":"2026-11-30T10:00:00.000Z","message":{"role":"user","content":"the prompt before 之前"}}`
	lineAfter  = `{"type":"user","uuid":"u-after","parentUuid":null,"isSidechain":false,"sessionId":"s","cwd":"/home/dev/webshop","timestamp":"2026-11-30T12:00:00.000Z","message":{"role":"user","content":"the prompt after 之后"}}`
)

// FuzzATranscriptIsReadWhateverStandsInIt reads a transcript with anything between
// two prompts. What is no JSON object hides neither of them; what is one gives
// events that a hook could have sent; private text never comes out.
func FuzzATranscriptIsReadWhateverStandsInIt(f *testing.F) {
	for _, line := range []string{
		"", "\x00\xff", "{", "[]", "null", `"text"`, "{}", lineBefore, strings.Repeat("[", 2000), "{\"type\":\"user\"}\n{\"type\"",
		`{"type":"assistant","uuid":"a","sessionId":"s","timestamp":"2026-11-30T11:00:00Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"ls"}}]}}` + "\n" +
			`{"type":"user","uuid":"r","sessionId":"s","timestamp":"2026-11-30T11:00:01Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"a\u0000b \ud800"}]},"toolUseResult":{"stdout":"a"}}`,
		`{"type":"user","uuid":"p","sessionId":"s","timestamp":"2026-11-30T11:00:00Z","message":{"role":"user","content":"x <private>geheim</private> y"}}`,
		`{"type":"user","uuid":7,"sessionId":{},"timestamp":"soon","message":[{"content":1e999}]}`,
		`{"type":"system","subtype":"compact_boundary","uuid":"c","sessionId":"s","timestamp":"9999-12-31T23:59:59Z","compactMetadata":{"trigger":"auto"}}`,
	} {
		f.Add([]byte(line))
	}
	dir := f.TempDir()
	path := filepath.Join(dir, "s.jsonl")
	f.Fuzz(func(t *testing.T, between []byte) {
		text := strings.Join([]string{lineBefore, string(between), lineAfter, ""}, "\n")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		found := find(t, path)
		if len(found) != 1 {
			t.Fatalf("found %d transcripts", len(found))
		}
		prompts := map[string]int{}
		ids := map[string]bool{}
		var last time.Time
		for e, err := range found[0].Events(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			event := e.Event
			if event.ID == "" || event.Name == "" || event.SessionID == "" || ids[event.ID] {
				t.Fatalf("an event without a name of its own: %+v", event)
			}
			ids[event.ID] = true
			if !json.Valid(event.Raw) {
				t.Fatalf("%q is no JSON", event.Raw)
			}
			again, err := Decode(event.ID, event.Raw)
			if err != nil || again.Name != event.Name || again.SessionID != event.SessionID || !bytes.Equal(again.Raw, event.Raw) {
				t.Fatalf("%s is read from the spool as %s, %v", event.Raw, again.Raw, err)
			}
			if event.CreatedAt.Before(last) {
				t.Fatalf("%s at %v comes after one at %v", event.Name, event.CreatedAt, last)
			}
			last = event.CreatedAt
			if event.Name == memory.EventUserPromptSubmit {
				prompts[event.Prompt]++
			}
			if bytes.Contains(event.Raw, []byte("geheim")) && bytes.Contains(between, []byte("<private>geheim</private>")) && bytes.Count(between, []byte("geheim")) == 1 {
				t.Fatalf("private text stands in %s", event.Raw)
			}
		}
		if !holdsObject(between) && (prompts["the prompt before 之前"] != 1 || prompts["the prompt after 之后"] != 1) {
			t.Fatalf("%q between two prompts leaves of them %v", between, prompts)
		}
	})
}

// holdsObject reports whether a line of text is a JSON object, which may say
// anything about its neighbours.
func holdsObject(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) > 1 && line[0] == '{' && json.Valid(line) {
			return true
		}
	}
	return false
}
