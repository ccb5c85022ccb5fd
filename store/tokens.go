package store

import (
	"strings"
	"unicode"

	"cmem/memory"
)

// The tokenizer of the index, unicode61, takes every run of letters and digits
// as one word. So it neither finds the inner parts of orderService, nor the
// joined form of order_service, nor any word inside a Chinese sentence. The
// tokens column holds these words, made here; the query side (query.go) asks for
// the same ones.

// searchTokens gives the words of o that the tokenizer does not find by itself:
// parts and joined forms of identifiers, pairs of neighbours in wide scripts,
// words that stick to them, and the tags.
func searchTokens(o memory.Observation) string {
	t := tokenList{seen: map[string]bool{}}
	for _, s := range []string{o.Title, o.Subtitle, o.Narrative} {
		t.add(s)
	}
	for _, l := range [][]string{o.Facts, o.Concepts, o.FilesRead, o.FilesModified} {
		for _, s := range l {
			t.add(s)
		}
	}
	for _, tag := range o.Tags {
		t.put(clean(tag)) // no other column of the index has them
		t.add(tag)
	}
	return t.b.String()
}

// summaryTokens are those of a summary, with the names of its files, which no other
// column of the index has.
func summaryTokens(m memory.Summary) string {
	t := tokenList{seen: map[string]bool{}}
	for _, s := range []string{m.Request, m.Investigated, m.Learned, m.Completed, m.NextSteps, m.Notes} {
		t.add(s)
	}
	for _, l := range [][]string{m.FilesRead, m.FilesModified} {
		for _, s := range l {
			t.put(clean(s))
			t.add(s)
		}
	}
	return t.b.String()
}

// promptTokens are those of a prompt, of a long one of its beginning.
func promptTokens(text string) string {
	t := tokenList{seen: map[string]bool{}}
	t.add(beginningOf(text, maxIndexedPrompt))
	return t.b.String()
}

// beginningOf gives the first so many characters of a text.
func beginningOf(text string, characters int) string {
	for i := range text {
		if characters--; characters < 0 {
			return text[:i]
		}
	}
	return text
}

type tokenList struct {
	b    strings.Builder
	seen map[string]bool
}

// put adds a phrase once: its words stand next to each other.
func (t *tokenList) put(phrase string) {
	if phrase == "" || t.seen[phrase] {
		return
	}
	t.seen[phrase] = true
	if t.b.Len() > 0 {
		t.b.WriteByte(' ')
	}
	t.b.WriteString(phrase)
}

func (t *tokenList) add(s string) {
	for _, c := range compounds(clean(s)) {
		if len(c.atoms) > 1 && c.tied {
			t.put(strings.ToLower(strings.Join(c.atoms, "")))
		}
		for _, atom := range c.atoms {
			runs := splitScripts(atom)
			for _, run := range runs {
				switch {
				case run.wide:
					t.put(strings.Join(bigrams(run.text), " "))
				case len(runs) > 1:
					t.put(strings.ToLower(run.text))
				}
				if parts := identifierParts(run.text); !run.wide && len(parts) > 0 {
					t.put(strings.ToLower(strings.Join(parts, " ")))
				}
			}
		}
	}
}

// compound is a word as a person writes it: atoms (runs of letters and digits),
// tied when only single - or _ stand between them.
type compound struct {
	atoms []string
	tied  bool
}

// compounds finds the words of s. Atoms with a single - or _ between them belong
// to one tied compound; any other character ends it.
func compounds(s string) []compound {
	var out []compound
	var cur compound
	start, gap := -1, ""
	flush := func() {
		if len(cur.atoms) > 0 {
			out = append(out, cur)
		}
		cur = compound{}
	}
	atom := func(text string) {
		if len(cur.atoms) > 0 && gap != "_" && gap != "-" {
			flush()
		}
		cur.atoms = append(cur.atoms, text)
		cur.tied = len(cur.atoms) > 1
		gap = ""
	}
	for i, r := range s {
		if isWordRune(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			atom(s[start:i])
			start = -1
		}
		gap += string(r)
		if len(gap) > 1 {
			gap = "other" // long enough to be no tie
		}
	}
	if start >= 0 {
		atom(s[start:])
	}
	flush()
	return out
}

// isWordRune reports whether the tokenizer takes r as a part of a word.
func isWordRune(r rune) bool {
	if r < 0x80 {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || unicode.Is(unicode.Co, r)
}

// isWide reports whether r belongs to a script that is written without spaces
// between words, or in which endings stick to the words.
func isWide(r rune) bool {
	return r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r == 'ー'
}

type scriptRun struct {
	text string
	wide bool
}

// splitScripts cuts an atom where wide script and other letters meet: 用Redis缓存.
func splitScripts(atom string) []scriptRun {
	var runs []scriptRun
	start := 0
	wide := false
	for i, r := range atom {
		w := isWide(r)
		if i > 0 && w != wide {
			runs = append(runs, scriptRun{atom[start:i], wide})
			start = i
		}
		wide = w
	}
	return append(runs, scriptRun{atom[start:], wide})
}

// bigrams gives the overlapping pairs of neighbours, and the last character by
// itself, so that each character is the beginning of a token: 数据库 gives 数据 据库 库.
func bigrams(s string) []string {
	r := []rune(s)
	out := make([]string, 0, len(r))
	for i := range len(r) - 1 {
		out = append(out, string(r[i:i+2]))
	}
	return append(out, string(r[len(r)-1]))
}

// identifierParts cuts an atom at humps and between letters and digits:
// parseHTTPRequest2 gives parse HTTP Request. A part of one rune says nothing
// and is left out.
func identifierParts(atom string) []string {
	r := []rune(atom)
	var parts []string
	start := 0
	for i := 1; i <= len(r); i++ {
		if i < len(r) && !isHump(r, i) {
			continue
		}
		if i-start > 1 {
			parts = append(parts, string(r[start:i]))
		}
		start = i
	}
	if len(parts) == 1 && len([]rune(parts[0])) == len(r) {
		return nil // the atom itself
	}
	return parts
}

// isHump reports whether a part of an identifier begins at r[i], i > 0.
func isHump(r []rune, i int) bool {
	before, here := r[i-1], r[i]
	switch {
	case unicode.IsDigit(before) != unicode.IsDigit(here):
		return true
	case unicode.IsUpper(here) && unicode.IsLower(before):
		return true
	case unicode.IsUpper(before) && unicode.IsUpper(here):
		return i+1 < len(r) && unicode.IsLower(r[i+1]) // the R of HTTPRequest
	}
	return false
}
