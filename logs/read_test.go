package logs

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// logged writes a log of two files: n lines, a minute apart, the last at end; each
// fourth is a warning. It gives the directory.
func logged(t *testing.T, n int, end time.Time) string {
	t.Helper()
	dir := t.TempDir()
	f := &file{dir: dir, max: int64(n) * 45}
	for i := range n {
		level := "INFO"
		if i%4 == 3 {
			level = "WARN"
		}
		line := fmt.Sprintf(`{"time":%q,"level":%q,"msg":"行 %d"}`+"\n", end.Add(time.Duration(i-n+1)*time.Minute).UTC().Format(timeLayout), level, i)
		if _, err := f.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, oldName)); err != nil {
		t.Fatalf("the log was not rotated: %v", err)
	}
	return dir
}

func TestWhatIsAskedForIsFoundFromTheEnd(t *testing.T) {
	end := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	const n = 3000
	dir := logged(t, n, end)
	tests := map[string]struct {
		q     Query
		first string
		count int
	}{
		"all":                            {Query{Last: -1}, "行 0", n},
		"the last":                       {Query{Last: 1}, "行 2999", 1},
		"ten":                            {Query{Last: 10}, "行 2990", 10},
		"none":                           {Query{Last: 0}, "", 0},
		"more than there are":            {Query{Last: 10 * n}, "行 0", n},
		"ten warnings":                   {Query{Last: 10, Level: slog.LevelWarn}, "行 2963", 10},
		"of both files":                  {Query{Last: n - 5}, "行 5", n - 5},
		"no errors":                      {Query{Last: 10, Level: slog.LevelError}, "", 0},
		"of the last hour":               {Query{Last: -1, Since: end.Add(-time.Hour)}, "行 2939", 61},
		"warnings of the last hour":      {Query{Last: -1, Since: end.Add(-time.Hour), Level: slog.LevelWarn}, "行 2939", 16},
		"three of the last hour":         {Query{Last: 3, Since: end.Add(-time.Hour)}, "行 2997", 3},
		"a hundred of the last hour":     {Query{Last: 100, Since: end.Add(-time.Hour)}, "行 2939", 61},
		"of tomorrow":                    {Query{Last: -1, Since: end.Add(time.Hour)}, "", 0},
		"since long before the first":    {Query{Last: -1, Since: end.AddDate(-1, 0, 0)}, "行 0", n},
		"in both files since some hours": {Query{Last: -1, Since: end.Add(-2990 * time.Minute)}, "行 9", 2991},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := messages(lines(t, dir, tt.q))
			if len(got) != tt.count || tt.count > 0 && got[0] != tt.first {
				t.Fatalf("%d lines from %q, want %d from %q", len(got), got[:min(1, len(got))], tt.count, tt.first)
			}
			if tt.count > 0 && tt.q.Level < slog.LevelError && got[len(got)-1] != "行 2999" {
				t.Errorf("the last is %q", got[len(got)-1])
			}
		})
	}
}

func TestAClockThatWasWrongForAWhileHidesNothing(t *testing.T) {
	dir := t.TempDir()
	f := &file{dir: dir, max: maxFile}
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for i, at := range []time.Time{now.Add(-time.Minute), now.AddDate(-56, 0, 0), now.AddDate(1, 0, 0), now} {
		if _, err := fmt.Fprintf(f, `{"time":%q,"level":"WARN","msg":"%d"}`+"\n", at.Format(timeLayout), i); err != nil {
			t.Fatal(err)
		}
	}
	if got := messages(lines(t, dir, Query{Last: -1, Since: now.Add(-time.Hour)})); !slices.Equal(got, []string{"0", "2", "3"}) {
		t.Errorf("got %q", got)
	}
}

