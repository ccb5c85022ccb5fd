// Command gendocs writes the shell completions and man pages of cmem, made from
// its commands, for packages and releases. It is a program of its own so that
// the binary need not carry what renders man pages.
//
//	go run ./internal/gendocs [-out DIR] [-version V]
//
// It writes DIR/completions/cmem.{bash,zsh,fish,ps1} and DIR/man/cmem*.1. The
// date in the man pages is SOURCE_DATE_EPOCH's where that is set.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"cmem/cli"
)

func main() {
	out := flag.String("out", ".", "write below this `folder`")
	version := flag.String("version", "dev", "the version that the man pages name")
	flag.Parse()
	if err := generate(cli.NewApp(*version).Command(), *out, *version); err != nil {
		fmt.Fprintln(os.Stderr, "gendocs:", err)
		os.Exit(1)
	}
}

// generate writes completions and man pages of root below dir.
func generate(root *cobra.Command, dir, version string) error {
	completions, man := filepath.Join(dir, "completions"), filepath.Join(dir, "man")
	for _, d := range []string{completions, man} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for name, write := range map[string]func(io.Writer) error{
		"cmem.bash": func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"cmem.zsh":  root.GenZshCompletion,
		"cmem.fish": func(w io.Writer) error { return root.GenFishCompletion(w, true) },
		"cmem.ps1":  root.GenPowerShellCompletionWithDesc,
	} {
		if err := writeFile(filepath.Join(completions, name), write); err != nil {
			return err
		}
	}
	root.DisableAutoGenTag = true // it would put today's date in
	header := &doc.GenManHeader{Title: "CMEM", Section: "1", Source: "cmem " + version, Manual: "cmem manual"}
	if err := doc.GenManTree(root, header, man); err != nil {
		return fmt.Errorf("write man pages: %w", err)
	}
	return nil
}

func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		_ = f.Close() // the first error tells more
		return fmt.Errorf("write %s: %w", path, err)
	}
	return f.Close()
}
