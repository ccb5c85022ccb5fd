package early

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cmem/hooks/spool"
)

const payload = `{"session_id":"s","hook_event_name":"PostToolUse"}`

func env(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func input(s string) Input { return Input{Payload: []byte(s), Size: int64(len(s))} }

// waiting gives the events in the spool of the data directory dir.
func waiting(t *testing.T, dir string) []string {
	t.Helper()
	names, err := spool.List(filepath.Join(dir, "spool"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// alive makes it look as if a worker were there, so that none is started.
func alive(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, spool.StartingFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDeliverPutsThePayloadInTheSpoolUnchanged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "数据 with space")
	alive(t, dir)
	if !deliver(input(payload), env(map[string]string{"CMEM_DATA_DIR": dir})) {
		t.Fatal("declined")
	}
	names := waiting(t, dir)
	if len(names) != 1 {
		t.Fatalf("spool holds %v, want one event", names)
	}
	got, err := spool.Read(filepath.Join(dir, "spool"), names[0])
	if err != nil || string(got) != payload {
		t.Fatalf("spooled %q, %v; want %q", got, err, payload)
	}
}

func TestDeliverDeclinesAndLeavesNothingBehind(t *testing.T) {
	ok := t.TempDir()
	alive(t, ok)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	private := t.TempDir()
	if err := os.Mkdir(filepath.Join(private, PrivateTurns), 0o700); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		in   Input
		vars map[string]string
	}{
		"an event that is answered":  {input(`{"session_id":"s","hook_event_name":"SessionStart"}`), map[string]string{"CMEM_DATA_DIR": ok}},
		"a private part":             {input(`{"session_id":"s","hook_event_name":"Stop","p":"<private>x"}`), map[string]string{"CMEM_DATA_DIR": ok}},
		"a payload cut while read":   {Input{Payload: []byte(payload), Size: 1 << 30}, map[string]string{"CMEM_DATA_DIR": ok}},
		"an error while reading":     {Input{Payload: []byte(payload), Size: int64(len(payload)), Err: errors.New("broken")}, map[string]string{"CMEM_DATA_DIR": ok}},
		"exclusions by environment":  {input(payload), map[string]string{"CMEM_DATA_DIR": ok, "CMEM_EXCLUDE": "~/secret"}},
		"syncing by environment":     {input(payload), map[string]string{"CMEM_DATA_DIR": ok, "CMEM_SPOOL_SYNC": "true"}},
		"excluded paths":             {input(payload), map[string]string{"CMEM_DATA_DIR": ok, "CMEM_EXCLUDE_PATHS": "*.md"}},
		"a conversation told anew":   {input(`{"hook_event_name":"PostCompact","session_id":"s","compact_summary":"geheim"}`), map[string]string{"CMEM_DATA_DIR": ok}},
		"a private turn":             {input(payload), map[string]string{"CMEM_DATA_DIR": private}},
		"skipped tools":              {input(payload), map[string]string{"CMEM_DATA_DIR": ok, "CMEM_SKIP_TOOLS": "Read"}},
		"a relative data directory":  {input(payload), map[string]string{"CMEM_DATA_DIR": "data"}},
		"a spool that is no folder":  {input(payload), map[string]string{"CMEM_DATA_DIR": file}},
		"a payload that is not JSON": {input("hello"), map[string]string{"CMEM_DATA_DIR": ok}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if deliver(tt.in, env(tt.vars)) {
				t.Error("accepted")
			}
			if names := waiting(t, ok); len(names) != 0 {
				t.Errorf("spool holds %v after declining", names)
			}
		})
	}
}

func TestSettingsAreFollowedThroughTheStampOnly(t *testing.T) {
	base, moved := t.TempDir(), t.TempDir()
	vars := env(map[string]string{"CMEM_DATA_DIR": base})
	file, stamp := filepath.Join(base, settingsFile), filepath.Join(base, stampFile)
	write := func(path, content string, at time.Time) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(when, want string, wantOK bool) {
		t.Helper()
		if got, ok := readSettings(vars); ok != wantOK || ok && got != (settings{dir: want, atFile: true, atFailure: true}) {
			t.Errorf("%s: readSettings = %+v, %v; want %q, %v", when, got, ok, want, wantOK)
		}
	}
	expect("no settings", base, true)
	saved := time.Now().Add(-time.Hour).Truncate(time.Second)
	write(file, `{"exclude":["/srv"]}`, saved)
	expect("settings that main has not read", "", false)
	write(stamp, moved, saved)
	expect("settings that main has read", moved, true)
	write(stamp, moved+"\x00sync\x00no-file\x00no-failure\x00prompt", saved)
	if got, ok := readSettings(vars); !ok || got != (settings{dir: moved, synced: true, atPrompt: true}) {
		t.Errorf("settings with much in them: readSettings = %+v, %v", got, ok)
	}
	write(stamp, moved+"\x00of a later version", saved)
	expect("a stamp with a word that is not known", "", false)
	write(stamp, moved, saved)
	write(file, `{"exclude":["/home"]}`, saved.Add(time.Second))
	expect("settings edited since", "", false)
	write(stamp, "relative", saved.Add(time.Second))
	expect("a stamp with a relative path", "", false)
	write(stamp, "/"+strings.Repeat("x", stampMaxBytes+1), saved.Add(time.Second))
	expect("a stamp that is no stamp", "", false)
}

func TestReadKeepsWhatFitsAndCountsTheRest(t *testing.T) {
	small := Read(strings.NewReader(payload))
	if string(small.Payload) != payload || small.Size != int64(len(payload)) || small.Err != nil {
		t.Errorf("small payload read as %d bytes of %d, %v", len(small.Payload), small.Size, small.Err)
	}
	const huge = MaxPayload + 12345
	big := Read(io.LimitReader(zeros{}, huge))
	if len(big.Payload) != MaxPayload || big.Size != huge || big.Err != nil {
		t.Errorf("huge payload read as %d bytes of %d, %v; want %d of %d", len(big.Payload), big.Size, big.Err, MaxPayload, huge)
	}
	broken := Read(io.MultiReader(strings.NewReader("abc"), failing{}))
	if broken.Err == nil {
		t.Error("a failing reader gave no error")
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("cable pulled") }
