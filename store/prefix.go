package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxBegun bounds how many words of the index an unfinished word is read as.
const maxBegun = 16

// maxBegunPhrase bounds it after another word: to find where two words stand side by
// side costs more than to find one.
const maxBegunPhrase = 6

// begun is what an unfinished word can be the beginning of.
type begun struct {
	words []string // written so that the index finds each
	all   bool     // there are no others
}

// begun gives the first words of the index that begin so, in their order. To let
// FTS5 collect the rows of all of them takes seconds in a large store where the
// beginning is short; there are few words in it beside rows.
func (s *Store) begun(ctx context.Context, x *wordIndex, beginning string) (begun, error) {
	conn, err := s.read.db.Conn(ctx)
	if err != nil {
		return begun{}, err
	}
	defer conn.Close() //nolint:errcheck // it goes back to the pool
	// The list of words is a view of the index, which each connection makes for itself.
	_, err = conn.ExecContext(ctx, x.query(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.$table_words
		USING fts5vocab(main, $fts, instance)`))
	if err != nil {
		return begun{}, fmt.Errorf("list the words of the index: %w", err)
	}
	next, err := conn.PrepareContext(ctx, x.query("SELECT term FROM temp.$table_words WHERE term >= ? LIMIT 1"))
	if err != nil {
		return begun{}, fmt.Errorf("list the words of the index: %w", err)
	}
	defer next.Close() //nolint:errcheck // it was for reading
	b := begun{all: true}
	for from := beginning; ; {
		var word string
		switch err := next.QueryRowContext(ctx, from).Scan(&word); {
		case errors.Is(err, sql.ErrNoRows):
			return b, nil
		case err != nil:
			return begun{}, fmt.Errorf("list the words of the index: %w", err)
		}
		if !strings.HasPrefix(word, beginning) {
			return b, nil
		}
		if len(b.words) == maxBegun {
			b.all = false
			return b, nil
		}
		if typed, ok := asTyped(word); ok {
			b.words = append(b.words, typed)
		} else {
			b.all = false
		}
		from = word + "\x01" // before any longer word
	}
}

// asTyped gives a word that has the stem: what is looked for is cut to its stem
// once more, and of some stems another one is left.
func asTyped(word string) (typed string, ok bool) {
	for _, ending := range []string{"", "e", "s", "es", "ed", "ing", "y", "er", "ion", "al", "ly", "ness", "ment", "ance", "ive"} {
		typed = word + ending
		if got := slices.Clone([]byte(typed)); string(stem(got)) == word {
			return typed, true
		}
	}
	return "", false
}

// isWhole reports whether what closed makes of e is true of every row of which e
// is: no unfinished word in it begins more words than are looked for.
func (g *gathering) isWhole(e expr) bool {
	if e.op != opPhrase {
		return !slices.ContainsFunc(e.kids, func(kid expr) bool { return !g.isWhole(kid) })
	}
	if !e.open || len(e.words) == 0 || len(e.words) > 2 {
		return true
	}
	if n, ok := g.counts[quote(e.typed[0])]; ok && len(e.words) == 2 && n <= g.scored {
		return true
	}
	b := g.begins[e.words[len(e.words)-1]]
	return b.all && (len(e.words) == 1 || len(b.words) <= maxBegunPhrase)
}

// rareWithoutLast reports whether an unfinished phrase can be looked for without
// its last word: because the first one is rare, or because it is long. Long
// phrases are costly to look for, and rare enough without their end.
func (g *gathering) rareWithoutLast(ctx context.Context, e expr) (bool, error) {
	switch len(e.words) {
	case 1:
		return false, nil
	case 2:
		n, err := g.count(ctx, quote(e.typed[0]))
		return n <= g.scored, err
	}
	return true, nil
}

// written gives the FTS5 expression for e, in which every unfinished word has
// become the words that begin so; "" when nothing can match. It may be true of
// more rows than e: the matcher looks again.
func (g *gathering) written(ctx context.Context, e expr) (string, error) {
	closed, err := g.closed(ctx, e)
	if err != nil || closed == nil {
		return "", err
	}
	return closed.String(), nil
}

// closed gives e with every unfinished word replaced by those that begin so, nil
// when there are none.
func (g *gathering) closed(ctx context.Context, e expr) (*expr, error) {
	if e.op != opPhrase {
		var kids []expr
		for _, kid := range e.kids {
			c, err := g.closed(ctx, kid)
			if err != nil {
				return nil, err
			}
			if c != nil {
				kids = append(kids, *c)
			} else if e.op == opAll {
				return nil, nil
			}
		}
		if len(kids) == 0 {
			return nil, nil
		}
		if e.op == opAny {
			e = orOf(kids)
		} else {
			e = andOf(kids)
		}
		return &e, nil
	}
	if len(e.words) == 0 {
		return nil, nil
	}
	if !e.open {
		return &e, nil
	}
	last := len(e.words) - 1
	alone, err := g.rareWithoutLast(ctx, e)
	if err != nil {
		return nil, err
	}
	if alone {
		c := phraseOf(strings.Join(e.typed[:last], " "), false)
		return &c, nil
	}
	b, err := g.begun(ctx, e.words[last])
	if err != nil {
		return nil, err
	}
	words := b.words
	if last > 0 {
		words = words[:min(len(words), maxBegunPhrase)]
	}
	var kids []expr
	for _, w := range words {
		kids = append(kids, phraseOf(strings.Join(append(e.typed[:last:last], w), " "), false))
	}
	if len(kids) == 0 {
		return nil, nil
	}
	c := orOf(kids)
	return &c, nil
}

func (g *gathering) begun(ctx context.Context, beginning string) (begun, error) {
	b, ok := g.begins[beginning]
	if ok {
		return b, nil
	}
	b, err := g.s.begun(ctx, g.index, beginning)
	if err == nil {
		g.begins[beginning] = b
	}
	return b, err
}
