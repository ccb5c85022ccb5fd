package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"cmem/config/jsonfile"
)

// Problem is one thing that is wrong in settings.json or in the environment.
type Problem struct {
	Where string // "/home/dev/.cmem/settings.json:3" or "environment variable CMEM_THEME"
	Key   string // empty when the file as a whole cannot be read
	Err   error  // what is wrong and what is allowed
}

// Error makes a Problem an error.
func (p Problem) Error() string {
	if p.Key == "" {
		return fmt.Sprintf("%s: %v", p.Where, p.Err)
	}
	return fmt.Sprintf("%s: %s: %v", p.Where, p.Key, p.Err)
}

// Unwrap returns what is wrong.
func (p Problem) Unwrap() error { return p.Err }

// Error is all that is wrong with the settings. The Config that came with it goes
// on without the wrong values.
type Error struct {
	Problems []Problem
}

// Error lists the problems, one a line.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the problems.
func (e *Error) Unwrap() []error {
	errs := make([]error, len(e.Problems))
	for i, p := range e.Problems {
		errs[i] = p
	}
	return errs
}

// readFile takes the valid values of settings.json over and returns what is wrong
// with the others.
func (c *Config) readFile() []Problem {
	data, modified, err := read(c.File())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	c.modified = modified
	if err != nil {
		return []Problem{{Where: c.File(), Err: fmt.Errorf("%w; none of its settings is applied", err)}}
	}
	members, err := decode(c.File(), data)
	if err != nil {
		return []Problem{{Where: c.File(), Err: fmt.Errorf("%w; none of its settings is applied", err)}}
	}
	var problems []Problem
	seen := make(map[string]bool, len(members))
	for _, m := range members {
		if err := c.take(m, seen[m.name]); err != nil {
			problems = append(problems, Problem{Where: c.File(), Key: m.name, Err: err})
		}
		seen[m.name] = true
	}
	if len(problems) > 0 {
		locate(problems, members, c.File(), data)
	}
	return problems
}

// read returns a file's content and when it was last modified, as it was before
// the content was read.
func read(path string) ([]byte, time.Time, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, time.Time{}, err
	}
	if st.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 { // to open it would wait for who writes
		return nil, time.Time{}, errors.New("it is a pipe or a socket, and must be a file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer func() { _ = f.Close() }() // it was only read
	if st, err = f.Stat(); err != nil {
		return nil, time.Time{}, err
	}
	data, err := io.ReadAll(f)
	return data, st.ModTime(), err
}

// member is a setting as the file has it: at the top as "context.max_chars", or
// as "max_chars" inside "context".
type member struct {
	name  string
	path  []string
	value any
}

// decode returns the settings in a file, by name. Plain JSON, the common case, is
// read without the slower parser that knows comments.
func decode(file string, data []byte) ([]member, error) {
	data = bytes.TrimPrefix(data, jsonfile.BOM)
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, nil
	}
	top, err := decodeObject(data)
	if err != nil {
		standard, err := jsonfile.Standardize(file, data)
		if err != nil {
			return nil, err
		}
		if top, err = decodeObject(standard); err != nil {
			return nil, errors.New("it holds no JSON object; write {} around the settings")
		}
	}
	var members []member
	for name, v := range top {
		group, grouped := v.(map[string]any)
		if _, declared := index(name); (declared && name != bindingsKey) || !grouped {
			members = append(members, member{name, []string{name}, v})
			continue
		}
		for inner, v := range group {
			members = append(members, member{name + "." + inner, []string{name, inner}, v})
		}
	}
	slices.SortFunc(members, func(a, b member) int {
		return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(len(a.path), len(b.path)))
	})
	return members, nil
}

// decodeObject keeps numbers as they are written, so that an error can show them.
func decodeObject(data []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var top map[string]any
	if err := d.Decode(&top); err != nil {
		return nil, err
	}
	if d.More() || top == nil {
		return nil, errors.New("not one JSON object")
	}
	return top, nil
}

// take applies one setting of the file.
func (c *Config) take(m member, again bool) error {
	action, bound := actionIn(m.name)
	i, ok := index(m.name)
	if !ok && !bound {
		return unknown(m.name)
	}
	if again {
		return errors.New("is set twice; remove one of the two")
	}
	if bound {
		return c.takeBinding(action, m.value)
	}
	v, err := keys[i].fromJSON(m.value)
	if err == nil && m.name == "data_dir" && v.text != "" {
		v.text, err = c.expand(v.text)
	}
	if err != nil {
		return err
	}
	v.origin = File
	c.values[i] = v
	return nil
}

// fromJSON reads a value of the file. Numbers and truth values may stand in quotes.
func (k *Key) fromJSON(v any) (value, error) {
	switch v := v.(type) {
	case string:
		if k.Kind != Bindings && k.Kind != Projects {
			return k.parse(v)
		}
	case bool:
		if k.Kind == Bool {
			return k.parse(fmt.Sprint(v))
		}
	case json.Number:
		if k.Kind == Int {
			return k.parse(v.String())
		}
	case map[string]any:
		switch k.Kind {
		case Numbers:
			text, err := k.numbersFrom(v)
			return value{text: text}, err
		case Projects:
			text, err := projectsFrom(v)
			return value{text: text}, err
		}
	case []any:
		if k.Kind != List {
			break
		}
		list := make([]string, len(v))
		for i, item := range v {
			text, ok := item.(string)
			if !ok {
				return value{}, fmt.Errorf("its item %d is not a text; write it in quotes", i+1)
			}
			list[i] = text
		}
		return value{list: list}, k.checkList(list)
	}
	return value{}, fmt.Errorf("must be %s", k.form())
}

// form says how a value of the key is written in settings.json.
func (k *Key) form() string {
	switch k.Kind {
	case Bool:
		return "true or false"
	case Int:
		return fmt.Sprintf("a whole number from %d to %d", k.Min, k.Max)
	case Duration:
		return fmt.Sprintf("a time span in quotes, such as %q", k.Default)
	case List:
		return `a list of texts, such as ["a", "b"]`
	case Enum:
		return `one of "` + strings.Join(k.Values, `", "`) + `"`
	case Word:
		return fmt.Sprintf("a name in quotes, such as %q", k.Default)
	case Bindings:
		return keysForm
	case Numbers:
		return k.numbersForm()
	case Projects:
		return projectsForm
	default:
		return "a text in quotes"
	}
}

// locate adds the line to problems of the file and sorts them by it. It reads the
// file a second time, which only a person with an error pays for.
func locate(problems []Problem, members []member, file string, data []byte) {
	doc, err := jsonfile.Parse(file, data)
	if err != nil {
		return
	}
	lines := map[string]int{}
	for _, m := range members {
		lines[m.name] = doc.Line(m.path...)
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Compare(lines[a.Key], lines[b.Key]) })
	for i := range problems {
		if line := lines[problems[i].Key]; line > 0 {
			problems[i].Where = fmt.Sprintf("%s:%d", file, line)
		}
	}
}
