package secrets

import (
	"slices"
	"strings"
)

// Mark stands in a text in place of a secret.
const Mark = "[secret]"

// Version gives the version of gitleaks that the rules come from.
func Version() string { return set().version }

// MayHold is the cheap look before Mask: where it says no there is nothing to mask.
func MayHold(text []byte) bool { return has(&set().keywords, text) }

// Mask gives text with Mark in place of every secret. Masking what is masked
// changes nothing.
func Mask(text string) string {
	for {
		masked := maskOnce(text)
		// What is left may look like a secret only now, for it stands alone. Every
		// round leaves less that is not a mark: it comes to an end.
		if masked == text {
			return text
		}
		text = masked
	}
}

func maskOnce(text string) string {
	found := set().find(text)
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
	if i := strings.LastIndex(text[:min(s.from+len(Mark)-1, len(text))], Mark); i >= 0 && i < s.from && i+len(Mark) > s.from {
		s.from = i
	}
	if i := strings.Index(text[max(s.to-len(Mark)+1, 0):], Mark); i >= 0 {
		if at := max(s.to-len(Mark)+1, 0) + i; at < s.to {
			s.to = max(s.to, at+len(Mark))
		}
	}
	return s
}

// find gives where the secrets of a text are, in no order.
func (s *ruleSet) find(text string) []span {
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
	var found []span
	for i, places := range at {
		if len(places) == 0 {
			continue
		}
		if r := &s.rules[i]; r.Named {
			found = s.findNamed(found, r, text, places)
		} else {
			found = s.findAround(found, r, text, places)
		}
	}
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
)

// findNamed tries a rule at the names that hold one of its keywords.
func (s *ruleSet) findNamed(found []span, r *rule, text string, places []int) []span {
	done, tried := 0, -1
	for _, p := range places {
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
		loc := r.expression().FindStringSubmatchIndex(text[from:min(p+namedAfter, len(text))])
		if loc == nil {
			continue
		}
		if f, ok := s.accept(r, text, from, loc); ok {
			found = append(found, f.secret)
			done = f.match.to
		}
	}
	return found
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

// findAround tries a rule in the text around its keywords.
func (s *ruleSet) findAround(found []span, r *rule, text string, places []int) []span {
	for i := 0; i < len(places); {
		from, to := max(places[i]-before, 0), min(places[i]+after, len(text))
		for i++; i < len(places) && places[i]-before <= to; i++ {
			to = min(places[i]+after, len(text))
		}
		from, to = wordBegin(text, from), wordEnd(text, to)
		for {
			n := len(found)
			reached := false
			for _, loc := range r.expression().FindAllStringSubmatchIndex(text[from:to], -1) {
				reached = reached || from+loc[1] == to
				if f, ok := s.accept(r, text, from, loc); ok {
					found = append(found, f.secret)
				}
			}
			if !reached || to == len(text) {
				break
			}
			found = found[:n]
			to = min(to+(to-from), len(text))
		}
	}
	return found
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
