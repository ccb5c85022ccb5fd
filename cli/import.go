package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"cmem/config"
	"cmem/export"
	"cmem/hooks"
	"cmem/memory"
	"cmem/project"
	"cmem/store"
)

func (a *App) importCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Take in what happened before cmem: Claude Code's transcripts, a claude-mem database",
		Long: `Without an argument, looks what there is on this machine to import and says how.

Importing adds what is not there yet and changes nothing else: it can be stopped
and repeated at any time. What stands between <private> tags is left out, and
so are the projects and tools that your settings exclude.`,
	}
	var dryRun, yes bool
	claudeMem := &cobra.Command{
		Use:   "claude-mem [PATH]",
		Short: "Import the memories of claude-mem",
		Long: `Reads a claude-mem database (of ~/.claude-mem, unless you name one): sessions,
prompts, observations and summaries, with their types, concepts, files and times.
The database is not changed, and claude-mem may go on running.

claude-mem knows a project by the name of its folder only. cmem finds the folder
by the transcripts of the sessions, by the files that memories name and by the
projects that it knows; where all that fails, the project keeps its bare name.`,
		Args: maxArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.importClaudeMem(cmd.Context(), args, dryRun)
		},
	}
	claudeCode := &cobra.Command{
		Use:   "claude-code [PATH]",
		Short: "Import the sessions that Claude Code wrote down",
		Long: `Reads Claude Code's transcripts (of ~/.claude/projects, unless you name a folder
or a file), the newest session first, and takes what happened in them the way of
the hooks: events, observations, summaries. What hooks have recorded of a session
is not taken twice.

With a provider that costs money it first says how much would be sent and asks.`,
		Args: maxArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.importClaudeCode(cmd.Context(), args, dryRun, yes)
		},
	}
	for _, c := range []*cobra.Command{claudeMem, claudeCode} {
		c.Flags().BoolVar(&dryRun, "dry-run", false, "only count what would be imported")
	}
	claudeCode.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask before events are sent to a provider")
	cmd.AddCommand(claudeMem, claudeCode)
	cmd.Args = noArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return a.listImports(cmd.Context()) }
	return cmd
}

// maxArgs refuses more than n arguments.
func maxArgs(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return usageError{fmt.Errorf("%s takes one path, but was given %q, too", cmd.CommandPath(), args[n])}
		}
		return nil
	}
}

func (a *App) listImports(ctx context.Context) error {
	home := a.home()
	found := FindImports(ctx, home, a.Getenv)
	if len(found) == 0 {
		return a.print("Nothing to import was found: no Claude Code transcripts in %s and no claude-mem database at %s.\nIf they are elsewhere, name the place: cmem import claude-code PATH, cmem import claude-mem PATH\n",
			a.shortPath(hooks.TranscriptsDir(a.Getenv, home)), a.shortPath(claudeMemFile(a.Getenv, home)))
	}
	var b strings.Builder
	b.WriteString("Found on this machine:\n")
	for _, f := range found {
		fmt.Fprintf(&b, "\n  %s\n    in      %s\n    import  %s\n", f.What, oneLine(a.shortPath(f.Path), 300), f.Command)
	}
	b.WriteString("\nWith --dry-run, each only counts. Importing again adds nothing twice.\n")
	return a.print("%s", b.String())
}

// home gives the person's home directory, "" when it is unknown.
func (a *App) home() string {
	if runtime.GOOS == "windows" {
		return a.Getenv("USERPROFILE")
	}
	return a.Getenv("HOME")
}

// claudeMemFile gives where claude-mem keeps its database.
func claudeMemFile(getenv func(string) string, home string) string {
	const name = "claude-mem.db"
	if dir := getenv("CLAUDE_MEM_DATA_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, name)
	}
	return filepath.Join(home, ".claude-mem", name)
}

func (a *App) importClaudeMem(ctx context.Context, args []string, dryRun bool) (err error) {
	path := claudeMemFile(a.Getenv, a.home())
	if len(args) > 0 {
		path = args[0]
		if nested := filepath.Join(path, "claude-mem.db"); isFile(nested) {
			path = nested
		}
	}
	cfg, err := a.loadConfig()
	if err != nil {
		return err
	}
	if _, err := hooks.Recordable(cfg, memory.Event{}); err != nil {
		return err
	}
	s, err := openForImport(ctx, cfg, dryRun)
	if err != nil {
		return err
	}
	o := export.ClaudeMemOptions{
		Clean: hooks.CleanTexts, Directory: a.transcriptDirs(ctx), Known: func(string) string { return "" }, DryRun: dryRun,
		Project: func(dir string) string { return project.Find(dir).Key }, Relative: project.Rel,
		Excluded: func(key string) bool {
			ok, err := hooks.Recordable(cfg, memory.Event{CWD: key})
			return err != nil || !ok
		},
	}
	var into export.Importer
	if s != nil {
		defer func() {
			if cerr := s.Close(); err == nil {
				err = cerr
			}
		}()
		if o.Known, err = knownProjects(ctx, s); err != nil {
			return err
		}
		into = s
	}
	var finish func()
	o.Progress, finish = a.progress("Importing")
	r, err := export.ImportClaudeMem(ctx, path, into, o)
	finish()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no claude-mem database at %s; if it is elsewhere: cmem import claude-mem PATH", a.shortPath(path))
	case errors.Is(err, store.ErrNotClaudeMem):
		return fmt.Errorf("%s is %w; it mostly is ~/.claude-mem/claude-mem.db", a.shortPath(path), store.ErrNotClaudeMem)
	case ctx.Err() != nil:
		a.say("Stopped. %s in the store; the same command goes on.", count(r.Added, "new row")+" stay")
		return errSilent
	case errors.Is(err, store.ErrDamaged) && r.Added == 0:
		return fmt.Errorf("%s is no database, or a damaged one: %w", a.shortPath(path), err)
	case err != nil:
		return fmt.Errorf("%w; what was imported before that is kept, and the same command goes on", err)
	}
	return a.tellClaudeMem(r, path, dryRun)
}

