package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cmem/config"
	"cmem/store"
)

func (a *App) restoreCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "restore [FILE]",
		Short: "Bring a backup of the store back; without FILE, list the backups",
		Long: `Puts a copy of a backup in the place of the store. FILE is read whole before
anything is touched: it must be an undamaged store of this cmem or an older one, which
is brought up to date; the backup itself stays as it is. The store that is in place
is kept in the folder of backups, so that a restore can be taken back by another one.
Of those the last three are kept.

The worker stops for it. What hooks take in meanwhile waits in the spool. Without
FILE it lists the backups, newest first.`,
		Args: atMostOneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := a.loadConfig()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return a.listBackups(cfg, asJSON)
			}
			r, err := a.restore(cmd.Context(), cfg, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(r)
			}
			a.sayRestored(r)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *App) restore(ctx context.Context, cfg *config.Config, file string) (r store.Restored, err error) {
	if err := cfg.EnsureDirs(); err != nil {
		return r, err
	}
	// Looked at before the worker stops for it.
	if info, err := os.Stat(file); err != nil {
		return r, fmt.Errorf("%w; the store is as it was", err)
	} else if !info.Mode().IsRegular() {
		return r, fmt.Errorf("%s is not a file; the store is as it was", file)
	}
	err = a.withoutWorker(cfg, func() error {
		r, err = store.RestoreBackup(ctx, cfg.DB(), file)
		return err
	})
	if err != nil && !r.Done {
		return r, fmt.Errorf("%w; the store is as it was", err)
	}
	if err != nil { // of what comes after
		a.say("The backup is in place, but something went wrong after that: %v", err)
	}
	return r, nil
}

func (a *App) sayRestored(r store.Restored) {
	t := r.Totals
	what := strings.Join([]string{
		count(t.Observations, "observation"), count(t.Summaries, "summary"), count(t.Prompts, "prompt"), count(t.Sessions, "session"), count(t.Events, "event"),
	}, ", ")
	if !t.Newest.IsZero() {
		what += ", from " + t.Oldest.Local().Format(time.DateOnly) + " to " + localTime(t.Newest)
	}
	a.say("Restored %s: %s.", a.shortPath(r.File), what)
	if r.Kept != "" {
		a.say("The store that was there is kept as %s.", a.shortPath(r.Kept))
	}
}

func (a *App) listBackups(cfg *config.Config, asJSON bool) error {
	list, err := store.Backups(cfg.DB())
	if err != nil {
		return err
	}
	if asJSON {
		if list == nil {
			list = []store.Backup{}
		}
		return a.printJSON(list)
	}
	if len(list) == 0 {
		a.say("There is no backup. `cmem backup` makes one.")
		return nil
	}
	for _, b := range list {
		if err := a.print("%s  %s  %s  %s\n", localTime(b.At), pad(bytesText(b.Bytes), 10), pad(b.Reason, 18), harmless(b.Path)); err != nil {
			return err
		}
	}
	a.say("\n`cmem restore FILE` brings one of them back.")
	return nil
}

// quotedPath writes a path as a person can paste it into a shell.
func quotedPath(path string) string {
	if strings.IndexFunc(path, func(r rune) bool {
		return !strings.ContainsRune("/._-+:@\\", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
