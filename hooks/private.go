package hooks

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"cmem/hooks/early"
)

// privateMark stands in a stored text where a private part was cut.
const privateMark = "[private]"

// mayHoldPrivate is the cheap look that lets nearly every payload pass without
// being taken apart: it holds nothing like a `<private`, and no escape that could
// hide one.
func mayHoldPrivate(raw []byte) bool {
	for rest := raw; ; {
		i := bytes.IndexByte(rest, '<')
		if i < 0 {
			break
		}
		rest = rest[i+1:]
		if early.IsPrivateTag(rest) {
			return true
		}
	}
	for rest := raw; ; {
		i := bytes.Index(rest, []byte(wideLess))
		if i < 0 {
			break
		}
		rest = rest[i+len(wideLess):]
		if early.IsPrivateTag(rest) {
			return true
		}
	}
	for rest := raw; ; {
		i := bytes.Index(rest, []byte(`\u`))
		if i < 0 {
			return false
		}
		rest = rest[i+2:]
		if early.HidesTag(rest) {
			return true
		}
	}
}

// wideLess is the bracket as Chinese and Japanese keyboards give it.
const wideLess = "＜"

// privateTag is how a tag begins: up to its end, where that follows the name at once,
// or else up to the sign after the name.
var privateTag = sync.OnceValue(func() *regexp.Regexp {
	less, greater := one(sign('<'), sign('＜')), one(sign('>'), sign('＞'), "$")
	space := one(`\s`, `\\+[nrtf]`, `\x{a0}`, `\x{3000}`, sign(' ')) // the last two: no-break and ideographic space
	slash := one(sign('/'), sign('／'), `\\+/`)
	word := ""
	for _, r := range "private" {
		word += one(sign(r), fmt.Sprintf(`\\u%04x`, unicode.ToUpper(r)))
	}
	return regexp.MustCompile(`^(?i)` + less + space + `*(` + slash + `?)` + space + `*` + word + `(?:(` + greater + `)|` + space + `|` + slash + `)`)
})

