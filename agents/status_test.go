package agents

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestStatusSaysHowFarCmemIsInstalled(t *testing.T) {
	tests := []struct {
		name    string
		arrange func(p person)
		state   State
		problem string // a part of one; empty for none
	}{
		{"nothing", func(person) {}, NotInstalled, "Run `cmem install`"},
		{"foreign hooks only", func(p person) { p.write(p.claude.Settings, foreignHooks) }, NotInstalled, "Run `cmem install`"},
		{"all", func(p person) { p.install() }, Installed, ""},
		{"no server", func(p person) {
			p.install()
			p.write(p.claude.Global, "{}")
		}, Partly, "no MCP server"},
		{"a hook is gone", func(p person) {
			p.install()
			p.write(p.claude.Settings, strings.Replace(p.read(p.claude.Settings), `"Stop"`, `"Stopp"`, 1))
		}, Partly, "no hook of cmem for Stop."},
		{"installed by an older cmem", func(p person) {
			p.install()
			p.write(p.claude.Settings, strings.Replace(p.read(p.claude.Settings), `"PreToolUse"`, `"PreToolUser"`, 1))
		}, Partly, "no hook of cmem for PreToolUse. Run `cmem install`"},
		{"all hooks disabled", func(p person) {
			p.write(p.claude.Settings, `{"disableAllHooks": true}`)
			p.install()
		}, Disabled, "disableAllHooks"},
		{"another binary", func(p person) {
			other := p.claude
			other.Binary = filepath.Join(p.home, "other", "cmem")
			p.write(other.Binary, "")
			if err := os.Chmod(other.Binary, 0o755); err != nil {
				p.Fatal(err)
			}
			if _, err := other.Install(Options{Force: true}); err != nil {
				p.Fatal(err)
			}
		}, OtherBinary, "To make it call this one"},
		{"the binary is gone", func(p person) {
			p.install()
			if err := os.Remove(p.claude.Binary); err != nil {
				p.Fatal(err)
			}
		}, BinaryMissing, "does not exist"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPerson(t)
			tt.arrange(p)
			s, err := p.claude.Status()
			if err != nil {
				t.Fatal(err)
			}
			if s.State != tt.state {
				t.Errorf("state %q, want %q (%q)", s.State, tt.state, s.Problems)
			}
			if all := strings.Join(s.Problems, "\n"); !strings.Contains(all, tt.problem) || (tt.problem == "") != (all == "") {
				t.Errorf("problems %q, want one with %q", s.Problems, tt.problem)
			}
			if len(s.Present)+len(s.Missing) != len(claudeHooks) {
				t.Errorf("present %q, missing %q", s.Present, s.Missing)
			}
		})
	}
}

func TestStatusOfBrokenSettingsIsAnError(t *testing.T) {
	p := newPerson(t)
	p.write(p.claude.Settings, "{\n\"hooks\": }")
	if _, err := p.claude.Status(); err == nil || !strings.Contains(err.Error(), "settings.json:2:10:") {
		t.Errorf("got %v", err)
	}
}

func TestInstallRefusesABinaryThatWillNotStay(t *testing.T) {
	p := newPerson(t) // its home is in the temporary directory
	for _, tt := range []struct{ binary, want string }{
		{p.claude.Binary, "temporary directory"},
		{"cmem", "not an absolute path"},
		{filepath.Join(p.home, "nowhere", "cmem"), "does not exist"},
		{p.home, "is not a file"},
	} {
		c := p.claude
		c.Binary = tt.binary
		before := p.tree()
		if _, err := c.Install(Options{Now: now}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want …%s…", tt.binary, err, tt.want)
		}
		p.sameTree(before)
	}
	if runtime.GOOS != "windows" {
		if err := os.Chmod(p.claude.Binary, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := p.claude.PlanInstall(true); err == nil || !strings.Contains(err.Error(), "not executable") {
			t.Errorf("got %v", err)
		}
	}
	for path, want := range map[string]string{
		"/home/dev/.cache/go-build123/b001/exe/cmem": "/home/dev/.cache/go-build123",
		"/home/dev/go/bin/cmem":                      "",
	} {
		if got := temporary(filepath.FromSlash(path)); got != filepath.FromSlash(want) {
			t.Errorf("temporary(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestPathThatAShellTakesApartIsNoted(t *testing.T) {
	p := newPerson(t)
	spaced := filepath.Join(p.home, "my tools", "cmem")
	p.write(spaced, "")
	if err := os.Chmod(spaced, 0o755); err != nil {
		t.Fatal(err)
	}
	p.claude.Binary = spaced
	r := p.install()
	if len(r.Plan.Notes) != 1 || !strings.Contains(r.Plan.Notes[0], spaced) {
		t.Errorf("notes %q", r.Plan.Notes)
	}
	var settings struct{ Hooks map[string][]hookGroup }
	p.decode(p.claude.Settings, &settings)
	if got := settings.Hooks["Stop"][0].Hooks[0].Command; got != spaced {
		t.Errorf("the command is %q, want the bare path", got)
	}
	if s, err := p.claude.Status(); err != nil || s.State != Installed {
		t.Errorf("status %+v, %v", s, err)
	}
}

func TestExecutablePrefersThePathThatStays(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	link := filepath.Join(bin, filepath.Base(exe))
	if err := os.Symlink(exe, link); err != nil {
		t.Skip("needs symbolic links:", err)
	}
	t.Setenv("PATH", bin)
	if got, err := Executable(); err != nil || got != link {
		t.Errorf("got %q, %v; want %q", got, err, link)
	}
	t.Setenv("PATH", t.TempDir())
	if got, err := Executable(); err != nil || got != exe {
		t.Errorf("got %q, %v; want %q", got, err, exe)
	}
}
