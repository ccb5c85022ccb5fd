package store

import (
	"slices"
	"strings"
)

// expr is what a row must hold to be found: a phrase, or several expressions of
// which all or any must be true.
type expr struct {
	op   operator
	kids []expr // of all and any; at least two
	// Of a phrase:
	text  string   // letters, digits and spaces
	words []string // the words in it as they stand in the index
	typed []string // and as they stand in the text
	open  bool     // the last word may be the beginning of a longer one
}

type operator int

const (
	opPhrase operator = iota
	opAll
	opAny
)

// phraseOf is the expression for words one after the other.
func phraseOf(text string, open bool) expr {
	text = strings.ReplaceAll(text, `"`, " ")
	e := expr{text: text}
	w := wordScanner{text: text}
	for w.next() {
		e.typed = append(e.typed, text[w.start:w.end])
		e.words = append(e.words, string(stem(w.word)))
	}
	e.open = open && len(e.words) > 0 // accents alone are no word of the index
	return e
}

// andOf joins expressions that must all be true.
func andOf(list []expr) expr {
	if len(list) == 1 {
		return list[0]
	}
	return expr{op: opAll, kids: list}
}

// orOf joins alternatives, each once.
func orOf(list []expr) expr {
	seen := map[string]bool{}
	var kids []expr
	for _, e := range list {
		if s := e.String(); !seen[s] {
			seen[s] = true
			kids = append(kids, e)
		}
	}
	if len(kids) == 1 {
		return kids[0]
	}
	return expr{op: opAny, kids: kids}
}

// String writes the expression for FTS5. Every string in it consists of letters,
// digits and spaces between quotes.
func (e expr) String() string {
	parts := make([]string, len(e.kids))
	for i, kid := range e.kids {
		if parts[i] = kid.String(); kid.op == opAll {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	switch {
	case e.op == opAll:
		return strings.Join(parts, " AND ")
	case e.op == opAny:
		return "(" + strings.Join(parts, " OR ") + ")"
	case e.open:
		return quote(e.text) + " *"
	}
	return quote(e.text)
}

// isOpen reports whether a word in e is unfinished.
func (e expr) isOpen() bool {
	return e.open || slices.ContainsFunc(e.kids, expr.isOpen)
}

// alternatives writes e as a list of which one must be true and that are
// themselves lists of what must all be true, so that each can be looked for from
// its rarest part. It is nil when there would be more than limit.
func (e expr) alternatives(limit int) [][]expr {
	switch e.op {
	case opAny:
		var list [][]expr
		for _, kid := range e.kids {
			more := kid.alternatives(limit)
			if list = append(list, more...); more == nil || len(list) > limit {
				return nil
			}
		}
		return list
	case opAll:
		list := [][]expr{nil}
		for _, kid := range e.kids {
			more := kid.alternatives(limit)
			if more == nil || len(list)*len(more) > limit {
				return nil
			}
			product := make([][]expr, 0, len(list)*len(more))
			for _, a := range list {
				for _, b := range more {
					product = append(product, append(a[:len(a):len(a)], b...))
				}
			}
			list = product
		}
		return list
	}
	return [][]expr{{e}}
}

// quote makes an FTS5 string of letters, digits and spaces.
func quote(s string) string { return `"` + s + `"` }
