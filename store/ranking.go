package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"cmem/memory"
)

// Matches are the observations that match a text, and what they could reach.
type Matches struct {
	Hits []memory.Hit // best first; without snippets, which few need
	// Ideal is what the words of the text are worth together: about what an observation
	// of average length scores in which each stands once. So Keyword/Ideal says how well
	// a text is matched, from 0 to about 1, alike for all texts; where words stand in
	// titles or side by side it is more.
	Ideal float64
	// Snippet gives the piece of one of the observations in which the words stand, marked
	// as in a hit; "" where they do in no text that is shown. It is not for several
	// goroutines at once.
	Snippet func(memory.Observation) string
}

// Match gives the observations that hold any of the words of a text, best first:
// those that hold the rarest, most of them, in their titles and next to each other. A
// word counts once whatever its spelling, and the parts of an identifier only where it
// does not stand itself. Quoted phrases must stand, excluded words must not; where
// nothing but these is said, the newest observations without them are given. A text
// without a letter or digit is ErrEmptyQuery.
//
// What it costs is bounded: the index lists the observations with each word, of a
// common one the newest, and the some hundreds that hold most of what is rare are
// read and ranked. That may leave out an older one that holds common words only. More
// than some hundreds are not given, even if the limit is larger; the first n are the
// same whatever the limit is, and the same store gives the same answer.
func (s *Store) Match(ctx context.Context, text string, f memory.Filter, limit int) (Matches, error) {
	words, unwanted, err := queryWords(text)
	if err != nil {
		return Matches{}, err
	}
	m, err := s.match(ctx, words, unwanted, f, limit)
	if err != nil {
		return Matches{}, fmt.Errorf("search observations: %w", err)
	}
	return m, nil
}

func (s *Store) match(ctx context.Context, words, unwanted []queryWord, f memory.Filter, limit int) (Matches, error) {
	if len(words) == 0 {
		hits, err := s.without(ctx, unwanted, f, limit)
		return Matches{Hits: hits, Snippet: func(memory.Observation) string { return "" }}, err
	}
	r, err := s.newRanking(ctx, observationWords, words, unwanted, f)
	if err != nil {
		return Matches{}, err
	}
	if err := r.gather(ctx); err != nil {
		return Matches{}, err
	}
	if len(r.found) == 0 {
		other, ok, err := r.containing(ctx, words)
		if err != nil {
			return Matches{}, err
		}
		if ok {
			ideal := r.ideal
			if r, err = s.newRanking(ctx, observationWords, other, unwanted, f); err != nil {
				return Matches{}, err
			}
			if err := r.gather(ctx); err != nil {
				return Matches{}, err
			}
			r.ideal = max(r.ideal, ideal) // what was asked for is nowhere
		}
	}
	r.rank()
	hits, err := r.hits(ctx, limit)
	return Matches{Hits: hits, Ideal: r.ideal, Snippet: r.snippets(wideOf(words))}, err
}

// The saturation of bm25 for a ranking by any word. What is usual for prose (see
// bm25) makes too little of words that stand often in a short text.
const (
	rankK1 = 1.4
	rankB  = 0.7
)

// ranker finds and ranks the rows that hold any of the words of a text.
type ranker struct {
	*gathering
	must  []expr // true of each row that is found
	not   []expr
	terms []term
	items []item // those of the terms first, in their order
	near  []pair
	ideal float64
}

// item is what is looked up in the index: a term, or a part of one.
type item struct {
	term   int
	whole  bool
	exprs  []expr
	lists  []*listing
	rarity float64 // by which it counts
	nodes  []scoreNode
}

// pair is two neighbours of the text that may be neighbours in a row.
type pair struct {
	node   scoreNode
	rarity float64
}

// scoreNode tells how often an expression is true of a row.
type scoreNode struct {
	op   operator
	kids []scoreNode
	at   int // of the candidate's frequencies
}

func (s *Store) newRanking(ctx context.Context, x *wordIndex, words, unwanted []queryWord, f memory.Filter) (*ranker, error) {
	r := &ranker{terms: termsOf(words)}
	for _, w := range unwanted {
		r.not = append(r.not, w.exact())
	}
	for _, w := range words {
		if w.quoted {
			r.must = append(r.must, w.exact())
		}
	}
	if !slices.ContainsFunc(r.terms, func(t term) bool { return !t.faint }) {
		for i := range r.terms {
			r.terms[i].faint = false // they are all there is
		}
	}
	var err error
	r.gathering, err = s.newGathering(ctx, x, query{not: r.not}, f)
	return r, err
}

// gather finds the rows that are worth reading, and reads them.
func (r *ranker) gather(ctx context.Context) error {
	if err := r.weigh(ctx); err != nil {
		return err
	}
	r.compile()
	ids, err := r.candidates(ctx)
	if err != nil {
		return err
	}
	// Where the filter leaves some out, more are looked at.
	most := r.toRank()
	for looked := 0; len(r.found) < most && looked < min(len(ids), budgetPerScored*most); {
		next := min(looked+most-len(r.found), len(ids))
		if err := r.examine(ctx, ids[looked:next]); err != nil {
			return err
		}
		looked = next
	}
	return nil
}

// toRank is how many rows are read for a ranking: fewer than are scored elsewhere,
// since it is known better which they are.
func (r *ranker) toRank() int { return max(r.scored*2/3, 1) }

