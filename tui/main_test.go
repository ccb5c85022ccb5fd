package tui

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"cmem/memory"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// asProgram is the environment variable that turns the test binary into a
// program that shows the browser on its terminal, for the tests that need a
// real one.
const asProgram = "CMEM_TUI_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if kind := os.Getenv(asProgram); kind != "" {
		os.Exit(program(kind))
	}
	os.Exit(m.Run())
}

// program runs the browser over a fake store of the kind.
func program(kind string) int {
	o := Options{
		Source: demoSource(), Theme: "system", Now: testNow,
		Desk: Desk{Status: func(context.Context) (Status, error) { return Status{Running: true}, nil }, SaveTheme: func(string) error { return nil }},
	}
	ctx := context.Background()
	kind, argument, _ := strings.Cut(kind, " ")
	switch kind {
	case "empty":
		o.Source = &fakeSource{}
	case "huge":
		o.Source = &hugeSource{n: 1_000_000}
	case "small":
		o.Source = &hugeSource{n: 1_000}
	case "project":
		o.Project = argument
	case "live":
		source := demoSource()
		o.Source = source
		go func() {
			for n := 1; ; n++ {
				time.Sleep(300 * time.Millisecond)
				source.add(memory.Observation{
					SessionID: "5f3a9c1e-0001", Project: webshop, Type: memory.TypeChange, Status: memory.StatusActive,
					Title: fmt.Sprintf("Arrived meanwhile, number %d", n), CreatedAt: testNow().Add(time.Duration(n) * time.Second),
				})
			}
		}()
	case "told":
		told, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
		defer stop()
		ctx = told
	case "guest":
		o.Desk.ResumeCommand = func(memory.Session) (Command, error) {
			return Command{Path: "/bin/sh", Args: []string{"-c", `test -t 0 && test -t 1 && echo "The guest is here. 客人"; read -r answer; exit "$answer"`}}, nil
		}
	case "panic":
		o.Source = panicSource{demoSource()}
	}
	if err := Run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	return 0
}

// panicSource panics when details are asked for.
type panicSource struct{ *fakeSource }

func (panicSource) Observation(context.Context, int64) (memory.Observation, error) {
	panic("the store is broken")
}

func (panicSource) Summary(context.Context, int64) (memory.Summary, error) {
	panic("the store is broken")
}
