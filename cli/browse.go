package cli

import (
	"context"
	"errors"

	"cmem/config"
	"cmem/hooks/spool"
	"cmem/memory"
	"cmem/recall"
	"cmem/store"
	"cmem/tui"
)

// browse opens the memory browser on the person's own store. The accessible one
// reads and prints lines, so it needs no terminal.
func (a *App) browse(ctx context.Context, accessible bool) error {
	if !a.InTerminal && !accessible {
		a.say("cmem: standard input is neither a terminal nor a hook's JSON; `cmem --help` tells what cmem can do")
		return nil
	}
	if !a.OutTerminal && !accessible {
		return usageError{errors.New("the memory browser needs a terminal; `cmem timeline` and `cmem search` print")}
	}
	return a.withBrowserStore(ctx, func(cfg *config.Config, s *store.Store) error {
		if empty, err := spool.Empty(cfg.Spool()); err == nil && !empty {
			if err := spool.Wake(cfg.DataDir()); err != nil {
				a.say("cmem: the worker could not be started: %v", err)
			}
		}
		key, err := a.here()
		if err != nil {
			return err
		}
		desk := a.desk(cfg, s)
		desk.SaveTheme = func(name string) error {
			_, err := a.setAndStamp(cfg, "theme", name)
			return err
		}
		desk.Setup, desk.Install = a.setup, a.connect
		return a.runBrowser(ctx, cfg, s, key, desk, accessible)
	})
}

// withBrowserStore opens the store for reading and for changing, and hands it to
// do. One that cannot be changed can still be read.
func (a *App) withBrowserStore(ctx context.Context, do func(*config.Config, *store.Store) error) error {
	cfg, err := a.loadConfig()
	if err != nil {
		return err
	}
	if err := cfg.EnsureDirs(); err != nil {
		return err
	}
	s, err := store.Open(ctx, cfg.DB())
	if err != nil {
		readable, rerr := store.OpenReadOnly(ctx, cfg.DB())
		if rerr != nil {
			return err
		}
		a.say("cmem: memories can be read and not changed: %v", err)
		s = readable
	}
	err = do(cfg, s)
	if cerr := s.Close(); err == nil {
		err = cerr
	}
	return err
}

// runBrowser runs the terminal UI on s, beginning with the project of that key if
// there is something of it.
func (a *App) runBrowser(ctx context.Context, cfg *config.Config, s *store.Store, project string, desk tui.Desk, accessible bool) error {
	o := tui.Options{Source: browserSource{s, cfg, searchModels(cfg)}, Desk: desk, Project: project, IfAny: true, Now: a.Now, Accessible: accessible}
	a.browserLook(cfg, &o)
	return tui.Run(ctx, o)
}

// browserSource is what the browser reads and changes: the store, and what recall
// makes of it by the person's settings.
type browserSource struct {
	*store.Store
	cfg    *config.Config
	models []recall.Model
}

var _ tui.Source = browserSource{}

// Meant gives what recall finds for a text by words and meaning together.
func (s browserSource) Meant(ctx context.Context, text string, f memory.Filter, limit int) ([]memory.Hit, error) {
	f.Kinds = []memory.ItemKind{memory.KindObservation}
	q := searchQuery(s.cfg, f.Project, s.models)
	q.Text, q.Filter, q.Limit = text, f, limit
	a, err := recall.Search(ctx, s.Store, q)
	if err != nil {
		return nil, err
	}
	hits := make([]memory.Hit, 0, len(a.Results))
	for _, r := range a.Results {
		hits = append(hits, memory.Hit{Observation: *r.Observation, Keyword: r.Score.Total, Snippet: r.Snippet})
	}
	return hits, nil
}

// PlanContext gives what the next session of a project will be given.
func (s browserSource) PlanContext(ctx context.Context, project string) (recall.ContextPlan, error) {
	return recall.Plan(ctx, s.Store, contextRequest(s.cfg, project, "", recall.SourceStartup))
}

// WhyContext says why it is given an observation, or is not.
func (s browserSource) WhyContext(ctx context.Context, project string, o memory.Observation) (recall.ContextEntry, error) {
	return recall.WhyContext(ctx, s.Store, contextRequest(s.cfg, project, "", recall.SourceStartup), o)
}

// Missed gives observations that a search did not show, and why.
func (s browserSource) Missed(ctx context.Context, text string, f memory.Filter, shown, limit int) ([]recall.Miss, error) {
	return recall.Missed(ctx, s.Store, text, f, shown, limit)
}

// Related gives observations near one in meaning.
func (s browserSource) Related(ctx context.Context, o memory.Observation, limit int) ([]memory.Hit, error) {
	return recall.Related(ctx, s.Store, o, limit)
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
