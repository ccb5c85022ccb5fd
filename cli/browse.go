package cli

import (
	"context"
	"errors"

	"cmem/config"
	"cmem/hooks/spool"
	"cmem/store"
	"cmem/tui"
	"cmem/worker"
)

// browse opens the memory browser on the person's own store.
func (a *App) browse(ctx context.Context) error {
	if !a.InTerminal {
		a.say("cmem: standard input is neither a terminal nor a hook's JSON; `cmem --help` tells what cmem can do")
		return nil
	}
	if !a.OutTerminal {
		return usageError{errors.New("the memory browser needs a terminal; `cmem timeline` and `cmem search` print")}
	}
	return a.withStore(ctx, func(cfg *config.Config, s *store.Store) error {
		if empty, err := spool.Empty(cfg.Spool()); err == nil && !empty {
			if err := spool.Wake(cfg.DataDir()); err != nil {
				a.say("cmem: the worker could not be started: %v", err)
			}
		}
		key, err := a.here()
		if err != nil {
			return err
		}
		totals, err := s.Totals(ctx, key)
		if err != nil {
			return err
		}
		if totals.Sessions == 0 {
			key = "" // nothing of this project: begin with all
		}
		return a.runBrowser(ctx, cfg, s, key, func(name string) error {
			_, err := a.setAndStamp(cfg, "theme", name)
			return err
		})
	})
}

// runBrowser runs the terminal UI on s, beginning with the project of that key.
// saveTheme is told of a new theme; nil forgets it.
func (a *App) runBrowser(ctx context.Context, cfg *config.Config, s *store.Store, project string, saveTheme func(string) error) error {
	return tui.Run(ctx, tui.Options{
		Source: s, Project: project, Theme: cfg.String("theme"), Now: a.Now, SaveTheme: saveTheme,
		Status: func(context.Context) (tui.Status, error) {
			w, err := worker.ReadStatus(cfg.DataDir())
			if err != nil {
				return tui.Status{}, err
			}
			waiting, _, err := spoolCounts(cfg)
			return tui.Status{Running: w.Running, Waiting: waiting}, err
		},
	})
}

// setAndStamp changes a setting and lets the fast path of hooks follow at once.
func (a *App) setAndStamp(cfg *config.Config, name, value string) (*config.Config, error) {
	if err := cfg.Set(name, value); err != nil {
		return nil, err
	}
	// Read again, so that environment and data directory are as a hook sees them.
	fresh, err := config.Load(a.Getenv)
	if err != nil {
		return nil, err
	}
	return fresh, fresh.WriteStamp()
}