// tagEnd is where a tag ends.
var tagEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)` + one(sign('>'), sign('＞'))) })

// sign is the expression for a sign. It may be escaped once more: a tool's answer is
// often JSON within JSON.
func sign(plain rune) string {
	return fmt.Sprintf(`%s|\\u%04x`, regexp.QuoteMeta(string(plain)), plain)
}

func one(signs ...string) string { return "(?:" + strings.Join(signs, "|") + ")" }

// tag is a tag in a text.
type tag struct {
	from, to int
	closing  bool
}

// beginningAt matches privateTag at the start of s. What is looked at is short, since
// looking has a cost by the length; it is all of s only where nothing but space came.
func beginningAt(s string) []int {
	const enough = 256
	head := s[:min(len(s), enough)]
	m := privateTag().FindStringSubmatchIndex(head)
	if len(head) < len(s) && (m == nil && strings.Trim(head[1:], "nrtfuU0123456789aAcCdD \t\r\n\f\\/\u00a0\u3000＜／") == "" || m != nil && m[1] == len(head)) {
		m = privateTag().FindStringSubmatchIndex(s)
	}
	return m
}

// tagsIn gives the tags of a text. It looks only where one may begin, for a tag in a
// long text must not make all of it slow. A tag that its end is missing from is one all
// the same: when in doubt, cut.
func tagsIn(s string) (tags []tag) {
	begins := [...]string{"<", wideLess, `\u`, `\U`}
	next := [len(begins)]int{}
	for i := range next {
		next[i] = -1 // not looked for yet
	}
	for from := 0; from < len(s); {
		at := len(s)
		for i, begin := range begins {
			if next[i] < from {
				next[i] = len(s)
				if k := strings.Index(s[from:], begin); k >= 0 {
					next[i] = from + k
				}
			}
			at = min(at, next[i])
		}
		if at == len(s) {
			break
		}
		m := beginningAt(s[at:])
		if m == nil {
			from = at + 1
			continue
		}
		t := tag{from: at, to: at + m[1], closing: m[2] != m[3]}
		if m[4] < 0 { // the end does not follow at once
			if end := tagEnd().FindStringIndex(s[t.to:]); end != nil {
				t.to += end[1]
			} else {
				t.to = len(s)
			}
		}
		tags = append(tags, t)
		from = t.to
	}
	return tags
}

// privateCutter cuts what stands between <private> and </private>. Tags nest. What
// a tag opens in one text another may close: cut is given the texts of a payload in
// order and remembers that it is inside. What is never closed is private to the end.
type privateCutter struct{ depth int }

// inside reports whether what comes next is private.
func (c *privateCutter) inside() bool { return c.depth > 0 }

// mayHoldTag is the cheap look before a text is searched for tags.
func mayHoldTag(s string) bool {
	if !strings.ContainsAny(s, `<\`) && !strings.Contains(s, wideLess) {
		return false
	}
	return strings.Contains(s, `\u`) || strings.Contains(s, `\U`) || strings.Contains(strings.ToLower(s), "private")
}

func (c *privateCutter) cut(s string) string {
	var tags []tag
	if mayHoldTag(s) {
		tags = tagsIn(s)
	}
	if len(tags) == 0 {
		if c.depth > 0 && s != "" {
			return privateMark
		}
		return s
	}
	before := c.depth
	out := c.without(s, tags, "")
	if strings.Contains(strings.ToLower(out), "private") && len(tagsIn(out)) > 0 {
		// What stood around a dropped tag is one together, as in "<</private>private>".
		c.depth = before
		out = c.without(s, tags, privateMark)
	}
	return out
}

// without gives the text s without its tags and what is between them. A closing tag that
// none has opened becomes stray.
func (c *privateCutter) without(s string, tags []tag, stray string) string {
	var out strings.Builder
	from := 0
	if c.depth > 0 {
		out.WriteString(privateMark)
	}
	for _, t := range tags {
		switch {
		case !t.closing && c.depth == 0:
			out.WriteString(s[from:t.from])
			out.WriteString(privateMark)
			c.depth = 1
		case !t.closing:
			c.depth++
		case c.depth > 0:
			c.depth--
		default:
			out.WriteString(s[from:t.from])
			out.WriteString(stray)
		}
		from = t.to
	}
	if c.depth == 0 {
		out.WriteString(s[from:])
	}
	return out.String()
}

// whollyPrivate reports whether nothing but private parts is left of a prompt: no
// word and no number stands beside them.
func whollyPrivate(prompt string) bool {
	rest := strings.ReplaceAll(prompt, privateMark, "")
	return rest != prompt && strings.IndexFunc(rest, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) < 0
}

// isHostField reports whether a field of a payload is the host's own: it says what
// happened where, and holds nothing that a person or a tool wrote. An open tag does
// not reach into it, or nothing could be told of the event at all.
func isHostField(name string) bool {
	switch name {
	case "session_id", "transcript_path", "cwd", "prompt_id", "permission_mode", "effort", "hook_event_name", "tool_name", "tool_use_id",
		"agent_id", "agent_type", "agent_transcript_path", "source", "reason", "trigger", "model", "duration_ms", "stop_hook_active",
		"git_branch", "cmem_imported", "cmem_dropped_bytes":
		return true
	}
	return false
}

// isToolField reports whether a name is one that tools give their fields. It says
// nothing, and what is around it would lose its shape without it.
func isToolField(name string) bool {
	switch name {
	case "command", "description", "file_path", "filePath", "notebook_path", "path", "paths", "pattern", "url", "query", "prompt", "text", "content",
		"old_string", "new_string", "replace_all", "edits", "oldString", "newString", "originalFile", "structuredPatch", "lines", "oldStart", "oldLines",
		"newStart", "newLines", "file", "filenames", "type", "stdout", "stderr", "error", "result", "todos", "status", "interrupted", "mode",
		"tool_input", "tool_response", "last_assistant_message":
		return true
	}
	return false
}
