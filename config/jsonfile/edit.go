package jsonfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Set gives the member at path the value v, which is encoded as JSON. Objects on
// the way that are missing are made; a value that is there is replaced in place.
func (d *Doc) Set(v any, path ...string) error { return d.Root().Set(v, path...) }

// Set is Doc.Set with a path that begins at n.
func (n Node) Set(v any, path ...string) error {
	for i, name := range path {
		if !n.IsObject() {
			return fmt.Errorf("%s: holds %s where an object {…} with %q belongs", n.Where(), n.Kind(), name)
		}
		next := n.Member(name)
		if !next.Exists() {
			return n.add(name, nest(v, path[i+1:]))
		}
		n = next
	}
	return n.Replace(v)
}

// nest wraps v in objects with the given names.
func nest(v any, path []string) any {
	for _, name := range slices.Backward(path) {
		v = map[string]any{name: v}
	}
	return v
}

// Replace gives n another value.
func (n Node) Replace(v any) error {
	style := n.doc.style(n.in)
	text, err := style.encode(v, style.lineIndent(n.at.StartOffset))
	if err != nil {
		return err
	}
	return n.doc.splice(edit{n.at.StartOffset, n.at.EndOffset, text})
}

// Append puts v behind the last element of an array.
func (n Node) Append(v any) error {
	if !n.IsArray() {
		return fmt.Errorf("%s: holds %s where an array […] belongs", n.Where(), n.Kind())
	}
	return n.insert("", v)
}

// add puts a member behind the last one of an object.
func (n Node) add(name string, v any) error {
	style := n.doc.style(n.at)
	key, err := style.encode(name, "")
	if err != nil {
		return err
	}
	return n.insert(key+style.colon, v)
}

// insert puts an item, the prefix and the encoded v, behind the last one.
func (n Node) insert(prefix string, v any) error {
	d := n.doc
	style := d.style(n.at)
	opening, closing := n.at.StartOffset+1, n.at.EndOffset-1
	spans := items(n.at)

	if len(spans) == 0 {
		outer := style.lineIndent(n.at.StartOffset)
		item, err := style.encode(v, outer+style.unit)
		if err != nil {
			return err
		}
		inside := bytes.TrimRight(d.src[opening:closing], " \t\r\n")
		if style.oneLine {
			return d.splice(edit{opening + len(inside), closing, prefix + item})
		}
		return d.splice(edit{opening + len(inside), closing,
			style.newline + outer + style.unit + prefix + item + style.newline + outer})
	}

	last := spans[len(spans)-1]
	indent, ownLine := d.indentOf(last.start)
	item, err := style.encode(v, indent)
	if err != nil {
		return err
	}
	item = prefix + item
	var edits []edit
	if last.comma < 0 {
		edits = append(edits, edit{last.end, last.end, ","})
	} else {
		item += ","
	}
	// Comments behind the last item belong to it: the new one follows them.
	at := last.end
	if last.comma >= 0 {
		at = last.comma + 1
	}
	at += len(bytes.TrimRight(d.src[at:closing], " \t\r\n"))
	switch {
	case ownLine || endsInLineComment(d.src[last.end:at]):
		item = style.newline + indent + item
	default:
		item = style.afterComma + item
	}
	return d.splice(append(edits, edit{at, at, item})...)
}

// endsInLineComment reports whether text between items ends in a "//" comment.
func endsInLineComment(extra []byte) bool {
	_, line, found := cutLast(extra, '\n')
	if !found {
		line = extra
	}
	return bytes.Contains(line, []byte("//")) && !bytes.HasSuffix(line, []byte("*/"))
}

func cutLast(b []byte, sep byte) (before, after []byte, found bool) {
	if i := bytes.LastIndexByte(b, sep); i >= 0 {
		return b[:i], b[i+1:], true
	}
	return b, nil, false
}

// Remove takes n out of the object or array that holds it, with its comma and its
// line. Comments stay.
func (n Node) Remove() error {
	d := n.doc
	spans := items(n.in)
	own := spans[n.pos]
	only, last := len(spans) == 1, n.pos == len(spans)-1
	opening, closing := n.in.StartOffset+1, n.in.EndOffset-1

	if only && blank(d.src[opening:own.start]) && blank(bytes.TrimPrefix(bytes.TrimLeft(d.src[own.end:closing], " \t\r\n"), []byte(","))) {
		return d.splice(edit{opening, closing, ""})
	}

	// Without a comma behind it the item gives back the one in front of it.
	var edits []edit
	if !only && last && own.comma < 0 {
		before := spans[n.pos-1].comma
		edits = append(edits, edit{before, before + 1, ""})
	}
	start, end := own.start, own.end
	if own.comma == own.end {
		end++
	} else if own.comma > own.end {
		edits = append(edits, edit{own.comma, own.comma + 1, ""})
	}

	_, ownLine := d.indentOf(own.start)
	lineEnds := restOfLineBlank(d.src[end:])
	switch {
	case ownLine && lineEnds:
		start = bytes.LastIndexByte(d.src[:start], '\n')
		if start > 0 && d.src[start-1] == '\r' {
			start--
		}
		end += len(d.src[end:]) - len(bytes.TrimLeft(d.src[end:], " \t"))
	case ownLine || n.pos == 0:
		end += len(d.src[end:closing]) - len(bytes.TrimLeft(d.src[end:closing], " \t"))
	default:
		start = len(bytes.TrimRight(d.src[:start], " \t"))
	}
	return d.splice(append(edits, edit{start, end, ""})...)
}

