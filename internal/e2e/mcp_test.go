package e2e

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"cmem/memory"
	"cmem/project"
	"cmem/store"
)

// The versions that the tests are written against: the newest that run on the
// Node versions that are still in use.
const (
	inspectorVersion   = "1.0.3"
	conformanceVersion = "0.1.13"
)

// served is a cmem binary with a store in which a project has a few memories.
type served struct {
	bin, dir string   // the binary, and the project's folder
	env      []string // with which it finds the store
}

func newServed(t *testing.T) served {
	t.Helper()
	work := t.TempDir()
	s := served{bin: filepath.Join(work, "cmem"), dir: filepath.Join(work, "webshop")}
	if err := os.Mkdir(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", s.bin, "cmem")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build cmem: %v\n%s", err, out)
	}
	data := filepath.Join(work, "data")
	s.env = []string{"CMEM_DATA_DIR=" + data, "HOME=" + work}
	db, err := store.Open(t.Context(), filepath.Join(data, "cmem.db"))
	if err != nil {
		t.Fatal(err)
	}
	key := project.Find(s.dir).Key
	for i, title := range []string{"fetchPage gives up at the first 503", "Retry with backoff in fetchPage", "订单服务改用乐观锁"} {
		if _, _, err := db.Add(t.Context(), memory.Observation{
			Project: key, Type: memory.TypeBugfix, Title: title, Narrative: "What was found about " + title,
			CreatedAt: time.Date(2026, 11, 30, 8, i, 0, 0, time.UTC),
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTheInspectorReachesEveryToolResourceAndPrompt(t *testing.T) {
	inspector := npmPackage(t, "@modelcontextprotocol/inspector", inspectorVersion)
	s := newServed(t)
	for _, tt := range []struct {
		args []string
		says []string
	}{
		{[]string{"tools/list"}, []string{`"__IMPORTANT"`, `"search"`, `"timeline"`, `"get_observations"`}},
		{[]string{"tools/call", "--tool-name", "__IMPORTANT"}, []string{"Three layers"}},
		{[]string{"tools/call", "--tool-name", "search", "--tool-arg", "query=backoff", "--tool-arg", "limit=5"}, []string{"#2 2026-11-30 08:01 bugfix Retry with backoff in fetchPage"}},
		{[]string{"tools/call", "--tool-name", "search", "--tool-arg", "query=乐观锁"}, []string{"#3 ", "订单服务改用乐观锁"}},
		{[]string{"tools/call", "--tool-name", "search", "--tool-arg", "limit=2"}, []string{"#3 ", "#2 ", "More: cursor=#2"}},
		{[]string{"tools/call", "--tool-name", "search", "--tool-arg", "after=yesterday"}, []string{"after must be a date like 2026-11-30", `"isError": true`}},
		{[]string{"tools/call", "--tool-name", "search", "--tool-arg", "query=backoff", "--tool-arg", "format=json"}, []string{`"structuredContent": {`, `"id": "#2"`}},
		{[]string{"tools/call", "--tool-name", "timeline", "--tool-arg", "id=2"}, []string{"#1 08:00", "#2 08:01", "← here", "#3 08:02"}},
		{[]string{"tools/call", "--tool-name", "get_observations", "--tool-arg", `ids=["#1","#99"]`}, []string{"What was found about fetchPage gives up", "Not found: #99"}},
		{[]string{"resources/list"}, []string{"memory://project/recent"}},
		{[]string{"resources/templates/list"}, []string{"memory://observation/{id}"}},
		{[]string{"resources/read", "--uri", "memory://project/recent"}, []string{"<cmem-context", "Retry with backoff in fetchPage"}},
		{[]string{"resources/read", "--uri", "memory://observation/1"}, []string{"What was found about fetchPage gives up"}},
		{[]string{"prompts/list"}, []string{`"recent"`, `"recall"`}},
		{[]string{"prompts/get", "--prompt-name", "recall", "--prompt-args", "about=backoff"}, []string{"«backoff»", "#2 2026-11-30"}},
	} {
		out := node(t, s.dir, s.env, filepath.Join(inspector, "cli", "build", "cli.js"), append([]string{"--cli", s.bin, "mcp", "--method"}, tt.args...)...)
		for _, want := range tt.says {
			// In JSON a quoted text is escaped once more.
			if !strings.Contains(out, want) && !strings.Contains(out, strings.ReplaceAll(want, `"`, `\"`)) {
				t.Errorf("%s lacks %q:\n%s", strings.Join(tt.args, " "), want, out)
			}
		}
	}
}

// The other scenarios of the conformance suite do not apply: they ask for tools,
// resources and prompts that a server must have for the test only, for logging and
// completion, which cmem does not offer, or for HTTP.
func TestTheServerConformsWhereTheSuiteApplies(t *testing.T) {
	suite := npmPackage(t, "@modelcontextprotocol/conformance", conformanceVersion)
	url := overHTTP(t, newServed(t))
	for _, scenario := range []string{"server-initialize", "ping", "tools-list", "resources-list", "prompts-list"} {
		t.Run(scenario, func(t *testing.T) {
			out := node(t, t.TempDir(), nil, filepath.Join(suite, "dist", "index.js"), "server", "--url", url, "--scenario", scenario)
			if !strings.Contains(out, "0 failed") || strings.Contains(out, " 0 passed") {
				t.Error(out)
			}
		})
	}
}

// overHTTP serves cmem mcp at an address, because that is all that the conformance
// suite can reach: each session is a process of its own, and every message goes
// through as it is.
func overHTTP(t *testing.T, s served) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var mu sync.Mutex
	sessions := map[string]*sdk.StreamableServerTransport{}
	pass := func(from, to sdk.Connection) {
		for {
			m, err := from.Read(ctx)
			if err != nil {
				_ = to.Close() // the other end hung up
				return
			}
			if to.Write(ctx, m) != nil {
				return
			}
		}
	}
	session := func(id string) (*sdk.StreamableServerTransport, error) {
		mu.Lock()
		defer mu.Unlock()
		if at := sessions[id]; at != nil {
			return at, nil
		}
		cmd := exec.CommandContext(ctx, s.bin, "mcp")
		cmd.Dir, cmd.Env = s.dir, append(os.Environ(), s.env...)
		process, err := (&sdk.CommandTransport{Command: cmd}).Connect(ctx)
		if err != nil {
			return nil, err
		}
		at := &sdk.StreamableServerTransport{SessionID: rand.Text()}
		client, err := at.Connect(ctx)
		if err != nil {
			return nil, err
		}
		sessions[at.SessionID] = at
		go pass(client, process)
		go pass(process, client)
		return at, nil
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at, err := session(r.Header.Get("Mcp-Session-Id"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		at.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		cancel()
		web.CloseClientConnections()
		web.Close()
	})
	return web.URL
}

// In the scene look-up the model goes through the layers: each answer is
// what the next request to the API holds.
func TestRealClientGoesFromTheIndexToTheWholeMemory(t *testing.T) {
	client := realClient(t)
	h := newHouse(t, client)
	h.cmem(t, "install", "--force") // the binary is in a temporary folder
	retry := h.scene(t, "retry-backoff")
	h.play(t, retry)
	h.waitUntilRemembered(t, retry)

	before := len(h.stage.API.Requests())
	h.play(t, h.scene(t, "look-up"))
	answers := map[string]string{} // by the id of the call
	var calls []string
	requests := h.stage.API.Requests()[before:]
	if last := string(requests[len(requests)-1].Body); !strings.Contains(last, "What do we know about «fetchPage backoff»?") {
		t.Errorf("the prompt recall does not bring what was typed:\n%s", last)
	}
	for _, r := range requests {
		for _, b := range toolResults(t, r.Body) {
			if _, known := answers[b.ID]; !known {
				calls = append(calls, b.ID)
			}
			answers[b.ID] = b.text(t)
		}
	}
	wants := [][]string{
		{"<cmem-memory>", "Each line: #id", "fetchPage"},          // search
		{"<cmem-memory>", "#1 ", "from: ", "Not found: #999"},     // get_observations
		{"<cmem-memory>", "oldest first, around #1", "← here"},    // timeline
		{`"results":[{"`, `"kind":"observation"`, `"id":"#`},      // search, format json
		{"search: limit must be a number, not \"many\""},          // search, a wrong type
		{"Three layers", "search(query)", "get_observations(ids"}, // __IMPORTANT
	}
	if len(calls) != len(wants) {
		t.Fatalf("the model got %d answers, want %d: %q", len(calls), len(wants), answers)
	}
	for i, want := range wants {
		got := answers[calls[i]]
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("answer %d lacks %q:\n%s", i+1, w, got)
			}
		}
		if n := strings.Count(got, "<cmem-memory>"); n > 1 {
			t.Errorf("answer %d reached the model %d times:\n%s", i+1, n, got)
		}
	}
}

// toolResult is the answer of a tool in a request to the API.
type toolResult struct {
	Type    string
	ID      string `json:"tool_use_id"`
	Content json.RawMessage
}

// text gives the answer as the model reads it.
func (r toolResult) text(t *testing.T) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(r.Content, &v); err != nil {
		t.Fatalf("decode a tool's result: %v", err)
	}
	var out []string
	for _, s := range texts(v) {
		if s != "text" {
			out = append(out, s)
		}
	}
	return strings.Join(out, "\n")
}

func toolResults(t *testing.T, body []byte) (found []toolResult) {
	t.Helper()
	var request struct {
		Messages []struct{ Content json.RawMessage }
	}
	if err := json.Unmarshal(body, &request); err != nil {
		t.Fatalf("decode the request: %v", err)
	}
	for _, m := range request.Messages {
		var blocks []toolResult
		if json.Unmarshal(m.Content, &blocks) != nil {
			continue // a plain text
		}
		for _, b := range blocks {
			if b.Type == "tool_result" {
				found = append(found, b)
			}
		}
	}
	return found
}
