package store

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"cmem/memory"
)

// Bounds of what a search looks at. They count rows, not time, so that the same
// store gives the same answer on every machine; on a slow one each of them is a
// matter of ten milliseconds.
const (
	// maxScored is how many matching rows are read and scored for a reading of the
	// text, and how many rows a word must stand in to be a common one.
	maxScored = 600
	// To find these among the rows of common words costs a budget, of which a row
	// that the filter leaves out takes one part and one that is read some more.
	// There are so many parts of it for each row to be scored, …
	budgetPerScored = 5
	costOfReading   = 4
	longRow         = 1000 // in words; one that is as long as several costs as much
	// … so many when there is another way to find what the filter takes, …
	budgetBesides = 3
	// … and so many occurrences of common words may be compared to find those rows in
	// which they stand together.
	comparedPerScored = 50
	// scoredOfOthers is by how much less is looked at of summaries and prompts.
	scoredOfOthers = 8
	// maxAlternatives bounds into how many parts a search is taken apart.
	maxAlternatives = 64
	// readAtOnce is how many rows are worth a reader of their own.
	readAtOnce = 100
	// samples is in how many places of the store the rows with a common word are
	// counted.
	samples = 4
)

// candidate is a row that a search found.
type candidate struct {
	id, epoch int64
	reading   int
	size      int       // in words
	freq      []float64 // of the phrases of the reading
	score     float64
}

// gathering collects the rows in which a search text stands.
//
// The index lists the rows with a word quickly, in the order of their ids and so
// about in that of time, but to rank all of them takes seconds where there are
// hundreds of thousands. So the rarest word leads: its rows are read, and the
// matcher looks what else is in them. What has no rare word is collected from the
// newest end.
type gathering struct {
	s       *Store
	index   *wordIndex
	scored  int // see maxScored
	f       filter
	matcher *matcher
	exprs   []expr // the readings, each wider than the one before
	loose   int    // the number of the reading for which some of the words are enough
	// unwanted is true of rows that are left out, as an FTS5 expression; there may be more.
	unwanted string

	rows   float64 // how many there are
	length float64 // of one of them in words, on average
	newest int64   // the largest id

	seen  map[int64]bool
	found []candidate

	counts map[string]int
	ends   map[string]int64 // the oldest row that was counted
	common map[string]float64
	begins map[string]begun
	// tallies are how many rows there seem to be with an FTS5 expression, by what has
	// been listed of them.
	tallies map[string]float64

	// origin are the newest rows of the filter's projects, session and time, if it has
	// one of them; they are one more than maxScored at most.
	origin  []int64
	origins bool // the filter has one of them
}

// enough is how many rows a reading must find so that no wider one is asked.
func (g *gathering) enough() int { return g.scored / 4 }

func (s *Store) newGathering(ctx context.Context, x *wordIndex, q query, f memory.Filter) (*gathering, error) {
	g := &gathering{
		s: s, index: x, scored: s.scored, exprs: []expr{q.whole}, seen: map[int64]bool{},
		counts: map[string]int{}, ends: map[string]int64{}, common: map[string]float64{}, begins: map[string]begun{}, tallies: map[string]float64{},
	}
	if q.all.String() != q.whole.String() {
		g.exprs = append(g.exprs, q.all)
	}
	g.loose = len(g.exprs)
	if q.any.String() != q.all.String() {
		g.exprs = append(g.exprs, q.any)
	}
	if x != observationWords {
		g.scored = max(s.scored/scoredOfOthers, 1)
	}
	g.matcher = newMatcher(g.exprs...)
	g.matcher.index = x
	var err error
	if len(q.not) > 0 {
		g.matcher.exclude(q.not)
		if g.unwanted, err = g.written(ctx, orOf(q.not)); err != nil {
			return nil, err
		}
	}
	if g.f, err = s.narrowed(ctx, f); err != nil {
		return nil, err
	}
	if g.rows, g.length, err = s.indexSize(ctx, x); err != nil {
		return nil, err
	}
	if g.newest, err = number(ctx, s.read, x.query("SELECT coalesce(max(id), 0) FROM $table")); err != nil {
		return nil, err
	}
	g.origins = len(f.Keys()) > 0 || f.SessionID != "" || f.PinnedOnly || !f.After.IsZero() || !f.Before.IsZero() || g.f.narrow
	if g.origins {
		g.origin, err = g.newestOfOrigin(ctx, g.scored+1)
	}
	return g, err
}

