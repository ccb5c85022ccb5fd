package store

import (
	"context"
	"errors"
	"fmt"
)

// transactDurably is transact for what nobody else has a copy of any more once it
// is committed: when it returns, the transaction is on the disk and a power cut
// does not take it back. The other transactions are safe from the death of every
// process, but a power cut may take the last of them: what they say is made anew
// from what is stored, or was typed a moment ago.
func (s *Store) transactDurably(ctx context.Context, f func(tx) error) error {
	if s.write == nil {
		return ErrReadOnly
	}
	if err := s.replaced(); err != nil {
		return err
	}
	return noRoom(s.write.transactDurably(ctx, s.inPlace(f)), s.path)
}

func (w *writer) transactDurably(ctx context.Context, f func(tx) error) (err error) {
	if err := w.take(ctx); err != nil {
		return err
	}
	defer w.release()
	// SQLite syncs its log with each commit at FULL, at NORMAL only before a checkpoint.
	if err := w.synchronous(ctx, "FULL"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.synchronous(context.WithoutCancel(ctx), "NORMAL")) }()
	return w.run(ctx, f)
}

func (w *writer) synchronous(ctx context.Context, level string) error {
	if _, err := w.conn.ExecContext(ctx, "PRAGMA synchronous = "+level); err != nil {
		return fmt.Errorf("set synchronous to %s: %w", level, named(err))
	}
	return nil
}
