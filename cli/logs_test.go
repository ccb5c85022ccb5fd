package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"cmem/config"
	"cmem/llm"
	"cmem/logs"
	"cmem/store"
)

func TestAnErrorIsToldWithoutWhatItQuotes(t *testing.T) {
	said := errors.New("your input 秘密标记 is refused")
	asked := &url.Error{Op: "Post", URL: "https://api.example.com/v1?key=秘密标记", Err: &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}}
	tests := map[string]struct {
		err   error
		words string
		cause logs.Cause
	}{
		"a limit":           {&llm.Error{Provider: "openai", Kind: llm.KindRateLimit, Status: 429, Err: said}, "openai answered 429 Too Many Requests", logs.RateLimited},
		"a wrong key":       {&llm.Error{Provider: "claude", Kind: llm.KindAuth, Status: 401, Err: said}, "claude answered 401 Unauthorized", logs.KeyRefused},
		"no key":            {&llm.Error{Provider: "claude", Kind: llm.KindAuth, Err: errors.New("claude.api_key is not set")}, "claude: claude.api_key is not set", logs.KeyRefused},
		"an input":          {&llm.Error{Provider: "gemini", Kind: llm.KindRequest, Status: 400, Err: said}, "gemini answered 400 Bad Request", logs.InputRefused},
		"an answer":         {&llm.Error{Provider: "gemini", Kind: llm.KindAnswer, Err: said}, "gemini gave an answer that cannot be read", logs.AnswerUnread},
		"a network":         {&llm.Error{Provider: "openai", Kind: llm.KindTemporary, Err: asked}, "openai was not reached: dial tcp: connection refused", logs.Unreachable},
		"a name":            {&llm.Error{Provider: "openai", Err: &net.DNSError{Err: "no such host", Name: "api.example.com"}}, "openai was not reached: lookup api.example.com: no such host", logs.Unreachable},
		"a slow provider":   {&llm.Error{Provider: "openai", Err: fmt.Errorf("%w: 秘密标记", context.DeadlineExceeded)}, "openai was not reached: no answer in time", logs.Unreachable},
		"strange bytes":     {&llm.Error{Provider: "openai", Err: said}, "openai was not reached", logs.Unreachable},
		"wrapped":           {fmt.Errorf("batch 秘密标记: %w", &llm.Error{Provider: "openai", Kind: llm.KindRateLimit, Status: 429, Err: said}), "openai answered 429 Too Many Requests", logs.RateLimited},
		"broken JSON":       {fmt.Errorf("read 秘密标记: %w", json.Unmarshal([]byte(`{"a" 1}`), new(any))), "broken JSON at byte 6", ""},
		"JSON of a kind":    {json.Unmarshal([]byte(`13371337`), new(string)), "JSON of a wrong type at byte 8", ""},
		"a full disk":       {fmt.Errorf("write x: %w", fullDisk), "write x: " + fullDisk.Error(), logs.DiskFull},
		"a missing right":   {&fs.PathError{Op: "open", Path: "spool", Err: fs.ErrPermission}, "open spool: permission denied", logs.NoPermission},
		"no room for it":    {fmt.Errorf("add: %w", &store.NoRoomError{Folder: "/d"}), "add: " + (&store.NoRoomError{Folder: "/d"}).Error(), logs.DiskFull},
		"a held store":      {fmt.Errorf("add: %w", store.ErrBusy), "add: " + store.ErrBusy.Error(), logs.StoreBusy},
		"a damaged store":   {store.ErrDamaged, store.ErrDamaged.Error(), logs.StoreDamaged},
		"a newer store":     {&store.NewerSchemaError{Path: "p", Have: 9, Want: 3}, (&store.NewerSchemaError{Path: "p", Have: 9, Want: 3}).Error(), logs.StoreNewer},
		"a foreign store":   {store.ErrForeign, store.ErrForeign.Error(), logs.StoreForeign},
		"anything else":     {errors.New("it rains"), "it rains", ""},
		"a deadline":        {context.DeadlineExceeded, context.DeadlineExceeded.Error(), logs.Deadline},
		"what is not there": {fs.ErrNotExist, fs.ErrNotExist.Error(), logs.Gone},
	}
	for name, tt := range tests {
		if words, cause := tellError(tt.err); words != tt.words || cause != tt.cause {
			t.Errorf("%s: %q, %q; want %q, %q", name, words, cause, tt.words, tt.cause)
		}
	}
}

