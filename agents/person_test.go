package agents

import (
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cmem/config/jsonfile"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var now = time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)

// person is a home directory with cmem in it.
type person struct {
	*testing.T
	home   string
	claude Claude
}

func newPerson(t *testing.T) person {
	t.Helper()
	home := t.TempDir()
	bin := filepath.Join(home, "bin", "cmem")
	p := person{T: t, home: home}
	p.write(bin, "#!/bin/sh\n")
	if err := os.Chmod(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	c, err := NewClaude(func(name string) string {
		return map[string]string{"HOME": home, "USERPROFILE": home}[name]
	}, bin)
	if err != nil {
		t.Fatal(err)
	}
	p.claude = c
	return p
}

func (p person) write(path, text string) {
	p.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
}

func (p person) read(path string) string {
	p.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		p.Fatal(err)
	}
	return string(data)
}

func (p person) install() Report {
	p.Helper()
	r, err := p.claude.Install(Options{Force: true, Now: now})
	if err != nil {
		p.Fatalf("install: %v", err)
	}
	return r
}

func (p person) uninstall() Report {
	p.Helper()
	r, err := p.claude.Uninstall(Options{Now: now.Add(time.Hour)})
	if err != nil {
		p.Fatalf("uninstall: %v", err)
	}
	return r
}

// tree lists every file and directory of the home directory with its content.
func (p person) tree() map[string]string {
	p.Helper()
	tree := map[string]string{}
	err := filepath.WalkDir(p.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(p.home, path)
		tree[rel] = "directory"
		if d.Type().IsRegular() {
			tree[rel] = p.read(path)
		}
		return nil
	})
	if err != nil {
		p.Fatal(err)
	}
	return tree
}

func (p person) sameTree(want map[string]string) {
	p.Helper()
	got := p.tree()
	for path, text := range want {
		if got[path] != text {
			p.Errorf("%s\n got %q\nwant %q", path, got[path], text)
		}
	}
	for path := range got {
		if _, ok := want[path]; !ok {
			p.Errorf("%s is left over", path)
		}
	}
}

const foreignHooks = `{
  // 我的设置 🛒
  "model": "opus",
  "hooks": {
    "PostToolUse": [
      {
        "matcher": "Edit|Write",
        "hooks": [{ "type": "command", "command": "gofmt -w .", "timeout": 5 }] // format
      }
    ],
    "Stop": [ ],
    "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "cmem-guard", "args": ["check"]}]}]
  },
  "permissions": { "allow": ["Bash(go test:*)", "Read(./资料/**)"] }
}
`

// settingsFiles are settings.json files in every style.
var settingsFiles = map[string]string{
	"empty":            "",
	"empty object":     "{}",
	"open object":      "{\n}\n",
	"inner space":      "{ }\n",
	"empty hooks":      "{\n  \"hooks\": {}\n}\n",
	"empty event":      "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n",
	"two spaces":       "{\n  \"model\": \"opus\"\n}\n",
	"four spaces":      "{\n    \"model\": \"opus\",\n    \"env\": {\n        \"A\": \"1\"\n    }\n}\n",
	"tabs":             "{\n\t\"model\": \"opus\"\n}",
	"CRLF":             "{\r\n  \"model\": \"opus\",\r\n  \"hooks\": {\r\n    \"Stop\": []\r\n  }\r\n}\r\n",
	"byte order mark":  "\ufeff{\n  \"model\": \"opus\"\n}\n",
	"one line":         `{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}`,
	"spaced line":      `{ "model": "opus", "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "say done" } ] } ] } }` + "\n",
	"trailing commas":  "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": [],\n  },\n}\n",
	"comments":         "// head\n{\n  \"model\": \"opus\" // 一\n  /* end */\n}\n// foot\n",
	"foreign hooks":    foreignHooks,
	"Chinese":          "{\n  \"language\": \"中文\",\n  \"说明\": \"不要改动 <这里> & 那里\"\n}\n",
	"escapes":          "{\n  \"a\": \"\\u4e2d\\/\\ud83d\\uded2\",\n  \"n\": 1.50e+3\n}\n",
	"someone's groups": "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"matcher\": \"startup\",\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"~/bin/hello\"\n          }\n        ]\n      }\n    ]\n  }\n}\n",
}

// decode reads a file as a program does that knows comments.
func (p person) decode(path string, v any) {
	p.Helper()
	plain, err := jsonfile.Standardize(path, []byte(strings.TrimPrefix(p.read(path), "\ufeff")))
	if err != nil {
		p.Fatal(err)
	}
	if err := json.Unmarshal(plain, v); err != nil {
		p.Fatal(err)
	}
}
