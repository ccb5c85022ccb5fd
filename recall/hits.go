package recall

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"cmem/memory"
)

// The fields of an observation that a search looks at.
const (
	FieldTitle     = "title"
	FieldSubtitle  = "subtitle"
	FieldNarrative = "narrative"
	FieldFact      = "fact"
	FieldConcept   = "concept"
	FieldFile      = "file"
	FieldTag       = "tag"
)

// HitReason says why an observation is among the hits of a search.
type HitReason struct {
	// Fields are the fields in which a word of the search stands as a whole word.
	Fields []string
	// Parts are words of the memory of which a word of the search is only a part.
	Parts []string
}

const (
	maxNamed       = 2        // parts that are told
	shortestPrefix = 2        // runes of a word that counts as unfinished
	maxFieldText   = 64 << 10 // bytes of a text that are looked at
)

// String gives the reason as a short phrase: "title · file", "fact", "part of
// orderService". A hit through another form of a word gives "word form".
func (r HitReason) String() string {
	s := strings.Join(r.Fields, " · ")
	if len(r.Parts) > 0 {
		part := "part of " + firstOf(r.Parts, maxNamed)
		if s == "" {
			s = part
		} else {
			s += " · " + part
		}
	}
	if s == "" {
		s = "word form"
	}
	return s
}

// WhyHit says where the words of a search for text stand in a hit. It reads
// nothing.
func WhyHit(text string, h memory.Hit) HitReason {
	n := newNeedles(text, h.Snippet)
	fields := fieldsOf(h.Observation)
	if n.open != "" {
		// The last word is unfinished only where it does not stand as it is.
		r := needles{whole: map[string]bool{stem(n.open): true}}.reason(fields)
		n.prefix = len(r.Fields) == 0 && len(r.Parts) == 0
	}
	return n.reason(fields)
}

// field is a field of an observation, cut into words once for all who look at them.
type field struct {
	name  string
	texts []string
	words []string
}

func fieldsOf(o memory.Observation) []field {
	fields := []field{
		{name: FieldTitle, texts: []string{o.Title}},
		{name: FieldSubtitle, texts: []string{o.Subtitle}},
		{name: FieldNarrative, texts: []string{o.Narrative}},
		{name: FieldFact, texts: o.Facts},
		{name: FieldConcept, texts: o.Concepts},
		{name: FieldFile, texts: slices.Concat(o.FilesModified, o.FilesRead)},
		{name: FieldTag, texts: o.Tags},
	}
	for i := range fields {
		for _, t := range fields[i].texts {
			fields[i].words = slices.AppendSeq(fields[i].words, wordsOf(t[:min(len(t), maxFieldText)]))
		}
	}
	return fields
}

// needles are what a search looks for, as words of a text are held against it.
type needles struct {
	whole map[string]bool // stems of words, as they stand in the search or are marked in the snippet
	wide  []string        // runs of wide script, which stand anywhere in a sentence

	open   string // the last word when it may be unfinished, in small letters
	prefix bool   // whether words that begin with open count as holding it
}

// reason says where the needles stand in the fields.
func (n needles) reason(fields []field) HitReason {
	var r HitReason
	for _, f := range fields {
		whole, parts := n.in(f)
		for _, p := range parts {
			if !slices.Contains(r.Parts, p) {
				r.Parts = append(r.Parts, p)
			}
		}
		if whole {
			r.Fields = append(r.Fields, f.name)
		}
	}
	return r
}

func newNeedles(text, snippet string) needles {
	n := needles{whole: map[string]bool{}}
	add := func(w word) {
		if strings.ContainsFunc(w.text, isWide) {
			n.wide = append(n.wide, w.text)
			return
		}
		n.whole[stem(w.key)] = true
	}
	var last word
	for _, phrase := range splitWords(text) {
		for w := range wordsOf(phrase) {
			last = newWord(w)
			add(last)
		}
	}
	if r, _ := utf8.DecodeLastRuneInString(text); isWordRune(r) && !isWide(r) && utf8.RuneCountInString(last.key) >= shortestPrefix {
		n.open = last.key
	}
	// The index has marked what matched, in whatever form it stands there.
	for _, marked := range strings.Split(snippet, string(memory.MatchStart))[1:] {
		form, _, _ := strings.Cut(marked, string(memory.MatchEnd))
		for found := range wordsOf(form) {
			if w := newWord(found); n.open == "" || !strings.HasPrefix(w.key, n.open) {
				add(w)
			}
		}
	}
	return n
}

