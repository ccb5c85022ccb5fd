package local

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// head gives the first n bytes of s, cut at a character.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// clip cuts s to at most n terminal cells, at a word where there is one nearby,
// and ends it with "…". An identifier is dropped rather than cut in two.
func clip(s string, n int) string {
	if cells(s) <= n {
		return s
	}
	width, cut, space := 0, 0, 0
	for i, r := range s {
		w := 1
		if wide(r) {
			w = 2
		}
		if width+w > n-1 {
			break
		}
		if r == ' ' || w == 2 {
			space = i
			if w == 2 {
				space += utf8.RuneLen(r)
			}
		}
		width += w
		cut = i + utf8.RuneLen(r)
	}
	if space > cut/2 {
		cut = space
	}
	return strings.TrimRight(s[:cut], " ,;:.<>=&|+-–—(（，；：。、/\"'`“‘") + "…"
}

// clipTitle cuts a title to n cells, rather at the end of a part of the sentence
// than in the middle of one.
func clipTitle(s string, n int) string {
	if cells(s) <= n {
		return s
	}
	width, best := 0, 0
	prev := ' '
	for i, r := range s {
		before := prev
		prev = r
		width++
		if wide(r) {
			width++
		}
		if width > n {
			break
		}
		if width < n*2/5 {
			continue
		}
		rest := s[i:]
		if strings.ContainsRune("，；：。", r) || strings.HasPrefix(rest, ", ") || strings.HasPrefix(rest, "; ") || strings.HasPrefix(rest, ": ") || strings.HasPrefix(rest, " — ") || strings.HasPrefix(rest, " (") && (unicode.IsLetter(before) || unicode.IsDigit(before)) || strings.HasPrefix(rest, ". ") {
			best = i
		}
	}
	if best > 0 {
		return strings.TrimRight(s[:best], " ,;:")
	}
	return clip(s, n)
}

var (
	ansiCodes   = newPattern("\x1b(?:\\[[0-9;?]*[\x20-\x2f]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\-_])")
	spaces      = newPattern(`\s+`)
	fencedBlock = newPattern("(?s)```.*?(?:```|$)")
	hostBlock   = newPattern(`(?is)<(?:system-reminder|local-command-stdout|local-command-caveat|command-message|bash-stdout|bash-stderr|task-id|tool-use-id|output-file|note|usage|status|ide_opened_file|ide_selection)>.*?</[a-z_-]+>`)
	markupTag   = newPattern(`</?[a-z][a-z_-]*(?: [^<>]*)?>`)
	listMark    = newPattern(`^\s*(?:[-*+•]|\d{1,2}[.)、]|#{1,6}|>)\s+(?:\[[ xX]\]\s+)?`)
	linkMarkup  = newPattern(`\[([^\][]{1,200})\]\([^()\s]{1,400}\)`)
)

// plain removes terminal codes and other control characters but newlines and tabs.
func plain(s string) string {
	if strings.ContainsRune(s, '\x1b') {
		s = ansiCodes.ReplaceAllString(s, "")
	}
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if r == utf8.RuneError || unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
}

// oneLine makes s a single line of plain text.
func oneLine(s string) string {
	return strings.TrimSpace(spaces.ReplaceAllString(plain(s), " "))
}

// prose makes Markdown plain text: fenced code, emphasis, tables and link targets
// are dropped, lines kept.
func prose(s string) string {
	s = fencedBlock.ReplaceAllString(plain(head(s, 32<<10)), "\n")
	s = linkMarkup.ReplaceAllString(s, "$1")
	s = strings.ReplaceAll(s, "**", "")
	s = strings.ReplaceAll(s, "__init__", "\x01")
	var out []string
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		if t := strings.TrimSpace(line); strings.HasPrefix(t, "|") || strings.Trim(t, "-=*_ ") == "" {
			continue
		}
		out = append(out, line)
	}
	return strings.ReplaceAll(strings.Join(out, "\n"), "\x01", "__init__")
}

// personsWords keeps of a prompt what the person wrote: without what the host put
// around it, pasted code and pasted logs.
func personsWords(prompt string) string {
	s := hostBlock.ReplaceAllString(head(prompt, 32<<10), " ")
	s = markupTag.ReplaceAllString(s, " ")
	s = prose(s)
	var out []string
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if line == "" || looksPasted(line) {
			continue
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

var pastedLine = newPattern(`^(?:at \S+ ?\(|File "|\s*\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|Traceback|goroutine \d+ |\+\+\+ |--- a/|diff --git|@@ |\$ \S|[{}\])]+[;,]?$)`)

// looksPasted reports whether a line of a prompt is log, stack or code.
func looksPasted(line string) bool {
	return pastedLine.MatchString(line) || len(line) > 1500 && !strings.Contains(line, " ")
}

// unmark removes list marks and quotes around a sentence.
func unmark(s string) string {
	s = listMark.ReplaceAllString(s, "")
	return strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "*_"))
}

