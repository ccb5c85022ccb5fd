package main_test

import (
	"bytes"
	"cmp"
	"database/sql"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // to look into the store as a person would
)

// stopWorkers ends the workers that a test left behind, so that its folder can
// go. On a slow machine one may only now come to start: where /proc shows it, it
// is waited for.
func stopWorkers(t testing.TB, home string) {
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		cmd := exec.Command(binary, "worker", "stop")
		cmd.Env = append(os.Environ(), "HOME="+home)
		_ = cmd.Run() // there may be none
		if runtime.GOOS != "linux" || len(processesOf(t, home)) == 0 {
			return
		}
	}
}

// patience is a deadline for hooks that a loaded machine keeps: what these tests
// hold is the answer, not its speed.
const patience = "CMEM_HOOK_DEADLINE=8s"

// machine is a person's machine: a home directory, a data directory, and cmem.
type machine struct {
	t     *testing.T
	dir   string // the home directory
	store string // the data directory, by the environment; "" for the usual one in dir
	moved string // the data directory, when the settings name it
	exe   string // "" for binary
	vars  []string
}

func newMachine(t *testing.T, vars ...string) *machine {
	t.Helper()
	h := &machine{t: t, dir: t.TempDir(), vars: vars}
	t.Cleanup(func() { stopWorkers(t, h.dir) })
	return h
}

func (h *machine) data() string { return cmp.Or(h.store, h.moved, filepath.Join(h.dir, ".cmem")) }

// command gives a cmem process on this machine. Its worker leaves soon.
func (h *machine) command(args ...string) *exec.Cmd {
	cmd := exec.Command(cmp.Or(h.exe, binary), args...)
	cmd.Dir = h.dir
	cmd.Env = append([]string{"HOME=" + h.dir, "USERPROFILE=" + h.dir, "PATH=" + os.Getenv("PATH"), "CMEM_WORKER_IDLE=1s", patience}, h.vars...)
	if h.store != "" {
		cmd.Env = append(cmd.Env, "CMEM_DATA_DIR="+h.store)
	}
	if runtime.GOOS == "windows" {
		cmd.Env = append(cmd.Env, "SystemRoot="+os.Getenv("SystemRoot"))
	}
	return cmd
}

// hook runs one hook call and gives what it printed. It fails the test when the
// exit code is not 0.
func (h *machine) hook(payload []byte, args ...string) (stdout, stderr string) {
	h.t.Helper()
	cmd := h.command(args...)
	cmd.Stdin = bytes.NewReader(payload)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		h.t.Errorf("hook %v: %v\n%s", args, err, errOut.String())
	}
	return out.String(), errOut.String()
}

// run runs a command and gives its standard output.
func (h *machine) run(args ...string) string {
	h.t.Helper()
	cmd := h.command(args...)
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if err != nil {
		h.t.Fatalf("cmem %s: %v\n%s%s", strings.Join(args, " "), err, out, errOut.String())
	}
	return string(out)
}

// settle waits until nothing is left to do.
func (h *machine) settle() {
	h.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var st struct {
			Waiting int `json:"waiting"`
			Worker  struct{ Running bool }
			Totals  struct {
				WaitingBatches int `json:"waiting_batches"`
				WaitingEvents  int `json:"waiting_events"`
			}
		}
		if err := json.Unmarshal([]byte(h.run("status", "--json")), &st); err != nil {
			h.t.Fatal(err)
		}
		if !st.Worker.Running {
			if st.Waiting+st.Totals.WaitingBatches+st.Totals.WaitingEvents == 0 {
				return
			}
			h.run("worker", "run")
		}
	}
	h.t.Fatal("the worker did not finish")
}

func (h *machine) query(query string) int {
	h.t.Helper()
	db := h.open("ro")
	defer db.Close() //nolint:errcheck // opened for reading
	var n int
	if err := db.QueryRow(query).Scan(&n); err != nil {
		h.t.Fatal(err)
	}
	return n
}

func (h *machine) log() string {
	b, err := os.ReadFile(filepath.Join(h.data(), "logs", "cmem.log"))
	if err != nil && !os.IsNotExist(err) {
		h.t.Fatal(err)
	}
	return string(b)
}

// open opens the store's file as any other program would.
func (h *machine) open(mode string) *sql.DB {
	h.t.Helper()
	path := strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(filepath.ToSlash(filepath.Join(h.data(), "cmem.db")))
	db, err := sql.Open("sqlite", "file:"+path+"?mode="+mode+"&_pragma=busy_timeout(5000)")
	if err != nil {
		h.t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	return db
}

func payload(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("hooks", "testdata", "payloads", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
