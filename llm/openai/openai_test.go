package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cmem/llm"
	"cmem/memory"
)

// serve answers every call as answer says and keeps all that was sent.
func serve(t *testing.T, answer func(w http.ResponseWriter, sent request)) (*Compressor, *http.Request, *[]request) {
	t.Helper()
	var (
		call http.Request
		all  []request
	)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call = *r
		var sent request
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Errorf("the request is not JSON: %v", err)
		}
		all = append(all, sent)
		answer(w, sent)
	}))
	t.Cleanup(server.Close)
	c, err := New(Options{APIKey: "sk-test", Model: "gpt-5-mini", BaseURL: server.URL + "/v1/"})
	if err != nil {
		t.Fatal(err)
	}
	return c, &call, &all
}

// says is a server that gives the same answer to everything.
func says(status int, header map[string]string, body string) func(http.ResponseWriter, request) {
	return func(w http.ResponseWriter, _ request) {
		for k, v := range header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

var batch = llm.Batch{
	Session: memory.Session{Project: "/home/dev/projects/webshop"},
	Prompt:  memory.Prompt{Number: 1, Text: "修复 fetchPage"},
	Events: []memory.Event{{Name: memory.EventPostToolUse, ToolName: "Edit", CreatedAt: time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC),
		ToolInput: json.RawMessage(`{"file_path":"/home/dev/projects/webshop/client.go"}`)}},
}

var story = llm.Story{Prompts: []memory.Prompt{{Number: 1, Text: "修复 fetchPage"}}}

// completion writes an answer as the chat completions API does.
func completion(text string) string {
	quoted, _ := json.Marshal(text)
	return `{"id":"chatcmpl-1","object":"chat.completion","model":"gpt-5-mini-2026","choices":[{"index":0,"message":{"role":"assistant","content":` + string(quoted) +
		`,"refusal":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":900,"completion_tokens":100,"total_tokens":1000}}`
}

func TestABatchIsOneCallAndItsAnswerBecomesObservations(t *testing.T) {
	c, call, all := serve(t, says(200, nil, completion(`{"observations":[{"type":"bugfix","title":"fetchPage 重试","files_modified":["client.go"]}]}`)))
	r, err := c.Compress(t.Context(), batch)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Observations) != 1 || r.Observations[0].Title != "fetchPage 重试" || r.Observations[0].ToolName != "Edit" || r.Model != "gpt-5-mini-2026" || r.TokensSpent != 1000 {
		t.Errorf("got %+v", r)
	}
	if call.Method != "POST" || call.URL.Path != "/v1/chat/completions" || call.Header.Get("Authorization") != "Bearer sk-test" {
		t.Errorf("called %s %s %v", call.Method, call.URL, call.Header)
	}
	sent := (*all)[0]
	if len(*all) != 1 || sent.Model != "gpt-5-mini" || sent.ResponseFormat == nil || sent.ResponseFormat.Type != "json_object" || len(sent.Messages) != 2 ||
		sent.Messages[0].Role != "system" || !strings.Contains(sent.Messages[0].Content, "JSON") || !strings.Contains(sent.Messages[1].Content, "修复 fetchPage") {
		t.Errorf("sent %+v", *all)
	}
	if c.ID() != "openai/"+llm.PromptVersion {
		t.Errorf("ID %q", c.ID())
	}
}

func TestASessionBecomesASummary(t *testing.T) {
	c, _, all := serve(t, says(200, nil, completion(`<think>so</think>{"summary":{"request":"修复 fetchPage","next_steps":"Add a metric"}}`)))
	s, r, err := c.Summarize(t.Context(), story)
	if err != nil || s.Request != "修复 fetchPage" || s.NextSteps != "Add a metric" || r.TokensSpent != 1000 {
		t.Errorf("%+v, %+v, %v", s, r, err)
	}
	if !strings.Contains((*all)[0].Messages[0].Content, "checkpoint") {
		t.Errorf("sent %+v", *all)
	}
}

