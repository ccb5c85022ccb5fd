package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"cmem/memory"
)

// maxMarks is how many combining marks may follow one another. No script needs
// more; a pile of hundreds would cover the rows above and below.
const maxMarks = 4

// cleanLine makes text harmless to draw in one row: nothing in it moves the
// cursor, changes the terminal, reorders its surroundings or ends the line.
func cleanLine(s string) string {
	return strings.TrimSpace(clean(s, false))
}

// cleanSnippet is cleanLine for text in which matches stand between marks, which
// it keeps.
func cleanSnippet(s string) string {
	var b strings.Builder
	for i, part := range strings.FieldsFunc(s, func(r rune) bool { return r == memory.MatchStart }) {
		word, after, marked := strings.Cut(part, string(memory.MatchEnd))
		switch {
		case i == 0 && !strings.HasPrefix(s, string(memory.MatchStart)), !marked:
			b.WriteString(clean(part, false))
		default:
			b.WriteString(string(memory.MatchStart) + clean(word, false) + string(memory.MatchEnd) + clean(after, false))
		}
	}
	return strings.TrimSpace(b.String())
}

// cleanText is cleanLine for text of several lines. Tabs become four spaces.
func cleanText(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.TrimRight(strings.TrimLeft(clean(s, true), "\n"), "\n ")
}

func clean(s string, lines bool) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	marks := 0
	space := false // a run of white space becomes one space within a line
	for i := 0; i < len(s); {
		if n := csiLen(s[i:]); n > 0 {
			i += n // colours of some tool's output: no loss
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		if unicode.In(r, unicode.Mn, unicode.Me) {
			marks++
			if marks <= maxMarks {
				b.WriteRune(r)
			}
			continue
		}
		marks = 0
		blank := r == '\t' || isNewline(r) || unicode.Is(unicode.Zs, r)
		switch {
		case blank && !lines:
			if !space {
				b.WriteByte(' ')
			}
		case isNewline(r):
			b.WriteByte('\n')
		case r == '\t':
			b.WriteString("    ")
		case r == '\u200c' || r == '\u200d': // joiners: emoji and scripts need them
			b.WriteRune(r)
		case r == '\x1b':
			b.WriteRune('␛')
		case unicode.IsControl(r):
			b.WriteRune(utf8.RuneError)
		case unicode.Is(unicode.Cf, r): // invisible: direction overrides, zero-width, tags
			continue // white space on both sides of it is one run
		case unicode.Is(unicode.Zs, r):
			b.WriteByte(' ')
		default: // invalid bytes come as utf8.RuneError
			b.WriteRune(r)
		}
		space = blank
	}
	return b.String()
}

func isNewline(r rune) bool {
	return r == '\n' || r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

// isPlain reports whether s is printable ASCII without two spaces in a row.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == ' ' && i > 0 && s[i-1] == ' ' {
			return false
		}
	}
	return true
}

// csiLen gives the length of the complete control sequence that s begins
// with, or 0. An incomplete one is not swallowed: its escape is made visible.
func csiLen(s string) int {
	if len(s) < 3 || s[0] != '\x1b' || s[1] != '[' {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 0x40 && c <= 0x7e:
			return i + 1
		case c < 0x20 || c > 0x3f:
			return 0
		}
	}
	return 0
}

func cleanLines(list []string) []string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		if s = cleanLine(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func cleanItems(items []memory.Item) []memory.Item {
	for i := range items {
		items[i].Title = cleanLine(items[i].Title)
		items[i].Subtitle = cleanLine(items[i].Subtitle)
		items[i].Type = cleanLine(items[i].Type)
		items[i].Status = memory.Status(cleanLine(string(items[i].Status)))
	}
	return items
}

func cleanObservation(o memory.Observation) memory.Observation {
	for _, s := range []*string{&o.Type, &o.Title, &o.Subtitle, &o.ToolName, &o.Compressor, &o.Model, &o.GitBranch, &o.GitCommit, &o.UID, &o.StatusReason} {
		*s = cleanLine(*s)
	}
	o.Certainty, o.Status = memory.Certainty(cleanLine(string(o.Certainty))), memory.Status(cleanLine(string(o.Status)))
	o.Narrative = cleanText(o.Narrative)
	for _, list := range []*[]string{&o.Facts, &o.Concepts, &o.FilesRead, &o.FilesModified, &o.Tags} {
		*list = cleanLines(*list)
	}
	return o
}

func cleanSummary(s memory.Summary) memory.Summary {
	for _, t := range []*string{&s.Request, &s.Investigated, &s.Learned, &s.Completed, &s.NextSteps, &s.Notes} {
		*t = cleanText(*t)
	}
	for _, t := range []*string{&s.Compressor, &s.Model, &s.UID} {
		*t = cleanLine(*t)
	}
	s.FilesRead, s.FilesModified = cleanLines(s.FilesRead), cleanLines(s.FilesModified)
	return s
}

func cleanSession(s memory.Session) memory.Session {
	for _, t := range []*string{&s.Agent, &s.CWD, &s.GitBranch, &s.Status, &s.Title} {
		*t = cleanLine(*t)
	}
	return s
}
