package agents

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestInstallChangesNothingButItsEntries(t *testing.T) {
	p := newPerson(t)
	p.write(p.claude.Settings, foreignHooks)
	p.install()
	rest := p.read(p.claude.Settings)
	for line := range strings.Lines(foreignHooks) {
		// A comma may come behind a line, and a list that ends in it may go on.
		line = strings.TrimRight(line, " ],\n")
		i := strings.Index(rest, line)
		if i < 0 {
			t.Fatalf("the line %q is gone or moved in\n%s", line, p.read(p.claude.Settings))
		}
		rest = rest[i+len(line):]
	}
}

func TestInstallWritesEveryHookAndTheServer(t *testing.T) {
	for name, text := range settingsFiles {
		t.Run(name, func(t *testing.T) {
			p := newPerson(t)
			p.write(p.claude.Settings, text)
			p.install()

			var settings struct{ Hooks map[string][]hookGroup }
			p.decode(p.claude.Settings, &settings)
			for _, want := range claudeHooks {
				groups := settings.Hooks[want.event]
				if len(groups) == 0 {
					t.Errorf("%s has no hook", want.event)
					continue
				}
				got := fmt.Sprintf("%+v", groups[len(groups)-1])
				handler := hookHandler{"command", p.claude.Binary, []string{"hook"}, want.timeout}
				if want := fmt.Sprintf("%+v", hookGroup{want.matcher, []hookHandler{handler}}); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			}
			var global struct{ McpServers map[string]mcpServer }
			p.decode(p.claude.Global, &global)
			want := fmt.Sprintf("%+v", mcpServer{"stdio", p.claude.Binary, []string{"mcp"}})
			if got := fmt.Sprintf("%+v", global.McpServers["cmem"]); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestSecondInstallWritesNothing(t *testing.T) {
	for name, text := range settingsFiles {
		t.Run(name, func(t *testing.T) {
			p := newPerson(t)
			p.write(p.claude.Settings, text)
			p.install()
			before := p.tree()
			if r := p.install(); len(r.Plan.Changes) != 0 || len(r.Written) != 0 || len(r.Backups) != 0 {
				t.Errorf("got %+v", r)
			}
			p.sameTree(before)
		})
	}
}

func TestDryRunWritesNothing(t *testing.T) {
	p := newPerson(t)
	p.write(p.claude.Settings, foreignHooks)
	before := p.tree()
	if _, err := p.claude.Install(Options{DryRun: true, Force: true}); err != nil {
		t.Fatal(err)
	}
	p.sameTree(before)

	p.install()
	before = p.tree()
	if _, err := p.claude.Uninstall(Options{DryRun: true}); err != nil {
		t.Fatal(err)
	}
	p.sameTree(before)
}

func TestDoubledHookIsMadeOne(t *testing.T) {
	p := newPerson(t)
	p.write(p.claude.Settings, `{"hooks": {"Stop": [
  {"hooks": [{"type": "command", "command": "cmem hook"}]},
  {"hooks": [{"type": "command", "command": "/opt/cmem", "args": ["hook"]}]}
]}}`)
	p.install()
	var settings struct{ Hooks map[string][]hookGroup }
	p.decode(p.claude.Settings, &settings)
	if got := settings.Hooks["Stop"]; len(got) != 1 || got[0].Hooks[0].Command != p.claude.Binary {
		t.Errorf("got %+v", got)
	}
}

func TestConfigDirectoryOfTheEnvironmentIsHonoured(t *testing.T) {
	dir := t.TempDir()
	env := map[string]string{"CLAUDE_CONFIG_DIR": dir}
	c, err := NewClaude(func(name string) string { return env[name] }, "/usr/bin/cmem")
	if err != nil {
		t.Fatal(err)
	}
	if c.Settings != filepath.Join(dir, "settings.json") || c.Global != filepath.Join(dir, ".claude.json") {
		t.Errorf("got %+v", c)
	}
	for _, env := range []map[string]string{{}, {"CLAUDE_CONFIG_DIR": "claude"}, {"HOME": "home", "USERPROFILE": "home"}} {
		if _, err := NewClaude(func(name string) string { return env[name] }, "/usr/bin/cmem"); err == nil {
			t.Errorf("%v gave no error", env)
		}
	}
}
