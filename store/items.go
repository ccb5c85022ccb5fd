package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"cmem/memory"
)

// ItemMatches are the summaries and prompts that match a text.
type ItemMatches struct {
	Summaries KindMatches
	Prompts   KindMatches
}

// KindMatches are those of one kind, and what they could reach.
type KindMatches struct {
	Hits  []memory.ItemHit // best first
	Ideal float64          // as that of Matches
	// Unindexed is how many rows are not in the index yet, at most MostUnindexed: these
	// were not searched.
	Unindexed int
}

// MatchItems gives the summaries and prompts that hold any of the words of a text, best
// first, of each kind at most limit: as Match does, with an eighth of its bounds and
// without words inside of longer ones. Of a long prompt the beginning is looked at, and
// what the host wrote to itself not at all. A kind that the filter does not take has no
// matches, as both have where the filter asks for what only observations have. A text
// without a letter or digit is ErrEmptyQuery.
func (s *Store) MatchItems(ctx context.Context, text string, f memory.Filter, limit int) (ItemMatches, error) {
	var m ItemMatches
	words, unwanted, err := queryWords(text)
	if err != nil {
		return m, err
	}
	if len(words) == 0 {
		return m, nil
	}
	kinds := kindsOf(f)
	errs := make([]error, 2)
	var matching sync.WaitGroup
	for i, of := range []struct {
		index *wordIndex
		to    *KindMatches
	}{{summaryWords, &m.Summaries}, {promptWords, &m.Prompts}} {
		if slices.Contains(kinds, of.index.kind) {
			matching.Go(func() { *of.to, errs[i] = s.matchKind(ctx, of.index, words, unwanted, f, limit) })
		}
	}
	matching.Wait()
	if err := errors.Join(errs...); err != nil {
		return ItemMatches{}, fmt.Errorf("search summaries and prompts: %w", err)
	}
	return m, nil
}

func (s *Store) matchKind(ctx context.Context, x *wordIndex, words, unwanted []queryWord, f memory.Filter, limit int) (m KindMatches, err error) {
	if m.Unindexed, err = s.unindexed(ctx, x); err != nil {
		return m, err
	}
	r, err := s.newRanking(ctx, x, words, unwanted, f)
	if err != nil {
		return m, err
	}
	if err := r.gather(ctx); err != nil {
		return m, err
	}
	r.rank()
	m.Ideal = r.ideal
	m.Hits, err = r.itemHits(ctx, limit)
	return m, err
}

// MostUnindexed is how many rows that are in no index are counted: each search does so
// until there are none.
const MostUnindexed = 1000

// unindexed counts the rows that are not in an index yet.
func (s *Store) unindexed(ctx context.Context, x *wordIndex) (int, error) {
	n, err := number(ctx, s.read, x.query(`SELECT count(*) FROM (SELECT 1 FROM $table
		WHERE id < coalesce((SELECT unindexed FROM search_indexes WHERE name = ?), 0) LIMIT ?)`), x.table, MostUnindexed)
	return int(n), err
}

// itemHits reads the first of what was found.
func (r *ranker) itemHits(ctx context.Context, limit int) ([]memory.ItemHit, error) {
	found := r.found
	if limit >= 0 {
		found = found[:min(limit, len(found))]
	}
	ids := make([]int64, len(found))
	for i, c := range found {
		ids[i] = c.id
	}
	rows, err := r.s.itemTexts(ctx, r.index, ids)
	if err != nil {
		return nil, err
	}
	hits := make([]memory.ItemHit, 0, len(found))
	for _, c := range found {
		row, ok := rows[c.id]
		if !ok {
			continue // it went away meanwhile
		}
		h := memory.ItemHit{Item: row.item, Text: row.text, Keyword: c.score}
		for _, part := range row.parts {
			if piece := r.matcher.mark(part, c.reading); piece != "" {
				h.Snippet = oneLine(piece, len(piece))
				break
			}
		}
		hits = append(hits, h)
	}
	return hits, nil
}

// itemText is a summary or prompt as it is shown and compared.
type itemText struct {
	item  memory.Item
	parts []string // in which a match is shown, those first that say most
	text  string
}

// itemTexts reads the summaries or prompts with the ids.
func (s *Store) itemTexts(ctx context.Context, x *wordIndex, ids []int64) (map[int64]itemText, error) {
	scan, columns := scanPromptText, promptColumns
	if x == summaryWords {
		scan, columns = scanSummaryText, summaryColumns
	}
	list, err := all(ctx, s.read, scan, x.query("SELECT "+columns+" FROM $table WHERE "+amongIDs), encodeIDs(ids))
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]itemText, len(list))
	for _, t := range list {
		byID[t.item.ID] = t
	}
	return byID, nil
}

func scanPromptText(r row) (itemText, error) {
	p, err := scanPrompt(r)
	text := beginningOf(p.Text, maxIndexedPrompt)
	return itemText{
		item: memory.Item{
			Kind: memory.KindPrompt, ID: p.ID, SessionID: p.SessionID, Project: p.Project, PromptNumber: p.Number, CreatedAt: p.CreatedAt,
			Title: oneLine(p.Text, titleLength), Tokens: memory.EstimateTokens(p.Text), Machine: p.Machine,
		},
		parts: []string{text}, text: text,
	}, err
}

func scanSummaryText(r row) (itemText, error) {
	m, err := scanSummary(r)
	t := itemText{
		item: memory.Item{
			Kind: memory.KindSummary, ID: m.ID, SessionID: m.SessionID, Project: m.Project, PromptNumber: m.PromptNumber, CreatedAt: m.CreatedAt,
			Title: oneLine(cmp.Or(m.Request, m.Completed, m.Learned), titleLength), Status: m.Status,
		},
		parts: []string{m.Learned, m.Completed, m.Investigated, m.NextSteps, m.Notes, m.Request},
	}
	for _, part := range []string{m.Request, m.Investigated, m.Learned, m.Completed, m.NextSteps, m.Notes} {
		t.item.Tokens += memory.EstimateTokens(part)
		if part != "" {
			t.text += part + "\n"
		}
	}
	return t, err
}
