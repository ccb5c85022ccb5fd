package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"cmem/config"
	"cmem/memory"
	"cmem/project"
	"cmem/store"
)

func (a *App) sessionsCommand() *cobra.Command {
	var flags filterFlags
	var limit int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List sessions, newest first",
		Args:  noArgs,
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
				list, err := s.Sessions(ctx, f, memory.Cursor{}, limit)
				if err != nil {
					return err
				}
				if asJSON {
					return a.printJSON(orEmpty(list))
				}
				if len(list) == 0 {
					a.say("No session is remembered yet.")
				}
				for _, v := range list {
					if err := a.print("%s  %s  %s  %s  %s\n", localTime(v.CreatedAt), pad(oneLine(v.ID, 8), 8), pad(oneLine(project.Name(v.Project), 20), 20),
						pad(fmt.Sprintf("%dp %do", v.PromptCount, v.ObservationCount), 9), oneLine(v.Title, 80)); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	flags.add(cmd)
	cmd.Flags().IntVarP(&limit, "limit", "n", 30, "sessions at most")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
