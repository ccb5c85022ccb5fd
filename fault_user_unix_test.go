//go:build unix

package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// plainUser gives what runs cmem as somebody whom the modes of files bind: root
// passes them over, so that its tests do that as nobody.
func (h *machine) plainUser() func(args ...string) *exec.Cmd {
	h.t.Helper()
	if os.Getuid() != 0 {
		return h.command
	}
	const nobody = 65534
	// It must reach the program and the home directory, which are root's.
	for dir := h.dir; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // nothing in it is secret
			h.t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Dir(binary), 0o755); err != nil { //nolint:gosec // nothing in it is secret
		h.t.Fatal(err)
	}
	err := filepath.WalkDir(h.data(), func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, nobody, nobody)
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return func(args ...string) *exec.Cmd {
		cmd := h.command(args...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		return cmd
	}
}