func TestALineThatIsNoneOfOursIsLeftOutHoweverLong(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("x", 3*maxLine)
	text := long + "\n" + `{"msg":"one"}` + "\n\n" + long + "\n" + `{"msg":"two"}` + "\r\n" + `{"msg":"` + long + `"}` + "\n" + `{"msg":"three"}` + "\n" + strings.Repeat("x", maxLine) + `{"msg":"none of ours"}` + "\n" + long
	if err := os.WriteFile(filepath.Join(dir, fileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for last, want := range map[int][]string{-1: {"one", "two", "three"}, 3: {"one", "two", "three"}, 2: {"two", "three"}, 1: {"three"}} {
		if got := messages(lines(t, dir, Query{Last: last})); !slices.Equal(got, want) {
			t.Errorf("last %d: got %q, want %q", last, got, want)
		}
	}
}

// follower follows the log in dir from its end; got gives what has come, once
// there are n lines.
func follower(t *testing.T, dir string, q Query) (got func(n int) []string) {
	t.Helper()
	end, err := Read(dir, Query{}, func(Line) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	came, done := make(chan string, 10_000), make(chan error, 1)
	go func() {
		done <- Follow(ctx, dir, end, q, time.Millisecond, func(l Line) error { came <- l.Message; return nil })
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	var all []string
	return func(n int) []string {
		t.Helper()
		for len(all) < n {
			select {
			case m := <-came:
				all = append(all, m)
			case <-time.After(20 * time.Second):
				t.Fatalf("only %d lines came, want %d", len(all), n)
			}
		}
		return all
	}
}

func TestFollowingGoesOnInTheNewFileAndMissesNothing(t *testing.T) {
	dir := t.TempDir()
	f := &file{dir: dir, max: 20_000}
	log := slog.New(slog.NewJSONHandler(f, nil))
	log.Warn("before")
	got := follower(t, dir, Query{Since: time.Now().AddDate(1, 0, 0)})
	var want []string
	for i := range 1000 { // some four rotations
		want = append(want, fmt.Sprint(i))
		log.Warn(want[i])
		if i%50 == 49 { // who follows is never more than one file behind
			got(i + 1)
		}
	}
	if all := got(1000); !slices.Equal(all, want) {
		t.Errorf("what came is not what was logged: %d lines", len(all))
	}
}

func TestFollowingBeginsBeforeThereIsALog(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	got := follower(t, dir, Query{Level: slog.LevelWarn})
	log := New(Options{Dir: dir, Level: slog.LevelDebug, Tell: plain})
	log.Warn("one")
	got(1)
	log.Info("quiet")
	log.Error("two")
	if all := got(2); !slices.Equal(all, []string{"one", "two"}) {
		t.Errorf("got %q", all)
	}
}

// A file that is another one is read from its beginning, also when it is the larger.
func TestFollowingTellsAnotherFileByMoreThanItsSize(t *testing.T) {
	dir := t.TempDir()
	log := New(Options{Dir: dir, Tell: plain})
	log.Warn("old")
	end, err := Read(dir, Query{Last: -1, Since: time.Now().Add(time.Hour)}, func(l Line) error { t.Errorf("%q is wanted", l.Message); return nil })
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	each := func(l Line) error { got = append(got, l.Message); return nil }
	if end, err = more(dir, end, Query{}, each); err != nil || len(got) > 0 {
		t.Fatalf("nothing came, but %q was handed on, %v", got, err)
	}
	log.Warn("last of the old")
	if err := os.Rename(filepath.Join(dir, fileName), filepath.Join(dir, oldName)); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		log.Warn(fmt.Sprint(i))
	}
	if _, err = more(dir, end, Query{}, each); err != nil {
		t.Fatal(err)
	}
	if want := []string{"last of the old", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFollowingWaitsForTheEndOfALine(t *testing.T) {
	dir := t.TempDir()
	got := follower(t, dir, Query{})
	f, err := os.Create(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // a test's
	for _, part := range []string{`{"msg":"one"}` + "\n" + `{"msg":`, `"tw`, `o"}`, "\n"} {
		if _, err := f.WriteString(part); err != nil {
			t.Fatal(err)
		}
		got(1)
	}
	if all := got(2); !slices.Equal(all, []string{"one", "two"}) {
		t.Errorf("got %q", all)
	}
}

func TestFollowingALogThatWasEmptiedBeginsAnew(t *testing.T) {
	dir := t.TempDir()
	log := New(Options{Dir: dir, Tell: plain})
	log.Warn(strings.Repeat("long ", 100))
	got := follower(t, dir, Query{})
	if err := os.Truncate(filepath.Join(dir, fileName), 0); err != nil {
		t.Fatal(err)
	}
	log.Warn("new")
	if all := got(1); !slices.Equal(all, []string{"new"}) {
		t.Errorf("got %q", all)
	}
}

// FuzzTheLogIsReadWhateverStandsInIt reads what no log of ours looks like, from the
// beginning and from the end: both see the same lines.
func FuzzTheLogIsReadWhateverStandsInIt(f *testing.F) {
	f.Add([]byte(`{"time":"2026-11-30T12:00:00.000Z","level":"WARN","msg":"one","kind":"event-lost","n":3}`+"\n"), 1)
	f.Add([]byte("{\"msg\":\"torn"), 2)
	f.Add([]byte("{\"msg\":\"记忆 🧠\",\"a\":{\"b\":[null]},\"msg\":\"two\"}\r\n\x00\x00\n[]\n{\"msg\":\"\\ud800\"}\n"), 5)
	f.Fuzz(func(t *testing.T, text []byte, last int) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, fileName), text, 0o600); err != nil {
			t.Fatal(err)
		}
		all := lines(t, dir, Query{Last: -1, Level: slog.LevelDebug - 1000})
		last = 1 + (last&0xffff)%20
		want := all[max(0, len(all)-last):]
		got := lines(t, dir, Query{Last: last, Level: slog.LevelDebug - 1000})
		if !slices.Equal(messages(got), messages(want)) {
			t.Fatalf("the last %d are %q, read from the end %q", last, messages(want), messages(got))
		}
		for _, l := range all {
			if l.Message == "" || !strings.Contains(string(text), string(l.JSON)) {
				t.Fatalf("%+v stands nowhere in %q", l, text)
			}
		}
	})
}
