package config

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestUIStateIsReadAsItWasWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data 数据")
	if state, err := ReadUIState(dir); state != nil || err != nil {
		t.Errorf("before anything was written: %q, %v", state, err)
	}
	for _, state := range []string{`{"split": 40}`, `{"filters": ["修复 🛒"]}`} {
		if err := WriteUIState(dir, []byte(state)); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadUIState(dir); err != nil || string(got) != state {
			t.Errorf("got %q, %v, want %q", got, err, state)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "ui.json" {
		t.Errorf("the directory has %v, %v", entries, err)
	}
	if st, err := os.Stat(filepath.Join(dir, "ui.json")); err != nil || (runtime.GOOS != "windows" && st.Mode().Perm() != 0o600) {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	e := newEnv(t)
	e.settings(t, `{"data_dir": "~/moved"}`)
	c := e.load(t)
	if c.UIState() != filepath.Join(e["HOME"], "moved", "ui.json") || c.Themes() != filepath.Join(e["HOME"], "moved", "themes") {
		t.Errorf("got %s and %s", c.UIState(), c.Themes())
	}
}

func TestAUIStateThatCannotBeUsedIsAnErrorAndNothingElse(t *testing.T) {
	huge := `"` + strings.Repeat("x", maxUIState) + `"`
	for name, text := range map[string]string{"broken": `{"split": `, "empty": "", "huge": huge, "binary": "\x00\xff"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "ui.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if state, err := ReadUIState(dir); state != nil || err == nil || !strings.Contains(err.Error(), "ui.json") {
			t.Errorf("%s: got %d bytes, %v", name, len(state), err)
		}
		if err := WriteUIState(dir, []byte(text)); err == nil {
			t.Errorf("%s: it was written", name)
		}
		if err := WriteUIState(dir, []byte(`{}`)); err != nil {
			t.Errorf("%s: it cannot be replaced: %v", name, err)
		}
		if state, err := ReadUIState(dir); string(state) != "{}" || err != nil {
			t.Errorf("%s: after it was replaced: %q, %v", name, state, err)
		}
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "ui.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadUIState(dir); err == nil || !strings.Contains(err.Error(), "it is not a file") {
		t.Errorf("a directory in its place: %v", err)
	}
	if err := WriteUIState(dir, []byte(`{}`)); err == nil {
		t.Error("a directory in its place was written")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("a failed write left %v, %v", entries, err)
	}
}

func TestTwoBrowsersNeverLeaveAMixedState(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			state := fmt.Sprintf(`[%s%d]`, strings.Repeat(fmt.Sprintf("%d,", i), 5000), i)
			for range 20 {
				if err := WriteUIState(dir, []byte(state)); err != nil && runtime.GOOS != "windows" {
					t.Error(err)
				}
				got, err := ReadUIState(dir)
				if err != nil && runtime.GOOS != "windows" {
					t.Error(err)
				}
				if len(got) > 0 && strings.Trim(string(got), "[],"+string(got[1])) != "" {
					t.Errorf("mixed: %.40s", got)
				}
			}
		})
	}
	all.Wait()
}

func TestThemeFilesAreTheJSONFilesOfTheFolder(t *testing.T) {
	e := newEnv(t)
	c := e.load(t)
	if files, err := c.ThemeFiles(); len(files) != 0 || err != nil {
		t.Errorf("without the folder: %v, %v", files, err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(c.Themes(), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(c.Themes(), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("茶.json", "\ufeff{\n  // warm\n  \"base\": \"nord\",\n}")
	write("broken.json", `{"name": tea}`)
	write("plain.JSON", `{"base": "light"}`)
	write("readme.md", "not a theme")
	write(".#茶.json", "an editor's lock")
	write("huge.json", `{"name": "`+strings.Repeat("x", maxThemeFile)+`"}`)
	if err := os.Mkdir(filepath.Join(c.Themes(), "folder.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	files, err := c.ThemeFiles()
	got := map[string]string{}
	for path, data := range files {
		if filepath.Dir(path) != c.Themes() {
			t.Errorf("%s is not in %s", path, c.Themes())
		}
		got[filepath.Base(path)] = string(data)
	}
	if len(got) != 3 || got["broken.json"] != `{"name": tea}` || got["plain.JSON"] != `{"base": "light"}` {
		t.Errorf("got %q", got)
	}
	if tea := got["茶.json"]; strings.Contains(tea, "warm") || strings.Count(tea, "\n") != 3 || !strings.Contains(tea, `"base": "nord"`) {
		t.Errorf("comments are not blank: %q", tea)
	}
	if err == nil || !strings.Contains(err.Error(), "huge.json: it has more than") || !strings.Contains(err.Error(), "folder.json: it is not a file") {
		t.Errorf("got %v", err)
	}
}

func TestThereIsAnEndToThemeFiles(t *testing.T) {
	e := newEnv(t)
	c := e.load(t)
	if err := os.MkdirAll(c.Themes(), 0o700); err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range maxThemeFiles + 5 {
		name := filepath.Join(c.Themes(), fmt.Sprintf("%03d.json", i))
		names = append(names, name)
		if err := os.WriteFile(name, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := c.ThemeFiles()
	if err == nil || !strings.Contains(err.Error(), "only the first 100") || len(files) != maxThemeFiles {
		t.Errorf("%d files, %v", len(files), err)
	}
	if slices.ContainsFunc(names[:maxThemeFiles], func(name string) bool { return files[name] == nil }) {
		t.Error("not the first ones were taken")
	}
}
