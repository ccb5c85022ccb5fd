package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// DefaultTimeout is how long a call may take when the person set nothing; a
// local model on a small machine is slow.
const DefaultTimeout = 2 * time.Minute

const (
	maxAnswerBytes  = 8 << 20
	maxRefusalBytes = 64 << 10
)

// Client gives the HTTP client for a provider: base, or a new one, that does
// not follow redirects, since a key in a header would go with them. A timeout
// of 0 means DefaultTimeout; that of a given base stays.
func Client(base *http.Client, timeout time.Duration) *http.Client {
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	c := http.Client{Timeout: timeout}
	if base != nil {
		c = *base
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// Post sends in as JSON and reads the answer's JSON into out. Every error is an
// *Error of the named provider, and secret never stands in one.
func Post(ctx context.Context, c *http.Client, provider, secret, url string, header http.Header, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return &Error{Provider: provider, Kind: KindRequest, Err: fmt.Errorf("write the request: %w", err)}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return &Error{Provider: provider, Kind: KindAuth, Err: fmt.Errorf("base URL: %w", err)}
	}
	req.Header = header.Clone()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	resp, err := c.Do(req)
	if err != nil {
		return &Error{Provider: provider, Kind: KindTemporary, Err: err}
	}
	defer resp.Body.Close() //nolint:errcheck // only read from
	if resp.StatusCode/100 != 2 {
		return StatusError(provider, secret, resp)
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes))
	if err != nil {
		return &Error{Provider: provider, Kind: KindTemporary, Err: fmt.Errorf("read the answer: %w", err)}
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return &Error{Provider: provider, Kind: KindAnswer, Err: fmt.Errorf("read the answer: %w", err)}
	}
	return nil
}

// StatusError classifies an answer whose status is not 2xx by its status
// alone, and takes the provider's words about it from the body.
func StatusError(provider, secret string, resp *http.Response) *Error {
	e := &Error{Provider: provider, Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header)}
	switch s := resp.StatusCode; {
	case s == http.StatusUnauthorized, s == http.StatusForbidden, s == http.StatusPaymentRequired:
		e.Kind = KindAuth
	case s == http.StatusNotFound, s/100 == 3: // no such model or address: for the person to mend, not this input's fault
		e.Kind = KindAuth
	case s == http.StatusTooManyRequests:
		e.Kind = KindRateLimit
	case s == http.StatusRequestTimeout, s == http.StatusConflict, s == http.StatusTooEarly, s >= 500:
		e.Kind = KindTemporary
	default:
		e.Kind = KindRequest
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxRefusalBytes))
	if err != nil {
		body = nil // the status says enough
	}
	said := refusal(body)
	if secret != "" {
		said = strings.ReplaceAll(said, secret, "[key]")
	}
	if said == "" {
		said = http.StatusText(resp.StatusCode)
	}
	e.Err = errors.New(said)
	return e
}

// refusal finds the sentence in an error answer: {"error":{"message":…}} or
// {"error":"…"} or {"message":…}, also in a list; else the beginning of the body.
func refusal(body []byte) string {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var e struct {
		Error   json.RawMessage `json:"error"`
		Message text            `json:"message"`
	}
	if json.Unmarshal(body, &e) == nil {
		var inner struct {
			Message text `json:"message"`
		}
		var words text
		switch {
		case json.Unmarshal(e.Error, &inner) == nil && inner.Message != "":
			return line(string(inner.Message), 300)
		case json.Unmarshal(e.Error, &words) == nil && words != "":
			return line(string(words), 300)
		case e.Message != "":
			return line(string(e.Message), 300)
		}
	}
	return line(string(body), 300)
}

// retryAfter reads the pause that a provider asks for; 0 when it asks for none.
// A date is measured against the answer's own Date, so that a wrong clock here
// does no harm.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return pause(ms / 1000)
	}
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		return pause(s)
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return pause(at.Sub(now).Seconds())
}

// pause keeps a wait between nothing and a day.
func pause(seconds float64) time.Duration {
	const day = 24 * 60 * 60
	if !(seconds > 0) { // also NaN
		return 0
	}
	return time.Duration(min(seconds, day) * float64(time.Second))
}