// logApp gives an app with a data directory, and what it prints.
func logApp(t *testing.T, env map[string]string) (a *App, cfg *config.Config, out, talk *bytes.Buffer) {
	t.Helper()
	dir := t.TempDir()
	getenv := func(name string) string {
		if v, ok := env[name]; ok {
			return v
		}
		return map[string]string{"CMEM_DATA_DIR": dir, "HOME": dir, "USERPROFILE": dir}[name]
	}
	cfg, err := config.Load(getenv)
	if err != nil {
		t.Fatal(err)
	}
	out, talk = new(bytes.Buffer), new(bytes.Buffer)
	return &App{In: strings.NewReader(""), Out: out, Err: talk, Now: time.Now, InTerminal: true, Version: "test", Getenv: getenv, Getwd: func() (string, error) { return dir, nil }}, cfg, out, talk
}

func TestTheLevelOfTheLogIsASetting(t *testing.T) {
	for level, want := range map[string]string{"debug": "debug info warn error", "info": "info warn error", "warn": "warn error", "error": "error"} {
		a, cfg, out, _ := logApp(t, map[string]string{"CMEM_LOG_LEVEL": level})
		log := newLog(cfg, "hook")
		log.Debug("debug")
		log.Info("info")
		log.Warn("warn")
		log.Error("error")
		if code := a.Main([]string{"logs", "--json"}); code != exitOK {
			t.Fatalf("exit code %d", code)
		}
		var got []string
		for line := range strings.Lines(out.String()) {
			var l struct{ Msg string }
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			got = append(got, l.Msg)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("log.level %s: %q, want %q", level, got, want)
		}
	}
}

func TestALineOfTheLogReadsWell(t *testing.T) {
	l := logs.Line{
		Time: time.Date(2026, 11, 30, 14, 5, 6, 7e6, time.Local), Level: slog.LevelWarn, Message: "provider failed", Kind: logs.ProviderFailed,
		Error: "openai answered 429 Too Many Requests",
		Fields: []logs.Field{{Name: "by", Value: "worker"}, {Name: "batch", Value: "3"}, {Name: "数据", Value: "a=b"}, {Name: "quote", Value: `say "hi"`}, {Name: "none", Value: ""},
			{Name: "stack", Value: "one.go:1\ntwo.go:2\x1b[2J"}, {Name: "evil\x1b[31m", Value: "\u202ebidi\x07\r🧠"}},
	}
	want := `2026-11-30 14:05:06.007  WARN   provider failed  error="openai answered 429 Too Many Requests"  kind=provider-failed  by=worker  batch=3  数据="a=b"  quote="say \"hi\""  evil=bidi🧠
    stack
      one.go:1
      two.go:2
`
	if got := logText(l); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := logText(logs.Line{Message: "no time"}); got != strings.Repeat(" ", 23)+"  INFO   no time\n" {
		t.Errorf("got %q", got)
	}
}

