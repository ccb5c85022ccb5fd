package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"cmem/memory"
)

// The fields that Values knows the values of.
const (
	FieldType    = "type"
	FieldConcept = "concept"
	FieldTag     = "tag"
	FieldFile    = "file"
	FieldBranch  = "branch"
	FieldAgent   = "agent"
)

// Values gives values that a field of a filter can have, the most frequent first,
// for completing what a person types: those that begin with prefix, in small
// letters or capitals; of files those that contain it. They come from the newest
// 5,000 observations, whatever their status, and the newest 5,000 sessions, of a
// project or, when that is empty, of all; types from everything. N is in how many
// observations they are, of agents in how many sessions; a branch that no
// observation has yet has 0. A field that is none of the Field constants is an
// error.
func (s *Store) Values(ctx context.Context, field, prefix, project string, limit int) ([]memory.Count, error) {
	counts, err := s.valuesOf(ctx, field, project)
	if err != nil {
		return nil, fmt.Errorf("list values of %s: %w", field, err)
	}
	prefix = strings.ToLower(clean(prefix))
	for name := range counts {
		lower := strings.ToLower(name)
		if name == "" || !strings.HasPrefix(lower, prefix) && (field != FieldFile || !strings.Contains(lower, prefix)) {
			delete(counts, name)
		}
	}
	return most(counts, limit), nil
}

func (s *Store) valuesOf(ctx context.Context, field, project string) (map[string]int, error) {
	f := memory.Filter{
		Project: project, IncludeExpired: true,
		Statuses: []memory.Status{memory.StatusActive, memory.StatusArchived, memory.StatusSuperseded, memory.StatusInvalid},
	}
	switch field {
	case FieldType:
		if project == "" {
			return s.countWords(ctx, "SELECT type, sum(observations) FROM project_types WHERE observations > 0 GROUP BY type")
		}
		return s.countWords(ctx, "SELECT type, observations FROM project_types WHERE observations > 0 AND project = ?", project)
	case FieldConcept:
		return s.countLists(ctx, "concepts, '[]'", f)
	case FieldTag:
		return s.countLists(ctx, "tags, '[]'", f)
	case FieldFile:
		return s.countLists(ctx, "files_read, files_modified", f)
	case FieldAgent:
		return s.countSessions(ctx, "agent", f)
	case FieldBranch:
		w := s.observationsWhere(filter{Filter: f}, spanOf(f))
		counts, err := s.countWords(ctx, fmt.Sprintf(`SELECT git_branch, count(*) FROM (SELECT git_branch FROM observations
			WHERE %s ORDER BY created_at_epoch DESC, id DESC LIMIT %d) GROUP BY git_branch`, w, newestRows), w.args...)
		if err != nil {
			return nil, err
		}
		sessions, err := s.countSessions(ctx, "git_branch", f)
		for name := range sessions {
			counts[name] += 0
		}
		return counts, err
	}
	return nil, errors.New("there is no such field")
}

// countSessions counts the values of a column of the newest sessions.
func (s *Store) countSessions(ctx context.Context, column string, f memory.Filter) (map[string]int, error) {
	var w where
	w.origin("sdk_sessions", filter{Filter: f}, spanOf(f))
	return s.countWords(ctx, fmt.Sprintf(`SELECT %[1]s, count(*) FROM (SELECT %[1]s FROM sdk_sessions
		WHERE %[2]s ORDER BY created_at_epoch DESC, id DESC LIMIT %[3]d) GROUP BY %[1]s`, column, &w, newestRows), w.args...)
}

// countWords gives the answer of a query for words and numbers.
func (s *Store) countWords(ctx context.Context, query string, args ...any) (map[string]int, error) {
	counts := map[string]int{}
	_, err := all(ctx, s.read, func(r row) (struct{}, error) {
		var name string
		var n int
		err := r.Scan(&name, &n)
		counts[name] = n
		return struct{}{}, err
	}, query, args...)
	return counts, err
}
