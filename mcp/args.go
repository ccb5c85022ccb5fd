package mcp

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// args are the parameters of a call. Models send numbers as strings, lists as
// text and names in the plural; all of it is understood, and what is not known
// is ignored.
type args map[string]json.RawMessage

func readArgs(raw json.RawMessage) (args, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return args{}, nil
	}
	var a args
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, mistake(`the parameters must be one JSON object, like {"query": "retry"}`)
	}
	return a, nil
}

// find gives the first of the names that is there with a value.
func (a args) find(names ...string) (name string, raw json.RawMessage) {
	for _, n := range names {
		if v, ok := a[n]; ok && string(v) != "null" && string(v) != `""` {
			return n, v
		}
	}
	return names[0], nil
}

// text gives a string; a number or a truth value as it was written.
func (a args) text(names ...string) (string, error) {
	name, raw := a.find(names...)
	if raw == nil {
		return "", nil
	}
	s, ok := scalar(raw)
	if !ok {
		return "", mistakef("%s must be a text, not %s", name, kind(raw))
	}
	return strings.TrimSpace(s), nil
}

// list gives strings from a list, a text with commas, or a list written as text.
func (a args) list(names ...string) ([]string, error) {
	name, raw := a.find(names...)
	if raw == nil {
		return nil, nil
	}
	if s, ok := scalar(raw); ok {
		s = strings.TrimSpace(s)
		if !strings.HasPrefix(s, "[") || !json.Valid([]byte(s)) {
			return fields(s), nil
		}
		raw = json.RawMessage(s)
	}
	var values []json.RawMessage
	if json.Unmarshal(raw, &values) != nil {
		return nil, mistakef("%s must be a list, not %s", name, kind(raw))
	}
	var out []string
	for _, v := range values {
		s, ok := scalar(v)
		if !ok {
			return nil, mistakef("%s must hold texts or numbers, not %s", name, kind(v))
		}
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out, nil
}

func fields(s string) []string {
	var out []string
	for _, f := range strings.Split(s, ",") {
		if f = strings.TrimSpace(f); f != "" {
			out = append(out, f)
		}
	}
	return out
}

// number gives a whole number between least and most, absent when there is none.
func (a args) number(absent, least, most int, names ...string) (int, error) {
	name, raw := a.find(names...)
	if raw == nil {
		return absent, nil
	}
	s, _ := scalar(raw)
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(f) {
		return 0, mistakef("%s must be a number, not %s", name, shown(raw))
	}
	return int(min(max(f, float64(least)), float64(most))), nil
}

// yes reports whether a switch is on.
func (a args) yes(names ...string) bool {
	_, raw := a.find(names...)
	s, _ := scalar(raw)
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "1", "yes", "on":
		return true
	}
	return false
}

// moment gives a time: a date (its beginning), a date and time, or
// milliseconds since 1970; all UTC unless an offset is given.
func (a args) moment(names ...string) (time.Time, error) {
	name, raw := a.find(names...)
	s, _ := scalar(raw)
	if s = strings.TrimSpace(s); s == "" {
		if raw != nil && string(raw) != `""` {
			return time.Time{}, mistakef("%s must be a date like 2026-11-30 or 2026-11-30T08:00:00Z, not %s", name, kind(raw))
		}
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339, "2006-01-02T15:04:05", time.DateTime, "2006-01-02T15:04", "2006-01-02 15:04"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	if ms, err := strconv.ParseInt(s, 10, 64); err == nil && len(s) >= 12 {
		return time.UnixMilli(ms).UTC(), nil
	}
	return time.Time{}, mistakef("%s must be a date like 2026-11-30 or 2026-11-30T08:00:00Z, not %s", name, shown(raw))
}

// scalar gives a string, number or truth value as text.
func scalar(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 {
		return "", false
	}
	switch raw[0] {
	case '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err == nil
	case '{', '[', 'n':
		return "", false
	}
	return string(raw), true
}

func kind(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case 'n':
		return "null"
	}
	return shown(raw)
}

func shown(raw json.RawMessage) string { return shorten(oneLine(string(raw)), 60) }
