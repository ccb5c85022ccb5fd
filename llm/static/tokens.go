package static

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	shortest = 2  // bytes of a word
	longest  = 30 // likewise
)

// Tokens cuts a text into what the table has rows for: the parts of names and words
// in small letters, and pairs of Chinese characters. It must do so as it was done
// with the text that the table was made from.
func Tokens(text string) []string { return slices.Collect(TokenSeq(text)) }

// TokenSeq gives the tokens one by one.
func TokenSeq(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		text := narrow(text)
		for at := 0; at < len(text); {
			end, k := at, kindAt(text, at)
			for end < len(text) && kindAt(text, end) == k {
				end += sizeAt(text, end)
			}
			if k == han && !eachPair(text[at:end], yield) || k == latin && !eachPart(text[at:end], yield) {
				return
			}
			at = end
		}
	}
}

// narrow gives a text with full-width letters as ordinary ones.
func narrow(text string) string {
	if !strings.Contains(text, "\xef\xbc") && !strings.Contains(text, "\xef\xbd") { // as these begin
		return text
	}
	return strings.Map(func(r rune) rune {
		if r >= 0xFF01 && r <= 0xFF5E {
			return r - 0xFEE0
		}
		return r
	}, text)
}

// kind says what a character is a part of.
type kind int

const (
	other kind = iota
	latin      // words of letters, digits and _
	han        // Chinese ones
)

func kindAt(text string, at int) kind {
	if b := text[at]; b < utf8.RuneSelf {
		if isWordByte(b) {
			return latin
		}
		return other
	}
	const firstHan = 0x2E80
	switch r, _ := utf8.DecodeRuneInString(text[at:]); {
	case r >= firstHan && unicode.Is(unicode.Han, r):
		return han
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		return latin
	}
	return other
}

func isWordByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_'
}

// sizeAt gives how many bytes a character has.
func sizeAt(text string, at int) int {
	if text[at] < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeRuneInString(text[at:])
	return n
}

// eachPair gives the overlapping pairs of characters, or the only one.
func eachPair(run string, yield func(string) bool) bool {
	first := sizeAt(run, 0)
	if first == len(run) {
		return yield(run)
	}
	for at := 0; at+first < len(run); {
		second := sizeAt(run, at+first)
		if !yield(run[at : at+first+second]) {
			return false
		}
		at, first = at+first, second
	}
	return true
}

// eachPart cuts parseHTTPRequest2 and parse_http_request_2 into parse, http and
// request; a part that is but a number says nothing.
func eachPart(name string, yield func(string) bool) bool {
	part := func(p string) bool {
		p = strings.ToLower(strings.Trim(p, "_"))
		if len(p) < shortest || len(p) > longest || !strings.ContainsFunc(p, func(r rune) bool { return r < '0' || r > '9' }) {
			return true
		}
		return yield(p)
	}
	start := 0
	before, n := utf8.DecodeRuneInString(name)
	for at := n; at < len(name); {
		here, n := utf8.DecodeRuneInString(name[at:])
		if isBorder(before, here, name[at+n:]) {
			if !part(name[start:at]) {
				return false
			}
			start = at
		}
		before, at = here, at+n
	}
	return part(name[start:])
}

// isBorder reports whether a part of a name begins with here.
func isBorder(before, here rune, rest string) bool {
	switch {
	case here == '_', before == '_', unicode.IsDigit(before) != unicode.IsDigit(here):
		return true
	case !unicode.IsUpper(here):
		return false
	case unicode.IsLower(before):
		return true
	}
	next, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsUpper(before) && unicode.IsLower(next)
}

// IsStop reports whether a word says nothing about what a text is about.
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
