package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestScratchFilesAreOnesOwn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "edit")
	s := newScratch(dir, time.Now)
	path, err := s.write("../observation-1.md", "文本\n")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(path, dir) {
		t.Errorf("it is written to %s, not below %s", path, dir)
	}
	for p, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700, dir: 0o700} {
		if info, err := os.Stat(p); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", p, info.Mode(), err)
		}
	}
	if got, err := s.read(path); err != nil || got != "文本\n" {
		t.Errorf("it is read as %q, %v", got, err)
	}
	for name, do := range map[string]func(string) error{
		"dropped": s.drop,
		"read":    func(path string) error { _, err := s.read(path); return err },
	} {
		if err := do("/etc/hosts"); err == nil {
			t.Errorf("a file that is not its own is %s", name)
		}
	}
	if err := s.drop(path); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(path)); err == nil {
		t.Error("the folder is left over")
	}
}

// What was typed and not stored outlives the browser, and is not kept for ever.
func TestScratchFilesAreKeptForAWeek(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "edit")
	now := time.Now()
	write := func() string {
		t.Helper()
		path, err := newScratch(dir, func() time.Time { return now }).write("observation-1.md", "没保存 💾")
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	age := func(path string, days int) {
		t.Helper()
		at := now.AddDate(0, 0, -days)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	old, fresh, saved := write(), write(), write()
	for path, days := range map[string]int{old: 8, filepath.Dir(old): 8, fresh: 6, filepath.Dir(fresh): 6, filepath.Dir(saved): 8} {
		age(path, days)
	}
	write()
	if _, err := os.Stat(old); err == nil {
		t.Error("a text of last week is still there")
	}
	for _, path := range []string{fresh, saved} {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("a text that was changed this week is gone: %v", err)
		}
	}
}

// The editor's text is read while another one is written out.
func TestScratchFilesAreUsedFromSeveralSides(t *testing.T) {
	s := newScratch(t.TempDir(), time.Now)
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for range 20 {
				text := fmt.Sprint("text ", n)
				path, err := s.write("observation-1.md", text)
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := s.read(path); err != nil || got != text {
					t.Errorf("%q, %v is read, not %q", got, err, text)
				}
				if !s.has(path) {
					t.Errorf("%s is not known", path)
				}
				if err := s.drop(path); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
