package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"cmem/bench/corpus"
	"cmem/memory"
	"cmem/recall"
	"cmem/store"
)

const (
	recallRounds = 20
	rankedRounds = 3 // the index's own ranking takes up to seconds
	indexedCount = 500
	// What a search may take in a store of 100,000 observations, 95th percentile, and how
	// many times that in one of a million.
	wordsLimit, bothLimit = 12, 25 // ms
	largerLimit           = 4
	plainLimit            = 0.1 // of what ORDER BY bm25 takes for common words
)

// mixedSearches are whole texts of every kind, of the words that the stores are made of.
var mixedSearches = []struct {
	text   string
	match  string // the same for FTS5, as one writes it who asks it at once; "" where that is not compared
	common bool   // all words are
}{
	{text: "babale"}, {text: "AppendAccountBy"}, {text: "E0042"}, {text: "taveka"}, {text: "module042"}, {text: "getTest"},
	{"test", `"test"`, true}, {"user order", `"user" OR "order"`, true}, {"error change", `"error" OR "change"`, true},
	{"order cache test", `"order" OR "cache" OR "test"`, true}, {"test -order", `"test" NOT "order"`, true},
	{"account by", `"account" OR "by"`, true}, {`"the order"`, `"the order"`, true},
	{text: "refun*"}, {text: "kubernetes babale"}, {text: "kubernetes test order"}, {text: "kubernetes"},
	{text: "测试"}, {text: "分支"}, {text: "请求文件"}, {text: "数据库连接池"},
	{text: "internal/cache/order.go:120"}, {text: "src/user/address_test.go"},
	{text: "why does the checkout test of the user order fail after the cache change in the payment module"},
}

// recall measures searches by words and by meaning in an open store: for a mix of
// texts, and for common words beside the index's own ranking.
func (b *bench) recall(ctx context.Context) error {
	var p95 [2]struct {
		words, both float64
		size        int
	}
	for i, s := range b.stores {
		words, both, err := b.recallIn(ctx, s)
		if err != nil {
			return err
		}
		at := 0
		if i == len(b.stores)-1 {
			at = 1
		}
		if at == 1 || s.Observations <= 100_000 {
			p95[at].words, p95[at].both, p95[at].size = words, both, s.Observations
		}
	}
	usual, largest := p95[0], p95[1]
	if usual.size == 0 {
		usual = largest
	}
	of := " of the mix at " + sizeName(usual.size) + ", p95"
	b.targetOf("recall", "observations by words"+of, usual.words, wordsLimit, "ms", "")
	b.targetOf("recall", "search by both"+of, usual.both, bothLimit, "ms", "")
	if largest.size > usual.size {
		of = " at " + sizeName(largest.size) + ", p95, of that"
		b.targetOf("recall", "observations by words"+of, largest.words/usual.words, largerLimit, "×", fmt.Sprintf("%.1f ms", largest.words))
		b.targetOf("recall", "search by both"+of, largest.both/usual.both, largerLimit, "×", fmt.Sprintf("%.1f ms", largest.both))
	}
	return nil
}

// recallIn measures one store and gives the 95th percentiles in milliseconds.
func (b *bench) recallIn(ctx context.Context, s corpus.Store) (words, both float64, err error) {
	path := filepath.Join(s.Dir, "cmem.db")
	if err := b.encode(ctx, path, s.Observations); err != nil {
		return 0, 0, err
	}
	db, err := store.OpenReadOnly(ctx, path)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	plain, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?mode=ro")
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, plain.Close()) }()

	var matched, byWords, byBoth, common, ranked []sample
	for round := range warmUps + min(recallRounds, b.rounds) {
		for _, m := range mixedSearches {
			search := func(w recall.Weights) (sample, error) {
				begin := time.Now()
				_, err := recall.Search(ctx, db, recall.Query{Text: m.text, Weights: w})
				return sample{wall: time.Since(begin)}, err
			}
			begin := time.Now()
			if _, err := db.Match(ctx, m.text, memory.Filter{}, recall.DefaultLimit); err != nil {
				return 0, 0, fmt.Errorf("%q: %w", m.text, err)
			}
			match := sample{wall: time.Since(begin)}
			wordsOnly := recall.DefaultWeights()
			wordsOnly.Semantic = 0
			w, err := search(wordsOnly)
			if err != nil {
				return 0, 0, fmt.Errorf("%q: %w", m.text, err)
			}
			mixed, err := search(recall.Weights{})
			if err != nil {
				return 0, 0, fmt.Errorf("%q: %w", m.text, err)
			}
			if round < warmUps {
				continue
			}
			matched, byWords, byBoth = append(matched, match), append(byWords, w), append(byBoth, mixed)
			if m.common && round < warmUps+rankedRounds {
				r, err := rankedByIndex(ctx, plain, m.match)
				if err != nil {
					return 0, 0, fmt.Errorf("%s: %w", m.match, err)
				}
				common, ranked = append(common, match), append(ranked, r)
			}
		}
	}
	add := func(name string, list []sample) Row {
		row := newRow("recall", contender{name: name, observations: s.Observations}, list)
		b.Rows = append(b.Rows, row)
		return row
	}
	w := add("mix: observations by words, as the store ranks them", matched)
	add("mix: a search by words, of every kind", byWords)
	h := add("mix: a search by words and meaning, of every kind", byBoth)
	c, r := add("common words: observations by words", common), add("common words: ORDER BY bm25", ranked)
	if s.Observations >= 100_000 {
		b.targetOf("recall", "common words at "+sizeName(s.Observations)+", median, of ORDER BY bm25", c.WallMS.Median/r.WallMS.Median, plainLimit, "×",
			fmt.Sprintf("%.1f of %.0f ms", c.WallMS.Median, r.WallMS.Median))
	}
	return w.WallMS.P95, h.WallMS.P95, nil
}

// rankedByIndex has FTS5 rank everything that matches.
func rankedByIndex(ctx context.Context, db *sql.DB, match string) (s sample, err error) {
	begin := time.Now()
	rows, err := db.QueryContext(ctx, "SELECT rowid FROM observations_fts WHERE observations_fts MATCH ? ORDER BY bm25(observations_fts) LIMIT 20", match)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
	}
	return sample{wall: time.Since(begin)}, rows.Err()
}

// encode makes what a store lacks for searches by meaning, as the worker does.
func (b *bench) encode(ctx context.Context, path string, observations int) (err error) {
	db, err := store.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for left := int64(1); left > 0; {
		if left, err = db.RetokenizeSome(ctx, indexedCount); err != nil {
			return err
		}
	}
	begin, told, done := time.Now(), time.Now(), 0
	err = corpus.Encode(ctx, db, func(n int) {
		if done = n; time.Since(told) > 10*time.Second {
			told = time.Now()
			fmt.Fprintf(os.Stderr, "encoding a store of %s observations: %d %%\n", sizeName(observations), 100*n/observations)
		}
	})
	if err != nil {
		return err
	}
	if done > 1000 {
		b.figure("recall", sizeName(observations)+": to encode an observation and keep it", milliseconds(time.Since(begin))/float64(done), "ms")
	}
	return nil
}
