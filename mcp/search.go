package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cmem/memory"
	"cmem/recall"
	"cmem/store"
)

const (
	searchLimit = 20
	searchMost  = 100
	offsetMost  = 1_000

	// missPatience is how long is looked for what a search that found nothing misses.
	missPatience = 2 * time.Second
)

// lookup is a call of search, read.
type lookup struct {
	scope
	query         string                            // "" for a list
	base          func(project string) recall.Query // what a search is made with besides
	sort          recall.Sort
	limit, offset int
	after         memory.Cursor // of a list: where it goes on
	explain       bool
	tokens        int
	json          bool // how the answer is given
}

func (t *tools) readLookup(ctx context.Context, src Source, a args) (l lookup, err error) {
	l.base = t.query
	if l.query, err = a.text("query", "q", "text"); err != nil {
		return l, err
	}
	if l.limit, err = a.number(searchLimit, 1, searchMost, "limit"); err != nil {
		return l, err
	}
	if l.offset, err = a.number(0, 0, offsetMost, "offset"); err != nil {
		return l, err
	}
	if page, err := a.number(1, 1, offsetMost, "page"); err != nil {
		return l, err
	} else if page > 1 {
		l.offset = min((page-1)*l.limit, offsetMost)
	}
	if l.sort, err = readSort(a); err != nil {
		return l, err
	}
	if l.tokens, err = a.budget(indexTokens); err != nil {
		return l, err
	}
	if l.json, err = a.json(); err != nil {
		return l, err
	}
	l.explain = a.yes("explain")
	if l.scope, err = t.readScope(ctx, src, a); err != nil {
		return l, err
	}
	if err := l.readFields(ctx, src); err != nil {
		return l, err
	}
	from, err := a.text("cursor")
	if err != nil || from == "" {
		return l, err
	}
	if l.query != "" {
		return l, mistake("cursor goes on with a list; a search with a query goes on with offset")
	}
	r, err := parseRef(from)
	if err != nil {
		return l, err
	}
	item, err := readItem(ctx, src, r)
	if err == nil {
		l.after = item.Cursor()
	}
	return l, err
}

// readFields takes the fields out of the query: type:bugfix narrows as the parameter
// type does. A query of fields alone is a list.
func (l *lookup) readFields(ctx context.Context, src Source) error {
	rest, f := recall.Fields(l.query, l.filter, time.Now())
	l.query = strings.TrimSpace(rest)
	named := f.Project
	f.Project = ""
	l.filter = f
	switch {
	case named == "":
		return nil
	case named == "*" || strings.EqualFold(named, "all"):
		l.projects = []string{""}
		return nil
	}
	known, err := src.Projects(ctx)
	if err != nil {
		return fmt.Errorf("list the projects: %w", err)
	}
	key, err := projectKey(known, named)
	if err != nil {
		return err
	}
	l.projects = []string{key}
	return nil
}

func readSort(a args) (recall.Sort, error) {
	s, err := a.text("sort", "order", "orderBy")
	if err != nil {
		return "", err
	}
	switch strings.ToLower(s) {
	case "", "relevance", "score":
		return recall.ByRelevance, nil
	case "time", "date", "newest", "date_desc":
		return recall.ByTime, nil
	}
	return "", mistakef("sort must be relevance or time, not %q", shorten(oneLine(s), 40))
}

// search answers with an index: what matches a query, best first, or, without
// a query, what the filters take, newest first.
func (t *tools) search(ctx context.Context, src Source, a args) (answer, error) {
	l, err := t.readLookup(ctx, src, a)
	if err != nil {
		return answer{}, err
	}
	if l.query == "" {
		found, err := l.list(ctx, src)
		if err != nil {
			return answer{}, err
		}
		return l.index(found, nil), nil
	}
	found, err := l.find(ctx, src)
	if err != nil {
		return answer{}, err
	}
	var missed []recall.Miss
	if len(found.Results) == 0 && l.offset == 0 && l.takes(memory.KindObservation) {
		if missed, err = l.missed(ctx, src); err != nil {
			return answer{}, err
		}
	}
	return l.index(found, missed), nil
}

// takes reports whether the call asks for memories of a kind.
func (l lookup) takes(kind memory.ItemKind) bool {
	return len(l.filter.Kinds) == 0 || slices.Contains(l.filter.Kinds, kind)
}

// find searches the projects.
func (l lookup) find(ctx context.Context, src Source) (recall.Answer, error) {
	found, err := recall.Search(ctx, src, l.asked())
	return found, l.searchError(err)
}

// asked gives the search as it is made: one project is searched by its own settings,
// several by those of all.
func (l lookup) asked() recall.Query {
	project := ""
	if len(l.projects) == 1 {
		project = l.projects[0]
	}
	q := l.base(project)
	q.Text, q.Filter, q.Limit, q.Offset, q.Sort = l.query, l.whole(), l.limit, l.offset, l.sort
	return q
}

func (l lookup) searchError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrEmptyQuery):
		return mistakef("query %q has no letter and no digit; leave it out for a list, newest first", shorten(oneLine(l.query), 40))
	}
	return fmt.Errorf("search the memories: %w", err)
}

// missed gives what a search that found nothing could have found, but for its
// filters or a word. It fails when the index is broken: then nothing was found
// because nothing can be found.
func (l lookup) missed(ctx context.Context, src Source) ([]recall.Miss, error) {
	const few = 3
	short, cancel := context.WithTimeout(ctx, missPatience)
	defer cancel()
	missed, err := recall.Missed(short, src, l.query, l.whole(), 0, few)
	switch {
	case err != nil && short.Err() != nil && ctx.Err() == nil:
		return nil, nil // the answer stands without it
	case err != nil:
		return nil, fmt.Errorf("search the memories: %w", err)
	}
	return missed, nil
}

// list gives what the filters take, newest first.
func (l lookup) list(ctx context.Context, src Source) (recall.Answer, error) {
	kinds := l.filter.Kinds
	if len(kinds) == 0 {
		kinds = []memory.ItemKind{memory.KindObservation}
	}
	var all recall.Answer
	most := l.offset + l.limit + 1
	f := l.whole()
	if slices.Equal(kinds, []memory.ItemKind{memory.KindObservation}) {
		list, err := src.ListObservations(ctx, f, l.after, most)
		if err != nil {
			return all, fmt.Errorf("list the memories: %w", err)
		}
		for _, o := range list {
			all.Results = append(all.Results, recall.ResultOf(memory.Hit{Observation: o}))
		}
	} else {
		f.Kinds = kinds
		items, err := src.Timeline(ctx, f, l.after, most)
		if err != nil {
			return all, fmt.Errorf("list the memories: %w", err)
		}
		for _, i := range items {
			all.Results = append(all.Results, recall.Result{Item: i})
		}
	}
	all.Results = all.Results[min(l.offset, len(all.Results)):]
	if len(all.Results) > l.limit {
		all.Results, all.More = all.Results[:l.limit], true
	}
	return all, nil
}
