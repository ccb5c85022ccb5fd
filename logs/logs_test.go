package logs

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// plain tells every error in its own words.
func plain(err error) (string, Cause) { return err.Error(), CauseOf(err) }

// lines gives the wanted lines of the log in dir.
func lines(t *testing.T, dir string, q Query) []Line {
	t.Helper()
	var all []Line
	if _, err := Read(dir, q, func(l Line) error { all = append(all, l); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

func messages(all []Line) []string {
	var out []string
	for _, l := range all {
		out = append(out, l.Message)
	}
	return out
}

func TestALineTellsWhenWhoWhatAndWhy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "数据 logs")
	before := time.Now().Add(-time.Second)
	log := New(Options{Dir: dir, By: "hook", Tell: plain})
	log.Debug("not told at this level")
	log.Error("event lost", KindKey, EventLost, "event", "Stop", ErrorKey, fmt.Errorf("write spool/新: %w", fs.ErrPermission), "n", 3)
	got := lines(t, dir, Query{Last: -1, Level: slog.LevelDebug})
	if len(got) != 1 {
		t.Fatalf("%d lines, want 1: %v", len(got), messages(got))
	}
	l := got[0]
	if l.Level != slog.LevelError || l.Message != "event lost" || l.Kind != EventLost || l.Cause != NoPermission || l.Error != "write spool/新: permission denied" {
		t.Errorf("got %+v", l)
	}
	if l.Time.Before(before) || l.Time.After(time.Now().Add(time.Second)) {
		t.Errorf("time %v", l.Time)
	}
	want := []Field{{byKey, "hook"}, {pidKey, fmt.Sprint(os.Getpid())}, {"event", "Stop"}, {"n", "3"}}
	if fmt.Sprint(l.Fields) != fmt.Sprint(want) {
		t.Errorf("fields %v, want %v", l.Fields, want)
	}
	if l.Field("event") != "Stop" || l.Field("none") != "" {
		t.Errorf("Field gives %q and %q", l.Field("event"), l.Field("none"))
	}
	if !strings.HasPrefix(string(l.JSON), `{"time":"`) || !json.Valid(l.JSON) {
		t.Errorf("JSON %s", l.JSON)
	}
}

func TestTheLogCanBeReadByItsOwnerOnly(t *testing.T) {
	dir := t.TempDir()
	New(Options{Dir: dir, Tell: plain}).Warn("one")
	info, err := os.Stat(filepath.Join(dir, fileName))
	if err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// At every level but debug, what an error quotes stays out.
func TestOnlyDebugTellsAllTheWordsOfAnError(t *testing.T) {
	quiet := func(error) (string, Cause) { return "it failed", InputRefused }
	for level, want := range map[slog.Level]bool{slog.LevelDebug: true, slog.LevelInfo: false, slog.LevelWarn: false, slog.LevelError: false} {
		dir := t.TempDir()
		log := New(Options{Dir: dir, Level: level, Tell: quiet})
		log.Error("asked", ErrorKey, errors.New("the marker 秘密 is quoted"))
		log.Error("panicked", ErrorKey, fmt.Errorf("a batch: %w", Recovered("the marker 秘密 is quoted")))
		b, err := os.ReadFile(filepath.Join(dir, fileName))
		if err != nil {
			t.Fatal(err)
		}
		if got := bytes.Count(b, []byte("marker 秘密")); (got == 2) != want || (got == 0) == want {
			t.Errorf("level %v: the words stand in it %d times: %s", level, got, b)
		}
		got := lines(t, dir, Query{Last: -1})
		if got[0].Error != "it failed" || got[0].Cause != InputRefused || got[1].Error != "panic with a string" {
			t.Errorf("level %v: %+v", level, got)
		}
	}
}

func TestAPanicIsToldWithItsPlace(t *testing.T) {
	dir := t.TempDir()
	log := New(Options{Dir: dir, Tell: plain})
	func() {
		defer func() { log.Error("failed", ErrorKey, Recovered(recover())) }()
		some := []int{1}
		some[len(dir)] = 2
	}()
	got := lines(t, dir, Query{Last: 1})[0]
	if !strings.HasPrefix(got.Error, "panic: runtime error: index out of range [") {
		t.Errorf("error %q", got.Error)
	}
	if first, _, _ := strings.Cut(got.Field("stack"), "\n"); !strings.Contains(first, "logs_test.go:") {
		t.Errorf("stack begins with %q, want the place of the panic; all of it:\n%s", first, got.Field("stack"))
	}
}

func TestNoValueFillsTheLog(t *testing.T) {
	dir := t.TempDir()
	New(Options{Dir: dir, Tell: plain}).Error("large", ErrorKey, errors.New(strings.Repeat("记", 1<<20)), "other", strings.Repeat("x", 1<<20))
	got := lines(t, dir, Query{Last: 1})[0]
	if len(got.JSON) > 3*maxText || !strings.HasPrefix(got.Error, "记记") || !strings.HasSuffix(got.Error, "记… (cut)") {
		t.Errorf("the line has %d bytes, its error ends with %q", len(got.JSON), got.Error[max(0, len(got.Error)-20):])
	}
}

func TestWithoutAPlaceNothingIsLoggedAndNothingFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	New(Options{Dir: filepath.Join(file, "logs"), Tell: plain}).Error("lost")
	if got := lines(t, filepath.Join(t.TempDir(), "none"), Query{Last: -1}); len(got) != 0 {
		t.Errorf("a log that is not there has lines: %v", messages(got))
	}
}

// A worker must not bring back a data directory that was moved away.
func TestADirectoryThatWasRemovedIsNotMadeAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	log := New(Options{Dir: dir, Tell: plain})
	log.Warn("before")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	log.Warn("after")
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory is there again: %v", err)
	}
}

