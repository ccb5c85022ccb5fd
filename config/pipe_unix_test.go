//go:build unix

package config

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestSettingsThatAreAPipeAreAProblemAndNotWaitedFor(t *testing.T) {
	e := newEnv(t)
	if err := os.MkdirAll(filepath.Dir(e.file()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(e.file(), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(e.get)
	if err == nil || !strings.Contains(err.Error(), "it is a pipe or a socket, and must be a file") || !strings.Contains(err.Error(), filepath.Base(e.file())) {
		t.Errorf("error %v", err)
	}
	if c == nil || c.SelectionUnderstood() {
		t.Error("what is excluded counts as known")
	}
}
