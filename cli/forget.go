package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cmem/store"
)

// erasePatience is how long forgetting waits for the last bytes to be overwritten.
const erasePatience = 30 * time.Second

// forgetOptions are the flags of forget beside those of the filter.
type forgetOptions struct {
	words                        []string
	yes, dryRun, asJSON, backups bool
}

func (a *App) forgetCommand() *cobra.Command {
	var flags filterFlags
	var o forgetOptions
	cmd := &cobra.Command{
		Use:   "forget [ID...]",
		Short: "Remove memories for good, with all that they were made of",
		Long: `Removes observations (12), summaries (S3), prompts (P5) and sessions by their ids,
or everything that the flags tell: with --project or --session alone whole sessions,
with --match what has all of the words in it, in any case.

What goes: the memories, the raw events behind them, their words in the search index,
events that still wait, drafts of the browser. With an observation or a prompt go the
raw events of its prompt and the summaries since. The places in the store's file are
overwritten; other files are removed. There is no undo, and what is forgotten does not come back from events
that arrive late or from an import of transcripts.

--match looks at what was said and done, not at the names of projects, branches and
tools that a session is filed under; --project and --session remove those, too.

Not touched: exports, the assistant's own transcripts, and backups without --backups.`,
		Example: `  cmem forget 12 P5
  cmem forget --session 3f2a --dry-run
  cmem forget --match 'project falcon' --project .
  cmem forget --project ~/work/client --backups --yes`,
		RunE: func(cmd *cobra.Command, args []string) error {
			filtered := len(o.words) > 0 || flags.any()
			switch {
			case len(args) == 0 && !filtered:
				return usageError{errors.New("say what to forget: ids, or flags such as --session and --match; see `cmem forget --help`")}
			case len(args) > 0 && filtered:
				return usageError{errors.New("give ids or flags, not both; words to look for belong to --match")}
			}
			return a.forget(cmd.Context(), flags, o, args)
		},
	}
	flags.add(cmd)
	fl := cmd.Flags()
	fl.StringSliceVarP(&o.words, "match", "m", nil, "only what has all of these words in it; give the flag again for each, or quote those that stand together")
	fl.BoolVar(&o.dryRun, "dry-run", false, "say what would go, and change nothing")
	fl.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	fl.BoolVar(&o.backups, "backups", false, "remove all backups, too: they hold what is forgotten, and everything else of their time")
	fl.BoolVar(&o.asJSON, "json", false, "print JSON")
	return cmd
}

// forgetReport says what was forgotten, or would be.
type forgetReport struct {
	DryRun bool `json:"dry_run"`
	store.Forgotten
	Waiting        int      `json:"waiting"`   // events in the spool
	Drafts         int      `json:"drafts"`    // texts of the browser that were not stored
	LogLines       int      `json:"log_lines"` // with one of the words
	Backups        []string `json:"backups"`   // that hold what is forgotten
	BackupsRemoved bool     `json:"backups_removed"`
	Erased         bool     `json:"erased"` // the places in the store are overwritten
	db             string   // the store's file
}

func (r forgetReport) empty() bool {
	return r.Empty() && r.Waiting == 0 && r.Drafts == 0 && r.LogLines == 0
}

