package tui

import (
	"strings"

	"cmem/themes"
)

// lit splits text into spans in which the words are lit.
func lit(text string, role themes.Role, words []string) []span {
	if len(words) == 0 {
		return []span{{role, text}}
	}
	lower := strings.ToLower(text)
	if len(lower) != len(text) { // a rare letter whose small form has another length
		lower = text
	}
	var out []span
	from := 0
	for i := 0; i < len(lower); {
		n := longestAt(lower[i:], words)
		if n == 0 {
			i++
			continue
		}
		if i > from {
			out = append(out, span{role, text[from:i]})
		}
		out = append(out, span{themes.Match, text[i : i+n]})
		i += n
		from = i
	}
	if from < len(text) || out == nil {
		out = append(out, span{role, text[from:]})
	}
	return out
}

func longestAt(s string, words []string) int {
	n := 0
	for _, w := range words {
		if len(w) > n && strings.HasPrefix(s, w) {
			n = len(w)
		}
	}
	return n
}

// litWords gives the words of a search that are to be lit, in small letters.
func litWords(text string) []string {
	var out []string
	for _, w := range splitWords(strings.ToLower(text)) {
		if w = strings.Trim(w, `"*`); w != "" {
			out = append(out, w)
		}
	}
	return out
}
