package agents

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestDiffShowsWhatWillChange(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the golden files have the paths of other systems")
	}
	tests := map[string]func(p person) (Plan, error){
		"new": func(p person) (Plan, error) { return p.claude.PlanInstall(true) },
		"foreign": func(p person) (Plan, error) {
			p.write(p.claude.Settings, foreignHooks)
			p.write(p.claude.Global, "{\n  \"numStartups\": 3,\n  \"projects\": {}\n}")
			return p.claude.PlanInstall(true)
		},
		"update": func(p person) (Plan, error) {
			p.install()
			p.write(p.claude.Settings, strings.ReplaceAll(p.read(p.claude.Settings), p.claude.Binary, "/opt/old/cmem"))
			return p.claude.PlanInstall(true)
		},
		"uninstall": func(p person) (Plan, error) {
			p.write(p.claude.Settings, foreignHooks)
			p.install()
			return p.claude.PlanUninstall()
		},
	}
	for name, plan := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPerson(t)
			pl, err := plan(p)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.ReplaceAll(pl.Diff(), p.home, "/home/dev")
			golden := filepath.Join("testdata", "diff", name+".diff")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("\n got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestDiffIsTheSameBeforeAndAfterApplying(t *testing.T) {
	p := newPerson(t)
	p.write(p.claude.Settings, foreignHooks)
	plan, err := p.claude.PlanInstall(true)
	if err != nil {
		t.Fatal(err)
	}
	before := plan.Diff()
	if _, err := plan.Apply(now); err != nil {
		t.Fatal(err)
	}
	if after := plan.Diff(); after != before || before == "" {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
}

func TestDiffIsSafeForATerminal(t *testing.T) {
	p := newPerson(t)
	p.write(p.claude.Settings, "{ // \x1b]0;title\x07\r\n}\r\n")
	p.write(p.claude.Global, `{"a":"`+strings.Repeat("x", 1<<20)+`"}`)
	plan, err := p.claude.PlanInstall(true)
	if err != nil {
		t.Fatal(err)
	}
	text := plan.Diff()
	if strings.ContainsAny(text, "\x1b\x07\r") {
		t.Errorf("got %q", text[:200])
	}
	if len(text) > 20000 {
		t.Errorf("the diff has %d bytes", len(text))
	}
}
