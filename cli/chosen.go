package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"cmem/export"
	"cmem/memory"
	"cmem/store"
)

// exportChosen writes chosen memories as Markdown into a new file of the current
// directory and gives its path.
func (a *App) exportChosen(ctx context.Context, s *store.Store, refs []memory.Ref) (string, error) {
	source, err := readChosen(ctx, s, refs)
	if err != nil {
		return "", err
	}
	dir, err := a.Getwd()
	if err != nil {
		return "", err
	}
	f, err := newFile(dir, "cmem-export-"+a.Now().Format("20060102-150405"), ".md")
	if err != nil {
		return "", fmt.Errorf("make a file for the export: %w", err)
	}
	_, err = export.Write(ctx, source, f, export.Options{Filter: export.Everything(memory.Filter{}), Location: a.Now().Location()})
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = os.Remove(f.Name()) // half an export helps nobody
		return "", err
	}
	return a.shortPath(f.Name()), nil
}

// maxNames is how many names are tried for a new file.
const maxNames = 100

// newFile makes a file that was not there before, for its owner's eyes only.
func newFile(dir, name, ext string) (*os.File, error) {
	for n := 1; ; n++ {
		path := filepath.Join(dir, name+ext)
		if n > 1 {
			path = filepath.Join(dir, fmt.Sprintf("%s-%d%s", name, n, ext))
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil || !errors.Is(err, fs.ErrExist) || n == maxNames {
			return f, err
		}
	}
}

// chosen is memories that a person chose, as a source of an export.
type chosen struct {
	*store.Store // the sessions
	observations []memory.Observation
	summaries    []memory.Summary
	prompts      []memory.Prompt
}

var _ export.Source = chosen{}

// readChosen reads chosen memories. The error is a *store.MissingError with all
// that are not there.
func readChosen(ctx context.Context, s *store.Store, refs []memory.Ref) (chosen, error) {
	out := chosen{Store: s}
	var missing []memory.Ref
	for _, ref := range refs {
		var err error
		switch ref.Kind {
		case memory.KindObservation:
			out.observations, err = appended(out.observations)(s.Observation(ctx, ref.ID))
		case memory.KindSummary:
			out.summaries, err = appended(out.summaries)(s.Summary(ctx, ref.ID))
		default:
			out.prompts, err = appended(out.prompts)(s.Prompt(ctx, ref.ID))
		}
		switch {
		case errors.Is(err, store.ErrNotFound):
			missing = append(missing, ref)
		case err != nil:
			return out, fmt.Errorf("read %s %d: %w", ref.Kind, ref.ID, err)
		}
	}
	if len(missing) > 0 {
		return out, fmt.Errorf("read what is to be exported: %w", &store.MissingError{Refs: missing})
	}
	slices.SortFunc(out.observations, func(a, b memory.Observation) int { return byTime(a.CreatedAt, b.CreatedAt, a.ID, b.ID) })
	slices.SortFunc(out.summaries, func(a, b memory.Summary) int { return byTime(a.CreatedAt, b.CreatedAt, a.ID, b.ID) })
	slices.SortFunc(out.prompts, func(a, b memory.Prompt) int { return byTime(a.CreatedAt, b.CreatedAt, a.ID, b.ID) })
	return out, nil
}

// appended adds what was read to a list, unless it could not be.
func appended[T any](list []T) func(T, error) ([]T, error) {
	return func(item T, err error) ([]T, error) {
		if err != nil {
			return list, err
		}
		return append(list, item), nil
	}
}

func byTime(a, b time.Time, x, y int64) int { return cmp.Or(a.Compare(b), cmp.Compare(x, y)) }

// in gives the rows of a session, or all.
func in[T any](rows []T, session string, of func(T) string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, r := range rows {
			if (session == "" || of(r) == session) && !yield(r, nil) {
				return
			}
		}
	}
}

// ScanObservations gives the chosen observations, oldest first.
func (c chosen) ScanObservations(_ context.Context, f memory.Filter) iter.Seq2[memory.Observation, error] {
	return in(c.observations, f.SessionID, func(o memory.Observation) string { return o.SessionID })
}

// ScanSummaries gives the chosen summaries, oldest first.
func (c chosen) ScanSummaries(_ context.Context, f memory.Filter) iter.Seq2[memory.Summary, error] {
	return in(c.summaries, f.SessionID, func(s memory.Summary) string { return s.SessionID })
}

// ScanPrompts gives the chosen prompts, oldest first.
func (c chosen) ScanPrompts(_ context.Context, f memory.Filter) iter.Seq2[memory.Prompt, error] {
	return in(c.prompts, f.SessionID, func(p memory.Prompt) string { return p.SessionID })
}

// CountObservations counts the chosen observations.
func (c chosen) CountObservations(context.Context, memory.Filter) (int, error) {
	return len(c.observations), nil
}
