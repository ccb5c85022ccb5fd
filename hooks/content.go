package hooks

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// fileMark stands in a stored text in place of what a secret file holds.
const fileMark = "[secret file]"

// content says where a payload has, or may have, the content of secret files.
type content struct {
	input    bool // what the tool was given, names apart
	command  bool // the command that it was given
	response bool // what it answered, names apart
	lines    bool // single lines of what was answered, which name their file
	calls    bool // a batch of calls, names apart
}

// contentOf looks what a tool was called for. Where it is about a secret file, all
// that is said about it is taken for content.
func contentOf(f fields) content {
	var c content
	if f.text("tool_name") == "" {
		c.calls = slices.ContainsFunc(pathsIn(f["tool_calls"]), isSecretFile) || slices.ContainsFunc(commandsIn(f["tool_calls"]), showsSecrets)
		c.lines = !c.calls && f["tool_calls"] != nil
		return c
	}
	paths, commands := pathsIn(f["tool_input"]), commandsIn(f["tool_input"])
	if slices.ContainsFunc(paths, isSecretFile) {
		c.input, c.response = true, true
	}
	for _, command := range commands {
		if slices.ContainsFunc(commandWords(command), isSecretFile) {
			c.command, c.response = true, true
		} else if secretOutput().MatchString(command) {
			c.response = true
		}
	}
	if len(paths) == 0 && len(commands) == 0 {
		// What it was asked for tells nothing, what it answers may. A list of names is a
		// list of names.
		if paths := pathsIn(f["tool_response"]); len(paths) == 1 && isSecretFile(paths[0]) {
			c.response = true
		}
	}
	c.lines = !c.response && f["tool_response"] != nil
	return c
}

func showsSecrets(command string) bool {
	return slices.ContainsFunc(commandWords(command), isSecretFile) || secretOutput().MatchString(command)
}

// without gives a text under a key of a field without the content of secret files.
func (c content) without(field, key, s string) string {
	switch field {
	case "tool_input":
		switch {
		case c.command && key == "command":
			return withoutArguments(s)
		case c.input && !isPath(key, s):
			return fileMark
		}
	case "tool_response", "error":
		switch {
		case c.response && !isPath(key, s) && key != "type":
			return fileMark
		case c.lines:
			return withoutLines(s)
		}
	case "tool_calls":
		switch {
		case c.calls && !isPath(key, s) && !isHostField(key):
			return fileMark
		case c.lines:
			return withoutLines(s)
		}
	}
	return s
}

// isPathField reports whether tools put the path of a file under this key.
func isPathField(key string) bool {
	switch key {
	case "file_path", "filePath", "filepath", "notebook_path", "path", "paths", "file", "files", "filename", "filenames",
		"relative_path", "absolute_path", "source", "destination", "old_path", "new_path":
		return true
	}
	return false
}

// isPath reports whether a text under a key is the path of a file. What a file holds
// stands under such keys, too, as a list of its lines.
func isPath(key, s string) bool {
	if !isPathField(key) || strings.ContainsAny(s, "\r\n=") || strings.LastIndexByte(s, ':') > 1 { // after the letter of a drive
		return false
	}
	return isSecretFile(s) || strings.ContainsAny(s, `/\.`) && !strings.ContainsAny(s, " \t")
}

// textsUnder gives the texts in a value whose key is wanted, also those of lists.
func textsUnder(raw json.RawMessage, wanted func(key string) bool) []string {
	if len(raw) == 0 {
		return nil
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	var found []string
	var walk func(key string, v any)
	walk = func(key string, v any) {
		switch v := v.(type) {
		case string:
			if wanted(key) {
				found = append(found, v)
			}
		case []any:
			for _, x := range v {
				walk(key, x)
			}
		case map[string]any:
			for k, x := range v {
				walk(k, x)
			}
		}
	}
	walk("", v)
	return found
}

// pathsIn gives the paths of files in a value that a tool was given or gave.
func pathsIn(raw json.RawMessage) []string { return textsUnder(raw, isPathField) }

// commandsIn gives the commands in a value that a tool was given.
func commandsIn(raw json.RawMessage) []string {
	return textsUnder(raw, func(key string) bool { return key == "command" || key == "cmd" || key == "script" })
}

// commandWords gives the words of a command that may name files.
func commandWords(command string) []string {
	return strings.FieldsFunc(command, func(r rune) bool {
		switch r {
		case ' ', '\t', '\n', '\r', ';', '|', '&', '<', '>', '(', ')', '"', '\'', '`', '=', ',', '@', '{', '}':
			return true
		}
		return false
	})
}

// secretOutput finds commands whose answer is secrets.
var secretOutput = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(?:^|[;&|(` + "`" + `]|\bsudo)[ \t]*(?:` + strings.Join([]string{
		`printenv\b`, `env[ \t]*(?:$|[|;&>)])`, `export[ \t]+-p\b`, `export[ \t]*(?:$|[|;&>)])`, `set[ \t]*(?:$|[|;&>)])`, `declare[ \t]+-x\b`, `(?i:get-childitem|gci|dir|ls)[ \t]+env:`,
		`kubectl\b[^\n;|&]*\bget\b[^\n;|&]*\bsecrets?\b[^\n;|&]*-o`, `aws\b[^\n;|&]*\b(?:configure[ \t]+(?:get|export-credentials)|get-secret-value|--with-decryption|get-login-password|get-session-token|assume-role)\b`,
		`gcloud\b[^\n;|&]*\b(?:print-(?:access|identity)-token|secrets[ \t]+versions[ \t]+access)\b`, `az\b[^\n;|&]*\b(?:keyvault[ \t]+secret[ \t]+show|get-access-token)\b`,
		`vault[ \t]+(?:kv[ \t]+get|read|token)\b`, `gh[ \t]+auth[ \t]+(?:token|status)\b`, `op[ \t]+(?:read|item[ \t]+get)\b`, `pass[ \t]+(?:show[ \t]|[a-z0-9_-]+/)`,
		`security[ \t]+find-(?:generic|internet)-password\b`, `heroku[ \t]+config\b`, `doppler[ \t]+secrets\b`, `(?:sops|gpg2?)\b[^\n;|&]*[ \t](?:-d|--decrypt)\b`,
		`openssl[ \t]+(?:rand|genrsa|genpkey)\b`, `docker[ \t]+compose[ \t]+config\b`,
	}, "|") + `)`)
})

