package main_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"cmem/hooks"
	"cmem/hooks/spool"
)

// vectorServer speaks the embeddings API. To it "gizmo" means what "backoff" means; all
// other words mean something of their own, and all of its vectors have much in common.
type vectorServer struct {
	*httptest.Server
	mu    sync.Mutex
	texts []string // that it was sent
	keys  []string
	fails int // with this status
}

func newVectorServer(t *testing.T) *vectorServer {
	t.Helper()
	s := &vectorServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Model string   `json:"model"`
			Input []string `json:"input"`
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.keys = append(s.keys, r.Header.Get("Authorization"))
		if s.fails > 0 || json.NewDecoder(r.Body).Decode(&in) != nil || r.URL.Path != "/v1/embeddings" {
			w.WriteHeader(cmp.Or(s.fails, http.StatusNotFound))
			_, _ = io.WriteString(w, `{"error":{"message":"a key sk-local of yours is not known"}}`)
			return
		}
		s.texts = append(s.texts, in.Input...)
		type vector struct {
			Index     int       `json:"index"`
			Embedding []float64 `json:"embedding"`
		}
		var out struct {
			Data []vector `json:"data"`
		}
		for i, text := range in.Input {
			out.Data = append(out.Data, vector{i, meaningOf(text)})
		}
		_ = json.NewEncoder(w).Encode(out)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *vectorServer) fail(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = status
}

// asked gives what was sent, since it was asked for the last time.
func (s *vectorServer) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	texts := s.texts
	s.texts = nil
	return texts
}

// meaningOf makes up a vector of 100 numbers.
func meaningOf(text string) []float64 {
	const dims = 100
	v := make([]float64, dims)
	v[0] = 10
	add := func(seed, weight uint64) {
		r := rand.New(rand.NewPCG(seed, 9))
		for i := 1; i < dims; i++ {
			v[i] += float64(weight) * r.NormFloat64()
		}
	}
	text = strings.ToLower(text)
	if strings.Contains(text, "backoff") || strings.Contains(text, "gizmo") {
		add(1, 3)
	}
	seed := uint64(0)
	for _, r := range text {
		seed = seed*31 + uint64(r)
	}
	add(seed, 1)
	return v
}

