package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// hostTags are the beginnings of tags that mean something to the model or its
// host; memory must neither close our block nor open one of theirs.
//
// They are told by their separators from the type parameters of code, such as
// List<User> or Promise<System.Tool>.
var hostTags = [...]string{"cmem", "system-", "system_", "private", "task-", "persisted-", "user-", "user_", "function_", "antml:", "tool_", "tool-", "command-", "local-"}

const longestHostTag = len("persisted-")

// inert gives stored text as one line that is only ever read as text: control
// and invisible formatting characters are dropped, white space is folded, and a
// '<' that begins a tag which the model or its host gives a meaning is replaced
// by '‹', which looks alike. Other angle brackets stay as they are: identifiers
// such as Vec<String> are kept to the letter.
func inert(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for i, r := range s {
		switch {
		case r == utf8.RuneError:
			continue
		case unicode.IsSpace(r):
			space = true
			continue
		case unicode.IsControl(r), invisible(r):
			continue
		case r == '<' && BeginsHostTag(s[i+1:]):
			r = '‹'
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}

// invisible reports whether r is a formatting character that can hide or reorder
// text. The joiner of emoji sequences stays.
func invisible(r rune) bool {
	return r != '\u200D' && unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r)
}

// BeginsHostTag reports whether what follows a '<' begins a tag that the model or
// its host gives a meaning, past anything that is dropped from stored text or that a
// lenient reader would skip. Where the text ends before that can be
// told, it may be continued by what is written behind it: that counts too.
func BeginsHostTag(s string) bool {
	var name strings.Builder
	ended := true
	for _, r := range s {
		switch skip := r == '/' || unicode.IsSpace(r); {
		case r == utf8.RuneError, unicode.IsControl(r) && !skip, unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r):
			continue
		case skip && name.Len() == 0:
			continue
		case skip:
			ended = false
		default:
			name.WriteRune(unicode.ToLower(r))
			ended = name.Len() < longestHostTag
		}
		if !ended {
			break
		}
	}
	n := name.String()
	for _, t := range hostTags {
		if strings.HasPrefix(n, t) || ended && strings.HasPrefix(t, n) {
			return true
		}
	}
	return false
}

// line gives stored text for a place in the block: inert, and at most n
// characters of it.
func line(s string, n int) string {
	// Of a text of megabytes, as an import may bring, only the beginning is looked at.
	if most := 16 * n; len(s) > most {
		s = s[:most]
	}
	return shorten(inert(s), n)
}

// attribute gives s for a place between double quotes.
func attribute(s string) string {
	return strings.NewReplacer(`"`, "'", "<", "‹", ">", "›").Replace(line(s, 80))
}

// shorten cuts s to at most n characters, at a word where one ends in the last
// third, and marks the cut.
func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)[:n-1]
	for i := len(runes) - 1; i > len(runes)*2/3; i-- {
		if runes[i] == ' ' {
			runes = runes[:i]
			break
		}
	}
	return strings.TrimRight(string(runes), " ,.;:，。；：") + "…"
}
