package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

// guests fills a store with the sessions of several assistants on several
// branches: a prompt, two observations and a summary each.
func guests(t *testing.T) *Store {
	t.Helper()
	s := newStore(t)
	var b Bundle
	for i, v := range []memory.Session{
		{ID: "claude-1", Agent: "claude-code", GitBranch: "main"},
		{ID: "codex-1", Agent: "codex", GitBranch: "feat/cart"},
		{ID: "codex-2", Agent: "codex", GitBranch: "feature"},
		{ID: "gemini-1", Agent: "gemini", GitBranch: "修复/购物车", Project: "/other"},
	} {
		v.CreatedAt = noon.Add(time.Duration(i) * time.Hour)
		if v.Project == "" {
			v.Project = webshop
		}
		v.Title = "Title of " + v.ID
		b.Sessions = append(b.Sessions, v)
		b.Prompts = append(b.Prompts, memory.Prompt{
			SessionID: v.ID, Project: v.Project, Number: 1, Text: "prompt " + v.ID, CreatedAt: v.CreatedAt,
		})
		for n, branch := range []string{v.GitBranch, "elsewhere"} {
			b.Observations = append(b.Observations, memory.Observation{
				SessionID: v.ID, Project: v.Project, Title: fmt.Sprintf("fix %d of %s", n, v.ID), GitBranch: branch, Type: "bugfix",
				CreatedAt: v.CreatedAt.Add(time.Duration(n+1) * time.Minute), Concepts: []string{"cache"},
			})
		}
		b.Summaries = append(b.Summaries, memory.Summary{
			SessionID: v.ID, Project: v.Project, Request: "summary " + v.ID, CreatedAt: v.CreatedAt.Add(time.Hour / 2),
		})
	}
	if _, err := s.Import(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAgentsAndBranchesNarrowEveryList(t *testing.T) {
	s := guests(t)
	tests := []struct {
		name     string
		f        memory.Filter
		timeline string // newest first
	}{
		{
			"agent", memory.Filter{Agents: []string{"gemini", "none"}},
			"[summary gemini-1 fix 1 of gemini-1 fix 0 of gemini-1 prompt gemini-1]",
		},
		{"agent, in another project", memory.Filter{Agents: []string{"gemini"}, Project: webshop}, "[]"},
		{"no such agent", memory.Filter{Agents: []string{"' OR 1=1 --"}}, "[]"},
		{
			"agent of a session", memory.Filter{Agents: []string{"codex"}, SessionID: "codex-2", Kinds: []memory.ItemKind{memory.KindPrompt}},
			"[prompt codex-2]",
		},
		{"agent of another session", memory.Filter{Agents: []string{"gemini"}, SessionID: "codex-2"}, "[]"},
		{"branch, by its beginning", memory.Filter{Branches: []string{"feat/"}}, "[summary codex-1 fix 0 of codex-1 prompt codex-1]"},
		{
			"branches, chinese", memory.Filter{Branches: []string{"修复", "main"}},
			"[summary gemini-1 fix 0 of gemini-1 prompt gemini-1 summary claude-1 fix 0 of claude-1 prompt claude-1]",
		},
		{"branch that a session left", memory.Filter{Branches: []string{"elsewhere"}, Agents: []string{"codex"}}, "[fix 1 of codex-2 fix 1 of codex-1]"},
		{"branch, percent is no wildcard", memory.Filter{Branches: []string{"%", "f_at"}}, "[]"},
		{
			"agent and kinds", memory.Filter{Agents: []string{"codex"}, Kinds: []memory.ItemKind{memory.KindSummary, memory.KindPrompt}},
			"[summary codex-2 prompt codex-2 summary codex-1 prompt codex-1]",
		},
		{"agent and time", memory.Filter{Agents: []string{"codex"}, After: noon.Add(2*time.Hour + time.Minute)}, "[summary codex-2 fix 1 of codex-2 fix 0 of codex-2]"},
		{"agent and details", memory.Filter{Agents: []string{"gemini"}, Concepts: []string{"cache"}}, "[fix 1 of gemini-1 fix 0 of gemini-1]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			items, err := s.Timeline(t.Context(), tt.f, memory.Cursor{}, 100)
			if err != nil {
				t.Fatal(err)
			}
			var shown, observations []string
			for _, i := range items {
				shown = append(shown, i.Title)
				if i.Kind == memory.KindObservation {
					observations = append(observations, i.Title)
				}
			}
			if got := fmt.Sprint(shown); got != tt.timeline {
				t.Errorf("timeline %s\nwant %s", got, tt.timeline)
			}
			newer, err := s.TimelineNewer(t.Context(), tt.f, memory.Cursor{}, 100)
			if err != nil {
				t.Fatal(err)
			}
			slices.Reverse(newer)
			if !slices.Equal(newer, items) {
				t.Errorf("newer rows %+v, want %+v", newer, items)
			}
			if len(tt.f.Kinds) > 0 {
				return
			}
			sameObservations(t, s, tt.f, observations)
		})
	}
}

// sameObservations checks that every way to ask for the observations of a filter
// gives those with the titles, newest first, also without looking through few
// sessions one by one.
func sameObservations(t *testing.T, s *Store, f memory.Filter, want []string) {
	t.Helper()
	var listed, found, scanned, walked []string
	list, err := s.ListObservations(t.Context(), f, memory.Cursor{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list {
		listed = append(listed, o.Title)
	}
	hits, err := s.Search(t.Context(), "fix", f, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hits {
		found = append(found, h.Observation.Title)
	}
	for o, err := range s.ScanObservations(t.Context(), f) {
		if err != nil {
			t.Fatal(err)
		}
		scanned = append(scanned, o.Title)
	}
	slices.Reverse(scanned)
	query, args := s.observationPage(filter{Filter: f}, spanOf(f), "DESC", 100)
	wide, err := all(t.Context(), s.read, scanObservation, query, args...)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range wide {
		walked = append(walked, o.Title)
	}
	slices.Sort(found)
	sorted := slices.Sorted(slices.Values(want))
	n, err := s.CountObservations(t.Context(), f)
	if err != nil || !slices.Equal(listed, want) || !slices.Equal(found, sorted) || !slices.Equal(scanned, want) ||
		!slices.Equal(walked, want) || n != len(want) {
		t.Errorf("listed %q, found %q, scanned %q, walked %q, counted %d, want %q (%v)", listed, found, scanned, walked, n, want, err)
	}
}

func TestSessionsAreFilteredByAgentAndBranch(t *testing.T) {
	s := guests(t)
	for _, tt := range []struct {
		f    memory.Filter
		want string
	}{
		{memory.Filter{Agents: []string{"codex"}}, "[codex-2 codex-1]"},
		{memory.Filter{Branches: []string{"feat"}}, "[codex-2 codex-1]"},
		{memory.Filter{Branches: []string{"feat/", "修复/"}, Agents: []string{"gemini", "codex"}}, "[gemini-1 codex-1]"},
		{memory.Filter{Agents: []string{"codex"}, Project: "/other"}, "[]"},
	} {
		list, err := s.Sessions(t.Context(), tt.f, memory.Cursor{}, 10)
		if err != nil {
			t.Fatal(err)
		}
		ids := []string{}
		for _, v := range list {
			ids = append(ids, v.ID)
		}
		if got := fmt.Sprint(ids); got != tt.want {
			t.Errorf("%+v: sessions %s, want %s", tt.f, got, tt.want)
		}
		var scanned []string
		for v, err := range s.ScanSessions(t.Context(), tt.f) {
			if err != nil {
				t.Fatal(err)
			}
			scanned = append(scanned, v.ID)
		}
		slices.Reverse(scanned)
		if !slices.Equal(scanned, ids) {
			t.Errorf("%+v: scanned %q", tt.f, scanned)
		}
	}
	summaries, err := s.RecentSummaries(t.Context(), memory.Filter{Branches: []string{"main"}}, 10)
	if err != nil || len(summaries) != 1 || summaries[0].SessionID != "claude-1" {
		t.Errorf("summaries %+v (%v)", summaries, err)
	}
}

// An agent with many sessions is found by walking through time, one with few by
// looking through its sessions; neither reads the whole store.
func TestAFewSessionsAreLookedThroughOneByOne(t *testing.T) {
	s := guests(t)
	f, err := s.narrowed(t.Context(), memory.Filter{Agents: []string{"codex"}})
	if err != nil || !f.narrow || len(f.few) != 2 {
		t.Fatalf("narrowed %+v (%v)", f, err)
	}
	cursor := memory.Cursor{EpochMS: noon.UnixMilli(), Kind: memory.KindObservation, ID: 5}
	f.Project = webshop
	for kind, table := range tableOf {
		query, args := s.timelinePage(kind, f, spanOf(f.Filter).before(cursor, kind), "DESC", 50)
		want := fmt.Sprintf("SEARCH %s USING INDEX %[1]s_by_session (session_id=? AND created_at_epoch>? AND created_at_epoch<?)", table)
		if got := plan(t, s, query, args...); !strings.Contains(got, want) {
			t.Errorf("%s\n%s", query, got)
		}
	}
	var b Bundle
	for i := range fewSessions {
		b.Sessions = append(b.Sessions, memory.Session{ID: fmt.Sprint("many-", i), Agent: "codex", Project: webshop, CreatedAt: noon})
	}
	if _, err := s.Import(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if f, err = s.narrowed(t.Context(), memory.Filter{Agents: []string{"codex"}}); err != nil || f.narrow {
		t.Errorf("narrowed to %d sessions (%v)", len(f.few), err)
	}
	sameObservations(t, s, memory.Filter{Agents: []string{"codex"}},
		[]string{"fix 1 of codex-2", "fix 0 of codex-2", "fix 1 of codex-1", "fix 0 of codex-1"})
}

func TestOtherStatusesLeaveThePromptsOut(t *testing.T) {
	s, done, _ := peopled(t)
	if _, err := s.Edit(t.Context(), []int64{done[0].ID}, memory.Edit{Status: ptr(memory.StatusArchived)}); err != nil {
		t.Fatal(err)
	}
	kinds := func(f memory.Filter) string {
		t.Helper()
		items, err := s.Timeline(t.Context(), f, memory.Cursor{}, 100)
		if err != nil {
			t.Fatal(err)
		}
		count := map[memory.ItemKind]int{}
		for _, i := range items {
			count[i.Kind]++
		}
		return fmt.Sprint(count)
	}
	for _, tt := range []struct {
		f    memory.Filter
		want string
	}{
		{memory.Filter{Statuses: []memory.Status{memory.StatusArchived}}, "map[observation:1]"},
		{memory.Filter{}, "map[observation:3 prompt:2 summary:1]"},
		{memory.Filter{Statuses: []memory.Status{memory.StatusArchived, memory.StatusActive}}, "map[observation:4 prompt:2 summary:1]"},
		{memory.Filter{ExpiredOnly: true}, "map[observation:1]"},
		{memory.Filter{ExpiredOnly: true, IncludeExpired: true, Statuses: []memory.Status{memory.StatusArchived}}, "map[]"},
		{memory.Filter{Kinds: []memory.ItemKind{memory.KindSummary}}, "map[summary:1]"},
		{memory.Filter{Kinds: []memory.ItemKind{memory.KindPrompt}, Types: []string{"bugfix"}}, "map[]"},
	} {
		if got := kinds(tt.f); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.f, got, tt.want)
		}
	}
	if got := titles(t, s, memory.Filter{ExpiredOnly: true}); got != `["by import"]` {
		t.Errorf("expired %s", got)
	}
}
