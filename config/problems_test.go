package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestWrongValuesAreNamedAndTheOthersApply(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"unknown key", `"teme": "dark"`, `:3: teme: unknown key; did you mean "theme"?`},
		{"unknown without a likeness", `"frobnicate.everything": 1`, ":3: frobnicate.everything: unknown key; `cmem config list` shows all"},
		{"unknown in a group", `"context": {"observation": 1}`, `:3: context.observation: unknown key; did you mean "context.observations"?`},
		{"group left out", `"max_chars": 2000`, `:3: max_chars: unknown key; did you mean "context.max_chars"?`},
		{"enum", `"provider": "clade"`, `:3: provider: "clade" is not one of local, claude, gemini, openai; did you mean "claude"?`},
		{"enum of another kind", `"provider": 1`, `:3: provider: must be one of "local", "claude", "gemini", "openai"`},
		{"bool", `"context.enabled": "perhaps"`, `:3: context.enabled: "perhaps" is neither true nor false`},
		{"bool of another kind", `"context.enabled": 1`, `:3: context.enabled: must be true or false`},
		{"int too big", `"context.max_chars": 9401`, `:3: context.max_chars: "9401" is not a whole number from 1000 to 9400`},
		{"int with a fraction", `"context.max_chars": 1000.5`, `:3: context.max_chars: "1000.5" is not a whole number`},
		{"int huge", `"context.max_chars": 1e400`, `:3: context.max_chars: "1e400" is not a whole number`},
		{"int null", `"context.max_chars": null`, `:3: context.max_chars: must be a whole number from 1000 to 9400`},
		{"duration without a unit", `"hook.deadline": "300"`, `:3: hook.deadline: "300" is not a time span from 10ms to 8s, such as "300ms"`},
		{"duration too long", `"hook.deadline": "1h"`, `:3: hook.deadline: "1h" is not a time span from 10ms to 8s`},
		{"duration as number", `"hook.deadline": 300`, `:3: hook.deadline: must be a time span in quotes, such as "300ms"`},
		{"list of numbers", `"exclude": ["a", 1]`, `:3: exclude: its item 2 is not a text; write it in quotes`},
		{"list as object", `"exclude": {}`, `:3: exclude: must be a list of texts, such as ["a", "b"]`},
		{"text as list", `"theme": ["dark"]`, `:3: theme: must be a name in quotes, such as "system"`},
		{"a theme of two words", `"theme": "dark mode"`, `:3: theme: "dark mode" is not a name of up to 40 letters, digits, - and _`},
		{"a theme with an escape code", `"theme": "\u001b[2J"`, `:3: theme: "\x1b[2j" is not a name`},
		{"no theme", `"theme": ""`, `:3: theme: "" is not a name`},
		{"keys as a list", `"keys": ["A"]`, `:3: keys: must be an object of actions and their keys, such as {"archive": ["A"], "quit": "ctrl+q"}`},
		{"keys as a text", `"keys": "{}"`, `:3: keys: must be an object of actions`},
		{"keys of a number", `"keys": {"quit": 1}`, `:3: keys.quit: must be a key such as "A" or "ctrl+a", or a list of keys`},
		{"keys with an item that is none", `"keys": {"quit": ["q", 1]}`, `:3: keys.quit: its item 2 is not a text; write it in quotes`},
		{"an empty key", `"keys": {"quit": ""}`, `:3: keys.quit: "" is no key; write it as "a", "A", "ctrl+a", "space" or "enter"`},
		{"a key with a space", `"keys": {"quit": "ctrl q"}`, `:3: keys.quit: "ctrl q" is no key`},
		{"a key with an escape code", `"keys": {"quit": "\u001b"}`, `:3: keys.quit: "\x1b" is no key`},
		{"an action of two words", `"keys": {"go on": "q"}`, `:3: keys.go on: this is no action: "go on" is not a name`},
		{"keys in a group of a group", `"keys": {"quit": {"key": "q"}}`, `:3: keys.quit: must be a key such as`},
		{"keys at the top", `"keys.quit": 7`, `:3: keys.quit: must be a key such as`},
		{"keys twice", `"keys": {"quit": "q"}, "keys.quit": "Q"`, `: keys.quit: is set twice; remove one of the two`},
		{"relative directory", `"data_dir": "memory"`, `:3: data_dir: "memory" is not an absolute path; give one, or one that begins with ~/`},
		{"twice", `"log": {"level": "warn"}, "log.level": "warn"`, `: log.level: is set twice; remove one of the two`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := newEnv(t)
			e.settings(t, "{\n  \"openai.model\": \"m\", // 一\n  "+tt.line+",\n  \"context.sessions\": 7\n}\n")
			c, err := Load(e.get)
			if err == nil || !strings.Contains(err.Error(), e.file()) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant …%s", err, tt.want)
			}
			if c == nil || c.String("openai.model") != "m" || c.Int("context.sessions") != 7 {
				t.Fatal("the valid settings do not apply")
			}
			if c.String("provider") != "local" || c.Int("context.max_chars") != 6000 || c.Duration("hook.deadline") != 300*time.Millisecond {
				t.Error("a wrong value was taken")
			}
		})
	}
}

