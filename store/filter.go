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

// place is a position between the rows of one table in the order of
// (created_at_epoch, id).
type place struct{ epoch, id int64 }

var (
	lowest  = place{math.MinInt64, math.MinInt64}
	highest = place{math.MaxInt64, math.MaxInt64}
)

func (p place) less(q place) bool {
	return p.epoch < q.epoch || p.epoch == q.epoch && p.id < q.id
}

// at is the place just before every row of the time t.
func at(t time.Time) place { return place{t.UnixMilli(), math.MinInt64} }

// placeOf is where a cursor, which may stand on a row of another kind, cuts the
// rows of kind: those before it are older than the cursor, those after it newer.
func placeOf(c memory.Cursor, kind memory.ItemKind) place {
	switch {
	case c.Kind == "" || c.Kind == kind:
		return place{c.EpochMS, c.ID}
	case kind < c.Kind:
		return place{c.EpochMS, math.MaxInt64}
	default:
		return place{c.EpochMS, math.MinInt64}
	}
}

// span is an open range of places: its ends are not in it.
type span struct{ from, to place }

// spanOf is the range of a filter's times.
func spanOf(f memory.Filter) span {
	s := span{lowest, highest}
	if !f.After.IsZero() {
		s.from = at(f.After)
	}
	if !f.Before.IsZero() {
		s.to = at(f.Before)
	}
	return s
}

// before cuts what is not strictly older than the cursor; the zero cursor is the top.
func (s span) before(c memory.Cursor, kind memory.ItemKind) span {
	if p := placeOf(c, kind); !c.IsZero() && p.less(s.to) {
		s.to = p
	}
	return s
}

// after cuts what is not strictly newer than the cursor.
func (s span) after(c memory.Cursor, kind memory.ItemKind) span {
	if p := placeOf(c, kind); !c.IsZero() && s.from.less(p) {
		s.from = p
	}
	return s
}

// where collects the terms of a WHERE clause and their arguments. The text
// depends only on which filters are set, not on their values, so that few
// statements have to be prepared.
type where struct {
	terms []string
	args  []any
}

func (w *where) add(term string, args ...any) {
	w.terms = append(w.terms, term)
	w.args = append(w.args, args...)
}

func (w *where) String() string { return strings.Join(w.terms, " AND ") }

// filter is a filter with what has been found out for answering it.
type filter struct {
	memory.Filter
	// few are the sessions of the filter's agents, where they are so few that going
	// through all that is in them is cheaper than going through time.
	few    []string
	narrow bool
	layer  bool // it takes the global layer, without the projects that are named
}

// Up to so many sessions with so many rows are looked through one by one. Of more
// there is one every few rows: walking through time meets them soon.
const (
	fewSessions = 1000
	fewRows     = 10_000
)

// narrowed looks whether few sessions have what f asks for, and whether there is a
// global layer at all.
func (s *Store) narrowed(ctx context.Context, f memory.Filter) (filter, error) {
	if f.Global && len(f.Keys()) > 0 {
		n, err := number(ctx, s.read, anyGlobal)
		if err != nil {
			return filter{Filter: f}, err
		}
		f.Global = n > 0
	}
	if len(f.Agents) == 0 || f.SessionID != "" {
		return filter{Filter: f}, nil
	}
	// Counted in the index alone first: most agents have many.
	n, err := number(ctx, s.read, `SELECT count(*) FROM (SELECT 1 FROM sdk_sessions
		WHERE agent IN (SELECT value FROM json_each(?)) LIMIT ?)`, encodeJSON(f.Agents), fewSessions+1)
	if err != nil || n > fewSessions {
		return filter{Filter: f}, err
	}
	rows := 0
	few, err := all(ctx, s.read, func(r row) (id string, err error) {
		var n int
		err = r.Scan(&id, &n)
		rows += n
		return id, err
	}, `SELECT session_id, prompt_count + observation_count FROM sdk_sessions
		WHERE agent IN (SELECT value FROM json_each(?))`, encodeJSON(f.Agents))
	if err != nil || rows > fewRows {
		return filter{Filter: f}, err
	}
	return filter{Filter: f, few: few, narrow: true}, nil
}

// origin adds the terms about project, session and time, which every table has
// and an index answers. The table is the one that is asked.
func (w *where) origin(table string, f filter, s span) {
	switch {
	case f.narrow:
		w.add("session_id IN (SELECT value FROM json_each(?))", encodeJSON(f.few))
	case f.SessionID != "":
		w.add("session_id = ?", f.SessionID)
	}
	w.projects(table, f)
	w.add("(created_at_epoch, id) > (?, ?)", s.from.epoch, s.from.id)
	w.add("(created_at_epoch, id) < (?, ?)", s.to.epoch, s.to.id)
	if len(f.Agents) > 0 && !f.narrow {
		w.add(ofSession(table, "+s.agent IN (SELECT value FROM json_each(?))"), encodeJSON(f.Agents))
	}
}

