package store

import (
	"context"
	"fmt"

	"cmem/memory"
)

// OpenBatches gives a page of the batches that are not done, oldest first: those
// after the batch with the given id (0 for the beginning), due or not.
func (s *Store) OpenBatches(ctx context.Context, after int64, limit int) ([]memory.Batch, error) {
	list, err := all(ctx, s.read, scanBatch, "SELECT "+batchColumns+` FROM batches
		WHERE state <> 'done' AND id > ? ORDER BY id LIMIT ?`, after, limit)
	if err != nil {
		return nil, fmt.Errorf("list open batches: %w", err)
	}
	return list, nil
}

// RetryNow makes the next attempt at batches due at once, of those that are not
// done and wait for it: the ones with the ids, or all of them when ids is empty.
// It says of how many. What failed before stays on record.
func (s *Store) RetryNow(ctx context.Context, ids []int64) (n int, err error) {
	err = s.transact(ctx, func(t tx) error {
		changed, err := t.exec(ctx, `UPDATE batches SET next_attempt_epoch = 0 WHERE state <> 'done' AND next_attempt_epoch > 0
			AND (? OR id IN (SELECT value FROM json_each(?)))`, len(ids) == 0, encodeIDs(ids))
		n = int(changed)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("retry batches: %w", err)
	}
	return n, nil
}
