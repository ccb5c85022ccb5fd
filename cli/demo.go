package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"cmem/config"
	"cmem/hooks"
	"cmem/hooks/spool"
	"cmem/memory"
	"cmem/recall"
	"cmem/store"
	"cmem/worker"
)

func (a *App) demoCommand() *cobra.Command {
	var printOnly bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See cmem work on recorded sessions, in a throw-away store",
		Long: `Replays sessions that were recorded from a real Claude Code client, with a
scripted model, into a throw-away store, worker and all, and opens the memory
browser on it. Nothing of yours is read or changed, no account is needed and
nothing leaves the machine.

Where there is no terminal, it prints what the next session would be given, and
the timeline.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context(), printOnly) },
	}
	cmd.Flags().BoolVar(&printOnly, "print", false, "print instead of opening the browser")
	return cmd
}

func (a *App) demo(ctx context.Context, printOnly bool) (err error) {
	// A reader that has seen enough (head, less) must not end this before it has
	// cleaned up.
	signal.Ignore(syscall.SIGPIPE)
	dir, err := os.MkdirTemp("", "cmem-demo-")
	if err != nil {
		return fmt.Errorf("make a folder for the demo: %w", err)
	}
	defer func() {
		if rerr := os.RemoveAll(dir); err == nil {
			err = rerr
		}
	}()
	// The demo has settings of its own: whatever the person set does not apply.
	cfg, err := config.Load(func(name string) string {
		if name == "CMEM_DATA_DIR" {
			return filepath.Join(dir, "data")
		}
		return ""
	})
	if err != nil {
		return err
	}
	project, err := replay(ctx, cfg, a.Version)
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, cfg.DB()) // its memories can be changed, as one's own
	if err != nil {
		return err
	}
	defer func() {
		if cerr := s.Close(); err == nil {
			err = cerr
		}
	}()
	if printOnly || !a.InTerminal || !a.OutTerminal {
		if err := a.printDemo(ctx, cfg, s, project); !errors.Is(err, syscall.EPIPE) {
			return err
		}
		return nil
	}
	if err := a.runBrowser(ctx, cfg, s, project, a.desk(cfg, s), false); err != nil {
		return err
	}
	a.say("That was a throw-away store. `cmem install` gives your own sessions a memory.")
	return nil
}

// replay delivers the recorded sessions to the spool at the times at which they
// happened, lets a worker turn them into memory, and gives the project's key.
func replay(ctx context.Context, cfg *config.Config, version string) (project string, err error) {
	recorded, err := hooks.RecordedSessions()
	if err != nil {
		return "", err
	}
	if err := cfg.EnsureDirs(); err != nil {
		return "", err
	}
	for i, r := range recorded {
		if err := spool.DeliverAs(cfg.Spool(), spool.NameAt(r.At, i), r.Payload); err != nil {
			return "", fmt.Errorf("deliver a recorded event: %w", err)
		}
	}
	log := newLog(cfg, "demo")
	o := workerOptions(cfg, log, version)
	o.Idle = 0 // leave as soon as all is done
	if err := worker.Run(ctx, o); err != nil {
		return "", err
	}
	first, err := hooks.Decode("", recorded[0].Payload)
	if err != nil {
		return "", err
	}
	return o.Locate(first.CWD).Project, nil
}

func (a *App) printDemo(ctx context.Context, cfg *config.Config, s *store.Store, project string) error {
	block, err := recall.Context(ctx, s, contextRequest(cfg, project, "", recall.SourceStartup))
	if err != nil {
		return err
	}
	if err := a.print("What the next session in this project is given:\n\n%s\n\nWhat happened:\n\n", harmless(block.Text)); err != nil {
		return err
	}
	items, err := s.Timeline(ctx, memory.Filter{}, memory.Cursor{}, pageSize)
	if err != nil {
		return err
	}
	slices.Reverse(items)
	return a.printTimeline(items, true)
}
