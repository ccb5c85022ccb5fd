package local

import (
	"strings"
)

// shellParser splits a script into simple commands.
type shellParser struct {
	src      string
	pos      int
	commands []command
	cur      command
	word     strings.Builder
	inWord   bool
	op       string // the redirection that waits for its word
	after    string
	heredocs []heredoc
}

type heredoc struct {
	end     string
	tabs    bool // <<- : leading tabs are dropped
	command int  // index of the command that reads it
}

func (p *shellParser) run() {
	for p.pos < len(p.src) && len(p.commands) < maxCommands {
		p.step()
	}
	p.endCommand(";")
}

func (p *shellParser) step() {
	c := p.src[p.pos]
	rest := p.src[p.pos:]
	switch {
	case c == '\\':
		if len(rest) > 1 && rest[1] != '\n' {
			p.add(rest[1:2])
		}
		p.pos += 2
	case c == '\'':
		end := strings.IndexByte(rest[1:], '\'')
		if end < 0 {
			end = len(rest) - 1
		}
		p.add(rest[1 : 1+end])
		p.pos += end + 2
	case c == '"':
		p.doubleQuoted()
	case c == '`' || c == '$' && len(rest) > 1 && (rest[1] == '(' || rest[1] == '{') || (c == '<' || c == '>') && len(rest) > 1 && rest[1] == '(':
		end := substitutionEnd(p.src, p.pos)
		p.add(p.src[p.pos:end])
		p.pos = end
	case c == '#' && !p.inWord:
		if end := strings.IndexByte(rest, '\n'); end >= 0 {
			p.pos += end
		} else {
			p.pos = len(p.src)
		}
	case c == ' ' || c == '\t' || c == '\r':
		p.endWord()
		p.pos++
	case c == '\n':
		p.endCommand(";")
		p.pos++
		p.readHeredocs()
	case c == '(' || c == ')' || c == ';':
		p.endCommand(";")
		p.pos++
	case strings.HasPrefix(rest, "&>"):
		p.endWord()
		p.pos++
	case strings.HasPrefix(rest, "&&") || strings.HasPrefix(rest, "||"):
		p.endCommand(rest[:2])
		p.pos += 2
	case c == '&' || c == '|':
		p.endCommand(rest[:1])
		p.pos++
		if strings.HasPrefix(rest, "|&") {
			p.pos++
		}
	case c == '<' || c == '>':
		p.redirection(rest)
	default:
		end := 1
		for end < len(rest) && !strings.ContainsRune("\\'\"`$#; \t\r\n()&|<>", rune(rest[end])) {
			end++
		}
		p.add(rest[:end])
		p.pos += end
	}
}

func (p *shellParser) add(s string) {
	p.word.WriteString(s)
	p.inWord = true
}

func (p *shellParser) doubleQuoted() {
	p.inWord = true
	for p.pos++; p.pos < len(p.src); {
		switch c := p.src[p.pos]; {
		case c == '"':
			p.pos++
			return
		case c == '\\' && p.pos+1 < len(p.src):
			if next := p.src[p.pos+1]; strings.IndexByte("\"\\$`", next) >= 0 {
				p.word.WriteByte(next)
			} else if next != '\n' {
				p.word.WriteString(p.src[p.pos : p.pos+2])
			}
			p.pos += 2
		case c == '`' || c == '$' && p.pos+1 < len(p.src) && p.src[p.pos+1] == '(':
			end := substitutionEnd(p.src, p.pos)
			p.word.WriteString(p.src[p.pos:end])
			p.pos = end
		default:
			p.word.WriteByte(c)
			p.pos++
		}
	}
}

func (p *shellParser) redirection(rest string) {
	if w := p.word.String(); p.inWord && strings.Trim(w, "0123456789") == "" {
		p.word.Reset() // the number of a file descriptor
		p.inWord = false
		if w != "1" && rest[0] == '>' {
			defer func() { p.op = strings.Replace(p.op, ">", "2>", 1) }()
		}
	}
	p.endWord()
	for _, op := range []string{"<<<", "<<-", "<<", ">>", ">|", ">&", "<&", "<", ">"} {
		if !strings.HasPrefix(rest, op) {
			continue
		}
		p.pos += len(op)
		p.op = strings.TrimRight(op, "|")
		if strings.HasSuffix(op, "&") {
			after := strings.TrimLeft(p.src[p.pos:], "0123456789-")
			if n := len(p.src) - p.pos - len(after); n > 0 {
				p.pos += n
				p.op = ""
			} else {
				p.op = op[:1]
			}
		}
		return
	}
}

