// Package jsonfile edits a person's JSON file as the person would: it adds,
// changes and removes single members and leaves every other byte, comment, line
// ending and habit of indentation as it was. Comments and trailing commas are
// allowed (JWCC).
//
// It knows the syntax and how to replace a file safely; what the members mean is
// the business of the rooms that use it.
package jsonfile

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

// BOM is the byte order mark that some editors put in front of a file.
var BOM = []byte("\xef\xbb\xbf")

// SyntaxError says where a file is not JSON.
type SyntaxError struct {
	File         string
	Line, Column int // from 1
	Err          error
}

// Error names the place and what is wrong there.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d:%d: not valid JSON: %v", e.File, e.Line, e.Column, e.Err)
}

// Unwrap returns what is wrong.
func (e *SyntaxError) Unwrap() error { return e.Err }

// syntaxError takes the place out of an error of hujson, which gives it as text.
func syntaxError(file string, err error) error {
	e := &SyntaxError{File: file, Line: 1, Column: 1, Err: err}
	if _, scanErr := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &e.Line, &e.Column); scanErr == nil {
		if inner := errors.Unwrap(err); inner != nil {
			e.Err = inner
		}
	}
	return e
}

// Standardize returns data as plain JSON, with the same length and lines. It fails
// with a *SyntaxError that names file.
func Standardize(file string, data []byte) ([]byte, error) {
	plain, err := hujson.Standardize(slices.Clone(data))
	if err != nil {
		return nil, syntaxError(file, err)
	}
	return plain, nil
}

// Doc is the text of a file that holds one JSON object, and the tree of it.
type Doc struct {
	file string
	bom  bool
	src  []byte // without the byte order mark
	root hujson.Value
}

// Parse reads a document. A file without any text counts as an empty object. It
// fails with a *SyntaxError, or when the file holds something else than an object.
func Parse(file string, data []byte) (*Doc, error) {
	d := &Doc{file: file}
	d.src, d.bom = bytes.CutPrefix(data, BOM)
	if len(bytes.TrimSpace(d.src)) == 0 {
		d.src = []byte("{}\n")
	}
	if err := d.parse(); err != nil {
		return nil, err
	}
	if d.root.Value.Kind() != '{' {
		return nil, fmt.Errorf("%s:%d: holds %s where an object {…} belongs", file, d.lineAt(d.root.StartOffset), kindName(d.root))
	}
	return d, nil
}

func (d *Doc) parse() error {
	root, err := hujson.Parse(d.src)
	if err != nil {
		return syntaxError(d.file, err)
	}
	d.root = root
	return nil
}

// Bytes returns the text of the document.
func (d *Doc) Bytes() []byte {
	if d.bom {
		return slices.Concat(BOM, d.src)
	}
	return slices.Clone(d.src)
}

// Root returns the object that the document is.
func (d *Doc) Root() Node { return Node{doc: d, at: &d.root} }

// Line returns the line, from 1, of the member at path, or 0 when there is none.
func (d *Doc) Line(path ...string) int {
	n := d.Root()
	for _, name := range path {
		if n = n.Member(name); !n.Exists() {
			return 0
		}
	}
	return n.Line()
}

func (d *Doc) lineAt(offset int) int { return 1 + bytes.Count(d.src[:offset], []byte("\n")) }

// Node is a value in a document. It is good until the document is edited.
type Node struct {
	doc *Doc
	at  *hujson.Value
	in  *hujson.Value // the object or array that holds it; nil for the root
	pos int           // its place there
}

// Exists reports whether there is such a value.
func (n Node) Exists() bool { return n.at != nil }

// Line returns the line, from 1, that the value begins on.
func (n Node) Line() int { return n.doc.lineAt(n.at.StartOffset) }

// Where names the place of the value as "file:line".
func (n Node) Where() string { return fmt.Sprintf("%s:%d", n.doc.file, n.Line()) }

// IsObject reports whether the value is an object.
func (n Node) IsObject() bool { return n.Exists() && n.at.Value.Kind() == '{' }

// IsArray reports whether the value is an array.
func (n Node) IsArray() bool { return n.Exists() && n.at.Value.Kind() == '[' }

// Kind names what the value is, for people.
func (n Node) Kind() string { return kindName(*n.at) }

// Len returns how many members or elements the value has.
func (n Node) Len() int {
	if !n.Exists() {
		return 0
	}
	return len(items(n.at))
}

// Member returns the member of an object; of several with one name the last, as
// programs that read JSON do.
func (n Node) Member(name string) Node {
	if !n.IsObject() {
		return Node{doc: n.doc}
	}
	members := n.at.Value.(*hujson.Object).Members
	for i := range slices.Backward(members) {
		if literal, ok := members[i].Name.Value.(hujson.Literal); ok && literal.String() == name {
			return Node{doc: n.doc, at: &members[i].Value, in: n.at, pos: i}
		}
	}
	return Node{doc: n.doc}
}

// Elements returns the elements of an array; none when it is not one.
func (n Node) Elements() []Node {
	if !n.IsArray() {
		return nil
	}
	elements := n.at.Value.(*hujson.Array).Elements
	nodes := make([]Node, len(elements))
	for i := range elements {
		nodes[i] = Node{doc: n.doc, at: &elements[i], in: n.at, pos: i}
	}
	return nodes
}

// Names returns the names of an object's members, in order.
func (n Node) Names() []string {
	if !n.IsObject() {
		return nil
	}
	members := n.at.Value.(*hujson.Object).Members
	names := make([]string, len(members))
	for i := range members {
		names[i] = members[i].Name.Value.(hujson.Literal).String()
	}
	return names
}

// Text returns the text of a JSON string.
func (n Node) Text() (string, bool) {
	if !n.Exists() || n.at.Value.Kind() != '"' {
		return "", false
	}
	return n.at.Value.(hujson.Literal).String(), true
}

// IsTrue reports whether the value is the literal true.
func (n Node) IsTrue() bool { return n.Exists() && n.at.Value.Kind() == 't' }

func kindName(v hujson.Value) string {
	switch v.Value.Kind() {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a text"
	case '0':
		return "a number"
	case 'n':
		return "null"
	default:
		return "true or false"
	}
}

// span is where an item of an object or array stands in the text: from its name,
// or from the element, to the end of its value, and the comma behind it.
type span struct {
	start, end int
	comma      int // offset of the comma, -1 when there is none
}

func items(v *hujson.Value) []span {
	var spans []span
	add := func(start int, value *hujson.Value) {
		spans = append(spans, span{start, value.EndOffset, value.EndOffset + len(value.AfterExtra)})
	}
	trailing := false
	switch c := v.Value.(type) {
	case *hujson.Object:
		for i := range c.Members {
			add(c.Members[i].Name.StartOffset, &c.Members[i].Value)
			trailing = c.Members[i].Value.AfterExtra != nil
		}
	case *hujson.Array:
		for i := range c.Elements {
			add(c.Elements[i].StartOffset, &c.Elements[i])
			trailing = c.Elements[i].AfterExtra != nil
		}
	}
	if len(spans) > 0 && !trailing {
		spans[len(spans)-1].comma = -1
	}
	return spans
}
