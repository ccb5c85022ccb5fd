package recall

import (
	"context"

	"cmem/memory"
)

// Searcher is what a search needs of the store.
type Searcher interface {
	Search(ctx context.Context, text string, f memory.Filter, limit int) ([]memory.Hit, error)
}

// Query is what somebody looks for.
type Query struct {
	Text   string
	Filter memory.Filter
	Limit  int // hits at most; 0 means DefaultLimit
}

// DefaultLimit is how many hits a search gives when nobody says.
const DefaultLimit = 20

// maxLimit bounds what a caller may ask for.
const maxLimit = 500

// Search gives the observations that match q.Text by keyword, best first.
func Search(ctx context.Context, src Searcher, q Query) ([]memory.Hit, error) {
	limit := q.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	return src.Search(ctx, q.Text, q.Filter, min(limit, maxLimit))
}
