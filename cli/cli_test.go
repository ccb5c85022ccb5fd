package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"cmem/config"
	"cmem/memory"
)

func TestTimesAreReadAsPeopleWriteThem(t *testing.T) {
	now := time.Date(2026, 11, 30, 15, 4, 5, 0, time.Local)
	day := func(d int) time.Time { return time.Date(2026, 11, d, 0, 0, 0, 0, time.Local) }
	for _, tt := range []struct {
		in       string
		endOfDay bool
		want     time.Time
	}{
		{"", false, time.Time{}},
		{"2026-11-28", false, day(28)},
		{"2026-11-28", true, day(29)},
		{"2026-11-28 14:30", true, day(28).Add(14*time.Hour + 30*time.Minute)},
		{"2026-11-28T14:30:05", false, day(28).Add(14*time.Hour + 30*time.Minute + 5*time.Second)},
		{"2026-11-28T14:30:00Z", false, time.Date(2026, 11, 28, 14, 30, 0, 0, time.UTC)},
		{"12h", false, now.Add(-12 * time.Hour)},
		{"90m", false, now.Add(-90 * time.Minute)},
		{"7d", false, now.AddDate(0, 0, -7)},
		{"2w", true, now.AddDate(0, 0, -14)},
	} {
		got, err := parseTime(tt.in, now, tt.endOfDay)
		if err != nil || !got.Equal(tt.want) {
			t.Errorf("parseTime(%q, %v) = %v, %v; want %v", tt.in, tt.endOfDay, got, err, tt.want)
		}
	}
	for _, bad := range []string{"yesterday", "2026-13-01", "7", "7y", "-7d", "d", "7dd", "退款"} {
		if got, err := parseTime(bad, now, false); err == nil {
			t.Errorf("parseTime(%q) = %v, accepted", bad, got)
		}
	}
}

func TestStoredTextDoesNothingToATerminal(t *testing.T) {
	for in, want := range map[string]string{
		"plain 退款 🐛":                          "plain 退款 🐛",
		"\x1b[31mred\x1b[0m":                  "red",
		"\x1b]0;title\x07x":                   "x",
		"a\rb\x00c\x7fd":                      "abcd",
		"\u202eright to left":                 "right to left",
		"keeps\nlines\tand tabs":              "keeps\nlines\tand tabs",
		"bad \xff utf8":                       "bad  utf8",
		"👩\u200d👩\u200d👧":                     "👩\u200d👩\u200d👧",
		"\x1bPq#0;2;0;0;0#0~~@@vv@@~~\x1b\\x": "x",
	} {
		got := harmless(in)
		if got != want {
			t.Errorf("harmless(%q) = %q, want %q", in, got, want)
		}
		if strings.ContainsAny(got, "\x1b\x07\x00\r\u009b") {
			t.Errorf("harmless(%q) = %q", in, got)
		}
	}
	if got := oneLine("退款\n  金额 不对", 8); got != "退款 金…" {
		t.Errorf("oneLine = %q", got)
	}
}

func TestJSONDoesNothingToATerminalAndLosesNothing(t *testing.T) {
	in := "退款 🐛 <b> \u009b31m \u202e \x7f \u2066 \x1b[31m 👩\u200d👧 \U000e0041"
	var out bytes.Buffer
	if err := (&App{Out: &out}).printJSON([]string{in}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\u009b\u202e\x7f\u2066\x1b\U000e0041") || !strings.Contains(out.String(), "退款 🐛 <b>") {
		t.Errorf("printed %q", out.String())
	}
	var back []string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back[0] != in {
		t.Errorf("read back %q, %v; want %q", back, err, in)
	}
}

// fakeLister knows some projects and sessions.
type fakeLister struct{}

func (fakeLister) Projects(context.Context) ([]memory.Project, error) {
	return []memory.Project{{Key: "/home/dev/webshop"}, {Key: "/srv/webshop"}, {Key: "/home/dev/退款 service"}}, nil
}

func (fakeLister) SessionsByPrefix(_ context.Context, prefix string, _ int) ([]memory.Session, error) {
	var found []memory.Session
	for _, id := range []string{"abc", "abcdef", "xyz"} {
		if strings.HasPrefix(id, prefix) {
			found = append(found, memory.Session{ID: id})
		}
	}
	return found, nil
}

