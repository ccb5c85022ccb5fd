package early

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestScanFindsTheEventOfEveryRecordedPayload(t *testing.T) {
	files, err := filepath.Glob("../testdata/payloads/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded payloads: %v", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var want struct {
			Name string `json:"hook_event_name"`
		}
		if err := json.Unmarshal(b, &want); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		got, ok := scan(b)
		if !ok || string(got.event) != want.Name {
			t.Errorf("%s: scan = %q, %v; want %q", filepath.Base(file), got.event, ok, want.Name)
		}
	}
}

func TestScanDeclinesWhateverNeedsAParser(t *testing.T) {
	const ok = `{"session_id":"s","hook_event_name":"Stop"}`
	tests := map[string]string{
		"empty":                        ``,
		"white space":                  "\n  \n",
		"plain text":                   `hello`,
		"array":                        `[` + ok + `]`,
		"cut off in a string":          `{"hook_event_name":"Stop","tool_input":{"command":"ls`,
		"cut off in an object":         `{"hook_event_name":"Stop","tool_input":{"command":"ls"}`,
		"brackets that do not match":   `{"hook_event_name":"Stop","a":[}`,
		"rubbish behind":               ok + `x`,
		"two objects":                  ok + ok,
		"no event name":                `{"session_id":"s"}`,
		"event name only further in":   `{"session_id":"s","tool_input":{"hook_event_name":"Stop"}}`,
		"event name twice":             `{"hook_event_name":"Stop","hook_event_name":"SessionStart"}`,
		"key written with an escape":   `{"hook_event_n\u0061me":"Stop"}`,
		"private tag":                  `{"hook_event_name":"Stop","p":"a <private>b</private>"}`,
		"private tag in capitals":      `{"hook_event_name":"Stop","p":"<PRIVATE>b"}`,
		"private tag with attributes":  `{"hook_event_name":"Stop","p":"<private reason='x'>b"}`,
		"private tag behind an escape": `{"hook_event_name":"Stop","p":"\u003cprivate>b"}`,
		"private tag in JSON in JSON":  `{"hook_event_name":"Stop","p":"{\"a\":\"\\u003cprivate>b\"}"}`,
		"private tag in a key":         `{"hook_event_name":"Stop","<private>":1}`,
		"private tag with space":       `{"hook_event_name":"Stop","p":"<  Private >b"}`,
		"private tag after much space": `{"hook_event_name":"Stop","p":"<` + strings.Repeat(" ", 1000) + `private>b"}`,
		"private tag on a new page":    `{"hook_event_name":"Stop","p":"<\fprivate>b"}`,
		"private tag in wide signs":    `{"hook_event_name":"Stop","p":"＜　／　private＞b"}`,
		"private tag, no-break space":  `{"hook_event_name":"Stop","p":"<` + "\u00a0" + `private>b"}`,
		"private tag on two lines":     `{"hook_event_name":"Stop","p":"<\nprivate>b"}`,
		"private tag, two lines, JSON": `{"hook_event_name":"Stop","p":"{\"a\":\"<\\nprivate>b\"}"}`,
		"private tag, space escaped":   `{"hook_event_name":"Stop","p":"<\u000Aprivate>b"}`,
		"private tag, self-closing":    `{"hook_event_name":"Stop","p":"a <private/>b"}`,
		"private tag, only its end":    `{"hook_event_name":"Stop","p":"b<\/private>"}`,
		"private tag in wide brackets": `{"hook_event_name":"Stop","p":"密码＜private＞b＜／private＞"}`,
		"wide bracket as an escape":    `{"hook_event_name":"Stop","p":"\uFF1Cprivate>b"}`,
		"binary":                       "\x00\x01\x02{",
		"control character in string":  "{\"hook_event_name\":\"Stop\",\"p\":\"a\nb\"}",
		"bare word outside of strings": `{"hook_event_name":"Stop",#}`,
		"too deep":                     `{"hook_event_name":"Stop","a":` + strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1) + `}`,
	}
	for name, in := range tests {
		t.Run(name, func(t *testing.T) {
			if got, accepted := scan([]byte(in)); accepted {
				t.Errorf("scan(%q) = %q, accepted; it must be declined", in, got.event)
			}
		})
	}
}

