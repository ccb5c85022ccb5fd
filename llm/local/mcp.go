package local

import (
	"strings"

	"cmem/memory"
)

// readMCP understands the call of an MCP tool by the words of its name.
func readMCP(st *step, e memory.Event, in toolInput, answer toolAnswer) {
	_, name, _ := strings.Cut(strings.TrimPrefix(e.ToolName, "mcp__"), "__")
	server := strings.TrimSuffix(strings.TrimPrefix(e.ToolName, "mcp__"), "__"+name)
	server = server[strings.LastIndexByte(server, '_')+1:]
	subject := oneLine(first(string(in.Title), string(in.Subject), string(in.Name), string(in.Query), string(in.URL), string(in.Path)))
	for w := range strings.FieldsFuncSeq(strings.ToLower(strings.ReplaceAll(camelSplit(name), "-", "_")), func(r rune) bool { return r == '_' || r == ' ' }) {
		if changingWords[w] {
			st.act = server + " " + name
			if subject != "" {
				st.act += ": " + subject
			}
			break
		}
	}
	st.query = oneLine(first(subject, name))
	st.hits = !st.failed
	st.finding = prose(answer.words())
	if st.failed {
		st.finding = ""
	}
}

var changingWords = set("create update delete add post send write set merge close assign comment upload publish insert move rename remove apply deploy trigger approve reply")

// camelSplit puts a space before every inner capital.
func camelSplit(s string) string {
	var b strings.Builder
	for i, r := range s {
		if i > 0 && r >= 'A' && r <= 'Z' && s[i-1] >= 'a' && s[i-1] <= 'z' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}
