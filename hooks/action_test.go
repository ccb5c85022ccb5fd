package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cmem/hooks/early"
	"cmem/memory"
)

// actionFunc makes a function an ActionSource.
type actionFunc func(context.Context, ActionRequest) (Recalled, error)

func (f actionFunc) AtAction(ctx context.Context, r ActionRequest) (Recalled, error) {
	return f(ctx, r)
}

// recalls gives those of the memories that were not told, with a block that names them.
func recalls(ids ...int64) actionFunc {
	return func(_ context.Context, r ActionRequest) (Recalled, error) {
		left := slices.DeleteFunc(slices.Clone(ids), r.Told)
		return Recalled{IDs: left, Block: func(ids []int64) string { return fmt.Sprint("block ", ids) }}, nil
	}
}

// recorded gives a payload of the real client.
func recorded(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "payloads", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// told gives what the answer of a call tells the model, "" for no answer.
func (c *call) told(t *testing.T) (event, block string) {
	t.Helper()
	if c.out.Len() == 0 {
		return "", ""
	}
	var answer struct {
		HookSpecificOutput struct{ HookEventName, AdditionalContext string }
	}
	if err := json.Unmarshal(c.out.Bytes(), &answer); err != nil || strings.Contains(c.out.String(), "permission") {
		t.Fatalf("answer %q: %v", c.out.String(), err)
	}
	c.out.Reset()
	return answer.HookSpecificOutput.HookEventName, answer.HookSpecificOutput.AdditionalContext
}

func TestEachActionAsksForWhatItIsAbout(t *testing.T) {
	const dir, session = "/home/dev/projects/webshop", "00000001-0000-4000-8000-000000000001"
	for name, want := range map[string]ActionRequest{
		"PreToolUse-Read":         {Event: memory.EventPreToolUse, File: dir + "/src/main.go", MaxTokens: 300},
		"PreToolUse-Edit":         {Event: memory.EventPreToolUse, File: dir + "/src/main.go", MaxTokens: 300},
		"PreToolUse-Write":        {Event: memory.EventPreToolUse, File: dir + "/src/cart.go", MaxTokens: 300},
		"PostToolUseFailure-Bash": {Event: memory.EventPostToolUseFailure, Command: "echo partial; echo oops >&2; exit 3", Error: "Exit code 3\npartial\noops", MaxTokens: 200},
		"UserPromptSubmit":        {Event: memory.EventUserPromptSubmit, Prompt: "Please tidy the webshop sources", MaxTokens: 300},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			c := call{vars: map[string]string{"CMEM_RECALL_PROMPT": "true", "CMEM_RECALL_FAILURE_TOKENS": "200"}}
			c.actions = func(ctx context.Context, r ActionRequest) (Recalled, error) {
				asked++
				r.Told = nil
				want.CWD, want.SessionID = dir, session
				if fmt.Sprint(r) != fmt.Sprint(want) {
					t.Errorf("asked for %+v, want %+v", r, want)
				}
				return recalls(7)(ctx, ActionRequest{Told: func(int64) bool { return false }})
			}
			c.do(t, whole(recorded(t, name)))
			if event, block := c.told(t); event != want.Event || block != "block [7]" || asked != 1 {
				t.Errorf("%s is answered with %q, asked %d times", event, block, asked)
			}
			spooled := 1
			if want.Event == memory.EventPreToolUse {
				spooled = 0
			}
			if p := c.spooled(t); len(p) != spooled {
				t.Errorf("%d events in the spool, want %d", len(p), spooled)
			}
		})
	}
}

