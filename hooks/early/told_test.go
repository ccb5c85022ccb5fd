package early

import (
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

const reading = `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"/p/购物车.go"}}`

func TestMainIsAskedOnlyWhereItMayTellSomething(t *testing.T) {
	const (
		failing   = `{"session_id":"s","hook_event_name":"PostToolUseFailure","tool_name":"Bash","error":"Exit code 1"}`
		prompting = `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"p"}`
	)
	for name, tt := range map[string]struct {
		payload string
		stamp   string // what stands behind the directory in it
		noStore bool
		told    string // what the session was told
		asked   bool
		spooled int
	}{
		"a file is opened":                  {payload: reading, asked: true},
		"a file is opened, no store":        {payload: reading, noStore: true},
		"it was opened before":              {payload: reading, told: "\n12 x\n" + FileMark([]byte("/p/购物车.go")) + "\n"},
		"another was opened before":         {payload: reading, told: "\n12 x\n" + FileMark([]byte("/p/cart.go")) + "\n", asked: true},
		"files are off":                     {payload: reading, stamp: "\x00no-file"},
		"files are on, failures off":        {payload: reading, stamp: "\x00no-failure", asked: true},
		"a notebook is edited":              {payload: `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"NotebookEdit","tool_input":{"cells":[{"file_path":1}],"notebook_path":"/p/a.ipynb"}}`, asked: true},
		"another tool is about to be used":  {payload: `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"file_path":"/p/a"}}`},
		"a tool names no file":              {payload: `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"x":{"file_path":"/p/a"}},"file_path":"/p/a"}`},
		"an agent opens a file":             {payload: `{"session_id":"s","agent_id":"a","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"/p/a"}}`},
		"a command fails":                   {payload: failing, asked: true},
		"a command fails, no store":         {payload: failing, noStore: true, spooled: 1},
		"a command fails, failures are off": {payload: failing, stamp: "\x00no-failure", spooled: 1},
		"an agent's command fails":          {payload: `{"session_id":"s","agent_id":"a","hook_event_name":"PostToolUseFailure","tool_name":"Bash"}`, spooled: 1},
		"another tool fails":                {payload: `{"session_id":"s","hook_event_name":"PostToolUseFailure","tool_name":"Read"}`, spooled: 1},
		"a prompt, as usual":                {payload: prompting, spooled: 1},
		"a prompt, prompts are on":          {payload: prompting, stamp: "\x00prompt", asked: true},
		"a tool was used":                   {payload: payload, stamp: "\x00prompt", spooled: 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			alive(t, dir)
			write := func(path, text string) {
				t.Helper()
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if !tt.noStore {
				write(filepath.Join(dir, storeFile), "x")
			}
			if tt.told != "" {
				write(ToldFile(dir, []byte("s")), tt.told)
			}
			if tt.stamp != "" {
				at := time.Now().Add(-time.Hour)
				for path, text := range map[string]string{settingsFile: "{}", stampFile: dir + tt.stamp} {
					path = filepath.Join(dir, path)
					write(path, text)
					if err := os.Chtimes(path, at, at); err != nil {
						t.Fatal(err)
					}
				}
			}
			if asked := !deliver(input(tt.payload), env(map[string]string{"CMEM_DATA_DIR": dir})); asked != tt.asked {
				t.Errorf("main is asked: %v, want %v", asked, tt.asked)
			}
			if n := len(waiting(t, dir)); n != tt.spooled {
				t.Errorf("%d events in the spool, want %d", n, tt.spooled)
			}
		})
	}
}

func TestTheEnvironmentsWordOnTellingIsLeftToMain(t *testing.T) {
	for _, name := range []string{"CMEM_RECALL_FILE", "CMEM_RECALL_FAILURE", "CMEM_RECALL_PROMPT"} {
		if _, ok := readSettings(env(map[string]string{"CMEM_DATA_DIR": t.TempDir(), name: "true"})); ok {
			t.Errorf("with %s the fast path is taken", name)
		}
	}
}

func TestMarksAreTheHashThatIsKnown(t *testing.T) {
	h := fnv.New64a()
	for _, s := range []string{"", "a", "/home/开发/购物车.go 🛒"} {
		h.Reset()
		if _, err := h.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
		want := strconv.FormatUint(h.Sum64()|1<<63, 16) // all sixteen digits
		if got := hash([]byte(s)); len(got) != 16 || got[1:] != want[1:] {
			t.Errorf("hash(%q) = %s, want …%s", s, got, want[1:])
		}
	}
}
