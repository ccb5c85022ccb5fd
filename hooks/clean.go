package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"cmem/hooks/secrets"
)

// cleanPayload gives the payload raw, whose fields are f, with private parts cut,
// secrets masked and the content of secret files left out; it is raw itself when
// there was nothing to do.
func cleanPayload(raw []byte, f fields) ([]byte, error) {
	files := contentOf(f)
	if files == (content{}) && !mayHoldPrivate(raw) && !isRetold(raw) && !secrets.MayHold(raw) {
		return raw, nil
	}
	return rewritten(raw, rewriter{files: files, masks: true})
}

// cutPayload gives the payload with private parts cut and nothing else done.
func cutPayload(raw []byte, _ fields) ([]byte, error) {
	if !mayHoldPrivate(raw) && !isRetold(raw) {
		return raw, nil
	}
	return rewritten(raw, rewriter{})
}

// retoldField is the conversation as the host tells it anew when it compacts one. What
// a private turn said stands in it without a tag, so that none of it is kept.
const retoldField = "compact_summary"

func isRetold(raw []byte) bool { return bytes.Contains(raw, []byte(retoldField)) }

func rewritten(raw []byte, w rewriter) ([]byte, error) {
	w.dec = json.NewDecoder(bytes.NewReader(raw))
	w.dec.UseNumber()
	if err := w.value(0); err != nil {
		return nil, fmt.Errorf("rewrite the payload: %w", err)
	}
	return w.out.Bytes(), nil
}

// rewriter writes a payload anew with its texts cleaned; the order and the
// numbers stay as they are.
type rewriter struct {
	dec   *json.Decoder
	out   bytes.Buffer
	files content
	masks bool // secrets, too

	private privateCutter // follows tags through the payload
	field   string        // of the payload, in which we are
	host    privateCutter // follows tags within a field of the host's own
	secrets secretMasker  // follows a key through a field
	key     string        // under which we are
}

// cutter gives what follows the tags here.
func (w *rewriter) cutter() *privateCutter {
	if isHostField(w.field) {
		return &w.host
	}
	return &w.private
}

func (w *rewriter) value(depth int) error {
	tok, err := w.dec.Token()
	if err != nil {
		return err
	}
	switch t := tok.(type) {
	case json.Delim:
		return w.container(t, depth)
	case string:
		return w.scalar(w.text(t))
	default:
		if w.cutter().inside() {
			return w.scalar(privateMark)
		}
		return w.scalar(t)
	}
}

// text cleans a text that stands under a key.
func (w *rewriter) text(s string) string {
	if w.field == retoldField {
		return privateMark
	}
	s = w.cutter().cut(s)
	if s == "" || s == privateMark {
		return s
	}
	s = w.files.without(w.field, w.key, s)
	if !w.masks {
		return s
	}
	if namesSecret(w.key) {
		return secretMark
	}
	return w.secrets.mask(s)
}

// name cleans the name of a value.
func (w *rewriter) name(s string, depth int) string {
	if depth == 0 {
		w.field, w.host, w.secrets = s, privateCutter{}, secretMasker{}
		if isHostField(s) {
			return s
		}
	}
	if c := w.cutter(); c.inside() {
		if cut := c.cut(s); cut != privateMark || !isToolField(s) {
			return cut
		}
		return s
	}
	if s = w.cutter().cut(s); !w.masks {
		return s
	}
	return secrets.Mask(s)
}

func (w *rewriter) container(open json.Delim, depth int) error {
	w.out.WriteRune(rune(open))
	defer func(key string) { w.key = key }(w.key) // what follows in a list stands under the key of the list
	for first := true; w.dec.More(); first = false {
		if !first {
			w.out.WriteByte(',')
		}
		if open == '{' {
			tok, err := w.dec.Token()
			if err != nil {
				return err
			}
			key, ok := tok.(string)
			if !ok {
				return errors.New("a key is no text")
			}
			w.key = key
			if err := w.scalar(w.name(key, depth)); err != nil {
				return err
			}
			w.out.WriteByte(':')
		}
		if err := w.value(depth + 1); err != nil {
			return err
		}
	}
	end, err := w.dec.Token()
	if err != nil {
		return err
	}
	if d, ok := end.(json.Delim); ok {
		w.out.WriteRune(rune(d))
	}
	return nil
}

func (w *rewriter) scalar(v any) error {
	enc := json.NewEncoder(&w.out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	w.out.Truncate(w.out.Len() - 1) // Encode ends with a newline
	return nil
}