// weigh looks up in how many rows the terms stand. Parts count only for terms that
// stand in few rows.
func (r *ranker) weigh(ctx context.Context) error {
	for i, t := range r.terms {
		r.items = append(r.items, item{term: i, whole: true, exprs: t.forms})
	}
	if err := r.look(ctx, r.items); err != nil {
		return err
	}
	terms := len(r.items)
	for i := range terms {
		t, n := r.terms[i], r.items[i].rows()
		if t.faint || n >= float64(r.enough()) {
			continue
		}
		pieces := t.pieces
		if n == 0 {
			pieces = append(pieces[:len(pieces):len(pieces)], t.beginnings()...)
		}
		for _, p := range pieces[:min(len(pieces), maxItems-len(r.items))] {
			r.items = append(r.items, item{term: i, exprs: []expr{p}})
		}
	}
	if err := r.look(ctx, r.items[terms:]); err != nil {
		return err
	}
	for i := range r.items {
		it := &r.items[i]
		t := r.terms[it.term]
		it.rarity = anyRarity(it.rows(), r.rows)
		switch {
		case !it.whole && it.exprs[0].open:
			it.rarity *= beginsWeight * t.weight
		case !it.whole:
			it.rarity *= pieceWeight * t.weight
		case t.faint:
			it.rarity *= faintWeight * t.weight
		default:
			it.rarity *= t.weight
		}
		if it.whole {
			r.ideal += it.rarity
		}
	}
	return nil
}

// rows gives in how many rows the item stands.
func (it *item) rows() (n float64) {
	for _, l := range it.lists {
		n = max(n, l.rows)
	}
	return n
}

// anyRarity is what a word that stands in n of rows rows says about one of them. A
// word that stands in most of them says something still, which matters where there
// are few: see rarity.
func anyRarity(n, rows float64) float64 {
	n = min(n, rows)
	return math.Log(1 + (rows-n+0.5)/(n+0.5))
}

// compile prepares for rows to be held against what is looked for.
func (r *ranker) compile() {
	var telling, also []expr
	for _, it := range r.items {
		if r.terms[it.term].faint {
			also = append(also, it.exprs...)
		} else {
			telling = append(telling, it.exprs...)
		}
	}
	pairs := map[int]expr{}
	for i, t := range r.terms[:min(len(r.terms), len(r.items))] {
		if !t.next {
			continue
		}
		if a, b := r.terms[i-1].forms[0], t.forms[0]; a.op == opPhrase && b.op == opPhrase && !a.open && !b.open {
			pairs[i] = phraseOf(a.text+" "+b.text, false)
			also = append(also, pairs[i])
		}
	}
	root := andOf(slices.Concat(r.must, []expr{orOf(telling)}))
	r.exprs, r.loose = []expr{root, root}, 0
	r.matcher = newMatcher(r.exprs...) // the second is for marking
	r.matcher.index = r.index
	r.matcher.exclude(r.not)
	r.matcher.countToo(0, also)
	r.matcher.pairsInTitles = true
	places := map[string]int{}
	for i, p := range r.matcher.readings[0].phrases {
		places[r.matcher.phrases[p].expr.String()] = i
	}
	for i := range r.items {
		for _, e := range r.items[i].exprs {
			r.items[i].nodes = append(r.items[i].nodes, nodeOf(e, places))
		}
	}
	for i := range r.terms {
		if e, ok := pairs[i]; ok {
			r.near = append(r.near, pair{node: nodeOf(e, places), rarity: nearWeight * min(r.items[i-1].rarity, r.items[i].rarity)})
		}
	}
}

func nodeOf(e expr, places map[string]int) scoreNode {
	n := scoreNode{op: e.op}
	if e.op == opPhrase {
		n.at = places[e.String()]
	}
	for _, kid := range e.kids {
		n.kids = append(n.kids, nodeOf(kid, places))
	}
	return n
}

// times gives how often the expression stands in a row with these frequencies.
func (n scoreNode) times(freq []float64) float64 {
	if n.op == opPhrase {
		return freq[n.at]
	}
	t := n.kids[0].times(freq)
	for _, kid := range n.kids[1:] {
		if n.op == opAll {
			t = min(t, kid.times(freq))
		} else {
			t = max(t, kid.times(freq))
		}
	}
	return t
}

// rank gives each row that was found its score and puts them in order: by score,
// then the newest.
func (r *ranker) rank() {
	whole := make([]float64, len(r.terms))  // what each term scores in a row
	pieces := make([]float64, len(r.terms)) // and its parts
	for i := range r.found {
		c := &r.found[i]
		c.reading = 1
		clear(whole)
		clear(pieces)
		saturated := func(n float64) float64 {
			if n == 0 {
				return 0
			}
			return n * (rankK1 + 1) / (n + rankK1*(1-rankB+rankB*float64(c.size)/r.length))
		}
		for _, it := range r.items {
			n := 0.0
			for _, node := range it.nodes {
				n = max(n, node.times(c.freq))
			}
			if it.whole {
				whole[it.term] = it.rarity * saturated(n)
			} else {
				pieces[it.term] += it.rarity * saturated(n)
			}
		}
		for j := range whole {
			if whole[j] > 0 {
				c.score += whole[j]
			} else if pieces[j] > 0 {
				c.score += min(pieces[j], r.items[j].rarity)
			}
		}
		for _, p := range r.near {
			c.score += p.rarity * saturated(p.node.times(c.freq))
		}
	}
	slices.SortFunc(r.found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.epoch, a.epoch), cmp.Compare(b.id, a.id))
	})
}
