package cli

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"cmem/config"
	"cmem/export"
	"cmem/store"
)

func (a *App) exportCommand() *cobra.Command {
	var flags filterFlags
	var format, output, dir, by string
	var everything bool
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write memories out as Markdown or JSON lines",
		Long: `Writes sessions with their prompts, observations and summaries: to standard
output, to one file, or to a folder with a file for each session or day. An
existing folder is brought up to date; files that you edited and files that are
not cmem's stay as they are. A file is replaced at once or not at all.`,
		Example: `  cmem export --project . -o memory.md
  cmem export --dir notes/memory --by day
  cmem export --format json --everything -o backup.jsonl`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			opts := export.Options{Location: time.Local}
			switch strings.ToLower(format) {
			case "markdown", "md":
			case "json", "jsonl":
				opts.Format = export.JSON
			default:
				return usageError{fmt.Errorf("--format %q is neither markdown nor json", format)}
			}
			grouping := export.BySession
			switch by {
			case "session":
			case "day":
				grouping = export.ByDay
			default:
				return usageError{fmt.Errorf("--by %q is neither session nor day", by)}
			}
			if output != "" && dir != "" {
				return usageError{fmt.Errorf("give --output for one file or --dir for a folder, not both")}
			}
			return a.withStore(ctx, func(_ *config.Config, s *store.Store) error {
				f, err := flags.filter(ctx, a, s)
				if err != nil {
					return err
				}
				if everything {
					f = export.Everything(f)
				}
				opts.Filter = f
				if output != "" || dir != "" {
					var finish func()
					opts.Progress, finish = a.progress("Exporting")
					defer finish()
				}
				switch {
				case dir != "":
					r, err := export.WriteDir(ctx, s, dir, opts, grouping)
					if err != nil {
						return err
					}
					a.sayReport(r, dir)
				case output != "" && output != "-":
					c, err := export.WriteFile(ctx, s, output, opts)
					if err != nil {
						return err
					}
					a.say("Wrote %s and %s of %s to %s.", count(c.Observations, "observation"), count(c.Summaries, "summary"), count(c.Sessions, "session"), output)
				default:
					_, err := export.Write(ctx, s, a.Out, opts)
					return err
				}
				return nil
			})
		},
	}
	flags.add(cmd)
	fl := cmd.Flags()
	fl.StringVarP(&format, "format", "f", "markdown", "markdown, or json: one object a line, nothing left out")
	fl.StringVarP(&output, "output", "o", "", "write this file instead of standard output")
	fl.StringVar(&dir, "dir", "", "write a folder of files instead")
	fl.StringVar(&by, "by", "session", "with --dir, a file for each session or day")
	fl.BoolVar(&everything, "everything", false, "archived, superseded and expired memories too")
	return cmd
}

func (a *App) sayReport(r export.Report, dir string) {
	a.say("%s: %s written, %d unchanged, %d removed; %s and %s of %s.", dir, count(r.Written, "file"), r.Unchanged, len(r.Removed),
		count(r.Observations, "observation"), count(r.Summaries, "summary"), count(r.Sessions, "session"))
	for _, k := range r.Kept {
		a.say("  left as it is, since it was edited or is not cmem's: %s", k)
	}
}

// progress gives a function that draws a bar on standard error when that is a
// terminal, and one that clears it.
func (a *App) progress(what string) (func(done, total int), func()) {
	if !a.ErrTerminal {
		return nil, func() {}
	}
	var bar *progressbar.ProgressBar
	update := func(done, total int) {
		if bar == nil {
			bar = progressbar.NewOptions(max(total, 1), progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetDescription(what),
				progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond))
		}
		_ = bar.Set(done) // only drawing
	}
	return update, func() {
		if bar != nil {
			_ = bar.Finish() // only drawing
		}
	}
}
