package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cmem/config"
	"cmem/hooks/early"
	"cmem/hooks/spool"
)

// contextFunc makes a function a ContextSource.
type contextFunc func(context.Context, ContextRequest) (string, error)

func (f contextFunc) SessionContext(ctx context.Context, r ContextRequest) (string, error) {
	return f(ctx, r)
}

// call is one hook call with its surroundings.
type call struct {
	vars    map[string]string
	context contextFunc
	actions actionFunc
	out     bytes.Buffer
	log     bytes.Buffer
	woken   int
	dir     string
}

func (c *call) do(t *testing.T, in early.Input) {
	t.Helper()
	if c.dir == "" {
		c.dir = filepath.Join(t.TempDir(), "data")
	}
	cfg, err := config.Load(func(name string) string {
		if name == "CMEM_DATA_DIR" {
			return c.dir
		}
		return c.vars[name]
	})
	if cfg == nil {
		t.Fatal(err)
	}
	if c.context == nil {
		c.context = func(context.Context, ContextRequest) (string, error) { return "a block", nil }
	}
	h := Handler{
		Config: cfg, Context: c.context,
		Log:  slog.New(slog.NewTextHandler(&c.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Wake: func(string) error { c.woken++; return nil },
	}
	if c.actions != nil {
		h.Actions = c.actions
	}
	h.Handle(context.Background(), in, &c.out)
}

func (c *call) spooled(t *testing.T) []string {
	t.Helper()
	names, err := spool.List(filepath.Join(c.dir, "spool"))
	if err != nil {
		t.Fatal(err)
	}
	var payloads []string
	for _, n := range names {
		b, err := spool.Read(filepath.Join(c.dir, "spool"), n)
		if err != nil {
			t.Fatal(err)
		}
		payloads = append(payloads, string(b))
	}
	return payloads
}

func whole(s string) early.Input { return early.Input{Payload: []byte(s), Size: int64(len(s))} }

const start = `{"session_id":"s","cwd":"/home/dev/webshop","hook_event_name":"SessionStart","source":"startup"}`

func TestAStartingSessionGetsOneCompleteAnswer(t *testing.T) {
	c := call{context: func(_ context.Context, r ContextRequest) (string, error) {
		if r.CWD != "/home/dev/webshop" || r.SessionID != "s" || r.Source != "startup" {
			t.Errorf("asked for %+v", r)
		}
		return "记忆 <b> & \"quoted\"\nline", nil
	}}
	c.do(t, whole(start))
	var got struct {
		HookSpecificOutput struct{ HookEventName, AdditionalContext string }
	}
	if err := json.Unmarshal(c.out.Bytes(), &got); err != nil {
		t.Fatalf("answer %q: %v", c.out.String(), err)
	}
	if got.HookSpecificOutput.HookEventName != "SessionStart" || got.HookSpecificOutput.AdditionalContext != "记忆 <b> & \"quoted\"\nline" {
		t.Errorf("answer %+v", got)
	}
	if strings.Contains(c.out.String(), "permissionDecision") || strings.Count(c.out.String(), "\n") != 1 {
		t.Errorf("answer %q", c.out.String())
	}
	if p := c.spooled(t); len(p) != 1 || p[0] != start || c.woken != 1 {
		t.Errorf("spooled %q, woken %d times", p, c.woken)
	}
}

func TestNothingIsPrintedWhen(t *testing.T) {
	long := strings.Repeat("记", MaxAnswer+1)
	for name, tt := range map[string]struct {
		in      early.Input
		vars    map[string]string
		context contextFunc
		spooled int
		logged  string
	}{
		"the event needs no answer":       {in: whole(`{"session_id":"s","hook_event_name":"Stop"}`), spooled: 1},
		"the event is unknown":            {in: whole(`{"session_id":"s","hook_event_name":"Neu","x":1}`), spooled: 1},
		"the payload is empty":            {in: whole(""), logged: "payload is empty"},
		"the payload is cut off":          {in: whole(start[:40]), logged: "hook payload refused"},
		"the payload is rubbish":          {in: whole("\x00\x01\xff"), logged: "not a JSON object"},
		"there is no session":             {in: whole(`{"hook_event_name":"SessionStart"}`), logged: "session_id"},
		"standard input broke":            {in: early.Input{Payload: []byte("{"), Size: 1, Err: errors.New("broken pipe")}, logged: "broken pipe"},
		"the store fails":                 {in: whole(start), context: func(context.Context, ContextRequest) (string, error) { return "", errors.New("disk on fire") }, spooled: 1, logged: "disk on fire"},
		"there is no block":               {in: whole(start), context: func(context.Context, ContextRequest) (string, error) { return "", nil }, spooled: 1},
		"the block is too long":           {in: whole(start), context: func(context.Context, ContextRequest) (string, error) { return long, nil }, spooled: 1, logged: "the host takes"},
		"the context is switched off":     {in: whole(start), vars: map[string]string{"CMEM_CONTEXT_ENABLED": "false"}, spooled: 1},
		"the project is excluded":         {in: whole(start), vars: map[string]string{"CMEM_EXCLUDE": "/home/dev"}, logged: "excluded"},
		"the tool is skipped":             {in: whole(`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Read"}`), vars: map[string]string{"CMEM_SKIP_TOOLS": "Grep,Read"}, logged: "excluded"},
		"the deadline is over (blocking)": {in: whole(start), vars: map[string]string{"CMEM_HOOK_DEADLINE": "10ms"}, context: func(context.Context, ContextRequest) (string, error) { select {} }, spooled: 1, logged: "hook.deadline"},
	} {
		t.Run(name, func(t *testing.T) {
			c := call{vars: tt.vars, context: tt.context}
			c.do(t, tt.in)
			if c.out.Len() != 0 {
				t.Errorf("printed %q", c.out.String())
			}
			if p := c.spooled(t); len(p) != tt.spooled {
				t.Errorf("spooled %q, want %d", p, tt.spooled)
			}
			if !strings.Contains(c.log.String(), tt.logged) {
				t.Errorf("log %q does not say %q", c.log.String(), tt.logged)
			}
		})
	}
}

func TestSettingsThatCannotBeReadKeepEverythingOut(t *testing.T) {
	for name, settings := range map[string]string{
		"broken":              `{"exclude":["/tmp/secret"],"theme": dark}`,
		"an item of no text":  `{"exclude":["/tmp/secret",5]}`,
		"a key in capitals":   `{"Exclude":["/tmp/secret"]}`,
		"no object":           `null`,
		"an exclusion of '.'": `{"exclude":["."]}`,
	} {
		t.Run(name, func(t *testing.T) {
			c := call{dir: t.TempDir()}
			if err := os.WriteFile(filepath.Join(c.dir, "settings.json"), []byte(settings), 0o600); err != nil {
				t.Fatal(err)
			}
			c.do(t, whole(`{"session_id":"s","cwd":"/tmp/secret","hook_event_name":"UserPromptSubmit","prompt":"geheim"}`))
			if p := c.spooled(t); len(p) != 0 || c.out.Len() != 0 || !strings.Contains(c.log.String(), "not recorded") {
				t.Errorf("spooled %q, printed %q, logged %q", p, c.out.String(), c.log.String())
			}
			c.do(t, whole(start))
			if p := c.spooled(t); len(p) != 0 || !strings.Contains(c.out.String(), `"systemMessage":"cmem records nothing`) || strings.Contains(c.out.String(), "additionalContext") {
				t.Errorf("a starting session: spooled %q, printed %q", p, c.out.String())
			}
		})
	}
	c := call{dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(c.dir, "settings.json"), []byte(`{"exclude":["/tmp/secret"],"context.sessions":"many"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	c.do(t, whole(start))
	if p := c.spooled(t); len(p) != 1 {
		t.Errorf("a mistake elsewhere: spooled %q, want the event", p)
	}
}

func TestPrivateTextNeverReachesTheDisk(t *testing.T) {
	c := call{}
	c.do(t, whole(`{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"fix it <private>geheim</private> please"}`))
	p := c.spooled(t)
	if len(p) != 1 || !strings.Contains(p[0], "fix it [private] please") {
		t.Fatalf("spooled %q", p)
	}
	err := filepath.WalkDir(c.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte("geheim")) {
			t.Errorf("%s holds private text", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTheHostDoesNotWaitForSecretsToBeMasked(t *testing.T) {
	c := call{}
	c.do(t, whole(`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"cat .env # <private>geheim</private>"},"tool_response":{"stdout":"DB_PASSWORD=Xk93jf83hf"}}`))
	want := `{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"cat .env # [private]"},"tool_response":{"stdout":"DB_PASSWORD=Xk93jf83hf"}}`
	p := c.spooled(t)
	if len(p) != 1 || p[0] != want {
		t.Fatalf("spooled %q, want what came, without its private part", p)
	}
	e, err := Decode("x", []byte(p[0]))
	if err != nil || bytes.Contains(e.Raw, []byte("Xk93jf83hf")) || !bytes.Contains(e.Raw, []byte(fileMark)) {
		t.Errorf("the worker reads %s, %v", e.Raw, err)
	}
}

func TestAPayloadOverTheLimitIsKeptInPart(t *testing.T) {
	c := call{}
	head := `{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"cat big"},"tool_response":{"stdout":"`
	c.do(t, early.Input{Payload: []byte(head + strings.Repeat("x", 1000)), Size: 50 << 20})
	p := c.spooled(t)
	if len(p) != 1 || !strings.Contains(p[0], `"command":"cat big"`) || !json.Valid([]byte(p[0])) {
		t.Fatalf("spooled %q", p)
	}
	if !strings.Contains(c.log.String(), "larger than is kept") {
		t.Errorf("log %q", c.log.String())
	}
}

func TestASpoolThatCannotBeWrittenIsLoggedAndTheSessionStillStarts(t *testing.T) {
	c := call{dir: filepath.Join(t.TempDir(), "data")}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.dir, "spool"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h := c
	h.do(t, whole(start))
	if !strings.Contains(h.log.String(), "event lost") {
		t.Errorf("log %q", h.log.String())
	}
	if !strings.Contains(h.out.String(), "a block") || !strings.Contains(h.out.String(), `"systemMessage":"cmem cannot write`) {
		t.Errorf("answer %q: it shall hold the context, for the store may well be readable, and say what is wrong", h.out.String())
	}
}
