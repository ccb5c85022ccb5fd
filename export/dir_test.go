package export

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

func writeDir(t *testing.T, src Source, dir string, opts Options, by Grouping) Report {
	t.Helper()
	r, err := WriteDir(context.Background(), src, dir, opts, by)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// snapshot joins the files of dir into one text.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString("=== " + e.Name() + " ===\n" + string(text))
	}
	return b.String()
}

const (
	loginFile   = "2026-11-29-why-does-login-user-fail-on-the-second-try-3f2a9c1b"
	chineseFile = "2026-11-30-修复-rss-订阅-8b1d2e3f"
)

func TestFolderReadsWell(t *testing.T) {
	tests := []struct {
		name  string
		opts  Options
		by    Grouping
		files []string
	}{
		{"folder-sessions.txt", Options{}, BySession, []string{loginFile + ".md", chineseFile + ".md"}},
		{"folder-days.txt", Options{}, ByDay, []string{"2026-11-29.md", "2026-11-30.md"}},
		{"folder-json.txt", Options{Format: JSON}, BySession, []string{loginFile + ".jsonl", chineseFile + ".jsonl"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "new", "memories")
			r := writeDir(t, sample(), dir, tt.opts, tt.by)
			if r.Written != len(tt.files) {
				t.Errorf("wrote %d files, want %d", r.Written, len(tt.files))
			}
			assertNames(t, dir, tt.files...)
			golden(t, tt.name, snapshot(t, dir))
		})
	}
}

func TestSameMemoriesLeaveTheFilesUntouched(t *testing.T) {
	for _, format := range []Format{Markdown, JSON} {
		for _, by := range []Grouping{BySession, ByDay} {
			dir := t.TempDir()
			opts := Options{Format: format}
			writeDir(t, sample(), dir, opts, by)
			before := snapshot(t, dir)
			old := time.Now().Add(-time.Hour)
			entries, _ := os.ReadDir(dir)
			for _, e := range entries {
				if err := os.Chtimes(filepath.Join(dir, e.Name()), old, old); err != nil {
					t.Fatal(err)
				}
			}
			r := writeDir(t, sample(), dir, opts, by)
			if r.Written != 0 || r.Unchanged != 2 || r.Observations != 3 {
				t.Errorf("format %d by %d: report = %+v", format, by, r)
			}
			for _, e := range entries {
				if info, err := os.Stat(filepath.Join(dir, e.Name())); err != nil || info.ModTime().Sub(old).Abs() > time.Second {
					t.Errorf("%s was rewritten", e.Name())
				}
			}
			if got := snapshot(t, dir); got != before {
				t.Errorf("the folder changed:\n%s", got)
			}
		}
	}
}

func TestOnlyTheChangedSessionIsWritten(t *testing.T) {
	dir := t.TempDir()
	src := sample()
	writeDir(t, src, dir, Options{}, BySession)
	// Its title would give another name now, but a file keeps the one it has;
	// this one a person chose.
	renamed := filepath.Join(dir, "the login bug.md")
	if err := os.Rename(filepath.Join(dir, loginFile+".md"), renamed); err != nil {
		t.Fatal(err)
	}
	src.sessions[0].Title = "Stale token"
	r := writeDir(t, src, dir, Options{}, BySession)
	if r.Written != 1 || r.Unchanged != 1 {
		t.Errorf("report = %+v", r)
	}
	assertNames(t, dir, chineseFile+".md", "the login bug.md")
	text, err := os.ReadFile(renamed)
	if err != nil || !strings.Contains(string(text), "\n# Stale token\n") {
		t.Errorf("%v in:\n%s", err, text)
	}
}

