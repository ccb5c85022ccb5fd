package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"cmem/memory"
)

// titleLength is the number of runes of a text that is shown as a title.
const titleLength = 200

// Timeline gives a page of what happened: prompts, observations and summaries,
// newest first, strictly older than the cursor. A filter on what only
// observations have (types, concepts, tags, files, pinned, expired) leaves out
// the others, and one that asks for other statuses than active leaves out the
// prompts, which have none.
func (s *Store) Timeline(ctx context.Context, f memory.Filter, after memory.Cursor, limit int) ([]memory.Item, error) {
	items, err := s.timeline(ctx, f, "DESC", limit, func(kind memory.ItemKind) span {
		return spanOf(f).before(after, kind)
	})
	if err != nil {
		return nil, fmt.Errorf("read the timeline: %w", err)
	}
	return items, nil
}

// TimelineNewer gives what stands just above the cursor in the timeline: strictly
// newer, oldest first.
func (s *Store) TimelineNewer(ctx context.Context, f memory.Filter, than memory.Cursor, limit int) ([]memory.Item, error) {
	items, err := s.timeline(ctx, f, "ASC", limit, func(kind memory.ItemKind) span {
		return spanOf(f).after(than, kind)
	})
	if err != nil {
		return nil, fmt.Errorf("read the timeline: %w", err)
	}
	return items, nil
}

// timeline merges a page of each table: every one of them answers from an index
// of its own, which a UNION would not do.
func (s *Store) timeline(ctx context.Context, f memory.Filter, direction string, limit int,
	in func(memory.ItemKind) span,
) ([]memory.Item, error) {
	narrow, err := s.narrowed(ctx, f)
	if err != nil {
		return nil, err
	}
	var items []memory.Item
	for _, kind := range kindsOf(f) {
		query, args := s.timelinePage(kind, narrow, in(kind), direction, limit)
		page, err := all(ctx, s.read, scanItem, query, args...)
		if err != nil {
			return nil, err
		}
		items = append(items, page...)
	}
	slices.SortFunc(items, func(a, b memory.Item) int {
		order := compareItems(a, b)
		if direction == "DESC" {
			return -order
		}
		return order
	})
	return items[:min(limit, len(items))], nil
}

// compareItems orders rows by time, kind and id, as cursors do.
func compareItems(a, b memory.Item) int {
	return cmp.Or(cmp.Compare(a.CreatedAt.UnixMilli(), b.CreatedAt.UnixMilli()), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
}

func scanItem(r row) (memory.Item, error) {
	var i memory.Item
	var title, subtitle string
	err := r.Scan(&i.Kind, &i.ID, &i.SessionID, &i.Project, &i.PromptNumber, epoch{&i.CreatedAt},
		&i.Type, &title, &subtitle, &i.Tokens, &i.Pinned, &i.Machine, &i.Status, &i.Scope)
	i.Title, i.Subtitle = oneLine(title, titleLength), oneLine(subtitle, titleLength)
	return i, err
}

// timelinePage is the query for one kind's rows of a span in the given direction.
func (s *Store) timelinePage(kind memory.ItemKind, f filter, in span, direction string, limit int) (query string, args []any) {
	var columns string
	switch kind {
	case memory.KindPrompt:
		columns = "'', substr(prompt_text, 1, 1000), '', tokens_read, 0, machine, '', ''"
	case memory.KindSummary:
		columns = "'', coalesce(nullif(request, ''), nullif(completed, ''), learned), '', tokens_read, 0, 0, status, ''"
	default:
		columns = "type, title, subtitle, tokens_read, pinned, 0, status, CASE WHEN scope = 'project' THEN '' ELSE scope END"
	}
	columns = fmt.Sprintf("'%s', id, session_id, project, prompt_number, created_at_epoch, %s", kind, columns)
	return page(kind, columns, f, in, direction, limit, s.now())
}
