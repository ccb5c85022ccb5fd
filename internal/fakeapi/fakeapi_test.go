package fakeapi

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func post(t *testing.T, s *Server, path, body string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

func TestListensOnLoopbackOnly(t *testing.T) {
	s := New(Script{})
	defer s.Close()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	if ip := net.ParseIP(u.Hostname()); ip == nil || !ip.IsLoopback() {
		t.Errorf("listens on %s", u.Host)
	}
}

func TestTurnsAnswerInOrderAndMatchingOnesFirst(t *testing.T) {
	s := New(Script{
		Turns: []Turn{
			{Blocks: []Block{{Text: "一"}}},
			{Blocks: []Block{{Text: "二"}}},
			{Match: "subagent", Blocks: []Block{{Text: "side"}}},
			{Match: "always", Repeat: true, Blocks: []Block{{Text: "again"}}},
		},
		Default: "over",
	})
	defer s.Close()
	for _, tc := range []struct{ body, want string }{
		{`{"x":"always"}`, "again"},
		{`{"x":"main"}`, "一"},
		{`{"x":"subagent"}`, "side"},
		{`{"x":"always"}`, "again"},
		{`{"x":"subagent"}`, "二"}, // its own turn is used up
		{`{"x":"main"}`, "over"},
	} {
		_, answer := post(t, s, "/v1/messages", tc.body)
		var msg struct {
			Content []struct{ Text string }
		}
		if err := json.Unmarshal([]byte(answer), &msg); err != nil {
			t.Fatalf("%s: %v", answer, err)
		}
		if len(msg.Content) != 1 || msg.Content[0].Text != tc.want {
			t.Errorf("%s is answered with %s, want %q", tc.body, answer, tc.want)
		}
	}
	if n := s.Unused(); n != 0 {
		t.Errorf("Unused() = %d, want 0", n)
	}
}

func TestStreamSendsTheWholeMessage(t *testing.T) {
	s := New(Script{Turns: []Turn{{Blocks: []Block{
		{Text: "I'll run it. 🚀"},
		{Tool: "Bash", Input: json.RawMessage(`{"command":"go test ./..."}`)},
	}}}})
	defer s.Close()
	_, answer := post(t, s, "/v1/messages", `{"model":"m","stream":true,"tools":[{"name":"Bash"},{"name":"Read"}]}`)

	var events []string
	var text, input, stop string
	for line := range strings.Lines(answer) {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var ev struct {
			Type  string
			Delta struct {
				Text        string
				PartialJSON string `json:"partial_json"`
				StopReason  string `json:"stop_reason"`
			}
		}
		if err := json.Unmarshal([]byte(data), &ev); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		events = append(events, ev.Type)
		text += ev.Delta.Text
		input += ev.Delta.PartialJSON
		stop += ev.Delta.StopReason
	}
	block := []string{"content_block_start", "content_block_delta", "content_block_stop"}
	want := slices.Concat([]string{"message_start"}, block, block, []string{"message_delta", "message_stop"})
	if !slices.Equal(events, want) {
		t.Errorf("events %q, want %q", events, want)
	}
	if text != "I'll run it. 🚀" || input != `{"command":"go test ./..."}` || stop != "tool_use" {
		t.Errorf("text %q, input %q, stop reason %q", text, input, stop)
	}
	if got := s.Requests(); len(got) != 1 || got[0].Model != "m" || !slices.Equal(got[0].Tools, []string{"Bash", "Read"}) {
		t.Errorf("recorded requests: %+v", got)
	}
}

func TestErrorsLookLikeTheAPIs(t *testing.T) {
	s := New(Script{Turns: []Turn{{Status: 529, ErrorType: "overloaded_error", Message: "busy"}}})
	defer s.Close()
	for _, tc := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"/v1/messages", `{}`, 529, `{"error":{"message":"busy","type":"overloaded_error"},"type":"error"}`},
		{"/v1/messages", `{`, 400, `"invalid_request_error"`},
		{"/v1/nothing", ``, 404, `"not_found_error"`},
	} {
		status, answer := post(t, s, tc.path, tc.body)
		if status != tc.status || !strings.Contains(answer, tc.want) {
			t.Errorf("%s %s: %d %s, want %d %s", tc.path, tc.body, status, answer, tc.status, tc.want)
		}
	}
	if got := s.Unknown(); !slices.Equal(got, []string{"POST /v1/nothing"}) {
		t.Errorf("Unknown() = %q", got)
	}
}
