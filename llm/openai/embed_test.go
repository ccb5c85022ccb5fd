package openai

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

// vectorServer answers every call for vectors and keeps the last.
func vectorServer(t *testing.T, status int, header map[string]string, body string) (*Vectorizer, *http.Request, *embeddingsRequest) {
	t.Helper()
	var (
		call http.Request
		sent embeddingsRequest
	)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call = *r
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
	v, err := NewVectorizer(Options{APIKey: "sk-test", Model: "nomic-embed-text", BaseURL: server.URL + "/v1/", Header: http.Header{"X-Team": {"platform-7"}}})
	if err != nil {
		t.Fatal(err)
	}
	return v, &call, &sent
}

func TestTextsGetTheirVectorsInOneCallWhateverTheirOrder(t *testing.T) {
	for _, body := range []string{
		`{"object":"list","data":[{"object":"embedding","index":1,"embedding":[3,-4.5e-1]},{"object":"embedding","index":0,"embedding":[1,2]}],"model":"x","usage":{"total_tokens":3}}`,
		`{"data":[{"embedding":[1,2]},{"embedding":[3,-0.45]}]}`,
	} {
		v, call, sent := vectorServer(t, 200, nil, body)
		got, err := v.Vectors(t.Context(), []string{"支付回调", "🛒"}, llm.ForStorage)
		if err != nil || !reflect.DeepEqual(got, [][]float32{{1, 2}, {3, -0.45}}) {
			t.Errorf("%v, %v", got, err)
		}
		if call.Method != "POST" || call.URL.Path != "/v1/embeddings" || call.Header.Get("Authorization") != "Bearer sk-test" || call.Header.Get("X-Team") != "platform-7" {
			t.Errorf("called %s %s %v", call.Method, call.URL, call.Header)
		}
		if sent.Model != "nomic-embed-text" || !reflect.DeepEqual(sent.Input, []string{"支付回调", "🛒"}) {
			t.Errorf("sent %+v", sent)
		}
		if v.Name() != "openai/nomic-embed-text" {
			t.Errorf("it is called %s", v.Name())
		}
	}
}

func TestFailuresOfTheEmbeddingsAPIAreToldApart(t *testing.T) {
	const refused = `{"error":{"message":"sk-test for platform-7: words about it"}}`
	for name, tt := range map[string]struct {
		status int
		header map[string]string
		body   string
		kind   llm.Kind
		after  time.Duration
	}{
		"wrong key":             {401, nil, refused, llm.KindAuth, 0},
		"unknown model":         {404, nil, refused, llm.KindAuth, 0},
		"another address":       {302, map[string]string{"Location": "https://example.com/"}, refused, llm.KindAuth, 0},
		"rate limit":            {429, map[string]string{"Retry-After": "20"}, refused, llm.KindRateLimit, 20 * time.Second},
		"no quota":              {429, nil, refused, llm.KindRateLimit, 0},
		"too long":              {400, nil, refused, llm.KindRequest, 0},
		"too large":             {413, nil, refused, llm.KindRequest, 0},
		"broken":                {500, nil, refused, llm.KindTemporary, 0},
		"no JSON":               {200, nil, "<html>", llm.KindAnswer, 0},
		"nothing":               {200, nil, "{}", llm.KindAnswer, 0},
		"too few":               {200, nil, `{"data":[{"index":0,"embedding":[1]}]}`, llm.KindAnswer, 0},
		"one twice":             {200, nil, `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`, llm.KindAnswer, 0},
		"an index out of range": {200, nil, `{"data":[{"index":0,"embedding":[1]},{"index":7,"embedding":[1]}]}`, llm.KindAnswer, 0},
		"no number":             {200, nil, `{"data":[{"index":0,"embedding":[null]},{"index":1,"embedding":[1]}]}`, llm.KindAnswer, 0},
		"not a number":          {200, nil, `{"data":[{"index":0,"embedding":[NaN]},{"index":1,"embedding":[1]}]}`, llm.KindAnswer, 0},
		"no vector":             {200, nil, `{"data":[{"index":0,"embedding":null},{"index":1,"embedding":[1]}]}`, llm.KindAnswer, 0},
		"base64":                {200, nil, `{"data":[{"index":0,"embedding":"AACAPw=="},{"index":1,"embedding":"AACAPw=="}]}`, llm.KindAnswer, 0},
		"endless":               {200, nil, `{"data":[{"index":0,"embedding":[` + strings.Repeat("0.123456,", 1<<20) + `1]}]}`, llm.KindAnswer, 0},
	} {
		v, _, _ := vectorServer(t, tt.status, tt.header, tt.body)
		got, err := v.Vectors(t.Context(), []string{"a", "b"}, llm.ForSearch)
		var e *llm.Error
		if !errors.As(err, &e) || e.Provider != "openai" || e.Kind != tt.kind || e.RetryAfter != tt.after || got != nil {
			t.Errorf("%s: %v, %#v", name, got, err)
			continue
		}
		if said := err.Error(); strings.Contains(said, "sk-test") || strings.Contains(said, "platform-7") || tt.status != 200 && !strings.Contains(said, "words about it") {
			t.Errorf("%s: %s", name, said)
		}
	}
}

func TestAServerThatIsNotThereIsATemporaryFailure(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	v, err := NewVectorizer(Options{Model: "m", BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Vectors(t.Context(), []string{"a"}, llm.ForStorage); llm.KindOf(err) != llm.KindTemporary {
		t.Errorf("%v", err)
	}
}

func TestALocalServerOfVectorsNeedsNoKey(t *testing.T) {
	v, call, _ := vectorServer(t, 200, nil, `{"data":[{"index":0,"embedding":[1]}]}`)
	v.key = ""
	if _, err := v.Vectors(t.Context(), []string{"a"}, llm.ForStorage); err != nil || call.Header.Get("Authorization") != "" {
		t.Errorf("%v, sent %v", err, call.Header)
	}
	for _, tt := range []struct {
		options Options
		says    string
	}{
		{Options{Model: "m"}, "openai.api_key"}, {Options{APIKey: "k"}, "openai.embedding_model"}, {Options{BaseURL: "http://127.0.0.1:11434/v1"}, "openai.embedding_model"},
	} {
		if _, err := NewVectorizer(tt.options); llm.KindOf(err) != llm.KindAuth || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%+v: %v", tt.options, err)
		}
	}
}

func TestHeadersAreReadAsAPersonWritesThem(t *testing.T) {
	got, err := ParseHeaders(" x-team: platform 7 ;; HTTP-Referer:https://cmem.example/a?b=1; x-team: two")
	want := http.Header{"X-Team": {"platform 7", "two"}, "Http-Referer": {"https://cmem.example/a?b=1"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for _, text := range []string{"no colon", ": value", "name:", "na me: v", "名: v", "a: b\r\nc: d", "Host: x", "content-type: x", "a: \x00"} {
		if got, err := ParseHeaders(text); err == nil || llm.KindOf(err) != llm.KindAuth || strings.Contains(err.Error(), "\x00") {
			t.Errorf("%q was read as %v (%v)", text, got, err)
		}
	}
}
