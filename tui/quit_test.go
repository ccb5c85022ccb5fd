package tui

import (
	"context"
	"io"
	"runtime"
	"testing"
	"time"
)

// Nothing of the browser goes on after it was left: no watch, no painter, no command.
func TestNoGoroutineIsLeftAfterQuitting(t *testing.T) {
	quit := func(keys io.Writer, _ context.CancelFunc) { _, _ = io.WriteString(keys, "q") }
	runAndLeave(t, realOptions(t), quit) // the runtime keeps one for the signals of the process, from the first run on
	for name, how := range map[string]func(keys io.Writer, cancel context.CancelFunc){
		"q": quit,
		"while pages are read": func(keys io.Writer, _ context.CancelFunc) {
			_, _ = io.WriteString(keys, "52q")
		},
		"told to end": func(_ io.Writer, cancel context.CancelFunc) { cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			o := realOptions(t)
			var before, during int
			for range 5 { // on a loaded machine what another test left may take long to end
				before = goroutinesAtRest()
				if during = runAndLeave(t, o, how); during > before {
					break
				}
			}
			if during <= before {
				t.Fatalf("%d goroutines before and %d while it ran: this test would see nothing", before, during)
			}
			for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
				n := runtime.NumGoroutine()
				if n <= before {
					return
				}
				if time.Now().After(deadline) {
					buf := make([]byte, 64<<10)
					t.Fatalf("%d goroutines before and %d after:\n%s", before, n, buf[:runtime.Stack(buf, true)])
				}
			}
		})
	}
}

// goroutinesAtRest gives how many goroutines there are once those that are ending
// have ended: the store's need a moment after a write.
func goroutinesAtRest() int {
	for n := runtime.NumGoroutine(); ; {
		time.Sleep(100 * time.Millisecond)
		now := runtime.NumGoroutine()
		if now >= n {
			return now
		}
		n = now
	}
}

// runAndLeave runs the browser without a terminal until how has ended it, and gives
// how many goroutines there were while it ran.
func runAndLeave(t *testing.T, o Options, how func(keys io.Writer, cancel context.CancelFunc)) (during int) {
	t.Helper()
	in, keys := io.Pipe()
	o.Input, o.Output = in, io.Discard
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- Run(ctx, o) }()
	time.Sleep(300 * time.Millisecond) // it has begun, and watches
	during = runtime.NumGoroutine()
	how(keys, cancel)
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it does not end")
	}
	_ = keys.Close()
	return during
}
