package mcp

import (
	"slices"
	"testing"

	"cmem/memory"
	"cmem/recall"
)

func TestAProjectIsSearchedBySettingsOfItsOwnAndSeveralByThoseOfAll(t *testing.T) {
	for _, tt := range []struct {
		projects []string
		weight   float64
		also     []string
	}{
		{[]string{webshop}, float64(len(webshop)), nil},
		{[]string{webshop, "/other"}, 0, []string{"/other"}},
		{[]string{""}, 0, nil},
	} {
		l := lookup{
			scope: scope{projects: tt.projects, filter: memory.Filter{Types: []string{memory.TypeBugfix}}},
			query: "退款", sort: recall.ByTime, limit: 5, offset: 2,
			base: func(project string) recall.Query {
				return recall.Query{Weights: recall.Weights{Keyword: float64(len(project))}, Text: "of nobody", Limit: 7}
			},
		}
		q := l.asked()
		if q.Weights.Keyword != tt.weight || q.Filter.Project != tt.projects[0] || !slices.Equal(q.Filter.Projects, tt.also) || len(q.Filter.Types) != 1 ||
			q.Text != "退款" || q.Limit != 5 || q.Offset != 2 || q.Sort != recall.ByTime {
			t.Errorf("%v are searched by %+v", tt.projects, q)
		}
	}
}
