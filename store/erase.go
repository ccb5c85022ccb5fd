package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// What a person takes away shall not be in the file any more. SQLite overwrites
// the rows (see openWriter). Two places are left: the indexes of words, which only
// mark a word as deleted until they happen to rewrite the place, and the log.
//
// FTS5 can forget a word at once, by its secure-delete. But an index that has done
// so is read by no SQLite before 3.42 any more, and people open this file with
// the sqlite3 of their system; and for a thousand memories it takes ten seconds.
// So the index is rewritten: in small steps, because of a large store that takes
// minutes. What is left over is on record in the store, and the writes that come
// after it, of whatever process, each do a step of it.

// rewriteStep is how many pages of the index are rewritten in one transaction.
const rewriteStep = 64

// pace is for how long a change that erases, another change and the end of the work
// go on rewriting the index, by one step at least, and how long to wait until emptying
// the log is tried again.
type pace struct{ erase, write, closing, log time.Duration }

var usualPace = pace{erase: 400 * time.Millisecond, write: 30 * time.Millisecond, closing: 200 * time.Millisecond, log: time.Second}

// erasing is what is left to do of erasing.
type erasing struct {
	words    bool          // the index may have words that were taken away
	patience time.Duration // what the change that ends now may take for it
	log      bool          // the log may have text that was taken away
	tried    time.Time     // when emptying the log was last tried
}

// The mark among the settings of an index that it has to be rewritten: a change of
// the schema would be a lot for it. FTS5 passes over settings that it does not know.
const (
	markErasing   = "INSERT OR REPLACE INTO $fts_config (k, v) VALUES ('cmem-erasing', 1)"
	unmarkErasing = "DELETE FROM $fts_config WHERE k = 'cmem-erasing'"
	isErasing     = "SELECT count(*) FROM $fts_config WHERE k = 'cmem-erasing'"

	rewriteIndex = "INSERT INTO $fts ($fts, rank) VALUES ('merge', ?)"
	// FTS5 would do nothing while a few changes that came later wait beside what is
	// being rewritten, as if it were done. From two pieces on it does.
	rewriteAlways = "INSERT INTO $fts ($fts, rank) VALUES ('usermerge', 2)"
)

// erase is transact for what takes text of the indexes away because a person wants it
// gone.
func (s *Store) erase(ctx context.Context, indexes []*wordIndex, f func(tx) error) error {
	return s.transact(ctx, func(t tx) error {
		if err := f(t); err != nil {
			return err
		}
		if err := dropGone(ctx, t); err != nil {
			return err
		}
		for _, x := range indexes {
			for _, statement := range []string{markErasing, rewriteAlways} {
				if _, err := t.exec(ctx, x.query(statement)); err != nil {
					return err
				}
			}
			// The negative number begins anew, with all that is in the index.
			if _, err := t.exec(ctx, x.query(rewriteIndex), -1); err != nil {
				return err
			}
		}
		t.w.erasing = erasing{words: true, patience: t.w.pace.erase, log: true}
		return nil
	})
}

// erasing gives erase for some of the indexes.
func (s *Store) erasing(indexes ...*wordIndex) func(context.Context, func(tx) error) error {
	return func(ctx context.Context, f func(tx) error) error { return s.erase(ctx, indexes, f) }
}

// findErasing looks whether another process has left something to erase.
func (w *writer) findErasing(ctx context.Context) error {
	left, err := w.toRewrite(ctx)
	w.erasing.words = len(left) > 0
	w.erasing.log, w.erasing.patience = w.erasing.words, w.pace.write
	return err
}

// toRewrite gives the indexes that have the mark.
func (w *writer) toRewrite(ctx context.Context) (left []*wordIndex, err error) {
	for _, x := range wordIndexes {
		var marked bool
		err := w.conn.QueryRowContext(ctx, x.query(isErasing)).Scan(&marked)
		if err != nil && !hasNoTable(err) { // otherwise damage that Check tells of
			return nil, err
		}
		if marked {
			left = append(left, x)
		}
	}
	return left, nil
}

// finishErasing goes on with erasing for about as long as patience. Who has the
// turn may call it. What goes wrong is left for the next time: what was to be
// written is.
func (w *writer) finishErasing(ctx context.Context, patience time.Duration) {
	w.erasing.patience = w.pace.write
	for began := time.Now(); w.erasing.words; {
		done, err := w.rewriteSome(ctx)
		if done {
			w.erasing = erasing{log: true, patience: w.pace.write}
		}
		if err != nil || time.Since(began) >= patience {
			break
		}
	}
	w.emptyLog(ctx)
}

// rewriteSome rewrites a piece of an index and reports whether that was the last. It
// is one transaction: what another program takes away meanwhile has its own mark.
func (w *writer) rewriteSome(ctx context.Context) (done bool, err error) {
	if _, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return false, err
	}
	end := context.WithoutCancel(ctx)
	if done, err = w.rewritePiece(ctx); err == nil {
		_, err = w.conn.ExecContext(end, "COMMIT")
	}
	if err != nil {
		_, _ = w.conn.ExecContext(end, "ROLLBACK")
	}
	return done && err == nil, err
}

func (w *writer) rewritePiece(ctx context.Context) (done bool, err error) {
	left, err := w.toRewrite(ctx)
	if err != nil || len(left) == 0 {
		return err == nil, err
	}
	rewritten, err := w.rewritePieceOf(ctx, left[0])
	return rewritten && len(left) == 1, err
}

func (w *writer) rewritePieceOf(ctx context.Context, x *wordIndex) (done bool, err error) {
	var before, after int64
	const changes = "SELECT total_changes()"
	err = w.conn.QueryRowContext(ctx, changes).Scan(&before)
	if err != nil {
		return false, err
	}
	if _, err := w.conn.ExecContext(ctx, x.query(rewriteIndex), rewriteStep); err != nil {
		return false, err
	}
	if err := w.conn.QueryRowContext(ctx, changes).Scan(&after); err != nil {
		return false, err
	}
	// Less than a step is all there was. While others write there is always something.
	if after-before >= rewriteStep {
		return false, nil
	}
	_, err = w.conn.ExecContext(ctx, x.query(unmarkErasing))
	return err == nil, err
}

// emptyLog writes the log into the file and cuts it to nothing when it may have
// text that was taken away, and when no other connection is in the way, for which
// it does not wait.
func (w *writer) emptyLog(ctx context.Context) {
	if !w.erasing.log || time.Since(w.erasing.tried) < w.pace.log {
		return
	}
	w.erasing.tried = time.Now()
	wait := func(d time.Duration) error {
		_, err := w.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", d.Milliseconds()))
		return err
	}
	if wait(0) != nil {
		return
	}
	var busy, pages, written int
	err := w.conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &written)
	// While words are being erased their old places go on coming into the log.
	w.erasing.log = w.erasing.words || err != nil || busy != 0
	_ = wait(busyTimeout) // it is the connection's own: nothing of it can fail
}

// hasNoTable reports whether err says that a table is missing or cannot be opened.
func hasNoTable(err error) bool {
	_, ok := sqliteCode(err)
	return ok && !isBusy(err) && !errors.Is(err, context.Canceled)
}