// in reports whether f holds a needle as a whole word, and gives the words of f of
// which a needle is a part.
func (n needles) in(f field) (whole bool, parts []string) {
	for _, run := range n.wide {
		whole = whole || slices.ContainsFunc(f.texts, func(t string) bool { return strings.Contains(t, run) })
	}
	for _, found := range f.words {
		if !n.mayBeIn(found) {
			continue
		}
		switch w := newWord(found); {
		case n.whole[stem(w.key)], slices.ContainsFunc(w.atoms, func(a string) bool { return n.whole[stem(a)] }):
			whole = true
		case slices.ContainsFunc(w.parts, func(p string) bool { return n.whole[stem(p)] }):
			parts = append(parts, w.text)
		case n.prefix && strings.HasPrefix(w.key, n.open):
			parts = append(parts, w.text)
		}
	}
	return whole, parts
}

// mayBeIn is the cheap look before a word is taken apart. A needle is the beginning
// of a word or of a part of one, and all of these stand in the word without ties.
func (n needles) mayBeIn(w string) bool {
	key := strings.ToLower(untied(w))
	for needle := range n.whole {
		if strings.Contains(key, needle) {
			return true
		}
	}
	return n.prefix && strings.HasPrefix(key, n.open)
}

// word is a word of a text as a person writes it.
type word struct {
	text  string
	key   string   // small letters, without what ties its atoms together
	atoms []string // the words that - ties together, small letters
	parts []string // the parts of a name of code, small letters
}

// wordsOf cuts a text into words. Runs of letters and digits that - or _ tie
// together are one; a run of wide script is one by itself.
func wordsOf(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for field := range strings.FieldsFuncSeq(s, func(r rune) bool { return !isWordRune(r) && r != '_' && r != '-' }) {
			for w := range scriptRuns(field) {
				if w = strings.Trim(w, "_-"); w != "" && !yield(w) {
					return
				}
			}
		}
	}
}

func newWord(w string) word {
	one := word{text: w, key: strings.ToLower(untied(w))}
	for atom := range strings.SplitSeq(w, "-") {
		one.atoms = append(one.atoms, strings.ToLower(atom))
		for part := range strings.SplitSeq(atom, "_") {
			if part != atom {
				one.parts = append(one.parts, strings.ToLower(part))
			}
			one.parts = append(one.parts, humps(part)...)
		}
	}
	return one
}

// untied is a word without what ties its parts together.
func untied(w string) string {
	return strings.ReplaceAll(strings.ReplaceAll(w, "-", ""), "_", "")
}

// scriptRuns cuts s where wide script and other letters meet: 用Redis缓存.
func scriptRuns(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, wide := 0, false
		for i, r := range s {
			w := isWide(r)
			if w != wide && i > start {
				if !yield(s[start:i]) {
					return
				}
				start = i
			}
			wide = w
		}
		yield(s[start:])
	}
}

// stem takes the commonest endings off an English word, so that caches, cached and
// caching are one, as they are for the index. Other words it leaves as they are.
func stem(w string) string {
	for _, end := range []string{"ing", "ed", "es", "e", "s"} {
		if root, found := strings.CutSuffix(w, end); found && len(root) > 2 && strings.ContainsAny(root, "aeiouy") {
			return root
		}
	}
	return w
}

// humps cuts parseHTTPRequest2 into parse, http, request and 2.
func humps(s string) []string {
	r := []rune(s)
	var out []string
	start := 0
	for i := 1; i <= len(r); i++ {
		if i == len(r) || isHump(r, i) {
			out = append(out, strings.ToLower(string(r[start:i])))
			start = i
		}
	}
	if len(out) == 1 {
		return nil
	}
	return out
}

// isHump reports whether a part of a name begins at r[i], i > 0.
func isHump(r []rune, i int) bool {
	switch before, here := r[i-1], r[i]; {
	case unicode.IsDigit(before) != unicode.IsDigit(here):
		return true
	case !unicode.IsUpper(here):
		return false
	case unicode.IsLower(before):
		return true
	default:
		return i+1 < len(r) && unicode.IsLower(r[i+1]) // the R of HTTPRequest
	}
}

func isWide(r rune) bool {
	return r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}
