package store

import (
	"context"
	"fmt"
	"iter"

	"cmem/memory"
)

// scanPage is how many rows a scan holds at once. Each page is a query of its
// own, so that a long export keeps no snapshot open and the log can be folded.
const scanPage = 500

// ScanObservations gives every observation that f takes, oldest first, in
// constant memory. After an error it ends.
func (s *Store) ScanObservations(ctx context.Context, f memory.Filter) iter.Seq2[memory.Observation, error] {
	return scanAll(ctx, s, f, "observations", scanObservation,
		func(o memory.Observation) place { return place{o.CreatedAt.UnixMilli(), o.ID} }, s.observationPage)
}

// The other scans take less of a filter: its origin is the project, session,
// agents and branches.

// ScanSummaries gives every summary of f's origin, time and statuses,
// oldest first, in constant memory. After an error it ends.
func (s *Store) ScanSummaries(ctx context.Context, f memory.Filter) iter.Seq2[memory.Summary, error] {
	return scanAll(ctx, s, f, "summaries", scanSummary,
		func(m memory.Summary) place { return place{m.CreatedAt.UnixMilli(), m.ID} }, summaryPage)
}

// ScanPrompts gives every prompt of f's origin and time, oldest first,
// in constant memory. After an error it ends.
func (s *Store) ScanPrompts(ctx context.Context, f memory.Filter) iter.Seq2[memory.Prompt, error] {
	return scanAll(ctx, s, f, "prompts", scanPrompt,
		func(p memory.Prompt) place { return place{p.CreatedAt.UnixMilli(), p.ID} }, promptPage)
}

// ScanSessions gives every session of f's origin and time, oldest first, in
// constant memory. After an error it ends.
func (s *Store) ScanSessions(ctx context.Context, f memory.Filter) iter.Seq2[memory.Session, error] {
	return scanAll(ctx, s, f, "sessions", scanSession,
		func(v memory.Session) place { return place{v.CreatedAt.UnixMilli(), v.RowID} }, sessionPage)
}

func scanAll[T any](
	ctx context.Context, s *Store, f memory.Filter, what string, scan func(row) (T, error), where func(T) place,
	page func(f filter, in span, direction string, limit int) (string, []any),
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		in := spanOf(f)
		narrow, err := s.narrowed(ctx, f)
		if err != nil {
			var zero T
			yield(zero, fmt.Errorf("read all %s: %w", what, err))
			return
		}
		for {
			query, args := page(narrow, in, "ASC", scanPage)
			rows, err := all(ctx, s.read, scan, query, args...)
			if err != nil {
				var zero T
				yield(zero, fmt.Errorf("read all %s: %w", what, err))
				return
			}
			for _, v := range rows {
				if !yield(v, nil) {
					return
				}
			}
			if len(rows) < scanPage {
				return
			}
			in.from = where(rows[len(rows)-1])
		}
	}
}
