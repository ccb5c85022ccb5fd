package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Sizes says what takes how much room, in bytes.
type Sizes struct {
	File int64 `json:"file"` // the store's file
	Log  int64 `json:"log"`  // its write-ahead log
	// Free is what the file holds for later writes. Housekeep gives most of it back
	// if Shrinks; otherwise Compact does.
	Free    int64 `json:"free"`
	Shrinks bool  `json:"shrinks"`

	RawEvents int64 `json:"raw_events"` // payloads of events, estimated from a sample
	Search    int64 `json:"search"`     // the indexes of words

	Backups     int64 `json:"backups"` // copies of the store in the folder of backups
	BackupFiles int   `json:"backup_files"`
	Damaged     int64 `json:"damaged"` // damaged stores that were put aside
}

const (
	// sampled is how many events are looked at to estimate what all take.
	sampled = 200
	// wordPage is about how many bytes FTS5 puts in one row of its index.
	wordPage = 4050
)

// Sizes gives the sizes. Its cost does not depend on how much there is.
func (s *Store) Sizes(ctx context.Context) (Sizes, error) {
	z, err := s.sizes(ctx)
	if err != nil {
		return z, fmt.Errorf("measure store %s: %w", s.path, named(err))
	}
	return z, nil
}

func (s *Store) sizes(ctx context.Context) (z Sizes, err error) {
	var mode int
	_, err = one(ctx, s.read, func(r row) (struct{}, error) { return struct{}{}, r.Scan(&z.Free, &mode) },
		`SELECT freelist_count * page_size, auto_vacuum FROM pragma_freelist_count, pragma_page_size, pragma_auto_vacuum`)
	if err != nil {
		return z, err
	}
	z.Shrinks = mode == vacuumIncremental
	if z.RawEvents, err = s.rawBytes(ctx); err != nil {
		return z, err
	}
	for _, x := range wordIndexes {
		bytes, err := s.searchBytes(ctx, x)
		if err != nil {
			return z, err
		}
		z.Search += bytes
	}
	if z.File, err = sizeOf(s.path); err != nil {
		return z, err
	}
	if z.Log, err = sizeOf(s.path + "-wal"); err != nil {
		return z, err
	}
	backups, err := Backups(s.path)
	if err != nil {
		return z, err
	}
	for _, b := range backups {
		z.Backups += b.Bytes
		z.BackupFiles++
	}
	damaged, err := aside(s.path)
	if err != nil {
		return z, err
	}
	for _, name := range damaged {
		size, err := sizeOf(name)
		if err != nil {
			return z, err
		}
		z.Damaged += size
	}
	return z, nil
}

// rawBytes estimates how much the payloads take: every so many events one is
// looked at, whose length is told without reading it.
func (s *Store) rawBytes(ctx context.Context) (int64, error) {
	return number(ctx, s.read, `WITH ends AS (SELECT min(id) AS lowest, max(id) AS highest FROM events),
		place (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM place WHERE n + 1 < ?1),
		taken AS (SELECT (SELECT coalesce(length(payload), 0) FROM events WHERE id >= lowest + (highest - lowest) * n / ?1 ORDER BY id LIMIT 1) AS size
			FROM place, ends)
		SELECT cast(coalesce(avg(size), 0) * (SELECT coalesce(sum(events), 0) FROM projects) AS INTEGER) FROM taken`, sampled)
}

// searchBytes gives how much an index of words takes, as its own record of its
// parts tells: the cookie, the numbers of levels, of segments and of writes; then
// of each level the number that is being merged and that of its segments, and of
// each segment its id, first and last page. Of a damaged record nothing is told.
func (s *Store) searchBytes(ctx context.Context, x *wordIndex) (int64, error) {
	record, err := one(ctx, s.read, func(r row) (b []byte, err error) { return b, r.Scan(&b) },
		x.query("SELECT block FROM $fts_data WHERE id = 10"))
	if errors.Is(err, ErrNotFound) || err == nil && len(record) < 4 {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	rest, pages, broken := record[4:], uint64(0), false
	next := func() uint64 {
		v, after := varint(rest)
		rest, broken = after, broken || after == nil
		return v
	}
	levels := next()
	next()
	next()
	for range levels {
		next()
		for range next() {
			next()
			first, last := next(), next()
			if broken {
				return 0, nil
			}
			pages += last - first + 1
		}
		if broken {
			return 0, nil
		}
	}
	return int64(pages) * wordPage, nil //nolint:gosec // pages of a file
}

// sizeOf gives the size of a file, 0 when there is none.
func sizeOf(path string) (int64, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
