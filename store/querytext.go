package store

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The language of a search text. It is read here and nowhere else:
//
//	cart total      words
//	"cart total"    a phrase: the words one after the other; it must stand
//	-cart           a word that must not stand, -"cart total" a phrase
//	refun*          the beginning of a word
//
// No text is wrong: what is none of these is looked for as it is. A minus stands
// for itself before a digit, another minus and a single Latin letter, and inside of a
// word: --dry-run, -1, -v. Where nothing but excluded words stands, everything without
// them is found.

// queryWord is one word or quoted phrase of a search text.
type queryWord struct {
	text      string     // as it was typed
	compounds []compound // at least one
	quoted    bool
	open      bool // may be the beginning of a longer word
	starred   bool // is meant as the beginning of one
	negated   bool // must not stand
	// within are words of the index that hold it, where it is none itself.
	within []string
}

// splitQuery cuts a search text into words and quoted phrases. A quote that is
// not closed is no quote.
func splitQuery(text string) []queryWord {
	var words []queryWord
	add := func(w queryWord) {
		if w.compounds = boundedCompounds(w.text); len(w.compounds) > 0 {
			words = append(words, w)
		}
	}
	// After a phrase a word that sticks to it is no word of its own.
	plain := func(s string, sticks bool) {
		sticks = sticks && strings.TrimLeftFunc(s, unicode.IsSpace) == s
		for f := range strings.FieldsSeq(s) {
			add(queryWord{text: f, negated: !sticks && isNegated(f), starred: isStarred(f)})
			sticks = false
		}
	}
	rest, sticks := text, false
	for {
		before, quotedOn, found := strings.Cut(rest, `"`)
		phrase, after, closed := strings.Cut(quotedOn, `"`)
		if !found || !closed {
			break
		}
		unwanted := false
		if b, ok := strings.CutSuffix(before, "-"); ok && (b != "" || !sticks) {
			last, _ := utf8.DecodeLastRuneInString(b)
			if unwanted = b == "" || unicode.IsSpace(last); unwanted {
				before = b
			}
		}
		plain(before, sticks)
		add(queryWord{text: phrase, quoted: true, negated: unwanted})
		rest, sticks = after, true
	}
	plain(rest, sticks)
	if n := len(words); n > 0 && !words[n-1].quoted && !words[n-1].negated {
		last, _ := utf8.DecodeLastRuneInString(text)
		words[n-1].open = isWordRune(last)
	}
	return words
}

// boundedCompounds gives the compounds of a word, of an endless one the first.
func boundedCompounds(s string) []compound {
	c := compounds(s)
	atoms := 0
	for i := range c {
		if atoms += len(c[i].atoms); atoms > maxWordAtoms {
			c = c[:max(i, 1)]
			c[0].atoms = c[0].atoms[:min(len(c[0].atoms), maxWordAtoms)]
			break
		}
	}
	return c
}

// isNegated reports whether a word between spaces is one that must not stand.
func isNegated(s string) bool {
	word, minus := strings.CutPrefix(s, "-")
	first, n := utf8.DecodeRuneInString(word)
	if !minus || !unicode.IsLetter(first) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(word[n:])
	return first >= utf8.RuneSelf || isWordRune(next) // -v is a flag
}

// isStarred reports whether a word between spaces ends in a star that stands for
// its end.
func isStarred(s string) bool {
	word, star := strings.CutSuffix(s, "*")
	last, _ := utf8.DecodeLastRuneInString(word)
	return star && isWordRune(last)
}

// queryWords gives the words of a search text that are looked for and those that
// must not stand: at least one of either. Of very many the first count, and phrases,
// which must stand, before words.
func queryWords(text string) (wanted, unwanted []queryWord, err error) {
	var plain, phrases int
	words := splitQuery(clean(text))
	for _, w := range words {
		if w.quoted && !w.negated {
			phrases++
		}
	}
	for _, w := range words {
		switch {
		case w.negated:
			unwanted = append(unwanted, w)
		case w.quoted:
			wanted = append(wanted, w)
		case plain < maxQueryWords-phrases:
			wanted = append(wanted, w)
			plain++
		}
	}
	if len(words) == 0 {
		return nil, nil, ErrEmptyQuery
	}
	return wanted[:min(len(wanted), maxQueryWords)], unwanted[:min(len(unwanted), maxUnwantedWords)], nil
}

// meaning gives the words without those that say nothing, all of them when there
// are no others.
func meaning(words []queryWord) []queryWord {
	if said := slices.DeleteFunc(slices.Clone(words), queryWord.isStop); len(said) > 0 {
		return said
	}
	return words
}

// isStop reports whether the word says nothing about what is looked for.
func (w queryWord) isStop() bool { return w.isOneOf(stopWords) }

// isOneOf reports whether the word stands in a list of words in small letters.
func (w queryWord) isOneOf(list map[string]bool) bool {
	return !w.quoted && !w.starred && len(w.compounds) == 1 && len(w.compounds[0].atoms) == 1 &&
		list[strings.ToLower(w.compounds[0].atoms[0])]
}

var stopWords = wordSet(`a an and are as at be but by did do does for from had has have how i in is it its
	of on or that the their this to was we were what when where which who why will with you`)

func wordSet(text string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		m[w] = true
	}
	return m
}
