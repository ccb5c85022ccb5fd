package cli

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"cmem/config"
	"cmem/hooks"
	"cmem/logs"
	"cmem/memory"
	"cmem/project"
	"cmem/recall"
	"cmem/store"
)

// actionMemory finds what is remembered of what is being done.
type actionMemory struct {
	cfg *config.Config
	log *slog.Logger
}

// AtAction opens the store for one look.
func (m actionMemory) AtAction(ctx context.Context, r hooks.ActionRequest) (hooks.Recalled, error) {
	s, err := store.OpenReadOnly(ctx, m.cfg.DB())
	if errors.Is(err, store.ErrNoStore) {
		return hooks.Recalled{}, nil
	}
	if err != nil {
		return hooks.Recalled{}, err
	}
	defer func() {
		if err := s.Close(); err != nil {
			m.log.Warn("store not closed cleanly", "kind", logs.StoreNotClosed, "error", err)
		}
	}()
	where := project.Find(r.CWD)
	o := recall.Occasion{
		Project: where.Key, SessionID: r.SessionID, MaxTokens: r.MaxTokens, Told: r.Told,
		Search: searchQuery(m.cfg, where.Key, builtInModels(m.cfg)),
	}
	var t recall.Telling
	switch r.Event {
	case memory.EventPreToolUse:
		t, err = recall.ForFile(ctx, s, writtenPaths(where, r.CWD, r.File), o)
	case memory.EventPostToolUseFailure:
		t, err = recall.ForFailure(ctx, s, r.Command, r.Error, o)
	case memory.EventUserPromptSubmit:
		t, err = recall.ForPrompt(ctx, s, r.Prompt, o)
	}
	if err != nil {
		return hooks.Recalled{}, err
	}
	ids := t.Fitting()
	return hooks.Recalled{IDs: ids, More: len(ids) < len(t.IDs()), Block: t.Block}, nil
}

// writtenPaths gives the ways in which a memory may have written down the path of a file:
// from the top of the project or of its work tree, else as it is; each also as links lead.
func writtenPaths(where project.Info, cwd, file string) []string {
	if !filepath.IsAbs(file) && !strings.HasPrefix(file, "/") && !strings.Contains(file, ":") {
		file = filepath.Join(cwd, file)
	}
	files := []string{file}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil { // the file may not be there yet
		files = append(files, filepath.Join(dir, filepath.Base(file)))
	}
	roots := []string{where.Key, where.Root}
	if where.Root != where.Key {
		roots = append(roots, cwd) // what happens in a work tree is told from where it happens
	}
	var inside, outside []string
	for _, f := range files {
		for _, root := range roots {
			rel := project.Rel(root, f)
			switch {
			case rel == f:
				outside = append(outside, strings.ReplaceAll(f, `\`, "/"), f)
			case rel != ".":
				inside = append(inside, rel)
			}
		}
	}
	var paths []string
	for _, p := range slices.Concat(inside, outside) {
		if !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	return paths
}
