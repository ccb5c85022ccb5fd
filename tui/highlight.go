package tui

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"cmem/memory"
	"cmem/themes"
)

// What is lit is what the search took for a match, as far as text alone can tell:
// whole words and beginnings of words, the parts of identifiers, an identifier in
// its other spellings, runs of a script without spaces wherever they stand. What
// the index knows besides, other forms of a word, it marks in its snippet.

const (
	// shortestLit is how many letters a word must have to be lit at the beginning
	// of a longer one: shorter ones begin half of all words.
	shortestLit = 3
	// shortestRoot is how many letters must be left of a word without its ending.
	shortestRoot = 4
	// maxLit bounds the words that are lit.
	maxLit = 32
)

// litWords gives what is to be lit for a search text, as lit understands it: in
// small letters, without what ties the parts of an identifier together.
func litWords(text string) []string {
	if words := wordsToLight(text, isStop); len(words) > 0 {
		return words
	}
	return wordsToLight(text, func(string) bool { return false }) // then these are looked for
}

func wordsToLight(text string, leftOut func(string) bool) []string {
	var words []string
	add := func(w string) {
		for known := range strings.SplitSeq(w, "\n") {
			if known != "" && len(words) < maxLit {
				words = append(words, known)
			}
		}
	}
	for _, w := range splitWords(text) {
		quoted := len(w) > 1 && strings.HasPrefix(w, `"`) && strings.HasSuffix(w, `"`)
		for n, atom := range strings.FieldsFunc(w, func(r rune) bool { return !isWordRune(r) && !isTie(r) }) {
			atom = strings.Map(func(r rune) rune {
				if isTie(r) {
					return -1
				}
				return unicode.ToLower(r)
			}, atom)
			switch {
			case atom == "" || !quoted && leftOut(atom):
			case quoted && n > 0 && len(words) > 0:
				words[len(words)-1] += " " + atom // one phrase
			default:
				add(splitScripts(atom))
				if root := rootOf(atom); root != atom && !quoted {
					add(root)
				}
			}
		}
	}
	return words
}

// forms gives the words that are marked in a snippet, as lit understands them.
func forms(snippet string) []string {
	var out []string
	for _, marked := range strings.Split(snippet, string(memory.MatchStart))[1:] {
		if form, _, closed := strings.Cut(marked, string(memory.MatchEnd)); closed && len(out) < maxLit {
			out = append(out, litWords(`"`+strings.ReplaceAll(form, `"`, " ")+`"`)...)
		}
	}
	return out
}

// splitScripts separates, by line breaks, scripts that are written without spaces
// from others: 用redis缓存 are three words.
func splitScripts(s string) string {
	var b strings.Builder
	wide := false
	for i, r := range s {
		if isWide(r) != wide && i > 0 {
			b.WriteByte('\n')
		}
		wide = isWide(r)
		b.WriteRune(r)
	}
	return b.String()
}

// rootOf takes the commonest endings off a word.
func rootOf(word string) string {
	for _, end := range []string{"ing", "ed", "es", "s"} {
		if root, found := strings.CutSuffix(word, end); found && len(root) >= shortestRoot && isASCII(root) {
			return root
		}
	}
	return word
}

// stopWords are in the order of the alphabet.
var stopWords = strings.Fields("a an and are as at be but by did do does for from had has have how i in is it its of on or" +
	" that the their this to was we were what when where which who why will with you")

// isStop reports whether a word says nothing about what is looked for.
func isStop(w string) bool {
	_, is := slices.BinarySearch(stopWords, w)
	return is
}

func isTie(r rune) bool { return r == '-' || r == '_' }

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// isWide reports whether r belongs to a script in which words have no spaces
// between them, or endings stick to them.
func isWide(r rune) bool {
	return r >= 0x1100 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r == 'ー')
}

// lit splits text into spans in which the words are lit.
func lit(text string, role themes.Role, words []string) []span {
	if len(words) == 0 {
		return []span{{role, text}}
	}
	var out []span
	from := 0
	before := rune(' ')
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		n := 0
		if isWordRune(r) {
			n = longestAt(text[i:], isBeginning(before, r, text[i+size:]), words)
		}
		if n == 0 {
			before = r
			i += size
			continue
		}
		if i > from {
			out = append(out, span{role, text[from:i]})
		}
		out = append(out, span{themes.Match, text[i : i+n]})
		before, _ = utf8.DecodeLastRuneInString(text[:i+n])
		i += n
		from = i
	}
	if from < len(text) || out == nil {
		out = append(out, span{role, text[from:]})
	}
	return out
}

// isBeginning reports whether a word, or a part of an identifier, begins at r.
func isBeginning(before, r rune, after string) bool {
	switch {
	case !isWordRune(before), isWide(before) != isWide(r), unicode.IsDigit(before) != unicode.IsDigit(r):
		return true
	case !unicode.IsUpper(r):
		return false
	case unicode.IsLower(before):
		return true
	}
	next, _ := utf8.DecodeRuneInString(after)
	return unicode.IsLower(next) // the R of HTTPRequest
}

// longestAt gives the bytes of the longest of the words that s begins with, or 0.
func longestAt(s string, beginning bool, words []string) int {
	longest := 0
	for _, w := range words {
		longest = max(longest, matchAt(s, beginning, w))
	}
	return longest
}

// matchAt gives the bytes of s that the word w stands for at its beginning, or 0.
func matchAt(s string, beginning bool, w string) int {
	first, _ := utf8.DecodeRuneInString(w)
	if !beginning && !isWide(first) {
		return 0
	}
	i, last, letters := 0, rune(0), 0
	for _, want := range w {
		if want == ' ' { // between the words of a phrase
			n := strings.IndexFunc(s[i:], isWordRune)
			if n <= 0 {
				return 0
			}
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if isTie(r) && letters > 0 {
			i += n
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		if n == 0 || r != want && unicode.ToLower(r) != want {
			return 0
		}
		i, last = i+n, r
		letters++
	}
	if letters < shortestLit && !isWide(last) { // it must be a word, or a part, of its own
		r, n := utf8.DecodeRuneInString(s[i:])
		if n > 0 && isWordRune(r) && !isBeginning(last, r, s[i+n:]) {
			return 0
		}
	}
	return i
}
