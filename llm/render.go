package llm

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"cmem/memory"
)

// A block is an element of the record: <cmem:tag attrs>fields</cmem:tag>.
type block struct {
	tag    string
	attrs  string
	fields []field
}

type field struct {
	name string // empty for text that speaks for itself
	text string
}

func (b *block) attr(name, value string) {
	value = strings.NewReplacer(`"`, "'", "\n", " ", "<", "‹", ">", "›").Replace(plain(clip(value, 300)))
	b.attrs += " " + name + `="` + value + `"`
}

func (b *block) field(name, text string) {
	if strings.TrimSpace(text) != "" {
		b.fields = append(b.fields, field{clip(name, 300), text})
	}
}

// eventBlocks gives the events that have something to tell, numbered by their
// place in events, counted from 1.
func eventBlocks(events []memory.Event) []block {
	var out []block
	for i, e := range events {
		b := block{tag: "event"}
		b.attr("n", strconv.Itoa(i+1))
		switch {
		case e.IsTool():
			b.attr("tool", e.ToolName)
			toolFields(&b, e)
		case e.Name == memory.EventStop || e.Name == memory.EventSubagentStop:
			b.attr("what", "the assistant's last message")
			b.field("", e.LastAssistantMessage)
		case e.Name == memory.EventStopFailure:
			b.attr("what", "the assistant's turn failed")
			b.field("", e.Error)
		}
		if len(b.fields) == 0 {
			continue
		}
		if e.AgentType != "" {
			b.attr("subagent", e.AgentType)
		}
		if !e.CreatedAt.IsZero() {
			b.attr("at", clock(e.CreatedAt))
		}
		out = append(out, b)
	}
	return out
}

// toolFields writes what went into a tool and what came out. It knows no tool:
// it works on whatever JSON there is, drops what says nothing (null, false,
// empty) and what was said already, and prefers a diff to two whole texts.
func toolFields(b *block, e memory.Event) {
	in, out := flatten(e.ToolInput), flatten(e.ToolResponse)
	diff := patch(e.ToolResponse)
	said := make([]string, 0, len(in))
	for _, f := range in {
		said = append(said, f.text)
		if diff != "" && (f.name == "old_string" || f.name == "new_string" || f.name == "content" || strings.HasPrefix(f.name, "edits.")) {
			continue
		}
		b.field(f.name, f.text)
	}
	b.field("diff", diff)
	b.field("error", e.Error)
	for _, f := range out {
		if f.name == "originalFile" || strings.HasPrefix(f.name, "structuredPatch.") || slices.Contains(said, f.text) {
			continue
		}
		b.field(strings.TrimSpace("→ "+f.name), f.text)
	}
}

// maxFields is how many values of one tool call are shown one by one.
const maxFields = 24

// flatten gives the scalars of a JSON value with their paths, in the order of
// the text, without those that say nothing. Lists of scalars are one field.
func flatten(raw json.RawMessage) []field {
	var out []field
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	err := flattenValue(dec, "", &out)
	if len(out) > maxFields || err != nil && len(out) == 0 && len(raw) > 0 {
		return []field{{text: string(raw)}} // a table, or not JSON: still what happened
	}
	return out
}

func flattenValue(dec *json.Decoder, name string, out *[]field) error {
	t, err := dec.Token()
	if err != nil {
		return err
	}
	switch t := t.(type) {
	case json.Delim:
		return flattenInside(dec, t, name, out)
	case string:
		if t != "" {
			*out = append(*out, field{name, t})
		}
	case json.Number:
		*out = append(*out, field{name, t.String()})
	case bool:
		if t {
			*out = append(*out, field{name, "true"})
		}
	}
	return nil
}