// withoutArguments gives a command that is about secret files with no more than its
// programs, flags and the names of those files: what else stands in it may be what
// they hold, as in `echo KEY=… > .env`.
func withoutArguments(command string) string {
	const gap = "…"
	if i := strings.Index(command, "<<"); i >= 0 {
		command = command[:i] // what follows is a text
	}
	var out []string
	first := true // the next word is a program
	for _, word := range strings.Fields(command) {
		bare := strings.Trim(word, `"'`)
		keep := gap
		switch {
		case slices.Contains([]string{"|", "||", "&&", ";", "&", ">", ">>", "<"}, word):
			out = append(out, word)
			first = word != ">" && word != ">>" && word != "<"
			continue
		case isSecretFile(bare), first && isProgram(bare), len(word) <= 12 && strings.HasPrefix(word, "-") && isProgram(word):
			keep = word
		}
		if keep != gap || len(out) == 0 || out[len(out)-1] != gap {
			out = append(out, keep)
		}
		first = strings.HasSuffix(word, ";")
	}
	return strings.Join(out, " ")
}

// isProgram reports whether a word has the form of a program's name, or a flag's.
func isProgram(word string) bool {
	return word != "" && strings.IndexFunc(word, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.' && r != '/'
	}) < 0
}

// withoutLines gives what a tool found in files without the lines that come out of
// secret ones: as grep writes them, as head and tail do, and in differences.
func withoutLines(s string) string {
	if !strings.ContainsAny(s, ":-<") {
		return s
	}
	var out strings.Builder
	inSecret, changed := false, false
	for line := range strings.Lines(s) {
		text := strings.TrimRight(line, "\r\n")
		end := line[len(text):]
		if name, ok := sectionName(text); ok {
			inSecret = isSecretFile(name)
			out.WriteString(line)
			if inSecret {
				out.WriteString(fileMark + "\n")
				changed = true
			}
			continue
		}
		switch name := grepName(text); {
		case inSecret:
		case name != "" && isSecretFile(name):
			out.WriteString(name + ":" + fileMark + end)
			changed = true
		default:
			out.WriteString(line)
		}
	}
	if !changed {
		return s
	}
	return out.String()
}

// sectionName gives the file that a line announces, "" for the end of its section.
func sectionName(line string) (string, bool) {
	if rest, ok := strings.CutPrefix(line, "diff --git "); ok {
		if i := strings.LastIndex(rest, " b/"); i >= 0 {
			return rest[i+3:], true
		}
		return rest, true
	}
	if rest, ok := strings.CutPrefix(line, "==> "); ok {
		return strings.CutSuffix(rest, " <==")
	}
	const commit = "commit "
	return "", len(line) >= len(commit)+40 && strings.HasPrefix(line, commit)
}

// grepName gives the file that a line of grep's comes out of: `name:…` or, around
// what was found, `name-12-…`.
func grepName(line string) string {
	const longest = 400
	head := line[:min(len(line), longest)]
	from := 0
	if len(head) > 2 && head[1] == ':' && (head[2] == '\\' || head[2] == '/') {
		from = 2 // the letter of a drive
	}
	if i := strings.IndexByte(head[from:], ':'); i > 0 && !strings.ContainsAny(head[:from+i], " \t") {
		return head[:from+i]
	}
	for i := 1; i < len(head) && head[i] != ' '; i++ {
		if head[i] != '-' {
			continue
		}
		k := i + 1
		for k < len(head) && head[k] >= '0' && head[k] <= '9' {
			k++
		}
		if k > i+1 && k < len(head) && head[k] == '-' {
			return head[:i]
		}
	}
	return ""
}
