package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"cmem/memory"
)

const (
	// sketchesPerNear is how many of the nearest sketches are looked at for each
	// encoding that is asked for: sketches are coarse, and a few are of rows that are gone.
	sketchesPerNear = 2
	// sketchesBehindFilter is how many where a filter may leave out most.
	sketchesBehindFilter = 16
	// blocksAtOnce is how many blocks are worth a reader of their own.
	blocksAtOnce = 64
)

// Near gives the encodings of the observations which f takes and whose vectors are
// nearest to one, at most limit, by a coarse measure: whoever asks compares the
// vectors themselves. What has not been encoded by the model is not among them. It
// costs a look at the sketches of the whole project.
func (s *Store) Near(ctx context.Context, model string, vector []int8, f memory.Filter, limit int) ([]memory.Meaning, error) {
	list, err := s.near(ctx, model, vector, f, limit)
	if err != nil {
		return nil, fmt.Errorf("search by meaning: %w", err)
	}
	return list, nil
}

func (s *Store) near(ctx context.Context, model string, vector []int8, f memory.Filter, limit int) ([]memory.Meaning, error) {
	id, err := modelID(ctx, s.read, model)
	if err != nil || id == 0 || len(vector) == 0 || limit <= 0 {
		return nil, err
	}
	narrow, err := s.narrowed(ctx, f)
	if err != nil {
		return nil, err
	}
	keep := sketchesPerNear * limit
	if narrow.leavesOut() {
		keep = sketchesBehindFilter * limit
	}
	ids, err := s.nearSketches(ctx, id, sketchOf(vector), f.Keys(), keep)
	if err == nil && narrow.takesGlobal("observations") {
		ids, err = s.withNearGlobal(ctx, id, vector, narrow, ids)
	}
	if err != nil {
		return nil, err
	}
	var list []memory.Meaning
	for some := range slices.Chunk(ids, max(limit, 1)) {
		w := s.observationsWhere(narrow, spanOf(f))
		found, err := all(ctx, s.read, scanMeaning, `SELECT e.observation_id, e.vector, e.words
			FROM (SELECT value AS wanted FROM json_each(?)) CROSS JOIN observations ON observations.id = wanted
			CROSS JOIN embeddings AS e ON e.observation_id = wanted AND e.model = ?
			WHERE `+w.String(), slices.Concat([]any{encodeIDs(some), id}, w.args)...)
		if err != nil {
			return nil, err
		}
		if list = append(list, found...); len(list) >= limit {
			return list[:limit], nil
		}
	}
	return list, nil
}

// leavesOut reports whether the filter may take few of a project's observations.
func (f filter) leavesOut() bool {
	return f.SessionID != "" || len(f.Types)+len(f.Concepts)+len(f.Tags)+len(f.Files)+len(f.Agents)+len(f.Branches) > 0 ||
		!f.After.IsZero() || !f.Before.IsZero() || len(f.Statuses)+len(f.Scopes) > 0 || f.ExpiredOnly || f.PinnedOnly
}

// nearSketches gives the observations with the nearest sketches, the nearest first.
func (s *Store) nearSketches(ctx context.Context, model int64, sketch []byte, projects []string, keep int) ([]int64, error) {
	where, args := "model = ?", []any{model}
	switch len(projects) {
	case 0:
	case 1:
		where, args = where+" AND project = ?", append(args, projects[0])
	default:
		where, args = where+" AND project IN (SELECT value FROM json_each(?))", append(args, encodeJSON(projects))
	}
	type span struct{ first, last, blocks int64 }
	all, err := one(ctx, s.read, func(r row) (b span, err error) { return b, r.Scan(&b.first, &b.last, &b.blocks) },
		"SELECT coalesce(min(id), 0), coalesce(max(id), 0), count(*) FROM embedding_blocks WHERE "+where, args...)
	if err != nil || all.blocks == 0 {
		return nil, err
	}
	readers := min(maxReaders, 1+all.blocks/blocksAtOnce)
	width := (all.last-all.first)/readers + 1
	nearest := make([]nearestIDs, readers)
	errs := make([]error, readers)
	var reading sync.WaitGroup
	for i := range nearest {
		from := all.first + int64(i)*width
		reading.Go(func() {
			nearest[i] = newNearest(8*len(sketch), keep)
			errs[i] = s.readSketches(ctx, &nearest[i], sketch,
				"SELECT ids, sketches FROM embedding_blocks WHERE "+where+" AND id >= ? AND id < ?",
				slices.Concat(args, []any{from, from + width}))
		})
	}
	reading.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var ids []int64
	seen := map[int64]bool{}
	for distance := range nearest[0].at {
		for i := range nearest {
			for _, id := range nearest[i].at[distance] {
				if !seen[id] {
					seen[id] = true
					ids = append(ids, id)
				}
			}
		}
		if len(ids) >= keep {
			break
		}
	}
	return ids, nil
}

func (s *Store) readSketches(ctx context.Context, n *nearestIDs, sketch []byte, query string, args []any) error {
	want := make([]uint64, len(sketch)/8)
	for i := range want {
		want[i] = binary.LittleEndian.Uint64(sketch[8*i:])
	}
	rows, err := s.read.query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells what went wrong
	var ids, sketches sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&ids, &sketches); err != nil {
			return err
		}
		n.add(want, ids, sketches)
	}
	return rows.Err()
}

// nearestIDs collects the ids with the smallest distances.
type nearestIDs struct {
	at   [][]int64 // by the number of bits that differ
	most int       // the largest distance that still counts
	keep int
	n    int
}

func newNearest(size, keep int) nearestIDs {
	return nearestIDs{at: make([][]int64, size+1), most: size, keep: keep}
}

// add looks at the entries of a block.
func (n *nearestIDs) add(want []uint64, ids, sketches []byte) {
	size := 8 * len(want)
	for i := 0; (i+1)*size <= len(sketches) && (i+1)*idBytes <= len(ids); i++ {
		distance := 0
		for k, w := range want {
			distance += bits.OnesCount64(w ^ binary.LittleEndian.Uint64(sketches[i*size+8*k:]))
		}
		if distance > n.most {
			continue
		}
		n.at[distance] = append(n.at[distance], int64(binary.LittleEndian.Uint64(ids[i*idBytes:])))
		// Those at the largest distance go when there are enough without them.
		for n.n++; n.n-len(n.at[n.most]) >= n.keep; n.most-- {
			n.n -= len(n.at[n.most])
			n.at[n.most] = nil
		}
	}
}

// Rarities gives for each of the words what it says that an observation holds it: its
// inverse document frequency, as Match takes it.
func (s *Store) Rarities(ctx context.Context, words []string) ([]float64, error) {
	g := &gathering{s: s, index: observationWords, scored: s.scored, counts: map[string]int{}, common: map[string]float64{}}
	out := make([]float64, len(words))
	err := func() (err error) {
		if g.rows, g.length, err = s.indexSize(ctx, observationWords); err != nil {
			return err
		}
		if g.newest, err = number(ctx, s.read, "SELECT coalesce(max(id), 0) FROM observations"); err != nil {
			return err
		}
		for i, w := range words {
			e := phraseOf(clean(w), false)
			if len(e.typed) == 0 {
				continue // nothing that the index has
			}
			n, err := g.rowsOf(ctx, e.String())
			if err != nil {
				return err
			}
			out[i] = anyRarity(min(n, g.rows), g.rows)
		}
		return nil
	}()
	if err != nil {
		return nil, fmt.Errorf("count words: %w", err)
	}
	return out, nil
}
