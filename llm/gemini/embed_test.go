package gemini

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"cmem/llm"
)

// vectorServer answers every call for vectors with status and body, and keeps the last.
func vectorServer(t *testing.T, status int, body string) (*Vectorizer, *calls) {
	t.Helper()
	var got calls
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got.n++
		got.last = *r
		got.sent, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	v, err := NewVectorizer(Options{APIKey: "AIza-test", Model: "gemini-embedding-001", BaseURL: server.URL + "/"})
	if err != nil {
		t.Fatal(err)
	}
	return v, &got
}

func TestTextsGetTheirVectorsInOneCall(t *testing.T) {
	for use, task := range map[llm.Use]string{llm.ForStorage: "RETRIEVAL_DOCUMENT", llm.ForSearch: "RETRIEVAL_QUERY"} {
		v, got := vectorServer(t, 200, `{"embeddings":[{"values":[1,2]},{"values":[3,-0.45]}]}`)
		vectors, err := v.Vectors(t.Context(), []string{"支付回调", "🛒"}, use)
		if err != nil || !reflect.DeepEqual(vectors, [][]float32{{1, 2}, {3, -0.45}}) {
			t.Errorf("%v, %v", vectors, err)
		}
		if got.n != 1 || got.last.URL.Path != "/v1beta/models/gemini-embedding-001:batchEmbedContents" || got.last.Header.Get("X-Goog-Api-Key") != "AIza-test" || strings.Contains(got.last.URL.String(), "AIza") {
			t.Errorf("called %d times, %s %v", got.n, got.last.URL, got.last.Header)
		}
		var sent struct {
			Requests []struct {
				TaskType json.RawMessage `json:"taskType"`
				Content  struct {
					Parts []struct {
						Text string `json:"text"`
					} `json:"parts"`
				} `json:"content"`
			} `json:"requests"`
		}
		if err := json.Unmarshal(got.sent, &sent); err != nil || len(sent.Requests) != 2 || sent.Requests[1].Content.Parts[0].Text != "🛒" {
			t.Fatalf("sent %s (%v)", got.sent, err)
		}
		// The client writes enums as numbers.
		number := map[string]string{"RETRIEVAL_QUERY": "1", "RETRIEVAL_DOCUMENT": "2"}[task]
		for _, r := range sent.Requests {
			if have := strings.Trim(string(r.TaskType), `"`); have != task && have != number {
				t.Errorf("the task is %s, want %s", have, task)
			}
		}
		if v.Name() != "gemini/gemini-embedding-001" {
			t.Errorf("it is called %s", v.Name())
		}
	}
}

func TestFailuresOfTheEmbeddingModelAreToldApart(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		body   string
		kind   llm.Kind
		after  time.Duration
	}{
		"wrong key":     {400, `{"error":{"code":400,"message":"API key AIza-test not valid","details":[{"reason":"API_KEY_INVALID"}]}}`, llm.KindAuth, 0},
		"unknown model": {404, `{"error":{"code":404,"message":"models/x is not found"}}`, llm.KindAuth, 0},
		"quota":         {429, `{"error":{"code":429,"message":"quota","details":[{"retryDelay":"33s"}]}}`, llm.KindRateLimit, 33 * time.Second},
		"refused":       {400, `{"error":{"code":400,"message":"text is empty"}}`, llm.KindRequest, 0},
		"overloaded":    {503, `{"error":{"code":503,"message":"overloaded"}}`, llm.KindTemporary, 0},
		"no JSON":       {200, `<html>`, llm.KindAnswer, 0},
	} {
		v, got := vectorServer(t, tt.status, tt.body)
		_, err := v.Vectors(t.Context(), []string{"a"}, llm.ForStorage)
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != tt.kind || e.RetryAfter != tt.after || strings.Contains(err.Error(), "AIza-test") {
			t.Errorf("%s: %#v", name, err)
		}
		if got.n != 1 {
			t.Errorf("%s: %d calls", name, got.n)
		}
	}
}

func TestAMissingSettingOfTheEmbeddingModelIsNamed(t *testing.T) {
	for says, o := range map[string]Options{"gemini.api_key": {Model: "m"}, "gemini.embedding_model": {APIKey: "k"}} {
		if _, err := NewVectorizer(o); llm.KindOf(err) != llm.KindAuth || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
