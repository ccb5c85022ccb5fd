package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cmem/memory"
)

const (
	// droppedPrefix begins the name of a model whose encodings are being removed, so that
	// one which is wanted again meanwhile begins anew.
	droppedPrefix = "dropped "
	// blocksDropped is how many blocks, and dueDropped how many observations that are
	// due, are removed in one transaction.
	blocksDropped = 4
	dueDropped    = 10_000
	// blocksSampled is how many blocks a sample of encodings is taken from.
	blocksSampled = 8
)

// EmbeddingModels names the embedding models that the store has encodings of or is
// ready for, the newest first.
func (s *Store) EmbeddingModels(ctx context.Context) ([]string, error) {
	names, err := all(ctx, s.read, scanText, "SELECT name FROM embedding_models ORDER BY id DESC")
	if err != nil {
		return nil, fmt.Errorf("list embedding models: %w", err)
	}
	return slices.DeleteFunc(names, func(n string) bool { return strings.HasPrefix(n, droppedPrefix) }), nil
}

// DropModels removes some of the encodings of the models that are not to be kept, and
// reports whether there are more.
func (s *Store) DropModels(ctx context.Context, keep ...string) (more bool, err error) {
	unwanted, err := all(ctx, s.read, scanText, "SELECT name FROM embedding_models ORDER BY id")
	if err != nil {
		return false, fmt.Errorf("list embedding models: %w", err)
	}
	unwanted = slices.DeleteFunc(unwanted, func(n string) bool { return slices.Contains(keep, n) })
	if len(unwanted) == 0 {
		return false, nil
	}
	err = s.transact(ctx, func(t tx) error {
		gone, err := dropSome(ctx, t, unwanted[0])
		more = !gone || len(unwanted) > 1
		return err
	})
	if err != nil {
		return false, fmt.Errorf("remove the encodings of an embedding model: %w", err)
	}
	return more, nil
}

// dropSome removes some of what there is of a model and reports whether it is gone.
func dropSome(ctx context.Context, t tx, name string) (gone bool, err error) {
	model, err := number(ctx, t, "SELECT id FROM embedding_models WHERE name = ?", name)
	if errors.Is(err, ErrNotFound) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if _, err := t.exec(ctx, "UPDATE embedding_models SET name = ? || id WHERE id = ? AND name NOT LIKE ? || '%'", droppedPrefix, model, droppedPrefix); err != nil {
		return false, err
	}
	blocks, err := all(ctx, t, scanBlock, "SELECT id, entries, ids, x'' FROM embedding_blocks WHERE model = ? LIMIT ?", model, blocksDropped)
	if err != nil {
		return false, err
	}
	for _, b := range blocks {
		for _, statement := range []struct {
			text string
			args []any
		}{
			{"DELETE FROM embeddings WHERE model = ? AND observation_id IN (SELECT value FROM json_each(?))", []any{model, encodeIDs(b.observations())}},
			{"DELETE FROM embedding_blocks WHERE id = ?", []any{b.id}},
			{"DELETE FROM embeddings_gone WHERE block = ?", []any{b.id}},
		} {
			if _, err := t.exec(ctx, statement.text, statement.args...); err != nil {
				return false, err
			}
		}
	}
	if len(blocks) > 0 {
		return false, nil
	}
	if _, err := t.exec(ctx, "DELETE FROM embeddings_due WHERE model = ? AND observation_id IN (SELECT observation_id FROM embeddings_due WHERE model = ? LIMIT ?)",
		model, model, dueDropped); err != nil {
		return false, err
	}
	if left, err := number(ctx, t, "SELECT EXISTS (SELECT 1 FROM embeddings_due WHERE model = ?)", model); err != nil || left > 0 {
		return false, err
	}
	// What is left are the encodings without a vector, which stand in no block.
	if _, err := t.exec(ctx, "DELETE FROM embeddings WHERE model = ?", model); err != nil {
		return false, err
	}
	_, err = t.exec(ctx, "DELETE FROM embedding_models WHERE id = ?", model)
	return true, err
}

// EncodeAgain makes observations due for a model that has been given up on them.
func (s *Store) EncodeAgain(ctx context.Context, model string, ids []int64) error {
	err := s.transact(ctx, func(t tx) error {
		id, err := modelID(ctx, t, model)
		if err != nil || id == 0 {
			return err
		}
		wanted := encodeIDs(ids)
		if _, err := t.exec(ctx, "DELETE FROM embeddings WHERE model = ? AND block = 0 AND observation_id IN (SELECT value FROM json_each(?))", id, wanted); err != nil {
			return err
		}
		_, err = t.exec(ctx, `INSERT OR IGNORE INTO embeddings_due SELECT ?, id FROM observations WHERE id IN (SELECT value FROM json_each(?))
			AND NOT EXISTS (SELECT 1 FROM embeddings WHERE observation_id = observations.id AND model = ?)`, id, wanted, id)
		return err
	})
	if err != nil {
		return fmt.Errorf("encode observations again: %w", err)
	}
	return nil
}

// SomeMeanings gives encodings from all over the store, at most limit: what memories
// look like to a model that have nothing to do with each other. The same store gives
// the same ones.
func (s *Store) SomeMeanings(ctx context.Context, model string, limit int) ([]memory.Meaning, error) {
	ids, err := s.sampled(ctx, model, limit)
	if err != nil {
		return nil, fmt.Errorf("read a sample of encodings: %w", err)
	}
	return s.Meanings(ctx, model, ids)
}

func (s *Store) sampled(ctx context.Context, model string, limit int) ([]int64, error) {
	id, err := modelID(ctx, s.read, model)
	if err != nil || id == 0 || limit <= 0 {
		return nil, err
	}
	blocks, err := all(ctx, s.read, scanNumber, "SELECT id FROM embedding_blocks WHERE model = ? ORDER BY id", id)
	if err != nil || len(blocks) == 0 {
		return nil, err
	}
	some := blocks[:0:0]
	step := (len(blocks) + blocksSampled - 1) / blocksSampled
	for i := 0; i < len(blocks); i += step {
		some = append(some, blocks[i])
	}
	var found []int64
	for _, b := range some {
		one, err := one(ctx, s.read, scanBlock, "SELECT id, entries, ids, x'' FROM embedding_blocks WHERE id = ?", b)
		if errors.Is(err, ErrNotFound) {
			continue // another one stands for it by now
		}
		if err != nil {
			return nil, err
		}
		found = append(found, one.observations()...)
	}
	if len(found) <= limit {
		return found, nil
	}
	out := make([]int64, limit)
	for i := range out {
		out[i] = found[i*len(found)/limit]
	}
	return out, nil
}
