package recall

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"cmem/llm/static"
	"cmem/memory"
)

// Weights are what the parts of a score count. Only how they stand to each other
// matters; a part that a search cannot have gives its weight to the others.
type Weights struct {
	Keyword  float64 `json:"keyword"`
	Semantic float64 `json:"semantic"`
	Recency  float64 `json:"recency"`
	Tags     float64 `json:"tags"`
}

// DefaultWeights are the weights when nobody says others.
func DefaultWeights() Weights { return Weights{Keyword: 0.4, Semantic: 0.3, Recency: 0.2, Tags: 0.1} }

// orDefault gives weights that can be used: none below 0, not all 0.
func (w Weights) orDefault() Weights {
	for _, x := range []*float64{&w.Keyword, &w.Semantic, &w.Recency, &w.Tags} {
		if !(*x > 0) || math.IsInf(*x, 1) {
			*x = 0
		}
	}
	if w.Keyword+w.Semantic == 0 {
		return DefaultWeights()
	}
	return w
}

// How the parts are made of what is measured; docs/search.md has the measurements.
const (
	// wordsShare and lettersShare are what words and pieces of words count in the
	// keyword part, and fullKeyword is the sum that is worth 1.
	wordsShare, lettersShare = 0.7, 0.3
	fullKeyword              = 1.25
	// mostWords bounds what one observation can have of either.
	mostWords = 1.5
	// leastTrust is what the keyword part counts where no word of the search is found
	// anywhere: how well the best observation matches is added.
	leastTrust = 0.2
	// equallyRelevant is the share of the best relevance from which on recency and
	// tags count.
	equallyRelevant = 0.7
	// leastMeaning is the relevance that an observation without a word of the search
	// needs to be a result, and besideBest the share of the best one's: more where the
	// best is a guess itself, with less than aGuess.
	leastMeaning, besideBest = 0.05, 0.25
	aGuess, besideGuess      = 0.3, 0.6
	// relevantEnough is the share of the best relevance that a result by time needs.
	relevantEnough = 0.5
)

// scorer makes scores.
type scorer struct {
	*gathering
	weights  Weights // as they count in this search
	halfLife map[string]time.Duration
	now      time.Time
}

// searchBoth finds memories by words and by meaning.
func searchBoth(ctx context.Context, src HybridSource, q Query) (Answer, error) {
	text := readText(q.Text)
	if text.text == "" && len(text.unwanted) > 0 {
		return listWithout(ctx, src, q)
	}
	g, err := gatherBoth(ctx, src, q, text)
	if err != nil {
		return Answer{}, err
	}
	if len(g.candidates)+len(g.items) == 0 && text.isQuoted {
		// What somebody quotes from memory is seldom so to the letter.
		q.Text = text.unquoted
		text = readText(q.Text)
		if g, err = gatherBoth(ctx, src, q, text); err != nil {
			return Answer{}, err
		}
		if len(g.candidates)+len(g.items) > 0 {
			g.notes = append(g.notes, "No memory holds the words between quotes as they stand: these hold some of them, or mean the same.")
		}
	}
	s := newScorer(g, q)
	// The nearest by a first look are compared whole.
	for _, c := range g.candidates {
		c.words = s.share(c.keyword)
		c.score.Relevance = s.relevance(c)
	}
	slices.SortStableFunc(g.candidates, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.score.Relevance, a.score.Relevance), cmp.Compare(b.id, a.id)) // the newest of many alike
	})
	wanted := q.Offset + q.Limit
	some, err := read(ctx, src, g.candidates[:min(len(g.candidates), depthFor(wanted).whole)], text)
	if err != nil {
		return Answer{}, err
	}
	some = s.withItems(s.score(some, text.names), text.names)
	if q.Sort == ByTime {
		some = newestFirst(some)
	}
	results, more := fold(some, wanted)
	if len(text.names) > 0 && len(results) > 0 && !slices.ContainsFunc(results, func(r Result) bool { return r.Score.Exact }) {
		g.notes = append(g.notes, "No memory holds "+strings.Join(text.typed, " or ")+" itself: these hold parts of it, or are about the like.")
	}
	results = results[min(q.Offset, len(results)):]
	for i := range results {
		if o := results[i].Observation; o != nil { // the others have theirs
			results[i].Snippet = g.snippet(*o)
		}
	}
	return Answer{Results: results, More: more, Notes: g.notes, Weights: s.weights}, nil
}

