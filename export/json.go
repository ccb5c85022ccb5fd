package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"

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

// escapeControls writes what a terminal would obey, or what would turn the order of
// its text around, as escapes; JSON allows it as it is.
func escapeControls(line []byte) []byte {
	if bytes.IndexFunc(line, obeyed) < 0 {
		return line
	}
	var out bytes.Buffer
	for _, r := range string(line) {
		if !obeyed(r) {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.Bytes()
}

// obeyed reports whether r is DEL, a control character from U+0080 to U+009F or
// another invisible one. The joiner within emoji is none.
func obeyed(r rune) bool {
	const joiner = '\u200d'
	return r >= 0x7f && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) && r != joiner
}
