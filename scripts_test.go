package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"cmem/hooks"
	"cmem/hooks/spool"
)

func TestScripts(t *testing.T) {
	deadline := strings.Split(patience, "=")
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("USERPROFILE", home)
			env.Setenv("PATH", filepath.Dir(binary)+string(os.PathListSeparator)+env.Getenv("PATH"))
			env.Setenv("CMEM_WORKER_IDLE", "1s")
			env.Setenv(deadline[0], deadline[1])
			env.Setenv("TZ", "UTC")
			env.Defer(func() { stopWorkers(t, home) })
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			// recorded delivers the recorded sessions to the spool, as of when they were.
			"recorded": func(ts *testscript.TestScript, _ bool, _ []string) {
				all, err := hooks.RecordedSessions()
				ts.Check(err)
				for i, r := range all {
					ts.Check(spool.DeliverAs(filepath.Join(ts.Getenv("HOME"), ".cmem", "spool"), spool.NameAt(r.At, i), r.Payload))
				}
			},
			// settle waits until everything delivered is in the store and compressed.
			"settle": func(ts *testscript.TestScript, _ bool, _ []string) {
				cmd := exec.Command(binary, "worker", "run")
				cmd.Env = append(os.Environ(), "HOME="+ts.Getenv("HOME"), "CMEM_DATA_DIR="+ts.Getenv("CMEM_DATA_DIR"), "CMEM_WORKER_IDLE=1s")
				for range 60 {
					if out, err := cmd.CombinedOutput(); err != nil {
						ts.Fatalf("worker run: %v\n%s", err, out)
					} else if !bytes.Contains(out, []byte("another worker")) {
						return
					}
					time.Sleep(100 * time.Millisecond)
					cmd = &exec.Cmd{Path: cmd.Path, Args: cmd.Args, Env: cmd.Env}
				}
				ts.Fatalf("the worker did not come to an end")
			},
		},
	})
}
