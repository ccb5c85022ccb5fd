package export

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes the characters of s harmless: invalid UTF-8 and characters that
// reorder text become U+FFFD, control characters become pictures of themselves,
// so that a file shown by `cat` cannot move the cursor. Every line break is a \n.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			return '\n'
		case r < ' ':
			return '\u2400' + r // ␀ and its neighbours, in the order of the characters
		case r == 0x7f:
			return '\u2421' // ␡
		case r > 0x7f && r < 0xa0, unicode.Is(unicode.Bidi_Control, r), r == '\uFEFF':
			return '\uFFFD'
		}
		return r
	}, s)
}

// oneLine gives s without line breaks, with single spaces.
func oneLine(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }

// inline gives s as one line of Markdown that reads as s to the letter and
// starts nothing: no heading, list, link, image, HTML or emphasis. Code between
// backticks stays code.
func inline(s string) string {
	s = oneLine(s)
	return escapeStart(escapeLine(s))
}

// escapeStart keeps a line from beginning a list or a quote.
func escapeStart(s string) string {
	if s == "" {
		return s
	}
	if strings.ContainsRune("-+=>~:|", rune(s[0])) {
		return `\` + s
	}
	if n := orderedMarker(s); n > 0 {
		return s[:n-1] + `\` + s[n-1:]
	}
	return s
}

// orderedMarker gives the length of a list number such as "12." at the
// beginning of s; 0 when there is none.
func orderedMarker(s string) int {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i == 0 || i > 9 || i == len(s) || (s[i] != '.' && s[i] != ')') {
		return 0
	}
	return i + 1
}

// codeSpan gives s as inline code, whatever backticks it has.
func codeSpan(s string) string {
	s = oneLine(s)
	fence := strings.Repeat("`", longestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || s == "" {
		s = " " + s + " "
	}
	return fence + s + fence
}

// longestRun gives the length of the longest run of c in s.
func longestRun(s string, c byte) int {
	longest, n := 0, 0
	for i := range len(s) {
		if s[i] != c {
			n = 0
			continue
		}
		n++
		longest = max(longest, n)
	}
	return longest
}