func TestFilesOfOthersAndEditedFilesStay(t *testing.T) {
	dir := t.TempDir()
	src := sample()
	writeDir(t, src, dir, Options{}, BySession)
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	edited := map[string]string{
		loginFile + ".md":   strings.Replace(read(loginFile+".md"), "stale token", "old token", 1), // inside
		chineseFile + ".md": read(chineseFile+".md") + "\n我的笔记\n",                                  // below the seal
	}
	for name, text := range edited {
		put(name, text)
	}
	put("README.md", "---\ntitle: mine\n---\n")
	put("notes.txt", "mine")
	before := snapshot(t, dir)

	src.observations[0].Title = "Another title"
	src.observations[1].Title = "另一个标题"
	r := writeDir(t, src, dir, Options{}, BySession)
	slices.Sort(r.Kept)
	if !slices.Equal(r.Kept, []string{loginFile + ".md", chineseFile + ".md"}) || r.Written != 0 {
		t.Errorf("report = %+v", r)
	}
	r = writeDir(t, &fakeSource{}, dir, Options{}, BySession) // all memories deleted
	if len(r.Kept) != 2 || len(r.Removed) != 0 {
		t.Errorf("report after deletion = %+v", r)
	}
	if got := snapshot(t, dir); got != before {
		t.Errorf("the folder changed:\n%s", got)
	}
}

func TestNameTakenByAnotherFileIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, chineseFile+".md")
	if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := writeDir(t, sample(), dir, Options{}, BySession)
	if r.Written != 1 || !slices.Equal(r.Kept, []string{chineseFile + ".md"}) {
		t.Errorf("report = %+v", r)
	}
	assertFile(t, path, "mine")
}

func TestDeletedMemoriesTakeTheirFileAlong(t *testing.T) {
	for by, gone := range map[Grouping]string{BySession: loginFile + ".md", ByDay: "2026-11-29.md"} {
		dir := t.TempDir()
		src := sample()
		writeDir(t, src, dir, Options{}, by)
		src.prompts, src.observations, src.summaries = src.prompts[1:2], src.observations[1:2], nil
		r := writeDir(t, src, dir, Options{}, by)
		if !slices.Equal(r.Removed, []string{gone}) {
			t.Errorf("by %d: report = %+v", by, r)
		}
		if _, err := os.Stat(filepath.Join(dir, gone)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("by %d: %s is still there", by, gone)
		}
	}
}

func TestFilesOutsideTheFilterStay(t *testing.T) {
	dir := t.TempDir()
	writeDir(t, sample(), dir, Options{Filter: memory.Filter{Project: webshop}}, BySession)
	writeDir(t, sample(), dir, Options{Filter: memory.Filter{Project: blog}}, BySession)
	writeDir(t, sample(), dir, Options{Filter: memory.Filter{Project: blog}}, ByDay)
	assertNames(t, dir, loginFile+".md", chineseFile+".md", "2026-11-30.md")
}

func TestCheckoutWithCarriageReturnsCountsAsUnedited(t *testing.T) {
	for _, format := range []Format{Markdown, JSON} {
		dir := t.TempDir()
		opts := Options{Format: format}
		writeDir(t, sample(), dir, opts, BySession)
		for _, name := range []string{loginFile, chineseFile} {
			path := filepath.Join(dir, name+extension(format))
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), "\n", "\r\n")), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if r := writeDir(t, sample(), dir, opts, BySession); r.Unchanged != 2 || len(r.Kept) != 0 {
			t.Errorf("format %d: report = %+v", format, r)
		}
	}
}

func TestSessionsOfHostileNamesStayInTheFolder(t *testing.T) {
	src := &fakeSource{}
	for _, id := range []string{"../../etc/passwd", `C:\CON`, "a-->b", "", "session-1", "session-2", "😀"} {
		src.sessions = append(src.sessions, memory.Session{ID: id, Title: id + "/../x", CreatedAt: at("2026-11-30T08:00:00Z")})
		src.observations = append(src.observations, memory.Observation{SessionID: id, Title: id, Status: memory.StatusActive, CreatedAt: at("2026-11-30T08:00:00Z")})
	}
	root := t.TempDir()
	dir := filepath.Join(root, "memories")
	writeDir(t, src, dir, Options{}, BySession)
	assertNames(t, root, "memories")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.ContainsAny(e.Name(), `/\:*?"<>| `) || !strings.HasPrefix(e.Name(), "2026-11-30-") {
			t.Errorf("file name %q", e.Name())
		}
	}
	r := writeDir(t, src, dir, Options{}, BySession)
	if r.Unchanged != len(entries) || r.Written+len(r.Removed)+len(r.Kept) != 0 {
		t.Errorf("second report = %+v for %d files", r, len(entries))
	}
}