func blank(b []byte) bool { return len(bytes.TrimSpace(b)) == 0 }

// restOfLineBlank reports whether nothing but spaces comes before the line's end.
func restOfLineBlank(b []byte) bool {
	line, _, found := bytes.Cut(b, []byte("\n"))
	return found && blank(line)
}

// edit replaces the text between two offsets.
type edit struct {
	start, end int
	text       string
}

// splice applies edits, which do not overlap, and reads the document anew. When
// the result is not what a JSON reader accepts, the document stays as it was.
func (d *Doc) splice(edits ...edit) error {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(d.src[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.Write(d.src[at:])
	next := Doc{file: d.file, bom: d.bom, src: out.Bytes()}
	if err := next.parse(); err != nil {
		return fmt.Errorf("edit %s: the result would not be JSON: %w", d.file, err)
	}
	*d = next
	return nil
}

// style is how the person writes JSON.
type style struct {
	doc        *Doc
	newline    string // "\n" or "\r\n"
	unit       string // one step of indentation
	colon      string // ":" or ": "
	afterComma string // "" or " ", between items of one line
	oneLine    bool   // the whole document stands on one line
}

// style looks at the document, and for the spaces inside a line at container.
func (d *Doc) style(container *hujson.Value) style {
	s := style{doc: d, newline: "\n", unit: "  ", colon: ": ", afterComma: " "}
	body := bytes.TrimSpace(d.src)
	if i := bytes.IndexByte(body, '\n'); i > 0 && body[i-1] == '\r' {
		s.newline = "\r\n"
	} else if i < 0 {
		s.oneLine = len(items(&d.root)) > 0
		if bytes.HasSuffix(d.src, []byte("\r\n")) {
			s.newline = "\r\n"
		}
	}
	if members := d.root.Value.(*hujson.Object).Members; len(members) > 0 {
		if indent, ownLine := d.indentOf(members[0].Name.StartOffset); ownLine && indent != "" {
			s.unit = indent
		}
		if len(members[0].Value.BeforeExtra) == 0 {
			s.colon = ":"
		}
	}
	s.afterComma = strings.TrimPrefix(s.colon, ":")
	if container != nil {
		if spans := items(container); len(spans) > 1 && spans[1].start == spans[0].comma+1 {
			s.afterComma = ""
		}
	}
	return s
}

// indentOf returns the white space in front of the line that offset stands on, and
// whether there is nothing else in front of offset.
func (d *Doc) indentOf(offset int) (indent string, ownLine bool) {
	line := d.src[bytes.LastIndexByte(d.src[:offset], '\n')+1 : offset]
	text := bytes.TrimLeft(line, " \t")
	begins := offset > len(line) || len(text) == 0 && offset == len(line) && len(line) > 0
	return string(line[:len(line)-len(text)]), len(text) == 0 && begins
}

// lineIndent returns the indentation of the line that offset stands on.
func (s style) lineIndent(offset int) string {
	indent, _ := s.doc.indentOf(offset)
	return indent
}

// encode writes v in the person's style, for a place with the given indentation.
func (s style) encode(v any, indent string) (string, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if !s.oneLine {
		enc.SetIndent(indent, s.unit)
	}
	if err := enc.Encode(v); err != nil {
		return "", fmt.Errorf("encode %T for %s: %w", v, s.doc.file, err)
	}
	text := strings.TrimSuffix(out.String(), "\n")
	if s.oneLine {
		return spaced(text, s.colon, s.afterComma), nil
	}
	return strings.ReplaceAll(text, "\n", s.newline), nil
}

// spaced puts the person's spaces into compact JSON.
func spaced(compact, colon, afterComma string) string {
	var out strings.Builder
	inText, escaped := false, false
	for i := range len(compact) {
		c := compact[i]
		switch {
		case inText:
			out.WriteByte(c)
			inText = escaped || c != '"'
			escaped = c == '\\' && !escaped
		case c == ':':
			out.WriteString(colon)
		case c == ',':
			out.WriteString("," + afterComma)
		default:
			out.WriteByte(c)
			inText = c == '"'
		}
	}
	return out.String()
}
