package store

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	maxRecent     = 2 << 20          // bytes of text that are kept
	maxRecentRows = 20_000           // with those that the filter leaves out
	recentLasts   = 10 * time.Second // an expiry passes unseen for so long
)

// recentTexts are the texts of rows that were searched last. Who types a word asks
// for nearly the same rows with each letter, and to fetch them is much of what a
// search costs.
type recentTexts struct {
	mu      sync.Mutex
	version int64 // of the store when they were read
	filter  string
	since   time.Time
	rows    map[int64]indexedText
	size    int
}

// indexedText is what the index holds of a row.
type indexedText struct {
	id, epoch int64
	columns   [7]string // of indexedColumns
	left      bool      // the filter leaves the row out; then there is nothing else
}

func (t *indexedText) size() (n int) {
	const perRow = 200 // the struct, in a map
	for _, c := range t.columns {
		n += len(c)
	}
	return n + perRow
}

// indexedTexts gives the texts of those of the rows that f takes.
func (s *Store) indexedTexts(ctx context.Context, ids []int64, f filter) ([]indexedText, error) {
	if !s.watch.inUse() {
		return s.readTexts(ctx, observationWords, ids, f) // one search alone: to begin watching costs more than it saves
	}
	// Asked before the rows are read: a change in between is seen by the next search.
	version, err := s.DataVersion(ctx)
	if err != nil {
		return s.readTexts(ctx, observationWords, ids, f) // of what is open still
	}
	key := fmt.Sprintf("%+v", f)
	list := make([]indexedText, 0, len(ids))
	missing := s.recent.take(version, key, ids, &list)
	if len(missing) == 0 {
		return list, nil
	}
	read, err := s.readTexts(ctx, observationWords, missing, f)
	if err != nil {
		return nil, err
	}
	s.recent.put(version, key, missing, read)
	return append(list, read...), nil
}

// texts reads the indexed text of those of the rows that the filter takes.
func (g *gathering) texts(ctx context.Context, ids []int64) ([]indexedText, error) {
	if g.index == observationWords {
		return g.s.indexedTexts(ctx, ids, g.f)
	}
	return g.s.readTexts(ctx, g.index, ids, g.f) // too few to be kept
}

// textsOf is the query for the indexed text of those of the rows that f takes.
func (s *Store) textsOf(x *wordIndex, ids []int64, f filter) (query string, args []any) {
	w := rowsWhere(x.kind, f, spanOf(f.Filter), s.now())
	if x == promptWords {
		w.add("machine = 0") // what the host writes to itself nobody looks for
	}
	// CROSS JOIN keeps the order: each row is looked up by its id. The other way
	// round all of a project would be read.
	return x.query(`SELECT id, created_at_epoch, ` + x.texts + `
		FROM (SELECT value AS wanted FROM json_each(?)) CROSS JOIN $table ON $table.id = wanted
		WHERE ` + w.String()), slices.Concat([]any{encodeIDs(ids)}, w.args)
}

func (s *Store) readTexts(ctx context.Context, x *wordIndex, ids []int64, f filter) ([]indexedText, error) {
	query, args := s.textsOf(x, ids, f)
	return all(ctx, s.read, func(r row) (t indexedText, err error) {
		c := &t.columns
		err = r.Scan(&t.id, &t.epoch, &c[0], &c[1], &c[2], &c[3], &c[4], &c[5], &c[6])
		return t, err
	}, query, args...)
}

// take appends the rows that are kept to list and gives the ids of the others.
func (r *recentTexts) take(version int64, filter string, ids []int64, list *[]indexedText) (missing []int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.version != version || r.filter != filter || time.Since(r.since) > recentLasts {
		return ids
	}
	for _, id := range ids {
		switch t, ok := r.rows[id]; {
		case !ok:
			missing = append(missing, id)
		case !t.left:
			*list = append(*list, t)
		}
	}
	return missing
}

// put keeps what was read of the rows with these ids, as far as there is room.
func (r *recentTexts) put(version int64, filter string, ids []int64, read []indexedText) {
	r.mu.Lock()
	defer r.mu.Unlock()
	need := 0
	for i := range read {
		need += read[i].size()
	}
	if r.version != version || r.filter != filter || time.Since(r.since) > recentLasts || r.size+need > maxRecent || len(r.rows) >= maxRecentRows {
		r.version, r.filter, r.since = version, filter, time.Now()
		r.rows, r.size = make(map[int64]indexedText, len(ids)), 0
	}
	taken := make(map[int64]bool, len(read))
	for _, t := range read {
		taken[t.id] = true
		if n := t.size(); r.size+n <= maxRecent {
			r.rows[t.id] = t
			r.size += n
		}
	}
	for _, id := range ids {
		if !taken[id] && len(r.rows) < maxRecentRows {
			r.rows[id] = indexedText{left: true}
		}
	}
}
