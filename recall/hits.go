package recall

import (
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
	if n.open != "" {
		// The last word is unfinished only where it does not stand as it is.
		r := needles{whole: map[string]bool{stem(n.open): true}}.reason(h.Observation)
		n.prefix = len(r.Fields) == 0 && len(r.Parts) == 0
	}
	return n.reason(h.Observation)
}

// needles are what a search looks for, as words of a text are held against it.
type needles struct {
	whole map[string]bool // stems of words, as they stand in the search or are marked in the snippet
	wide  []string        // runs of wide script, which stand anywhere in a sentence

	open   string // the last word when it may be unfinished, in small letters
	prefix bool   // whether words that begin with open count as holding it
}

// reason says where the needles stand in o.
func (n needles) reason(o memory.Observation) HitReason {
	var r HitReason
	for _, field := range []struct {
		name  string
		texts []string
	}{
		{FieldTitle, []string{o.Title}},
		{FieldSubtitle, []string{o.Subtitle}},
		{FieldNarrative, []string{o.Narrative}},
		{FieldFact, o.Facts},
		{FieldConcept, o.Concepts},
		{FieldFile, slices.Concat(o.FilesModified, o.FilesRead)},
		{FieldTag, o.Tags},
	} {
		whole := false
		for _, t := range field.texts {
			in, parts := n.in(t)
			whole = whole || in
			for _, p := range parts {
				if !slices.Contains(r.Parts, p) {
					r.Parts = append(r.Parts, p)
				}
			}
		}
		if whole {
			r.Fields = append(r.Fields, field.name)
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
		for _, w := range wordsOf(phrase) {
			add(w)
			last = w
		}
	}
	if r, _ := utf8.DecodeLastRuneInString(text); isWordRune(r) && !isWide(r) && utf8.RuneCountInString(last.key) >= shortestPrefix {
		n.open = last.key
	}
	// The index has marked what matched, in whatever form it stands there.
	for _, marked := range strings.Split(snippet, string(memory.MatchStart))[1:] {
		form, _, _ := strings.Cut(marked, string(memory.MatchEnd))
		for _, w := range wordsOf(form) {
			if n.open == "" || !strings.HasPrefix(w.key, n.open) {
				add(w)
			}
		}
	}
	return n
}

// in reports whether s holds a needle as a whole word, and gives the words of s of
// which a needle is a part.
func (n needles) in(s string) (whole bool, parts []string) {
	for _, run := range n.wide {
		whole = whole || strings.Contains(s, run)
	}
	if len(s) > maxFieldText {
		s = s[:maxFieldText]
	}
	for _, w := range wordsOf(s) {
		switch {
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

// word is a word of a text as a person writes it.
type word struct {
	text  string
	key   string   // small letters, without what ties its atoms together
	atoms []string // the words that - ties together, small letters
	parts []string // the parts of a name of code, small letters
}

// wordsOf cuts a text into words. Runs of letters and digits that - or _ tie
// together are one; a run of wide script is one by itself.
func wordsOf(s string) []word {
	var out []word
	for field := range strings.FieldsFuncSeq(s, func(r rune) bool { return !isWordRune(r) && r != '_' && r != '-' }) {
		for _, w := range scriptRuns(field) {
			if w = strings.Trim(w, "_-"); w != "" {
				out = append(out, newWord(w))
			}
		}
	}
	return out
}

func newWord(w string) word {
	one := word{text: w, key: strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(w))}
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

// scriptRuns cuts s where wide script and other letters meet: 用Redis缓存.
func scriptRuns(s string) []string {
	var out []string
	start, wide := 0, false
	for i, r := range s {
		if w := isWide(r); w != wide {
			if i > 0 {
				out = append(out, s[start:i])
				start = i
			}
			wide = w
		}
	}
	return append(out, s[start:])
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
