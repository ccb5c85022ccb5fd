package agents

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestUninstallUndoesInstallToTheByte(t *testing.T) {
	for name, text := range settingsFiles {
		t.Run(name, func(t *testing.T) {
			p := newPerson(t)
			p.write(p.claude.Settings, text)
			p.write(p.claude.Global, `{"numStartups": 3, "mcpServers": {"other": {"command": "other"}}, "projects": {}}`)
			before := p.tree()

			r := p.install()
			if len(r.Written) != 2 || len(r.Backups) != 2 {
				t.Errorf("written %q, backups %q", r.Written, r.Backups)
			}
			if got := p.read(r.Backups[0]); got != text {
				t.Errorf("the backup holds %q", got)
			}
			p.uninstall()
			p.sameTree(before)
		})
	}
}

func TestUninstallLeavesNothingOfFilesThatWereNotThere(t *testing.T) {
	p := newPerson(t)
	before := p.tree()
	r := p.install()
	if len(r.Backups) != 0 {
		t.Errorf("backups of nothing: %q", r.Backups)
	}
	p.uninstall()
	p.sameTree(before)
	if r := p.uninstall(); len(r.Written) != 0 {
		t.Errorf("a second uninstall wrote %q", r.Written)
	}
	p.sameTree(before)
}

// Without the backups only the structure is left to go by; it is enough wherever
// an empty object or list has no spaces of its own.
func TestUninstallUndoesInstallWithoutTheBackups(t *testing.T) {
	for name, text := range settingsFiles {
		if slices.Contains([]string{"empty", "empty object", "open object", "inner space", "empty hooks", "empty event", "CRLF", "trailing commas"}, name) {
			continue // what was empty before us is removed with us
		}
		t.Run(name, func(t *testing.T) {
			p := newPerson(t)
			text := strings.Replace(text, "    \"Stop\": [ ],\n", "", 1)
			p.write(p.claude.Settings, text)
			for _, backup := range p.install().Backups {
				if err := os.Remove(backup); err != nil {
					t.Fatal(err)
				}
			}
			p.uninstall()
			if got := p.read(p.claude.Settings); got != text {
				t.Errorf("\n got %q\nwant %q", got, text)
			}
		})
	}
}

func TestOlderPathIsUpdatedInPlace(t *testing.T) {
	p := newPerson(t)
	p.write(p.claude.Settings, foreignHooks)
	original := p.tree()
	old := p.claude
	old.Binary = filepath.Join(p.home, "old", "cmem-linux-amd64")
	p.write(old.Binary, "")
	if err := os.Chmod(old.Binary, 0o755); err != nil {
		t.Fatal(err)
	}
	original["old"] = "directory"
	original[filepath.Join("old", "cmem-linux-amd64")] = ""

	if _, err := old.Install(Options{Force: true, Now: now.Add(-time.Hour)}); err != nil {
		t.Fatal(err)
	}
	before := p.read(p.claude.Settings)
	p.install()
	quoted := func(path string) string { b, _ := json.Marshal(path); return string(b) }
	want := strings.ReplaceAll(before, quoted(old.Binary), quoted(p.claude.Binary))
	if got := p.read(p.claude.Settings); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	p.uninstall()
	p.sameTree(original)
}

func TestWhatThePersonDidWithOurHooksStays(t *testing.T) {
	p := newPerson(t)
	// Moved in front, a narrower matcher, another timeout, a shell's form, a name
	// of their own for the server.
	p.write(p.claude.Settings, `{
  "hooks": {
    "PostToolUse": [
      {"matcher": "Edit", "hooks": [
        {"type": "command", "command": "/opt/old/cmem", "args": ["hook"], "timeout": 99},
        {"type": "command", "command": "make lint"}
      ]}
    ],
    "Stop": [{"hooks": [{"type": "command", "command": "\"/opt/old dir/cmem\" hook"}]}]
  }
}
`)
	p.write(p.claude.Global, `{"mcpServers": {"memory": {"command": "/opt/old/cmem", "args": ["mcp"], "env": {"A": "1"}}}}`)
	p.install()

	var settings struct{ Hooks map[string][]hookGroup }
	p.decode(p.claude.Settings, &settings)
	bin := p.claude.Binary
	for event, want := range map[string][]hookGroup{
		"PostToolUse": {{"Edit", []hookHandler{{"command", bin, []string{"hook"}, 99}, {"command", "make lint", nil, 0}}}},
		"Stop":        {{"", []hookHandler{{"command", bin, []string{"hook"}, 0}}}},
	} {
		if got, want := fmt.Sprintf("%+v", settings.Hooks[event]), fmt.Sprintf("%+v", want); got != want {
			t.Errorf("%s\n got %s\nwant %s", event, got, want)
		}
	}
	quoted, _ := json.Marshal(bin)
	if got, want := p.read(p.claude.Global), `{"mcpServers": {"memory": {"command": `+string(quoted)+`, "args": ["mcp"], "env": {"A": "1"}}}}`; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}

	p.uninstall()
	if got, want := p.read(p.claude.Settings), `{
  "hooks": {
    "PostToolUse": [
      {"matcher": "Edit", "hooks": [
        {"type": "command", "command": "make lint"}
      ]}
    ]
  }
}
`; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if got, want := p.read(p.claude.Global), `{}`; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestUninstallKeepsWhatWasWrittenSince(t *testing.T) {
	p := newPerson(t)
	p.write(p.claude.Settings, foreignHooks)
	p.install()
	changed := strings.Replace(p.read(p.claude.Settings), `"model": "opus"`, `"model": "haiku" /* 便宜 */`, 1)
	p.write(p.claude.Settings, changed)
	r := p.uninstall()

	want := strings.Replace(foreignHooks, `"model": "opus"`, `"model": "haiku" /* 便宜 */`, 1)
	want = strings.Replace(want, "    \"Stop\": [ ],\n", "", 1) // empty without our hook
	if got := p.read(p.claude.Settings); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if len(r.Backups) != 1 || p.read(r.Backups[0]) != changed {
		t.Errorf("backups %q", r.Backups)
	}
}

func TestForeignCommandsAreNotOurs(t *testing.T) {
	p := newPerson(t)
	text := `{"hooks": {"Stop": [{"hooks": [
  {"type": "command", "command": "cmem export notes.md"},
  {"type": "command", "command": "cmem-notify"},
  {"type": "command", "command": "/opt/cmem", "args": ["export"]},
  {"type": "command", "command": "remember hook"},
  {"type": "prompt", "prompt": "cmem hook"},
  "rubbish", 7, null
]}, {"hooks": "rubbish"}, null, 3]}}`
	p.write(p.claude.Settings, text)
	if r := p.uninstall(); len(r.Written) != 0 || p.read(p.claude.Settings) != text {
		t.Errorf("uninstall changed %s", p.read(p.claude.Settings))
	}
	before := p.tree()
	p.install()
	p.uninstall()
	p.sameTree(before)
}
