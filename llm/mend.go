package llm

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// jsonIn gives the JSON of an answer: without the thoughts, code fences and
// prose around it, and with the faults mended that models make in strings.
// Empty means that there is none.
func jsonIn(answer string) string {
	if i := strings.LastIndex(answer, "</think>"); i >= 0 {
		answer = answer[i+len("</think>"):]
	}
	start := strings.IndexAny(answer, "{[")
	for start >= 0 && !looksLikeJSON(answer[start:]) {
		next := strings.IndexAny(answer[start+1:], "{[")
		if next < 0 {
			return ""
		}
		start += 1 + next
	}
	if start < 0 {
		return ""
	}
	body := mend(answer[start:])
	var whole json.RawMessage
	if json.NewDecoder(strings.NewReader(body)).Decode(&whole) != nil {
		return body // cut off or broken: the reader takes what is whole
	}
	return string(whole)
}

// looksLikeJSON tells an object or a list from a bracket in prose.
func looksLikeJSON(s string) bool {
	rest := strings.TrimLeft(s[1:], " \t\r\n")
	if rest == "" {
		return false
	}
	if s[0] == '{' {
		return rest[0] == '"' || rest[0] == '}'
	}
	return rest[0] == '{' || rest[0] == ']'
}

// mend escapes what may not stand in a JSON string: line ends and other
// control characters, and backslashes before a letter that is no escape
// (`C:\Users`, `\d+`).
func mend(s string) string {
	var w strings.Builder
	w.Grow(len(s))
	inside := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"':
			inside = !inside
		case !inside:
		case c < 0x20:
			fmt.Fprintf(&w, `\u%04x`, c)
			continue
		case c == '\\' && i+1 < len(s):
			i++
			w.WriteByte('\\')
			if !isEscape(s[i:]) {
				w.WriteByte('\\')
				i--
				continue
			}
			c = s[i]
		}
		w.WriteByte(c)
	}
	return w.String()
}

// isEscape reports whether s, which follows a backslash, goes on as JSON allows.
func isEscape(s string) bool {
	if s[0] != 'u' {
		return strings.IndexByte(`"\/bfnrt`, s[0]) >= 0
	}
	if len(s) < 5 {
		return false
	}
	for _, c := range s[1:5] {
		if !unicode.Is(unicode.ASCII_Hex_Digit, c) {
			return false
		}
	}
	return true
}
