package store

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// ErrEmptyQuery says that a search text has no letter and no digit in it.
var ErrEmptyQuery = errors.New("nothing to search for: the text needs a letter or a digit")

// What is taken from a search text; the rest of a longer one is left out.
const (
	maxQueryWords    = 32
	maxUnwantedWords = 200 // that must not stand
	maxWordAtoms     = 32
	maxWidePairs     = 64
	minPrefix        = 2 // runes; a shorter one matches half the store
)

// query is a search text as it can be read, from the narrow to the wide reading.
type query struct {
	whole expr   // every word must match as it is
	all   expr   // likewise, but the last word may be the beginning of a longer one
	any   expr   // at least one must match, and every quoted phrase
	not   []expr // none of these may match
}

// queryOf translates what a person typed. It is the only way from user text to an FTS5
// expression: nothing in it can be syntax, because every string that reaches FTS5
// consists of letters and digits between quotes.
//
// Words must all be there, and the last one may be unfinished. An identifier is
// found in its own spelling and in those with the same parts: orderService,
// order_service, order-service.
func queryOf(words, unwanted []queryWord) query {
	var q query
	for _, w := range unwanted {
		q.not = append(q.not, w.exact())
	}
	var whole, all, phrases, loose []expr
	for _, w := range meaning(words) {
		exact := w.exact()
		all = append(all, exact)
		closed := w
		closed.open = false
		whole = append(whole, closed.exact())
		if w.quoted {
			phrases = append(phrases, exact)
		} else {
			loose = append(loose, exact)
			loose = append(loose, w.pieces()...)
		}
	}
	q.whole, q.all = andOf(whole), andOf(all)
	if len(loose) > 0 {
		phrases = append(phrases, orOf(loose))
	}
	q.any = andOf(phrases)
	return q
}

// exact is the expression that takes the word as it is written.
func (w queryWord) exact() expr {
	if len(w.wide()) == 0 {
		return orOf(w.spellings())
	}
	var terms []expr
	atoms := w.atoms()
	for i, atom := range atoms {
		runs := splitScripts(atom)
		for j, run := range runs {
			if run.wide {
				terms = append(terms, wideTerm(run.text))
				continue
			}
			last := i == len(atoms)-1 && j == len(runs)-1
			part := queryWord{compounds: []compound{{atoms: []string{run.text}}}, open: w.open && last, starred: w.starred && last}
			terms = append(terms, orOf(part.spellings()))
		}
	}
	return andOf(terms)
}

// spellings are the phrases under which a word without wide script can stand in
// the index.
func (w queryWord) spellings() []expr {
	if len(w.within) > 0 {
		var forms []expr
		for _, word := range w.within {
			forms = append(forms, phraseOf(word, false))
		}
		return forms
	}
	atoms := w.atoms()
	forms := []expr{w.phrase(atoms)}
	if w.quoted {
		return forms
	}
	forms = append(forms, w.kindred()...)
	if len(w.compounds) == 1 && w.compounds[0].tied {
		forms = append(forms, w.phrase([]string{strings.Join(atoms, "")}))
	}
	var parts []string
	for _, atom := range atoms {
		p := identifierParts(atom)
		if len(strings.Join(p, "")) != len(atom) {
			p = []string{atom} // one part, or one that the index leaves out
		}
		parts = append(parts, p...)
	}
	if len(parts) > len(atoms) {
		forms = append(forms, w.phrase(parts))
	}
	return forms
}

// pieces are the smaller words inside the word: for when the whole is nowhere.
func (w queryWord) pieces() []expr {
	var out []expr
	for _, atom := range w.atoms() {
		for _, run := range splitScripts(atom) {
			if !run.wide {
				out = append(out, phraseOf(run.text, false))
				for _, p := range identifierParts(run.text) {
					out = append(out, phraseOf(p, false))
				}
				continue
			}
			for _, pair := range widePairs(run.text) {
				out = append(out, phraseOf(pair, false))
			}
		}
	}
	return out
}

func (w queryWord) atoms() []string {
	var atoms []string
	for _, c := range w.compounds {
		atoms = append(atoms, c.atoms...)
	}
	return atoms
}

// wideOf gives the runs of wide script in the words: the index knows them as pairs
// only, so that matches of them have to be marked by hand.
func wideOf(words []queryWord) (runs []string) {
	for _, w := range words {
		runs = append(runs, w.wide()...)
	}
	return runs
}

// wide gives the runs of wide script in the word.
func (w queryWord) wide() []string {
	var wide []string
	for _, atom := range w.atoms() {
		for _, run := range splitScripts(atom) {
			if run.wide {
				wide = append(wide, run.text)
			}
		}
	}
	return wide
}

// phrase is the expression for the words one after the other.
func (w queryWord) phrase(words []string) expr {
	return phraseOf(strings.Join(words, " "), (w.open || w.starred) && utf8.RuneCountInString(words[len(words)-1]) >= minPrefix)
}

// wideTerm is the expression for a run of wide script anywhere in a sentence.
func wideTerm(run string) expr {
	if utf8.RuneCountInString(run) == 1 {
		return phraseOf(run, true) // each character begins a token
	}
	return phraseOf(strings.Join(widePairs(run), " "), false)
}

// widePairs gives the pairs of a run without its last character, which the index
// has only at the end of a sentence.
func widePairs(run string) []string {
	pairs := bigrams(run)
	if len(pairs) > 1 {
		pairs = pairs[:len(pairs)-1]
	}
	return pairs[:min(len(pairs), maxWidePairs)]
}
