package local

import (
	"encoding/json"
	"strings"
)

// maxText bounds, in bytes, how much of one string of a tool's JSON is looked
// at. A file of 10 MB is understood by its first part, an output by its first
// and last.
const maxText = 128 << 10

// text is a JSON string read leniently: a number or a bool gives its literal, an
// array of content blocks the text in it, anything else nothing.
type text string

// UnmarshalJSON never fails.
func (t *text) UnmarshalJSON(raw []byte) error {
	*t = ""
	if len(raw) == 0 {
		return nil
	}
	switch raw[0] {
	case '"':
		var s string
		if json.Unmarshal(shortened(raw), &s) == nil {
			*t = text(bounded(s))
		}
	case '[':
		var blocks list[contentBlock]
		if blocks.UnmarshalJSON(raw) == nil {
			var parts []string
			for _, b := range blocks {
				if b.Text != "" {
					parts = append(parts, string(b.Text))
				}
			}
			*t = text(bounded(strings.Join(parts, "\n")))
		}
	case '{', 'n':
	default:
		*t = text(raw)
	}
	return nil
}

// shortened cuts the middle out of a very long JSON string before it is decoded,
// so that a payload of 10 MB is not held a second time.
func shortened(raw []byte) []byte {
	const part = 2 * maxText
	if len(raw) <= 3*part {
		return raw
	}
	plainAt := func(i int) int { // the next place that is not inside an escape
		for raw[i] == '\\' || raw[i-1] == '\\' {
			i++
		}
		return i
	}
	cut, resume := part, plainAt(len(raw)-part)
	// A cut inside \uXXXX would not decode: step back before the escape.
	for back := cut; back > cut-6; back-- {
		if raw[back] == '\\' {
			cut = back
		}
	}
	for raw[cut-1] == '\\' {
		cut--
	}
	out := append(make([]byte, 0, cut+len(raw)-resume+2), raw[:cut]...)
	out = append(out, `\n`...)
	return append(out, raw[resume:]...)
}

// bounded keeps the first three quarters and the last quarter of maxText bytes,
// as a copy, so that the whole string can be freed.
func bounded(s string) string {
	if len(s) <= maxText {
		return s
	}
	head, tail := maxText*3/4, maxText/4
	return strings.ToValidUTF8(s[:head], "") + "\n" + strings.ToValidUTF8(s[len(s)-tail:], "")
}

// list is a JSON array read leniently: an element that does not fit is left out,
// and anything but an array is empty.
type list[T any] []T

// maxList bounds how many elements of an array are looked at.
const maxList = 2000

// UnmarshalJSON never fails.
func (l *list[T]) UnmarshalJSON(raw []byte) error {
	*l = nil
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil {
		return nil
	}
	for _, e := range elements[:min(len(elements), maxList)] {
		var v T
		if json.Unmarshal(e, &v) == nil {
			*l = append(*l, v)
		}
	}
	return nil
}

// object is a JSON object read leniently into T.
type object[T any] struct{ v T }

// UnmarshalJSON never fails.
func (o *object[T]) UnmarshalJSON(raw []byte) error {
	var v T
	if json.Unmarshal(raw, &v) == nil {
		o.v = v
	}
	return nil
}

type contentBlock struct {
	Text text `json:"text"`
}

// toolInput holds what cmem understands of any tool's input.
type toolInput struct {
	FilePath     text            `json:"file_path"`
	NotebookPath text            `json:"notebook_path"`
	Path         text            `json:"path"`
	OldString    text            `json:"old_string"`
	NewString    text            `json:"new_string"`
	ReplaceAll   text            `json:"replace_all"`
	Content      text            `json:"content"`
	NewSource    text            `json:"new_source"`
	EditMode     text            `json:"edit_mode"`
	Edits        list[editInput] `json:"edits"`

	Command     text `json:"command"`
	Description text `json:"description"`
	Pattern     text `json:"pattern"`
	Query       text `json:"query"`
	URL         text `json:"url"`
	Prompt      text `json:"prompt"`

	Patch text `json:"patch"` // apply_patch has had both names
	Input text `json:"input"`

	Todos     list[todo]     `json:"todos"`
	Questions list[question] `json:"questions"`
	Plan      text           `json:"plan"`

	// TaskCreate and TaskUpdate.
	Subject text `json:"subject"`
	Status  text `json:"status"`
	TaskID  text `json:"taskId"`

	// What MCP tools commonly call the thing they act on.
	Title text `json:"title"`
	Name  text `json:"name"`
	Body  text `json:"body"`
	Text  text `json:"text"`
}

type editInput struct {
	OldString  text `json:"old_string"`
	NewString  text `json:"new_string"`
	ReplaceAll text `json:"replace_all"`
}

type todo struct {
	Content text `json:"content"`
	Subject text `json:"subject"`
	Status  text `json:"status"`
}

type question struct {
	Question text `json:"question"`
	Header   text `json:"header"`
}

// toolAnswer holds what cmem understands of any tool's response.
type toolAnswer struct {
	// Text is the answer when it is a string or an array of content blocks.
	Text string `json:"-"`

	Stdout     text `json:"stdout"`
	Stderr     text `json:"stderr"`
	Background text `json:"backgroundTaskId"`

	Type         text                 `json:"type"`
	FilePath     text                 `json:"filePath"`
	OriginalFile text                 `json:"originalFile"`
	Patch        list[hunk]           `json:"structuredPatch"`
	File         object[answeredFile] `json:"file"`

	Filenames list[text] `json:"filenames"`
	Content   text       `json:"content"`
	Result    text       `json:"result"`

	Answers object[map[string]text] `json:"answers"`
	Git     object[gitOperation]    `json:"gitOperation"`
	Task    object[taskAnswer]      `json:"task"`
}

type answeredFile struct {
	Content text `json:"content"`
}

type taskAnswer struct {
	ID text `json:"id"`
}

// gitOperation is what the client saw a Bash call do in git.
type gitOperation struct {
	Commit object[gitCommit] `json:"commit"`
}

type gitCommit struct {
	SHA    text `json:"sha"`
	Kind   text `json:"kind"`
	Branch text `json:"branch"`
}

type hunk struct {
	OldStart text       `json:"oldStart"`
	NewStart text       `json:"newStart"`
	Lines    list[text] `json:"lines"`
}

func readInput(raw json.RawMessage) toolInput {
	var in toolInput
	if json.Unmarshal(raw, &in) != nil {
		// A tool may be given a bare string, as apply_patch is by some clients.
		var s text
		if json.Unmarshal(raw, &s) == nil {
			return toolInput{Input: s}
		}
		return toolInput{}
	}
	return in
}

func readAnswer(raw json.RawMessage) toolAnswer {
	var a toolAnswer
	if len(raw) == 0 || json.Unmarshal(raw, &a) == nil {
		return a
	}
	var s text
	if json.Unmarshal(raw, &s) != nil {
		return toolAnswer{}
	}
	return toolAnswer{Text: string(s)}
}

// output joins what a command printed.
func (a toolAnswer) output() string {
	out := string(a.Stdout)
	if a.Stderr != "" {
		if out != "" && !strings.HasSuffix(out, "\n") {
			out += "\n"
		}
		out += string(a.Stderr)
	}
	if out == "" {
		out = a.words()
	}
	return out
}

// words gives the prose or listing that a tool answered with.
func (a toolAnswer) words() string {
	for _, s := range []string{a.Text, string(a.Content), string(a.Result)} {
		if s != "" {
			return s
		}
	}
	return ""
}
