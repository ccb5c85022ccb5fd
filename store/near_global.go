package store

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"cmem/memory"
)

// maxNearGlobal is how many of the newest observations of the global layer are compared
// by what they mean. There should be some dozens.
const maxNearGlobal = 500

// withNearGlobal puts observations of other projects that count in every project among
// the nearest of a search. Their sketches lie with those of their projects, so their
// vectors are looked at.
func (s *Store) withNearGlobal(ctx context.Context, model int64, vector []int8, f filter, nearest []int64) ([]int64, error) {
	f.layer = true
	w := s.observationsWhere(f, spanOf(f.Filter))
	args := slices.Concat(w.args, []any{maxNearGlobal, model})
	global, err := all(ctx, s.read, scanMeaning, `SELECT e.observation_id, e.vector, e.words
		FROM (SELECT id AS wanted FROM observations WHERE `+w.String()+` ORDER BY created_at_epoch DESC, id DESC LIMIT ?)
		CROSS JOIN embeddings AS e ON e.observation_id = wanted AND e.model = ?`, args...)
	if err != nil || len(global) == 0 {
		return nearest, err
	}
	distance := make(map[int64]int, len(global))
	want := sketchOf(vector)
	for _, m := range global {
		if len(m.Vector) == len(vector) {
			distance[m.ID] = bitsBetween(want, sketchOf(m.Vector))
		}
	}
	slices.SortStableFunc(global, func(a, b memory.Meaning) int { return cmp.Compare(distance[a.ID], distance[b.ID]) })
	// First, because they are few, whatever there is of the project.
	ids := make([]int64, 0, len(nearest)+nearGlobal)
	for _, m := range global[:min(nearGlobal, len(global))] {
		ids = append(ids, m.ID)
	}
	return append(ids, nearest...), nil
}

// nearGlobal is how many of them are among the nearest at most.
const nearGlobal = 40

func bitsBetween(a, b []byte) (n int) {
	for i := range a {
		n += bits.OnesCount8(a[i] ^ b[i])
	}
	return n
}
