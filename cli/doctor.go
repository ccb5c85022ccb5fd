package cli

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"cmem/agents"
	"cmem/config"
	"cmem/hooks/spool"
	"cmem/worker"
)

// diagnosis is one thing that doctor looked at.
type diagnosis struct {
	Name    string `json:"name"`
	OK      bool   `json:"ok"`
	Found   string `json:"found"`
	Advice  string `json:"advice,omitempty"`
	Fixable bool   `json:"fixable,omitempty"`

	// Lately counts what the log tells.
	Lately *happening `json:"lately,omitempty"`
}

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
		if !cfg.SelectionUnderstood() {
			advice = "correct " + cfg.File() + "; until then nothing is recorded, since what you excluded is not known"
		}
		all[0] = diagnosis{Name: "settings", Found: err.Error(), Advice: advice}
	}
	all = append(all, permissions(cfg, fix), writable(cfg))
	all = append(all, a.diagnoseHooks()...)
	all = append(all, a.diagnoseDoubled(ctx, cfg)...)
	all = append(all, diagnoseSpool(cfg)...)
	all = append(all, diagnoseWorker(cfg))
	all = append(all, diagnoseLook(cfg)...)
	all = append(all, a.diagnoseStore(ctx, cfg, fix)...)
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
	waiting, oldest, err := spool.Waiting(cfg.Spool())
	if err != nil {
		return []diagnosis{{Name: "spool", Found: err.Error()}}
	}
	d := diagnosis{Name: "spool", OK: true, Found: count(waiting, "event") + " waiting"}
	if at, ok := spool.Time(oldest); ok && time.Since(at) > spoolStale {
		d = diagnosis{Name: "spool", Found: fmt.Sprintf("%s waiting, the oldest since %s", count(waiting, "event"), localTime(at)), Advice: "run `cmem worker run` and see what it says"}
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
