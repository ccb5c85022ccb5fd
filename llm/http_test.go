package llm

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestAStatusSaysWhatToDo(t *testing.T) {
	for _, tt := range []struct {
		status int
		body   string
		kind   Kind
		says   string
	}{
		{400, `{"error":{"message":"prompt is too long"}}`, KindRequest, "prompt is too long"},
		{413, `{"error":"too large"}`, KindRequest, "too large"},
		{401, `{"error":{"message":"bad key sk-secret-1"}}`, KindAuth, "bad key [key]"},
		{402, `{"message":"pay first"}`, KindAuth, "pay first"},
		{403, ``, KindAuth, "Forbidden"},
		{404, `[{"error":{"message":"no such model"}}]`, KindAuth, "no such model"},
		{307, ``, KindAuth, "Temporary Redirect"},
		{408, ``, KindTemporary, "Request Timeout"},
		{429, `{"error":{"message":"slow down"}}`, KindRateLimit, "slow down"},
		{500, `<html>oops\x1b[2J</html>`, KindTemporary, "<html>"},
		{529, `{"error":{"message":"Overloaded\n\u001b[2J"}}`, KindTemporary, "Overloaded"},
	} {
		resp := &http.Response{StatusCode: tt.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(tt.body))}
		err := StatusError("claude", "sk-secret-1", resp)
		if KindOf(err) != tt.kind || err.Status != tt.status || !strings.Contains(err.Error(), tt.says) || strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%d: kind %d, %v", tt.status, err.Kind, err)
		}
		if strings.Contains(err.Error(), "sk-secret-1") {
			t.Errorf("%d tells the key: %v", tt.status, err)
		}
	}
}

func TestThePauseThatAProviderAsksForIsKept(t *testing.T) {
	for _, tt := range []struct {
		header map[string]string
		want   time.Duration
	}{
		{nil, 0},
		{map[string]string{"Retry-After": "7"}, 7 * time.Second},
		{map[string]string{"Retry-After": "0.5"}, 500 * time.Millisecond},
		{map[string]string{"Retry-After": "-3"}, 0},
		{map[string]string{"Retry-After": "NaN"}, 0},
		{map[string]string{"Retry-After": "1e30"}, 24 * time.Hour},
		{map[string]string{"Retry-After": "soon"}, 0},
		{map[string]string{"Retry-After": "7", "Retry-After-Ms": "1500"}, 1500 * time.Millisecond},
		{map[string]string{"Retry-After": "Mon, 30 Nov 2026 08:01:30 GMT", "Date": "Mon, 30 Nov 2026 08:00:00 GMT"}, 90 * time.Second},
		{map[string]string{"Retry-After": "Mon, 30 Nov 2026 08:00:00 GMT", "Date": "Mon, 30 Nov 2026 09:00:00 GMT"}, 0},
	} {
		h := http.Header{}
		for k, v := range tt.header {
			h.Set(k, v)
		}
		if got := retryAfter(h); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.header, got, tt.want)
		}
	}
}

func TestAKeyDoesNotFollowARedirect(t *testing.T) {
	var stolen bool
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { stolen = true }))
	defer thief.Close()
	server := httptest.NewServer(http.RedirectHandler(thief.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	err := Post(t.Context(), Client(server.Client(), 0), "claude", "k", server.URL, http.Header{"X-Api-Key": {"k"}}, struct{}{}, new(struct{}))
	if stolen || KindOf(err) != KindAuth {
		t.Errorf("stolen=%v, %v", stolen, err)
	}
}

func TestBrokenConnectionsAndAnswersAreTold(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/cut":
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"a":`)
		case "/html":
			_, _ = io.WriteString(w, `<html>a proxy's page</html>`)
		}
	}))
	post := func(url string) error {
		return Post(t.Context(), Client(nil, 0), "claude", "", url, http.Header{}, struct{}{}, new(struct{}))
	}
	if err := post(server.URL + "/cut"); KindOf(err) != KindTemporary || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a cut connection: %v", err)
	}
	if err := post(server.URL + "/html"); KindOf(err) != KindAnswer {
		t.Errorf("a page: %v", err)
	}
	server.Close()
	var e *Error
	if err := post(server.URL); !errors.As(err, &e) || e.Kind != KindTemporary || e.Status != 0 {
		t.Errorf("no server: %v", err)
	}
	if err := post("http://[bad"); KindOf(err) != KindAuth {
		t.Errorf("a bad base URL: %v", err)
	}
}

func TestTokensAreCountedForAnAnswerThatCannotBeRead(t *testing.T) {
	ask := func(context.Context, Prompt) (Answer, error) {
		return Answer{Text: `{"observations":[{"title":"half`, Model: "m", Tokens: 42}, nil
	}
	r, err := CompressWith(t.Context(), "claude", ask, batch())
	if KindOf(err) != KindAnswer || r.TokensSpent != 42 || r.Model != "m" {
		t.Errorf("%+v, %v", r, err)
	}
	_, r, err = SummarizeWith(t.Context(), "claude", func(context.Context, Prompt) (Answer, error) {
		return Answer{Text: `{"summary":{"request":"half`, Tokens: 7}, nil
	}, story())
	if KindOf(err) != KindAnswer || r.TokensSpent != 7 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestNoCallIsMadeForNothing(t *testing.T) {
	ask := func(context.Context, Prompt) (Answer, error) {
		t.Error("asked")
		return Answer{}, nil
	}
	if r, err := CompressWith(t.Context(), "claude", ask, Batch{}); err != nil || r.Observations != nil {
		t.Errorf("%+v, %v", r, err)
	}
	if _, _, err := SummarizeWith(t.Context(), "claude", ask, Story{}); err != nil {
		t.Error(err)
	}
}
