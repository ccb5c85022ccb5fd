package claude

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cmem/llm"
	"cmem/memory"
)

// serve answers every call with status, header and body, and keeps the last call.
func serve(t *testing.T, status int, header map[string]string, body string) (*Compressor, *http.Request, *request) {
	t.Helper()
	var (
		call http.Request
		sent request
	)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call = *r
		sent = request{}
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Errorf("the request is not JSON: %v", err)
		}
		for k, v := range header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	c, err := New(Options{APIKey: "sk-ant-test", Model: "claude-haiku-4-5", BaseURL: server.URL + "/"})
	if err != nil {
		t.Fatal(err)
	}
	return c, &call, &sent
}

var batch = llm.Batch{
	Session: memory.Session{Project: "/home/dev/projects/webshop"},
	Prompt:  memory.Prompt{Number: 1, Text: "修复 fetchPage"},
	Events: []memory.Event{{Name: memory.EventPostToolUse, ToolName: "Edit", CreatedAt: time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC),
		ToolInput: json.RawMessage(`{"file_path":"/home/dev/projects/webshop/client.go"}`)}},
}

var story = llm.Story{Prompts: []memory.Prompt{{Number: 1, Text: "修复 fetchPage"}}}

// answer writes one as the Messages API does.
func answer(text string) string {
	quoted, _ := json.Marshal(text)
	return `{"id":"msg_1","type":"message","role":"assistant","model":"claude-haiku-4-5-20251001","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":` + string(quoted) +
		`}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":900,"cache_creation_input_tokens":20,"cache_read_input_tokens":50,"output_tokens":30,"service_tier":"standard"}}`
}

func TestABatchIsOneCallAndItsAnswerBecomesObservations(t *testing.T) {
	c, call, sent := serve(t, 200, nil, answer("```json\n"+`{"observations":[{"type":"bugfix","title":"fetchPage 重试","files_modified":["client.go"]}]}`+"\n```"))
	r, err := c.Compress(t.Context(), batch)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Observations) != 1 || r.Observations[0].Title != "fetchPage 重试" || r.Observations[0].ToolName != "Edit" || r.Model != "claude-haiku-4-5-20251001" || r.TokensSpent != 1000 {
		t.Errorf("got %+v", r)
	}
	if call.Method != "POST" || call.URL.Path != "/v1/messages" || call.Header.Get("X-Api-Key") != "sk-ant-test" ||
		call.Header.Get("Anthropic-Version") != "2023-06-01" || call.Header.Get("Content-Type") != "application/json" {
		t.Errorf("called %s %s %v", call.Method, call.URL, call.Header)
	}
	if sent.Model != "claude-haiku-4-5" || sent.MaxTokens == 0 || !strings.Contains(sent.System, "memory of a software project") || len(sent.Messages) != 1 ||
		sent.Messages[0].Role != "user" || !strings.Contains(sent.Messages[0].Content, "修复 fetchPage") {
		t.Errorf("sent %+v", sent)
	}
	if c.ID() != "claude/"+llm.PromptVersion {
		t.Errorf("ID %q", c.ID())
	}
}

func TestASessionBecomesASummary(t *testing.T) {
	c, _, sent := serve(t, 200, nil, answer(`{"summary":{"request":"修复 fetchPage","next_steps":"Add a metric"}}`))
	s, r, err := c.Summarize(t.Context(), story)
	if err != nil || s.Request != "修复 fetchPage" || s.NextSteps != "Add a metric" || r.TokensSpent != 1000 {
		t.Errorf("%+v, %+v, %v", s, r, err)
	}
	if !strings.Contains(sent.System, "checkpoint") {
		t.Errorf("asked as %q", sent.System)
	}
}

func TestNothingWorthRememberingIsNoError(t *testing.T) {
	for _, text := range []string{"", `{"observations":[]}`, "Nothing to record."} {
		c, _, _ := serve(t, 200, nil, answer(text))
		if r, err := c.Compress(t.Context(), batch); err != nil || len(r.Observations) != 0 || r.TokensSpent != 1000 {
			t.Errorf("%q: %+v, %v", text, r, err)
		}
	}
}

func TestFailuresSayWhatToDo(t *testing.T) {
	refused := `{"type":"error","error":{"type":"%s","message":"words about it"},"request_id":"req_1"}`
	for _, tt := range []struct {
		name   string
		status int
		header map[string]string
		body   string
		kind   llm.Kind
		after  time.Duration
	}{
		{"wrong key", 401, nil, fmt.Sprintf(refused, "authentication_error"), llm.KindAuth, 0},
		{"unknown model", 404, nil, fmt.Sprintf(refused, "not_found_error"), llm.KindAuth, 0},
		{"rate limit", 429, map[string]string{"Retry-After": "12"}, fmt.Sprintf(refused, "rate_limit_error"), llm.KindRateLimit, 12 * time.Second},
		{"overloaded", 529, nil, fmt.Sprintf(refused, "overloaded_error"), llm.KindTemporary, 0},
		{"broken", 500, nil, fmt.Sprintf(refused, "api_error"), llm.KindTemporary, 0},
		{"too long", 400, nil, fmt.Sprintf(refused, "invalid_request_error"), llm.KindRequest, 0},
		{"refusal", 200, nil, `{"model":"m","content":[],"stop_reason":"refusal","usage":{}}`, llm.KindRequest, 0},
		{"another API", 200, nil, `{"hello":"world"}`, llm.KindAnswer, 0},
		{"no JSON", 200, nil, `<html>`, llm.KindAnswer, 0},
		{"broken observations", 200, nil, answer(`{"observations":[{"title":"half`), llm.KindAnswer, 0},
	} {
		c, _, _ := serve(t, tt.status, tt.header, tt.body)
		_, err := c.Compress(t.Context(), batch)
		var e *llm.Error
		if !errors.As(err, &e) || e.Provider != "claude" || e.Kind != tt.kind || e.RetryAfter != tt.after {
			t.Errorf("%s: %#v", tt.name, err)
			continue
		}
		if tt.status != 200 && (e.Status != tt.status || !strings.Contains(err.Error(), "words about it")) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestASlowAnswerEndsWithTheContext(t *testing.T) {
	arrived, done := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(arrived)
		<-done
	}))
	defer server.Close()
	defer close(done)
	c, err := New(Options{APIKey: "k", Model: "m", BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	if _, err := c.Compress(ctx, batch); !errors.Is(err, context.Canceled) || llm.KindOf(err) != llm.KindTemporary {
		t.Errorf("got %v", err)
	}
}

func TestAMissingSettingIsNamed(t *testing.T) {
	for _, tt := range []struct {
		options Options
		says    string
	}{
		{Options{Model: "m"}, "claude.api_key"},
		{Options{APIKey: "k"}, "claude.model"},
	} {
		if _, err := New(tt.options); llm.KindOf(err) != llm.KindAuth || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%+v: %v", tt.options, err)
		}
	}
	for base, want := range map[string]string{"": "https://api.anthropic.com/v1/messages", "http://localhost:4000/v1/": "http://localhost:4000/v1/messages"} {
		if c, err := New(Options{APIKey: "k", Model: "m", BaseURL: base}); err != nil || c.url != want {
			t.Errorf("base %q: %v, %v", base, c, err)
		}
	}
}
