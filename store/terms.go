package store

import (
	"strings"
	"unicode/utf8"
)

// How much what is found counts beside a word that stands as it was typed.
const (
	// Words that say little count little: what a question is made of.
	faintWeight = 0.2
	// A part of an identifier, where the whole does not stand.
	pieceWeight = 0.4
	// A longer word that begins as one does that is nowhere, or holds it.
	beginsWeight = 0.6
	// Two neighbours of the search that are neighbours in the row, beside the rarer of
	// them.
	nearWeight = 0.4
)

// maxTerms bounds the terms of a search, and maxItems the words that are looked up
// for them.
const (
	maxTerms = 40
	maxItems = 64
)

// term is what a search adds up: a word, a phrase or a pair of neighbours in wide
// script. However often its spellings stand in a row, it counts once.
type term struct {
	forms  []expr // under which it stands; the best of them counts
	pieces []expr // which count where none of these stands
	weight float64
	faint  bool
	next   bool // its neighbour to the left is the term before it
}

// faintWords are those of a question that say little.
var faintWords = func() map[string]bool {
	m := wordSet(`about after all also any because been before being both can could down during each get got he her here
		him his if into just me more most my no not off one only or other our out over own same she should so some such than
		them then there these they those through too under up us use used using very want way were would your while`)
	for w := range stopWords {
		m[w] = true
	}
	return m
}()

// termsOf takes the words of a search apart.
func termsOf(words []queryWord) []term {
	var terms []term
	known := map[string]bool{}
	add := func(t term, next bool) {
		key := t.forms[0].String()
		if len(t.forms[0].words) == 0 || known[key] || len(terms) == maxTerms {
			return
		}
		known[key] = true
		t.next = next && len(terms) > 0
		terms = append(terms, t)
	}
	neighbours := 0 // of the last word, in terms
	for _, w := range words {
		before := len(terms)
		for i, t := range w.terms() {
			add(t, i == 0 && neighbours == 1 && !w.quoted)
		}
		neighbours = 0
		if len(terms) == before+1 && !w.quoted && len(w.wide()) == 0 {
			neighbours = 1
		}
	}
	for i := range terms {
		// A part that is searched for itself counts there.
		var pieces []expr
		for _, p := range terms[i].pieces {
			if !known[p.String()] {
				pieces = append(pieces, p)
			}
		}
		terms[i].pieces = pieces
	}
	return terms
}

// terms gives the terms of one word: in wide script, where words are not set
// apart, its pairs of neighbours, which together count as many words as they make.
func (w queryWord) terms() []term {
	if w.quoted {
		return []term{{forms: []expr{w.exact()}, weight: 1}}
	}
	if len(w.wide()) == 0 {
		t := term{forms: w.spellings(), weight: 1, faint: w.isOneOf(faintWords)}
		t.pieces = w.parts()
		return []term{t}
	}
	var terms []term
	for _, atom := range w.atoms() {
		for _, run := range splitScripts(atom) {
			switch length := utf8.RuneCountInString(run.text); {
			case !run.wide:
				part := queryWord{text: run.text, compounds: []compound{{atoms: []string{run.text}}}}
				terms = append(terms, part.terms()...)
			case length == 1:
				terms = append(terms, term{forms: []expr{wideTerm(run.text)}, weight: 1})
			default:
				pairs := widePairs(run.text)
				weight := min(1, float64(length)/2/float64(len(pairs)))
				for _, p := range pairs {
					terms = append(terms, term{forms: []expr{phraseOf(p, false)}, weight: weight})
				}
			}
		}
	}
	return terms
}

// parts are the smaller words in a word without wide script, but for those that
// say nothing: a commit has none.
func (w queryWord) parts() []expr {
	whole := w.phrase(w.atoms()).String()
	seen := map[string]bool{whole: true}
	var parts []expr
	for _, c := range w.compounds {
		list := []string{strings.Join(c.atoms, " ")}
		for _, atom := range c.atoms {
			if !isHash(atom) {
				list = append(list, atom)
				list = append(list, identifierParts(atom)...)
			}
		}
		for _, s := range list {
			e := phraseOf(s, false)
			if key := e.String(); len(s) > 1 && !seen[key] {
				seen[key] = true
				parts = append(parts, e)
			}
		}
	}
	return parts
}

// beginnings are the words that begin as the term does.
func (t term) beginnings() []expr {
	if e := t.forms[0]; e.op == opPhrase && len(e.words) == 1 && !e.open && utf8.RuneCountInString(e.text) >= minWithin {
		return []expr{phraseOf(e.text, true)}
	}
	return nil
}
