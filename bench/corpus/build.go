package corpus

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"unicode"

	"cmem/store"
)

// version is part of the name of a cached store; raise it when the generator
// changes what it makes.
const version = 1

// bundleRows is how many observations are stored in one transaction.
const bundleRows = 2000

// A Query is a text to search for, and how common what it asks for is.
type Query struct {
	Name string `json:"name"` // the kind: "rare word", "Chinese word", …
	Text string `json:"text"`
	Rows int    `json:"rows"` // observations that hold all its words
}

// Store is a generated store on disk.
type Store struct {
	Dir          string  `json:"-"` // a data directory with cmem.db in it
	Observations int     `json:"observations"`
	Queries      []Query `json:"queries"`
}

// Build gives the store with that many observations, from below cache where it
// was built before. progress, when not nil, is told how many are stored.
func Build(ctx context.Context, cache string, observations int, progress func(done int)) (Store, error) {
	dir := filepath.Join(cache, fmt.Sprintf("v%d-%d", version, observations))
	s := Store{Dir: dir, Observations: observations}
	about := filepath.Join(dir, "corpus.json")
	raw, err := os.ReadFile(about)
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err == nil {
		return s, bringUpToDate(ctx, dir)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return s, fmt.Errorf("read %s: %w", about, err)
	}
	if err := os.RemoveAll(dir); err != nil { // what an interrupted build left
		return s, err
	}
	g := newGenerator(observations)
	if err := fill(ctx, dir, g, observations, progress); err != nil {
		return s, fmt.Errorf("build a store of %d observations: %w", observations, err)
	}
	s.Queries = g.queries(observations)
	if raw, err = json.MarshalIndent(s, "", "  "); err != nil {
		return s, err
	}
	return s, os.WriteFile(about, raw, 0o600) // last: it says that the store is complete
}

// bringUpToDate lets the store migrate, should the schema have changed.
func bringUpToDate(ctx context.Context, dir string) error {
	db, err := store.Open(ctx, filepath.Join(dir, "cmem.db"))
	if err != nil {
		return err
	}
	return db.Close()
}

func fill(ctx context.Context, dir string, g *generator, observations int, progress func(int)) (err error) {
	db, err := store.Open(ctx, filepath.Join(dir, "cmem.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for g.left > 0 {
		if _, err := db.Import(ctx, g.next(bundleRows)); err != nil {
			return err
		}
		if progress != nil {
			progress(observations - g.left)
		}
	}
	return nil
}

// queries chooses what to search for by how often the words were used.
func (g *generator) queries(observations int) []Query {
	type counted struct {
		word string
		rows int
	}
	var plain, names, hanzi []counted
	for word, rows := range g.rows {
		c := counted{word, rows}
		switch r := []rune(word); {
		case unicode.Is(unicode.Han, r[0]):
			hanzi = append(hanzi, c)
		case slices.ContainsFunc(r, func(r rune) bool { return r == '_' || unicode.IsUpper(r) }):
			names = append(names, c)
		case len(word) >= 6 || slices.Contains(nouns, word): // a short made-up word could be the beginning of others
			plain = append(plain, c)
		}
	}
	nearest := func(name string, from []counted, rows int) Query {
		distance := func(c counted) int { return max(c.rows-rows, rows-c.rows) }
		best := slices.MinFunc(from, func(a, b counted) int {
			return cmp.Or(cmp.Compare(distance(a), distance(b)), cmp.Compare(a.word, b.word))
		})
		return Query{Name: name, Text: best.word, Rows: best.rows}
	}
	return []Query{
		nearest("rare word", plain, 3),
		nearest("middling word", plain, max(observations/100, 3)),
		nearest("common word", plain, observations),
		{Name: "two common words", Text: nouns[1] + " " + nouns[2], Rows: -1},
		nearest("rare identifier", names, 3),
		nearest("common identifier", names, observations),
		nearest("middling Chinese word", hanzi, max(observations/100, 3)),
		nearest("common Chinese word", hanzi, observations),
		{Name: "Chinese phrase", Text: chinese[4] + chinese[5], Rows: -1},
	}
}
