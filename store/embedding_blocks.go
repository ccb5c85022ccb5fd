package store

import (
	"context"
	"encoding/binary"
	"errors"

	"cmem/memory"
)

// sketchOf gives the signs of a vector's numbers, a bit each. Vectors in about the
// same direction have about the same sketch: the angle between two is about the share
// of bits that differ (Charikar, Similarity Estimation Techniques from Rounding
// Algorithms, 2002).
func sketchOf(vector []int8) []byte {
	sketch := make([]byte, sketchBytes(len(vector)))
	for i, x := range vector {
		if x > 0 {
			sketch[i/8] |= 1 << (i % 8)
		}
	}
	return sketch
}

// sketchBytes is a multiple of eight, so that sketches are compared in words of 64 bits.
func sketchBytes(dims int) int { return (dims + 63) / 64 * 8 }

// block is a row of embedding_blocks.
type block struct {
	id, entries   int64
	ids, sketches []byte
}

func scanBlock(r row) (b block, err error) {
	return b, r.Scan(&b.id, &b.entries, &b.ids, &b.sketches)
}

// blockWriter adds the encodings of a model.
type blockWriter struct {
	t     tx
	model int64
}

// save stores the encodings of observations of one project.
func (w blockWriter) save(ctx context.Context, project string, list []memory.Meaning) error {
	var last block
	changed := false
	end := func() error {
		if !changed {
			return nil
		}
		changed = false
		_, err := w.t.exec(ctx, "UPDATE embedding_blocks SET entries = ?, ids = ?, sketches = ? WHERE id = ?",
			last.entries, last.ids, last.sketches, last.id)
		return err
	}
	for _, m := range list {
		// Where it was encoded before, it is gone from its block first.
		if _, err := w.t.exec(ctx, "DELETE FROM embeddings WHERE observation_id = ? AND model = ?", m.ID, w.model); err != nil {
			return err
		}
		at := int64(0)
		if len(m.Vector) > 0 {
			if last.id == 0 || last.entries >= blockEntries {
				if err := end(); err != nil {
					return err
				}
				var err error
				if last, err = w.open(ctx, project, last.id == 0); err != nil {
					return err
				}
			}
			at = last.id
			last.entries++
			last.ids = binary.LittleEndian.AppendUint64(last.ids, uint64(m.ID))
			last.sketches = append(last.sketches, sketchOf(m.Vector)...)
			changed = true
		}
		if _, err := w.t.exec(ctx, "INSERT INTO embeddings (observation_id, model, block, vector, words) VALUES (?, ?, ?, ?, ?)",
			m.ID, w.model, at, vectorBytes(m.Vector), wordBytes(m.Words)); err != nil {
			return err
		}
		if _, err := w.t.exec(ctx, "DELETE FROM embeddings_due WHERE model = ? AND observation_id = ?", w.model, m.ID); err != nil {
			return err
		}
	}
	return end()
}

// open gives a block of a project with room in it: the newest, if it may be that, or
// a new one.
func (w blockWriter) open(ctx context.Context, project string, newest bool) (block, error) {
	if newest {
		b, err := one(ctx, w.t, scanBlock, `SELECT id, entries, ids, sketches FROM embedding_blocks
			WHERE model = ? AND project = ? ORDER BY id DESC LIMIT 1`, w.model, project)
		if err == nil && b.entries < blockEntries || err != nil && !errors.Is(err, ErrNotFound) {
			return b, err
		}
	}
	id, err := w.t.insert(ctx, "INSERT INTO embedding_blocks (model, project, entries, ids, sketches) VALUES (?, ?, 0, x'', x'')", w.model, project)
	return block{id: id}, err
}

// dropGone takes the sketches of encodings that are gone out of their blocks.
func dropGone(ctx context.Context, t tx) error {
	blocks, err := all(ctx, t, scanNumber, "SELECT DISTINCT block FROM embeddings_gone")
	if err != nil {
		return err
	}
	for _, id := range blocks {
		if err := dropGoneFrom(ctx, t, id); err != nil {
			return err
		}
	}
	return nil
}

func dropGoneFrom(ctx context.Context, t tx, id int64) error {
	gone, err := all(ctx, t, scanNumber, "SELECT observation_id FROM embeddings_gone WHERE block = ?", id)
	if err != nil {
		return err
	}
	if _, err := t.exec(ctx, "DELETE FROM embeddings_gone WHERE block = ?", id); err != nil {
		return err
	}
	b, err := one(ctx, t, scanBlock, "SELECT id, entries, ids, sketches FROM embedding_blocks WHERE id = ?", id)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, observation := range gone {
		b.remove(uint64(observation))
	}
	if b.entries == 0 {
		_, err = t.exec(ctx, "DELETE FROM embedding_blocks WHERE id = ?", id)
		return err
	}
	_, err = t.exec(ctx, "UPDATE embedding_blocks SET entries = ?, ids = ?, sketches = ? WHERE id = ?", b.entries, b.ids, b.sketches, id)
	return err
}

// remove takes the oldest entry of an observation out, and puts the last in its place.
func (b *block) remove(observation uint64) {
	size := len(b.sketches) / int(max(b.entries, 1))
	last := int(b.entries) - 1
	for i := 0; i <= last; i++ {
		if binary.LittleEndian.Uint64(b.ids[i*idBytes:]) != observation {
			continue
		}
		copy(b.ids[i*idBytes:(i+1)*idBytes], b.ids[last*idBytes:])
		copy(b.sketches[i*size:(i+1)*size], b.sketches[last*size:])
		b.ids, b.sketches = b.ids[:last*idBytes], b.sketches[:last*size]
		b.entries--
		return
	}
}

// observations gives the ids of the observations that have an entry.
func (b *block) observations() []int64 {
	ids := make([]int64, len(b.ids)/idBytes)
	for i := range ids {
		ids[i] = int64(binary.LittleEndian.Uint64(b.ids[i*idBytes:]))
	}
	return ids
}