func TestProjectsAreFoundByNamePathAndPlace(t *testing.T) {
	dir := t.TempDir()
	a := &App{Getwd: func() (string, error) { return dir, nil }, Getenv: func(string) string { return "/home/dev" }}
	for name, want := range map[string]string{"/srv/webshop": "/srv/webshop", "退款 SERVICE": "/home/dev/退款 service", "~/nowhere": "/home/dev/nowhere"} {
		if got, err := a.findProject(context.Background(), fakeLister{}, name); err != nil || got != want {
			t.Errorf("findProject(%q) = %q, %v; want %q", name, got, err, want)
		}
	}
	if got, err := a.findProject(context.Background(), fakeLister{}, "."); err != nil || got == "" {
		t.Errorf(`findProject(".") = %q, %v`, got, err)
	}
	for name, want := range map[string]string{"webshop": "2 projects are called", "nothing": "no project is called"} {
		if _, err := a.findProject(context.Background(), fakeLister{}, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("findProject(%q): %v; want %q", name, err, want)
		}
	}
}

func TestSessionsAreFoundByTheBeginningOfTheirID(t *testing.T) {
	// A whole id wins over a longer one that begins with it.
	for id, want := range map[string]string{"x": "xyz", "abc": "abc", "abcd": "abcdef"} {
		got, err := findSession(context.Background(), fakeLister{}, id)
		if err != nil || got.ID != want {
			t.Errorf("findSession(%q) = %q, %v; want %q", id, got.ID, err, want)
		}
	}
	for _, id := range []string{"ab", "q"} {
		if got, err := findSession(context.Background(), fakeLister{}, id); err == nil {
			t.Errorf("findSession(%q) = %q", id, got.ID)
		}
	}
}

func TestAQuestionIsOnlyAnsweredInATerminal(t *testing.T) {
	for answer, want := range map[string]bool{"y\n": true, "YES\n": true, "n\n": false, "\n": false, "": false, "yesterday\n": false} {
		var out bytes.Buffer
		a := &App{In: strings.NewReader(answer), Err: &out, InTerminal: true}
		if got, err := a.confirm("Sure? "); err != nil || got != want {
			t.Errorf("answer %q: %v, %v; want %v", answer, got, err, want)
		}
	}
	a := &App{In: strings.NewReader("y\n")}
	if got, err := a.confirm("Sure? "); got || err == nil {
		t.Errorf("without a terminal: %v, %v", got, err)
	}
}

func TestPluralsAndSizesReadWell(t *testing.T) {
	for want, got := range map[string]string{
		"1 event": count(1, "event"), "0 events": count(0, "event"), "1,234 summaries": count(1234, "summary"), "2 days": count(2, "day"), "0 batches": count(0, "batch"),
		"512 B": bytesText(512), "1.5 KiB": bytesText(1536), "3.0 MiB": bytesText(3 << 20),
		"999": grouped(999), "1,000,000": grouped(1000000),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestAWrongProviderStillLeavesAWorker(t *testing.T) {
	cfg, err := config.Load(func(name string) string {
		return map[string]string{"CMEM_DATA_DIR": t.TempDir(), "CMEM_PROVIDER": "claude"}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	o := workerOptions(cfg, newLog(cfg, "test"), "test")
	if o.Compressor == nil || o.Local == nil || o.Compressor.ID() == o.Local.ID() {
		t.Errorf("compressor %v, local %v", o.Compressor, o.Local)
	}
}

func TestOnlyAMistakeInTheCommandLineIsCalledOne(t *testing.T) {
	for line, want := range map[string]int{"": exitUsage, "search": exitUsage, "timeline --limit x": exitUsage, "nonsense": exitUsage, "worker zork": exitUsage, "config zork": exitUsage, "timeline -n 0": exitUsage, "hook --agent x": exitOK, "--version": exitOK, "worker status": exitOK, "show 1": exitError} {
		dir := t.TempDir()
		a := &App{
			In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: &bytes.Buffer{}, Now: time.Now, InTerminal: true, Version: "test",
			Getwd:  func() (string, error) { return dir, nil },
			Getenv: func(name string) string { return map[string]string{"CMEM_DATA_DIR": dir, "HOME": dir}[name] },
		}
		if got := a.Main(strings.Fields(line)); got != want {
			t.Errorf("cmem %s: exit code %d, want %d: %s", line, got, want, a.Err)
		}
	}
}