func TestScanAcceptsPlainPayloads(t *testing.T) {
	for name, in := range map[string]string{
		"one line":               `{"session_id":"s","hook_event_name":"PostToolUse"}` + "\n",
		"spaces":                 " {\n \"hook_event_name\" : \"PostToolUse\" , \"n\" : [ 1.5e-3 , true , null ] } ",
		"the name inside data":   `{"tool_input":{"hook_event_name":"X"},"hook_event_name":"PostToolUse","z":"\"hook_event_name\":\"Y\""}`,
		"chinese and emoji":      `{"hook_event_name":"PostToolUse","prompt":"修复数据库 🐛 \ud83d\ude00"}`,
		"angle brackets":         `{"hook_event_name":"PostToolUse","p":"Vec<String> </b> <priv> private int x"}`,
		"wide signs":             `{"hook_event_name":"PostToolUse","p":"退款，数据库：＜b＞（私有）"}`,
		"backslashes at the end": `{"a":"x\\","b":"\\\\","hook_event_name":"PostToolUse"}`,
		"escapes":                `{"hook_event_name":"PostToolUse","p":"\\\" \u001b[31m \n \\"}`,
	} {
		t.Run(name, func(t *testing.T) {
			if got, ok := scan([]byte(in)); !ok || string(got.event) != "PostToolUse" {
				t.Errorf("scan(%q) = %q, %v; want PostToolUse", in, got.event, ok)
			}
		})
	}
}

// FuzzScanAgreesWithTheParser holds that where scan accepts and the text is
// JSON, its answer is the parser's, and that nothing private passes.
func FuzzScanAgreesWithTheParser(f *testing.F) {
	f.Add([]byte(`{"session_id":"s","hook_event_name":"Stop","a":[{"b":"<private>"}]}`))
	f.Add([]byte(`{"hook_event_name":"Stop","a":"\u003cPrivate"}`))
	f.Add([]byte(`{"a":{"hook_event_name":"Stop"},"hook_event_name":"X"}`))
	f.Add([]byte(`{"hook_event_name":"PreToolUse","session_id":"s","agent_id":"a","tool_name":"Read","tool_input":{"a":["b",{"file_path":"x"}],"file_path":"/p/购物车.go"}}`))
	f.Add([]byte(`{"hook_event_name":"X","tool_input":[["file_path","y"],"file_path"],"tool_input":{"file_path":null}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, ok := scan(b)
		if !ok || !json.Valid(b) {
			return
		}
		var v map[string]json.RawMessage
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatalf("accepted, but not an object: %q: %v", b, err)
		}
		var input map[string]json.RawMessage
		_ = json.Unmarshal(v["tool_input"], &input) // it may be anything
		for name, member := range map[string]struct {
			got  []byte
			says json.RawMessage
		}{
			"hook_event_name": {got.event, v["hook_event_name"]}, "session_id": {got.session, v["session_id"]},
			"agent_id": {got.agent, v["agent_id"]}, "tool_name": {got.tool, v["tool_name"]},
			"file_path": {got.file, input["file_path"]},
		} {
			var says string
			if name == "file_path" && input["notebook_path"] != nil || bytes.Contains(b, []byte(`\`)) || !utf8.Valid(b) || len(member.says) == 0 || member.says[0] != '"' || json.Unmarshal(member.says, &says) != nil {
				continue // said in another way than scan reads it
			}
			if says != string(member.got) {
				t.Fatalf("%s: scan = %q, the parser says %q in %q", name, member.got, says, b)
			}
		}
		var all any
		if err := json.Unmarshal(b, &all); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.ToLower(render(all)), "<private") {
			t.Fatalf("a private tag passed: %q", b)
		}
	})
}

// render gives all strings in v, keys too.
func render(v any) string {
	switch v := v.(type) {
	case string:
		return v + "\n"
	case []any:
		var s strings.Builder
		for _, e := range v {
			s.WriteString(render(e))
		}
		return s.String()
	case map[string]any:
		var s strings.Builder
		for k, e := range v {
			s.WriteString(k + "\n" + render(e))
		}
		return s.String()
	}
	return ""
}
