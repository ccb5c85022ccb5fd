package cli

import (
	"github.com/spf13/cobra"

	"cmem/config"
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
			return a.withStore(cmd.Context(), func(_ *config.Config, s *store.Store) error {
				key, err := a.here()
				if err != nil {
					return err
				}
				return mcp.Run(cmd.Context(), mcp.Options{Source: s, Project: key, Version: a.Version, In: a.In, Out: a.Out})
			})
		},
	}
}
