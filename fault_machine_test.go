package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"cmem/hooks/spool"
)

// Environment variables of the fault tests.
const (
	faultSeed   = "CMEM_FAULT_SEED"   // repeats a series
	faultRounds = "CMEM_FAULT_ROUNDS" // how often a process is killed; a few times unless set
	faultLock   = "CMEM_FAULT_LOCK"   // seconds for which another program locks the database
	faultFull   = "CMEM_FAULT_FULL"   // 1: 100,000 waiting events instead of 10,000
)

// soon is how long something that must happen is waited for. It is no
// promise of speed: the machine may be loaded.
const soon = time.Minute

// chance gives what decides in a series, and how many rounds it has.
func chance(t *testing.T, few int) (*rand.Rand, int) {
	t.Helper()
	seed, rounds := uint64(time.Now().UnixNano()), few
	for name, set := range map[string]func(n uint64){faultSeed: func(n uint64) { seed = n }, faultRounds: func(n uint64) { rounds = int(n) }} {
		if text := os.Getenv(name); text != "" {
			n, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			set(n)
		}
	}
	t.Logf("%s=%d %s=%d", faultSeed, seed, faultRounds, rounds)
	return rand.New(rand.NewPCG(seed, 1)), rounds
}

// call gives the payload of a command's call with an id of its own.
func call(session, id, output string) []byte {
	return tool(session, id, "Bash", map[string]any{"command": "make " + id}, map[string]any{"stdout": output})
}

// edit gives the payload of an edit, of which memories are made.
func edit(session, id string) []byte {
	return tool(session, id, "Edit", map[string]any{
		"file_path":  "/home/dev/projects/webshop/checkout/" + id + ".go",
		"old_string": "func total() int { return 0 }", "new_string": "// total adds up the cart 购物车.\nfunc total(cart []int) int { return sum(cart) }",
	}, map[string]any{"filePath": "/home/dev/projects/webshop/checkout/" + id + ".go"})
}

func tool(session, id, name string, input, response any) []byte {
	b, err := json.Marshal(map[string]any{
		"session_id": session, "cwd": "/home/dev/projects/webshop", "prompt_id": session + "-prompt", "hook_event_name": "PostToolUse",
		"tool_name": name, "tool_input": input, "tool_response": response, "tool_use_id": id,
	})
	if err != nil {
		panic(err)
	}
	return append(b, '\n')
}

// turn gives a payload of another event, one in a session.
func turn(session, event string) []byte {
	return fmt.Appendf(nil, `{"session_id":%q,"cwd":"/home/dev/projects/webshop","prompt_id":%q,"hook_event_name":%q,"source":"startup","prompt":"Please fix the checkout 结账 of %s","last_assistant_message":"The checkout works again."}`+"\n",
		session, session+"-prompt", event, session)
}

// waiting gives the names of the events in the spool.
func (h *machine) waiting() []string {
	h.t.Helper()
	names, err := spool.List(filepath.Join(h.data(), "spool"))
	if err != nil {
		h.t.Fatal(err)
	}
	return names
}

// holdWorker keeps workers away as a worker would that holds the lock, until the
// function that it gives is called.
func (h *machine) holdWorker() (release func()) {
	h.t.Helper()
	if err := os.MkdirAll(h.data(), 0o700); err != nil {
		h.t.Fatal(err)
	}
	lock := flock.New(filepath.Join(h.data(), spool.LockFile), flock.SetPermissions(0o600))
	if got, err := lock.TryLock(); err != nil || !got {
		h.t.Fatalf("lock the worker out: %v, %v", got, err)
	}
	return func() {
		if err := lock.Unlock(); err != nil {
			h.t.Error(err)
		}
	}
}

// workers gives the processes that run `cmem worker` on this machine.
func (h *machine) workers() []*os.Process {
	h.t.Helper()
	if runtime.GOOS != "linux" {
		h.t.Skip("finds processes in /proc")
	}
	var found []*os.Process
	for _, environ := range processesOf(h.t, h.dir) {
		dir := filepath.Dir(environ)
		args, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || !bytes.Contains(args, []byte("\x00worker\x00")) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			h.t.Fatal(err)
		}
		p, err := os.FindProcess(pid)
		if err != nil {
			h.t.Fatal(err)
		}
		found = append(found, p)
	}
	return found
}