var abbreviations = map[string]bool{"e.g": true, "i.e": true, "etc": true, "vs": true, "cf": true, "approx": true, "resp": true, "mr": true, "dr": true}

// sentences splits text into sentences, at most limit of them. A dot inside
// an identifier, a path or a number does not end one.
func sentences(s string, limit int) []string {
	var out []string
	for line := range strings.Lines(s) {
		line = unmark(line)
		start := 0
		for i, r := range line {
			if len(out) >= limit {
				return out
			}
			end := i + utf8.RuneLen(r)
			switch r {
			case '。', '！', '？':
			case '.', '!', '?':
				rest := line[end:]
				if rest != "" && rest[0] != ' ' && !(strings.HasPrefix(rest, ")") || strings.HasPrefix(rest, "\"")) {
					continue
				}
				word := line[start:i]
				word = word[strings.LastIndexAny(word, " (")+1:]
				if r == '.' && (abbreviations[strings.ToLower(word)] || i == start) {
					continue
				}
			default:
				continue
			}
			if t := strings.TrimSpace(line[start:end]); t != "" {
				out = append(out, t)
			}
			start = end
		}
		if t := strings.TrimSpace(line[min(start, len(line)):]); len(t) > 1 && len(out) < limit {
			out = append(out, t)
		}
	}
	return out
}

// ended gives s with a full stop of its language, when it has no end mark yet.
func ended(l language, s string) string {
	s = strings.TrimRight(s, " ,;，；、")
	if s == "" {
		return ""
	}
	if r, _ := utf8.DecodeLastRuneInString(s); strings.ContainsRune(".!?。！？…", r) {
		return s
	}
	if s[len(s)-1] == ':' {
		s = s[:len(s)-1]
	}
	return s + l.say(".", "。")
}

// unended removes the end mark of a sentence that becomes a title.
func unended(s string) string {
	return strings.TrimRight(strings.TrimSpace(s), ".。!！;；:：,， ")
}

// upperFirst makes the first letter of a plain English word upper case. An
// identifier or a path is kept to the letter.
func upperFirst(s string) string {
	word, _, _ := strings.Cut(s, " ")
	if word == "" || word[0] < 'a' || word[0] > 'z' || identifierLike(strings.TrimRight(word, ",:;.")) {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// lowerFirst undoes a capital at the start of a sentence.
func lowerFirst(s string) string {
	word, _, _ := strings.Cut(s, " ")
	if len(word) < 2 || word[0] < 'A' || word[0] > 'Z' || identifierLike(word) || strings.ToUpper(word) == word {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

var identifier = newPattern(`[\p{L}_$][\p{L}\p{N}_$]*(?:(?:[./:-]|::)[\p{L}\p{N}_$*]+)*(?:\(\))?|\d[\w.]*`)

// identifierLike reports whether a word is rather a name from code than one of
// prose: an inner capital, an underscore, a path, a dot, a digit, a call.
func identifierLike(w string) bool {
	w = strings.Trim(w, "`'\"")
	if len(w) < 2 || w == "e.g" || w == "i.e" {
		return false
	}
	lower, inner := false, false
	for i, r := range w {
		switch {
		case r == '_' || r == '/' && i > 0 && len(w) > 3, r == '(' && i > 0, unicode.IsDigit(r), r == '.' && i > 0 && i < len(w)-1:
			return true
		case r == ':' && strings.Contains(w, "::"):
			return true
		case unicode.IsUpper(r) && i > 0 && lower:
			inner = true
		case unicode.IsLower(r):
			lower = true
		}
	}
	if inner {
		return true
	}
	return len(w) > 3 && strings.ToUpper(w) == w && !hasHan(w) && strings.IndexFunc(w, unicode.IsUpper) == 0
}

// identifiersIn gives the distinct code-like words of s, in order, at most limit.
func identifiersIn(s string, limit int) []string {
	var out []string
	seen := map[string]bool{}
	for _, w := range identifier.FindAllString(head(s, 16<<10), 2000) {
		if !identifierLike(w) || seen[w] {
			continue
		}
		seen[w] = true
		if out = append(out, w); len(out) == limit {
			break
		}
	}
	return out
}

// hasWord reports whether w stands in s as a whole word; case counts.
func hasWord(s, w string) bool {
	if w == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(s[from:], w)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+len(w):])
		if !wordRune(before) && !wordRune(after) {
			return true
		}
		from = i + len(w)
	}
}

func wordRune(r rune) bool {
	return r != utf8.RuneError && r < 0x2E80 && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
}

// appendNew appends the values that list does not have yet, up to limit in all.
func appendNew(list []string, limit int, values ...string) []string {
next:
	for _, v := range values {
		if v == "" || len(list) >= limit {
			continue
		}
		for _, have := range list {
			if have == v {
				continue next
			}
		}
		list = append(list, v)
	}
	return list
}

// enumerate joins names as prose does: "a, b and c".
func enumerate(l language, names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	if l == chinese {
		return strings.Join(names, "、")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