// block gives s, which may have paragraphs, lists, quotes and fenced code, as
// Markdown in which those stay and nothing else begins, each line after prefix.
// Code that was opened and not closed is closed; the fences are our own.
func block(s, prefix string) string {
	s = strings.Trim(clean(s), "\n")
	lines := strings.Split(s, "\n")
	var out []string
	for i := 0; i < len(lines); {
		fence, ok := openFence(lines[i])
		if !ok {
			out = append(out, escapeBlockLine(lines[i]))
			i++
			continue
		}
		end := i + 1
		for end < len(lines) && !fence.closedBy(lines[end]) {
			end++
		}
		out = append(out, fence.render(lines[i+1:end])...)
		i = end + 1
	}

	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	var b strings.Builder
	blank := true // two blank lines in a row say no more than one
	for _, line := range out {
		if line == "" && blank {
			continue
		}
		blank = line == ""
		b.WriteString(strings.TrimRight(prefix+line, " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// A fence is the opening line of fenced code.
type fence struct {
	indent int
	mark   byte
	length int
	info   string
}

func openFence(line string) (fence, bool) {
	rest := strings.TrimLeft(line, " \t")
	f := fence{indent: len(line) - len(rest)}
	if rest == "" || (rest[0] != '`' && rest[0] != '~') {
		return f, false
	}
	f.mark = rest[0]
	after := strings.TrimLeft(rest, string(f.mark))
	f.length = len(rest) - len(after)
	if f.length < 3 || (f.mark == '`' && strings.Contains(after, "`")) {
		return f, false
	}
	if words := strings.Fields(after); len(words) > 0 {
		f.info = strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("+-_.#", r) {
				return r
			}
			return -1
		}, words[0])
	}
	return f, true
}

func (f fence) closedBy(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= f.length && strings.Trim(line, string(f.mark)) == ""
}

// render gives the code between fences longer than any run of backticks in it,
// apart from what stands before and after.
func (f fence) render(code []string) []string {
	marks := strings.Repeat("`", max(3, longestRun(strings.Join(code, "\n"), '`')+1))
	out := []string{"", marks + f.info}
	for _, line := range code {
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		line = line[min(indent, f.indent):]
		if line == "" {
			line = " " // blank lines of code stay, those of text are joined
		}
		out = append(out, line)
	}
	return append(out, marks, "")
}

// escapeBlockLine escapes a line that may begin with list and quote markers.
func escapeBlockLine(line string) string {
	line = strings.TrimRight(strings.ReplaceAll(line, "\t", "    "), " ")
	start := markers(line)
	rest := line[start:]
	// A line of dashes would make the one above it a heading or a table; a colon
	// at the beginning defines a term, for some readers.
	if rest != "" && (rest[0] == ':' || strings.Trim(rest, "-=:| ") == "") {
		return line[:start] + `\` + escapeLine(rest)
	}
	return line[:start] + escapeLine(rest)
}

// markers gives the length of the list and quote markers at the beginning of line.
func markers(line string) int {
	i := 0
	for i < len(line) {
		switch c := line[i]; {
		case c == ' ' || c == '>':
			i++
		case (c == '-' || c == '*' || c == '+') && i+1 < len(line) && line[i+1] == ' ':
			i += 2
		default:
			n := orderedMarker(line[i:])
			if n == 0 || i+n >= len(line) || line[i+n] != ' ' {
				return i
			}
			i += n
		}
	}
	return i
}

// escapeLine escapes what stands in a line after its markers.
func escapeLine(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		n := 1
		switch c := s[i]; c {
		case '`':
			n = runAt(s, i)
			if end := closingRun(s, i+n, n); end > 0 && !inAddress(s, i) {
				b.WriteString(s[i:end])
				i = end
				continue
			}
			// A run that nothing closes here could be closed on a later line.
			b.WriteString(strings.Repeat("\\`", n))
		case '_', '#', '~':
			n = runAt(s, i)
			b.WriteString(escapeRun(s, i, n))
		default:
			switch {
			case c == '<' && inAddress(s, i):
				b.WriteString("&lt;")
			case special(s, i):
				b.WriteByte('\\')
				b.WriteByte(c)
			default:
				b.WriteByte(c)
			}
		}
		i += n
	}
	return b.String()
}

// special reports whether the single character at i would mean something.
func special(s string, i int) bool {
	next := byte(' ')
	if i+1 < len(s) {
		next = s[i+1]
	}
	switch s[i] {
	case '\\':
		return true
	case '<':
		return isLetter(next) || next == '/' || next == '!' || next == '?'
	case '[':
		return next == '[' || next == '^'
	case ']': // with what follows, the end of a link's text or of its definition's name
		return next == '(' || next == '[' || next == ':'
	case '$': // begins a formula in some readers, unless it is a price
		return next != ' ' && (next < '0' || next > '9')
	case '&':
		return isEntity(s[i:])
	case '%':
		return next == '%' // opens a comment in some readers
	case '*':
		return next != ' ' || (i > 0 && s[i-1] != ' ')
	}
	return false
}

// escapeRun escapes the run of n equal characters at i where it would mean something.
func escapeRun(s string, i, n int) string {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+n:])
	atStart, atEnd := i == 0, i+n == len(s)
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	switch s[i] {
	case '#': // alone it is a heading's mark
		if (atStart || before == ' ') && (atEnd || after == ' ') {
			return `\` + s[i:i+n]
		}
	case '~': // one before a word, as in ~/notes, is closed by nothing
		if n > 1 || (!atStart && before != ' ') {
			return strings.Repeat(`\~`, n)
		}
	case '_': // within a word it is a letter
		if atStart || atEnd || !word(before) || !word(after) {
			return strings.Repeat(`\_`, n)
		}
	}
	return s[i : i+n]
}

// inAddress reports whether the character at i could be taken into a web
// address before it. Readers that make addresses links take backticks and
// backslashes along, so neither starts or escapes anything there.
func inAddress(s string, i int) bool {
	word := s[strings.LastIndexByte(s[:i], ' ')+1 : i]
	return strings.Contains(word, "://") || strings.Contains(word, "www.")
}

// isEntity reports whether s begins with a character reference such as &lt; .
func isEntity(s string) bool {
	end := strings.IndexByte(s, ';')
	return end > 1 && strings.IndexFunc(s[1:end], func(r rune) bool {
		return r != '#' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	}) < 0
}

// runAt gives the length of the run of equal bytes at i.
func runAt(s string, i int) int {
	n := 1
	for i+n < len(s) && s[i+n] == s[i] {
		n++
	}
	return n
}

// closingRun gives the end of the first run of exactly n backticks from i; 0 for none.
func closingRun(s string, i, n int) int {
	for i < len(s) {
		if s[i] != '`' {
			i++
			continue
		}
		m := runAt(s, i)
		i += m
		if m == n {
			return i
		}
	}
	return 0
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
