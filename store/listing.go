package store

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Bounds of what a ranking has listed by the index, in rows for each that is scored.
const (
	listedPerScored = 10 // of all the terms together,
	leastPerScored  = 1  // of each at least,
	mostPerScored   = 5  // and at most
	// faintListed is of how many rows the frequency of a word that says little is taken.
	faintListed = 100
)

// listing is the newest rows that the index has for an expression.
type listing struct {
	expression string // "" where nothing can match
	oldest     int64  // those before it are not asked for
	limit      int
	sampled    bool // rows are counted in samples where they are more than listed

	ids  []int64 // newest first
	rows float64 // how many there are in all, estimated where the list is cut
	cut  bool    // there may be more
}

// look lists the rows of items.
func (r *ranker) look(ctx context.Context, items []item) error {
	telling := 0
	for _, it := range items {
		if !r.terms[it.term].faint {
			telling++
		}
	}
	scored := r.scored
	limit := min(max(listedPerScored*scored/max(telling, 1), leastPerScored*scored), mostPerScored*scored)
	if telling == 1 && !r.gated() {
		limit = scored // all that is listed is read
	}
	var lists []*listing
	for i := range items {
		for _, e := range items[i].exprs {
			l := &listing{limit: limit, sampled: true}
			if r.terms[items[i].term].faint {
				l.limit, l.sampled = faintListed, false
			}
			if err := r.prepare(ctx, l, e); err != nil {
				return err
			}
			items[i].lists = append(items[i].lists, l)
			lists = append(lists, l)
		}
	}
	return r.list(ctx, lists)
}

// gated reports whether the filter or the text leaves out rows that hold the words.
func (r *ranker) gated() bool {
	return r.origins || len(r.must) > 0 || len(r.not) > 0 || len(r.labels()) > 0 || detailed(r.f.Filter)
}

// prepare writes the expression of a listing. To find where common words stand side
// by side is looked for in so many rows only as can be compared.
func (r *ranker) prepare(ctx context.Context, l *listing, e expr) (err error) {
	if l.expression, err = r.written(ctx, e); err != nil || l.expression == "" {
		return err
	}
	if e.op == opPhrase && len(e.words) == 1 {
		return nil
	}
	l.sampled = false
	n, err := r.atMost(ctx, e)
	if err != nil || n <= float64(l.limit) {
		return err
	}
	l.oldest, err = r.lookBack(ctx, e)
	return err
}

// lookBack gives the id from which on the rows with an expression can be found by
// comparing a bounded number of occurrences of its words. See reach: this goes by how
// common the words are in the newest rows.
func (r *ranker) lookBack(ctx context.Context, e expr) (oldest int64, err error) {
	if e.op != opPhrase {
		for _, kid := range e.kids {
			from, err := r.lookBack(ctx, kid)
			if err != nil {
				return 0, err
			}
			oldest = max(oldest, from)
		}
		return oldest, nil
	}
	share := 1.0 // of the rows, that the rarest word is in
	words := e.typed
	if e.open && len(words) > 1 {
		words = words[:len(words)-1] // see written
	}
	for _, w := range words[:min(len(words), maxProbed)] {
		n, err := r.count(ctx, quote(w))
		if err != nil {
			return 0, err
		}
		if n <= r.scored {
			return 0, nil
		}
		share = min(share, float64(n)/float64(r.newest+1-r.ends[quote(w)]))
	}
	back := float64(comparedPerScored*r.scored/4) / (share * float64(len(words)))
	return max(0, r.newest-int64(back)), nil
}

// list asks the index for all of the listings, several at a time.
func (g *gathering) list(ctx context.Context, lists []*listing) error {
	errs := make([]error, len(lists))
	next := make(chan int)
	var asking sync.WaitGroup
	for range min(maxReaders, len(lists)) {
		asking.Go(func() {
			for i := range next {
				errs[i] = g.listOne(ctx, lists[i])
			}
		})
	}
	for i := range lists {
		next <- i
	}
	close(next)
	asking.Wait()
	return errors.Join(errs...)
}

func (g *gathering) listOne(ctx context.Context, l *listing) (err error) {
	if l.expression == "" {
		return nil
	}
	if l.ids, err = g.newestWith(ctx, l.expression, l.oldest, l.limit); err != nil {
		return err
	}
	l.rows = float64(len(l.ids))
	from := l.oldest
	if len(l.ids) == l.limit {
		from = l.ids[len(l.ids)-1]
	}
	if l.cut = from > 0; !l.cut {
		return nil
	}
	rest := float64(from) // ids, of which nothing is known
	if width := int64(g.scored / 4); l.sampled && from > 4*width && width > 0 {
		n, err := number(ctx, g.s.read, g.index.query(`SELECT (SELECT count(*) FROM $fts WHERE $fts MATCH ?1 AND rowid >= ?2 AND rowid < ?2 + ?4)
			+ (SELECT count(*) FROM $fts WHERE $fts MATCH ?1 AND rowid >= ?3 AND rowid < ?3 + ?4)`),
			l.expression, from/5, from*3/5, width)
		if err != nil {
			return err
		}
		l.rows += float64(n) / float64(2*width) * rest
		return nil
	}
	l.rows *= float64(g.newest+1) / (float64(g.newest+1) - rest)
	return nil
}

// What the index lists: the newest rows with an expression before one, and all from
// one on.
const (
	pageOfRows = "SELECT rowid AS id FROM $fts WHERE $fts MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?"
	rowsSince  = "SELECT rowid AS id FROM $fts WHERE $fts MATCH ? AND rowid >= ? ORDER BY rowid"
)

// newestWith gives the newest rows with an expression, newest first, none before the
// oldest id. From the newest on FTS5 looks for the next match without regard to the
// oldest: where there is none it compares all occurrences of the words. From the
// oldest on it cannot go further than it should.
func (g *gathering) newestWith(ctx context.Context, expression string, oldest int64, limit int) ([]int64, error) {
	if oldest == 0 {
		return g.page(ctx, expression, math.MaxInt64, limit)
	}
	ids, err := g.ids(ctx, g.index.query(rowsSince), expression, oldest)
	slices.Reverse(ids)
	return ids[:min(limit, len(ids))], err
}

// page gives the newest rows with an expression before one.
func (g *gathering) page(ctx context.Context, expression string, before int64, limit int) ([]int64, error) {
	return g.ids(ctx, g.index.query(pageOfRows), expression, before, limit)
}

// ids gives the ids that a query has, in its order. To have them joined by SQLite
// costs a third of having each as a row.
func (g *gathering) ids(ctx context.Context, query string, args ...any) ([]int64, error) {
	joined, err := one(ctx, g.s.read, scanText, "SELECT coalesce(group_concat(id), '') FROM ("+query+")", args...)
	if err != nil || joined == "" {
		return nil, err
	}
	ids := make([]int64, 0, strings.Count(joined, ",")+1)
	for s := range strings.SplitSeq(joined, ",") {
		id, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}
