package agents

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/config/jsonfile"
)

func TestBrokenSettingsAreNamedAndLeftAlone(t *testing.T) {
	tests := []struct{ name, settings, global, want string }{
		{"syntax", "{\n  \"model\": \"opus\"\n  \"hooks\": {}\n}", "{}", "settings.json:3:3: not valid JSON"},
		{"not an object", "[]", "{}", "settings.json:1: holds an array"},
		{"hooks is a list", "{\n  \"hooks\": []\n}", "{}", "settings.json:2: hooks holds an array"},
		{"an event is an object", "{\n  \"hooks\": {\n    \"Stop\": {}\n  }\n}", "{}", "settings.json:3: hooks.Stop holds an object"},
		{"global syntax", "{}", "{\n\"a\": }", ".claude.json:2:6: not valid JSON"},
		{"servers is null", "{}", "{\n  \"mcpServers\": null\n}", ".claude.json:2: mcpServers holds null"},
		{"name taken", "{}", "{\n  \"mcpServers\": {\n    \"cmem\": {\"command\": \"other\"}\n  }\n}", ".claude.json:3: mcpServers.cmem is an MCP server that is not cmem's"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPerson(t)
			p.write(p.claude.Settings, tt.settings)
			p.write(p.claude.Global, tt.global)
			before := p.tree()
			_, err := p.claude.Install(Options{Force: true, Now: now})
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), p.home) {
				t.Errorf("got %v, want …%s…", err, tt.want)
			}
			p.sameTree(before)
		})
	}
}

func TestSymbolicLinkStaysOne(t *testing.T) {
	p := newPerson(t)
	target := filepath.Join(p.home, "dotfiles", "claude.json")
	p.write(target, foreignHooks)
	p.write(filepath.Join(p.home, ".claude", "x"), "")
	if err := os.Symlink(target, p.claude.Settings); err != nil {
		t.Skip("needs symbolic links:", err)
	}
	r := p.install()
	if st, err := os.Lstat(p.claude.Settings); err != nil || st.Mode()&fs.ModeSymlink == 0 {
		t.Fatalf("the link is gone: %v %v", st, err)
	}
	if !strings.Contains(p.read(target), `"hook"`) {
		t.Errorf("the target was not written")
	}
	if dir := filepath.Dir(r.Backups[0]); dir != filepath.Dir(p.claude.Settings) {
		t.Errorf("the backup is in %s", dir)
	}
	p.uninstall()
	if got := p.read(target); got != foreignHooks {
		t.Errorf("the target became %q", got)
	}

	// What a link leads to is never deleted, even when only our entries were in it.
	p.write(target, "")
	for _, backup := range p.install().Backups {
		if err := os.Remove(backup); err != nil {
			t.Fatal(err)
		}
	}
	p.uninstall()
	if got := p.read(target); got != "{}\n" {
		t.Errorf("the target became %q", got)
	}

	if err := os.Remove(target); err != nil {
		t.Fatal(err)
	}
	if _, err := p.claude.Install(Options{Force: true}); err == nil || !strings.Contains(err.Error(), "follow the symbolic link") {
		t.Errorf("a dangling link: got %v", err)
	}
}

func TestReadOnlyFileIsRefused(t *testing.T) {
	p := newPerson(t)
	p.write(p.claude.Settings, "{}")
	p.write(p.claude.Global, "{}")
	if err := os.Chmod(p.claude.Global, 0o400); err != nil {
		t.Fatal(err)
	}
	before := p.tree()
	_, err := p.claude.Install(Options{Force: true, Now: now})
	if err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("got %v", err)
	}
	p.sameTree(before)
	_ = os.Chmod(p.claude.Global, 0o600) // so that it can be removed
}

func TestModesAreKept(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	p := newPerson(t)
	p.write(p.claude.Settings, "{\n  \"model\": \"opus\"\n}\n")
	if err := os.Chmod(p.claude.Settings, 0o644); err != nil {
		t.Fatal(err)
	}
	r := p.install()
	for path, want := range map[string]fs.FileMode{p.claude.Settings: 0o644, p.claude.Global: 0o600, r.Backups[0]: 0o600} {
		st, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if st.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", path, st.Mode().Perm(), want)
		}
	}
}

func TestChangeByAnotherProgramIsNotOverwritten(t *testing.T) {
	p := newPerson(t)
	p.write(p.claude.Global, `{"numStartups": 1}`)
	plan, err := p.claude.PlanInstall(true)
	if err != nil {
		t.Fatal(err)
	}
	p.write(p.claude.Global, `{"numStartups": 2}`)
	before := p.tree()
	if _, err := plan.Apply(now); !errors.Is(err, jsonfile.ErrChanged) {
		t.Errorf("got %v", err)
	}
	p.sameTree(before)
	p.install() // starts from what is there now
	if got := p.read(p.claude.Global); !strings.Contains(got, `"numStartups": 2`) || !strings.Contains(got, "mcpServers") {
		t.Errorf("got %s", got)
	}
}

func TestInstallStartsAgainWhenAFileChangesMeanwhile(t *testing.T) {
	p := newPerson(t)
	p.write(p.claude.Global, "{}")
	calls := 0
	r, err := run(Options{Now: now}, func() (Plan, error) {
		calls++
		plan, err := p.claude.PlanInstall(true)
		if calls < attempts {
			p.write(p.claude.Global, fmt.Sprintf(`{"numStartups": %d}`, calls))
		}
		return plan, err
	})
	if err != nil || calls != attempts || len(r.Written) != 2 {
		t.Errorf("%d attempts, written %q, %v", calls, r.Written, err)
	}
	if got := p.read(p.claude.Global); !strings.Contains(got, `"numStartups": 2`) || !strings.Contains(got, `"cmem"`) {
		t.Errorf("got %s", got)
	}
}

func TestAtMostThreeBackupsAreKept(t *testing.T) {
	p := newPerson(t)
	var all []string
	for i := range 5 {
		p.write(p.claude.Settings, fmt.Sprintf("{\n  \"n\": %d\n}\n", i))
		r, err := p.claude.Install(Options{Force: true, Now: now.Add(time.Duration(i) * time.Second)})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r.Backups...)
	}
	left, err := filepath.Glob(p.claude.Settings + backupMark + "*")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(left, all[2:]) {
		t.Errorf("left %q of %q", left, all)
	}
}

func TestBigGlobalFileIsEditedInOnePlace(t *testing.T) {
	p := newPerson(t)
	var projects strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&projects, "    \"/home/dev/projects/网店-%d\": {\n      \"history\": [\"%s\"]\n    },\n", i, strings.Repeat("订单 order ", 8))
	}
	text := "{\n  \"numStartups\": 7,\n  \"projects\": {\n" + projects.String() + "    \"last\": {}\n  },\n  \"mcpServers\": {}\n}"
	p.write(p.claude.Global, text)
	p.install()
	got := p.read(p.claude.Global)
	if head := strings.TrimSuffix(text, "}\n}"); !strings.HasPrefix(got, head) || len(got) > len(text)+400 {
		t.Errorf("more than the end was changed: %d bytes became %d", len(text), len(got))
	}
	p.uninstall()
	if p.read(p.claude.Global) != text {
		t.Error("the file is not what it was")
	}
}