func (a *App) forget(ctx context.Context, flags filterFlags, o forgetOptions, ids []string) error {
	cfg, err := a.loadConfig()
	if err != nil {
		return err
	}
	if _, err := os.Stat(cfg.DataDir()); errors.Is(err, fs.ErrNotExist) {
		a.say("Nothing is remembered yet.")
		return nil
	}
	copies, err := store.Copies(cfg.DB())
	if err != nil {
		return err
	}
	report := forgetReport{DryRun: true, Backups: copies, db: cfg.DB()}
	// Looked at twice: a person takes time to answer, and only the worker's absence
	// makes what is found be all there is.
	look := func(do func(*store.Store, *forgetting) error) error {
		s, err := store.Open(ctx, cfg.DB())
		if err != nil {
			return err
		}
		f, err := a.findForgetting(ctx, cfg, s, flags, o.words, ids)
		if err == nil {
			report.Forgotten, err = s.Forget(ctx, f.what, report.DryRun)
			report.Waiting, report.Drafts, report.LogLines = len(f.waiting), len(f.drafts), f.logLines
		}
		if err == nil && do != nil {
			err = do(s, f)
		}
		return errors.Join(err, s.Close())
	}
	if err := look(nil); err != nil {
		return err
	}
	if o.dryRun || report.empty() && (!o.backups || len(copies) == 0) {
		return a.sayForgotten(report, o)
	}
	if !o.yes {
		ok, err := a.confirm(fmt.Sprintf("Forget %s%s? This cannot be undone. [y/N] ", report.describe(), withBackups(o, copies)))
		if err != nil {
			return err
		}
		if !ok {
			a.say("Nothing is changed.")
			return nil
		}
	}
	report.DryRun = false
	err = a.withoutWorker(cfg, func() error {
		return look(func(s *store.Store, f *forgetting) error {
			if err := f.removeFiles(cfg); err != nil {
				return err
			}
			if o.backups {
				for _, path := range copies {
					if err := os.RemoveAll(path); err != nil {
						return fmt.Errorf("remove a backup: %w", err)
					}
				}
				report.BackupsRemoved = true
			}
			report.Erased, err = eraseLeft(ctx, s, erasePatience)
			return err
		})
	})
	if err != nil {
		return err
	}
	return a.sayForgotten(report, o)
}

// eraseLeft has what was forgotten overwritten and reports whether all of it is:
// others who read the store can be in the way, and are waited for as long as patience.
func eraseLeft(ctx context.Context, s *store.Store, patience time.Duration) (bool, error) {
	for deadline := time.Now().Add(patience); ; {
		done, err := s.Housekeep(ctx, time.Second)
		erased := err == nil && done && s.Erased()
		if errors.Is(err, store.ErrBusy) {
			err = nil
		}
		if erased || err != nil || time.Now().After(deadline) {
			return erased, err
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func withBackups(o forgetOptions, copies []string) string {
	if !o.backups || len(copies) == 0 {
		return ""
	}
	return fmt.Sprintf(", and delete %s with everything in it", count(len(copies), "backup"))
}

// describe counts what there is.
func (r forgetReport) describe() string {
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{
		{r.Sessions, "session"}, {r.Observations, "observation"}, {r.Summaries, "summary"}, {r.Prompts, "prompt"}, {r.Events, "raw event"},
		{r.Waiting, "waiting event"}, {r.Drafts, "draft"}, {r.LogLines, "log line"},
	} {
		if p.n > 0 {
			parts = append(parts, count(p.n, p.word))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	text := strings.Join(parts, ", ")
	if r.Bytes > 0 {
		text += " (" + bytesText(r.Bytes) + ")"
	}
	return text
}

func (a *App) sayForgotten(r forgetReport, o forgetOptions) error {
	if o.asJSON {
		r.Backups = orEmpty(r.Backups)
		return a.printJSON(r)
	}
	switch {
	case r.empty() && !r.BackupsRemoved:
		a.say("Nothing is remembered of that.")
	case r.DryRun:
		a.say("This would be forgotten: %s%s.", r.describe(), withBackups(o, r.Backups))
	default:
		a.say("Forgotten: %s.", r.describe())
		if !r.Erased {
			a.say("Another program reads the store: what was said may still stand in %[1]s and its log %[1]s-wal until that is closed; run `cmem compact` then.", a.shortPath(r.db))
		}
	}
	switch {
	case len(r.Backups) == 0:
	case r.BackupsRemoved:
		a.say("Deleted %s.", count(len(r.Backups), "backup"))
	case !o.backups && !r.empty():
		a.say("Backups hold what they held; --backups removes them:")
		for _, path := range r.Backups {
			a.say("  %s", a.shortPath(path))
		}
	}
	if !r.empty() && !r.DryRun {
		a.say("Exports and the assistant's own transcripts are not cmem's to change.")
	}
	return nil
}
