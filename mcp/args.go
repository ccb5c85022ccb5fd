package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"cmem/memory"
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
		return nil, errors.New(`the parameters must be one JSON object, like {"query": "retry"}`)
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
		return "", fmt.Errorf("%s must be a text, not %s", name, kind(raw))
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
		return nil, fmt.Errorf("%s must be a list, not %s", name, kind(raw))
	}
	var out []string
	for _, v := range values {
		s, ok := scalar(v)
		if !ok {
			return nil, fmt.Errorf("%s must hold texts or numbers, not %s", name, kind(v))
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
		return 0, fmt.Errorf("%s must be a number, not %s", name, shown(raw))
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
			return time.Time{}, fmt.Errorf("%s must be a date like 2026-11-30 or 2026-11-30T08:00:00Z, not %s", name, kind(raw))
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
	return time.Time{}, fmt.Errorf("%s must be a date like 2026-11-30 or 2026-11-30T08:00:00Z, not %s", name, shown(raw))
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

// ref is an id as an index shows it: #12 an observation, P3 a prompt, S4 a summary.
type ref struct {
	kind memory.ItemKind
	id   int64
}

func (r ref) String() string { return label(r.kind, r.id) }

func label(k memory.ItemKind, id int64) string {
	switch k {
	case memory.KindPrompt:
		return "P" + strconv.FormatInt(id, 10)
	case memory.KindSummary:
		return "S" + strconv.FormatInt(id, 10)
	default:
		return "#" + strconv.FormatInt(id, 10)
	}
}

// parseRef reads "#12", "12", "12.0", "P3", "#S4".
func parseRef(s string) (ref, error) {
	r := ref{kind: memory.KindObservation}
	digits := strings.TrimPrefix(strings.TrimSpace(s), "#")
	if digits != "" {
		switch digits[0] {
		case 'P', 'p':
			r.kind, digits = memory.KindPrompt, digits[1:]
		case 'S', 's':
			r.kind, digits = memory.KindSummary, digits[1:]
		}
	}
	id, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimPrefix(digits, "#"), ".0"), 10, 64)
	if err != nil || id < 1 {
		return r, fmt.Errorf("%q is not an id like #12, P3 or S4", shorten(oneLine(s), 60))
	}
	r.id = id
	return r, nil
}

// filter reads the parameters that narrow a list.
func (t *tools) filter(ctx context.Context, a args) (memory.Filter, error) {
	var f memory.Filter
	var err error
	lists := []struct {
		to    *[]string
		names []string
	}{
		{&f.Types, []string{"type", "types", "obs_type"}},
		{&f.Concepts, []string{"concept", "concepts"}},
		{&f.Files, []string{"file", "files", "path"}},
		{&f.Tags, []string{"tag", "tags"}},
	}
	for _, l := range lists {
		if *l.to, err = a.list(l.names...); err != nil {
			return f, err
		}
	}
	if f.After, err = a.moment("after", "since", "dateStart"); err != nil {
		return f, err
	}
	if f.Before, err = a.moment("before", "until", "dateEnd"); err != nil {
		return f, err
	}
	if f.SessionID, err = a.text("session", "session_id"); err != nil {
		return f, err
	}
	f.Project, err = t.projectKey(ctx, a)
	return f, err
}

// projectKey reads the parameter project: nothing for the current one, "*" for
// all, a key, or the short name when only one project has it.
func (t *tools) projectKey(ctx context.Context, a args) (string, error) {
	named, err := a.text("project")
	switch {
	case err != nil:
		return "", err
	case named == "":
		return t.project, nil
	case named == "*" || strings.EqualFold(named, "all"):
		return "", nil
	case named == t.project:
		return named, nil
	}
	projects, err := t.src.Projects(ctx)
	if err != nil {
		return "", fmt.Errorf("list the projects: %w", err)
	}
	var found, names []string
	for _, p := range projects {
		if p.Key == named {
			return named, nil
		}
		name := shortName(p.Key)
		if strings.EqualFold(name, named) {
			found = append(found, p.Key)
		}
		names = append(names, name)
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		if len(names) == 0 {
			return "", fmt.Errorf("there is no project %q", named)
		}
		return "", fmt.Errorf("there is no project %q; there are: %s", named, shorten(strings.Join(names, ", "), 400))
	}
	return "", fmt.Errorf("several projects are called %q: %s", named, strings.Join(found, ", "))
}

// shortName gives a project's name for a reader: the last part of its key.
func shortName(key string) string {
	trimmed := strings.TrimRight(key, `/\`)
	return trimmed[strings.LastIndexAny(trimmed, `/\`)+1:]
}
