package export

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"cmem/memory"
)

// Grouping says what each file of a folder holds.
type Grouping int

// The groupings.
const (
	BySession Grouping = iota
	ByDay
)

// bySession is the grouping of a single document.
const bySession = BySession

// A section is the part of an export that belongs together: a session, or what
// happened in a session on one day.
type section struct {
	session string
	day     time.Time // where the day begins; zero when the section is a whole session
	first   int64     // the oldest row in it, milliseconds since the epoch
}

// outline reads through the chosen memories once and gives their sections,
// ordered by day, then by the oldest row. Going by what the rows say, and not by
// the list of sessions, finds the session in which a memory of a filtered
// project arose, wherever that session began.
func (x *exporter) outline(ctx context.Context, by Grouping) ([]section, error) {
	type key struct {
		session string
		day     int64
	}
	first := map[key]int64{}
	note := func(session string, at time.Time) {
		k := key{session: session}
		if by == ByDay {
			k.day = x.dayOf(at).Unix()
		}
		ms := at.UnixMilli()
		if seen, ok := first[k]; !ok || ms < seen {
			first[k] = ms
		}
	}

	f := x.opts.Filter
	for o, err := range x.src.ScanObservations(ctx, f) {
		if err != nil {
			return nil, fmt.Errorf("read observations: %w", err)
		}
		note(o.SessionID, o.CreatedAt)
		x.tick()
	}
	if !onlyObservations(f) {
		for p, err := range x.src.ScanPrompts(ctx, f) {
			if err != nil {
				return nil, fmt.Errorf("read prompts: %w", err)
			}
			note(p.SessionID, p.CreatedAt)
		}
		for s, err := range x.src.ScanSummaries(ctx, f) {
			if err != nil {
				return nil, fmt.Errorf("read summaries: %w", err)
			}
			note(s.SessionID, s.CreatedAt)
		}
		// A session in which nothing was said yet is nothing to read, but a copy
		// for programs must have it.
		if x.opts.Format == JSON {
			for s, err := range x.src.ScanSessions(ctx, f) {
				if err != nil {
					return nil, fmt.Errorf("read sessions: %w", err)
				}
				note(s.ID, s.CreatedAt)
			}
		}
	}

	sections := make([]section, 0, len(first))
	for k, ms := range first {
		s := section{session: k.session, first: ms}
		if by == ByDay {
			s.day = time.Unix(k.day, 0).In(x.loc)
		}
		sections = append(sections, s)
	}
	slices.SortFunc(sections, func(a, b section) int {
		return cmp.Or(a.day.Compare(b.day), cmp.Compare(a.first, b.first), cmp.Compare(a.session, b.session))
	})
	return sections, nil
}

// dayOf gives the beginning of t's day.
func (x *exporter) dayOf(t time.Time) time.Time {
	y, m, d := t.In(x.loc).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, x.loc)
}

// narrow gives the filter for the rows of s.
func (x *exporter) narrow(s section) memory.Filter {
	f := x.opts.Filter
	f.SessionID = s.session
	if s.day.IsZero() {
		return f
	}
	if f.After.Before(s.day) {
		f.After = s.day
	}
	end := nextDay(s.day)
	if f.Before.IsZero() || end.Before(f.Before) {
		f.Before = end
	}
	return f
}

func nextDay(day time.Time) time.Time {
	y, m, d := day.Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, day.Location())
}

// session gives the session of s; one that the store does not know has only an ID.
func (x *exporter) session(ctx context.Context, s section) (memory.Session, error) {
	for found, err := range x.src.ScanSessions(ctx, memory.Filter{SessionID: s.session}) {
		if err != nil {
			return memory.Session{}, fmt.Errorf("read session %s: %w", s.session, err)
		}
		if found.ID == s.session {
			return found, nil
		}
	}
	return memory.Session{ID: s.session, CreatedAt: time.UnixMilli(s.first).UTC()}, nil
}
