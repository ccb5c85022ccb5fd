package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"cmem/memory"
	"cmem/store"
)

const (
	// maxTerms bounds the words by which neighbours are looked for, and thereby what
	// looking costs: a word that is common in a large store is the last one.
	maxTerms = 4
	// termHits is how many observations are taken of each word.
	termHits = 40
	// maxTermText bounds the bytes of a field that are looked at for words.
	maxTermText = 4096
	// maxTermFiles bounds the files whose names are looked at.
	maxTermFiles = 20
)

// Related gives active observations that are about the same as o, those of its own
// project first, best first, without o itself: at most limit, 0 meaning
// DefaultLimit. They share its rarest words: names of code and files, a term, a
// long word of the title. Keyword of a hit is that of the search that found it. The
// same store gives the same neighbours.
func Related(ctx context.Context, src Searcher, o memory.Observation, limit int) ([]memory.Hit, error) {
	if limit <= 0 {
		limit = DefaultLimit
	}
	var related []memory.Hit
	met := map[int64]bool{o.ID: true}
	for _, text := range searches(terms(o)) {
		if len(related) >= limit {
			break // the rarer words say enough
		}
		// No filter by project: in a large store it makes a search for a word that is
		// common elsewhere slow.
		found, err := src.Search(ctx, text, memory.Filter{}, termHits)
		if errors.Is(err, store.ErrEmptyQuery) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("search for what is related to observation %d: %w", o.ID, err)
		}
		for _, h := range found {
			if id := h.Observation.ID; !met[id] {
				met[id] = true
				related = append(related, h)
			}
		}
	}
	// What shares the rarer words was found first, and stays so.
	slices.SortStableFunc(related, func(a, b memory.Hit) int {
		return cmp.Compare(distance(o.Project, a.Observation), distance(o.Project, b.Observation))
	})
	return related[:min(limit, len(related))], nil
}

// distance is 0 for an observation of the project, or of any where it is empty, 1
// for others.
func distance(project string, o memory.Observation) int {
	if project == "" || project == o.Project {
		return 0
	}
	return 1
}

// searches gives what to search for until there is enough: the two rarest words
// together, then each alone. A space at the end says that the last word is whole.
func searches(words []string) []string {
	var out []string
	if len(words) > 1 {
		out = append(out, words[0]+" "+words[1]+" ")
	}
	for _, w := range words {
		out = append(out, w+" ")
	}
	return out
}

// term is a word to look for, and how rare it can be expected to be.
type term struct {
	word string
	rare int
}

// terms gives the words of o that are likely to be rare, at most maxTerms: names
// of code before files before terms in a wide script before plain long words.
func terms(o memory.Observation) []string {
	var all []term
	for _, s := range slices.Concat([]string{o.Title}, o.Concepts) {
		all = append(all, termsOf(s)...)
	}
	files := o.FilesModified
	if len(files) == 0 {
		files = o.FilesRead
	}
	for _, f := range files[:min(len(files), maxTermFiles)] {
		base := path.Base(strings.ReplaceAll(f, `\`, "/"))
		all = append(all, termsOf(strings.TrimSuffix(base, path.Ext(base)))...)
	}
	slices.SortStableFunc(all, func(a, b term) int { return cmp.Compare(b.rare, a.rare) })
	var words []string
	for _, t := range all {
		if len(words) < maxTerms && !slices.Contains(words, t.word) {
			words = append(words, t.word)
		}
	}
	return words
}

// How rare the kinds of words are expected to be; the length counts on.
const (
	rareName     = 1000
	rareWide     = 500
	rarePlain    = 0
	shortestTerm = 4  // letters of a plain word
	longestTerm  = 64 // runes of any
)

// termsOf finds the words of a text that are worth looking for.
//
// A name is written as one run of small letters, order_service and orderService
// as orderservice, under which the index has all its spellings: a single word is
// found much faster than a phrase of common ones.
func termsOf(s string) []term {
	if len(s) > maxTermText {
		s = strings.ToValidUTF8(s[:maxTermText], "")
	}
	var out []term
	for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return !isWordRune(r) && r != '_' && r != '-' }) {
		w = strings.Trim(w, "_-")
		if strings.ContainsFunc(w, isHan) {
			for _, t := range wideTerms(w) {
				out = append(out, term{t, rareWide + utf8.RuneCountInString(t)})
			}
			out = append(out, termsOf(strings.Map(func(r rune) rune {
				if isHan(r) {
					return ' '
				}
				return r
			}, w))...)
			continue
		}
		// The index joins what has single ties between its parts.
		joined := strings.ToLower(untied(w))
		switch n := utf8.RuneCountInString(joined); {
		case n > longestTerm, strings.Contains(w, "--"), strings.Contains(w, "__"):
		case isName(w) && n >= shortestTerm:
			out = append(out, term{joined, rareName + n})
		case n > shortestTerm:
			out = append(out, term{joined, rarePlain + n})
		}
	}
	return out
}

// isName reports whether w looks like a name of code: more than one part, or
// letters and digits.
func isName(w string) bool { return strings.Contains(w, "_") || len(humps(w)) > 1 }

func isHan(r rune) bool { return r >= 0x2E80 && unicode.In(r, unicode.Han) }

const (
	wideShortest = 2
	wideLongest  = 4
)

// wideTerms cuts a run of Han characters at those that only join words, and gives
// the pieces of two to four characters, of longer ones the beginning and the end.
func wideTerms(run string) []string {
	var out []string
	for piece := range strings.FieldsFuncSeq(run, func(r rune) bool { return !isHan(r) || strings.ContainsRune(joining, r) }) {
		r := []rune(piece)
		switch {
		case len(r) < wideShortest:
		case len(r) <= wideLongest:
			out = append(out, piece)
		default:
			out = append(out, string(r[:wideLongest]), string(r[len(r)-wideLongest:]))
		}
	}
	return out
}

// joining are Chinese characters that stand between words and are seldom part of one.
const joining = "的了和在是不与并把被将从为时后前会要会就都也很按改让给到"
