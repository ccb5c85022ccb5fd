package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cmem/memory"
)

// scope is where a call looks: a filter, and the projects to take it in.
type scope struct {
	filter   memory.Filter // without a project
	projects []string      // keys, at least one; "" alone for all
}

// whole gives the filter with the projects, and with what counts in all of them.
func (s scope) whole() memory.Filter {
	f := s.filter
	f.Project, f.Global = s.projects[0], true
	if len(s.projects) > 1 {
		f.Projects = s.projects[1:]
	}
	return f
}

// everywhere reports whether a line has to say of which project it is.
func (s scope) everywhere() bool { return len(s.projects) > 1 || s.projects[0] == "" }

// readScope reads the parameters that narrow a list.
func (t *tools) readScope(ctx context.Context, src Source, a args) (scope, error) {
	var s scope
	f := &s.filter
	var err error
	for _, l := range []struct {
		to    *[]string
		names []string
	}{
		{&f.Types, []string{"type", "types", "obs_type"}},
		{&f.Concepts, []string{"concept", "concepts"}},
		{&f.Files, []string{"file", "files", "path"}},
		{&f.Tags, []string{"tag", "tags"}},
		{&f.Branches, []string{"branch", "branches"}},
		{&f.Agents, []string{"agent", "agents"}},
	} {
		if *l.to, err = a.list(l.names...); err != nil {
			return s, err
		}
	}
	if f.After, err = a.moment("after", "since", "dateStart"); err != nil {
		return s, err
	}
	if f.Before, err = a.moment("before", "until", "dateEnd"); err != nil {
		return s, err
	}
	if f.SessionID, err = a.text("session", "session_id"); err != nil {
		return s, err
	}
	if f.Kinds, err = readKinds(a); err != nil {
		return s, err
	}
	if err := readStatus(a, f); err != nil {
		return s, err
	}
	s.projects, err = t.readProjects(ctx, src, a)
	return s, err
}

// readKinds reads the kinds of rows, in the singular or the plural; none for the
// usual ones.
func readKinds(a args) ([]memory.ItemKind, error) {
	names, err := a.list("kinds", "kind")
	if err != nil {
		return nil, err
	}
	var kinds []memory.ItemKind
	for _, n := range names {
		switch strings.ToLower(n) {
		case "observation", "observations":
			kinds = append(kinds, memory.KindObservation)
		case "summary", "summaries":
			kinds = append(kinds, memory.KindSummary)
		case "prompt", "prompts":
			kinds = append(kinds, memory.KindPrompt)
		case "all", "*":
			kinds = append(kinds, memory.KindObservation, memory.KindSummary, memory.KindPrompt)
		default:
			return nil, mistakef("%q is no kind; there are observations, summaries and prompts", shorten(oneLine(n), 40))
		}
	}
	return kinds, nil
}

// readStatus reads which memories count besides the active ones.
func readStatus(a args, f *memory.Filter) error {
	names, err := a.list("status", "statuses")
	if err != nil {
		return err
	}
	if a.yes("archived", "include_archived") {
		names = append(names, "active", "archived")
	}
	f.ExpiredOnly = len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return !strings.EqualFold(n, "expired") })
	for _, n := range names {
		switch s := memory.Status(strings.ToLower(n)); s {
		case memory.StatusActive, memory.StatusArchived, memory.StatusSuperseded, memory.StatusInvalid:
			f.Statuses = append(f.Statuses, s)
		case "expired":
			f.IncludeExpired = true
		case "all", "any", "*":
			f.Statuses = []memory.Status{memory.StatusActive, memory.StatusArchived, memory.StatusSuperseded, memory.StatusInvalid}
			f.IncludeExpired = true
			return nil
		default:
			return mistakef("%q is no status; there are active, archived, superseded, invalid, expired and all", shorten(oneLine(n), 40))
		}
	}
	return nil
}

