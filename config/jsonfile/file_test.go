package jsonfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func write(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// holds checks a file's text and that nothing else is in its directory.
func holds(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s holds %q, want %q", path, got, want)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".tmp") {
			t.Errorf("%s is left over", e.Name())
		}
	}
}

func read(t *testing.T, path string) *File {
	t.Helper()
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestWriteKeepsTheMode(t *testing.T) {
	for _, mode := range []fs.FileMode{0o600, 0o644, 0o664} {
		path := filepath.Join(t.TempDir(), "settings.json")
		write(t, path, "old", mode)
		if err := read(t, path).Write([]byte("新")); err != nil {
			t.Fatal(err)
		}
		holds(t, path, "新")
		if st, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != mode {
			t.Errorf("mode %v, %v; want %o", st.Mode(), err, mode)
		}
	}
}

func TestWriteMakesAFileForThisPersonOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	f := read(t, path)
	if f.Existed || f.Changed() {
		t.Errorf("got %+v", f)
	}
	if err := f.Write([]byte("{}")); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "{}")
	if st, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	if err := f.Write([]byte("{ }")); err != nil { // a second write knows of the first
		t.Fatal(err)
	}
	holds(t, path, "{ }")
}

func TestWriteGoesThroughALink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target.json"), filepath.Join(dir, "settings.json")
	write(t, target, "old", 0o600)
	if err := os.Symlink("target.json", link); err != nil {
		t.Skip("needs symbolic links:", err)
	}
	f := read(t, link)
	if !f.Linked() || read(t, target).Linked() {
		t.Error("a link is not told from a file")
	}
	if err := f.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	holds(t, target, "new")
	if st, err := os.Lstat(link); err != nil || st.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
}

func TestNothingIsOverwrittenThatWasNotRead(t *testing.T) {
	for name, meddle := range map[string]func(path string){
		"changed": func(path string) { write(t, path, "theirs", 0o600) },
		"removed": func(path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "settings.json")
			write(t, path, "old", 0o600)
			f := read(t, path)
			meddle(path)
			if err := f.Write([]byte("ours")); !errors.Is(err, ErrChanged) {
				t.Errorf("write: got %v", err)
			}
			if err := f.Remove(); !errors.Is(err, ErrChanged) {
				t.Errorf("remove: got %v", err)
			}
			if name == "changed" {
				holds(t, path, "theirs")
			} else if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the file is back: %v", err)
			}
		})
	}

	path := filepath.Join(t.TempDir(), "settings.json")
	f := read(t, path)
	write(t, path, "theirs", 0o600) // it appeared
	if err := f.Write([]byte("ours")); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v", err)
	}
	holds(t, path, "theirs")
}

func TestReadOnlyFileIsNotReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	write(t, path, "old", 0o444)
	err := read(t, path).Write([]byte("new"))
	if err == nil || !strings.Contains(err.Error(), path+" is read-only (mode 0444); make it writable") {
		t.Errorf("got %v", err)
	}
	holds(t, path, "old")
	_ = os.Chmod(path, 0o600) // so that it can be removed
}

func TestErrorsNameTheFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "read "+dir) {
		t.Errorf("a directory: got %v", err)
	}
	gone := filepath.Join(dir, "gone", "settings.json")
	if err := read(t, gone).Write(nil); err == nil || !strings.Contains(err.Error(), "write "+gone) {
		t.Errorf("no directory: got %v", err)
	}
	link := filepath.Join(dir, "link.json")
	if err := os.Symlink("nowhere", link); err != nil {
		t.Skip("needs symbolic links:", err)
	}
	if _, err := Read(link); err == nil || !strings.Contains(err.Error(), "follow the symbolic link "+link) {
		t.Errorf("a dangling link: got %v", err)
	}
}
