package hooks

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"cmem/hooks/early"
)

func TestStrangeTextInAToolsAnswerIsKept(t *testing.T) {
	const head = `{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"x"},"tool_response":{"stdout":"`
	for name, tt := range map[string]struct{ in, want string }{
		"NUL bytes":            {`a\u0000b`, "a\x00b"},
		"escape sequences":     {`\u001b[31mrot\u001b[0m\u001b]0;title\u0007`, "\x1b[31mrot\x1b[0m\x1b]0;title\a"},
		"a lone surrogate":     {`x\ud83d y`, "x\ufffd y"},
		"surrogates in turn":   {`\udc00\ud800`, "\ufffd\ufffd"},
		"a pair of surrogates": {`\ud83d\ude00`, "😀"},
		"invalid UTF-8":        {"a\xff\xfeb", "a\ufffd\ufffdb"},
		"cut UTF-8":            {"密\xe7\xa0", "密\ufffd\ufffd"},
		"line separators":      {"a\u2028b\u202ec", "a\u2028b\u202ec"},
	} {
		// The second time something has to be masked, so that the payload is written anew.
		for _, tail := range []string{"", " password=hunter22"} {
			e, err := Decode("x", []byte(head+tt.in+tail+`"}}`))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			var got struct {
				Stdout string `json:"stdout"`
			}
			if err := json.Unmarshal(e.ToolResponse, &got); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if want := tt.want + strings.ReplaceAll(tail, "hunter22", secretMark); got.Stdout != want {
				t.Errorf("%s: %q, want %q", name, got.Stdout, want)
			}
			if tail != "" && !utf8.Valid(e.Raw) {
				t.Errorf("%s: what was written anew is no UTF-8: %q", name, e.Raw)
			}
		}
	}
	// As it stands on the wire, no JSON has these.
	for name, raw := range map[string]string{"a NUL byte": head + "a\x00b\"}}", "a bare newline": head + "a\nb\"}}", "an escape": head + "\x1b[0m\"}}"} {
		if e, err := Decode("x", []byte(raw)); err == nil {
			t.Errorf("%s: taken as %q", name, e.Raw)
		}
	}
}

func TestAPayloadAtTheLimitIsDecoded(t *testing.T) {
	if testing.Short() {
		t.Skip("32 MiB take a while under the race detector")
	}
	line := `12 订单 shipped to 上海, 3 boxes, all of them whole\n`
	payload := []byte(`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"cat big"},"tool_response":{"stdout":"` +
		strings.Repeat(line, (early.MaxPayload-2000)/len(line)) + `DB_PASSWORD=correct7horse <private>geheim</private>"}}`)
	e, err := Decode("x", payload)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Raw) < early.MaxPayload-len(line)-4000 || !bytes.HasSuffix(e.Raw, []byte(`DB_PASSWORD=[secret] [private]"}}`)) {
		t.Errorf("%d of %d bytes, ending in %q", len(e.Raw), len(payload), e.Raw[max(len(e.Raw)-100, 0):])
	}
}

func TestOfAPayloadOverTheLimitNoPrivatePartIsKept(t *testing.T) {
	c := call{}
	head := `{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{"content":"<private>geheim"},"tool_response":{"content":"geheim</private>`
	c.do(t, early.Input{Payload: []byte(head + strings.Repeat("x", 1000)), Size: 50 << 20})
	p := c.spooled(t)
	if len(p) != 1 || strings.Contains(p[0], "geheim") || !strings.Contains(p[0], "cmem_dropped_bytes") {
		t.Errorf("spooled %q", p)
	}
}
