package recall

import (
	"slices"
	"strings"
	"unicode"
)

// maxLeftOut bounds how many words are left out in turn.
const maxLeftOut = 6

// splitWords cuts a search text at spaces outside of double quotes; a quoted
// phrase is one word, with its quotes. A quote that is not closed is no quote.
func splitWords(text string) []string {
	var words []string
	for text != "" {
		before, rest, found := strings.Cut(text, `"`)
		phrase, after, closed := strings.Cut(rest, `"`)
		if !found || !closed {
			break
		}
		words = append(words, strings.Fields(before)...)
		if strings.TrimSpace(phrase) != "" {
			words = append(words, `"`+phrase+`"`)
		}
		text = after
	}
	return append(words, strings.Fields(text)...)
}

// withoutOne gives the text without one of its words, for each of the first.
func withoutOne(text string) []string {
	words := splitWords(text)
	if len(words) < 2 {
		return nil
	}
	var out []string
	for i := range words[:min(len(words), maxLeftOut)] {
		// The space says that the last word is not being typed any more.
		out = append(out, strings.Join(slices.Delete(slices.Clone(words), i, i+1), " ")+" ")
	}
	return out
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}
