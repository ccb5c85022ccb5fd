package recall

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainText is a search text as it is read for its meaning.
type plainText struct {
	text     string   // without the words that must not stand
	unwanted []string // these words and phrases, plain
	isQuoted bool     // a phrase must stand as it is
	unquoted string   // the text without that demand
	names    []string // the identifiers in it, plain
	typed    []string // and as they were typed
}

// readText takes the language of search texts, which the store defines, out of one.
func readText(text string) plainText {
	var p plainText
	var wanted, unquoted []string
	words := splitWords(text)
	for i, w := range words {
		phrase, isPhrase := strings.CutPrefix(w, `"`)
		phrase = strings.TrimSuffix(phrase, `"`)
		switch {
		case w == "-" && i+1 < len(words) && strings.HasPrefix(words[i+1], `"`):
			unquoted = append(unquoted, w+words[i+1])
		case isPhrase && i > 0 && words[i-1] == "-":
			p.unwanted = append(p.unwanted, plainName(phrase))
		case isPhrase && len(w) > 1 && strings.HasSuffix(w, `"`):
			p.isQuoted = true
			wanted, unquoted = append(wanted, phrase), append(unquoted, phrase)
		case isUnwanted(w):
			p.unwanted = append(p.unwanted, plainName(w))
			unquoted = append(unquoted, w)
		default:
			wanted, unquoted = append(wanted, w), append(unquoted, w)
		}
	}
	p.text, p.unquoted = strings.Join(wanted, " "), strings.Join(unquoted, " ")
	for w := range strings.FieldsSeq(p.text) {
		if w = strings.TrimFunc(w, func(r rune) bool { return !isWordRune(r) && r != '-' }); isIdentifier(w) {
			if n := plainName(w); n != "" && !slices.Contains(p.names, n) {
				p.names, p.typed = append(p.names, n), append(p.typed, w)
			}
		}
	}
	return p
}

// holdsUnwanted reports whether a text has something that must not stand, be it as a
// part of a word: the store, which knows words better, is not asked about what only
// its meaning has found.
func (p plainText) holdsUnwanted(text string) bool {
	if len(p.unwanted) == 0 {
		return false
	}
	text = plainName(text)
	return slices.ContainsFunc(p.unwanted, func(w string) bool { return strings.Contains(text, w) })
}

// isUnwanted reports whether a word says that one must not stand: -cart, but not
// --dry-run, -1 and -v.
func isUnwanted(w string) bool {
	word, minus := strings.CutPrefix(w, "-")
	first, n := utf8.DecodeRuneInString(word)
	next, _ := utf8.DecodeRuneInString(word[n:])
	return minus && unicode.IsLetter(first) && (first >= utf8.RuneSelf || isWordRune(next))
}

// isIdentifier reports whether a word looks like a name that somebody gave: of
// code, a file, a flag, an error or a version.
func isIdentifier(w string) bool {
	upper, lower, digits, hump, inner := 0, 0, 0, false, false
	last := rune(0)
	for i, r := range w {
		switch {
		case unicode.IsUpper(r):
			upper++
			hump = hump || unicode.IsLower(last)
		case unicode.IsLower(r):
			lower++
		case unicode.IsDigit(r):
			digits++
		case strings.ContainsRune("_./:\\", r) && i > 0 && isWordRune(last):
			inner = inner || i+1 < len(w)
		case isHan(r):
			return false
		}
		last = r
	}
	const shortestCode = 5 // EPIPE; a shorter one may be any abbreviation
	switch {
	case strings.HasPrefix(w, "--"):
		return upper+lower > 0
	case hump, inner && upper+lower > 0:
		return true
	case digits > 0 && upper+lower > 0:
		return true
	}
	return lower == 0 && upper >= shortestCode
}

// plainName writes a name or a text so that spellings of a name look alike: small
// letters, what ties words left out, a space for all else, and between scripts.
func plainName(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	space, wide := true, false
	put := func(r rune, isWide bool) {
		if wide != isWide && !space {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		space, wide = false, isWide
	}
	for _, r := range s {
		switch {
		case isHan(r):
			put(r, true)
		case isWordRune(r):
			put(r, false)
		case r == '_' || r == '-':
		case !space:
			b.WriteByte(' ')
			space = true
		}
	}
	return strings.TrimSuffix(b.String(), " ")
}

// holdsAny reports whether a text holds one of the names, as a whole.
func holdsAny(text string, names []string) bool {
	if len(names) == 0 {
		return false
	}
	text = " " + plainName(text) + " "
	return slices.ContainsFunc(names, func(n string) bool { return strings.Contains(text, " "+n+" ") })
}

// putExactFirst sees to it that no candidate is before one which holds the
// identifier that was looked for, unless more of the words speak for it.
func putExactFirst(list []*candidate) {
	var exact []*candidate
	for _, c := range list {
		if c.score.Exact {
			exact = append(exact, c)
		}
	}
	slices.SortStableFunc(exact, func(a, b *candidate) int { return cmp.Compare(b.keyword, a.keyword) })
	for _, c := range list {
		if c.score.Exact {
			continue
		}
		for _, e := range exact {
			if e.keyword < c.keyword {
				break
			}
			if behind := 0.999 * e.score.Total; c.score.Total > behind {
				c.score.Total = behind
			}
		}
	}
}