func (a *App) tellClaudeMem(r export.ClaudeMemReport, path string, dryRun bool) error {
	verb, end := "Imported", fmt.Sprintf("; %s new.", isAre(r.Added, "row"))
	if dryRun {
		verb, end = "Would import", "."
	}
	if err := a.print("%s from %s: %s, %s and %s of %s%s\n", verb, a.shortPath(path), count(r.Observations, "observation"), count(r.Summaries, "summary"),
		count(r.Prompts, "prompt"), count(r.Sessions, "session"), end); err != nil {
		return err
	}
	note := func(n int, format string, args ...any) {
		if n > 0 {
			a.say(format, args...)
		}
	}
	note(r.Junk, "Passed over: %s that claude-mem recorded of itself.", count(r.Junk, "row"))
	note(r.Excluded, "Passed over: %s of projects that your settings exclude.", count(r.Excluded, "row"))
	note(r.Empty, "Passed over: %s without any text.", count(r.Empty, "row"))
	note(r.Cut, "Of %s only the beginning was taken.", count(r.Cut, "very long prompt"))
	note(r.Orphans, "Kept, although claude-mem has lost their sessions: %s.", count(r.Orphans, "row"))
	if n := len(r.Unplaced); n > 0 {
		const shown = 5
		names := strings.Join(r.Unplaced[:min(n, shown)], ", ")
		if n > shown {
			names += ", …"
		}
		a.say("Nothing tells the path of %s, which keep their bare names: %s.", count(n, "project"), oneLine(names, 200))
	}
	if r.WithoutLog {
		a.say("The database's log (%s-wal) is damaged: what stands only there could not be read.", filepath.Base(path))
	}
	if dryRun {
		a.say("Nothing was stored. Without --dry-run it is.")
	}
	return nil
}

// isAre gives "1 row is" or "n rows are".
func isAre(n int, thing string) string {
	if n == 1 {
		return "1 " + thing + " is"
	}
	return count(n, thing) + " are"
}

// openForImport opens the store for writing. A dry run only reads it: there may be
// none, and nil is given.
func openForImport(ctx context.Context, cfg *config.Config, dryRun bool) (*store.Store, error) {
	if dryRun {
		s, err := store.OpenReadOnly(ctx, cfg.DB())
		if errors.Is(err, store.ErrNoStore) || errors.Is(err, store.ErrOldSchema) {
			return nil, nil
		}
		return s, err
	}
	if err := cfg.EnsureDirs(); err != nil {
		return nil, err
	}
	return store.Open(ctx, cfg.DB())
}

// knownProjects gives a function that finds the only project whose folder has a name.
func knownProjects(ctx context.Context, s *store.Store) (func(name string) string, error) {
	all, err := s.Projects(ctx)
	if err != nil {
		return nil, err
	}
	byName := map[string][]string{}
	for _, p := range all {
		if name := filepath.Base(p.Key); name != p.Key {
			byName[name] = append(byName[name], p.Key)
		}
	}
	return func(name string) string {
		if keys := byName[name]; len(keys) == 1 {
			return keys[0]
		}
		return ""
	}, nil
}

// transcriptDirs gives a function that finds where a session ran by the
// transcript that Claude Code wrote of it.
func (a *App) transcriptDirs(ctx context.Context) func(sessionID string) string {
	paths := map[string]string{}
	// Without transcripts there are other ways to find a project.
	_ = hooks.WalkTranscripts(ctx, hooks.TranscriptsDir(a.Getenv, a.home()), func(path string, info fs.FileInfo) error {
		paths[strings.TrimSuffix(info.Name(), filepath.Ext(info.Name()))] = path
		return nil
	})
	return func(sessionID string) string {
		path, ok := paths[sessionID]
		if !ok {
			return ""
		}
		return hooks.Transcript{Path: path}.WorkDir()
	}
}
