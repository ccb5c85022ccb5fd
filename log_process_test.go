package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// marker stands in everything that these tests hand to cmem.
const marker = "zaubersatz标记🧠"

// TestNoPayloadStandsInTheLog hands payloads in every state to hooks and worker,
// with a provider that fails in every way and says back what it was asked: nothing
// of them may stand in the log, or in a file beside it.
func TestNoPayloadStandsInTheLog(t *testing.T) {
	answers := []struct {
		status int // 0: what comes is no HTTP
		body   func(asked string) string
	}{
		{429, func(asked string) string { return `{"error":{"message":` + strconv.Quote(asked) + `}}` }},
		{400, func(asked string) string { return `{"error":` + strconv.Quote(asked) + `}` }},
		{500, func(asked string) string { return asked }},
		{401, func(asked string) string { return asked }},
		{200, func(asked string) string { return asked + marker }},
		{200, func(string) string { return `{"choices":` + strconv.Quote(marker) + `}` }},
		{200, func(string) string {
			return `{"choices":[{"message":{"content":"{\"observations\":[{\"title\": ` + marker + `"}}]}`
		}},
		{0, func(string) string { return marker + " is no HTTP\r\n\r\n" }},
	}
	for i, answer := range answers {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			asked := make(chan bool, 100)
			provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				select {
				case asked <- strings.Contains(string(body), marker):
				default:
				}
				if answer.status == 0 {
					conn, _, err := w.(http.Hijacker).Hijack()
					if err != nil {
						t.Error(err)
						return
					}
					_, _ = io.WriteString(conn, answer.body("")) // the client may be gone
					_ = conn.Close()                             // likewise
					return
				}
				w.WriteHeader(answer.status)
				_, _ = io.WriteString(w, answer.body(string(body))) // likewise
			}))
			defer provider.Close()
			h := newMachine(t, "CMEM_PROVIDER=openai", "CMEM_OPENAI_API_KEY=key", "CMEM_OPENAI_MODEL=m", "CMEM_OPENAI_BASE_URL="+provider.URL)
			event := func(name, rest string) string {
				return fmt.Sprintf(`{"session_id":"s","cwd":"/home/dev/%s","hook_event_name":%q,%s}`, marker, name, rest)
			}
			payloads := []string{
				event("UserPromptSubmit", `"prompt":"please `+marker+`"`),
				event("PostToolUse", `"tool_name":"Bash","tool_input":{"command":"echo `+marker+`"},"tool_response":{"stdout":"`+marker+`"},"tool_use_id":"1"`),
				event("Stop", `"last_assistant_message":"`+marker+`"`),
				`{"` + marker,
			}
			if i == 0 {
				payloads = append(payloads, event("SessionStart", `"source":"`+marker+`"`),
					event("Stop", `"last_assistant_message":"`+marker+`",,`), event("Stop", `"`+marker+`":<private>`+marker), event(marker, `"x":"`+marker+`"`),
					`{"session_id":["`+marker+`"],"hook_event_name":"Stop"}`, `{"session_id":"s","hook_event_name":{"`+marker+`":1}}`,
					`{"session_id":"s","hook_event_name":"SessionStart","source":["`+marker+`"]}`, `{"`+marker+`":"<private>","hook_event_name":"Stop"}`,
					marker, `"`+marker+`"`, `{"a":"\ud800`+marker+`"}`, "")
			}
			for _, payload := range payloads {
				h.hook([]byte(payload), "hook")
			}
			h.untilIdle()
			if !<-asked {
				t.Fatal("the provider was not asked about the marker: the test does not test")
			}
			dir := filepath.Join(h.data(), "logs")
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				b, err := os.ReadFile(filepath.Join(dir, e.Name()))
				if err != nil {
					t.Fatal(err)
				}
				for _, part := range []string{marker, "zaubersatz", "标记", "🧠", `\u6807`} {
					for line := range strings.Lines(string(b)) {
						if strings.Contains(line, part) {
							t.Errorf("%q stands in %s: %s", part, e.Name(), line)
						}
					}
				}
			}
			if shown := h.run("logs", "--level", "warn"); !strings.Contains(shown, "provider failed") || !strings.Contains(shown, "hook payload refused") {
				t.Errorf("the failures are not in the log:\n%s", shown)
			}
		})
	}
}

// untilIdle waits until all events are taken in and the worker has left, whether
// the provider answered or not.
func (h *machine) untilIdle() {
	h.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var st struct {
			Waiting int `json:"waiting"`
			Worker  struct{ Running bool }
		}
		if err := json.Unmarshal([]byte(h.run("status", "--json")), &st); err != nil {
			h.t.Fatal(err)
		}
		if st.Waiting == 0 && !st.Worker.Running {
			return
		}
	}
	h.t.Fatal("the worker did not become idle")
}
