package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// bindingsKey is the key of Kind Bindings, and bindingsPrefix what its entries
// are called by: "keys.archive".
const (
	bindingsKey    = "keys"
	bindingsPrefix = bindingsKey + "."
)

// KeyMap returns which keys the person gave to which action of the memory
// browser. An action with an empty list is to have none. What actions there are,
// and what their keys are without this, only the browser knows.
//
// The error names what is written there and could not be read; the map is the
// rest, ready for use.
func (c *Config) KeyMap() (map[string][]string, error) {
	m := make(map[string][]string, len(c.value(bindingsKey).table))
	for action, keys := range c.value(bindingsKey).table {
		m[action] = slices.Clone(keys)
	}
	var wrong []error
	for _, p := range c.problems {
		if p.Key == bindingsKey || strings.HasPrefix(p.Key, bindingsPrefix) {
			wrong = append(wrong, p)
		}
	}
	return m, errors.Join(wrong...)
}

// actionIn returns the action in the name of an entry, "archive" in "keys.archive".
func actionIn(name string) (string, bool) { return strings.CutPrefix(name, bindingsPrefix) }

// takeBinding applies one entry of the file.
func (c *Config) takeBinding(action string, v any) error {
	keys, err := bindingFrom(action, v)
	if err != nil {
		return err
	}
	c.bind(action, keys)
	return nil
}

// bind gives an action its keys, in the settings as they are in memory.
func (c *Config) bind(action string, keys []string) {
	v := c.value(bindingsKey)
	if v.table = maps.Clone(v.table); v.table == nil {
		v.table = map[string][]string{}
	}
	v.table[action], v.origin = keys, File
}

// parseBindings reads the one-line form, which is the JSON of settings.json.
func parseBindings(text string) (map[string][]string, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	object, err := decodeObject([]byte(text))
	if err != nil {
		return nil, fmt.Errorf(`%q is not %s`, text, keysForm)
	}
	table := make(map[string][]string, len(object))
	for _, action := range slices.Sorted(maps.Keys(object)) {
		if table[action], err = bindingFrom(action, object[action]); err != nil {
			return nil, fmt.Errorf("%s: %w", action, err)
		}
	}
	return table, nil
}

// parseBinding reads the keys of one action in their one-line form: separated by
// commas, or a JSON list, which a comma that is a key needs among others.
func parseBinding(action, text string) ([]string, error) {
	text = strings.TrimSpace(text)
	if text == "," {
		return bindingFrom(action, text)
	}
	if strings.HasPrefix(text, "[") && len(text) > 1 {
		var list []any
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			return nil, fmt.Errorf("%q is not a JSON list: %w", text, err)
		}
		return bindingFrom(action, list)
	}
	list := []any{}
	for _, item := range split(text) {
		list = append(list, item)
	}
	return bindingFrom(action, list)
}

const (
	keysForm = `an object of actions and their keys, such as {"archive": ["A"], "quit": "ctrl+q"}`
	keyForm  = `a key such as "A" or "ctrl+a", or a list of keys`
)

// bindingFrom checks the keys of one action: a text, or a list of texts.
func bindingFrom(action string, v any) ([]string, error) {
	if err := checkWord(action); err != nil {
		return nil, fmt.Errorf("this is no action: %w", err)
	}
	if text, ok := v.(string); ok {
		v = []any{text}
	}
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("must be %s", keyForm)
	}
	keys := make([]string, len(list))
	for i, item := range list {
		key, ok := item.(string)
		if !ok {
			return nil, fmt.Errorf("its item %d is not a text; write it in quotes", i+1)
		}
		const longest = 32 // a key's name is shown in one column
		if key == "" || len([]rune(key)) > longest || strings.ContainsFunc(key, func(r rune) bool { return !unicode.IsPrint(r) || unicode.IsSpace(r) }) {
			return nil, fmt.Errorf("%q is no key; write it as \"a\", \"A\", \"ctrl+a\", \"space\" or \"enter\"", key)
		}
		keys[i] = key
	}
	return keys, nil
}

// checkWord returns an error for what cannot be the name of an action or a theme.
func checkWord(word string) error {
	const longest = 40
	if word == "" || len([]rune(word)) > longest || strings.ContainsFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
	}) {
		return fmt.Errorf("%q is not a name of up to %d letters, digits, - and _", word, longest)
	}
	return nil
}

// bindingsText writes bindings in their one-line form.
func bindingsText(table map[string][]string) string {
	if len(table) == 0 {
		return ""
	}
	return compact(table)
}

// bindingText writes the keys of one action in their one-line form.
func bindingText(keys []string) string {
	if len(keys) > 1 && slices.ContainsFunc(keys, func(key string) bool { return strings.Contains(key, ",") }) {
		return compact(keys)
	}
	return strings.Join(keys, ",")
}

// compact gives JSON on one line, with < and & as they are.
func compact(v any) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "" // texts in lists and maps can always be encoded
	}
	return strings.TrimSuffix(out.String(), "\n")
}
