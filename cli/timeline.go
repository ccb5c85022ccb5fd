package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"cmem/config"
	"cmem/memory"
	"cmem/project"
	"cmem/store"
)

const pageSize = 200

func (a *App) timelineCommand() *cobra.Command {
	var flags filterFlags
	var limit int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "timeline",
		Short: "Show what happened, day by day",
		Long: `Shows the latest prompts, observations and summaries, oldest first, so that the
newest stands last. Prompts begin with P, observations with #, summaries with S:
"cmem show" takes these ids.`,
		Example: `  cmem timeline --project . --after 7d
  cmem timeline --type decision --limit 500`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkLimit(limit); err != nil {
				return err
			}
			ctx := cmd.Context()
			return a.withStore(ctx, func(_ *config.Config, s *store.Store) error {
				f, err := flags.filter(ctx, a, s)
				if err != nil {
					return err
				}
				var items []memory.Item
				var at memory.Cursor
				for len(items) < limit {
					want := min(pageSize, limit-len(items))
					page, err := s.Timeline(ctx, f, at, want)
					if err != nil {
						return err
					}
					items = append(items, page...)
					if len(page) < want {
						break
					}
					at = page[len(page)-1].Cursor()
				}
				slices.Reverse(items)
				if asJSON {
					return a.printJSON(orEmpty(items))
				}
				if len(items) == 0 {
					a.say("Nothing is remembered yet. `cmem status` tells whether the hooks are installed.")
				}
				return a.printTimeline(items, len(f.Keys()) != 1)
			})
		},
	}
	flags.addSeveral(cmd)
	cmd.Flags().IntVarP(&limit, "limit", "n", 50, "rows at most")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// printTimeline writes rows in order of time under a heading for each day.
func (a *App) printTimeline(items []memory.Item, withProject bool) error {
	day, session := "", ""
	for _, it := range items {
		at := it.CreatedAt.Local()
		if d := at.Format(time.DateOnly); d != day {
			if day != "" {
				if err := a.print("\n"); err != nil {
					return err
				}
			}
			day, session = d, ""
			if err := a.print("%s\n", d); err != nil {
				return err
			}
		}
		if it.SessionID != session {
			session = it.SessionID
			where := ""
			if withProject {
				where = " · " + oneLine(project.Name(it.Project), 40)
			}
			if err := a.print("  session %s%s\n", oneLine(session, 8), where); err != nil {
				return err
			}
		}
		if err := a.print("  %s  %s  %s  %s%s\n", at.Format("15:04"), pad(itemID(it), 6), pad(oneLine(itemType(it), 9), 9), oneLine(it.Title, 100), scopeMark(it.Scope)); err != nil {
			return err
		}
	}
	return nil
}

// scopeMark is told with what counts in every project.
func scopeMark(s memory.Scope) string {
	if s.IsGlobal() {
		return " (" + string(s) + ")"
	}
	return ""
}

// itemID gives the id by which `cmem show` knows a row.
func itemID(it memory.Item) string {
	switch it.Kind {
	case memory.KindPrompt:
		return fmt.Sprintf("P%d", it.ID)
	case memory.KindSummary:
		return fmt.Sprintf("S%d", it.ID)
	default:
		return fmt.Sprintf("#%d", it.ID)
	}
}

func itemType(it memory.Item) string {
	if it.Kind == memory.KindObservation {
		return it.Type
	}
	return string(it.Kind)
}
