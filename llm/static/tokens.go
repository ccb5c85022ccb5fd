package static

import (
	"strings"
	"unicode"
)

const (
	shortest = 2  // bytes of a word
	longest  = 30 // likewise
)

// tokens cuts a text into what the table has rows for: the parts of names and words
// in small letters, and pairs of Chinese characters. It must do so as it was done
// with the text that the table was made from.
func Tokens(text string) []string {
	var out []string
	var latin, han []rune
	endLatin := func() {
		for _, p := range parts(latin) {
			if len(p) >= shortest && len(p) <= longest && strings.ContainsFunc(p, func(r rune) bool { return r < '0' || r > '9' }) {
				out = append(out, p)
			}
		}
		latin = latin[:0]
	}
	endHan := func() {
		if len(han) == 1 {
			out = append(out, string(han))
		}
		for i := 0; i+1 < len(han); i++ {
			out = append(out, string(han[i:i+2]))
		}
		han = han[:0]
	}
	for _, r := range text {
		if r >= 0xFF01 && r <= 0xFF5E { // full-width letters
			r -= 0xFEE0
		}
		switch {
		case unicode.Is(unicode.Han, r):
			endLatin()
			han = append(han, r)
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
			endHan()
			latin = append(latin, r)
		default:
			endLatin()
			endHan()
		}
	}
	endLatin()
	endHan()
	return out
}

// parts cuts parseHTTPRequest2 and parse_http_request_2 into parse, http, request
// and 2.
func parts(name []rune) []string {
	var out []string
	start := 0
	for i := 1; i <= len(name); i++ {
		if i < len(name) && !isBorder(name, i) {
			continue
		}
		if p := strings.Trim(string(name[start:i]), "_"); p != "" {
			out = append(out, strings.ToLower(p))
		}
		start = i
	}
	return out
}

// isBorder reports whether a part of a name begins at name[i], i > 0.
func isBorder(name []rune, i int) bool {
	switch before, here := name[i-1], name[i]; {
	case here == '_', before == '_', unicode.IsDigit(before) != unicode.IsDigit(here):
		return true
	case !unicode.IsUpper(here):
		return false
	case unicode.IsLower(before):
		return true
	default:
		return unicode.IsUpper(before) && i+1 < len(name) && unicode.IsLower(name[i+1])
	}
}

// isStop reports whether a word says nothing about what a text is about.
func IsStop(word string) bool {
	switch word {
	case "a", "an", "the", "of", "to", "in", "on", "at", "for", "by", "is", "are", "was", "were", "be", "been", "do", "does", "did",
		"how", "why", "what", "which", "who", "when", "where", "it", "its", "this", "that", "these", "those", "with", "from", "as",
		"and", "or", "not", "no", "we", "our", "us", "you", "your", "my", "me", "they", "them", "their", "he", "she", "his", "her",
		"has", "have", "had", "will", "would", "can", "could", "should", "into", "than", "then", "there", "so", "if", "but", "about",
		"after", "before", "during":
		return true
	}
	return false
}
