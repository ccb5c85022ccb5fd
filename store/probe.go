package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"cmem/memory"
)

// probeWord is how many bytes the word has at most that an index is asked for.
const probeWord = 80

// IndexKnows reports whether the index of words of a kind knows the newest memory of that
// kind. Where it does not, what a search finds and does not find means nothing. A kind
// without memories, or of which none is in the index yet, is known.
func (s *Store) IndexKnows(ctx context.Context, kind memory.ItemKind) (known bool, err error) {
	for _, x := range wordIndexes {
		if x.kind != kind {
			continue
		}
		// Twice, because a memory may be changed between reading it and asking.
		for try := 0; try < 2 && !known && err == nil; try++ {
			known, err = s.knowsNewest(ctx, x)
		}
		if err != nil {
			return false, fmt.Errorf("look whether the index knows what is stored: %w", err)
		}
		return known, nil
	}
	return false, fmt.Errorf("there is no index of %q", kind)
}

func (s *Store) knowsNewest(ctx context.Context, x *wordIndex) (bool, error) {
	newest, err := one(ctx, s.read, func(r row) (t indexedText, err error) {
		c := &t.columns
		return t, r.Scan(&t.id, &c[0], &c[1], &c[2], &c[3], &c[4], &c[5], &c[6])
	}, x.query("SELECT id, "+x.texts+` FROM $table
		WHERE id >= coalesce((SELECT unindexed FROM search_indexes WHERE name = '$table'), 0) ORDER BY id DESC LIMIT 1`))
	if errors.Is(err, ErrNotFound) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	word := longestWord(newest.columns[:])
	if word == "" {
		return true, nil
	}
	n, err := number(ctx, s.read, x.query("SELECT count(*) FROM $fts WHERE $fts MATCH ? AND rowid = ?"), phraseOf(word, false).String(), newest.id)
	return n > 0, err
}

// longestWord gives the longest word of the first of the texts that has one.
func longestWord(texts []string) string {
	for _, text := range texts {
		longest := ""
		w := wordScanner{text: clean(text[:min(len(text), maxIndexedPrompt)])}
		for w.next() {
			if word := w.text[w.start:w.end]; len(word) > len(longest) && len(word) <= probeWord && !strings.Contains(word, "\ufffd") {
				longest = word
			}
		}
		if longest != "" {
			return longest
		}
	}
	return ""
}
