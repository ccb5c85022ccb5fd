package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/config"
	"cmem/hooks"
	"cmem/memory"
	"cmem/project"
	"cmem/store"
)

// adder runs `cmem add` in a folder of a project of its own.
type adder struct {
	t       *testing.T
	project string
	dir     string // where it is run
	getenv  func(string) string
}

func newAdder(t *testing.T) *adder {
	t.Helper()
	top := filepath.Join(t.TempDir(), "网店")
	for _, dir := range []string{".git", "src", "lib"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(top, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	key := project.Find(top).Key
	data := filepath.Join(t.TempDir(), "data")
	return &adder{t: t, project: key, dir: filepath.Join(key, "src"), getenv: func(name string) string {
		if name == "CMEM_DATA_DIR" {
			return data
		}
		return ""
	}}
}

// run gives the exit code, and what was said.
func (a *adder) run(args ...string) (code int, said string) {
	a.t.Helper()
	var out bytes.Buffer
	app := &App{
		In: strings.NewReader(""), Out: &out, Err: &out, Getenv: a.getenv, Now: time.Now, Version: "test",
		Getwd: func() (string, error) { return a.dir, nil },
	}
	code = app.Main(append([]string{"add"}, args...))
	return code, out.String()
}

// added gives the memory that a run adds.
func (a *adder) added(args ...string) memory.Observation {
	a.t.Helper()
	if code, said := a.run(args...); code != exitOK {
		a.t.Fatalf("add %q: exit code %d: %s", args, code, said)
	}
	s, err := store.OpenReadOnly(a.t.Context(), a.config().DB())
	if err != nil {
		a.t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // opened for reading
	list, err := s.ListObservations(a.t.Context(), memory.Filter{}, memory.Cursor{}, 1)
	if err != nil || len(list) != 1 {
		a.t.Fatalf("%d memories, %v", len(list), err)
	}
	return list[0]
}

func (a *adder) config() *config.Config {
	a.t.Helper()
	cfg, err := config.Load(a.getenv)
	if err != nil {
		a.t.Fatal(err)
	}
	return cfg
}

func TestAMemoryThatIsAddedWithAFileIsToldWhenThatIsOpened(t *testing.T) {
	a := newAdder(t)
	outside := filepath.Join(filepath.Dir(a.project), "other", "x.go")
	tests := map[string]struct{ file, stored, opened string }{
		"from the top's folder":       {"../README.md", "README.md", "README.md"},
		"from a folder":               {"cart.go", "src/cart.go", "src/cart.go"},
		"with a dot":                  {"./价格.go", "src/价格.go", "src/价格.go"},
		"whole":                       {a.project + "/lib/./y.go", "lib/y.go", "lib/y.go"},
		"whole, of no folder yet":     {filepath.Join(a.project, "new", "z.go"), "new/z.go", "new/z.go"},
		"with a comma":                {"a,b.go", "src/a,b.go", "src/a,b.go"},
		"outside of the project":      {outside, outside, outside},
		"outside, from the folder":    {"../../other/w.go", filepath.Join(filepath.Dir(outside), "w.go"), filepath.Join(filepath.Dir(outside), "w.go")},
		"a name with spaces, 🐛":       {"退款 🐛.go", "src/退款 🐛.go", "src/退款 🐛.go"},
		"a name that begins as above": {"..x.go", "src/..x.go", "src/..x.go"},
	}
	if runtime.GOOS != "windows" { // links need rights there, and names have no quotes
		if err := os.Symlink(filepath.Join(a.project, "lib"), filepath.Join(a.project, "src", "link")); err != nil {
			t.Fatal(err)
		}
		tests["through a link"] = struct{ file, stored, opened string }{"link/l.go", "lib/l.go", "lib/l.go"}
		tests["with a quote"] = struct{ file, stored, opened string }{`say "hi.go`, `src/say "hi.go`, `src/say "hi.go`}
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := a.added("A decision about "+tt.file, "--file", tt.file)
			if !slices.Equal(o.FilesModified, []string{tt.stored}) {
				t.Errorf("stored %q, want %q", o.FilesModified, tt.stored)
			}
			opened := tt.opened
			if !filepath.IsAbs(opened) {
				opened = filepath.Join(a.project, filepath.FromSlash(opened))
			}
			found, err := actionMemory{cfg: a.config()}.AtAction(t.Context(), hooks.ActionRequest{
				Event: memory.EventPreToolUse, CWD: a.project, SessionID: "s", File: opened, MaxTokens: 300, Told: func(int64) bool { return false },
			})
			if err != nil || !slices.Equal(found.IDs, []int64{o.ID}) {
				t.Errorf("when %s is opened %v is told, %v; want %d", opened, found.IDs, err, o.ID)
			}
		})
	}
}

func TestFilesOfAProjectElsewhereAreTakenFromItsTop(t *testing.T) {
	a := newAdder(t)
	a.dir = t.TempDir()
	o := a.added("Elsewhere", "-p", a.project, "--file", "src/cart.go", "--file", filepath.Join(a.project, "src", "cart.go"), "--file", "./lib/价格.go")
	if want := []string{"src/cart.go", "lib/价格.go"}; o.Project != a.project || !slices.Equal(o.FilesModified, want) {
		t.Errorf("of %s is stored %q, want %q", o.Project, o.FilesModified, want)
	}
}

func TestAFlagOfAddIsOneValueHoweverItIsWritten(t *testing.T) {
	a := newAdder(t)
	o := a.added("Tags", "--tag", `size 12" screen`, "--tag", "a,b", "--tag", "金额")
	if want := []string{`size 12" screen`, "a,b", "金额"}; !slices.Equal(o.Tags, want) {
		t.Errorf("tags %q, want %q", o.Tags, want)
	}
	for _, file := range []string{"", "..", a.project} {
		if code, said := a.run("No file", "--file", file); code != exitUsage || !strings.Contains(said, "names no file") {
			t.Errorf("--file %q: exit code %d, %s", file, code, said)
		}
	}
}
