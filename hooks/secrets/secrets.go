package secrets

import (
	"slices"
	"strings"
)

// Mark stands in a text in place of a secret.
const Mark = "[secret]"

// MayHold is the cheap look before Mask: where it says no there is nothing to mask.
func MayHold(text []byte) bool { return has(&set().keywords, text) }

// Mask gives text with Mark in place of every secret. Masking what is masked
// changes nothing. A text that is nothing but what secrets begin with would take its
// time; of such a one whole lines are masked.
func Mask(text string) string {
	left := effort(len(text))
	for {
		masked := maskOnce(text, &left)
		// What is left may look like a secret only now, for it stands alone. Every
		// round leaves less that is not a mark: it comes to an end.
		if masked == text {
			return text
		}
		text = masked
	}
}

// effort is how many bytes expressions may be given for a text of n bytes. Ordinary
// ones take a few for each, JSON that is all names of keys eight.
func effort(n int) int {
	const (
		perByte = 16
		always  = 256 << 10
	)
	return always + perByte*n
}

func maskOnce(text string, left *int) string {
	found := set().find(text, left)
	if len(found) == 0 {
		return text
	}
	for i := range found {
		found[i] = withMarks(text, found[i])
	}
	slices.SortFunc(found, func(a, b span) int { return a.from - b.from })
	var out strings.Builder
	done := 0
	for i := 0; i < len(found); {
		from, to := found[i].from, found[i].to
		for i++; i < len(found) && found[i].from <= to; i++ {
			to = max(to, found[i].to)
		}
		out.WriteString(text[done:from])
		out.WriteString(Mark)
		done = to
	}
	out.WriteString(text[done:])
	return out.String()
}

// withMarks widens a span so that it cuts no mark in two.
func withMarks(text string, s span) span {
	const reach = len(Mark) - 1 // a mark that an end cuts begins less than this before it
	low := max(s.from-reach, 0)
	if i := strings.LastIndex(text[low:min(s.from+reach, len(text))], Mark); i >= 0 && low+i < s.from && low+i+len(Mark) > s.from {
		s.from = low + i
	}
	low = max(s.to-reach, 0)
	if i := strings.Index(text[low:min(s.to+reach, len(text))], Mark); i >= 0 && low+i < s.to {
		s.to = max(s.to, low+i+len(Mark))
	}
	return s
}

// find gives where the secrets of a text are, in no order, and takes from left what it
// took. When that is used up, every line with a keyword is one.
func (s *ruleSet) find(text string, left *int) []span {
	var at [][]int
	find(&s.keywords, text, func(w word, i int) bool {
		if at == nil {
			at = make([][]int, len(s.rules))
		}
		for _, r := range w.of {
			at[r] = append(at[r], i)
		}
		return true
	})
	if at == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := search{set: s, text: text, left: left}
	for i, places := range at {
		if len(places) == 0 {
			continue
		}
		if r := &s.rules[i]; r.Named {
			f.named(r, places)
		} else {
			f.around(r, places)
		}
		if *left <= 0 {
			return s.lines(text)
		}
	}
	return f.found
}

// lines gives the lines with a keyword, and after it as far as what is named may stand.
func (s *ruleSet) lines(text string) []span {
	var found []span
	done := 0
	find(&s.keywords, text, func(_ word, p int) bool {
		if p < done {
			return true
		}
		from := done + strings.LastIndexByte(text[done:p], '\n') + 1
		done = min(p+namedAfter, len(text))
		if i := strings.IndexByte(text[done:], '\n'); i >= 0 {
			done += i
		} else {
			done = len(text)
		}
		found = append(found, span{from, done})
		return true
	})
	return found
}

const (
	// A name has up to so much before its keyword, and so much after that belongs to a
	// secret that is named.
	nameBefore = 50
	namedAfter = 512
	// What a match may have before and after its keyword. It may have more after it,
	// which is found by its reaching the end.
	before = 256
	after  = 1024
	// Keywords that are so near to each other are looked at in one piece. What a match
	// costs grows with the piece, not with the text.
	together = 4096
)

