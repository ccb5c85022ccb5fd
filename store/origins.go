package store

import (
	"fmt"
	"strings"
	"time"

	"cmem/memory"
)

// A filter takes rows of one project, of all, of several, or of some and of the global
// layer. For one project and for all an index has the rows in their order. A page of
// several is put together from a page of each: SQLite would sort all their rows.

// maxParts bounds of how many parts a page is put together. What is in more projects is
// met soon in the order of time.
const maxParts = 32

// isGlobal is true of observations that count in every project. It has to stand so for
// the index of these, which is small.
const isGlobal = "scope <> 'project'"

// anyGlobal asks whether there are any: mostly there are none, and then a filter that
// takes them costs what one for its project does.
const anyGlobal = "SELECT EXISTS (SELECT 1 FROM observations WHERE " + isGlobal + ")"

// parts gives filters which together take what f takes of a table, no row twice, and
// of which each is answered by an index.
func (f filter) parts(table string) []filter {
	keys := f.Keys()
	global := f.takesGlobal(table)
	switch {
	case f.narrow || f.SessionID != "" || f.PinnedOnly: // few rows anyway
		return []filter{f}
	case len(keys) == 0 || len(keys) == 1 && !global || len(keys) > maxParts:
		return []filter{f}
	}
	var parts []filter
	for _, key := range keys {
		p := f
		p.Project, p.Projects, p.Global = key, nil, false
		parts = append(parts, p)
	}
	if global {
		f.layer = true
		parts = append(parts, f)
	}
	return parts
}

// takesGlobal reports whether f takes rows of a table beside those of its projects.
func (f filter) takesGlobal(table string) bool {
	return f.Global && table == "observations" && len(f.Keys()) > 0
}

// projects adds the term about the project. The unary plus keeps the planner away from
// the project's index: sessions are smaller than their project, and pinned observations
// are few.
func (w *where) projects(table string, f filter) {
	keys := f.Keys()
	switch {
	case len(keys) == 0:
	case f.layer:
		w.add(isGlobal)
		w.add("+project NOT IN (SELECT value FROM json_each(?))", encodeJSON(keys))
	case f.takesGlobal(table):
		w.add("(+project IN (SELECT value FROM json_each(?)) OR +"+isGlobal+")", encodeJSON(keys))
	case len(keys) > 1:
		w.add("+project IN (SELECT value FROM json_each(?))", encodeJSON(keys))
	case f.narrow || f.SessionID != "" || f.PinnedOnly:
		w.add("+project = ?", keys[0])
	default:
		w.add("project = ?", keys[0])
	}
}

// scopes adds the term about the scope of an observation.
func (w *where) scopes(f filter) {
	if len(f.Scopes) == 0 {
		return
	}
	list, global := make([]string, len(f.Scopes)), true
	for i, s := range f.Scopes {
		list[i] = string(s)
		global = global && s.IsGlobal()
	}
	if global {
		w.add(isGlobal)
	}
	w.add("+scope IN (SELECT value FROM json_each(?))", encodeJSON(list))
}

// inParts writes the query for a page of a table's rows, newest ("DESC") or oldest
// ("ASC") first, from that for the page of each part of the filter.
func (f filter) inParts(table, direction string, limit int, page func(filter) (query string, args []any)) (query string, args []any) {
	parts := f.parts(table)
	if len(parts) == 1 {
		return page(parts[0])
	}
	pages := make([]string, len(parts))
	for i, p := range parts {
		q, a := page(p)
		pages[i] = "SELECT * FROM (" + q + ")"
		args = append(args, a...)
	}
	return fmt.Sprintf("%s ORDER BY created_at_epoch %s, id %[2]s LIMIT ?", strings.Join(pages, " UNION ALL "), direction), append(args, limit)
}

// page is the query for the rows of a kind that f takes of a span.
func page(kind memory.ItemKind, columns string, f filter, in span, direction string, limit int, now time.Time) (query string, args []any) {
	table := tableOf[kind]
	return f.inParts(table, direction, limit, func(f filter) (string, []any) {
		w := rowsWhere(kind, f, in, now)
		return fmt.Sprintf("SELECT %s FROM %s WHERE %s ORDER BY created_at_epoch %s, id %[4]s LIMIT ?", columns, table, w, direction),
			append(w.args, limit)
	})
}

// rowsWhere are the terms for the rows of a kind that f takes of a span.
func rowsWhere(kind memory.ItemKind, f filter, in span, now time.Time) *where {
	var w where
	table := tableOf[kind]
	w.origin(table, f, in)
	w.branches(table, f)
	switch kind {
	case memory.KindObservation:
		w.details(f, now)
	case memory.KindSummary:
		w.status(f)
	case memory.KindPrompt: // has none of this
	}
	return &w
}
