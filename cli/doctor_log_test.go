package cli

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cmem/config"
	"cmem/llm"
	"cmem/logs"
	"cmem/store"
)

// declared gives the values of the constants of a type in logs/kinds.go.
func declared(t *testing.T, typeName string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "logs", "kinds.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if id, ok := spec.Type.(*ast.Ident); ok && id.Name == typeName {
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, text)
		}
		return true
	})
	if len(values) < 10 {
		t.Fatalf("only %d constants of type %s were found", len(values), typeName)
	}
	return values
}

func TestDoctorHasASentenceForEveryKindAndCause(t *testing.T) {
	for _, kind := range declared(t, "Kind") {
		told, ok := tellings[logs.Kind(kind)]
		if _, ends := overcomes[logs.Kind(kind)]; ends {
			if ok {
				t.Errorf("%s is the end of a problem, and none", kind)
			}
			continue
		}
		if !ok || told.one == "" || strings.Count(told.many, "%s") != 1 {
			t.Errorf("kind %s is told as %+v", kind, told)
		}
	}
	for _, cause := range declared(t, "Cause") {
		if why, ok := causes[logs.Cause(cause)]; !ok || why.because == "" {
			t.Errorf("cause %s is told as %+v", cause, why)
		}
	}
	if kinds, told := len(declared(t, "Kind")), len(tellings)+len(overcomes); kinds != told {
		t.Errorf("%d kinds are declared, %d are told", kinds, told)
	}
}