// branches adds the term about the branch: a row's own, or its session's.
func (w *where) branches(table string, f filter) {
	if len(f.Branches) == 0 {
		return
	}
	const begins = "EXISTS (SELECT 1 FROM json_each(?) AS want WHERE substr(%s.git_branch, 1, length(want.value)) = want.value)"
	switch table {
	case "user_prompts", "session_summaries":
		w.add(ofSession(table, fmt.Sprintf(begins, "s")), encodeJSON(f.Branches))
	default:
		w.add(fmt.Sprintf(begins, table), encodeJSON(f.Branches))
	}
}

// ofSession is true of rows of the table whose session s is as the term says. As
// a scalar it is asked of each row and cannot lead the way through the table.
func ofSession(table, term string) string {
	return fmt.Sprintf("coalesce((SELECT %s FROM sdk_sessions AS s WHERE s.session_id = %s.session_id), 0)", term, table)
}

// status adds the term about the status of an observation or summary.
func (w *where) status(f filter) {
	switch len(f.Statuses) {
	case 0:
		w.add("status = 'active'")
	default:
		list := make([]string, len(f.Statuses))
		for i, s := range f.Statuses {
			list[i] = string(s)
		}
		w.add("+status IN (SELECT value FROM json_each(?))", encodeJSON(list))
	}
}

// details adds the terms that only observations have.
func (w *where) details(f filter, now time.Time) {
	w.status(f)
	w.scopes(f)
	if len(f.Types) > 0 {
		w.add("+type IN (SELECT value FROM json_each(?))", encodeJSON(f.Types))
	}
	if f.PinnedOnly {
		w.add("pinned = 1")
	}
	switch {
	case f.ExpiredOnly:
		w.add("valid_until_epoch <= ?", now.UnixMilli())
	case !f.IncludeExpired:
		w.add("(valid_until_epoch IS NULL OR valid_until_epoch > ?)", now.UnixMilli())
	}
	if len(f.Concepts) > 0 {
		w.add(hasEntry("observations.concepts"), encodeJSON(asEntries(f.Concepts)))
	}
	if len(f.Tags) > 0 {
		w.add(hasEntry("observations.tags"), encodeJSON(asEntries(f.Tags)))
	}
	if len(f.Files) > 0 {
		patterns := asEntries(f.Files)
		for i, p := range patterns {
			patterns[i] = "%" + likeEscaper.Replace(p[1:len(p)-1]) + "%"
		}
		w.add(`EXISTS (SELECT 1 FROM json_each(?) AS want WHERE observations.files LIKE want.value ESCAPE '\')`, encodeJSON(patterns))
	}
}

// asEntries writes each string as it stands in a list column, quotes and all;
// empty ones are dropped. Looking for that text there is much cheaper than taking
// each row's JSON apart.
func asEntries(list []string) []string {
	var out []string
	for _, s := range list {
		if array := encodeList([]string{s}); array != "[]" {
			out = append(out, array[1:len(array)-1])
		}
	}
	return out
}

// hasEntry is true of rows whose list column has one of the wanted entries.
func hasEntry(column string) string {
	return fmt.Sprintf("EXISTS (SELECT 1 FROM json_each(?) AS want WHERE instr(%s, want.value) > 0)", column)
}

var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// detailed reports whether f asks for what only observations have.
func detailed(f memory.Filter) bool {
	return len(f.Types) > 0 || len(f.Concepts) > 0 || len(f.Tags) > 0 || len(f.Files) > 0 || len(f.Scopes) > 0 ||
		f.PinnedOnly || f.ExpiredOnly
}

// kindsOf gives the kinds of rows that a timeline of f has. A prompt has no
// status: it is there when active memories are asked for, perhaps among others.
func kindsOf(f memory.Filter) []memory.ItemKind {
	kinds := []memory.ItemKind{memory.KindObservation}
	if !detailed(f) {
		kinds = append(kinds, memory.KindSummary)
		if len(f.Statuses) == 0 || slices.Contains(f.Statuses, memory.StatusActive) {
			kinds = append(kinds, memory.KindPrompt)
		}
	}
	return slices.DeleteFunc(kinds, func(k memory.ItemKind) bool {
		return len(f.Kinds) > 0 && !slices.Contains(f.Kinds, k)
	})
}
