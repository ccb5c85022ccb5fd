// Package scene reads the scripts of the real-client tests: what a person says
// in one Claude Code session, and what the stand-in model answers.
//
// A scene is a YAML file, so that source code and Chinese text in it can be read
// as they are.
package scene

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"cmem/internal/fakeapi"
)

// Scene is one session of a person with the assistant.
type Scene struct {
	// Session is the session's id, a UUID.
	Session string `json:"session"`
	// Env is given to the client, "NAME=value"; it can switch tools on and off.
	Env []string `json:"env"`
	// Runs are the client's processes: the first starts the session, the others
	// resume it.
	Runs []Run `json:"runs"`
}

// Run is what one process of the client sees.
type Run struct {
	At      time.Time `json:"at"` // when a person would have started it
	Prompts []Prompt  `json:"prompts"`
}

// Prompt is what the person says and what the model answers to it.
type Prompt struct {
	Text  string         `json:"text"`
	Turns []fakeapi.Turn `json:"turns"`
}

// Load reads the scene in file, with vars (old, new pairs as for
// strings.NewReplacer) replaced in it.
func Load(file string, vars ...string) (Scene, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return Scene{}, fmt.Errorf("load scene: %w", err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(strings.NewReplacer(vars...).Replace(string(data))), &doc); err != nil {
		return Scene{}, fmt.Errorf("load scene %s: %w", file, err)
	}
	text, err := ordered(&doc)
	if err != nil {
		return Scene{}, fmt.Errorf("load scene %s: %w", file, err)
	}
	var s Scene
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return Scene{}, fmt.Errorf("load scene %s: %w", file, err)
	}
	return s, nil
}

// ordered turns YAML into JSON with the keys in the order of the file: a tool's
// arguments reach the client as they are written.
func ordered(n *yaml.Node) (json.RawMessage, error) {
	var out bytes.Buffer
	switch n.Kind {
	case yaml.DocumentNode:
		return ordered(n.Content[0])
	case yaml.AliasNode:
		return ordered(n.Alias)
	case yaml.SequenceNode:
		out.WriteByte('[')
		for i, c := range n.Content {
			if i > 0 {
				out.WriteByte(',')
			}
			v, err := ordered(c)
			if err != nil {
				return nil, err
			}
			out.Write(v)
		}
		out.WriteByte(']')
	case yaml.MappingNode:
		out.WriteByte('{')
		for i := 0; i < len(n.Content); i += 2 {
			if i > 0 {
				out.WriteByte(',')
			}
			k, err := encode(n.Content[i].Value)
			if err != nil {
				return nil, err
			}
			v, err := ordered(n.Content[i+1])
			if err != nil {
				return nil, err
			}
			out.Write(k)
			out.WriteByte(':')
			out.Write(v)
		}
		out.WriteByte('}')
	case yaml.ScalarNode:
		var v any
		if err := n.Decode(&v); err != nil {
			return nil, fmt.Errorf("line %d: %w", n.Line, err)
		}
		return encode(v)
	default:
		return nil, errors.New("the file is empty")
	}
	return out.Bytes(), nil
}

// encode is json.Marshal without the escapes for HTML, which no model writes.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
}
