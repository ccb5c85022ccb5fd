package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"cmem/config"
	"cmem/memory"
	"cmem/project"
	"cmem/recall"
	"cmem/store"
)

func (a *App) searchCommand() *cobra.Command {
	var flags filterFlags
	var limit int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "search QUERY",
		Short: "Find observations by words",
		Long: `Finds observations that hold all the words, best first; where none does, those
that hold some. "Quoted words" must stand together. Names such as orderService
are found by their parts too, and Chinese by any two characters.`,
		Example: `  cmem search retry backoff
  cmem search '"connection reset"' --type bugfix --after 30d
  cmem search 数据库 迁移 --project .`,
		Args: minArgs(1, "words to look for"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkLimit(limit); err != nil {
				return err
			}
			ctx := cmd.Context()
			return a.withStore(ctx, func(_ *config.Config, s *store.Store) error {
				f, err := flags.filter(ctx, a, s)
				if err != nil {
					return err
				}
				text := strings.Join(args, " ")
				found, err := recall.Search(ctx, s, recall.Query{Text: text, Filter: f, Limit: limit})
				if err != nil {
					return err
				}
				if asJSON {
					return a.printJSON(orEmpty(found.Results))
				}
				if len(found.Results) == 0 {
					a.say("Nothing is remembered about %q.", text)
				}
				for _, r := range found.Results {
					if err := a.printResult(r, f.Project == ""); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	flags.add(cmd)
	cmd.Flags().IntVarP(&limit, "limit", "n", recall.DefaultLimit, "hits at most")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// printResult writes a result on one line, and below it where its words stand.
func (a *App) printResult(o recall.Result, withProject bool) error {
	where := ""
	if withProject {
		where = oneLine(project.Name(o.Project), 24) + "  "
	}
	if err := a.print("%s  %s  %s  %s%s\n", pad(fmt.Sprintf("#%d", o.ID), 6), localTime(o.CreatedAt), pad(oneLine(o.Type, 9), 9), where, oneLine(o.Title, 100)); err != nil {
		return err
	}
	s := strings.NewReplacer(string(memory.MatchStart), "", string(memory.MatchEnd), "").Replace(o.Snippet)
	if s = oneLine(s, 110); s == "" || strings.HasPrefix(o.Title, strings.Trim(s, "…")) {
		return nil
	}
	return a.print("        %s\n", s)
}

// orEmpty gives a list that JSON shows as [] and not as null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