func (p *shellParser) endWord() {
	if !p.inWord {
		return
	}
	w := p.word.String()
	p.word.Reset()
	p.inWord = false
	switch p.op {
	case "":
		p.cur.words = append(p.cur.words, w)
	case ">", ">>":
		p.cur.writes = append(p.cur.writes, redirect{path: w, appends: p.op == ">>"})
	case "<<<":
		p.cur.stdin = w
	case "<<", "<<-":
		p.heredocs = append(p.heredocs, heredoc{end: w, tabs: p.op == "<<-", command: len(p.commands)})
	}
	p.op = ""
}

func (p *shellParser) endCommand(op string) {
	p.endWord()
	p.op = ""
	if len(p.cur.words) > 0 || len(p.cur.writes) > 0 || p.cur.stdin != "" {
		p.cur.after = p.after
		p.commands = append(p.commands, p.cur)
	}
	p.cur = command{}
	p.after = op
}

func (p *shellParser) readHeredocs() {
	for _, h := range p.heredocs {
		var body strings.Builder
		for p.pos < len(p.src) {
			line, _, _ := strings.Cut(p.src[p.pos:], "\n")
			p.pos = min(p.pos+len(line)+1, len(p.src))
			if h.tabs {
				line = strings.TrimLeft(line, "\t")
			}
			if strings.TrimRight(line, "\r") == h.end {
				break
			}
			body.WriteString(line)
			body.WriteByte('\n')
		}
		if h.command < len(p.commands) {
			p.commands[h.command].stdin = body.String()
		}
	}
	p.heredocs = nil
}

var heredocStart = newPattern(`^<<-?\s*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([A-Za-z_]\w*))`)

// substitutionEnd gives the index after the substitution that starts at i: `…`,
// $(…), ${…}, <(…). A here-document inside may hold any quote or parenthesis.
func substitutionEnd(s string, i int) int {
	if s[i] == '`' {
		if end := strings.IndexByte(s[i+1:], '`'); end >= 0 {
			return i + 1 + end + 1
		}
		return len(s)
	}
	open, closing := s[i+1], byte(')')
	if open == '{' {
		closing = '}'
	}
	depth := 0
	for i++; i < len(s); i++ {
		switch c := s[i]; c {
		case open:
			depth++
		case closing:
			if depth--; depth == 0 {
				return i + 1
			}
		case '\\':
			i++
		case '\'', '"':
			for i++; i < len(s) && s[i] != c; i++ {
				if c == '"' && s[i] == '\\' {
					i++
				}
			}
		case '<':
			m := heredocStart.FindStringSubmatch(s[i:min(i+100, len(s))])
			if m == nil {
				continue
			}
			_, end := cutHeredoc(s[i+len(m[0]):], m[1]+m[2]+m[3])
			i += len(m[0]) + end - 1
		}
	}
	return len(s)
}

// cutHeredoc gives the body of a here-document whose start has just been read,
// and the index after its end word.
func cutHeredoc(s, end string) (body string, next int) {
	from := strings.IndexByte(s, '\n')
	if from < 0 {
		return "", len(s)
	}
	for pos := from + 1; pos < len(s); {
		line, _, _ := strings.Cut(s[pos:], "\n")
		if strings.TrimSpace(line) == end {
			return s[from+1 : pos], pos + len(line)
		}
		pos += len(line) + 1
	}
	return s[from+1:], len(s)
}

// heredocIn gives the body of the first here-document inside a word such as
// "$(cat <<'EOF' … EOF)", or the word itself.
func heredocIn(word string) string {
	i := strings.Index(word, "<<")
	if i < 0 || !strings.Contains(word[:i], "$(") {
		return word
	}
	m := heredocStart.FindStringSubmatch(word[i:])
	if m == nil {
		return word
	}
	body, _ := cutHeredoc(word[i+len(m[0]):], m[1]+m[2]+m[3])
	return strings.TrimSpace(body)
}
