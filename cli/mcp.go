package cli

import (
	"github.com/spf13/cobra"

	"cmem/config"
	"cmem/logs"
	"cmem/mcp"
	"cmem/store"
)

func (a *App) mcpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve memory to a model by MCP, on standard input and output",
		Long: `Serves the tools with which a model looks things up: search, timeline and
get_observations. "cmem install" registers it with Claude Code.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withStore(cmd.Context(), func(cfg *config.Config, s *store.Store) error {
				// The assistant keeps what a server that crashed has said, where nobody looks.
				// Without a directory for it nothing is caught, and nothing else is lost.
				_ = logs.CatchCrashes(cfg.Logs())
				key, err := a.here()
				if err != nil {
					return err
				}
				return mcp.Run(cmd.Context(), mcp.Options{Source: s, Project: key, Version: a.Version, In: a.In, Out: a.Out})
			})
		},
	}
}
