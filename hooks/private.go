package hooks

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
)

// privateMark stands in a stored text where a private part was cut.
const privateMark = "[private]"

// mayHoldPrivate is the cheap look that lets nearly every payload pass without
// being taken apart: it holds no `<private`, and no printable ASCII written as a
// \u escape, which could hide one.
func mayHoldPrivate(raw []byte) bool {
	if bytes.Contains(bytes.ToLower(raw), []byte("<private")) {
		return true
	}
	for rest := raw; ; {
		i := bytes.Index(rest, []byte(`\u00`))
		if i < 0 || i+4 >= len(rest) {
			return false
		}
		if c := rest[i+4]; c >= '2' && c <= '7' {
			return true
		}
		rest = rest[i+4:]
	}
}

var privateTag = sync.OnceValue(func() *regexp.Regexp {
	// The brackets may be escaped once more: a tool's answer is often JSON within
	// JSON. A tag that its end is missing from is one all the same: when in doubt, cut.
	return regexp.MustCompile(`(?i)(?:<|\\u003c)(/?)private(?:[\s/][^>]*?)?(?:>|\\u003e|$)`)
})

// privateCutter cuts what stands between <private> and </private>. Tags nest. A
// tag that is not closed is private to the end of its field: cut is given the
// strings of one field in order and remembers that it is inside.
type privateCutter struct{ depth int }

func (c *privateCutter) cut(s string) string {
	tags := privateTag().FindAllStringSubmatchIndex(s, -1)
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
