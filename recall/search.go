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
	Limit  int // results at most; 0 means DefaultLimit
	Offset int // results that are left out at the beginning: a page further
	Sort   Sort
}

// Sort is the order of results.
type Sort string

// The orders of results.
const (
	ByRelevance Sort = "relevance" // and so does ""
	ByTime      Sort = "time"      // newest first, of what is relevant
)

// Result is a memory that a search found.
type Result struct {
	memory.Item
	// Observation is nil for other kinds.
	Observation *memory.Observation `json:"observation,omitempty"`
	Snippet     string              `json:"snippet,omitempty"` // matched words between memory.MatchStart and MatchEnd
	Score       Score               `json:"score"`
	// Folded are the ids of memories of the same kind that say nearly the same.
	Folded []int64 `json:"folded,omitempty"`
}

// Score says why a result is where it is. The parts are from 0 to 1, and as they
// are before their weights.
type Score struct {
	Total    float64 `json:"total"`
	Keyword  float64 `json:"keyword"`
	Semantic float64 `json:"semantic"`
	Recency  float64 `json:"recency"`
	Tags     float64 `json:"tags"`
	Exact    bool    `json:"exact,omitempty"` // holds the identifier that was looked for
}

// Answer is what a search found, and what it could not look at.
type Answer struct {
	Results []Result `json:"results"`
	More    bool     `json:"more"` // there may be further results
	// Notes say in sentences what was not searched, "" in a search that was whole.
	Notes []string `json:"notes,omitempty"`
}

// DefaultLimit is how many results a search gives when nobody says.
const DefaultLimit = 20

// maxLimit bounds what a caller may ask for.
const maxLimit = 500

// Search finds the memories that q.Text is about, best first.
func Search(ctx context.Context, src Searcher, q Query) (Answer, error) {
	limit := q.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	limit = min(limit, maxLimit)
	hits, err := src.Search(ctx, q.Text, q.Filter, q.Offset+limit+1)
	if err != nil {
		return Answer{}, err
	}
	hits = hits[min(q.Offset, len(hits)):]
	a := Answer{More: len(hits) > limit}
	for _, h := range hits[:min(limit, len(hits))] {
		a.Results = append(a.Results, ResultOf(h))
	}
	return a, nil
}

// ResultOf gives an observation as a result.
func ResultOf(h memory.Hit) Result {
	o := h.Observation
	return Result{
		Item: memory.Item{
			Kind: memory.KindObservation, ID: o.ID, SessionID: o.SessionID, Project: o.Project, PromptNumber: o.PromptNumber,
			CreatedAt: o.CreatedAt, Type: o.Type, Title: o.Title, Subtitle: o.Subtitle, Tokens: o.ReadTokens(),
			Pinned: o.Pinned, Status: o.Status,
		},
		Observation: &o, Snippet: h.Snippet, Score: Score{Total: h.Keyword, Keyword: h.Keyword},
	}
}
