package llm

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clip cuts s to at most limit bytes, from the middle: 60 % of the limit is the
// head, 30 % the tail, and a mark between them says how much is missing.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head, tail := limit*6/10, len(s)-limit*3/10
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	mark := "[… " + strconv.Itoa(tail-head) + " bytes elided …]"
	if head+len(mark)+len(s)-tail > limit {
		return s[:head] // too little room for a mark and a tail
	}
	return s[:head] + mark + s[tail:]
}

// tidy makes recorded text fit to be shown to a model as data: no control
// characters, no binary, and nothing that could end the element it stands in.
func tidy(s string) string { return inert(noBinary(plain(s))) }

// plain drops terminal sequences, control characters but newline and tab,
// invisible marks such as those that turn the direction of text, private-use
// characters, and bytes that are not UTF-8.
func plain(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r == utf8.RuneError || unprintable(r) }) < 0 {
		return s
	}
	var w strings.Builder
	w.Grow(len(s))
	for i := 0; i < len(s); {
		if s[i] == 0x1b {
			i += escapeLen(s[i:])
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if (r != utf8.RuneError || n > 1) && !unprintable(r) {
			w.WriteString(s[i : i+n])
		}
		i += n
	}
	return w.String()
}

func unprintable(r rune) bool {
	switch r {
	case '\n', '\t', zwj, zwnj:
		return false
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r)
}

// The joiners of emoji sequences and of Persian and Indic words.
const (
	zwnj = '\u200c'
	zwj  = '\u200d'
)

// escapeLen gives the length of the terminal sequence that s begins with.
func escapeLen(s string) int {
	if len(s) < 2 || (s[1] != '[' && s[1] != ']') {
		return 1
	}
	for i := 2; i < len(s) && i < 256; i++ {
		switch c := s[i]; {
		case s[1] == '[' && c >= 0x40 && c <= 0x7e:
			return i + 1
		case s[1] == ']' && c == 0x07:
			return i + 1
		case s[1] == ']' && c == 0x1b && i+1 < len(s) && s[i+1] == '\\':
			return i + 2
		}
	}
	return 2
}

// inert takes the meaning from our own marks inside data: the "<" of one
// becomes "‹", which looks alike. Every other "<" stays as it is.
func inert(s string) string {
	var w strings.Builder
	from := 0
	for i := strings.IndexByte(s, '<'); i >= 0; {
		name := strings.TrimLeftFunc(s[i+1:], func(r rune) bool {
			return r == '/' || r == zwj || r == zwnj || unicode.IsSpace(r)
		})
		if len(name) >= 4 && strings.EqualFold(name[:4], "cmem") {
			w.WriteString(s[from:i] + "‹")
			from = i + 1
		}
		next := strings.IndexByte(s[i+1:], '<')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return w.String() + s[from:]
}

// minBinary is the length from which a run of base64 characters without a
// space counts as binary; longer than any name or hash.
const minBinary = 300

// noBinary puts a note in the place of base64 data.
func noBinary(s string) string {
	if len(s) < minBinary {
		return s
	}
	var w strings.Builder
	from := 0
	for i := 0; i < len(s); {
		n, content := base64Run(s[i:])
		if content >= minBinary {
			w.WriteString(s[from:i] + "[base64 data, " + strconv.Itoa(content) + " characters]")
			from = i + n
		}
		i += max(n, 1)
	}
	if from == 0 {
		return s
	}
	return w.String() + s[from:]
}

// base64Run measures the base64 data that s begins with: its length, and how
// many characters it has without line ends. Lines of 60 characters and more
// may follow one another.
func base64Run(s string) (n, content int) {
	var upper, lower, digit bool
	line := 0
	for n < len(s) {
		switch c := s[n]; {
		case c >= 'A' && c <= 'Z':
			upper = true
		case c >= 'a' && c <= 'z':
			lower = true
		case c >= '0' && c <= '9':
			digit = true
		case c == '+' || c == '/' || c == '=' || c == '-' || c == '_':
		case c == '\n' && line >= 60:
			line = -1
			content--
		default:
			return runOf(n, content, upper && lower && digit)
		}
		line++
		content++
		n++
	}
	return runOf(n, content, upper && lower && digit)
}

func runOf(n, content int, mixed bool) (int, int) {
	if !mixed {
		content = 0 // a ruler of dashes, a long word: not data
	}
	return n, content
}
