package main_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"cmem/hooks"
	"cmem/hooks/spool"
	"cmem/memory"
	"cmem/store"
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
			// waiting puts the payload in a file into the spool and wakes nobody.
			"waiting": func(ts *testscript.TestScript, _ bool, args []string) {
				_, err := spool.Deliver(filepath.Join(ts.Getenv("HOME"), ".cmem", "spool"), []byte(ts.ReadFile(args[0])))
				ts.Check(err)
			},
			// nowhere holds that a word stands in no file of the data directory, in any
			// case, nor in what the store has packed.
			"nowhere": func(ts *testscript.TestScript, _ bool, args []string) {
				for _, place := range placesOf(ts, filepath.Join(ts.Getenv("HOME"), ".cmem"), args[0]) {
					ts.Fatalf("%q stands in %s", args[0], place)
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

// placesOf gives the files of a data directory, and the raw events, that have a word.
func placesOf(ts *testscript.TestScript, dir, word string) (places []string) {
	word = strings.ToLower(word)
	has := func(text []byte) bool { return strings.Contains(strings.ToLower(string(text)), word) }
	ts.Check(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if has(text) {
			places = append(places, path)
		}
		return err
	}))
	s, err := store.OpenReadOnly(context.Background(), filepath.Join(dir, "cmem.db"))
	if errors.Is(err, store.ErrNoStore) {
		return places // no worker has run yet
	}
	ts.Check(err)
	for e, err := range s.ScanRaw(context.Background(), memory.Filter{}) {
		ts.Check(err)
		if has(e.Payload) {
			places = append(places, "raw event "+e.ID)
		}
	}
	ts.Check(s.Close())
	return places
}
