package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"cmem/config/jsonfile"
)

// Set writes one setting to settings.json and keeps the rest of the file as it is,
// comments included. The value is in its one-line form. An unknown name or a wrong
// value is an error that says what is allowed, and nothing is written.
func (c *Config) Set(name, text string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if action, ok := actionIn(name); ok {
		return c.setBinding(name, action, text)
	}
	i, _ := index(name)
	k := &keys[i]
	v, err := k.parse(text)
	if err == nil && name == "data_dir" && text != "" {
		_, err = c.expand(text)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := c.write(name, k.toJSON(v)); err != nil {
		return fmt.Errorf("set %s: %w", name, err)
	}
	if v.origin = File; c.values[i].origin != Env {
		c.values[i] = v
	}
	return nil
}

// setBinding is Set for the keys of one action. An empty text leaves it without.
func (c *Config) setBinding(name, action, text string) error {
	bound, err := parseBinding(action, text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := c.write(name, bound); err != nil {
		return fmt.Errorf("set %s: %w", name, err)
	}
	if c.value(bindingsKey).origin != Env {
		c.bind(action, bound)
	}
	return nil
}

// write puts a value into settings.json under the name.
func (c *Config) write(name string, v any) error {
	if err := os.MkdirAll(c.base, 0o700); err != nil {
		return fmt.Errorf("make directory %s: %w", c.base, err)
	}
	file, err := jsonfile.Read(c.File())
	if err != nil {
		return err
	}
	doc, err := jsonfile.Parse(c.File(), file.Data)
	if err != nil {
		return err
	}
	if name == bindingsKey { // the new ones are all there are
		for _, member := range doc.Root().Names() {
			if _, entry := actionIn(member); entry {
				if err := doc.Root().Member(member).Remove(); err != nil {
					return err
				}
			}
		}
	}
	if err := doc.Set(v, pathIn(doc, name)...); err != nil {
		return err
	}
	return file.Write(doc.Bytes())
}

// toJSON returns a value as it stands in settings.json.
func (k *Key) toJSON(v value) any {
	switch k.Kind {
	case Bool, Int:
		return json.RawMessage(v.text)
	case List:
		if v.list == nil {
			return []string{}
		}
		return v.list
	case Bindings:
		if v.table == nil {
			return map[string][]string{}
		}
		return v.table
	case Numbers:
		return k.numbersJSON(v.text)
	case Projects:
		return json.RawMessage(cmp.Or(v.text, "{}"))
	default:
		return v.text
	}
}

// pathIn says where a setting stands in the file, or where a new one belongs:
// inside its group when the person keeps one, else at the top by its full name.
// Bindings are a group by themselves.
func pathIn(doc *jsonfile.Doc, name string) []string {
	if group, inner, dotted := strings.Cut(name, "."); dotted && !doc.Root().Member(name).Exists() {
		if g := doc.Root().Member(group); g.IsObject() || (group == bindingsKey && !g.Exists()) {
			return []string{group, inner}
		}
	}
	return []string{name}
}
