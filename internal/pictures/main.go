// Command pictures makes the pictures of the README from the product itself: it
// builds cmem, plays `cmem demo` on a pseudo-terminal as a person would, and
// draws what an emulated terminal shows as SVG: a still picture for each scene,
// and a recording that a browser plays.
//
//	go run ./internal/pictures [-out docs/pictures]
//
// Nothing of the person's is read: the demo has a home and a store of its own.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	out := flag.String("out", filepath.Join("docs", "pictures"), "folder for the pictures")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func run(out string) error {
	home, err := os.MkdirTemp("", "cmem-pictures-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home) //nolint:errcheck // a temporary folder
	binary := filepath.Join(home, "cmem")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if msg, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build cmem: %w\n%s", err, msg)
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, s := range scenes {
		name := filepath.Join(out, s.name+".svg")
		pages, err := play(binary, home, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := os.WriteFile(name, draw(pages, s.title), 0o644); err != nil {
			return err
		}
		fmt.Println(name)
	}
	return nil
}
