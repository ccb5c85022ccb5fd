package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"cmem/config"
	"cmem/hooks"
	"cmem/llm"
	"cmem/llm/claude"
	"cmem/llm/gemini"
	"cmem/llm/local"
	"cmem/llm/openai"
	"cmem/logs"
	"cmem/memory"
	"cmem/project"
	"cmem/worker"
)

const (
	stopPatience = 30 * time.Second
	// workerGCPercent makes the worker's heap half as large again as what is in use,
	// not twice. It has time, and a machine that is not its own.
	workerGCPercent = 50
)

func (a *App) workerCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Look at, stop or run the background worker",
		Long: `The worker turns what the hooks took in into memory. The hooks start it when
there is something to do and it goes away when idle; nobody has to start it.`,
	}
	var asJSON bool
	status := &cobra.Command{
		Use: "status", Short: "Say whether the worker is running", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, err := a.loadConfig()
			if err != nil {
				return err
			}
			s, err := worker.ReadStatus(cfg.DataDir())
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(s)
			}
			return a.print("%s\n", describeWorker(s))
		},
	}
	status.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	stop := &cobra.Command{
		Use: "stop", Short: "Ask the worker to finish the piece in hand and leave", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, err := a.loadConfig()
			if err != nil {
				return err
			}
			there, err := worker.Stop(cfg.DataDir(), stopPatience)
			if err != nil {
				return err
			}
			if there {
				a.say("The worker has stopped. The next hook starts it again.")
			} else {
				a.say("No worker is running.")
			}
			return nil
		},
	}
	run := &cobra.Command{
		Use: "run", Short: "Run the worker here until it is idle; hooks do this by themselves", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.loadConfig()
			if err != nil {
				return err
			}
			if err := cfg.EnsureDirs(); err != nil {
				return err
			}
			log := newLog(cfg, "worker")
			if err := logs.CatchCrashes(cfg.Logs()); err != nil {
				log.Warn("a crash of the worker would not be seen", "kind", logs.WorkerHindered, "error", err)
			}
			logs.ReportCrashes(cfg.Logs(), log)
			// A detached worker must not keep the folder busy in which a hook began.
			if err := os.Chdir(cfg.DataDir()); err != nil {
				return fmt.Errorf("go to the data directory: %w", err)
			}
			debug.SetGCPercent(workerGCPercent)
			err = worker.Run(cmd.Context(), workerOptions(cfg, log, a.Version))
			if errors.Is(err, worker.ErrRunning) {
				a.say("%v.", err)
				return nil
			}
			if err != nil {
				log.Error("worker ended", "kind", logs.WorkerEnded, "error", err)
			}
			return err
		},
	}
	return group(cmd, status, stop, run)
}

func describeWorker(s worker.Status) string {
	if !s.Running {
		return "not running (hooks start it when there is something to do)"
	}
	text := "running"
	if s.PID != 0 {
		text += fmt.Sprintf(", process %d, since %s, compressor %s, version %s",
			s.PID, s.StartedAt.Local().Format("2006-01-02 15:04:05"), s.Compressor, s.Version)
	}
	return text
}

// describeProgress says how far the worker is with the events that wait.
func describeProgress(p worker.Progress) string {
	text := fmt.Sprintf("%s of %s", grouped(p.Done), count(p.Done+p.Left, "event"))
	if left := p.Remaining(); left > 0 {
		text += ", about " + roughly(left) + " left"
	}
	return text
}

// roughly gives a duration as one says it: whole seconds, above two minutes whole minutes.
func roughly(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%d s", max(int(d.Round(time.Second).Seconds()), 1))
	}
	return fmt.Sprintf("%d min", int(d.Round(time.Minute).Minutes()))
}

// workerOptions gives what a worker needs, wired from the settings.
func workerOptions(cfg *config.Config, log *slog.Logger, version string) worker.Options {
	fallback := local.New()
	compressor, err := newCompressor(cfg, fallback)
	if err != nil {
		// What the hooks took in must not wait for the person to mend the settings.
		log.Error("provider cannot be used, the local compressor stands in", "kind", logs.ProviderUnusable, "error", err)
		compressor = unusable{cfg.String("provider"), err}
	}
	return worker.Options{
		DataDir: cfg.DataDir(), SpoolDir: cfg.Spool(), DB: cfg.DB(),
		Decode: hooks.Decode,
		Locate: func(cwd string) worker.Place {
			p := project.Find(cwd)
			return worker.Place{Project: p.Key, Branch: p.Branch, Commit: p.Commit}
		},
		Compressor: compressor, Local: fallback,
		Embedder: builtInEmbedder(cfg), Asked: newAsked(cfg), AskedWith: askedWith(cfg),
		Idle: cfg.Duration("worker.idle"), KeepRaw: time.Duration(cfg.Int("retention.raw_days")) * 24 * time.Hour,
		Version: version, Log: log,
	}
}

// unusable is a provider whose settings are wrong: every call fails and says why.
type unusable struct {
	provider string
	err      error
}

func (u unusable) ID() string { return u.provider }

func (u unusable) Compress(context.Context, llm.Batch) (llm.Result, error) {
	return llm.Result{}, &llm.Error{Provider: u.provider, Kind: llm.KindAuth, Err: u.err}
}

func (u unusable) Summarize(context.Context, llm.Story) (memory.Summary, llm.Result, error) {
	return memory.Summary{}, llm.Result{}, &llm.Error{Provider: u.provider, Kind: llm.KindAuth, Err: u.err}
}

// newCompressor gives the compressor that the person chose.
func newCompressor(cfg *config.Config, fallback llm.Compressor) (llm.Compressor, error) {
	switch provider := cfg.String("provider"); provider {
	case "local":
		return fallback, nil
	case "claude":
		return claude.New(claude.Options{APIKey: cfg.String("claude.api_key"), Model: cfg.String("claude.model"), BaseURL: cfg.String("claude.base_url")})
	case "gemini":
		return gemini.New(gemini.Options{APIKey: cfg.String("gemini.api_key"), Model: cfg.String("gemini.model")})
	case "openai":
		header, err := openai.ParseHeaders(cfg.String("openai.headers"))
		if err != nil {
			return nil, err
		}
		return openai.New(openai.Options{APIKey: cfg.String("openai.api_key"), Model: cfg.String("openai.model"), BaseURL: cfg.String("openai.base_url"), Header: header})
	default:
		return nil, fmt.Errorf("settings: provider %q is not known", provider)
	}
}