func TestAServerThatDoesNotKnowJSONModeIsAskedWithoutItFromThenOn(t *testing.T) {
	c, _, all := serve(t, func(w http.ResponseWriter, sent request) {
		if sent.ResponseFormat != nil {
			says(400, nil, `{"error":"'response_format.type' must be 'json_schema' or 'text'"}`)(w, sent)
			return
		}
		says(200, nil, completion(`{"observations":[{"title":"T"}]}`))(w, sent)
	})
	for range 2 {
		if r, err := c.Compress(t.Context(), batch); err != nil || len(r.Observations) != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	if len(*all) != 3 || (*all)[0].ResponseFormat == nil || (*all)[1].ResponseFormat != nil || (*all)[2].ResponseFormat != nil {
		t.Errorf("sent %d calls: %+v", len(*all), *all)
	}
}

func TestALocalServerNeedsNoKeyAndMayCountNothing(t *testing.T) {
	c, call, _ := serve(t, says(200, nil, `{"model":"qwen","choices":[{"message":{"content":"{\"observations\":[{\"title\":\"本地\"}]}"}}],"usage":{"prompt_tokens":5,"completion_tokens":2}}`))
	c.key = ""
	r, err := c.Compress(t.Context(), batch)
	if err != nil || len(r.Observations) != 1 || r.TokensSpent != 7 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, sent := call.Header["Authorization"]; sent {
		t.Errorf("an empty key was sent: %v", call.Header)
	}
}

func TestNothingWorthRememberingIsNoError(t *testing.T) {
	for _, text := range []string{"", `{"observations":[]}`, "Nothing to record."} {
		c, _, _ := serve(t, says(200, nil, completion(text)))
		if r, err := c.Compress(t.Context(), batch); err != nil || len(r.Observations) != 0 || r.TokensSpent != 1000 {
			t.Errorf("%q: %+v, %v", text, r, err)
		}
	}
}

func TestFailuresSayWhatToDo(t *testing.T) {
	const refused = `{"error":{"message":"words about it","type":"x","code":"y"}}`
	for _, tt := range []struct {
		name   string
		status int
		header map[string]string
		body   string
		kind   llm.Kind
		after  time.Duration
	}{
		{"wrong key", 401, nil, refused, llm.KindAuth, 0},
		{"unknown model", 404, nil, refused, llm.KindAuth, 0},
		{"rate limit", 429, map[string]string{"Retry-After-Ms": "1500", "Retry-After": "2"}, refused, llm.KindRateLimit, 1500 * time.Millisecond},
		{"broken", 503, map[string]string{"Retry-After": "3"}, refused, llm.KindTemporary, 3 * time.Second},
		{"too long", 400, nil, refused, llm.KindRequest, 0},
		{"Ollama's form", 500, nil, `{"error":"words about it"}`, llm.KindTemporary, 0},
		{"refusal", 200, nil, `{"choices":[{"message":{"content":null,"refusal":"I can't"},"finish_reason":"stop"}]}`, llm.KindRequest, 0},
		{"filter", 200, nil, `{"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]}`, llm.KindRequest, 0},
		{"no choices", 200, nil, `{"hello":"world"}`, llm.KindAnswer, 0},
		{"no JSON", 200, nil, `<html>`, llm.KindAnswer, 0},
		{"broken observations", 200, nil, completion(`{"observations":[{"title":"half`), llm.KindAnswer, 0},
	} {
		c, _, _ := serve(t, says(tt.status, tt.header, tt.body))
		_, err := c.Compress(t.Context(), batch)
		var e *llm.Error
		if !errors.As(err, &e) || e.Provider != "openai" || e.Kind != tt.kind || e.RetryAfter != tt.after {
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
		{Options{Model: "m"}, "openai.api_key"},
		{Options{APIKey: "k"}, "openai.model"},
		{Options{BaseURL: "http://localhost:11434/v1"}, "openai.model"},
	} {
		if _, err := New(tt.options); llm.KindOf(err) != llm.KindAuth || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%+v: %v", tt.options, err)
		}
	}
	if c, err := New(Options{Model: "m", BaseURL: "http://localhost:11434/v1"}); err != nil || c.url != "http://localhost:11434/v1/chat/completions" {
		t.Errorf("%v, %v", c, err)
	}
}
