package agents

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Executable returns the absolute path of the running program that entries should
// call. When the same program is on PATH, that path is better: a package manager
// keeps it where it is over an upgrade, and not the versioned file behind it.
func Executable() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the path of cmem: %w", err)
	}
	name := strings.TrimSuffix(filepath.Base(exe), ".exe")
	if onPath, err := exec.LookPath(name); err == nil && filepath.IsAbs(onPath) && sameFile(onPath, exe) {
		return onPath, nil
	}
	return exe, nil
}

// sameProgram reports whether an entry's command, which may be a bare name on
// PATH, is the program at path.
func sameProgram(command, path string) bool {
	if !strings.ContainsAny(command, `/\`) {
		found, err := exec.LookPath(command)
		return err == nil && sameFile(found, path)
	}
	return command == path || sameFile(command, path)
}

// sameFile reports whether two paths lead to one file.
func sameFile(a, b string) bool {
	sa, errA := os.Stat(a)
	sb, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(sa, sb)
}

// checkBinary reports why entries must not call the program at path.
func checkBinary(path string, force bool) error {
	if !filepath.IsAbs(path) {
		return fmt.Errorf("the program to install, %q, is not an absolute path", path)
	}
	if err := runnable(path); err != nil {
		return fmt.Errorf("the program to install: %w", err)
	}
	if dir := temporary(path); dir != "" && !force {
		return fmt.Errorf("the program to install, %s, is in a temporary directory (%s) and will be gone when Claude Code calls it; "+
			"install cmem first (`go install` or a package) and run `cmem install` from there, or use --force", path, dir)
	}
	return nil
}

// runnable returns an error when path is not a program that can be started. A bare
// name is looked for on PATH, as Claude Code does.
func runnable(path string) error {
	if !strings.ContainsAny(path, `/\`) {
		_, err := exec.LookPath(path)
		return err
	}
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist", path)
	case err != nil:
		return err
	case !st.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", path)
	case runtime.GOOS != "windows" && st.Mode()&0o111 == 0:
		return fmt.Errorf("%s is not executable", path)
	}
	return nil
}

// temporary returns the temporary directory that path is in, or "". A `go run`
// builds its program in one named go-build….
func temporary(path string) string {
	for dir := filepath.Dir(path); ; {
		if strings.HasPrefix(filepath.Base(dir), "go-build") || sameFile(dir, os.TempDir()) {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}
