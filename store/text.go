package store

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"cmem/memory"
)

// timeLayout is how times stand in the created_at columns: UTC, milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z"

func isoTime(t time.Time) string { return t.UTC().Format(timeLayout) }

// fromEpoch is the time of a created_at_epoch column; 0 is the zero time.
func fromEpoch(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// clean makes s fit to be stored as text: valid UTF-8 without NUL, at which
// SQLite's own functions stop, and without the two runes that mark a match.
func clean(s string) string {
	if utf8.ValidString(s) && !strings.ContainsAny(s, "\x00"+string(memory.MatchStart)+string(memory.MatchEnd)) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch r {
		case 0, memory.MatchStart, memory.MatchEnd:
			return utf8.RuneError
		}
		return r // an invalid byte arrives as utf8.RuneError
	}, s)
}

// oneLine folds white space into single spaces and cuts s to at most limit runes.
func oneLine(s string, limit int) string {
	var b strings.Builder
	n := 0
	for word := range strings.FieldsSeq(s) {
		if b.Len() > 0 {
			b.WriteByte(' ')
			n++
		}
		for _, r := range word {
			if n >= limit {
				return strings.TrimSpace(b.String()) + "…"
			}
			b.WriteRune(r)
			n++
		}
	}
	return b.String()
}

// encodeList writes a list as a JSON array. Each entry becomes one line, so that
// no escape sequence of JSON is glued to a word of the search index; empty
// entries are dropped.
func encodeList(list []string) string {
	kept := make([]string, 0, len(list))
	for _, s := range list {
		if s = strings.Join(strings.Fields(clean(s)), " "); s != "" {
			kept = append(kept, s)
		}
	}
	return encodeJSON(kept)
}

func encodeJSON(list []string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // for the eye of a person and the search index alike
	if err := enc.Encode(list); err != nil {
		panic("store: a list of strings does not encode: " + err.Error()) // cannot happen
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// decodeList reads a list column. People edit the file by hand: what is not a
// JSON array of strings counts as a single entry.
func decodeList(s string) []string {
	if s == "" || s == "[]" {
		return nil
	}
	var list []string
	if err := json.Unmarshal([]byte(s), &list); err != nil {
		return []string{s}
	}
	return list
}