// flattenInside reads the rest of an object or array whose opening was open.
func flattenInside(dec *json.Decoder, open json.Delim, name string, out *[]field) error {
	var list []field
	for dec.More() {
		inner := name
		if open == '{' {
			key, err := dec.Token()
			if err != nil {
				return err
			}
			k, _ := key.(string)
			inner = strings.TrimPrefix(name+"."+k, ".")
		}
		dst := out
		if open == '[' {
			dst = &list
		}
		if err := flattenValue(dec, inner, dst); err != nil {
			*out = append(*out, list...)
			return err
		}
	}
	if open == '[' && len(list) > 1 && !slices.ContainsFunc(list, func(f field) bool { return f.name != name }) {
		texts := make([]string, len(list))
		for i, f := range list {
			texts[i] = f.text
		}
		list = []field{{name, strings.Join(texts, "\n")}}
	}
	*out = append(*out, list...)
	_, err := dec.Token() // the closing
	return err
}

// patch gives the diff that an edit tool reported; empty when there is none.
func patch(response json.RawMessage) string {
	if !bytes.Contains(response, []byte(`"structuredPatch"`)) {
		return ""
	}
	var r struct {
		Patch []struct {
			OldStart int      `json:"oldStart"`
			NewStart int      `json:"newStart"`
			Lines    []string `json:"lines"`
		} `json:"structuredPatch"`
	}
	if json.Unmarshal(response, &r) != nil {
		return ""
	}
	var w strings.Builder
	for _, h := range r.Patch {
		w.WriteString("@@ -" + strconv.Itoa(h.OldStart) + " +" + strconv.Itoa(h.NewStart) + " @@\n")
		for _, l := range h.Lines {
			w.WriteString(l + "\n")
		}
	}
	return strings.TrimSuffix(w.String(), "\n")
}

// writeBlocks writes blocks in at most limit bytes. Long fields are cut first,
// all to the same length; when that is not enough, blocks of the middle are
// left out: the beginning says what it was about, the end how it came out.
func writeBlocks(w *strings.Builder, blocks []block, limit int) {
	const longest, shortest = 16_000, 500
	for i := range blocks {
		for j, f := range blocks[i].fields {
			blocks[i].fields[j].text = clip(tidy(f.text), longest)
		}
	}
	most := longest
	for most > shortest && size(blocks, most) > limit {
		most /= 2
	}
	if size(blocks, most) <= limit {
		for _, b := range blocks {
			b.write(w, most)
		}
		return
	}
	const note = 80 // room for the line that says what is missing
	head, tail, used := 0, len(blocks), note
	for head < tail {
		next := blocks[head]
		if head*3 > len(blocks)-tail { // one of the beginning to three of the end
			next = blocks[tail-1]
		}
		if used += next.size(most); used > limit {
			break
		}
		if head*3 > len(blocks)-tail {
			tail--
		} else {
			head++
		}
	}
	for _, b := range blocks[:head] {
		b.write(w, most)
	}
	w.WriteString("<cmem:elided elements=\"" + strconv.Itoa(tail-head) + "\"/>\n")
	for _, b := range blocks[tail:] {
		b.write(w, most)
	}
}

// writeBlock writes one block with each field cut to most bytes.
func writeBlock(w *strings.Builder, b block, most int) {
	for i, f := range b.fields {
		b.fields[i].text = tidy(f.text)
	}
	b.write(w, most)
}

func size(blocks []block, most int) (n int) {
	for _, b := range blocks {
		n += b.size(most)
	}
	return n
}

// size is at least the number of bytes that write writes.
func (b block) size(most int) int {
	n := 2*len(b.tag) + len(b.attrs) + len("<cmem:>\n</cmem:>\n")
	for _, f := range b.fields {
		n += len(f.name) + 3 + min(len(f.text), most)
	}
	return n
}

func (b block) write(w *strings.Builder, most int) {
	w.WriteString("<cmem:" + b.tag + b.attrs)
	if len(b.fields) == 0 {
		w.WriteString("/>\n")
		return
	}
	w.WriteString(">\n")
	for _, f := range b.fields {
		text := clip(f.text, most)
		switch {
		case f.name == "":
		case strings.Contains(text, "\n"):
			w.WriteString(inert(plain(f.name)) + ":\n")
		default:
			w.WriteString(inert(plain(f.name)) + ": ")
		}
		w.WriteString(text + "\n")
	}
	w.WriteString("</cmem:" + b.tag + ">\n")
}
