package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"cmem/config"
	"cmem/logs"
	"cmem/mcp"
	"cmem/project"
	"cmem/recall"
	"cmem/store"
)

func (a *App) mcpCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve memory to a model by MCP, on standard input and output",
		Long: `Serves the tools with which a model looks things up: search, timeline and
get_observations. "cmem install" registers it with Claude Code; docs/mcp.md says
how to register it with others.

Where a call names no project, the one of the working directory is meant. An
assistant that starts its servers somewhere else gets --project.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.loadConfig()
			if err != nil {
				return err
			}
			// The assistant keeps what a server that crashed has said, where nobody looks.
			// Without a directory for it nothing is caught, and nothing else is lost.
			_ = logs.CatchCrashes(cfg.Logs())
			recent, err := a.projectForMCP(cfg, dir)
			if err != nil {
				return err
			}
			models := searchModels(cfg)
			return mcp.Run(cmd.Context(), mcp.Options{
				Open:    func(ctx context.Context) (mcp.Store, error) { return openForMCP(ctx, cfg) },
				Project: recent.Project, Recent: recent,
				Query:   func(project string) recall.Query { return searchQuery(cfg, project, models) },
				Version: a.Version, In: a.In, Out: a.Out,
			})
		},
	}
	cmd.Flags().StringVarP(&dir, "project", "p", ".", `the project that is meant when a call names none: its folder, or "*" for all`)
	return cmd
}

// projectForMCP says for which project the server speaks.
func (a *App) projectForMCP(cfg *config.Config, dir string) (recall.Request, error) {
	if dir == "*" {
		all := contextRequest(cfg, "", "", recall.SourceStartup)
		all.ProjectName = "all projects"
		return all, nil
	}
	here, err := a.Getwd()
	if err != nil && !filepath.IsAbs(dir) {
		return recall.Request{}, fmt.Errorf("find the working directory: %w", err)
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(here, dir)
	}
	return contextRequest(cfg, project.Find(dir).Key, "", recall.SourceStartup), nil
}

// openForMCP opens the store for reading. One of an older version is brought up to
// date first; none is made where there is none, for the server may ask again.
func openForMCP(ctx context.Context, cfg *config.Config) (mcp.Store, error) {
	s, err := store.OpenReadOnly(ctx, cfg.DB())
	if errors.Is(err, store.ErrOldSchema) {
		var w *store.Store
		if w, err = store.Open(ctx, cfg.DB()); err == nil {
			err = w.Close()
		}
		if err == nil {
			s, err = store.OpenReadOnly(ctx, cfg.DB())
		}
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}