// FuzzNoLineOfTheLogActsOnATerminal shows lines with anything in them, as text and
// as JSON.
func FuzzNoLineOfTheLogActsOnATerminal(f *testing.F) {
	f.Add("one", "field", "value")
	f.Add("\x1b]0;title\x07 记忆", "\u202e", "a\r\nb\x9b2J")
	f.Add("\u2028\u2029\u200b🧑‍💻", "a b", "\xff\xfe\x00")
	f.Fuzz(func(t *testing.T, message, name, value string) {
		dir := t.TempDir()
		log := logs.New(logs.Options{Dir: dir, By: "fuzz", Tell: tellError})
		log.Warn(message, "error", errors.New(value), name, value)
		var out bytes.Buffer
		a := &App{Out: &out}
		shown := 0
		if _, err := logs.Read(dir, logs.Query{Last: -1}, func(l logs.Line) error {
			shown++
			out.Reset()
			if err := a.showLine(l); err != nil {
				return err
			}
			onlyText(t, out.String())
			out.Reset()
			if err := a.showJSONLine(l); err != nil {
				return err
			}
			onlyText(t, out.String())
			if strings.Count(out.String(), "\n") != 1 {
				t.Fatalf("a line became several: %q", out.String())
			}
			var got, stands any
			if json.Unmarshal(out.Bytes(), &got) != nil || json.Unmarshal(l.JSON, &stands) != nil || fmt.Sprint(got) != fmt.Sprint(stands) {
				t.Fatalf("%s is shown as %s", l.JSON, out.String())
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if shown == 0 && message != "" {
			t.Fatalf("the line with %q, %q, %q is not there", message, name, value)
		}
	})
}

// onlyText fails when a terminal would obey something in s.
func onlyText(t *testing.T, s string) {
	t.Helper()
	for _, r := range s {
		if r != '\n' && r != '\t' && r != '\u200d' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			t.Fatalf("%U stands in %q", r, s)
		}
	}
}

func TestTheLogIsFollowedUntilInterrupted(t *testing.T) {
	a, cfg, _, _ := logApp(t, nil)
	log := newLog(cfg, "worker")
	log.Info("before")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	a.Out = w
	ctx, interrupt := context.WithCancel(t.Context())
	cmd := a.Command()
	cmd.SetArgs([]string{"logs", "-f", "-n", "1"})
	done := make(chan error, 1)
	go func() { done <- cmd.ExecuteContext(ctx) }()
	seen := make([]byte, 0, 4096)
	read := func(until string) {
		t.Helper()
		if err := r.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		for !bytes.Contains(seen, []byte(until)) {
			n, err := r.Read(seen[len(seen):cap(seen)])
			if err != nil {
				t.Fatalf("%q does not come: %v; %s", until, err, seen)
			}
			seen = seen[:len(seen)+n]
		}
	}
	read("before")
	log.Warn("while it is followed 记")
	read("while it is followed 记")
	interrupt()
	if err := <-done; err != nil {
		t.Errorf("ended with %v", err)
	}
}

func TestOfALongLogTheNewestLinesAreShown(t *testing.T) {
	a, cfg, out, _ := logApp(t, nil)
	log := newLog(cfg, "worker")
	for i := range 120 {
		log.Info(fmt.Sprintf("line %d.", i))
	}
	for args, want := range map[string]int{"": logLines, "-n 3": 3, "-n 1000": 120, "--since 1h": 120, "--since 1h -n 7": 7, "--level warn": 0} {
		out.Reset()
		if code := a.Main(append([]string{"logs"}, strings.Fields(args)...)); code != exitOK {
			t.Errorf("%q: exit code %d", args, code)
		}
		if got := strings.Count(out.String(), "\n"); got != want || want > 0 && !strings.Contains(out.String(), "line 119.") {
			t.Errorf("%q: %d lines, want the newest %d", args, got, want)
		}
	}
}

func TestAMistakeInAskingForTheLogIsNamed(t *testing.T) {
	for args, want := range map[string]string{
		"--level loud": `--level "loud": write debug, info, warn or error`,
		"-n -3":        "--lines -3: give 0 or more",
		"--since soon": `--since: "soon" is not a time`,
		"all":          `takes no argument, but was given "all"`,
	} {
		a, _, _, talk := logApp(t, nil)
		if code := a.Main(append([]string{"logs"}, strings.Fields(args)...)); code != exitUsage || !strings.Contains(talk.String(), want) {
			t.Errorf("%s: exit code %d, %q; want %q", args, code, talk, want)
		}
	}
	a, _, out, talk := logApp(t, nil)
	if code := a.Main([]string{"logs"}); code != exitOK || out.Len() > 0 || !strings.Contains(talk.String(), "nothing") {
		t.Errorf("without a log: exit code %d, %q, %q", code, out, talk)
	}
}

func TestAnUnreadableLogIsSaidToBe(t *testing.T) {
	a, cfg, _, talk := logApp(t, nil)
	if err := os.MkdirAll(filepath.Join(cfg.Logs(), "cmem.log"), 0o700); err != nil {
		t.Fatal(err)
	}
	if code := a.Main([]string{"logs"}); code != exitError || !strings.Contains(talk.String(), "read the log in") {
		t.Errorf("exit code %d, %q", code, talk)
	}
}
