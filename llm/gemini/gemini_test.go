package gemini

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

// serve answers every call with status, header and body, and keeps the last
// call and how many there were.
func serve(t *testing.T, status int, header map[string]string, body string) (*Compressor, *calls) {
	t.Helper()
	var got calls
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got.n++
		got.last = *r
		got.sent, _ = io.ReadAll(r.Body)
		for k, v := range header {
			w.Header().Set(k, v)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	c, err := New(Options{APIKey: "AIza-test", Model: "gemini-2.5-flash", BaseURL: server.URL + "/"})
	if err != nil {
		t.Fatal(err)
	}
	return c, &got
}

type calls struct {
	n    int
	last http.Request
	sent []byte
}

var batch = llm.Batch{
	Session: memory.Session{Project: "/home/dev/projects/webshop"},
	Prompt:  memory.Prompt{Number: 1, Text: "修复 fetchPage"},
	Events: []memory.Event{{Name: memory.EventPostToolUse, ToolName: "Edit", CreatedAt: time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC),
		ToolInput: json.RawMessage(`{"file_path":"/home/dev/projects/webshop/client.go"}`)}},
}

var story = llm.Story{Prompts: []memory.Prompt{{Number: 1, Text: "修复 fetchPage"}}}

// answer writes one as the generateContent API does, in two parts.
func answer(text string) string {
	cut := min(len(text), 1)
	first, _ := json.Marshal(text[:cut])
	second, _ := json.Marshal(text[cut:])
	return `{"candidates":[{"content":{"parts":[{"text":` + string(first) + `},{"text":` + string(second) + `}],"role":"model"},"finishReason":"STOP","index":0,"newField":{"a":1}}],` +
		`"usageMetadata":{"promptTokenCount":900,"candidatesTokenCount":60,"thoughtsTokenCount":40,"totalTokenCount":1000},"modelVersion":"gemini-2.5-flash"}`
}

func TestABatchIsOneCallAndItsAnswerBecomesObservations(t *testing.T) {
	c, got := serve(t, 200, nil, answer(`{"observations":[{"type":"bugfix","title":"Retry in fetchPage","subtitle":"503 不再中断","files_modified":["client.go"]}]}`))
	r, err := c.Compress(t.Context(), batch)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Observations) != 1 || r.Observations[0].Title != "Retry in fetchPage" || r.Observations[0].Subtitle != "503 不再中断" || r.Observations[0].ToolName != "Edit" ||
		r.Model != "gemini-2.5-flash" || r.TokensSpent != 1000 {
		t.Errorf("got %+v", r)
	}
	if got.n != 1 || got.last.Method != "POST" || got.last.URL.Path != "/v1beta/models/gemini-2.5-flash:generateContent" || got.last.Header.Get("X-Goog-Api-Key") != "AIza-test" ||
		strings.Contains(got.last.URL.String(), "AIza") {
		t.Errorf("called %d times, %s %s %v", got.n, got.last.Method, got.last.URL, got.last.Header)
	}
	for _, want := range []string{"memory of a software project", "修复 fetchPage", "application/json", "systemInstruction"} {
		if !strings.Contains(string(got.sent), want) {
			t.Errorf("%q was not sent: %s", want, got.sent)
		}
	}
	if c.ID() != "gemini/"+llm.PromptVersion {
		t.Errorf("ID %q", c.ID())
	}
}

func TestASessionBecomesASummary(t *testing.T) {
	c, got := serve(t, 200, nil, answer(`{"summary":{"request":"Fix fetchPage","next_steps":"加指标"}}`))
	s, r, err := c.Summarize(t.Context(), story)
	if err != nil || s.Request != "Fix fetchPage" || s.NextSteps != "加指标" || r.TokensSpent != 1000 {
		t.Errorf("%+v, %+v, %v", s, r, err)
	}
	if !strings.Contains(string(got.sent), "checkpoint") {
		t.Errorf("sent %s", got.sent)
	}
}