// readProjects reads the parameter project: nothing for the current one, "*" for
// all, a key, or the short name when only one project has it; several as a list.
func (t *tools) readProjects(ctx context.Context, src Source, a args) ([]string, error) {
	var named []string
	// A path may have a comma in it, so one project is a text.
	one, err := a.text("project")
	if err == nil && one != "" && !strings.HasPrefix(one, "[") {
		named = []string{one}
	} else if named, err = a.list("projects", "project"); err != nil {
		return nil, err
	}
	if len(named) == 0 {
		return []string{t.project}, nil
	}
	var known []memory.Project
	var keys []string
	for _, n := range named {
		switch {
		case n == "*" || strings.EqualFold(n, "all"):
			return []string{""}, nil
		case n == t.project:
			keys = append(keys, n)
			continue
		case known == nil:
			if known, err = src.Projects(ctx); err != nil {
				return nil, fmt.Errorf("list the projects: %w", err)
			}
		}
		key, err := projectKey(known, n)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

func projectKey(known []memory.Project, named string) (string, error) {
	var found, names []string
	for _, p := range known {
		if p.Key == named {
			return named, nil
		}
		name := shortName(p.Key)
		if strings.EqualFold(name, named) {
			found = append(found, p.Key)
		}
		names = append(names, name)
	}
	named = shorten(oneLine(named), 80)
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		if len(names) == 0 {
			return "", mistakef("there is no project %q", named)
		}
		return "", mistakef("there is no project %q; there are: %s", named, shorten(strings.Join(names, ", "), 400))
	}
	return "", mistakef("several projects are called %q: %s", named, shorten(strings.Join(found, ", "), 400))
}

// shortName gives a project's name for a reader: the last part of its key.
func shortName(key string) string {
	trimmed := strings.TrimRight(key, `/\`)
	return trimmed[strings.LastIndexAny(trimmed, `/\`)+1:]
}

// place says where was looked.
func (s scope) place() string {
	where := "in all projects"
	if s.projects[0] != "" {
		names := make([]string, len(s.projects))
		for i, key := range s.projects {
			names[i] = withinTokens(oneLine(shortName(key)), 12)
		}
		where = "in " + withinTokens(strings.Join(names, ", "), 24)
	}
	f := s.filter
	if f.SessionID != "" {
		where += ", session " + shorten(oneLine(f.SessionID), 40)
	}
	for _, l := range []struct {
		name   string
		values []string
	}{
		{"kind", texts(f.Kinds)}, {"type", f.Types}, {"concept", f.Concepts}, {"file", f.Files}, {"tag", f.Tags},
		{"branch", f.Branches}, {"agent", f.Agents}, {"status", texts(f.Statuses)},
	} {
		if len(l.values) > 0 {
			where += ", " + l.name + " " + withinTokens(oneLine(strings.Join(l.values, " or ")), 20)
		}
	}
	if f.ExpiredOnly {
		where += ", status expired"
	}
	if !f.After.IsZero() {
		where += ", after " + stamp(f.After)
	}
	if !f.Before.IsZero() {
		where += ", before " + stamp(f.Before)
	}
	return where
}

func texts[T ~string](list []T) []string {
	var out []string
	for _, v := range list {
		out = append(out, string(v))
	}
	return out
}

// broader says how an empty answer might be helped.
func (s scope) broader(query string) string {
	f := s.filter
	var ways []string
	if len(f.Types)+len(f.Concepts)+len(f.Files)+len(f.Tags)+len(f.Branches)+len(f.Agents)+len(f.Kinds) > 0 || !f.After.IsZero() || !f.Before.IsZero() {
		ways = append(ways, "fewer filters")
	}
	if strings.ContainsAny(query, " \t") {
		ways = append(ways, "fewer or other words")
	}
	if s.projects[0] != "" {
		ways = append(ways, `project="*"`)
	}
	if len(ways) == 0 {
		return ""
	}
	return " Try " + strings.Join(ways, ", ") + "."
}
