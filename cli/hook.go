package cli

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"cmem/config"
	"cmem/hooks"
	"cmem/hooks/early"
	"cmem/hooks/spool"
	"cmem/logs"
	"cmem/project"
	"cmem/recall"
	"cmem/store"
)

func (a *App) hookCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hook",
		Short: "Take in one hook event, JSON on standard input",
		Long: `Takes in one event of a coding assistant: the hook's JSON on standard input.

It always exits 0 and writes to standard output only what is meant for the
assistant. What goes wrong is written to the log; "cmem doctor" shows it.
Set CMEM_DISABLED=1 to have hooks do nothing.`,
		// A flag or an argument of a newer version, or of a person's edit, must not
		// stop the host: its exit code would block prompts.
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case slices.Contains(args, "--help") || slices.Contains(args, "-h"):
				return cmd.Help()
			case a.InTerminal:
				a.say("cmem hook: a hook's JSON is expected on standard input, for example\n  cmem hook < event.json")
			default: // with arguments, or with nothing on standard input; otherwise it was dealt with before main
				a.Hook(early.Read(a.In), false)
			}
			return nil
		},
	}
}

// Hook finishes a hook call that hooks/early left over. bare says that cmem was
// called without arguments, perhaps by a person. Nothing is returned and nothing
// is fatal: the host must not notice.
func (a *App) Hook(in early.Input, bare bool) {
	// A host that is gone already must not end this before the log is written.
	signal.Ignore(syscall.SIGPIPE)
	if bare && in.Err == nil && !bytes.HasPrefix(bytes.TrimSpace(in.Payload), []byte("{")) {
		a.say("cmem: standard input is neither a terminal nor a hook's JSON; `cmem --help` tells what cmem can do")
	}
	cfg, err := config.Load(a.Getenv)
	if cfg == nil {
		return // no data directory, so there is no log either
	}
	log := newLog(cfg, "hook")
	logs.ReportCrashes(cfg.Logs(), log)
	if err != nil {
		log.Warn("settings are not all valid", "kind", logs.SettingsInvalid, "error", err)
	} else if err := cfg.WriteStamp(); err != nil {
		log.Warn("hooks stay on the long way: the stamp could not be written", "kind", logs.HookSlow, "error", err)
	}
	defer func() {
		if p := recover(); p != nil {
			log.Error("hook failed", "kind", logs.HookFailed, "error", logs.Recovered(p))
		}
	}()
	h := hooks.Handler{
		Config: cfg, Context: sessionContext{cfg: cfg, log: log}, Actions: actionMemory{cfg: cfg, log: log}, Log: log, Wake: spool.Wake,
	}
	h.Handle(context.Background(), in, a.Out)
}

// sessionContext gives a starting session its context block.
type sessionContext struct {
	cfg *config.Config
	log *slog.Logger
}

func (c sessionContext) SessionContext(ctx context.Context, r hooks.ContextRequest) (string, error) {
	s, err := store.OpenReadOnly(ctx, c.cfg.DB())
	var src recall.ContextSource = s
	switch {
	case errors.Is(err, store.ErrNoStore):
		src = recall.NoMemories{}
	case err != nil:
		return "", err
	default:
		defer func() {
			if err := s.Close(); err != nil {
				c.log.Warn("store not closed cleanly", "kind", logs.StoreNotClosed, "error", err)
			}
		}()
	}
	key := project.Find(r.CWD).Key
	block, err := recall.Context(ctx, src, contextRequest(c.cfg, key, r.SessionID, r.Source))
	return block.Text, err
}

// contextRequest asks for what a session of the project with this key is given.
func contextRequest(cfg *config.Config, key, sessionID, source string) recall.Request {
	return recall.Request{
		Project: key, ProjectName: project.Name(key), SessionID: sessionID, Source: source,
		Limits: recall.Limits{
			Observations: cfg.Int("context.observations"),
			Sessions:     cfg.Int("context.sessions"),
			MaxChars:     cfg.Int("context.max_chars"),
		},
	}
}
