package gemini

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"cmem/llm"
)

const (
	maxAnswerBytes  = 8 << 20
	maxRefusalBytes = 64 << 10
)

// transport puts the key into a header, bounds the answer, and turns a refusal
// into an error at once: the library would try a 503 again for ten minutes,
// and when to try again is for the worker to decide.
type transport struct {
	key  string
	next http.RoundTripper
}

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("X-Goog-Api-Key", t.key)
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode/100 == 2 {
		// Read here, so that a connection that breaks is told from an answer
		// that makes no sense.
		body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes))
		_ = resp.Body.Close() // only read from
		if err != nil {
			return nil, &llm.Error{Provider: provider, Kind: llm.KindTemporary, Err: fmt.Errorf("read the answer: %w", err)}
		}
		resp.Body = io.NopCloser(bytes.NewReader(body))
		return resp, nil
	}
	defer resp.Body.Close() //nolint:errcheck // only read from
	return nil, t.refusal(resp)
}

// refusal classifies an error answer. Beside the status Google gives details:
// a wrong key is a 400 with a reason, the pause of a 429 stands in the body.
func (t *transport) refusal(resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxRefusalBytes))
	if err != nil {
		return &llm.Error{Provider: provider, Kind: llm.KindTemporary, Status: resp.StatusCode, Err: errors.New("the answer broke off")}
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	e := llm.StatusError(provider, t.key, resp)
	var told struct {
		Error struct {
			Details []struct {
				Reason     string `json:"reason"`
				RetryDelay string `json:"retryDelay"`
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(strings.Trim(strings.TrimSpace(string(body)), "[]")), &told) != nil {
		return e
	}
	for _, d := range told.Error.Details {
		if d.Reason == "API_KEY_INVALID" {
			e.Kind = llm.KindAuth
		}
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil && wait > 0 && e.RetryAfter == 0 {
			e.RetryAfter = wait
		}
	}
	return e
}