// newScorer says what each part counts in a search.
func newScorer(g *gathering, q Query) *scorer {
	s := &scorer{gathering: g, weights: q.Weights.orDefault(), halfLife: q.HalfLife, now: q.Now}
	if s.halfLife == nil {
		s.halfLife = DefaultHalfLife()
	}
	if s.now.IsZero() {
		s.now = time.Now()
	}
	w := &s.weights
	sum, relevance := w.Keyword+w.Semantic+w.Recency+w.Tags, w.Keyword+w.Semantic
	if g.meant == nil || w.Keyword == 0 {
		if g.meant == nil {
			w.Keyword, w.Semantic = relevance, 0
		}
	} else {
		// Words of which hardly any is found anywhere, as those of another language, say
		// little about what is.
		best := 0.0
		for _, c := range g.candidates {
			best = max(best, s.share(c.keyword))
		}
		if !takesObservations(q.Filter) {
			for _, c := range g.items {
				best = max(best, c.words)
			}
		}
		trust := w.Keyword * min(1, leastTrust+best)
		w.Keyword, w.Semantic = relevance*trust/(trust+w.Semantic), relevance*w.Semantic/(trust+w.Semantic)
	}
	*w = Weights{w.Keyword / sum, w.Semantic / sum, w.Recency / sum, w.Tags / sum}
	return s
}

// share gives how much of what the words of the search are worth an observation has.
func (s *scorer) share(keyword float64) float64 {
	if s.ideal <= 0 {
		return 0
	}
	return min(mostWords, keyword/s.ideal)
}

// relevance gives how near an observation is to the search, from 0 to 1. One that
// is not encoded yet is judged by its words alone.
func (s *scorer) relevance(c *candidate) float64 {
	c.score.Keyword = min(1, (wordsShare*c.words+lettersShare*c.letters)/fullKeyword)
	c.score.Semantic = c.near
	if c.meaning == nil {
		return c.score.Keyword
	}
	return (s.weights.Keyword*c.score.Keyword + s.weights.Semantic*c.near) / (s.weights.Keyword + s.weights.Semantic)
}

// score gives the candidates their scores and puts them in order, those that are no
// results left out.
func (s *scorer) score(list []*candidate, names []string) []*candidate {
	s.spell(list, 0)
	best := 0.0
	for _, c := range list {
		c.score.Relevance = s.relevance(c)
		best = max(best, c.score.Relevance)
	}
	list = slices.DeleteFunc(list, func(c *candidate) bool {
		return c.keyword == 0 && c.score.Relevance < max(leastMeaning, besideBest*best)
	})
	for _, c := range list {
		c.score.Exact = holdsAny(textOf(c.hit.Observation), names)
		s.total(c, best)
	}
	putExactFirst(list)
	slices.SortStableFunc(list, byTotal)
	return list
}

// total adds the parts of a score up, of a search with the best relevance. Between two
// that are about as relevant the newer one and the one with the right tags come first;
// what is hardly relevant is not helped by being new.
func (s *scorer) total(c *candidate, best float64) {
	o, sc := c.hit.Observation, &c.score
	if best > 0 {
		equal := min(1, max(0, (sc.Relevance/best-equallyRelevant)/(1-equallyRelevant))) * best
		sc.Recency, sc.Tags = equal*s.recency(o), equal*s.tags(o)
	}
	sc.Total = (s.weights.Keyword+s.weights.Semantic)*sc.Relevance + s.weights.Recency*sc.Recency + s.weights.Tags*sc.Tags
}

// spell compares the letters of texts with those of the search. Texts are usually of
// the size, in pieces of words; 0 means as these are.
func (s *scorer) spell(list []*candidate, size float64) {
	g := newGrams(s.words, s.rarity)
	all := 0
	for _, c := range list {
		c.letters, c.size = g.share(textOf(c.hit.Observation))
		all += c.size
	}
	if size <= 0 {
		size = float64(all) / float64(max(len(list), 1))
	}
	for _, c := range list {
		if c.size > 0 { // of a longer text some pieces are found anyway
			c.letters = min(mostWords, c.letters*math.Sqrt(size/float64(c.size)))
		}
	}
}

// tags gives how much of the search the tags and concepts of an observation name.
func (s *scorer) tags(o memory.Observation) float64 {
	if len(o.Tags)+len(o.Concepts) == 0 {
		return 0
	}
	var named []string
	for _, list := range [][]string{o.Tags, o.Concepts} {
		for _, t := range list {
			named = append(named, static.Tokens(t)...)
		}
	}
	has, sum := 0.0, 0.0
	for _, w := range s.words {
		r := 1.0
		if s.rarity != nil {
			r = s.rarity[w]
		}
		sum += r
		if slices.Contains(named, w) {
			has += r
		}
	}
	if sum <= 0 {
		return 0
	}
	return has / sum
}

// newestFirst gives those that are relevant, the newest first.
func newestFirst(list []*candidate) []*candidate {
	best := 0.0
	for _, c := range list {
		best = max(best, c.score.Relevance)
	}
	list = slices.DeleteFunc(list, func(c *candidate) bool { return c.score.Relevance < relevantEnough*best })
	slices.SortStableFunc(list, func(a, b *candidate) int {
		return b.hit.Observation.CreatedAt.Compare(a.hit.Observation.CreatedAt)
	})
	return list
}