func TestProblemsAreListedByLine(t *testing.T) {
	e := newEnv(t)
	e.settings(t, "{\n  \"zzz\": 1,\n  \"theme\": 2,\n  \"aaa\": 3\n}\n")
	e["CMEM_PROVIDER"] = "gpt"
	_, err := Load(e.get)
	var all *Error
	if !errors.As(err, &all) {
		t.Fatalf("got %T %v", err, err)
	}
	var got []string
	for _, p := range all.Problems {
		got = append(got, strings.TrimPrefix(p.Where, e.file())+" "+p.Key)
	}
	want := []string{":2 zzz", ":3 theme", ":4 aaa", "environment variable CMEM_PROVIDER provider"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWrongEnvironmentLeavesTheFileInForce(t *testing.T) {
	e := newEnv(t)
	e.settings(t, `{"context.sessions": 7}`)
	e["CMEM_CONTEXT_SESSIONS"] = "many"
	c, err := Load(e.get)
	if err == nil || !strings.Contains(err.Error(), `environment variable CMEM_CONTEXT_SESSIONS: context.sessions: "many" is not a whole number`) {
		t.Errorf("got %v", err)
	}
	if c.Int("context.sessions") != 7 || c.Origin("context.sessions") != File {
		t.Errorf("got %d from %s", c.Int("context.sessions"), c.Origin("context.sessions"))
	}
}

func TestBrokenFileLeavesDefaultsAndEnvironment(t *testing.T) {
	for text, want := range map[string]string{
		"{\n  \"theme\": \"dark\"\n  \"provider\": 1\n}": ":3:3: not valid JSON",
		"[]":              "it holds no JSON object",
		"null":            "it holds no JSON object",
		"{} {}":           ":1:4: not valid JSON",
		"\x00\xff":        ":1:1: not valid JSON",
		"{\"theme\": \"d": "not valid JSON",
	} {
		e := newEnv(t)
		e.settings(t, text)
		e["CMEM_THEME"] = "light"
		c, err := Load(e.get)
		if err == nil || !strings.Contains(err.Error(), e.file()) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want …%s…", text, err, want)
		}
		if c == nil || c.String("theme") != "light" || c.String("provider") != "local" {
			t.Errorf("%q: no usable settings", text)
		}
	}
	e := newEnv(t)
	if err := os.MkdirAll(e.file(), 0o700); err != nil { // a directory in its place
		t.Fatal(err)
	}
	if c, err := Load(e.get); c == nil || err == nil || !strings.Contains(err.Error(), "none of its settings is applied") {
		t.Errorf("got %v", err)
	}
}

func TestEmptyFileIsNoSettings(t *testing.T) {
	for _, text := range []string{"", "\n", "\ufeff", "{}"} {
		e := newEnv(t)
		e.settings(t, text)
		if c := e.load(t); c.String("provider") != "local" {
			t.Errorf("%q: provider %s", text, c.String("provider"))
		}
	}
}

func FuzzLoad(f *testing.F) {
	for _, text := range []string{"", "{}", "\ufeff{// x\n}", `{"theme": "dark", "context": {"sessions": 1e1}}`, `{"exclude": [1]}`, "[[[[", `{"a":{"b":{"c":1}}}`, `{"keys":{"quit":["q","<"]},"keys.up":"k"}`} {
		f.Add([]byte(text), "local")
	}
	dir := f.TempDir()
	file := filepath.Join(dir, "settings.json")
	f.Fuzz(func(t *testing.T, data []byte, provider string) {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(env{"CMEM_DATA_DIR": dir, "CMEM_PROVIDER": provider}.get)
		if c == nil {
			t.Fatalf("no settings: %v", err)
		}
		for _, k := range Keys() { // whatever the file says, every value is valid
			switch k.Kind {
			case Int:
				if n := int64(c.Int(k.Name)); n < k.Min || n > k.Max {
					t.Errorf("%s is %d", k.Name, n)
				}
			case Duration:
				if d := int64(c.Duration(k.Name)); d < k.Min || d > k.Max {
					t.Errorf("%s is %d ns", k.Name, d)
				}
			case Word:
				if err := checkWord(c.String(k.Name)); err != nil {
					t.Errorf("%s: %v", k.Name, err)
				}
			case Bindings:
				table, err := parseBindings(c.String(k.Name))
				if got, _ := c.KeyMap(); err != nil || len(got) != len(table) {
					t.Errorf("%s is %q, read again %q, %v", k.Name, got, table, err)
				}
			case Enum:
				if !slices.Contains(k.Values, c.String(k.Name)) {
					t.Errorf("%s is %q", k.Name, c.String(k.Name))
				}
			}
		}
		if (err == nil) == (len(c.problems) > 0) {
			t.Errorf("%d problems with error %v", len(c.problems), err)
		}
	})
}
