package mcp

import (
	"testing"

	"cmem/memory"
	"cmem/recall"
)

func TestEachProjectIsSearchedBySettingsOfItsOwn(t *testing.T) {
	l := lookup{
		scope: scope{projects: []string{webshop, "/other"}, filter: memory.Filter{Types: []string{memory.TypeBugfix}}},
		query: "退款", sort: recall.ByTime,
		base: func(project string) recall.Query {
			return recall.Query{Weights: recall.Weights{Keyword: float64(len(project))}, Text: "of nobody", Limit: 7}
		},
	}
	for _, project := range l.projects {
		q := l.queryIn(project, 5, 2)
		if q.Weights.Keyword != float64(len(project)) || q.Filter.Project != project || len(q.Filter.Types) != 1 || q.Text != "退款" || q.Limit != 5 || q.Offset != 2 || q.Sort != recall.ByTime {
			t.Errorf("%s is searched by %+v", project, q)
		}
	}
}
