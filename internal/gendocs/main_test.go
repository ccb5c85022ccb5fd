package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cmem/cli"
)

func TestEveryCommandHasAManPageAndEveryShellItsCompletions(t *testing.T) {
	dir := t.TempDir()
	root := cli.NewApp("1.2.3").Command()
	if err := generate(root, dir, "1.2.3"); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"man/cmem.1":            "cmem 1.2.3",
		"completions/cmem.bash": "complete -o",
		"completions/cmem.zsh":  "#compdef cmem",
		"completions/cmem.fish": "complete -c cmem",
		"completions/cmem.ps1":  "Register-ArgumentCompleter",
	}
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			want["man/cmem-"+c.Name()+".1"] = c.Name()
		}
	}
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(string(got), text) {
			t.Errorf("%s has no %q", name, text)
		}
	}
}
