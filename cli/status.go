package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cmem/config"
	"cmem/hooks/spool"
	"cmem/store"
	"cmem/worker"
)

// status is what `cmem status` tells.
type status struct {
	Version  string        `json:"version"`
	DataDir  string        `json:"data_dir"`
	Provider string        `json:"provider"`
	Waiting  int           `json:"waiting"`   // events in the spool
	PutAside int           `json:"put_aside"` // events that could not be read
	Worker   worker.Status `json:"worker"`
	Hooks    string        `json:"hooks"`
	Totals   store.Totals  `json:"totals"`
	Sizes    store.Sizes   `json:"sizes"`
	Shrink   []string      `json:"shrink,omitempty"` // what would take less room
	Semantic semantic      `json:"semantic"`
}

func (a *App) statusCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say what is remembered, what waits and what runs",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return a.withStore(ctx, func(cfg *config.Config, s *store.Store) error {
				st, err := a.readStatus(ctx, cfg, s)
				if err != nil {
					return err
				}
				if asJSON {
					return a.printJSON(st)
				}
				return a.printStatus(st)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *App) readStatus(ctx context.Context, cfg *config.Config, s *store.Store) (status, error) {
	st := status{Version: a.Version, DataDir: cfg.DataDir(), Provider: cfg.String("provider")}
	var err error
	if st.Waiting, st.PutAside, err = spoolCounts(cfg); err != nil {
		return st, err
	}
	if st.Worker, err = worker.ReadStatus(cfg.DataDir()); err != nil {
		return st, err
	}
	st.Hooks = a.hooksState()
	if st.Totals, err = s.Totals(ctx, ""); err != nil {
		return st, err
	}
	st.Sizes, err = s.Sizes(ctx)
	st.Shrink = shrinkers(st.Sizes, cfg.Int("retention.raw_days"))
	if err != nil {
		return st, err
	}
	st.Semantic, err = readSemantic(ctx, cfg, s)
	return st, err
}

// hooksState says in a word whether Claude Code calls this cmem.
func (a *App) hooksState() string {
	claude, err := a.claudeCode()
	if err != nil {
		return err.Error()
	}
	state, err := claude.Status()
	if err != nil {
		return err.Error()
	}
	return string(state.State)
}

func spoolCounts(cfg *config.Config) (waiting, aside int, err error) {
	waiting, _, err = spool.Waiting(cfg.Spool())
	if err != nil {
		return 0, 0, err
	}
	bad, err := spool.ListBad(cfg.Spool())
	return waiting, len(bad), err
}

func (a *App) printStatus(st status) error {
	var b strings.Builder
	line := func(name, text string) { b.WriteString(pad(name, 14) + text + "\n") }
	t := st.Totals
	line("cmem", st.Version)
	line("Data", a.shortPath(st.DataDir))
	line("Size", describeSizes(st.Sizes))
	for _, what := range st.Shrink {
		line("", what)
	}
	line("Hooks", st.Hooks)
	line("Compressor", st.Provider)
	line("Worker", describeWorker(st.Worker))
	line("Waiting", count(st.Waiting, "event")+" in the spool, "+count(t.WaitingBatches, "batch")+" to compress")
	if p := st.Worker.Draining; p != nil {
		line("Draining", describeProgress(*p))
	}
	if st.PutAside > 0 {
		line("Put aside", count(st.PutAside, "event")+" could not be read; `cmem doctor` tells more")
	}
	line("Remembered", strings.Join([]string{count(t.Observations, "observation"), count(t.Summaries, "summary"), count(t.Prompts, "prompt"), count(t.Sessions, "session"), count(t.Events, "event")}, ", "))
	for i, text := range describeSemantic(st.Semantic) {
		line([]string{"By meaning", ""}[min(i, 1)], harmless(text))
	}
	if !t.Newest.IsZero() {
		line("From", t.Oldest.Local().Format(time.DateOnly)+" to "+localTime(t.Newest))
	}
	return a.print("%s", b.String())
}
