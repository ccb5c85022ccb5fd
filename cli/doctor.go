package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cmem/agents"
	"cmem/config"
	"cmem/hooks/spool"
	"cmem/store"
	"cmem/worker"
)

// diagnosis is one thing that doctor looked at.
type diagnosis struct {
	Name    string `json:"name"`
	OK      bool   `json:"ok"`
	Found   string `json:"found"`
	Advice  string `json:"advice,omitempty"`
	Fixable bool   `json:"fixable,omitempty"`
}

const problemsShown = 5

func (a *App) doctorCommand() *cobra.Command {
	var fix, asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is wrong and say what to do",
		Long: `Looks at settings, permissions, hooks, spool, worker, store and log, and says
what is wrong and what to do about it. With --fix it repairs what it can. It
exits 1 when something is wrong that it did not repair.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all := a.diagnose(cmd.Context(), fix)
			sick := false
			for _, d := range all {
				sick = sick || !d.OK
			}
			if asJSON {
				if err := a.printJSON(all); err != nil {
					return err
				}
			} else if err := a.printDiagnoses(all, sick); err != nil {
				return err
			}
			if sick {
				return errSilent
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "repair what can be repaired")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *App) printDiagnoses(all []diagnosis, sick bool) error {
	fixable := false
	for _, d := range all {
		mark := "ok   "
		if !d.OK {
			mark = "WRONG"
			fixable = fixable || d.Fixable
		}
		if err := a.print("%s  %s %s\n", mark, pad(d.Name, 11), harmless(d.Found)); err != nil {
			return err
		}
		if d.Advice != "" {
			if err := a.print("       %s → %s\n", pad("", 9), harmless(d.Advice)); err != nil {
				return err
			}
		}
	}
	switch {
	case fixable:
		a.say("\n`cmem doctor --fix` repairs some of this.")
	case !sick:
		a.say("\nAll is well.")
	}
	return nil
}

// diagnose looks at everything, and repairs on the way when fix is set.
func (a *App) diagnose(ctx context.Context, fix bool) []diagnosis {
	cfg, err := config.Load(a.Getenv)
	if cfg == nil {
		return []diagnosis{{Name: "settings", Found: err.Error()}}
	}
	all := []diagnosis{{Name: "settings", OK: true, Found: "valid, data in " + a.shortPath(cfg.DataDir())}}
	if err != nil {
		advice := "correct " + cfg.File() + " or set the key with `cmem config set`; the other settings apply"
		if !cfg.Understood("exclude") || !cfg.Understood("skip_tools") {
			advice = "correct " + cfg.File() + "; until then nothing is recorded, since what you excluded is not known"
		}
		all[0] = diagnosis{Name: "settings", Found: err.Error(), Advice: advice}
	}
	all = append(all, permissions(cfg, fix), writable(cfg))
	all = append(all, a.diagnoseHooks()...)
	all = append(all, diagnoseSpool(cfg)...)
	all = append(all, diagnoseWorker(cfg))
	all = append(all, diagnoseLook(cfg)...)
	all = append(all, diagnoseStore(ctx, cfg, fix)...)
	return append(all, a.diagnoseLog(cfg)...)
}

// permissions looks whether others may read the data directory.
func permissions(cfg *config.Config, fix bool) diagnosis {
	d := diagnosis{Name: "permissions", OK: true, Found: "only you can read the data"}
	if runtime.GOOS == "windows" {
		d.Found = "as the folder above grants them"
		return d
	}
	for _, dir := range []string{cfg.Base(), cfg.DataDir(), cfg.Spool(), cfg.Logs()} {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm()&0o077 == 0 {
			continue // what does not exist yet is made with the right mode
		}
		if fix {
			if err := os.Chmod(dir, 0o700); err == nil { //nolint:gosec // a folder needs its execute bit
				d.Found = "others could read " + dir + "; repaired"
				continue
			}
		}
		return diagnosis{Name: "permissions", Found: fmt.Sprintf("others can read %s (mode %o)", dir, info.Mode().Perm()), Advice: "chmod 700 " + dir, Fixable: true}
	}
	return d
}

// writable tries what a hook does: whether a file can be made in the spool.
func writable(cfg *config.Config) diagnosis {
	err := cfg.EnsureDirs()
	if err == nil {
		err = spool.Probe(cfg.Spool())
	}
	if err != nil {
		return diagnosis{Name: "writing", Found: err.Error(), Advice: "hooks lose their events until " + cfg.DataDir() + " can be written; look at its owner, its mode and the free space"}
	}
	return diagnosis{Name: "writing", OK: true, Found: "events can be stored"}
}

func (a *App) diagnoseHooks() []diagnosis {
	claude, err := a.claudeCode()
	if err != nil {
		return []diagnosis{{Name: "hooks", Found: err.Error()}}
	}
	s, err := claude.Status()
	if err != nil {
		return []diagnosis{{Name: "hooks", Found: err.Error(), Advice: "correct the file; cmem changes nothing in a file that it cannot read"}}
	}
	found := fmt.Sprintf("%s in %s", s.State, a.shortPath(s.Settings))
	if s.State == agents.Installed {
		return []diagnosis{{Name: "hooks", OK: true, Found: found}}
	}
	if len(s.Problems) == 0 {
		return []diagnosis{{Name: "hooks", Found: found, Advice: "run `cmem install`"}}
	}
	var all []diagnosis
	for _, p := range s.Problems {
		all = append(all, diagnosis{Name: "hooks", Found: found, Advice: p})
	}
	return all
}

const spoolStale = 5 * time.Minute

func diagnoseSpool(cfg *config.Config) []diagnosis {
	names, err := spool.List(cfg.Spool())
	if err != nil {
		return []diagnosis{{Name: "spool", Found: err.Error()}}
	}
	oldest := time.Now()
	for _, n := range names {
		if at, ok := spool.Time(n); ok && at.Before(oldest) {
			oldest = at
		}
	}
	d := diagnosis{Name: "spool", OK: true, Found: count(len(names), "event") + " waiting"}
	if age := time.Since(oldest); len(names) > 0 && age > spoolStale {
		d = diagnosis{Name: "spool", Found: fmt.Sprintf("%s waiting, the oldest since %s", count(len(names), "event"), localTime(oldest)), Advice: "run `cmem worker run` and see what it says"}
	}
	all := []diagnosis{d}
	bad, err := spool.ListBad(cfg.Spool())
	if err != nil {
		return append(all, diagnosis{Name: "spool", Found: err.Error()})
	}
	if len(bad) > 0 {
		all = append(all, diagnosis{Name: "put aside", OK: true, Found: count(len(bad), "event") + " could not be read", Advice: "they are kept in " + spool.BadDir(cfg.Spool()) + " and do no harm there; delete them when you have looked"})
	}
	return all
}

func diagnoseWorker(cfg *config.Config) diagnosis {
	s, err := worker.ReadStatus(cfg.DataDir())
	if err != nil {
		return diagnosis{Name: "worker", Found: err.Error()}
	}
	return diagnosis{Name: "worker", OK: true, Found: describeWorker(s)}
}

func diagnoseStore(ctx context.Context, cfg *config.Config, fix bool) []diagnosis {
	if _, err := os.Stat(cfg.DB()); errors.Is(err, os.ErrNotExist) {
		return []diagnosis{{Name: "store", OK: true, Found: "none yet; the first session makes it"}}
	}
	s, err := store.Open(ctx, cfg.DB())
	if err != nil {
		return []diagnosis{{Name: "store", Found: err.Error(), Advice: storeAdvice(cfg, err)}}
	}
	defer s.Close() //nolint:errcheck // nothing is written after Fix
	var all []diagnosis
	if fix {
		done, err := s.Fix(ctx)
		for _, what := range done {
			all = append(all, diagnosis{Name: "store", OK: true, Found: what})
		}
		if err != nil {
			all = append(all, diagnosis{Name: "store", Found: err.Error()})
		}
	}
	findings, err := s.Check(ctx)
	if err != nil {
		return append(all, diagnosis{Name: "store", Found: err.Error()})
	}
	for _, f := range findings {
		all = append(all, diagnosis{Name: "store", Found: f.Problem, Advice: f.Advice, Fixable: f.Fixable})
	}
	if len(findings) == 0 {
		all = append(all, diagnosis{Name: "store", OK: true, Found: "sound: " + filepath.Base(cfg.DB()) + " passed every check"})
	}
	return all
}

// storeAdvice says what to do about a store that cannot be opened.
func storeAdvice(cfg *config.Config, err error) string {
	var newer *store.NewerSchemaError
	switch {
	case errors.Is(err, store.ErrDamaged):
		advice := "move " + cfg.DB() + " away; the next session begins a new store, with the events that wait in the spool. `sqlite3 " + cfg.DB() + " .recover` reads out what can still be read"
		if backups, err := filepath.Glob(cfg.DB() + ".v*.bak"); err == nil && len(backups) > 0 {
			advice += "; a copy from before the last upgrade is " + backups[len(backups)-1]
		}
		return advice
	case errors.Is(err, store.ErrBusy):
		return "try again when the other program is done"
	case errors.As(err, &newer):
		return "upgrade cmem; hooks keep their events in the spool meanwhile"
	}
	return "hooks keep their events in the spool meanwhile"
}

// lostLately is how long a lost event counts as something wrong.
const lostLately = 24 * time.Hour

// diagnoseLog shows what went wrong lately. It is told, not counted as wrong, for
// the log does not know what has been mended since; but an event that was lost
// today is something to know.
func (a *App) diagnoseLog(cfg *config.Config) []diagnosis {
	lines, err := recentProblems(cfg, problemsShown)
	if err != nil {
		return []diagnosis{{Name: "log", Found: err.Error()}}
	}
	if len(lines) == 0 {
		return []diagnosis{{Name: "log", OK: true, Found: "no warnings or errors"}}
	}
	var all []diagnosis
	for _, l := range lines {
		text := localTime(l.Time) + " " + l.Msg
		if l.Error != "" {
			text += ": " + l.Error
		}
		lost := strings.HasPrefix(l.Msg, "event lost") && a.Now().Sub(l.Time) < lostLately
		all = append(all, diagnosis{Name: "log", OK: !lost, Found: oneLine(text, 300)})
	}
	return all
}
