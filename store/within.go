package store

import (
	"bytes"
	"context"
	"slices"
	"unicode/utf8"
)

const (
	// minWithin is how many runes of a word are worth to be looked for inside of others.
	minWithin = 3
	// withinPerScored is in how many of the newest rows words that hold another are
	// looked for, for each that is scored.
	withinPerScored = 2
)

// containing gives the words of a search of which nothing was found, those that are
// none of the index replaced by words that hold them; ok says whether there are such.
// They are those of the newest rows that the filter takes: where they stand in older
// ones, too, the index knows.
func (g *gathering) containing(ctx context.Context, words []queryWord) (other []queryWord, ok bool, err error) {
	other = slices.Clone(words)
	parts := map[int][]byte{}
	for i, w := range words {
		if w.quoted || len(w.atoms()) != 1 || len(w.wide()) > 0 || utf8.RuneCountInString(w.atoms()[0]) < minWithin {
			continue
		}
		n, err := g.count(ctx, quote(w.atoms()[0]))
		if err != nil {
			return nil, false, err
		}
		scan := wordScanner{text: w.atoms()[0]}
		if n == 0 && scan.next() {
			parts[i] = scan.word
		}
	}
	if len(parts) == 0 {
		return nil, false, nil
	}
	limit := withinPerScored * g.scored
	ids := g.origin
	if !g.origins {
		ids, err = g.ids(ctx, g.index.query("SELECT id FROM $table ORDER BY id DESC LIMIT ?"), limit)
	} else if len(ids) > g.scored {
		ids, err = g.newestOfOrigin(ctx, limit)
	}
	if err != nil {
		return nil, false, err
	}
	for page := range slices.Chunk(ids, g.scored) {
		texts, err := g.texts(ctx, page)
		if err != nil {
			return nil, false, err
		}
		for i := range texts {
			ok = collectWithin(&texts[i].columns, parts, other) || ok
		}
	}
	return other, ok, nil
}

// collectWithin adds to the words of a search those of a row that hold their parts.
func collectWithin(columns *[7]string, parts map[int][]byte, words []queryWord) (found bool) {
	var small []byte
	for _, text := range columns {
		small = small[:0]
		for i := range len(text) {
			c := text[i]
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			small = append(small, c)
		}
		for i, part := range parts {
			w := &words[i]
			if !bytes.Contains(small, part) {
				continue // nearly always, and sooner told than by its words
			}
			scan := wordScanner{text: text}
			for scan.next() && len(w.within) < maxBegun {
				if s := string(scan.word); bytes.Contains(scan.word, part) && !slices.Contains(w.within, s) {
					w.within = append(w.within, s)
					found = true
				}
			}
		}
	}
	return found
}
