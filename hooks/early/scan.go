package early

// maxDepth is how deep a payload may nest before it takes the long way.
const maxDepth = 256

// call is what a payload says of itself, as it stands there: between the quotes, with
// its escapes. What is not there, or is no string, is empty.
type call struct {
	event, session, agent, tool []byte
	file                        []byte // that the tool is to open
}

// take takes in one member of the payload, or of its tool's input.
func (c *call) take(key, value []byte, ofInput bool) {
	name := string(key)
	switch {
	case ofInput && (name == "file_path" || name == "notebook_path"):
		c.file = value
	case ofInput:
	case name == "session_id":
		c.session = value
	case name == "agent_id":
		c.agent = value
	case name == "tool_name":
		c.tool = value
	}
}

// scan looks whether b is one complete JSON object that may be delivered as it
// stands, and gives what it says of itself.
//
// It is not a parser: it follows strings and brackets, which is enough to see
// that nothing was cut off and to tell a key of the payload from the same words
// inside a tool's data. What it lets through and is no JSON all the same, the
// worker puts aside. It says no to anything that it would have to interpret:
// a `<private` tag, or an escape that could hide one (no known host escapes that way);
// and to a name that is missing or doubled.
func scan(b []byte) (c call, ok bool) {
	i := skipSpace(b, 0)
	if i == len(b) || b[i] != '{' {
		return call{}, false
	}
	var (
		stack    [maxDepth]byte // the closing brackets that are due
		depth    int
		key, sub []byte // of the payload, and of an object in it
		wantKey  bool
		found    bool
	)
	for ; i < len(b); i++ {
		switch sign := b[i]; sign {
		case '"':
			end := stringEnd(b, i+1)
			if end < 0 {
				return call{}, false
			}
			s := b[i+1 : end]
			i = end
			switch {
			case depth > 2 || depth == 2 && string(key) != "tool_input":
			case wantKey && depth == 1:
				key, wantKey = s, false
			case wantKey:
				sub, wantKey = s, false
			case depth == 2:
				c.take(sub, s, true)
			case string(key) == "hook_event_name":
				if found {
					return call{}, false
				}
				c.event, found = s, true
			default:
				c.take(key, s, false)
			}
		case '{', '[':
			if depth == maxDepth {
				return call{}, false
			}
			stack[depth] = sign + 2 // '}' and ']' both stand two after their opening bracket
			depth++
			wantKey, sub = depth <= 2 && sign == '{', nil
		case '}', ']':
			depth--
			if stack[depth] != sign {
				return call{}, false
			}
			if depth == 0 {
				return c, found && skipSpace(b, i+1) == len(b)
			}
		case ',':
			wantKey = depth == 1 || depth == 2 && stack[1] == '}'
		default:
			if !plain(sign) {
				return call{}, false
			}
		}
	}
	return call{}, false
}

// stringEnd gives the index of the quote that ends the string starting at i, or
// -1 when there is none or the string needs a parser.
func stringEnd(b []byte, i int) int {
	for ; i < len(b); i++ {
		if !special[b[i]] {
			continue
		}
		switch c := b[i]; {
		case c == '"':
			return i
		case c == '<' && IsPrivateTag(b[i+1:]), begins(b[i:], wideLess) && IsPrivateTag(b[i+len(wideLess):]):
			return -1
		case c == '\\':
			run := i
			for i < len(b) && b[i] == '\\' {
				i++
			}
			// More than one backslash before it is JSON within JSON.
			if i < len(b) && b[i] == 'u' && HidesTag(b[i+1:]) {
				return -1
			}
			if (i-run)%2 == 0 {
				i-- // they escape each other, and what follows stands for itself
			}
		case c < 0x20:
			return -1
		}
	}
	return -1
}

// special marks the bytes of a string that matter: the quote, the backslash, '<' and
// control characters. The table is in the binary; nothing is computed at start.
var special = [256]bool{
	0x00: true, 0x01: true, 0x02: true, 0x03: true, 0x04: true, 0x05: true, 0x06: true, 0x07: true,
	0x08: true, 0x09: true, 0x0a: true, 0x0b: true, 0x0c: true, 0x0d: true, 0x0e: true, 0x0f: true,
	0x10: true, 0x11: true, 0x12: true, 0x13: true, 0x14: true, 0x15: true, 0x16: true, 0x17: true,
	0x18: true, 0x19: true, 0x1a: true, 0x1b: true, 0x1c: true, 0x1d: true, 0x1e: true, 0x1f: true,
	'"': true, '\\': true, '<': true, 0xef: true,
}

// Signs of Chinese and Japanese keyboards.
const (
	wideLess  = "＜"
	wideSlash = "／"
	wideSpace = "\u3000"
	hardSpace = "\u00a0"
)

// IsPrivateTag reports whether b, which follows a '<' in the text of a payload, may
// go on as a tag called private: the name in any case, and before it nothing but
// space, also escaped, and slashes, as much as there is.
func IsPrivateTag(b []byte) bool {
	const tag = "private"
	i := 0
	for i < len(b) {
		switch c := b[i]; {
		case c == ' ', c == '\\', c == '/', c == '\t', c == '\n', c == '\r', c == '\f':
			i++
		case (c == 'n' || c == 'r' || c == 't' || c == 'f') && i > 0 && b[i-1] == '\\':
			i++
		case begins(b[i:], hardSpace):
			i += len(hardSpace)
		case begins(b[i:], wideSpace), begins(b[i:], wideSlash):
			i += len(wideSpace)
		default:
			for k := range len(tag) {
				if i+k >= len(b) || b[i+k]|0x20 != tag[k] {
					return false
				}
			}
			return true
		}
	}
	return false
}

func begins(b []byte, with string) bool { return len(b) >= len(with) && string(b[:len(with)]) == with }

// HidesTag reports whether b, which follows a `\u`, begins with the four hexadecimal
// digits of a sign that a tag is made of: printable ASCII, or one of its wide twins or
// spaces.
func HidesTag(b []byte) bool {
	if len(b) < 4 {
		return false
	}
	switch hex := string(lowerCase(b[:4])); hex {
	case "0009", "000a", "000c", "000d", "00a0", "3000":
		return true
	default:
		return hex[:2] == "00" && hex[2] >= '2' && hex[2] <= '7' || hex[:2] == "ff"
	}
}

func lowerCase(b []byte) []byte {
	out := make([]byte, 0, 4)
	for _, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		out = append(out, c)
	}
	return out
}

// plain reports whether c may stand outside strings in JSON, brackets, quotes
// and commas apart.
func plain(c byte) bool {
	switch {
	case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c == 'E':
		return true
	}
	switch c {
	case ':', ' ', '\t', '\n', '\r', '+', '-', '.':
		return true
	}
	return false
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}
