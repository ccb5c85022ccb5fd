package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"cmem/memory"
)

// The first line of every JSON file of ours names the form of the others.
const (
	jsonFormat  = "cmem-export"
	jsonVersion = 1
	jsonOpening = `{"kind":"header","format":"` + jsonFormat + `"`
)

// jsonPage writes one object a line, each with its kind first and then every
// field of the memory by its name in the memory package.
type jsonPage struct {
	w   io.Writer
	buf bytes.Buffer
	enc *json.Encoder
}

func newJSONPage(w io.Writer) *jsonPage {
	p := &jsonPage{w: w}
	p.enc = json.NewEncoder(&p.buf)
	p.enc.SetEscapeHTML(false)
	return p
}

func (p *jsonPage) begin(scope) error {
	return p.line(struct {
		Kind    string `json:"kind"`
		Format  string `json:"format"`
		Version int    `json:"version"`
	}{"header", jsonFormat, jsonVersion})
}

func (p *jsonPage) session(s memory.Session, _ string) error {
	return p.line(struct {
		Kind string `json:"kind"`
		memory.Session
	}{"session", s})
}

func (p *jsonPage) prompt(pr memory.Prompt) error {
	return p.line(struct {
		Kind string `json:"kind"`
		memory.Prompt
	}{string(memory.KindPrompt), pr})
}

func (p *jsonPage) observation(o memory.Observation) error {
	return p.line(struct {
		Kind string `json:"kind"`
		memory.Observation
	}{string(memory.KindObservation), o})
}

func (p *jsonPage) summary(s memory.Summary) error {
	return p.line(struct {
		Kind string `json:"kind"`
		memory.Summary
	}{string(memory.KindSummary), s})
}

func (p *jsonPage) line(v any) error {
	p.buf.Reset()
	if err := p.enc.Encode(v); err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	_, err := p.w.Write(escapeControls(p.buf.Bytes()))
	return err
}

// escapeControls writes DEL and the control characters U+0080 to U+009F, which
// JSON allows as they are, as escapes: some terminals obey them.
func escapeControls(line []byte) []byte {
	if bytes.IndexFunc(line, isControl) < 0 {
		return line
	}
	var out bytes.Buffer
	for _, r := range string(line) {
		if isControl(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
			continue
		}
		out.WriteRune(r)
	}
	return out.Bytes()
}

func isControl(r rune) bool { return r >= 0x7f && r < 0xa0 }