func TestNothingWorthRememberingIsNoError(t *testing.T) {
	for _, body := range []string{answer(""), answer(`{"observations":[]}`), answer("Nothing to record."), `{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"totalTokenCount":1000}}`} {
		c, _ := serve(t, 200, nil, body)
		if r, err := c.Compress(t.Context(), batch); err != nil || len(r.Observations) != 0 || r.TokensSpent != 1000 {
			t.Errorf("%s: %+v, %v", body, r, err)
		}
	}
}

func TestFailuresSayWhatToDoAndAreNotTriedAgainBehindOurBack(t *testing.T) {
	refused := func(details string) string {
		return `{"error":{"code":1,"message":"words about it","status":"X","details":[` + details + `]}}`
	}
	for _, tt := range []struct {
		name   string
		status int
		header map[string]string
		body   string
		kind   llm.Kind
		after  time.Duration
	}{
		{"wrong key", 400, nil, refused(`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}`), llm.KindAuth, 0},
		{"wrong key in a list", 400, nil, "[" + refused(`{"reason":"API_KEY_INVALID"}`) + "\n]\n", llm.KindAuth, 0},
		{"not allowed", 403, nil, refused(``), llm.KindAuth, 0},
		{"unknown model", 404, nil, refused(``), llm.KindAuth, 0},
		{"quota", 429, nil, refused(`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}`), llm.KindRateLimit, 34500 * time.Millisecond},
		{"quota with a header", 429, map[string]string{"Retry-After": "9"}, refused(`{"retryDelay":"34s"}`), llm.KindRateLimit, 9 * time.Second},
		{"overloaded", 503, nil, refused(``), llm.KindTemporary, 0},
		{"broken", 500, nil, refused(``), llm.KindTemporary, 0},
		{"bad request", 400, nil, refused(``), llm.KindRequest, 0},
		{"blocked prompt", 200, nil, `{"promptFeedback":{"blockReason":"SAFETY"}}`, llm.KindRequest, 0},
		{"blocked answer", 200, nil, `{"candidates":[{"finishReason":"SAFETY"}]}`, llm.KindRequest, 0},
		{"no candidates", 200, nil, `{}`, llm.KindAnswer, 0},
		{"no JSON", 200, nil, `<html>`, llm.KindAnswer, 0},
		{"broken observations", 200, nil, answer(`{"observations":[{"title":"half`), llm.KindAnswer, 0},
	} {
		c, got := serve(t, tt.status, tt.header, tt.body)
		_, err := c.Compress(t.Context(), batch)
		var e *llm.Error
		if !errors.As(err, &e) || e.Provider != "gemini" || e.Kind != tt.kind || e.RetryAfter != tt.after {
			t.Errorf("%s: %#v", tt.name, err)
			continue
		}
		if tt.status != 200 && (e.Status != tt.status || !strings.Contains(err.Error(), "words about it")) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got.n != 1 {
			t.Errorf("%s: %d calls", tt.name, got.n)
		}
	}
}

func TestABrokenConnectionIsTemporary(t *testing.T) {
	c, _ := serve(t, 200, map[string]string{"Content-Length": "5000"}, `{"candidates":`)
	if _, err := c.Compress(t.Context(), batch); llm.KindOf(err) != llm.KindTemporary || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("cut off: %v", err)
	}
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	c, err := New(Options{APIKey: "AIza-test", Model: "m", BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Compress(t.Context(), batch)
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindTemporary || strings.Contains(err.Error(), "AIza") {
		t.Errorf("no server: %v", err)
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
		{Options{Model: "m"}, "gemini.api_key"},
		{Options{APIKey: "k"}, "gemini.model"},
	} {
		if _, err := New(tt.options); llm.KindOf(err) != llm.KindAuth || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%+v: %v", tt.options, err)
		}
	}
}