func TestNothingIsToldAtAnActionWhen(t *testing.T) {
	read, failing := recorded(t, "PreToolUse-Read"), recorded(t, "PostToolUseFailure-Bash")
	for name, tt := range map[string]struct {
		payload string
		vars    map[string]string
		actions actionFunc
		logged  string
	}{
		"an agent opens a file":          {payload: strings.Replace(read, `"hook_event_name"`, `"agent_id":"a1","hook_event_name"`, 1)},
		"an agent's command fails":       {payload: strings.Replace(failing, `"hook_event_name"`, `"agent_id":"a1","hook_event_name"`, 1)},
		"another tool is used":           {payload: recorded(t, "PreToolUse-Bash")},
		"another tool fails":             {payload: recorded(t, "PostToolUseFailure-Read")},
		"the tool names no file":         {payload: strings.Replace(read, `"file_path"`, `"path"`, 1)},
		"files are switched off":         {payload: read, vars: map[string]string{"CMEM_RECALL_FILE": "false"}},
		"failures are switched off":      {payload: failing, vars: map[string]string{"CMEM_RECALL_FAILURE": "false"}},
		"prompts are off, as usual":      {payload: recorded(t, "UserPromptSubmit"), vars: map[string]string{"CMEM_RECALL_PROMPT": ""}},
		"the host wrote the prompt":      {payload: recorded(t, "UserPromptSubmit-task-notification")},
		"the prompt is a command":        {payload: recorded(t, "UserPromptSubmit-plugin-command")},
		"the project is excluded":        {payload: read, vars: map[string]string{"CMEM_EXCLUDE": "/home/dev"}},
		"the file is excluded":           {payload: read, vars: map[string]string{"CMEM_EXCLUDE_PATHS": "src/**"}},
		"nothing is remembered":          {payload: read, actions: recalls()},
		"the store fails":                {payload: read, actions: func(context.Context, ActionRequest) (Recalled, error) { return Recalled{}, errors.New("disk on fire") }, logged: "disk on fire"},
		"looking it up panics":           {payload: read, actions: func(context.Context, ActionRequest) (Recalled, error) { panic("ouch") }, logged: "ouch"},
		"the deadline is over":           {payload: read, vars: map[string]string{"CMEM_HOOK_DEADLINE": "10ms"}, actions: func(context.Context, ActionRequest) (Recalled, error) { select {} }, logged: "recall-late"},
		"the settings cannot be read":    {payload: read, vars: map[string]string{"CMEM_EXCLUDE": "."}},
		"the prompt before it is hidden": {payload: read, vars: map[string]string{"test": "private"}, logged: "its turn is private"},
	} {
		t.Run(name, func(t *testing.T) {
			c := call{vars: map[string]string{"CMEM_RECALL_PROMPT": "true"}, actions: tt.actions, dir: filepath.Join(t.TempDir(), "data")}
			for k, v := range tt.vars {
				c.vars[k] = v
			}
			if c.actions == nil {
				c.actions = recalls(7)
			}
			if tt.vars["test"] == "private" {
				c.do(t, whole(strings.Replace(recorded(t, "UserPromptSubmit"), "Please tidy the webshop sources", "<private>x</private>", 1)))
			}
			c.do(t, whole(tt.payload))
			if c.out.Len() != 0 {
				t.Errorf("printed %q", c.out.String())
			}
			if !strings.Contains(c.log.String(), tt.logged) {
				t.Errorf("log %q does not say %q", c.log.String(), tt.logged)
			}
		})
	}
}

func TestSkippedToolsAreToldOfFilesAllTheSame(t *testing.T) {
	c := call{vars: map[string]string{"CMEM_SKIP_TOOLS": "Read"}, actions: recalls(7)}
	c.do(t, whole(recorded(t, "PreToolUse-Read")))
	if _, block := c.told(t); block != "block [7]" {
		t.Errorf("told %q", block)
	}
}

func TestAMemoryIsToldOnceASessionWhateverTheOccasion(t *testing.T) {
	c := call{actions: recalls(7, 8)}
	say := func(when, payload, want string) {
		t.Helper()
		c.do(t, whole(payload))
		if _, block := c.told(t); block != want {
			t.Errorf("%s: told %q, want %q", when, block, want)
		}
	}
	read, failing := recorded(t, "PreToolUse-Read"), recorded(t, "PostToolUseFailure-Bash")
	say("the file is opened", read, "block [7 8]")
	say("the file is opened again", read, "")
	c.actions = recalls(8, 9)
	say("a command fails", failing, "block [9]")
	say("another session", strings.ReplaceAll(read, `"session_id":"0`, `"session_id":"1`), "block [8 9]")
	start := func(source string) string {
		return fmt.Sprintf(`{"session_id":"00000001-0000-4000-8000-000000000001","cwd":"/home/dev","hook_event_name":"SessionStart","source":%q}`, source)
	}
	c.do(t, whole(start("resume")))
	c.out.Reset()
	say("after it was resumed", read, "")
	for _, source := range []string{"compact", "clear"} {
		c.do(t, whole(start(source)))
		c.out.Reset()
		say("after "+source, read, "block [8 9]")
	}
}

