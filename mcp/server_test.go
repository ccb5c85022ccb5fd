package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"cmem/memory"
	"cmem/recall"
)

// client talks to a server as Claude Code does: a line a message, over pipes.
type client struct {
	t     *testing.T
	in    *io.PipeWriter
	lines *bufio.Reader
	done  chan error
	id    int
}

func connect(t *testing.T, src Store, project string) *client {
	t.Helper()
	return connectTo(t, opening(src), project)
}

// opening gives a function that opens src.
func opening(src Store) func(context.Context) (Store, error) {
	return func(context.Context) (Store, error) { return src, nil }
}

func connectTo(t *testing.T, open func(context.Context) (Store, error), project string) *client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t: t, in: inW, lines: bufio.NewReader(outR), done: make(chan error, 1)}
	go func() {
		err := Run(t.Context(), Options{
			Open: open, Project: project, Version: "1.2.3", In: inR, Out: outW,
			Recent: recall.Request{Project: project, ProjectName: shortName(project), Limits: recall.Limits{Observations: 50, Sessions: 10, MaxChars: 9500}},
		})
		_ = outW.Close()
		c.done <- err
	}()
	t.Cleanup(func() { _ = inW.Close(); _ = outR.Close() })
	return c
}

func (c *client) send(message string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, message+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

type reply struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func (c *client) receive() reply {
	c.t.Helper()
	text, err := c.lines.ReadString('\n')
	if err != nil {
		c.t.Fatalf("the server hung up: %v", err)
	}
	var r reply
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		c.t.Fatalf("not a message: %q", text)
	}
	return r
}

func (c *client) request(method, params string) reply {
	c.t.Helper()
	c.id++
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.id, method, params))
	return c.receive()
}

const hello = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude-code","version":"2.1.0"}}`

func (c *client) initialize() reply {
	c.t.Helper()
	r := c.request("initialize", hello)
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return r
}

// call calls a tool and gives its text and whether it says that it failed.
func (c *client) call(tool, arguments string) (string, bool) {
	c.t.Helper()
	r := c.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s,"_meta":{"claudecode/toolUseId":"toolu_1"}}`, tool, arguments))
	if r.Error != nil {
		c.t.Fatalf("%s(%s): protocol error %d %s", tool, arguments, r.Error.Code, r.Error.Message)
	}
	var res struct {
		Content []struct{ Type, Text string } `json:"content"`
		IsError bool                          `json:"isError"`
	}
	if err := json.Unmarshal(r.Result, &res); err != nil || len(res.Content) != 1 || res.Content[0].Type != "text" {
		c.t.Fatalf("%s(%s): not one text: %s", tool, arguments, r.Result)
	}
	return res.Content[0].Text, res.IsError
}

func TestTheHandshakeNamesTheServerAndSaysWhenToUseIt(t *testing.T) {
	c := connect(t, filled(), webshop)
	r := c.initialize()
	var got struct {
		ProtocolVersion, Instructions string
		ServerInfo                    struct{ Name, Version string }
		Capabilities                  map[string]json.RawMessage
	}
	if err := json.Unmarshal(r.Result, &got); err != nil {
		t.Fatal(err)
	}
	if got.ProtocolVersion != "2025-11-25" || got.ServerInfo.Name != "cmem" || got.ServerInfo.Version != "1.2.3" {
		t.Errorf("got %+v", got)
	}
	if got.Instructions != instructions || strings.Count(instructions, ". ")+1 != 2 {
		t.Errorf("instructions are not the two sentences: %q", got.Instructions)
	}
	for _, want := range []string{"tools", "resources", "prompts"} {
		if string(got.Capabilities[want]) != "{}" {
			t.Errorf("capability %s: %s", want, got.Capabilities[want])
		}
	}
	if len(got.Capabilities) != 3 {
		t.Errorf("capabilities: %v", got.Capabilities)
	}
}

func TestAClientThatProbesForTheNewProtocolIsServedEitherWay(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"claude-code","version":"2.1.0"},"io.modelcontextprotocol/clientCapabilities":{}}`
	t.Run("new", func(t *testing.T) {
		c := connect(t, filled(), webshop)
		r := c.request("server/discover", `{`+meta+`}`)
		if r.Error != nil || !strings.Contains(string(r.Result), `"2026-07-28"`) || !strings.Contains(string(r.Result), "cmem remembers") {
			t.Fatalf("discover: %+v %s", r.Error, r.Result)
		}
		r = c.request("tools/call", `{"name":"search","arguments":{"query":"backoff"},`+meta+`}`)
		if r.Error != nil || !strings.Contains(string(r.Result), "#12") {
			t.Errorf("a call without initialize: %+v %s", r.Error, r.Result)
		}
	})
	t.Run("old", func(t *testing.T) {
		c := connect(t, filled(), webshop)
		if r := c.request("server/discover", `{}`); r.Error == nil || r.Error.Code != -32601 {
			t.Fatalf("discover without a version: %+v %s", r.Error, r.Result)
		}
		c.initialize()
		if text, failed := c.call("search", `{"query":"backoff"}`); failed || !strings.Contains(text, "#12") {
			t.Errorf("after the refusal: %s", text)
		}
	})
}

