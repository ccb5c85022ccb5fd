// Command record plays the scenes of the end-to-end tests with the real Claude
// Code client and writes down what its hooks received: the sessions under
// hooks/testdata/sessions, which tests read and cmem demo replays.
//
//	go run ./internal/e2e/record            # all scenes
//
// The scenes are played in order on one project, so a later one finds the
// commits of the ones before it. Paths, ids and times are then replaced by
// invented ones; everything else stays as the client sent it. It needs npm and
// git, and it must never talk to a real model.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"

	"cmem/internal/e2e/claude"
	"cmem/internal/e2e/scene"
)

// order is the order in which the scenes are played.
var order = []string{"retry-backoff", "quick-question", "coupon-bug", "refund-zh"}

func main() {
	log.SetFlags(0)
	log.SetPrefix("record: ")
	if err := run(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(args []string) error {
	// The client starts this program again for each hook and as an MCP server.
	if len(args) == 2 && args[0] == "hook" {
		return keepPayload(args[1], os.Stdin)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(args) == 1 && args[0] == "tickets" {
		return serveTickets(ctx)
	}

	flags := flag.NewFlagSet("record", flag.ContinueOnError)
	data := flags.String("data", "internal/e2e/testdata", "folder with webshop.txtar and scenes/")
	out := flags.String("out", "hooks/testdata/sessions", "folder for the recorded sessions")
	keep := flags.Bool("keep", false, "keep the working folder and print its path")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}

	bin, err := claude.Install(ctx)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "cmem-record-")
	if err != nil {
		return fmt.Errorf("make a working folder: %w", err)
	}
	if *keep {
		log.Printf("working folder %s", work)
	} else {
		defer func() { _ = os.RemoveAll(work) }()
	}
	st, err := scene.NewStage(bin, work, filepath.Join(*data, "webshop.txtar"))
	if err != nil {
		return err
	}
	defer st.Close()
	payloads := filepath.Join(work, "payloads")
	if err := os.MkdirAll(payloads, 0o755); err != nil {
		return fmt.Errorf("make a folder for the payloads: %w", err)
	}
	if err := installHooks(st, payloads); err != nil {
		return err
	}

	where := machine{home: st.Home, project: st.Project}
	for _, path := range []string{work, os.TempDir(), os.Getenv("HOME"), bin, st.GoCache()} {
		if path != "" && path != devHome {
			where.traces = append(where.traces, path, dashed(path))
		}
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return fmt.Errorf("make the output folder: %w", err)
	}
	for _, name := range order {
		sc, err := scene.Load(filepath.Join(*data, "scenes", name+".yaml"), "${CWD}", st.Project)
		if err != nil {
			return err
		}
		var runs [][][]byte // the payloads of each run
		for i := range sc.Runs {
			if _, err := st.Play(ctx, sc, i); err != nil {
				return fmt.Errorf("play %s: %w", name, err)
			}
			received, err := collect(payloads)
			if err != nil {
				return err
			}
			runs = append(runs, received)
		}
		lines, err := normalise(name, sc, runs, where)
		if err != nil {
			return fmt.Errorf("normalise %s: %w", name, err)
		}
		file := filepath.Join(*out, name+".jsonl")
		if err := os.WriteFile(file, lines, 0o644); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		log.Printf("%s: %d bytes", file, len(lines))
	}
	return nil
}
