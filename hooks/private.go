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

var privateTag = sync.OnceValue(func() *regexp.Regexp {
	// Every sign may be escaped once more: a tool's answer is often JSON within JSON.
	// A tag that its end is missing from is one all the same: when in doubt, cut.
	sign := func(plain rune) string { return fmt.Sprintf(`%s|\\u%04x`, regexp.QuoteMeta(string(plain)), plain) }
	one := func(signs ...string) string { return "(?:" + strings.Join(signs, "|") + ")" }
	space := one(`\s`, `\\+[nrt]`, `\x{a0}`, `\x{3000}`, sign(' ')) // the last two: no-break and ideographic space
	less, greater := one(sign('<'), sign('＜')), one(sign('>'), sign('＞'), "$")
	slash := one(sign('/'), sign('／'), `\\+/`)
	word := ""
	for _, r := range "private" {
		word += one(sign(r), fmt.Sprintf(`\\u%04x`, unicode.ToUpper(r)))
	}
	return regexp.MustCompile(`(?i)` + less + space + `*(` + slash + `?)` + space + `*` + word + one(one(space, slash)+`(?s:[^>＞]*?)`, "") + greater)
})

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
	var tags [][]int
	if mayHoldTag(s) {
		tags = privateTag().FindAllStringSubmatchIndex(s, -1)
	}
	if len(tags) == 0 {
		if c.depth > 0 && s != "" {
			return privateMark
		}
		return s
	}
	var out strings.Builder
	from := 0
	if c.depth > 0 {
		out.WriteString(privateMark)
	}
	for _, t := range tags {
		closing := t[2] != t[3]
		switch {
		case !closing && c.depth == 0:
			out.WriteString(s[from:t[0]])
			out.WriteString(privateMark)
			c.depth = 1
		case !closing:
			c.depth++
		case c.depth > 0:
			c.depth--
		default: // a closing tag without an opening one is dropped
			out.WriteString(s[from:t[0]])
		}
		from = t[1]
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