func TestWhatDoesNotFitIsToldWhenTheFileIsOpenedAgain(t *testing.T) {
	const room = 2
	list := []int64{7, 8, 9}
	c := call{actions: func(ctx context.Context, r ActionRequest) (Recalled, error) {
		found, err := recalls(list...)(ctx, r)
		found.More = len(found.IDs) > room
		found.IDs = found.IDs[:min(room, len(found.IDs))]
		return found, err
	}, dir: filepath.Join(t.TempDir(), "data")}
	read := recorded(t, "PreToolUse-Read")
	const file, session = "/home/dev/projects/webshop/src/main.go", "00000001-0000-4000-8000-000000000001"
	for i, want := range []struct {
		block  string
		marked bool
	}{{"block [7 8]", false}, {"block [9]", true}, {"", true}} {
		c.do(t, whole(read))
		_, block := c.told(t)
		text, err := os.ReadFile(early.ToldFile(c.dir, []byte(session)))
		if err != nil {
			t.Fatal(err)
		}
		if marked := strings.Contains(string(text), early.FileMark([]byte(file))); block != want.block || marked != want.marked {
			t.Errorf("opened for the %d. time: told %q, marked %v; want %q, %v", i+1, block, marked, want.block, want.marked)
		}
	}
}

func TestHooksThatRunSideBySideTellAMemoryOnce(t *testing.T) {
	notes := toldTo(t.TempDir(), "s")
	var (
		mu    sync.Mutex
		times = map[int64]int{}
		wg    sync.WaitGroup
	)
	for range 8 {
		wg.Go(func() {
			for from := range int64(20) {
				ids, err := notes.take([]int64{from, from + 1, from + 2}, "")
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				for _, id := range ids {
					times[id]++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for id := range int64(22) {
		if times[id] != 1 {
			t.Errorf("memory %d was told %d times", id, times[id])
		}
	}
}

func TestWhatASessionWasToldIsBounded(t *testing.T) {
	c := call{actions: recalls(7), dir: filepath.Join(t.TempDir(), "data")}
	file := early.ToldFile(c.dir, []byte("00000001-0000-4000-8000-000000000001"))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Repeat("1 x\n", early.MaxTold)), 0o600); err != nil {
		t.Fatal(err)
	}
	c.do(t, whole(recorded(t, "PreToolUse-Edit")))
	if c.out.Len() != 0 {
		t.Errorf("told %q", c.out.String())
	}
	old := time.Now().Add(-toldFor - time.Hour)
	if err := os.Chtimes(file, old, old); err != nil {
		t.Fatal(err)
	}
	c.do(t, whole(start))
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the file of a session that is long over is still there: %v", err)
	}
}

func TestALineThatAFullDiskCutTakesNoMemoryAway(t *testing.T) {
	notes := toldTo(t.TempDir(), "s")
	if err := os.MkdirAll(filepath.Dir(notes.path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(notes.path, []byte("\n5 abc\n12"), 0o600); err != nil {
		t.Fatal(err)
	}
	ids, err := notes.take([]int64{5, 12, 123}, "fmark")
	if err != nil || !slices.Equal(ids, []int64{12, 123}) {
		t.Errorf("took %v, %v; want 12 and 123", ids, err)
	}
}

func TestNotesThatCannotBeWrittenTellNothing(t *testing.T) {
	c := call{actions: recalls(7), dir: filepath.Join(t.TempDir(), "data")}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.dir, early.ToldDir), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c.do(t, whole(recorded(t, "PreToolUse-Read")))
	if c.out.Len() != 0 || !strings.Contains(c.log.String(), "recall-failed") {
		t.Errorf("printed %q, logged %q", c.out.String(), c.log.String())
	}
}
