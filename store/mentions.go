package store

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"cmem/memory"
)

// Bounds of what looking for a file costs. They count rows, as those of a search do.
const (
	// rareInPaths is in how many rows a word of a path stands at most so that every row
	// with the path is found, however old.
	rareInPaths = 2000
	// pathsBack is how many of the newest rows are looked through where all words of a
	// path are common.
	pathsBack = 40_000
	// ownLookedAt is how many rows of the filter's project are looked at one by one then,
	// where it has no more of them, or no more among the newest of all.
	ownLookedAt = 2000
	// ownListed is of how many of its newest rows it is known without a look that they are
	// the project's.
	ownListed = 10_000
	// mentionsRead is how many rows that seem to have a path of which all words are common
	// are looked at, and mentionsAtOnce how many of them at a time.
	mentionsRead, mentionsAtOnce = 900, 150
	// pathWords is how many of its last words are looked for of a long path.
	pathWords = 24
)

// Mention is that an observation read or changed a file.
type Mention struct {
	ID        int64 // of the observation
	SessionID string
	CreatedAt time.Time
	Type      string
	Pinned    bool
	Modified  bool // it changed the file
	Files     int  // how many files it names
}

// Mentions gives the observations that f takes and that read or changed a file, newest
// first, at most limit. paths are the ways in which the file's path may be written down;
// each is compared as a whole. What it costs is bounded, as for a search: a path of which
// every word is common, such as src/main.go in a large store, is found in the newest
// observations only. How often other projects have the same path does not count for the
// newest rows of a project (ownListed).
func (s *Store) Mentions(ctx context.Context, paths []string, f memory.Filter, limit int) ([]Mention, error) {
	list, err := s.mentions(ctx, paths, f, limit)
	if err != nil {
		return nil, fmt.Errorf("look for what is known of %s: %w", strings.Join(paths, ", "), err)
	}
	return list, nil
}

func (s *Store) mentions(ctx context.Context, paths []string, f memory.Filter, limit int) ([]Mention, error) {
	paths = slices.Clone(paths)
	for i, p := range paths {
		paths[i] = strings.Join(strings.Fields(clean(p)), " ") // as it stands in the columns
	}
	g := &gathering{s: s, index: observationWords, scored: s.scored}
	var err error
	if g.f, err = s.narrowed(ctx, f); err != nil {
		return nil, err
	}
	ids, err := g.withPaths(ctx, paths)
	if err != nil {
		return nil, err
	}
	var mentions []Mention
	for some := range slices.Chunk(ids, mentionsAtOnce) {
		w := s.observationsWhere(g.f, spanOf(f))
		found, err := all(ctx, s.read, func(r row) (m mentioned, err error) {
			return m, r.Scan(&m.ID, &m.SessionID, epoch{&m.CreatedAt}, &m.Type, &m.Pinned, list{&m.read}, list{&m.modified})
		}, `SELECT id, session_id, created_at_epoch, type, pinned, files_read, files_modified
			FROM (SELECT value AS wanted FROM json_each(?)) CROSS JOIN observations ON observations.id = wanted
			WHERE `+w.String(), slices.Concat([]any{encodeIDs(some)}, w.args)...)
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			m.Modified = slices.ContainsFunc(paths, func(p string) bool { return slices.Contains(m.modified, p) })
			m.Files = len(m.read) + len(m.modified)
			if m.Modified || slices.ContainsFunc(paths, func(p string) bool { return slices.Contains(m.read, p) }) {
				mentions = append(mentions, m.Mention)
			}
		}
		if len(mentions) >= limit {
			break
		}
	}
	slices.SortStableFunc(mentions, func(a, b Mention) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return mentions[:min(limit, len(mentions))], nil
}

// mentioned is a row that may mention a file.
type mentioned struct {
	Mention
	read, modified []string
}

// withPaths gives the rows whose files may have one of the paths, newest first. Those of
// other projects are among them only where there are not many.
func (g *gathering) withPaths(ctx context.Context, paths []string) ([]int64, error) {
	var phrases []string
	rare := true
	for _, p := range paths {
		words := phraseOf(p, false).typed
		words = words[max(0, len(words)-pathWords):]
		if len(words) == 0 {
			continue // nothing that the index has
		}
		phrases = append(phrases, quote(strings.Join(words, " ")))
		isRare, err := g.hasRareWord(ctx, words)
		if err != nil {
			return nil, err
		}
		rare = rare && isRare
	}
	if len(phrases) == 0 {
		return nil, nil
	}
	slices.Sort(phrases)
	expression := inFiles(strings.Join(slices.Compact(phrases), " OR "))
	if rare {
		return g.page(ctx, expression, math.MaxInt64, rareInPaths)
	}
	return g.newestOwnWith(ctx, expression)
}

// newestOwnWith gives the rows that the filter's project has among the newest with an
// expression, newest first, and behind them some that may be older ones of it. Where it
// has few rows there, it gives its newest ones, whatever stands in them.
func (g *gathering) newestOwnWith(ctx context.Context, expression string) ([]int64, error) {
	newest, err := number(ctx, g.s.read, "SELECT coalesce(max(id), 0) FROM observations")
	if err != nil {
		return nil, err
	}
	oldest := max(1, newest-pathsBack)
	if len(g.f.Keys()) == 0 {
		return g.newestWith(ctx, expression, oldest, mentionsRead)
	}
	rows, err := g.newestOfOrigin(ctx, ownListed)
	if err != nil {
		return nil, err
	}
	own := make(map[int64]bool, len(rows))
	for _, id := range rows {
		if id >= oldest {
			own[id] = true
		}
	}
	if len(own) <= ownLookedAt {
		return rows[:min(len(rows), ownLookedAt)], nil
	}
	ids, err := g.newestWith(ctx, expression, oldest, math.MaxInt)
	if err != nil {
		return nil, err
	}
	var wanted, unknown []int64
	for _, id := range ids {
		if own[id] {
			wanted = append(wanted, id)
		} else if len(rows) == ownListed { // it may be an older one of the project
			unknown = append(unknown, id)
		}
	}
	ids = slices.Concat(wanted, unknown)
	return ids[:min(len(ids), mentionsRead)], nil
}

// hasRareWord reports whether one of the words of a path is rare, wherever it stands: to
// count those in paths alone would be to look at all others. Names come last, and are
// rarer than folders.
func (g *gathering) hasRareWord(ctx context.Context, words []string) (bool, error) {
	for _, w := range slices.Backward(words) {
		n, err := number(ctx, g.s.read, "SELECT count(*) FROM (SELECT 1 FROM observations_fts WHERE observations_fts MATCH ? LIMIT ?)",
			quote(w), rareInPaths+1)
		if err != nil || n <= rareInPaths {
			return err == nil, err
		}
	}
	return false, nil
}

// inFiles is the expression that takes an expression in the column of files only.
func inFiles(expression string) string { return "files : (" + expression + ")" }
