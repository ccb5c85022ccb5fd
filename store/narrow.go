package store

import (
	"context"

	"cmem/memory"
)

// What a filter tells about the rows of a search before they are read.

// newestOfOrigin lists the newest rows of the filter's project, session and time,
// from an index alone.
func (g *gathering) newestOfOrigin(ctx context.Context, limit int) ([]int64, error) {
	f := filter{few: g.f.few, narrow: g.f.narrow}
	f.Project, f.Projects, f.Global, f.Scopes = g.f.Project, g.f.Projects, g.f.Global, g.f.Scopes
	f.SessionID, f.PinnedOnly = g.f.SessionID, g.f.PinnedOnly
	f.IncludeExpired = true
	f.Statuses = []memory.Status{memory.StatusActive, memory.StatusArchived, memory.StatusSuperseded, memory.StatusInvalid}
	query, args := page(g.index.kind, "id, created_at_epoch", f, spanOf(g.f.Filter), "DESC", limit, g.s.now())
	return g.ids(ctx, query, args...)
}

// labels are expressions that are true of every row with the filter's tags and
// concepts, which stand in the index too.
func (g *gathering) labels() (list []expr) {
	for _, values := range [][]string{g.f.Tags, g.f.Concepts} {
		var wanted []expr
		for _, v := range values {
			e := phraseOf(clean(v), false)
			if len(e.words) == 0 {
				wanted = nil
				break
			}
			wanted = append(wanted, e)
		}
		if len(wanted) > 0 {
			list = append(list, orOf(wanted))
		}
	}
	return list
}
