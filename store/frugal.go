package store

import (
	"context"
	"errors"
	"fmt"
)

// frugalCache is how much of the file a connection of a frugal store keeps in
// memory, in KiB. SQLite's own choice is four times that; what is not there, the
// system has in its cache of the file.
const frugalCache = 512

// Frugal makes the store do with little memory, for one who keeps it open for long
// beside other programs and reads one thing after the other: from now on, reads
// wait for each other.
func (s *Store) Frugal(ctx context.Context) error {
	pragma := fmt.Sprintf("PRAGMA cache_size = -%d", frugalCache)
	s.read.db.SetMaxOpenConns(1)
	_, err := s.read.db.ExecContext(ctx, pragma)
	if s.write != nil {
		err = errors.Join(err, s.write.frugal(ctx, pragma))
	}
	if err != nil {
		return fmt.Errorf("make store %s use less memory: %w", s.path, named(err))
	}
	return nil
}

func (w *writer) frugal(ctx context.Context, pragma string) error {
	if err := w.take(ctx); err != nil {
		return err
	}
	defer w.release()
	_, err := w.conn.ExecContext(ctx, pragma)
	return err
}