func TestALineAfterATornOneIsNotLostWithIt(t *testing.T) {
	dir := t.TempDir()
	log := New(Options{Dir: dir, Tell: plain})
	log.Warn("whole")
	for _, rest := range []string{`{"time":"2026-11-30T12:00:00.000Z","level":"WA`, "\x00\x00\x00", `{"time":"yesterday","level":"WARN","msg":"x"}`, `{"msg":"cut"`, "{}", "[1]", `"text"`, `{"level":"WARN","msg":"two"} {}`} {
		f, err := os.OpenFile(filepath.Join(dir, fileName), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(rest); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		log.Warn("after")
		got := messages(lines(t, dir, Query{Last: 1}))
		if fmt.Sprint(got) != "[after]" {
			t.Errorf("after %q the last line is %q", rest, got)
		}
	}
	got := lines(t, dir, Query{Last: -1})
	if len(got) != 9 {
		t.Errorf("%d lines can be read, want 9: %q", len(got), messages(got))
	}
}

// rawLines gives the lines of a file of the log as they stand.
func rawLines(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // opened for reading
	var all []string
	for s := bufio.NewScanner(f); s.Scan(); {
		all = append(all, s.Text())
	}
	return all
}

func TestTheLogIsBoundedWhileAProcessLives(t *testing.T) {
	dir := t.TempDir()
	f := &file{dir: dir, max: 10_000}
	log := slog.New(slog.NewJSONHandler(f, nil))
	for i := range 2000 {
		log.Warn("a line", "i", i)
	}
	var total int64
	for _, name := range []string{fileName, oldName} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > f.max {
			t.Errorf("%s has %d bytes, more than %d", name, info.Size(), f.max)
		}
		total += info.Size()
	}
	if total < f.max {
		t.Errorf("only %d bytes are kept", total)
	}
	kept := lines(t, dir, Query{Last: -1})
	for i, l := range kept {
		if want := fmt.Sprint(2000 - len(kept) + i); l.Field("i") != want {
			t.Fatalf("line %d of %d is that of %s, want %s", i, len(kept), l.Field("i"), want)
		}
	}
	if old := rawLines(t, filepath.Join(dir, oldName)); len(old)+len(rawLines(t, filepath.Join(dir, fileName))) != len(kept) {
		t.Errorf("there are lines that cannot be read")
	}
}

func TestALogThatCannotBeRenamedIsStillBounded(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, oldName, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	f := &file{dir: dir, max: 5000}
	log := slog.New(slog.NewJSONHandler(f, nil))
	for i := range 1000 {
		log.Warn("a line", "i", i)
		if info, err := os.Stat(filepath.Join(dir, fileName)); err != nil || info.Size() > 2*f.max+200 {
			t.Fatalf("after %d lines: %d bytes, %v", i, info.Size(), err)
		}
	}
	if last := rawLines(t, filepath.Join(dir, fileName)); !strings.Contains(last[len(last)-1], `"i":999`) {
		t.Errorf("the last line is %s", last[len(last)-1])
	}
}