// writeLog puts lines into the log of cfg, each as long ago as its first word says.
func writeLog(t *testing.T, cfg *config.Config, now time.Time, lines ...string) {
	t.Helper()
	var text strings.Builder
	for _, line := range lines {
		ago, rest, _ := strings.Cut(line, " ")
		d, err := time.ParseDuration(ago)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, `{"time":%q,%s}`+"\n", now.Add(-d).UTC().Format("2006-01-02T15:04:05.000Z"), rest)
	}
	if err := os.MkdirAll(cfg.Logs(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cfg.Logs(), "cmem.log"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDoctorTurnsWhatWentWrongIntoSentences(t *testing.T) {
	a, cfg, _, _ := logApp(t, map[string]string{"CMEM_PROVIDER": "openai"})
	now := time.Date(2026, 11, 30, 15, 0, 0, 0, time.Local)
	a.Now = func() time.Time { return now }
	writeLog(t, cfg, now,
		`30h "level":"ERROR","msg":"x","kind":"event-lost","cause":"disk-full"`, // too long ago
		`3h "level":"ERROR","msg":"x","kind":"event-lost","cause":"disk-full","error":"write 数据: no space left on device"`,
		`2h "level":"ERROR","msg":"x","kind":"event-lost","cause":"disk-full","error":"write 数据2: no space left on device"`,
		`2h "level":"INFO","msg":"all is well"`,
		`110m "level":"ERROR","msg":"x","kind":"event-lost","cause":"no-permission"`,
		`90m "level":"WARN","msg":"x","kind":"provider-failed","cause":"rate-limited","error":"openai answered 429 Too Many Requests"`,
		`89m "level":"WARN","msg":"x","kind":"provider-failed","cause":"rate-limited","error":"openai answered 429 Too Many Requests"`,
		`60m "level":"INFO","msg":"x","kind":"provider-back"`,
		`50m "level":"WARN","msg":"x","kind":"provider-failed","cause":"key-refused","error":"openai answered 401 Unauthorized"`,
		`40m "level":"ERROR","msg":"x","kind":"worker-step-failed","cause":"store-busy"`,
		`30m "level":"ERROR","msg":"x","kind":"hook-failed","error":"panic: \u001b[31mindex","stack":"recall/block.go:12\nb.go:3"`,
		`20m "level":"ERROR","msg":"x","kind":"event-put-aside","folder":"/数据/bad"`,
		`10m "level":"ERROR","msg":"said by an older cmem","error":"why"`,
		`9m "level":"ERROR","msg":"said by an older cmem","error":"why"`,
		`8m "level":"ERROR","msg":"x","kind":"of-a-newer-cmem"`,
	)
	var got []string
	for _, d := range a.diagnoseLog(cfg) {
		got = append(got, fmt.Sprintf("%v %d %s → %s", d.OK, d.Lately.Count, d.Found, strings.ReplaceAll(d.Advice, cfg.DataDir(), "DATA")))
	}
	want := []string{
		"false 1 an event was lost, because this is not permitted, at 2026-11-30 13:10 → look at the owner and the mode of DATA and what is in it",
		"false 2 2 events were lost, because the disk is full, between 2026-11-30 12:00 and 2026-11-30 13:00 (last: write 数据2: no space left on device) → make room on the disk of DATA",
		"true 1 x, at 2026-11-30 14:52 → ",
		"true 2 said by an older cmem, 2 times, between 2026-11-30 14:50 and 2026-11-30 14:51 (last: why) → ",
		"true 1 an event that cannot be read was put aside, at 2026-11-30 14:40 → they are kept in /数据/bad and do no harm; delete them when you have looked",
		"true 1 a hook failed of a fault in cmem, at 2026-11-30 14:30 (panic: index) in recall/block.go:12 → update cmem; if it stays, report it with what `cmem logs --level error` shows",
		"true 1 the worker failed and tried again, because another program held the store, at 2026-11-30 14:20 → see who holds it: a program that has DATA/cmem.db open and writes",
		"true 1 the provider failed and the local compressor stood in for it, because it does not accept the key, the model or the address, at 2026-11-30 14:10 (openai answered 401 Unauthorized) → set them right: `cmem config set openai.api_key …`, openai.model; `cmem config set provider local` does without",
		"true 2 the provider failed and the local compressor stood in for it, 2 times, because it limits the number of calls, between 2026-11-30 13:30 and 2026-11-30 13:31 (last: openai answered 429 Too Many Requests); it answers again since 2026-11-30 14:00 → ",
	}
	if len(got) != len(want) {
		t.Fatalf("%d sentences, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("sentence %d\ngot  %s\nwant %s", i, got[i], want[i])
		}
	}
}

func TestDoctorSaysThatNothingWentWrong(t *testing.T) {
	a, cfg, _, _ := logApp(t, nil)
	for range 2 { // without a log, and with one that has nothing to tell
		got := a.diagnoseLog(cfg)
		if len(got) != 1 || !got[0].OK || got[0].Found != "no problem was logged in the last 24 hours" {
			t.Errorf("got %+v", got)
		}
		newLog(cfg, "worker").Info("removed the remains of killed hooks")
	}
}

func TestDoctorTellsTheMostImportantOfVeryMuch(t *testing.T) {
	a, cfg, _, _ := logApp(t, nil)
	now := time.Now()
	var lines []string
	for i := range 1000 {
		lines = append(lines, fmt.Sprintf(`%dm "level":"ERROR","msg":"older message %d"`, 1000-i, i))
	}
	writeLog(t, cfg, now, append([]string{`20h "level":"ERROR","msg":"x","kind":"event-lost"`}, lines...)...)
	got := a.diagnoseLog(cfg)
	if len(got) != mostHappenings+1 || got[0].OK || got[0].Lately.Kind != logs.EventLost {
		t.Fatalf("%d diagnoses, the first %+v", len(got), got[0])
	}
	if last := got[len(got)-1]; last.Found != fmt.Sprintf("%d other things went wrong", mostGroups-mostHappenings) || last.Lately != nil {
		t.Errorf("the last is %+v", last)
	}
}

func TestDoctorFindsACrashThatNobodyHasReportedYet(t *testing.T) {
	a, cfg, _, _ := logApp(t, nil)
	if err := os.MkdirAll(cfg.Logs(), 0o700); err != nil {
		t.Fatal(err)
	}
	text := "fatal error: concurrent map writes\n\ngoroutine 7 [running]:\ncmem/worker.f()\n\t/src/worker/drain.go:12 +0x1\n"
	if err := os.WriteFile(filepath.Join(cfg.Logs(), "crash.txt"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got := a.diagnoseLog(cfg)
		if len(got) != 1 || got[0].Lately.Kind != logs.Crashed || got[0].Lately.Count != 1 || !strings.HasSuffix(got[0].Found, "(fatal error: concurrent map writes) in /src/worker/drain.go:12 +0x1") {
			t.Errorf("got %+v", got)
		}
	}
}

// What a process logs with an error of each room is told with the cause that its
// advice depends on.
func TestDoctorKnowsTheCauseFromTheErrorThatWasLogged(t *testing.T) {
	a, cfg, _, _ := logApp(t, nil)
	log := newLog(cfg, "worker")
	for _, tt := range []struct {
		kind   logs.Kind
		err    error
		advice string
	}{
		{logs.EventLost, fmt.Errorf("write: %w", fullDisk), "make room"},
		{logs.StepFailed, fmt.Errorf("drain: %w", store.ErrDamaged), "cmem doctor --fix"},
		{logs.WorkerEnded, &store.NewerSchemaError{}, "update cmem"},
		{logs.ProviderFailed, &llm.Error{Provider: "claude", Status: 503, Err: errors.New("overloaded")}, "asks again by itself"},
	} {
		log.Error("x", "kind", tt.kind, "error", tt.err)
		all := a.diagnoseLog(cfg)
		found := false
		for _, d := range all {
			found = found || d.Lately.Kind == tt.kind && strings.Contains(d.Advice, tt.advice)
		}
		if !found {
			t.Errorf("%s with %v: no advice has %q: %+v", tt.kind, tt.err, tt.advice, all)
		}
	}
}
