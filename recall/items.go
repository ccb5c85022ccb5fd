package recall

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"cmem/memory"
	"cmem/store"
)

// ItemMatcher finds summaries and prompts that hold any of the words of a text. A
// search of a store that is one looks for these, too.
type ItemMatcher interface {
	MatchItems(ctx context.Context, text string, f memory.Filter, limit int) (store.ItemMatches, error)
}

// What the relevance of a summary and of a prompt counts beside that of an observation.
// A summary tells much in few words; a prompt asks what the others answer.
const (
	summaryShare = 0.85
	promptShare  = 0.6
	// besideObservations is the share of the best relevance that one of them needs,
	// before that, to be a result where there are observations.
	besideObservations = 0.5
	// fewWordsOfSearch is the share of what the words of a search are worth below which
	// one of them is not looked at any closer.
	fewWordsOfSearch = 0.2
)

// takesObservations reports whether a search looks for observations.
func takesObservations(f memory.Filter) bool {
	return len(f.Kinds) == 0 || slices.Contains(f.Kinds, memory.KindObservation)
}

// gatherItems finds summaries and prompts. They are encoded only now, for they are few.
func (g *gathering) gatherItems(m store.ItemMatches) {
	unindexed := 0
	for _, of := range []struct {
		found store.KindMatches
		share float64
	}{{m.Summaries, summaryShare}, {m.Prompts, promptShare}} {
		unindexed += of.found.Unindexed
		for _, h := range of.found.Hits {
			// Compared as an observation that says the same.
			c := &candidate{id: h.Item.ID, item: &h, share: of.share, keyword: h.Keyword}
			if of.found.Ideal > 0 {
				c.words = min(mostWords, h.Keyword/of.found.Ideal)
			}
			if c.words < fewWordsOfSearch {
				continue
			}
			c.hit.Observation = memory.Observation{
				ID: h.Item.ID, SessionID: h.Item.SessionID, Project: h.Item.Project, CreatedAt: h.Item.CreatedAt,
				Type: string(h.Item.Kind), Narrative: h.Text,
			}
			if table, ok := g.meant.(byTable); ok {
				m := table.encode(h.Text)
				c.meaning = &m
				c.near, _ = table.near(m)
			}
			g.items = append(g.items, c)
		}
	}
	if unindexed > 0 {
		many := ""
		if unindexed >= store.MostUnindexed {
			many = " or more"
		}
		g.notes = append(g.notes, fmt.Sprintf("Summaries and prompts from before this version are being indexed: %d%s were not searched yet.", unindexed, many))
	}
}

// withItems puts the summaries and prompts that are worth it among the observations,
// which are in order. What these score does not depend on them.
func (s *scorer) withItems(list []*candidate, names []string) []*candidate {
	if len(s.items) == 0 {
		return list
	}
	best, sizes := 0.0, 0
	for _, c := range list {
		best, sizes = max(best, c.score.Relevance), sizes+c.size
	}
	s.spell(s.items, float64(sizes)/float64(max(len(list), 1))) // how long texts usually are the observations say
	most := best
	for _, c := range s.items {
		c.score.Relevance = s.relevance(c)
		most = max(most, c.score.Relevance)
	}
	least := besideBest
	if len(list) > 0 {
		least = besideObservations
	}
	var kept []*candidate
	for _, c := range s.items {
		c.score.Exact = holdsAny(textOf(c.hit.Observation), names)
		if c.score.Exact || c.score.Relevance >= max(leastMeaning, least*most) {
			kept = append(kept, c)
		}
	}
	most = best
	for _, c := range kept {
		c.score.Relevance *= c.share
		c.score.Keyword, c.score.Semantic = c.share*c.score.Keyword, c.share*c.score.Semantic
		most = max(most, c.score.Relevance)
	}
	all := slices.Concat(list, kept)
	for _, c := range kept {
		s.total(c, most)
	}
	for _, c := range kept {
		if c.score.Exact {
			continue
		}
		for _, e := range all { // see putExactFirst
			if e.score.Exact && e.words >= c.words {
				c.score.Total = min(c.score.Total, 0.999*e.score.Total)
			}
		}
	}
	slices.SortStableFunc(all, byTotal)
	return all
}

func byTotal(a, b *candidate) int {
	return cmp.Or(cmp.Compare(b.score.Total, a.score.Total), b.hit.Observation.CreatedAt.Compare(a.hit.Observation.CreatedAt),
		cmp.Compare(a.kind(), b.kind()), cmp.Compare(b.id, a.id))
}

func (c *candidate) kind() memory.ItemKind {
	if c.item != nil {
		return c.item.Item.Kind
	}
	return memory.KindObservation
}

// result gives the candidate as a result.
func (c *candidate) result() Result {
	r := ResultOf(c.hit)
	if c.item != nil {
		r = Result{Item: c.item.Item, Snippet: c.item.Snippet}
	}
	r.Score = c.score
	return r
}
