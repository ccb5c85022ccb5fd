// Package cli is the door for people and scripts: one file a command, which
// parses flags, calls the room that does the work, and prints.
//
// Results go to standard output, talk to standard error. Nothing here decides
// what a memory is, writes SQL or draws.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"cmem/config"
	"cmem/store"
)

// Exit codes.
const (
	exitOK    = 0
	exitError = 1 // the command could not do what was asked
	exitUsage = 2 // the command line was wrong
)

// App is a process's surroundings, as commands see them.
type App struct {
	In          io.Reader
	Out         io.Writer
	Err         io.Writer
	Getenv      func(string) string
	Getwd       func() (string, error)
	Now         func() time.Time
	Version     string
	InTerminal  bool // standard input is a terminal
	OutTerminal bool
	ErrTerminal bool
}

// NewApp gives the surroundings of this process. version is "dev" in a build
// that was not released; then the module's version is looked up.
func NewApp(version string) *App {
	if version == "dev" {
		if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
			version = info.Main.Version
		}
	}
	return &App{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Getenv: os.Getenv, Getwd: os.Getwd, Now: time.Now,
		Version:     version,
		InTerminal:  term.IsTerminal(os.Stdin.Fd()),
		OutTerminal: term.IsTerminal(os.Stdout.Fd()),
		ErrTerminal: term.IsTerminal(os.Stderr.Fd()),
	}
}

// usageError is a command line that cannot be understood.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// errSilent ends a command with exit code 1 after it has said everything itself.
var errSilent = errors.New("failed")

// Main runs the command line args and gives the exit code.
func (a *App) Main(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	root := a.Command()
	root.SetArgs(args)
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if !errors.Is(err, errSilent) {
		fmt.Fprintln(a.Err, "cmem:", err) //nolint:errcheck // nowhere left to report to
	}
	var usage usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitError
}

// Command gives the root command with all others below it.
func (a *App) Command() *cobra.Command {
	accessible := false
	root := &cobra.Command{
		Use:   "cmem",
		Short: "Memory for AI coding assistants",
		Long: `cmem remembers what happened in your Claude Code sessions and hands the next
session what matters. Everything stays on this machine, unless you choose a provider.

Without a command, in a terminal, cmem opens the memory browser. With a hook's
JSON on standard input it takes the event in, as "cmem hook" does.

  cmem demo       see it work on a recorded session, with nothing installed
  cmem install    add cmem to Claude Code`,
		Version:       a.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return a.browse(cmd.Context(), accessible) },
	}
	root.Flags().BoolVar(&accessible, "accessible", false, "open the browser for a screen reader: plain lines, no panes")
	root.SuggestionsMinimumDistance = 2
	root.SetVersionTemplate("cmem {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w; see `%s --help`", err, cmd.CommandPath())}
	})
	root.AddGroup(
		&cobra.Group{ID: groupStart, Title: "Start here:"},
		&cobra.Group{ID: groupRead, Title: "Read your memory:"},
		&cobra.Group{ID: groupCare, Title: "Look after it:"},
		&cobra.Group{ID: groupHost, Title: "Called by the assistant:"},
	)
	add := func(group string, cmds ...*cobra.Command) {
		for _, c := range cmds {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add(groupStart, a.demoCommand(), a.installCommand(), a.importCommand(), a.uninstallCommand())
	add(groupRead, a.searchCommand(), a.timelineCommand(), a.showCommand(), a.sessionsCommand(), a.contextCommand(), a.exportCommand())
	add(groupCare, a.statusCommand(), a.addCommand(), a.scopeCommand(), a.doctorCommand(), a.backupCommand(), a.restoreCommand(), a.compactCommand(), a.forgetCommand(), a.logsCommand(), a.configCommand(), a.keysCommand(), a.workerCommand())
	add(groupHost, a.hookCommand(), a.mcpCommand())
	root.SetHelpCommandGroupID(groupCare)
	root.SetCompletionCommandGroupID(groupCare)
	return root
}

const (
	groupStart = "start"
	groupRead  = "read"
	groupCare  = "care"
	groupHost  = "host"
)

// noArgs refuses arguments and names the first.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasParent() && !cmd.HasSubCommands() {
		return usageError{fmt.Errorf("%s takes no argument, but was given %q", cmd.CommandPath(), args[0])}
	}
	hint := ""
	if s := cmd.SuggestionsFor(args[0]); len(s) > 0 {
		hint = fmt.Sprintf(" (did you mean %q?)", s[0])
	}
	return usageError{fmt.Errorf("unknown command %q%s; `%s --help` lists all", args[0], hint, cmd.CommandPath())}
}

// group gives a command that only holds others: without one of them it shows its help.
func group(cmd *cobra.Command, below ...*cobra.Command) *cobra.Command {
	cmd.Args = noArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(below...)
	return cmd
}

// checkLimit refuses a number of rows that gives none.
func checkLimit(n int) error {
	if n < 1 {
		return usageError{fmt.Errorf("--limit %d: give at least 1", n)}
	}
	return nil
}

// minArgs asks for at least n arguments, called what.
func minArgs(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return usageError{fmt.Errorf("%s needs %s; see `%s --help`", cmd.CommandPath(), what, cmd.CommandPath())}
		}
		return nil
	}
}

// loadConfig gives the settings. What is wrong in them is said on standard
// error; the command goes on with what is right.
func (a *App) loadConfig() (*config.Config, error) {
	cfg, err := config.Load(a.Getenv)
	if cfg == nil {
		return nil, err
	}
	if err != nil {
		a.say("cmem: %v", err)
	}
	return cfg, nil
}

// openStore opens the store for reading. Where there is none yet it is made, so
// that every reading command works, and finds nothing, before the first session;
// one of an older version is brought up to date.
func (a *App) openStore(ctx context.Context, cfg *config.Config) (*store.Store, error) {
	s, err := store.OpenReadOnly(ctx, cfg.DB())
	if !errors.Is(err, store.ErrNoStore) && !errors.Is(err, store.ErrOldSchema) {
		return s, advised(err)
	}
	if err := cfg.EnsureDirs(); err != nil {
		return nil, err
	}
	s, err = store.Open(ctx, cfg.DB())
	if err != nil {
		return nil, advised(err)
	}
	return s, nil
}

// withStore opens the store for reading and hands it to do.
func (a *App) withStore(ctx context.Context, do func(*config.Config, *store.Store) error) error {
	cfg, err := a.loadConfig()
	if err != nil {
		return err
	}
	s, err := a.openStore(ctx, cfg)
	if err != nil {
		return err
	}
	err = advised(do(cfg, s))
	if cerr := s.Close(); err == nil {
		err = cerr
	}
	return err
}

// say writes a line of talk to standard error.
func (a *App) say(format string, args ...any) {
	fmt.Fprintf(a.Err, format+"\n", args...) //nolint:errcheck // nowhere left to report to
}

// shortPath writes the home directory as ~.
func (a *App) shortPath(path string) string {
	home, err := os.UserHomeDir()
	if err != nil || home == "" {
		return path
	}
	rel, err := filepath.Rel(home, path)
	if err != nil || rel == ".." || len(rel) > 2 && rel[:3] == ".."+string(filepath.Separator) {
		return path
	}
	return filepath.Join("~", rel)
}
