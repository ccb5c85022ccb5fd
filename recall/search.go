package recall

import (
	"context"
	"time"

	"cmem/memory"
)

// Searcher is what a search by words needs of the store. A store that is a
// HybridSource, too, is searched by words and by meaning.
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

	Weights  Weights                  // the zero Weights mean DefaultWeights
	HalfLife map[string]time.Duration // of recency, by type; nil means DefaultHalfLife
	Models   []Model                  // by which meaning is compared, the first that can be; nil means BuiltIn, an empty list none
	Now      time.Time                // from which recency is counted; zero means the clock's
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
// are before their weights: docs/search.md says how each is made.
type Score struct {
	Total     float64 `json:"total"`
	Relevance float64 `json:"relevance"` // by words and meaning alone, from 0 to 1
	Keyword   float64 `json:"keyword"`
	Semantic  float64 `json:"semantic"`
	Recency   float64 `json:"recency"`
	Tags      float64 `json:"tags"`
	Exact     bool    `json:"exact,omitempty"` // holds the identifier that was looked for
}

// Answer is what a search found, and what it could not look at.
type Answer struct {
	Results []Result `json:"results"`
	More    bool     `json:"more"` // there may be further results
	// Notes say in sentences what was not searched; none says that all was.
	Notes []string `json:"notes,omitempty"`
	// Weights are what the parts of the scores counted in this search: a result's
	// total is the sum of its parts with them.
	Weights Weights `json:"weights"`
}

// DefaultLimit is how many results a search gives when nobody says.
const DefaultLimit = 20

// maxLimit bounds what a caller may ask for.
const maxLimit = 500

// Sure is the relevance from which on a result is good enough to be told unasked:
// below it, what is found is often nothing but the nearest thing there is.
const Sure = 0.45

// Search finds the memories that q.Text is about, best first: observations and, where
// the filter takes them, summaries and prompts; with those of a project the global layer.
// Of a text that only says which words must not stand, the newest observations without
// them are given.
func Search(ctx context.Context, src Searcher, q Query) (Answer, error) {
	if q.Limit <= 0 {
		q.Limit = DefaultLimit
	}
	q.Limit, q.Offset = min(q.Limit, maxLimit), max(q.Offset, 0)
	q.Filter.Global = true
	if both, ok := src.(HybridSource); ok {
		return searchBoth(ctx, both, q)
	}
	if !takesObservations(q.Filter) {
		return Answer{Notes: []string{"This store is searched for observations only."}}, nil
	}
	hits, err := src.Search(ctx, q.Text, q.Filter, q.Offset+q.Limit+1)
	if err != nil {
		return Answer{}, err
	}
	hits = hits[min(q.Offset, len(hits)):]
	a := Answer{More: len(hits) > q.Limit, Weights: Weights{Keyword: 1}}
	for _, h := range hits[:min(q.Limit, len(hits))] {
		a.Results = append(a.Results, ResultOf(h))
	}
	return a, nil
}

// listWithout gives what does not hold the words that must not stand, newest first.
func listWithout(ctx context.Context, src HybridSource, q Query) (Answer, error) {
	if !takesObservations(q.Filter) {
		return Answer{Notes: []string{"Words that must not stand are looked for in observations only, unless others must stand."}}, nil
	}
	m, err := src.Match(ctx, q.Text, q.Filter, q.Offset+q.Limit+1)
	if err != nil {
		return Answer{}, err
	}
	hits := m.Hits[min(q.Offset, len(m.Hits)):]
	a := Answer{More: len(hits) > q.Limit, Weights: q.Weights.orDefault()}
	for _, h := range hits[:min(q.Limit, len(hits))] {
		a.Results = append(a.Results, ResultOf(h))
	}
	a.Notes = []string{"Only words that must not stand: these are the newest observations without them."}
	return a, nil
}

// scopeOf gives the scope of an observation as an item has it.
func scopeOf(o memory.Observation) memory.Scope {
	if o.Scope.IsGlobal() {
		return o.Scope
	}
	return ""
}

// ResultOf gives an observation as a result.
func ResultOf(h memory.Hit) Result {
	o := h.Observation
	return Result{
		Item: memory.Item{
			Kind: memory.KindObservation, ID: o.ID, SessionID: o.SessionID, Project: o.Project, PromptNumber: o.PromptNumber,
			CreatedAt: o.CreatedAt, Type: o.Type, Title: o.Title, Subtitle: o.Subtitle, Tokens: o.ReadTokens(),
			Pinned: o.Pinned, Status: o.Status, Scope: scopeOf(o),
		},
		Observation: &o, Snippet: h.Snippet, Score: Score{Total: h.Keyword, Keyword: h.Keyword},
	}
}
