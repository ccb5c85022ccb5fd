package store

import (
	"context"
	"errors"
	"testing"

	"cmem/memory"
)

// An open browser holds the texts of what it changed; another process forgets them.
func TestNoUndoBringsBackWhatWasForgotten(t *testing.T) {
	const word = "falconry 猎鹰"
	type change func(context.Context, *Store, memory.Observation) (memory.Snapshot, error)
	remove := func(ctx context.Context, s *Store, o memory.Observation) (memory.Snapshot, error) {
		return s.Delete(ctx, []memory.Ref{observationRef(o)})
	}
	edit := func(ctx context.Context, s *Store, o memory.Observation) (memory.Snapshot, error) {
		return s.Edit(ctx, []int64{o.ID}, memory.Edit{Subtitle: ptr("改")})
	}
	prompt := func(ctx context.Context, s *Store, o memory.Observation) (memory.Snapshot, error) {
		list, err := s.SessionPrompts(ctx, o.SessionID)
		if err != nil {
			return memory.Snapshot{}, err
		}
		return s.Delete(ctx, []memory.Ref{{Kind: memory.KindPrompt, ID: list[0].ID}})
	}
	session := func(o memory.Observation) Forgetting { return Forgetting{Sessions: []string{o.SessionID}} }
	single := func(o memory.Observation) Forgetting { return Forgetting{Refs: []memory.Ref{observationRef(o)}} }
	for name, c := range map[string]struct {
		change change
		what   func(memory.Observation) Forgetting
	}{
		"an edit of a memory":                  {edit, single},
		"an edit in a session":                 {edit, session},
		"a deletion, then its session":         {remove, session},
		"a deleted prompt, then its session":   {prompt, session},
		"a deletion of what is then forgotten": {remove, single},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			tell(t, s, "keep", "hazelnut")
			tell(t, s, "gone", word)
			list, err := s.SessionObservations(t.Context(), "gone")
			if err != nil || len(list) != 1 {
				t.Fatalf("%v (%v)", list, err)
			}
			undo, err := c.change(t.Context(), s, list[0])
			if err != nil {
				t.Fatal(err)
			}
			other := openStore(t, s.Path())
			if _, err := other.Forget(t.Context(), c.what(list[0]), false); err != nil {
				t.Fatal(err)
			}
			before := dump(t, s)
			if err := s.Restore(t.Context(), undo); !errors.Is(err, ErrChanged) {
				t.Errorf("error %v, want ErrChanged", err)
			}
			if after := dump(t, s); after != before {
				t.Errorf("the undo changed something:\n%s\nbefore\n%s", after, before)
			}
			healthy(t, s)
		})
	}
}

// What comes after is undone as ever, in a session that goes on as elsewhere.
func TestForgettingTakesNoOtherUndoAway(t *testing.T) {
	s := newStore(t)
	tell(t, s, "gone", "falconry")
	if _, err := s.Forget(t.Context(), Forgetting{Sessions: []string{"gone"}}, false); err != nil {
		t.Fatal(err)
	}
	list := remember(t, s, memory.Observation{SessionID: "gone", Title: "一"}, memory.Observation{SessionID: "gone", Title: "二"}, memory.Observation{SessionID: "gone", Title: "三"})
	before := titles(t, s, memory.Filter{})
	undo := mustDelete(t, s, observationRef(list[0]))
	if _, err := s.Forget(t.Context(), Forgetting{Refs: []memory.Ref{observationRef(list[2])}}, false); err != nil {
		t.Fatal(err)
	}
	if err := s.Restore(t.Context(), undo); err != nil {
		t.Fatal(err)
	}
	if got := titles(t, s, memory.Filter{}); got != `["一" "二"]` && got != `["二" "一"]` {
		t.Errorf("after the undo %s, before %s", got, before)
	}
}

// Two memories of one prompt were made of the same raw events.
func TestAnUndoBringsNoRawEventBackOfWhatWasForgotten(t *testing.T) {
	s := newStore(t)
	tell(t, s, "s", "falconry")
	list, err := s.SessionObservations(t.Context(), "s")
	if err != nil || len(list) != 1 {
		t.Fatalf("%v (%v)", list, err)
	}
	undo := mustDelete(t, s, observationRef(list[0]))
	prompts, err := s.SessionPrompts(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Forget(t.Context(), Forgetting{Refs: []memory.Ref{{Kind: memory.KindPrompt, ID: prompts[0].ID}}}, false); err != nil {
		t.Fatal(err)
	}
	if err := s.Restore(t.Context(), undo); err != nil {
		t.Fatal(err)
	}
	if back, err := s.SessionObservations(t.Context(), "s"); err != nil || len(back) != 1 || back[0].Title != list[0].Title {
		t.Errorf("the memory that was only deleted is not back: %v (%v)", back, err)
	}
	if n, err := number(t.Context(), s.read, "SELECT count(*) FROM events WHERE payload IS NOT NULL"); err != nil || n != 0 {
		t.Errorf("%d raw events are back (%v)", n, err)
	}
}