func TestFourToolsAreOfferedWithinTheirTokenBudget(t *testing.T) {
	c := connect(t, filled(), webshop)
	c.initialize()
	r := c.request("tools/list", `{}`)
	var got struct {
		Tools []struct {
			Name        string
			Description string
			InputSchema json.RawMessage
			Annotations struct{ ReadOnlyHint bool }
			Meta        map[string]bool `json:"_meta"`
		}
	}
	if err := json.Unmarshal(r.Result, &got); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range got.Tools {
		names = append(names, tool.Name)
		if loaded := tool.Meta["anthropic/alwaysLoad"]; loaded != (tool.Name != "timeline") {
			t.Errorf("%s is always loaded: %v", tool.Name, loaded)
		}
		if !tool.Annotations.ReadOnlyHint || strings.Contains(string(tool.InputSchema), "additionalProperties") || strings.Contains(string(tool.InputSchema), "required") {
			t.Errorf("%s restricts or claims to write: %s", tool.Name, tool.InputSchema)
		}
	}
	if strings.Join(names, " ") != "__IMPORTANT get_observations search timeline" {
		t.Errorf("tools: %v", names)
	}
	if n := memory.EstimateTokens(string(r.Result)); n > 700 {
		t.Errorf("the definitions cost %d tokens, more than 700", n)
	}
}

func TestManyCallsAtOnceAreAllAnswered(t *testing.T) {
	c := connect(t, &locked{filled(), sync.Mutex{}}, webshop)
	c.initialize()
	const n = 50
	go func() {
		for i := range n {
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search","arguments":{"query":"backoff"}}}`, 100+i))
		}
	}()
	seen := map[string]bool{}
	for range n {
		r := c.receive()
		if r.Error != nil || !strings.Contains(string(r.Result), "#12") {
			t.Fatalf("got %+v %s", r.Error, r.Result)
		}
		seen[string(r.ID)] = true
	}
	if len(seen) != n {
		t.Errorf("%d different answers, want %d", len(seen), n)
	}
}

// locked lets calls that run at once use one fake.
type locked struct {
	*fake
	mu sync.Mutex
}

func (l *locked) Search(ctx context.Context, text string, f memory.Filter, limit int) ([]memory.Hit, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fake.Search(ctx, text, f, limit)
}

// slow searches until it is told to stop.
type slow struct {
	*fake
	started chan struct{}
	stopped chan error
}

func (s *slow) Search(ctx context.Context, _ string, _ memory.Filter, _ int) ([]memory.Hit, error) {
	close(s.started)
	<-ctx.Done()
	s.stopped <- ctx.Err()
	return nil, ctx.Err()
}

func TestACancelledCallStopsItsSearch(t *testing.T) {
	src := &slow{filled(), make(chan struct{}), make(chan error, 1)}
	c := connect(t, src, webshop)
	c.initialize()
	c.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"search","arguments":{"query":"x"}}}`)
	<-src.started
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	go func() { _, _ = io.Copy(io.Discard, c.lines) }()
	select {
	case err := <-src.stopped:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("stopped by %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the search went on")
	}
}

func TestCallsThatArePipedInAreAllAnsweredBeforeTheEnd(t *testing.T) {
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + hello + "}\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	for i := range 20 {
		in += fmt.Sprintf(`{"jsonrpc":"2.0","id":"call-%d","method":"tools/call","params":{"name":"search","arguments":{"query":"backoff"}}}`+"\n", i)
	}
	var out strings.Builder
	src := &locked{filled(), sync.Mutex{}}
	if err := Run(t.Context(), Options{Open: opening(src), Project: webshop, In: strings.NewReader(in), Out: &out}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "#12 "); n != 20 {
		t.Errorf("%d of 20 calls were answered:\n%s", n, out.String())
	}
}

func TestTheServerEndsWhenTheClientHangsUpOrTheContextEnds(t *testing.T) {
	t.Run("hang-up", func(t *testing.T) {
		c := connect(t, filled(), webshop)
		c.initialize()
		go func() { _, _ = io.Copy(io.Discard, c.lines) }()
		_ = c.in.Close()
		if err := <-c.done; err != nil {
			t.Errorf("hang-up is an error: %v", err)
		}
	})
	t.Run("context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		in, w := io.Pipe()
		defer func() { _ = w.Close() }()
		done := make(chan error, 1)
		go func() {
			done <- Run(ctx, Options{Open: opening(filled()), In: struct{ io.Reader }{in}, Out: io.Discard}) // a reader that cannot be closed
		}()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the end of the context is an error: %v", err)
		}
	})
}
