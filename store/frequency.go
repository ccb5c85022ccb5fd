package store

import (
	"context"
	"errors"
	"math"
)

// How many rows a word stands in decides which way a search goes and what the word
// counts. To count the rows of a common word takes as long as to find them, so
// they are counted up to a bound, and beyond it in samples.

// maxProbed bounds how many words of one phrase are counted to find a rare one.
const maxProbed = 8

// atMost gives a number of rows that e is true of at most, infinite where that is
// more than a reading may take.
func (g *gathering) atMost(ctx context.Context, e expr) (float64, error) {
	switch e.op {
	case opAll:
		least := math.Inf(1)
		for _, kid := range e.kids {
			n, err := g.atMost(ctx, kid)
			if err != nil {
				return 0, err
			}
			least = min(least, n)
		}
		return least, nil
	case opAny:
		sum := 0.0
		for _, kid := range e.kids {
			n, err := g.atMost(ctx, kid)
			if err != nil {
				return 0, err
			}
			sum += n
		}
		return sum, nil
	}
	typed := e.typed
	if e.open && len(typed) > 0 {
		typed = typed[:len(typed)-1]
	}
	for _, w := range typed[:min(len(typed), maxProbed)] {
		n, err := g.count(ctx, quote(w))
		if err != nil {
			return 0, err
		}
		if n <= g.scored {
			return float64(n), nil
		}
	}
	if !e.open || len(e.words) != 1 {
		return math.Inf(1), nil
	}
	expression, err := g.written(ctx, e)
	if err != nil || !g.isWhole(e) {
		return math.Inf(1), err
	}
	if expression == "" {
		return 0, nil
	}
	n, err := g.count(ctx, expression)
	if n > g.scored {
		return math.Inf(1), err
	}
	return float64(n), err
}

// count counts the rows with an expression that cannot be true of few rows and
// still take long to find: of single words, or with a rare one. It stops when it
// has found them to be too many for a reading.
func (g *gathering) count(ctx context.Context, expression string) (int, error) {
	if n, ok := g.counts[expression]; ok {
		return n, nil
	}
	t, err := g.counted(ctx, expression, 0)
	if err != nil {
		return 0, err
	}
	g.counts[expression] = int(t.n)
	if g.ends != nil {
		g.ends[expression] = t.last
	}
	return int(t.n), nil
}

// census is how many rows of the index were counted, back to the last.
type census struct{ n, last int64 }

// counted counts the rows with an expression from the oldest id on, or until they
// are too many for a reading.
func (g *gathering) counted(ctx context.Context, expression string, oldest int64) (census, error) {
	if oldest > 0 { // see newestWith
		n, err := number(ctx, g.s.read, g.index.query("SELECT count(*) FROM $fts WHERE $fts MATCH ? AND rowid >= ?"), expression, oldest)
		return census{n: n, last: oldest}, err
	}
	return one(ctx, g.s.read, func(r row) (t census, err error) { return t, r.Scan(&t.n, &t.last) },
		g.index.query(`SELECT count(*), coalesce(min(rowid), 0) FROM (SELECT rowid FROM $fts WHERE $fts MATCH ?
		ORDER BY rowid DESC LIMIT ?)`), expression, g.scored+1)
}

// commonness gives in how many rows a word stands: counted when they are few,
// otherwise estimated.
func (g *gathering) commonness(ctx context.Context, word string) (float64, error) {
	return g.rowsOf(ctx, quote(word))
}

// rowsOf is commonness for one of several words, as an FTS5 expression.
func (g *gathering) rowsOf(ctx context.Context, expression string) (float64, error) {
	n, err := g.count(ctx, expression)
	if err != nil || n <= g.scored {
		return float64(n), err
	}
	if n, ok := g.common[expression]; ok {
		return n, nil
	}
	width := max(int64(g.scored/4), 1)
	step := g.newest / samples
	if step < width {
		step, width = g.newest+1, g.newest+1 // a store so small is counted
	}
	counted, looked := 0.0, 0.0
	for from := int64(0); from+width <= g.newest+1; from += step {
		n, err := number(ctx, g.s.read, g.index.query("SELECT count(*) FROM $fts WHERE $fts MATCH ? AND rowid >= ? AND rowid < ?"),
			expression, from, from+width)
		if err != nil {
			return 0, err
		}
		counted, looked = counted+float64(n), looked+float64(width)
	}
	g.common[expression] = max(float64(n), counted/looked*float64(g.newest+1))
	return g.common[expression], nil
}

// begunRows gives in how many rows the words stand with which the unfinished last
// one of a phrase is looked for, infinite where it is looked for without that.
func (g *gathering) begunRows(ctx context.Context, e expr) (float64, error) {
	alone, err := g.rareWithoutLast(ctx, e)
	if err != nil || alone {
		return math.Inf(1), err
	}
	last := phraseOf(e.typed[len(e.typed)-1], true)
	expression, err := g.written(ctx, last)
	if err != nil || expression == "" {
		return 0, err
	}
	return g.rowsOf(ctx, expression)
}

// rowsWith gives in how many rows a phrase stands, as far as that can be found out
// within bounds.
func (g *gathering) rowsWith(ctx context.Context, e expr) (float64, error) {
	if len(e.words) == 1 && !e.open {
		return g.commonness(ctx, e.typed[0])
	}
	expression, err := g.written(ctx, e)
	if err != nil || expression == "" {
		return 0, err
	}
	if n, ok := g.tallies[expression]; ok {
		return n, nil
	}
	oldest := int64(0)
	atMost, err := g.atMost(ctx, e)
	if err == nil && math.IsInf(atMost, 1) {
		oldest, err = g.reach(ctx, []expr{e}, comparedPerScored*g.scored/4)
	}
	if err != nil {
		return 0, err
	}
	t, err := g.counted(ctx, expression, oldest)
	if err != nil {
		return 0, err
	}
	if t.n > int64(g.scored) {
		oldest = t.last // where it is not that already
	}
	return float64(t.n) * float64(g.newest+1) / float64(g.newest+1-oldest), nil
}

// indexSize gives how many rows the index has, and of how many words one consists
// on average. FTS5 keeps both in the first record of its data: the number of rows
// and that of the words in each column, as varints.
func (s *Store) indexSize(ctx context.Context, x *wordIndex) (rows, length float64, err error) {
	record, err := one(ctx, s.read, func(r row) (b []byte, err error) { return b, r.Scan(&b) },
		x.query("SELECT block FROM $fts_data WHERE id = 1"))
	if errors.Is(err, ErrNotFound) {
		return 1, 1, nil // an index without it finds nothing
	}
	if err != nil {
		return 0, 0, err
	}
	for i := 0; len(record) > 0; i++ {
		var v uint64
		v, record = varint(record)
		if i == 0 {
			rows = float64(v)
		} else {
			length += float64(v)
		}
	}
	if rows == 0 || length == 0 {
		return 1, 1, nil
	}
	return rows, length / rows, nil
}

// varint reads a number as SQLite writes it: seven bits a byte, the largest first.
func varint(b []byte) (v uint64, rest []byte) {
	for i, c := range b {
		if i == 8 {
			return v<<8 | uint64(c), b[i+1:]
		}
		v = v<<7 | uint64(c&0x7f)
		if c < 0x80 {
			return v, b[i+1:]
		}
	}
	return v, nil
}