// search looks for the secrets of a text.
type search struct {
	set   *ruleSet
	text  string
	left  *int // bytes that may be given to expressions
	found []span
}

// try looks for the first match of a rule in the text from one place to another.
func (f *search) try(r *rule, from, to int) []int {
	*f.left -= to - from
	return r.expression().FindStringSubmatchIndex(f.text[from:to])
}

// named tries a rule at the names that hold one of its keywords.
func (f *search) named(r *rule, places []int) {
	text := f.text
	done, tried := 0, -1
	for _, p := range places {
		if *f.left <= 0 {
			return
		}
		if p < done || !isGiven(text[p:min(p+namedAfter, len(text))]) {
			continue
		}
		from := p
		for from > done && p-from < nameBefore && inName(text[from-1]) {
			from--
		}
		if from == tried || from > 0 && text[from-1] == '/' {
			continue // with another keyword of the same name, or a path is no name
		}
		tried = from
		loc := f.try(r, from, min(p+namedAfter, len(text)))
		if loc == nil {
			continue
		}
		if s, ok := f.set.accept(r, text, from, loc); ok {
			f.found = append(f.found, s.secret)
			done = s.match.to
		}
	}
}

// isGiven is the cheap look whether the name at the beginning of s is given
// something that is long enough to be a secret.
func isGiven(s string) bool {
	const shortest = 6
	const longest = 60 // the rest of a name
	i := 0
	for ; i < len(s) && i < longest && (inName(s[i]) || s[i] == ' ' || s[i] == '\t'); i++ {
	}
	for ; i < len(s) && inQuotes(s[i]); i++ {
	}
	op := i
	for ; i < len(s) && strings.IndexByte("=:>,|?", s[i]) >= 0; i++ {
	}
	if i == op {
		return false
	}
	for ; i < len(s) && (inQuotes(s[i]) || s[i] == '='); i++ {
	}
	from := i
	for ; i < len(s) && i < from+shortest; i++ {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"'`\\,;|<>{}()[]", c) >= 0 {
			return false
		}
	}
	return i == from+shortest
}

// inQuotes reports whether c may stand between a name, what gives, and what is given.
func inQuotes(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', '\f', '"', '\'', '`', '\\':
		return true
	}
	return false
}

func inName(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' || c == '.' || c == '-'
}

// around tries a rule in the text around its keywords.
func (f *search) around(r *rule, places []int) {
	done := 0 // no match begins before
	for i := 0; i < len(places); {
		first := places[i]
		if first < done {
			i++ // it is in a match
			continue
		}
		to := min(first+after, len(f.text))
		for i++; i < len(places) && places[i]-before <= to && places[i]-first < together; i++ {
			to = min(places[i]+after, len(f.text))
		}
		from := max(wordBegin(f.text, max(first-before, 0)), done)
		done = max(done, f.within(r, from, wordEnd(f.text, to)))
	}
}

// within takes the matches of a rule in a piece of the text, which grows when one
// reaches its end, and gives where the last one ends.
func (f *search) within(r *rule, from, to int) (end int) {
	known := len(f.found)
	for at := from; at < to && *f.left > 0; {
		loc := f.try(r, at, to)
		if loc == nil {
			break
		}
		end = at + loc[1]
		if end == to && to < len(f.text) {
			f.found, at, to = f.found[:known], from, min(to+(to-from), len(f.text))
			continue
		}
		if s, ok := f.set.accept(r, f.text, at, loc); ok {
			f.found = append(f.found, s.secret)
		}
		at = max(end, at+1)
	}
	return end
}

// wordBegin goes back to the beginning of a word, so that none is cut in two.
func wordBegin(text string, at int) int {
	for n := 0; at > 0 && n < before && inName(text[at-1]); n++ {
		at--
	}
	return at
}

// wordEnd goes on to the end of a word; tokens have thousands of signs.
func wordEnd(text string, at int) int {
	const far = 16 << 10
	for n := 0; at < len(text) && n < far && inName(text[at]); n++ {
		at++
	}
	return at
}
