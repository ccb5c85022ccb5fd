package store

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

// neighbours fills a store with observations, prompts and summaries of four projects;
// every fifth observation counts in every project.
func neighbours(t *testing.T) *Store {
	t.Helper()
	s := newStore(t)
	var b Bundle
	for i := range 80 {
		at := noon.Add(time.Duration(i/3) * time.Millisecond)
		project := fmt.Sprint("/p", i%4)
		session := fmt.Sprint("s", i%4)
		o := memory.Observation{SessionID: session, Project: project, Title: fmt.Sprint("cart title ", i), CreatedAt: at}
		if i%5 == 0 {
			o.Scope = []memory.Scope{memory.ScopeGlobal, memory.ScopeTeam}[i%2]
		}
		b.Observations = append(b.Observations, o)
		b.Prompts = append(b.Prompts, memory.Prompt{SessionID: session, Project: project, Number: i + 1, Text: fmt.Sprint("cart prompt ", i), CreatedAt: at})
		if i%8 < 4 {
			b.Summaries = append(b.Summaries, memory.Summary{SessionID: session, Project: project, Request: fmt.Sprint("cart request ", i), CreatedAt: at})
		}
	}
	if _, err := s.Import(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSeveralProjectsAndTheGlobalLayerAreOneList(t *testing.T) {
	s := neighbours(t)
	ctx := t.Context()
	every, err := s.Timeline(ctx, memory.Filter{}, memory.Cursor{}, 1000)
	if err != nil || len(every) != 200 {
		t.Fatalf("%d rows (%v)", len(every), err)
	}
	var many []string
	for i := range maxParts + 5 {
		many = append(many, fmt.Sprint("/p", i+2))
	}
	for name, f := range map[string]memory.Filter{
		"two":                       {Projects: []string{"/p1", "/p3"}},
		"two, one of them twice":    {Project: "/p1", Projects: []string{"/p1", "/p3"}},
		"one and the global layer":  {Project: "/p2", Global: true},
		"two and the global layer":  {Project: "/p2", Projects: []string{"/p0"}, Global: true},
		"all, and the global layer": {Global: true},
		"very many":                 {Projects: many, Global: true},
		"none that there is":        {Project: "/nowhere", Global: true},
		"of a time":                 {Project: "/p2", Global: true, After: noon.Add(5 * time.Millisecond), Before: noon.Add(20 * time.Millisecond)},
		"of a session":              {Project: "/p2", Global: true, SessionID: "s0"},
	} {
		t.Run(name, func(t *testing.T) {
			var want []memory.Item
			for _, i := range every {
				takes := len(f.Keys()) == 0 || slices.Contains(f.Keys(), i.Project) || f.Global && i.Scope.IsGlobal()
				inTime := (f.After.IsZero() || !i.CreatedAt.Before(f.After)) && (f.Before.IsZero() || i.CreatedAt.Before(f.Before))
				if takes && inTime && (f.SessionID == "" || f.SessionID == i.SessionID) {
					want = append(want, i)
				}
			}
			var got []memory.Item
			for cursor := (memory.Cursor{}); ; {
				page, err := s.Timeline(ctx, f, cursor, 7)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, page...)
				if len(page) < 7 {
					break
				}
				cursor = page[len(page)-1].Cursor()
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%d rows in pages, want %d", len(got), len(want))
			}
			var ids []int64
			for _, i := range want {
				if i.Kind == memory.KindObservation {
					ids = append(ids, i.ID)
				}
			}
			slices.Sort(ids)
			if n, err := s.CountObservations(ctx, f); err != nil || n != len(ids) {
				t.Errorf("counted %d, want %d (%v)", n, len(ids), err)
			}
			list, err := s.ListObservations(ctx, f, memory.Cursor{}, 1000)
			if have := slices.Sorted(slices.Values(numbersOf(list))); err != nil || !slices.Equal(have, ids) {
				t.Errorf("listed %v, want %v (%v)", have, ids, err)
			}
			var found, matches []int64
			hits, err := s.Search(ctx, "cart", f, 1000)
			for _, h := range hits {
				found = append(found, h.Observation.ID)
			}
			m, merr := s.Match(ctx, "cart", f, 1000)
			for _, h := range m.Hits {
				matches = append(matches, h.Observation.ID)
			}
			slices.Sort(found)
			slices.Sort(matches)
			if err != nil || merr != nil || !slices.Equal(found, ids) || !slices.Equal(matches, ids) {
				t.Errorf("found %v, matched %v, want %v (%v, %v)", found, matches, ids, err, merr)
			}
		})
	}
}

func TestTheScopesOfAFilterAreTaken(t *testing.T) {
	s := neighbours(t)
	for want, f := range map[int]memory.Filter{
		16: {Scopes: []memory.Scope{memory.ScopeGlobal, memory.ScopeTeam}},
		8:  {Scopes: []memory.Scope{memory.ScopeTeam}},
		64: {Scopes: []memory.Scope{memory.ScopeProject}},
		4:  {Scopes: []memory.Scope{memory.ScopeGlobal, memory.ScopeTeam}, Project: "/p1"},
	} {
		if n, err := s.CountObservations(t.Context(), f); err != nil || n != want {
			t.Errorf("%v: %d, want %d (%v)", f.Scopes, n, want, err)
		}
	}
}

func TestAPageOfSeveralProjectsIsPutTogetherFromIndexes(t *testing.T) {
	s := newStore(t)
	f := filter{Filter: memory.Filter{Project: "/a", Projects: []string{"/b"}, Global: true}}
	query, args := s.observationPage(f, spanOf(f.Filter), "DESC", 20)
	got := plan(t, s, query, args...)
	for _, index := range []string{"observations_by_project (project=? AND created_at_epoch", "observations_global (created_at_epoch"} {
		if !strings.Contains(got, index) {
			t.Errorf("does not walk %s:\n%s", index, got)
		}
	}
	if n := strings.Count(got, "SEARCH observations USING INDEX"); n != 3 || strings.Contains(got, "SCAN observations") {
		t.Errorf("%d indexes:\n%s", n, got)
	}
	for part, f := range map[string]memory.Filter{"the newest of the layer": {Scopes: []memory.Scope{memory.ScopeGlobal, memory.ScopeTeam}}, "one project": {Project: "/a"}} {
		query, args := s.observationPage(filter{Filter: f}, spanOf(f), "DESC", 8)
		if got := plan(t, s, query, args...); strings.Contains(got, "TEMP B-TREE") || strings.Contains(got, "UNION") {
			t.Errorf("%s:\n%s", part, got)
		}
	}
	if got := plan(t, s, anyGlobal); !strings.Contains(got, "observations USING INDEX observations_global") {
		t.Errorf("whether there is a layer:\n%s", got)
	}
	query, args = s.observationPage(filter{Filter: memory.Filter{Scopes: []memory.Scope{memory.ScopeGlobal, memory.ScopeTeam}}}, span{lowest, highest}, "DESC", 8)
	if got := plan(t, s, query, args...); !strings.Contains(got, "observations_global (") {
		t.Errorf("the newest of the layer:\n%s", got)
	}
}

func TestTheNearestAreOfSeveralProjectsAndOfTheGlobalLayer(t *testing.T) {
	s := newStore(t)
	var list []memory.Observation
	for i, project := range []string{"/a", "/b", "/c", "/d"} {
		list = append(list, titled(3, project)...)
		list[3*i].Scope = memory.ScopeGlobal
	}
	stored := remember(t, s, list...)
	encodeAll(t, s)
	for name, f := range map[string]memory.Filter{
		"one": {Project: "/b"}, "two": {Project: "/b", Projects: []string{"/d"}},
		"one and the global layer": {Project: "/b", Global: true}, "two and the global layer": {Projects: []string{"/b", "/d"}, Global: true},
		"all": {Global: true},
	} {
		var want []int64
		for _, o := range stored {
			if f.Applies(o.Project, o.Scope) {
				want = append(want, o.ID)
			}
		}
		near, err := s.Near(t.Context(), testModel, meaningOf(stored[0]).Vector, f, 100)
		var got []int64
		for _, m := range near {
			got = append(got, m.ID)
		}
		slices.Sort(got)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v (%v)", name, got, want, err)
		}
	}
}

func TestAMemoryIsMadeGlobalAndBack(t *testing.T) {
	s := newStore(t)
	o := remember(t, s, memory.Observation{Title: "We speak English", Project: "/a"})[0]
	f := memory.Filter{Project: "/b", Global: true}
	for _, step := range []struct {
		scope memory.Scope
		want  string
	}{{memory.ScopeGlobal, `["We speak English"]`}, {memory.ScopeProject, `[]`}, {memory.ScopeTeam, `["We speak English"]`}} {
		before := edit(t, s, o.ID, memory.Edit{Scope: &step.scope})
		if got := titles(t, s, f); got != step.want {
			t.Errorf("%s: %s", step.scope, got)
		}
		if step.scope != memory.ScopeTeam {
			continue
		}
		if err := s.Restore(t.Context(), before); err != nil {
			t.Fatal(err)
		}
		if got := titles(t, s, f); got != "[]" {
			t.Errorf("after the undo %s", got)
		}
	}
	odd := memory.Scope("galaxy")
	if _, err := s.Edit(t.Context(), []int64{o.ID}, memory.Edit{Scope: &odd}); err == nil || !strings.Contains(err.Error(), `no scope "galaxy"`) {
		t.Errorf("error %v", err)
	}
}
