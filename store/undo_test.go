package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

// dump writes every row of the store down, and what a search for each word finds.
// Counters that stand at nothing are as good as none.
func dump(t *testing.T, s *Store) string {
	t.Helper()
	var b strings.Builder
	for _, table := range []string{
		"sdk_sessions", "user_prompts", "events", "batches", "observations", "session_summaries", "tombstones",
		"projects WHERE NOT (" + emptyProject + ")", "project_types WHERE observations <> 0",
	} {
		order, _, _ := strings.Cut(table, " ")
		fmt.Fprintf(&b, "== %s\n", order)
		rows, err := all(t.Context(), s.read, func(r row) (string, error) {
			columns, err := r.(*sql.Rows).Columns()
			if err != nil {
				return "", err
			}
			values, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			err = r.Scan(into...)
			return fmt.Sprintf("%#v", values), err
		}, "SELECT * FROM "+table+" ORDER BY 1, 2")
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(strings.Join(rows, "\n") + "\n")
	}
	for _, word := range []string{"cart", "购物车", "changed", "merged", "note", "because", "orderService"} {
		hits, err := s.Search(t.Context(), word, memory.Filter{Statuses: allStatuses, IncludeExpired: true}, 50)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			fmt.Fprintf(&b, "%s finds %d (%.6f): %s\n", word, h.Observation.ID, h.Keyword, h.Snippet)
		}
	}
	return b.String()
}

var allStatuses = []memory.Status{memory.StatusActive, memory.StatusArchived, memory.StatusSuperseded, memory.StatusInvalid}

// peopled is a store in which a change can hit everything: two sessions, a
// provisional batch, prompts, summaries, archived events.
func peopled(t *testing.T) (s *Store, done, provisional []memory.Observation) {
	t.Helper()
	s = newStore(t)
	done = finish(t, s, oneBatch(t, s, "s1"), memory.BatchDone, "Fixes the cart 🛒", "修复购物车")
	provisional = finish(t, s, oneBatch(t, s, "s2"), memory.BatchProvisional, "orderService retries", "second note")
	if _, err := s.AddSummary(t.Context(), memory.Summary{SessionID: "s1", Request: "Fix the cart"}); err != nil {
		t.Fatal(err)
	}
	remember(t, s, memory.Observation{Title: "by import", Tags: []string{"keep", "drop"}, Facts: []string{"第一"}, ValidUntil: noon.Add(time.Hour)})
	return s, done, provisional
}

func ptr[T any](v T) *T { return &v }

func healthy(t *testing.T, s *Store) {
	t.Helper()
	if found, err := s.Check(t.Context()); err != nil || len(found) != 0 {
		t.Errorf("findings %+v (%v)", found, err)
	}
}

func TestEveryChangeCanBeUndoneToTheByte(t *testing.T) {
	slow(t)
	type made struct {
		snap memory.Snapshot
		err  error
	}
	tests := []struct {
		name string
		do   func(ctx context.Context, s *Store, done, provisional []memory.Observation) made
	}{
		{"edit of everything", func(ctx context.Context, s *Store, done, _ []memory.Observation) made {
			snap, err := s.Edit(ctx, []int64{done[0].ID}, memory.Edit{
				Pinned: ptr(true), Status: ptr(memory.StatusInvalid), Reason: ptr("was a guess\nof mine"), ValidUntil: ptr(noon.Add(time.Hour)),
				Weight: ptr(2.5), Type: ptr("decision"), Title: ptr("changed title"), Subtitle: ptr("sub"), Narrative: ptr("改了"),
				Facts: &[]string{"a=1"}, Concepts: &[]string{"并发"}, FilesRead: &[]string{"a.go"}, FilesModified: &[]string{"b/c.go"},
				AddTags: []string{"urgent"},
			})
			return made{snap, err}
		}},
		{"edit of many", func(ctx context.Context, s *Store, done, provisional []memory.Observation) made {
			snap, err := s.Edit(ctx, []int64{done[0].ID, done[1].ID, provisional[0].ID}, memory.Edit{Status: ptr(memory.StatusArchived)})
			return made{snap, err}
		}},
		{"edit of a successor", func(ctx context.Context, s *Store, done, provisional []memory.Observation) made {
			snap, err := s.Edit(ctx, []int64{done[0].ID}, memory.Edit{SupersededBy: &provisional[0].ID})
			return made{snap, err}
		}},
		{"merge", func(ctx context.Context, s *Store, done, provisional []memory.Observation) made {
			snap, err := s.Merge(ctx, done[0].ID, []int64{done[1].ID, provisional[0].ID})
			return made{snap, err}
		}},
		{"add to the notes", func(ctx context.Context, s *Store, _, _ []memory.Observation) made {
			_, snap, err := s.Add(ctx, memory.Observation{Title: "a note", Project: "/new"})
			return made{snap, err}
		}},
		{"add to a session", func(ctx context.Context, s *Store, _, _ []memory.Observation) made {
			_, snap, err := s.Add(ctx, memory.Observation{Title: "a note", SessionID: "s1"})
			return made{snap, err}
		}},
		{"delete one of a finished batch", func(ctx context.Context, s *Store, done, _ []memory.Observation) made {
			snap, err := s.Delete(ctx, []memory.Ref{{Kind: memory.KindObservation, ID: done[0].ID}})
			return made{snap, err}
		}},
		{"delete all of a provisional batch", func(ctx context.Context, s *Store, _, provisional []memory.Observation) made {
			var refs []memory.Ref
			for _, o := range provisional {
				refs = append(refs, memory.Ref{Kind: memory.KindObservation, ID: o.ID})
			}
			snap, err := s.Delete(ctx, refs)
			return made{snap, err}
		}},
		{"delete everything", func(ctx context.Context, s *Store, _, _ []memory.Observation) made {
			items, err := s.Timeline(ctx, memory.Filter{IncludeExpired: true, Statuses: allStatuses}, memory.Cursor{}, 100)
			if err != nil {
				return made{err: err}
			}
			var refs []memory.Ref
			for _, i := range items {
				refs = append(refs, i.Ref(), i.Ref())
			}
			snap, err := s.Delete(ctx, refs)
			return made{snap, err}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, done, provisional := peopled(t)
			before := dump(t, s)
			m := tt.do(t.Context(), s, done, provisional)
			if m.err != nil || m.snap.IsZero() {
				t.Fatalf("snapshot %+v (%v)", m.snap, m.err)
			}
			if dump(t, s) == before {
				t.Fatal("nothing was changed")
			}
			healthy(t, s)
			if err := s.Restore(t.Context(), m.snap); err != nil {
				t.Fatal(err)
			}
			if after := dump(t, s); after != before {
				t.Errorf("after the undo:\n%s\nbefore the change:\n%s", after, before)
			}
			healthy(t, s)
			// Once more does no harm.
			if err := s.Restore(t.Context(), m.snap); err != nil {
				t.Fatal(err)
			}
			if after := dump(t, s); after != before {
				t.Errorf("after a second undo:\n%s", after)
			}
		})
	}
}
