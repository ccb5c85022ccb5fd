package recall

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"cmem/memory"
)

// fieldWords are what narrows a search in its text: name:value or name:"a value". Each
// takes a value into the filter and says whether that means something.
var fieldWords = map[string]func(f *memory.Filter, value string, now time.Time) bool{
	"type": func(f *memory.Filter, value string, _ time.Time) bool {
		return several(&f.Types, strings.ToLower(value))
	},
	"concept": func(f *memory.Filter, value string, _ time.Time) bool { return several(&f.Concepts, value) },
	"tag": func(f *memory.Filter, value string, _ time.Time) bool {
		return several(&f.Tags, strings.TrimPrefix(value, "#"))
	},
	"file": func(f *memory.Filter, value string, _ time.Time) bool {
		f.Files = append(f.Files, value)
		return true
	},
	"project": func(f *memory.Filter, value string, _ time.Time) bool {
		f.Project = value
		return true
	},
	"session": func(f *memory.Filter, value string, _ time.Time) bool {
		f.SessionID = value
		return true
	},
	"after": func(f *memory.Filter, value string, now time.Time) bool {
		from, _, ok := Days(value, now)
		if ok {
			f.After = from
		}
		return ok
	},
	"before": func(f *memory.Filter, value string, now time.Time) bool {
		from, _, ok := Days(value, now)
		if ok {
			f.Before = from
		}
		return ok
	},
}

// Fields takes the fields out of a search text (type:, file:, concept:, tag:,
// project:, session:, after:, before:) and puts them into the filter f. It gives the
// rest of the text as it was typed, with the end that says whether the last word is
// finished. A name may come several times, and the values of type, concept and tag may
// be several with commas; of project, session, after and before the last one counts.
// The value of project is as it was typed: a key or, for the caller to look up, a name.
// What is no field stays in the text: no text is wrong. Days are read as by Days.
func Fields(text string, f memory.Filter, now time.Time) (rest string, narrowed memory.Filter) {
	var kept strings.Builder
	for text != "" {
		word := nextWord(text)
		text = text[len(word):]
		name, value, _ := strings.Cut(strings.TrimSpace(word), ":")
		value = strings.Trim(value, `"`)
		take := fieldWords[strings.ToLower(name)]
		if take == nil || strings.TrimSpace(value) == "" || !take(&f, value, now) {
			kept.WriteString(word)
		} else if text == "" {
			kept.WriteByte(' ') // a word before a field is finished
		}
	}
	return strings.TrimLeftFunc(kept.String(), unicode.IsSpace), f
}

// nextWord gives the first word of a text, with the spaces before it. What stands
// between double quotes is one word with what sticks to it; a quote that is not closed
// is no quote.
func nextWord(text string) string {
	i := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) {
			return text[:i]
		}
		if end := strings.IndexByte(text[i+1:], '"'); r == '"' && end >= 0 {
			n = end + 2
		}
		i += n
	}
	return text
}

// several adds the values of a list with commas.
func several(list *[]string, value string) bool {
	found := false
	for v := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ',' || r == '，' }) {
		if v = strings.TrimSpace(strings.ReplaceAll(v, `"`, "")); v != "" {
			*list, found = append(*list, v), true
		}
	}
	return found
}