// until waits for something to become true.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(soon); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// toolCalls gives how often each tool call is in the store.
func (h *machine) toolCalls() map[string]int {
	h.t.Helper()
	db := h.open("ro")
	defer db.Close() //nolint:errcheck // opened for reading
	rows, err := db.Query("SELECT tool_use_id, count(*) FROM events WHERE tool_use_id <> '' GROUP BY 1")
	if err != nil {
		h.t.Fatal(err)
	}
	defer rows.Close() //nolint:errcheck // opened for reading
	found := map[string]int{}
	for rows.Next() {
		var id string
		var n int
		if err := rows.Scan(&id, &n); err != nil {
			h.t.Fatal(err)
		}
		found[id] = n
	}
	if err := rows.Err(); err != nil {
		h.t.Fatal(err)
	}
	return found
}

// holds waits until all work is done and checks the promise of every fault test: the
// tool calls that were accepted are in the store, each once, and no others, the
// store is sound, and no process is left.
func (h *machine) holds(accepted map[string]bool) {
	h.t.Helper()
	h.settle()
	found := h.toolCalls()
	for id := range accepted {
		if found[id] != 1 {
			h.t.Errorf("tool call %s was accepted and is in the store %d times", id, found[id])
		}
	}
	for id := range found {
		if !accepted[id] {
			h.t.Errorf("tool call %s is in the store and was not accepted", id)
		}
	}
	if n := h.query("SELECT count(*) FROM events WHERE batch_id IS NULL"); n != 0 {
		h.t.Errorf("%d events are in no batch", n)
	}
	h.sound()
	if runtime.GOOS == "linux" {
		until(h.t, "every process has ended", func() bool { return len(processesOf(h.t, h.dir)) == 0 })
	}
}

// sound checks that doctor finds nothing wrong with the store.
func (h *machine) sound() {
	h.t.Helper()
	for _, d := range h.doctor() {
		if d.Name == "store" && !d.OK {
			h.t.Errorf("the store is not sound: %s", d.Found)
		}
	}
}

type diagnosis struct {
	Name, Found, Advice string
	OK                  bool
}

// doctor gives what doctor says. It exits 1, for no hooks are installed here.
func (h *machine) doctor(args ...string) []diagnosis {
	h.t.Helper()
	out, _ := h.command(append([]string{"doctor", "--json"}, args...)...).Output()
	var all []diagnosis
	if err := json.Unmarshal(out, &all); err != nil {
		h.t.Fatalf("doctor %v: %v\n%s", args, err, out)
	}
	return all
}

// runs runs a command that may fail, and gives all that it said and its exit code.
func (h *machine) runs(args ...string) (said string, code int) {
	h.t.Helper()
	cmd := h.command(args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	hangs := time.AfterFunc(soon, func() {
		h.t.Errorf("cmem %s does not end", strings.Join(args, " "))
		_ = cmd.Process.Kill() // it may just have ended
	})
	err := cmd.Wait()
	hangs.Stop()
	if code = cmd.ProcessState.ExitCode(); err != nil && code < 0 || strings.Contains(out.String(), "goroutine ") {
		h.t.Errorf("cmem %s: %v\n%s", strings.Join(args, " "), err, out.String())
	}
	return out.String(), code
}

// fails runs a command that cannot do its work and gives what it said.
func (h *machine) fails(args ...string) string {
	h.t.Helper()
	said, code := h.runs(args...)
	if code != 1 {
		h.t.Errorf("cmem %s: exit code %d, want 1:\n%s", strings.Join(args, " "), code, said)
	}
	return said
}

// answersWhole checks that a hook printed one complete answer or nothing.
func answersWhole(t *testing.T, out string) {
	t.Helper()
	if out == "" {
		return
	}
	var answer map[string]any
	if err := json.Unmarshal([]byte(out), &answer); err != nil || answer["permissionDecision"] != nil {
		t.Errorf("the hook printed %q: %v", out, err)
	}
}
