package store

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// itemSet are the items that are known to stand in a row, a bit for each.
type itemSet uint64

// candidates gives the rows that are worth reading, those first that hold most of
// what is rare, of equal ones the newest.
func (r *ranker) candidates(ctx context.Context) ([]int64, error) {
	rows := map[int64]itemSet{}
	known := int64(0) // the row from which on all that stands in each is known
	for i, it := range r.items {
		if r.terms[it.term].faint {
			continue
		}
		for _, l := range it.lists {
			for _, id := range l.ids {
				rows[id] |= 1 << i
			}
			if l.cut {
				known = max(known, l.end())
			}
		}
	}
	if err := r.together(ctx, rows, known); err != nil {
		return nil, err
	}
	if err := r.pass(ctx, rows, known); err != nil {
		return nil, err
	}
	type row struct {
		id    int64
		worth float64
	}
	list := make([]row, 0, len(rows))
	for id, set := range rows {
		list = append(list, row{id, r.worth(set)})
	}
	slices.SortFunc(list, func(a, b row) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(b.id, a.id))
	})
	ids := make([]int64, len(list))
	for i := range list {
		ids[i] = list[i].id
	}
	return ids, nil
}

// end gives the row from which on the listing has all.
func (l *listing) end() int64 {
	if len(l.ids) == l.limit {
		return l.ids[len(l.ids)-1]
	}
	return l.oldest
}

// worth is what a row with these items can score, but for how often they stand in it.
func (r *ranker) worth(set itemSet) (sum float64) {
	for i, it := range r.items {
		switch {
		case set&(1<<i) == 0:
		case it.whole, set&(1<<it.term) == 0:
			sum += it.rarity
		}
	}
	return sum
}

// together adds what is known of rows beyond the listings of common words: those in
// which several of them stand, and those of a rare word with one of them.
func (r *ranker) together(ctx context.Context, rows map[int64]itemSet, known int64) error {
	if known == 0 {
		return nil
	}
	var common, rare []int
	listed := 0
	for i := range r.terms {
		it := &r.items[i]
		switch {
		case r.terms[i].faint || it.rows() == 0:
		case it.isCut():
			common = append(common, i)
		default:
			rare = append(rare, i)
			listed += int(it.rows())
		}
	}
	byRows := func(a, b int) int { return cmp.Compare(r.items[a].rows(), r.items[b].rows()) }
	slices.SortStableFunc(common, byRows)
	slices.SortStableFunc(rare, byRows)
	var sets [][]int
	if listed > r.scored { // otherwise all of them are read
		last := rare[len(rare)-1]
		for _, i := range common[:min(len(common), 2)] {
			sets = append(sets, []int{last, i})
		}
	}
	for n := min(len(common), 4); n > 1; n-- {
		sets = append(sets, common[:n])
	}
	for _, set := range sets {
		ids, err := r.withAll(ctx, set, known)
		if err != nil {
			return err
		}
		for _, id := range ids {
			for _, i := range set {
				rows[id] |= 1 << i
			}
		}
		if len(set) > 2 && len(ids) >= r.enough() {
			break // what holds fewer of them is worth less
		}
	}
	return nil
}

func (it *item) isCut() bool {
	return slices.ContainsFunc(it.lists, func(l *listing) bool { return l.cut })
}

// withAll gives the newest rows before one in which all of a set of terms stand.
func (r *ranker) withAll(ctx context.Context, set []int, before int64) ([]int64, error) {
	var list []expr
	rarest := math.Inf(1)
	for _, i := range set {
		list = append(list, orOf(r.items[i].exprs))
		rarest = min(rarest, r.items[i].rows())
	}
	expression, err := r.written(ctx, andOf(list))
	if err != nil || expression == "" {
		return nil, err
	}
	// To find them the rows of the rarest are gone through.
	oldest := int64(0)
	if work, budget := float64(len(set))*rarest, float64(comparedPerScored*r.scored/4); work > budget {
		oldest = max(0, r.newest-int64(float64(r.newest)*budget/work))
	}
	if oldest >= before {
		return nil, nil
	}
	ids, err := r.newestWith(ctx, r.wanted(expression), oldest, mostPerScored*r.scored)
	if err != nil {
		return nil, err
	}
	i, _ := slices.BinarySearchFunc(ids, before, func(id, before int64) int { return cmp.Compare(before-1, id) })
	return ids[i:], nil
}

// pass leaves out the rows that the filter or the text leave out, as far as the index
// can tell, and adds those about which nothing is known but that both may take.
func (r *ranker) pass(ctx context.Context, rows map[int64]itemSet, known int64) error {
	if r.unwanted != "" {
		l := &listing{expression: r.unwanted, limit: mostPerScored * r.scored}
		if err := r.listOne(ctx, l); err != nil {
			return err
		}
		for _, id := range l.ids {
			delete(rows, id)
		}
	}
	if needed := slices.Concat(r.must, r.labels()); len(needed) > 0 {
		l := &listing{limit: mostPerScored * r.scored}
		e := andOf(needed)
		if err := r.prepare(ctx, l, e); err != nil {
			return err
		}
		if err := r.listOne(ctx, l); err != nil {
			return err
		}
		keep(rows, l.ids, known)
	}
	if !r.origins {
		return nil
	}
	most := mostPerScored * r.scored
	ids, err := r.newestOfOrigin(ctx, most+1)
	if err != nil {
		return err
	}
	if len(ids) <= most {
		keep(rows, ids, known)
		return nil
	}
	for _, id := range ids[:r.scored] {
		if rows[id] == 0 && id < known {
			rows[id] = 0
		}
	}
	return nil
}

// keep leaves of rows those with the ids, and adds those of them about which nothing
// is known.
func keep(rows map[int64]itemSet, ids []int64, known int64) {
	kept := make(map[int64]itemSet, len(ids))
	for _, id := range ids {
		if set, ok := rows[id]; ok || id < known {
			kept[id] = set
		}
	}
	clear(rows)
	for id, set := range kept {
		rows[id] = set
	}
}