// gather finds rows, reading by reading, until there are enough.
func (g *gathering) gather(ctx context.Context) error {
	for i, e := range g.exprs {
		// The unfinished last word comes second: who typed a whole word means that one.
		if n := g.matches(min(i, g.loose)); i >= g.loose && n > 0 || n > 0 && n >= g.enough() {
			return nil
		}
		if g.origins && len(g.origin) <= g.scored {
			n, err := g.atMost(ctx, e)
			if err != nil {
				return err
			}
			if n > float64(len(g.origin)) {
				return g.examine(ctx, g.origin) // for all readings at once
			}
		}
		if err := g.walk(ctx, i, e); err != nil {
			return err
		}
	}
	return nil
}

// matches tells how many rows the readings before one have found.
func (g *gathering) matches(before int) (n int) {
	for _, c := range g.found {
		if c.reading < before {
			n++
		}
	}
	return n
}

// part is one way in which a reading can be true: by all of the expressions.
type part struct {
	list   []expr
	driver expr    // the rarest
	atMost float64 // how many rows that has
}

// walk finds rows that satisfy a reading.
func (g *gathering) walk(ctx context.Context, reading int, e expr) error {
	alternatives := e.alternatives(maxAlternatives)
	if alternatives == nil {
		alternatives = [][]expr{{e}}
	}
	parts := make([]part, len(alternatives))
	for i, list := range alternatives {
		p := part{list: list, atMost: math.Inf(1)}
		for _, kid := range append(list[:len(list):len(list)], g.labels()...) {
			n, err := g.atMost(ctx, kid)
			if err != nil {
				return err
			}
			if n < p.atMost {
				p.driver, p.atMost = kid, n
			}
		}
		parts[i] = p
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.atMost, b.atMost) })
	complete := true // there is nothing else to find
	known := true    // every word that was looked for in the index is
	read, common := 0.0, len(parts)
	had := g.matches(reading + 1)
	scored := g.scored
	if reading > 0 && reading < g.loose || e.op == opPhrase && e.open {
		scored /= 2 // it is still being typed, and the next letter asks again
	}
	for i, p := range parts {
		// Rare parts are read whole, the others share what may be read.
		if read += p.atMost; read <= 2*float64(g.scored) {
			common = len(parts) - i - 1
			if _, err := g.follow(ctx, reading, []expr{p.driver}, 0, math.MaxInt, math.MaxInt); err != nil {
				return err
			}
			complete = complete && g.isWhole(p.driver)
			had = g.matches(reading + 1)
			continue
		}
		if g.matches(reading+1)-had >= scored {
			complete = false
			break
		}
		share := max(scored/common, scored/20, 1)
		done, err := g.walkCommon(ctx, reading, p.list, share)
		if err != nil {
			return err
		}
		whole := !slices.ContainsFunc(p.list, func(e expr) bool { return !g.isWhole(e) })
		complete, known = complete && done && whole, known && whole
	}
	if complete || g.matches(reading+1) >= g.enough() {
		return nil
	}
	if g.origins {
		return g.examine(ctx, g.origin[:min(len(g.origin), g.scored)])
	}
	if known {
		return nil
	}
	// More words begin as the unfinished one does than were looked for: what is in the
	// newest rows of them is likelier to be meant than what comes first in the alphabet.
	ids, err := all(ctx, g.s.read, scanNumber, g.index.query("SELECT id FROM $table ORDER BY id DESC LIMIT ?"), g.scored/2)
	if err != nil {
		return err
	}
	return g.examine(ctx, ids)
}

// walkCommon finds rows with all of a list of common words, from the newest end,
// until it has read share matches or its budget is spent; done says that there are
// no others.
func (g *gathering) walkCommon(ctx context.Context, reading int, list []expr, share int) (done bool, err error) {
	oldest, err := g.reach(ctx, list, comparedPerScored*share)
	if err != nil {
		return false, err
	}
	budget := budgetPerScored * share
	if g.origins {
		budget = budgetBesides * share
	}
	done, err = g.follow(ctx, reading, append(list[:len(list):len(list)], g.labels()...), oldest, share, budget)
	return done && oldest == 0, err
}

