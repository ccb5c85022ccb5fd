package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cmem/memory"
	"cmem/project"
)

// filterFlags are the flags by which the reading commands narrow what they show.
type filterFlags struct {
	project, after, before string
	projects               []string // instead of project, where several can be named
	types, concepts, files []string
	session                string
}

func (f *filterFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.project, "project", "p", "", `only this project: its name, its path, or "." for the one here`)
	f.addOthers(cmd)
}

// addSeveral is add for a command that takes several projects.
func (f *filterFlags) addSeveral(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&f.projects, "project", "p", nil, `only this project: its name, its path, or "." for the one here; repeat it for several`)
	f.addOthers(cmd)
}

func (f *filterFlags) addOthers(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.session, "session", "", "only this session: its id or the beginning of it")
	fl.StringSliceVarP(&f.types, "type", "t", nil, "only these types ("+strings.Join(memory.ObservationTypes(), ", ")+")")
	fl.StringSliceVar(&f.concepts, "concept", nil, "only these concepts")
	fl.StringSliceVar(&f.files, "file", nil, "only where a file's path contains this")
	fl.StringVar(&f.after, "after", "", `only from this time on: 2026-11-30, "2026-11-30 14:00", 7d, 12h`)
	fl.StringVar(&f.before, "before", "", "only before this time; a day counts whole")
	_ = cmd.RegisterFlagCompletionFunc("type", cobra.FixedCompletions(memory.ObservationTypes(), cobra.ShellCompDirectiveNoFileComp))
}

// any reports whether one of the flags was given.
func (f *filterFlags) any() bool {
	return f.project != "" || len(f.projects) > 0 || f.session != "" || !f.onlyOrigin()
}

// onlyOrigin reports whether no flag asks for less than whole sessions.
func (f *filterFlags) onlyOrigin() bool {
	return f.after == "" && f.before == "" && len(f.types) == 0 && len(f.concepts) == 0 && len(f.files) == 0
}

// lister is what finding a project or a session by its name needs of the store.
type lister interface {
	Projects(ctx context.Context) ([]memory.Project, error)
	SessionsByPrefix(ctx context.Context, prefix string, limit int) ([]memory.Session, error)
}

// filter gives what the flags say.
func (f *filterFlags) filter(ctx context.Context, a *App, src lister) (memory.Filter, error) {
	out := memory.Filter{Types: f.types, Concepts: f.concepts, Files: f.files}
	var err error
	if f.project != "" {
		if out.Project, err = a.findProject(ctx, src, f.project); err != nil {
			return out, err
		}
	}
	for _, name := range f.projects {
		key, err := a.findProject(ctx, src, name)
		if err != nil {
			return out, err
		}
		if out.Project == "" {
			out.Project = key
		} else {
			out.Projects = append(out.Projects, key)
		}
	}
	if f.session != "" {
		s, err := findSession(ctx, src, f.session)
		if err != nil {
			return out, err
		}
		out.SessionID = s.ID
	}
	if out.After, err = parseTime(f.after, a.Now(), false); err != nil {
		return out, usageError{fmt.Errorf("--after: %w", err)}
	}
	if out.Before, err = parseTime(f.before, a.Now(), true); err != nil {
		return out, usageError{fmt.Errorf("--before: %w", err)}
	}
	return out, nil
}

// here gives the key of the project of the working directory.
func (a *App) here() (string, error) {
	dir, err := a.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the working directory: %w", err)
	}
	return project.Find(dir).Key, nil
}

// findProject gives the key of a project named by ".", a path or its base name.
func (a *App) findProject(ctx context.Context, src lister, name string) (string, error) {
	if name == "." {
		return a.here()
	}
	all, err := src.Projects(ctx)
	if err != nil {
		return "", err
	}
	for _, p := range all {
		if p.Key == name {
			return p.Key, nil
		}
	}
	if strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, "~") {
		if rest, ok := strings.CutPrefix(name, "~"); ok {
			name = filepath.Join(a.Getenv("HOME"), rest)
		}
		abs, err := filepath.Abs(name)
		if err != nil {
			return "", fmt.Errorf("--project %s: %w", name, err)
		}
		return project.Find(abs).Key, nil
	}
	var found []string
	for _, p := range all {
		if strings.EqualFold(project.Name(p.Key), name) {
			found = append(found, p.Key)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fmt.Errorf("no project is called %q; `cmem sessions` shows the projects there are", name)
	default:
		return "", fmt.Errorf("%d projects are called %q; give the path: %s", len(found), name, strings.Join(found, ", "))
	}
}

// findSession gives the session whose id is or begins with id.
func findSession(ctx context.Context, src lister, id string) (memory.Session, error) {
	found, err := src.SessionsByPrefix(ctx, id, 2)
	if err != nil {
		return memory.Session{}, err
	}
	switch {
	case len(found) == 0:
		return memory.Session{}, fmt.Errorf("no session has an id that begins with %q; `cmem sessions` lists them", id)
	case len(found) > 1 && found[0].ID != id:
		return memory.Session{}, fmt.Errorf("several sessions have an id that begins with %q; give more of it", id)
	}
	return found[0], nil
}

// parseTime reads a day, a moment, or a span back from now. A day means its
// beginning or, with endOfDay, the beginning of the next, so that --before a day
// takes that day whole. Times without a zone are of this machine.
func parseTime(s string, now time.Time, endOfDay bool) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, s, time.Local); err == nil {
		if endOfDay {
			day = day.AddDate(0, 0, 1)
		}
		return day, nil
	}
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05"} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, nil
	}
	var n int
	var unit string
	if got, err := fmt.Sscanf(s, "%d%s", &n, &unit); err == nil && got == 2 && n >= 0 {
		switch unit {
		case "m":
			return now.Add(-time.Duration(n) * time.Minute), nil
		case "h":
			return now.Add(-time.Duration(n) * time.Hour), nil
		case "d":
			return now.AddDate(0, 0, -n), nil
		case "w":
			return now.AddDate(0, 0, -7*n), nil
		}
	}
	return time.Time{}, fmt.Errorf(`%q is not a time; write 2026-11-30, "2026-11-30 14:00", 7d or 12h`, s)
}
