package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/memory"
	"cmem/store"
)

// programs makes programs that can be found in PATH and do nothing.
func programs(t *testing.T, names ...string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("programs are found otherwise there")
	}
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

func TestEditorsAreToldOfTheLine(t *testing.T) {
	programs(t, "nvim", "code", "zed", "hx", "my editor", "unknown", "emacsclient", "gedit", "gnome-text-editor")
	for _, tc := range []struct {
		editor string
		line   int
		wait   bool
		want   string
	}{
		{"nvim", 12, false, "nvim|+12|/p/订单.go"},
		{"nvim", 0, true, "nvim|/p/订单.go"},
		{"nvim -u 'my rc' --cmd \"set nu\"", 3, false, "nvim|-u|my rc|--cmd|set nu|+3|/p/订单.go"},
		{"code", 12, false, "code|-g|/p/订单.go:12"},
		{"code -n", 0, true, "code|-n|--wait|/p/订单.go"},
		{"code --wait", 0, true, "code|--wait|/p/订单.go"},
		{"code -w", 0, true, "code|-w|/p/订单.go"},
		{"zed", 7, true, "zed|--wait|/p/订单.go:7"},
		{"gedit", 0, true, "gedit|--wait|/p/订单.go"},
		{"gnome-text-editor", 7, true, "gnome-text-editor|--standalone|+7|/p/订单.go"}, // it knows no --wait
		{"hx", 7, false, "hx|/p/订单.go:7"},
		{"emacsclient -t", 7, false, "emacsclient|-t|+7|/p/订单.go"},
		{"my editor", 7, false, "my editor|/p/订单.go"},
		{`my\ editor`, 0, false, "my editor|/p/订单.go"},
		{"unknown; rm -rf $HOME", 7, false, "unknown;"}, // no shell: there is no such program
	} {
		c, err := editCommand(tc.editor, "/p/订单.go", tc.line, tc.wait)
		got := strings.Join(append([]string{filepath.Base(c.Path)}, c.Args...), "|")
		if err != nil {
			if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: %v", tc.editor, err)
			}
			continue
		}
		if got != tc.want {
			t.Errorf("%s at line %d: %s, not %s", tc.editor, tc.line, got, tc.want)
		}
	}
	for _, wrong := range []string{`vi "x`, `''`, "  ", `vi \`} {
		if c, err := editCommand(wrong, "/p/x", 0, false); err == nil {
			t.Errorf("%q is taken as %v", wrong, c)
		}
	}
}

func TestFilesAreFoundInTheProjectAndNowhereElse(t *testing.T) {
	project, cwd, outside := t.TempDir(), t.TempDir(), t.TempDir()
	for _, path := range []string{project + "/订单 a.go", cwd + "/b.go", outside + "/id_rsa"} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"inside.go": project + "/订单 a.go", "key": outside + "/id_rsa", "away": outside, "loose": outside + "/none", "beside.go": cwd + "/b.go",
	} {
		if err := os.Symlink(to, filepath.Join(project, link)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	for name, want := range map[string]string{
		"订单 a.go": filepath.Join(project, "订单 a.go"), "b.go": filepath.Join(cwd, "b.go"), cwd + "/b.go": filepath.Join(cwd, "b.go"),
		"inside.go": filepath.Join(project, "inside.go"), project + "/inside.go": filepath.Join(project, "inside.go"),
	} {
		if got, err := findFile(project, cwd, name); err != nil || got != want {
			t.Errorf("%s is found at %q, %v", name, got, err)
		}
	}
	for name, want := range map[string]string{
		"c.go": "not there any more", "../" + filepath.Base(cwd) + "/b.go": "leads out of the project", ".": "is no file",
		project + "/c.go": "not there any more",
		"/nowhere/x":      "is outside of the project", outside + "/id_rsa": "is outside of the project", "/etc/hosts": "is outside of the project",
		project + "/../" + filepath.Base(outside) + "/id_rsa": "is outside of the project",
		"key": "by a symbolic link", "away/id_rsa": "by a symbolic link", project + "/key": "by a symbolic link", "loose": "not there any more",
		"beside.go": "by a symbolic link",
	} {
		if got, err := findFile(project, cwd, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is found at %q, %v, not refused with %q", name, got, err, want)
		}
	}
	if _, err := findFile("webshop", "", "a.go"); err == nil || !strings.Contains(err.Error(), "not known where the project webshop is") {
		t.Errorf("a project without a place: %v", err)
	}
	// The project may itself be reached by a link.
	linked := filepath.Join(t.TempDir(), "链接")
	if err := os.Symlink(project, linked); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"订单 a.go", linked + "/订单 a.go", project + "/订单 a.go"} {
		if _, err := findFile(linked, "", name); err != nil {
			t.Errorf("%s, of a project that is a link: %v", name, err)
		}
	}
}

func TestASessionIsResumedWhereItRan(t *testing.T) {
	programs(t, "claude")
	dir := t.TempDir()
	c, err := resumeCommand(memory.Session{ID: "5f3a-1", Agent: "claude-code", CWD: dir})
	if err != nil || c.Dir != dir || filepath.Base(c.Path) != "claude" || !reflect.DeepEqual(c.Args, []string{"--resume", "5f3a-1"}) {
		t.Errorf("it is resumed by %+v, %v", c, err)
	}
	for want, s := range map[string]memory.Session{
		"is not there any more":       {ID: "5f3a", CWD: dir + "/gone"},
		"is no session":               {ID: "--help", CWD: dir},
		"sessions of person cannot":   {ID: "notes-1", Agent: "person", CWD: dir},
		"only that it was in webshop": {ID: "5f3a", Project: "webshop"},
		"saved by hand in claude-mem": {ID: "manual-content-1733000000", CWD: dir},
	} {
		if c, err := resumeCommand(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v is resumed by %+v, %v", s, c, err)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := resumeCommand(memory.Session{ID: "5f3a", CWD: dir}); err == nil || !strings.Contains(err.Error(), "claude is not in your PATH") {
		t.Errorf("without claude: %v", err)
	}
}

func TestThePromptIsFoundInTheTranscript(t *testing.T) {
	lines := []string{
		`{"type":"summary"}`,
		`{"type":"user","message":{"role":"user","content":"继续 \"go\" <b>"},"promptId":"p-1"}`,
		`{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"\"user\" 继续 p-2"}]}}`,
		`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"继续 all"}]},"promptId":"p-3"}`,
		`{"type":"user","message":{"role":"user","content":[{"type":"text","text":"继续 \"go\" <b>\nmore"}]},"promptId":"p-2"}`,
		`{"type":"user","message":{"role":"user","content":"继续 all of it"}}`,
		`{"type":"user","message":{"role":"user","content":"继续 all"},"promptId":"p-3"}`,
		`{"type":"user", broken`,
		`{"type":"assistant","to":"user","message":{"role":"assistant","content":"only said"}}`,
		`{"type":"user","message":{"role":"user","content":"last"}}`,
	}
	transcript := strings.Join(lines, "\n")
	for _, tc := range []struct {
		p    memory.Prompt
		want int
	}{
		{memory.Prompt{Text: "继续 \"go\" <b>\nmore"}, 5},
		{memory.Prompt{Text: "继续 \"go\" <b>"}, 2},
		{memory.Prompt{Text: "继续 \"go\" <b>", PromptID: "p-2"}, 5},
		{memory.Prompt{Text: "继续 \"go\" <b>", PromptID: "p-9"}, 2},
		{memory.Prompt{Text: "继续 all"}, 7},
		{memory.Prompt{PromptID: "p-3"}, 7}, // not the result of a tool
		{memory.Prompt{Text: "last\n"}, 10},
		{memory.Prompt{Text: "only said"}, 0}, // by the assistant
		{memory.Prompt{Text: "something else"}, 0},
		{memory.Prompt{}, 0},
	} {
		got, err := promptLine(t.Context(), strings.NewReader(transcript), tc.p)
		if err != nil || got != tc.want {
			t.Errorf("%+v is found on line %d, %v, not %d", tc.p, got, err, tc.want)
		}
	}
	if _, _, err := findTranscript(t.Context(), memory.Session{TranscriptPath: "/nowhere.jsonl"}, memory.Prompt{}); err == nil ||
		!strings.Contains(err.Error(), "not there any more") {
		t.Errorf("a transcript that is gone: %v", err)
	}
}

func TestChosenMemoriesAreExported(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(t.Context(), filepath.Join(dir, "cmem.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // a test's own
	now := time.Date(2026, 11, 30, 15, 4, 5, 0, time.UTC)
	var refs []memory.Ref
	for n, title := range []string{"修复总价 💰", "Not chosen", "Retries"} {
		o, _, err := s.Add(t.Context(), memory.Observation{Project: "/p/shop", Type: "bugfix", Title: title, CreatedAt: now.Add(time.Duration(-n) * time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		if n != 1 {
			refs = append(refs, memory.Ref{Kind: memory.KindObservation, ID: o.ID})
		}
	}
	a := &App{Getwd: func() (string, error) { return dir, nil }, Now: func() time.Time { return now }}
	for _, name := range []string{"cmem-export-20261130-150405.md", "cmem-export-20261130-150405-2.md"} {
		path, err := a.exportChosen(t.Context(), s, refs)
		if err != nil || filepath.Base(path) != name {
			t.Fatalf("it is exported to %q, %v", path, err)
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "修复总价 💰") || !strings.Contains(string(text), "Retries") || strings.Contains(string(text), "Not chosen") {
			t.Errorf("the export is\n%s", text)
		}
	}
	gone := []memory.Ref{{Kind: memory.KindPrompt, ID: 99}, {Kind: memory.KindSummary, ID: 98}}
	var missing *store.MissingError
	if _, err := a.exportChosen(t.Context(), s, slices.Concat(refs, gone)); !errors.As(err, &missing) || !slices.Equal(missing.Refs, gone) {
		t.Errorf("memories that are not there: %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*.md")); len(files) != 2 {
		t.Errorf("there are %d files", len(files))
	}
}

func TestTheClipboardIsThatOfTheDesktop(t *testing.T) {
	env := func(set ...string) func(string) string {
		return func(name string) string {
			if strings.Contains(strings.Join(set, " "), name) {
				return "1"
			}
			return ""
		}
	}
	for _, tc := range []struct {
		system string
		getenv func(string) string
		want   string
	}{
		{"darwin", env(), "[[pbcopy]]"},
		{"linux", env(), "[]"},
		{"linux", env("WAYLAND_DISPLAY"), "[[wl-copy] [xclip -in -selection clipboard] [xsel --input --clipboard]]"},
		{"linux", env("WSL_DISTRO_NAME"), "[[clip.exe]]"},
	} {
		if got := fmt.Sprint(clipboardPrograms(tc.system, tc.getenv)); got != tc.want {
			t.Errorf("%s: %s, not %s", tc.system, got, tc.want)
		}
	}
	if got := asUTF16("a💰"); got != "\xff\xfea\x00\x3d\xd8\xb0\xdc" {
		t.Errorf("%q", got)
	}
}
