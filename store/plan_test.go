package store

import (
	"fmt"
	"strings"
	"testing"

	"cmem/memory"
)

// plan gives how SQLite answers a query, a line a step.
func plan(t *testing.T, s *Store, query string, args ...any) string {
	t.Helper()
	lines, err := all(t.Context(), s.read, func(r row) (string, error) {
		var id, parent, unused int
		var detail string
		err := r.Scan(&id, &parent, &unused, &detail)
		return detail, err
	}, "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return strings.Join(lines, "\n")
}

// A page must cost the same wherever it is and however much there is: each list
// is answered from an index in the order of that index.
func TestPagesAreReadFromAnIndexInOrder(t *testing.T) {
	s := newStore(t)
	cursor := memory.Cursor{EpochMS: noon.UnixMilli(), Kind: memory.KindObservation, ID: 5}
	filters := map[string]memory.Filter{
		"by_time": {}, "by_project": {Project: webshop}, "by_session": {SessionID: "s1", Project: webshop},
	}
	wide := memory.Filter{
		Agents: []string{"a"}, Branches: []string{"b"},
		Types: []string{"bugfix"}, Concepts: []string{"c"}, Tags: []string{"t"}, Files: []string{"f"},
		After: noon, Before: noon, Statuses: []memory.Status{memory.StatusArchived}, IncludeExpired: true,
	}
	check := func(t *testing.T, index, query string, args []any) {
		t.Helper()
		got := plan(t, s, query, args...)
		first, _, _ := strings.Cut(got, "\n")
		if !strings.HasPrefix(first, "SEARCH ") || !strings.HasSuffix(strings.Fields(first)[len(strings.Fields(first))-1], ")") ||
			!strings.Contains(first, index+" (") || !strings.Contains(first, "created_at_epoch>? AND created_at_epoch<?") {
			t.Errorf("does not walk %s:\n%s\n%s", index, query, got)
		}
		if strings.Contains(got, "TEMP B-TREE") {
			t.Errorf("sorts:\n%s\n%s", query, got)
		}
	}
	for index, f := range filters {
		f := filter{Filter: f}
		for _, direction := range []string{"ASC", "DESC"} {
			t.Run(index+" "+direction, func(t *testing.T) {
				in := spanOf(f.Filter).before(cursor, memory.KindObservation)
				query, args := s.observationPage(f, in, direction, 50)
				check(t, "observations_"+index, query, args)
				narrow := filter{Filter: wide}
				narrow.Project, narrow.SessionID = f.Project, f.SessionID
				query, args = s.observationPage(narrow, in, direction, 50)
				check(t, "observations_"+index, query, args)
				for _, f := range []filter{f, narrow} {
					query, args = summaryPage(f, in, direction, 50)
					check(t, "session_summaries_"+index, query, args)
					query, args = promptPage(f, in, direction, 50)
					check(t, "user_prompts_"+index, query, args)
				}
				for kind, table := range map[memory.ItemKind]string{
					memory.KindObservation: "observations_", memory.KindPrompt: "user_prompts_", memory.KindSummary: "session_summaries_",
				} {
					query, args = s.timelinePage(kind, f, in, direction, 50)
					check(t, table+index, query, args)
				}
				if f.SessionID == "" {
					query, args = sessionPage(f, in, direction, 50)
					check(t, "sdk_sessions_"+index, query, args)
				}
			})
		}
	}
}

func TestQueriesUseTheirIndex(t *testing.T) {
	s := newStore(t)
	pinned, pinnedArgs := s.observationPage(filter{Filter: memory.Filter{Project: webshop, PinnedOnly: true}}, span{lowest, highest}, "DESC", 50)
	everyPinned, everyPinnedArgs := s.observationPage(filter{Filter: memory.Filter{PinnedOnly: true}}, span{lowest, highest}, "DESC", 50)
	w := s.observationsWhere(filter{Filter: memory.Filter{Project: webshop}}, span{lowest, highest})
	counting := "SELECT count(*) FROM observations WHERE " + w.String()
	tests := []struct {
		name, want, query string
		args              []any
	}{
		{"pinned", "SEARCH observations USING INDEX observations_pinned", pinned, pinnedArgs},
		{"pinned of all projects", "SEARCH observations USING INDEX observations_pinned", everyPinned, everyPinnedArgs},
		{"count", "SEARCH observations USING COVERING INDEX observations_by_project", counting, w.args},
		{"due sessions", "INDEX sdk_sessions_due", "SELECT id FROM sdk_sessions WHERE summary_due = 1 ORDER BY id", nil},
		{"open batches", "USING INDEX batches_open", "SELECT id, events FROM batches WHERE state <> 'done' AND next_attempt_epoch <= 5 ORDER BY id LIMIT 1", nil},
		{
			"ungrouped events", "USING INDEX events_unbatched",
			"SELECT session_id, prompt_number, count(*), max(created_at_epoch) FROM events WHERE batch_id IS NULL GROUP BY session_id, prompt_number", nil,
		},
		{"events of a batch", "SEARCH events USING INDEX events_by_batch", "SELECT payload FROM events WHERE batch_id = 5 ORDER BY event_id", nil},
		{
			"story", "SEARCH events USING INDEX events_story",
			"SELECT payload FROM events WHERE session_id = 's' AND (event IN ('Stop', 'SubagentStop') OR tool_name IN ('TodoWrite', 'TaskCreate', 'TaskUpdate')) ORDER BY event_id DESC LIMIT 5", nil,
		},
		{
			"all raw events", "SEARCH events USING INDEX events_by_prompt (session_id=? AND (prompt_number,event_id)>(?,?))",
			`SELECT payload FROM events WHERE session_id = 's'
			AND (prompt_number, event_id) > (coalesce((SELECT prompt_number FROM events WHERE event_id = 'x'), -1), 'x') ORDER BY prompt_number, event_id`, nil,
		},
		{"rejected batch", "SEARCH tombstones USING COVERING INDEX tombstones_by_batch", rejected, []any{5}},
		{"rejected observations", "SEARCH observations USING INDEX observations_by_batch", rejected, []any{5}},
		{"forgotten memory", "SEARCH tombstones USING INDEX tombstones_forgotten (session_id=? AND kind=?)", forgottenRow, []any{"s", "observation", 1, "u"}},
		{"forgotten at a prompt", "SEARCH tombstones USING INDEX tombstones_forgotten (session_id=? AND kind=?)", forgottenAtPrompt, []any{"s", 1}},
		{"last deleted id", "SEARCH tombstones USING COVERING INDEX sqlite_autoindex_tombstones_1 (kind=?)", "SELECT " + nextID("observations", memory.KindObservation), nil},
		{
			"deleted twin", "SEARCH tombstones USING INDEX tombstones_by_session (session_id=? AND kind=? AND content_hash=?)",
			"SELECT uid FROM tombstones WHERE session_id = 's' AND kind = 'observation' AND content_hash = 'h' LIMIT 1", nil,
		},
		{"open batches of a page", "USING INDEX batches_open", "SELECT id, events FROM batches WHERE state <> 'done' AND id > 5 ORDER BY id LIMIT 1", nil},
		{"sessions of an agent", "USING COVERING INDEX sdk_sessions_by_agent", "SELECT count(*) FROM (SELECT 1 FROM sdk_sessions WHERE agent IN (SELECT value FROM json_each('[]')) LIMIT 9)", nil},
		{"provisional", "SEARCH observations USING INDEX observations_by_batch", "DELETE FROM observations WHERE batch_id = 5 AND provisional = 1", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := plan(t, s, tt.query, tt.args...)
			if !strings.Contains(got, tt.want) || strings.Contains(got, "TEMP B-TREE") {
				t.Errorf("%s\n%s\nwant %s and no sorting", tt.query, got, tt.want)
			}
		})
	}
}

// The other way round a search in a large store takes seconds.
func TestTheIndexOfWordsDrivesASearch(t *testing.T) {
	s := newStore(t)
	for i, f := range []memory.Filter{{}, {Project: webshop, Types: []string{"bugfix"}, Concepts: []string{"c"}, Files: []string{"f"}}, {SessionID: "s1", PinnedOnly: true}, {Agents: []string{"a"}, Branches: []string{"b"}}} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			for query, args := range map[string][]any{observationWords.query(pageOfRows): {`"cart"`, 500, 20}, observationWords.query(rowsSince): {`"cart"`, 5}} {
				if got := plan(t, s, query, args...); !strings.HasPrefix(got, "SCAN observations_fts VIRTUAL TABLE INDEX") || strings.Contains(got, "TEMP B-TREE") {
					t.Errorf("%s\n%s", query, got)
				}
			}
			query, args := s.textsOf(observationWords, []int64{1, 2}, filter{Filter: f})
			got := plan(t, s, query, args...)
			if !strings.Contains(got, "SEARCH observations USING INTEGER PRIMARY KEY (rowid=?)") || strings.Contains(got, "TEMP B-TREE") {
				t.Errorf("%s\n%s", query, got)
			}
		})
	}
}
