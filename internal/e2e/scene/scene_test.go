package scene

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLoadKeepsTheOrderAndTheTextOfAToolsArguments(t *testing.T) {
	file := filepath.Join(t.TempDir(), "scene.yaml")
	text := `
session: s
runs:
  - at: 2026-11-24T09:12:03.120Z
    prompts:
      - text: 请修正 <退款> & 测试 😅
        turns:
          - blocks:
              - tool: Edit
                input: {file_path: "${CWD}/a.go", old_string: "x < y && z", new_string: "\ty\n", replace_all: false, limit: 3}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	sc, err := Load(file, "${CWD}", "/home/dev/projects/webshop")
	if err != nil {
		t.Fatal(err)
	}
	p := sc.Runs[0].Prompts[0]
	if p.Text != "请修正 <退款> & 测试 😅" {
		t.Errorf("prompt %q", p.Text)
	}
	want := `{"file_path":"/home/dev/projects/webshop/a.go","old_string":"x < y && z","new_string":"\ty\n","replace_all":false,"limit":3}`
	if got := string(p.Turns[0].Blocks[0].Input); got != want {
		t.Errorf("input\n%s\nwant\n%s", got, want)
	}
}

func TestLoadNamesTheFileOfABrokenScene(t *testing.T) {
	for name, text := range map[string]string{
		"empty":         "",
		"not YAML":      "session: [",
		"unknown field": "session: s\nrun: []\n",
		"wrong type":    "runs: 3\n",
	} {
		file := filepath.Join(t.TempDir(), "broken.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(file); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: error %v does not name the file", name, err)
		}
	}
}

func TestAllScenesCanBeLoaded(t *testing.T) {
	files, err := filepath.Glob("../testdata/scenes/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenes: %v", err)
	}
	sessions := map[string]string{}
	for _, file := range files {
		sc, err := Load(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if other := sessions[sc.Session]; other != "" {
			t.Errorf("%s and %s have the same session id", file, other)
		}
		sessions[sc.Session] = file
		for _, run := range sc.Runs {
			if run.At.IsZero() || len(run.Prompts) == 0 {
				t.Errorf("%s: a run has no time or no prompt", file)
			}
		}
	}
}