// said runs a command and gives what it wrote to standard output and error.
func (h *machine) said(args ...string) (stdout, stderr string, failed bool) {
	h.t.Helper()
	cmd := h.command(args...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	failed = cmd.Run() != nil
	return out.String(), errOut.String(), failed
}

func TestMemoriesAreFoundByAnEmbedderThatIsAskedAndWithoutItWhenItFails(t *testing.T) {
	server := newVectorServer(t)
	h := newMachine(t, "CMEM_EMBEDDER=openai", "CMEM_OPENAI_EMBEDDING_MODEL=nomic-embed-text",
		"CMEM_OPENAI_EMBEDDING_BASE_URL="+server.URL+"/v1", "CMEM_OPENAI_EMBEDDING_API_KEY=sk-local", "CMEM_OPENAI_API_KEY=sk-not-for-this-server")
	h.run("status") // makes the data directory
	all, err := hooks.RecordedSessions()
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range all {
		if err := spool.DeliverAs(h.data()+"/spool", spool.NameAt(r.At, i), r.Payload); err != nil {
			t.Fatal(err)
		}
	}
	h.settle()
	stored := h.query("SELECT count(*) FROM observations")
	if got := len(server.asked()); stored < 5 || got < stored {
		t.Fatalf("%d texts were sent for %d observations", got, stored)
	}
	for _, key := range server.keys {
		if key != "Bearer sk-local" {
			t.Fatalf("the server was sent %q", key)
		}
	}
	if out := h.run("status"); !strings.Contains(out, "By meaning    all observations can be found (openai/nomic-embed-text@100/t1)\n") {
		t.Errorf("status:\n%s", out)
	}

	out, notes, failed := h.said("search", "gizmo", "--explain")
	if failed || notes != "" || !strings.Contains(strings.ToLower(out), "backoff") || !strings.Contains(out, "meaning") {
		t.Errorf("with the server: %v, notes %q, found\n%s", failed, notes, out)
	}
	if got := server.asked(); len(got) != 1 || got[0] != "gizmo" {
		t.Errorf("a search sent %q", got)
	}
	for _, quiet := range [][]string{{"context"}, {"status"}, {"hook"}} {
		h.hook([]byte(`{"session_id":"s-9","cwd":"`+h.dir+`","hook_event_name":"SessionStart","source":"startup"}`), quiet...)
	}
	h.settle()
	if got := server.asked(); len(got) != 0 {
		t.Errorf("a session that begins sent %q", got)
	}

	server.fail(http.StatusUnauthorized)
	out, notes, failed = h.said("search", "backoff")
	if failed || !strings.Contains(notes, "Not searched by meaning with openai/nomic-embed-text: it does not accept the key, the model or the address. Searched with the built-in table of words instead.") ||
		!strings.Contains(strings.ToLower(out), "backoff") {
		t.Errorf("with a key that is refused: %v, notes %q, found\n%s", failed, notes, out)
	}
	for _, payload := range []string{
		`{"session_id":"s-8","cwd":"/home/dev/projects/webshop","hook_event_name":"UserPromptSubmit","prompt":"use tabs"}`,
		`{"session_id":"s-8","cwd":"/home/dev/projects/webshop","hook_event_name":"PostToolUse","tool_name":"Edit","tool_use_id":"toolu_8","tool_input":{"file_path":"/home/dev/projects/webshop/tabs.go","old_string":"a := 1","new_string":"a := 2"},"tool_response":{}}`,
		`{"session_id":"s-8","cwd":"/home/dev/projects/webshop","hook_event_name":"Stop","last_assistant_message":"tabs.go uses tabs now."}`,
	} {
		h.hook([]byte(payload), "hook")
	}
	h.settle()
	out = h.run("status")
	for _, want := range []string{"By meaning", "of ", "(openai/nomic-embed-text@100/t1)", "not asked until ", "it answered 401: it does not accept the key, the model or the address", "meanwhile by what is built in: all observations can be found (static/"} {
		if !strings.Contains(out, want) {
			t.Errorf("status does not say %q:\n%s", want, out)
		}
	}
	out, _, _ = h.said("doctor")
	if !strings.Contains(out, "WRONG  meaning") || !strings.Contains(out, "cmem config set embedder static") {
		t.Errorf("doctor:\n%s", out)
	}
	for _, place := range []string{out, h.log()} {
		if strings.Contains(place, "sk-local") {
			t.Errorf("the key stands in\n%s", place)
		}
	}

	server.Close()
	_, notes, failed = h.said("search", "backoff")
	if failed || !strings.Contains(notes, "it cannot be reached. Searched with the built-in table of words instead.") {
		t.Errorf("without the server: %v, notes %q", failed, notes)
	}
}

func TestWithoutAnEmbedderNothingIsEncodedAndSearchesGoByWords(t *testing.T) {
	h := newMachine(t, "CMEM_EMBEDDER=none")
	h.run("status")
	all, err := hooks.RecordedSessions()
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range all {
		if err := spool.DeliverAs(h.data()+"/spool", spool.NameAt(r.At, i), r.Payload); err != nil {
			t.Fatal(err)
		}
	}
	h.settle()
	out, notes, failed := h.said("search", "backoff", "--explain")
	if failed || notes != "" || !strings.Contains(strings.ToLower(out), "backoff") || strings.Contains(out, "meaning") || h.query("SELECT count(*) FROM embeddings") != 0 {
		t.Errorf("%v, notes %q, found\n%s", failed, notes, out)
	}
	if out := h.run("status"); !strings.Contains(out, "By meaning    switched off (embedder none): searches go by words\n") {
		t.Errorf("status:\n%s", out)
	}
}
