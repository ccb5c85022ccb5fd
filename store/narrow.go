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
	f.Project, f.SessionID, f.PinnedOnly = g.f.Project, g.f.SessionID, g.f.PinnedOnly
	f.IncludeExpired = true
	f.Statuses = []memory.Status{memory.StatusActive, memory.StatusArchived, memory.StatusSuperseded, memory.StatusInvalid}
	w := g.s.observationsWhere(f, spanOf(g.f.Filter))
	return g.ids(ctx, "SELECT id FROM observations WHERE "+w.String()+" ORDER BY created_at_epoch DESC, id DESC LIMIT ?",
		append(w.args, limit)...)
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