// reach gives the id from which on rows with all of the list can be found by
// comparing so many occurrences of their words, 0 for all.
func (g *gathering) reach(ctx context.Context, list []expr, budget int) (oldest int64, err error) {
	work, single := 0.0, math.Inf(1)
	singles := 0
	for _, e := range list {
		words := e.typed
		if e.op != opPhrase || e.open && len(words) == 1 {
			continue // alternatives are met one after the other
		}
		rarest := math.Inf(1)
		if e.open {
			if rarest, err = g.begunRows(ctx, e); err != nil {
				return 0, err
			}
			words = words[:len(words)-1]
		}
		for _, w := range words {
			n, err := g.commonness(ctx, w)
			if err != nil {
				return 0, err
			}
			rarest = min(rarest, n)
		}
		if len(e.typed) == 1 {
			singles, single = singles+1, min(single, rarest)
		} else {
			work += float64(len(e.typed)) * rarest
		}
	}
	if singles > 1 {
		work += float64(singles) * single
	}
	if work <= float64(budget) {
		return 0, nil
	}
	return g.newest - int64(float64(g.newest)*float64(budget)/work), nil
}

// follow reads the rows that the index has for all of a list, newest first, not
// beyond the oldest id, until so many matched the reading or the budget is spent;
// done says that there are no others.
func (g *gathering) follow(ctx context.Context, reading int, list []expr, oldest int64, matches, budget int) (done bool, err error) {
	expression, err := g.written(ctx, andOf(list))
	if err != nil || expression == "" {
		return true, err
	}
	var window []int64 // all of them, where they are not asked for page by page
	if oldest > 0 {
		if window, err = g.newestWith(ctx, g.wanted(expression), oldest, math.MaxInt); err != nil {
			return false, err
		}
	}
	before, listed := int64(math.MaxInt64), 0
	had := g.matches(reading + 1)
	for found := 0; budget > 0 && found < matches; found = g.matches(reading+1) - had {
		page := max(min(budget, matches, g.scored), 1)
		var ids []int64
		if oldest > 0 {
			ids = window[listed:min(listed+page, len(window))]
		} else if ids, err = g.page(ctx, g.wanted(expression), before, page); err != nil {
			return false, err
		}
		kept := len(g.found)
		if err := g.examine(ctx, ids); err != nil {
			return false, err
		}
		budget -= len(ids)
		for _, c := range g.found[kept:] {
			budget -= costOfReading * (1 + c.size/longRow)
		}
		if listed += len(ids); len(ids) < page {
			done = true
			break
		}
		before = ids[len(ids)-1]
	}
	if !done {
		oldest = before
	}
	if g.unwanted != "" {
		return done, nil // that says nothing about the expression
	}
	g.tallies[expression] = float64(listed) * float64(g.newest+1) / float64(g.newest+1-oldest)
	return done, nil
}

// wanted gives an FTS5 expression without what must not stand.
func (g *gathering) wanted(expression string) string {
	if g.unwanted == "" {
		return expression
	}
	return "(" + expression + ") NOT (" + g.unwanted + ")"
}

// examine reads rows that have not been read yet and keeps those that the filter
// takes and a reading matches.
func (g *gathering) examine(ctx context.Context, ids []int64) error {
	fresh := make([]int64, 0, len(ids))
	for _, id := range ids {
		if !g.seen[id] {
			g.seen[id] = true
			fresh = append(fresh, id)
		}
	}
	parts := slices.Collect(slices.Chunk(fresh, max(readAtOnce, (len(fresh)+maxReaders-1)/maxReaders)))
	found := make([][]candidate, len(parts))
	errs := make([]error, len(parts))
	var reading sync.WaitGroup
	for i, ids := range parts {
		m := g.matcher
		if i > 0 {
			m = m.another()
		}
		reading.Go(func() { found[i], errs[i] = g.held(ctx, ids, m) })
	}
	reading.Wait()
	g.found = append(g.found, slices.Concat(found...)...)
	return errors.Join(errs...)
}

// held reads rows and gives those of them that a reading matches.
func (g *gathering) held(ctx context.Context, ids []int64, m *matcher) (found []candidate, err error) {
	texts, err := g.texts(ctx, ids)
	for i := range texts {
		size := m.read(&texts[i].columns)
		if reading, ok := m.narrowest(); ok {
			found = append(found, candidate{
				id: texts[i].id, epoch: texts[i].epoch, reading: reading, size: size, freq: m.frequencies(reading),
			})
		}
	}
	return found, err
}
