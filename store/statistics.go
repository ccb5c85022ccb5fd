package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"cmem/memory"
)

const (
	// maxDays is how many days Activity counts at most: 53 weeks.
	maxDays = 53 * 7
	// newestRows is of how many rows lists are counted: the newest tell what matters
	// now, and the cost does not grow with the store.
	newestRows = 5000
)

// Activity counts what happened on each day from the day of from up to, not
// including, to, in the location of from: whole days, oldest first, days without
// anything too. Every observation counts, whatever its status. Of more than 53
// weeks the last are counted. An empty project means all.
func (s *Store) Activity(ctx context.Context, project string, from, to time.Time) ([]memory.DayActivity, error) {
	days := daysBetween(from, to)
	if len(days) == 0 {
		return nil, nil
	}
	// Each day is a stretch of an index that holds all that is asked: grouping would
	// have to sort every row.
	spans := make([][2]int64, len(days))
	for i := range days {
		spans[i] = [2]int64{days[i].Day.UnixMilli(), nextMidnight(days[i].Day).UnixMilli()}
	}
	encoded, err := json.Marshal(spans)
	if err != nil {
		return nil, fmt.Errorf("read the activity: %w", err)
	}
	for _, c := range []struct {
		table string
		field func(*memory.DayActivity) *int
	}{
		{"observations", func(d *memory.DayActivity) *int { return &d.Observations }},
		{"user_prompts", func(d *memory.DayActivity) *int { return &d.Prompts }},
		{"sdk_sessions", func(d *memory.DayActivity) *int { return &d.Sessions }},
	} {
		query, args := activityQuery(c.table, project, string(encoded))
		counts, err := all(ctx, s.read, scanNumber, query, args...)
		if err != nil {
			return nil, fmt.Errorf("read the activity: %w", err)
		}
		for i, n := range counts {
			*c.field(&days[i]) = int(n)
		}
	}
	return days, nil
}

func activityQuery(table, project, spans string) (query string, args []any) {
	args = []any{spans}
	of := ""
	if project != "" {
		of = "project = ?2 AND "
		args = append(args, project)
	}
	return fmt.Sprintf(`SELECT (SELECT count(*) FROM %s WHERE %s
			created_at_epoch >= json_extract(day.value, '$[0]') AND created_at_epoch < json_extract(day.value, '$[1]'))
		FROM json_each(?1) AS day ORDER BY day.key`, table, of), args
}

// daysBetween gives the days from that of from up to to, which is not included,
// with nothing counted.
func daysBetween(from, to time.Time) []memory.DayActivity {
	to = to.In(from.Location())
	if earliest := to.AddDate(0, 0, -maxDays-1); from.Before(earliest) {
		from = earliest
	}
	var days []memory.DayActivity
	for day := midnight(from); day.Before(to); day = nextMidnight(day) {
		days = append(days, memory.DayActivity{Day: day})
	}
	return days[max(0, len(days)-maxDays):]
}

// midnight is the beginning of the day of t in its location.
func midnight(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, t.Location())
}

// nextMidnight is the beginning of the next day, which is not always 24 hours later.
func nextMidnight(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day+1, 0, 0, 0, 0, t.Location())
}

// TopFiles gives the files that occur most in the newest 5,000 observations that
// f takes, read or modified, with in how many of them.
func (s *Store) TopFiles(ctx context.Context, f memory.Filter, limit int) ([]memory.Count, error) {
	return s.top(ctx, "files_read, files_modified", f, limit)
}

// TopConcepts gives the concepts that occur most in the newest 5,000 observations
// that f takes.
func (s *Store) TopConcepts(ctx context.Context, f memory.Filter, limit int) ([]memory.Count, error) {
	return s.top(ctx, "concepts, '[]'", f, limit)
}

// TopTags gives the tags that occur most in the newest 5,000 observations that f
// takes.
func (s *Store) TopTags(ctx context.Context, f memory.Filter, limit int) ([]memory.Count, error) {
	return s.top(ctx, "tags, '[]'", f, limit)
}

func (s *Store) top(ctx context.Context, columns string, f memory.Filter, limit int) ([]memory.Count, error) {
	counts, err := s.countLists(ctx, columns, f)
	if err != nil {
		return nil, fmt.Errorf("count %s: %w", strings.TrimSuffix(columns, ", '[]'"), err)
	}
	return most(counts, limit), nil
}

// countLists counts the entries of two list columns in the newest rows, each once
// a row.
func (s *Store) countLists(ctx context.Context, columns string, f memory.Filter) (map[string]int, error) {
	narrow, err := s.narrowed(ctx, f)
	if err != nil {
		return nil, err
	}
	w := s.observationsWhere(narrow, spanOf(f))
	rows, err := all(ctx, s.read, func(r row) ([]string, error) {
		var one, two []string
		err := r.Scan(list{&one}, list{&two})
		return union(one, two), err
	}, fmt.Sprintf("SELECT %s FROM observations WHERE %s ORDER BY created_at_epoch DESC, id DESC LIMIT %d", columns, w, newestRows), w.args...)
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for _, entries := range rows {
		for _, entry := range entries {
			counts[entry]++
		}
	}
	return counts, nil
}

// most gives the names that occur most, those that occur alike by name.
func most(counts map[string]int, limit int) []memory.Count {
	out := make([]memory.Count, 0, len(counts))
	for name, n := range counts {
		out = append(out, memory.Count{Name: name, N: n})
	}
	slices.SortFunc(out, func(a, b memory.Count) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name))
	})
	return out[:min(max(limit, 0), len(out))]
}
