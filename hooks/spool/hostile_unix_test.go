//go:build unix

package spool

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A pipe has no end and a link may lead anywhere: neither may hold up the worker.
func TestPipesAndLinksAreNeitherListedNorRead(t *testing.T) {
	dir := t.TempDir()
	if err := Create(dir); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("not ours"), 0o600); err != nil {
		t.Fatal(err)
	}
	pipe, link := NameAt(time.Now(), 1), NameAt(time.Now(), 2)
	if err := syscall.Mkfifo(filepath.Join(NewDir(dir), pipe), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(NewDir(dir), link)); err != nil {
		t.Fatal(err)
	}
	if names, err := List(dir); err != nil || len(names) != 0 {
		t.Errorf("List = %v, %v", names, err)
	}
	for _, name := range []string{pipe, link} {
		read := make(chan error, 1)
		go func() {
			b, err := Read(dir, name)
			if len(b) > 0 {
				t.Errorf("%s reads %q", name, b)
			}
			read <- err
		}()
		select {
		case err := <-read:
			if !errors.Is(err, ErrNoFile) {
				t.Errorf("%s: %v, want ErrNoFile", name, err)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("reading %s waits", name)
		}
	}
}
