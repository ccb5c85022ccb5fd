package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"cmem/store"
)

func (a *App) compactCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "compact",
		Short: "Make the store's file as small as it can be",
		Long: `Writes the store anew without the room that it holds for later. The worker gives
most of that back by itself when it is idle; this gives back all, and teaches a store
of an early version to do so. Nothing is forgotten. It takes as much free space as
the store is large; hooks keep their events in the spool meanwhile.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			cfg, err := a.loadConfig()
			if err != nil {
				return err
			}
			if err := cfg.EnsureDirs(); err != nil {
				return err
			}
			return a.withoutWorker(cfg, func() (err error) {
				s, err := store.Open(cmd.Context(), cfg.DB())
				if err != nil {
					return advised(err)
				}
				defer func() { err = errors.Join(err, s.Close()) }()
				freed, err := s.Compact(cmd.Context())
				if err != nil {
					return advised(err)
				}
				a.say("The store is %s smaller.", bytesText(max(freed, 0)))
				return nil
			})
		},
	}
}
