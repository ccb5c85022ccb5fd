package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

func observationRef(o memory.Observation) memory.Ref {
	return memory.Ref{Kind: memory.KindObservation, ID: o.ID}
}

func mustDelete(t *testing.T, s *Store, refs ...memory.Ref) memory.Snapshot {
	t.Helper()
	snap, err := s.Delete(t.Context(), refs)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// laterBatch is a second batch of a session that oneBatch began.
func laterBatch(t *testing.T, s *Store, session string) memory.Batch {
	t.Helper()
	(&day{session: session, n: 100}).prompt("go on", "p2").tool("Edit", "p2").add(memory.EventStop).store(t, s)
	if _, err := s.GroupEvents(t.Context(), noon, time.Hour, 10); err != nil {
		t.Fatal(err)
	}
	batches, err := s.PendingBatches(t.Context(), noon, 10)
	if err != nil || len(batches) == 0 {
		t.Fatalf("%d batches (%v)", len(batches), err)
	}
	return batches[len(batches)-1]
}

func payloads(t *testing.T, s *Store, batch int64) (n int) {
	t.Helper()
	events, err := s.BatchEvents(t.Context(), batch)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Payload != nil {
			n++
		}
	}
	return n
}

func TestADeletedObservationDoesNotComeBackFromItsBatch(t *testing.T) {
	s := newStore(t)
	b := oneBatch(t, s, "s1")
	list := finish(t, s, b, memory.BatchProvisional, "我的密码", "kept")
	mustDelete(t, s, observationRef(list[0]))
	if waiting, err := s.PendingBatches(t.Context(), noon.Add(time.Hour), 10); err != nil || len(waiting) != 0 {
		t.Errorf("waiting batches %+v (%v)", waiting, err)
	}
	// A provider that was asked before the deletion answers after it.
	for _, state := range []memory.BatchState{memory.BatchDone, memory.BatchProvisional} {
		if stored := finish(t, s, b, state, "我的密码", "the password in other words"); len(stored) != 0 {
			t.Errorf("stored %+v", stored)
		}
	}
	if got := titles(t, s, memory.Filter{}); got != `["kept"]` {
		t.Errorf("left %s", got)
	}
	if waiting, err := s.PendingBatches(t.Context(), noon.Add(time.Hour), 10); err != nil || len(waiting) != 0 {
		t.Errorf("waiting batches %+v (%v)", waiting, err)
	}
	// Another batch of the session, one that says the same, and one of another session.
	if got := finish(t, s, laterBatch(t, s, "s1"), memory.BatchDone, "我的密码", "new"); len(got) != 1 || got[0].Title != "new" {
		t.Errorf("stored %+v", got)
	}
	if got := finish(t, s, oneBatch(t, s, "s2"), memory.BatchDone, "我的密码"); len(got) != 1 {
		t.Errorf("stored %+v", got)
	}
	healthy(t, s)
}

func TestWithTheLastObservationOfABatchGoItsPayloads(t *testing.T) {
	s := newStore(t)
	b, other := oneBatch(t, s, "s1"), oneBatch(t, s, "s2")
	list := finish(t, s, b, memory.BatchDone, "first", "second")
	finish(t, s, other, memory.BatchDone, "unharmed")
	had := payloads(t, s, b.ID)
	mustDelete(t, s, observationRef(list[0]))
	if n := payloads(t, s, b.ID); n != had || had == 0 {
		t.Errorf("%d of %d payloads while an observation is left", n, had)
	}
	undo := mustDelete(t, s, observationRef(list[1]))
	if n := payloads(t, s, b.ID); n != 0 {
		t.Errorf("%d payloads are left", n)
	}
	if n := payloads(t, s, other.ID); n != had {
		t.Errorf("%d of %d payloads of another batch", n, had)
	}
	if err := s.Restore(t.Context(), undo); err != nil {
		t.Fatal(err)
	}
	if n := payloads(t, s, b.ID); n != had {
		t.Errorf("%d of %d payloads after the undo", n, had)
	}
}

func TestAnEventThatIsDrainedAgainBringsNothingBack(t *testing.T) {
	s := newStore(t)
	d := (&day{session: "s1"}).prompt("my secret", "p1").tool("Edit", "p1").add(memory.EventStop)
	d.store(t, s)
	if _, err := s.GroupEvents(t.Context(), noon, time.Hour, 10); err != nil {
		t.Fatal(err)
	}
	batches, err := s.PendingBatches(t.Context(), noon, 10)
	if err != nil || len(batches) != 1 {
		t.Fatalf("%d batches (%v)", len(batches), err)
	}
	list := finish(t, s, batches[0], memory.BatchDone, "deleted")
	items, err := s.Timeline(t.Context(), memory.Filter{Kinds: []memory.ItemKind{memory.KindPrompt}}, memory.Cursor{}, 10)
	if err != nil || len(items) != 1 {
		t.Fatalf("%d prompts (%v)", len(items), err)
	}
	mustDelete(t, s, observationRef(list[0]), items[0].Ref())
	before := dump(t, s)
	d.store(t, s)
	if _, err := s.GroupEvents(t.Context(), noon, time.Hour, 10); err != nil {
		t.Fatal(err)
	}
	if after := dump(t, s); after != before {
		t.Errorf("after draining again:\n%s\nbefore:\n%s", after, before)
	}
	if strings.Contains(before, "my secret") {
		t.Errorf("the text is still there:\n%s", before)
	}
}

func TestADeletedPromptLeavesNoTitleAndNoNumber(t *testing.T) {
	s := newStore(t)
	d := (&day{session: "s1"}).prompt("我的密码 is 1234", "p1")
	d.store(t, s)
	prompts, err := s.SessionPrompts(t.Context(), "s1")
	if err != nil || len(prompts) != 1 {
		t.Fatalf("%d prompts (%v)", len(prompts), err)
	}
	undo := mustDelete(t, s, memory.Ref{Kind: memory.KindPrompt, ID: prompts[0].ID})
	if v, err := s.Session(t.Context(), "s1"); err != nil || v.Title != "" || v.PromptCount != 0 {
		t.Errorf("session %+v (%v)", v, err)
	}
	d.prompt("the next one", "p2").store(t, s)
	after, err := s.SessionPrompts(t.Context(), "s1")
	if err != nil || len(after) != 1 || after[0].Number != 2 || after[0].ID == prompts[0].ID {
		t.Errorf("prompts %+v (%v)", after, err)
	}
	if v, err := s.Session(t.Context(), "s1"); err != nil || v.Title != "the next one" {
		t.Errorf("session %+v (%v)", v, err)
	}
	if err := s.Restore(t.Context(), undo); err != nil {
		t.Fatal(err)
	}
	both, err := s.SessionPrompts(t.Context(), "s1")
	if err != nil || len(both) != 2 || both[0] != prompts[0] {
		t.Errorf("prompts after the undo %+v (%v)", both, err)
	}
	healthy(t, s)
}

func TestAnIDIsNeverGivenAgain(t *testing.T) {
	s := newStore(t)
	list := remember(t, s, memory.Observation{Title: "a"}, memory.Observation{Title: "b"})
	undo := mustDelete(t, s, observationRef(list[1]))
	next := remember(t, s, memory.Observation{Title: "c"})[0]
	if next.ID <= list[1].ID {
		t.Errorf("id %d after %d", next.ID, list[1].ID)
	}
	if err := s.Restore(t.Context(), undo); err != nil {
		t.Fatal(err)
	}
	if o, err := s.Observation(t.Context(), list[1].ID); err != nil || o.Title != "b" {
		t.Errorf("observation %+v (%v)", o, err)
	}
}

func TestAnImportMayBringADeletedMemoryBack(t *testing.T) {
	s := newStore(t)
	o := remember(t, s, memory.Observation{Title: "回来"})[0]
	undo := mustDelete(t, s, observationRef(o))
	back := remember(t, s, o)[0]
	if back.ID == o.ID || back.UID != o.UID {
		t.Errorf("imported %+v", back)
	}
	// The undo makes it the row that it was, once.
	if err := s.Restore(t.Context(), undo); err != nil {
		t.Fatal(err)
	}
	list, err := s.ListObservations(t.Context(), memory.Filter{}, memory.Cursor{}, 10)
	if err != nil || len(list) != 1 || list[0].ID != o.ID {
		t.Errorf("observations %+v (%v)", list, err)
	}
	healthy(t, s)
}

func TestUndoDoesNotPushAnotherMemoryAside(t *testing.T) {
	s := newStore(t)
	o := remember(t, s, memory.Observation{Title: "one"})[0]
	undo := mustDelete(t, s, observationRef(o))
	remember(t, s, memory.Observation{Title: "One", Facts: []string{"of its own"}})
	before := dump(t, s)
	if err := s.Restore(t.Context(), undo); !errors.Is(err, ErrDuplicate) {
		t.Errorf("error %v, want ErrDuplicate", err)
	}
	if after := dump(t, s); after != before {
		t.Errorf("changed:\n%s", after)
	}
}

func TestUndoWinsOverALaterChangeOfTheRow(t *testing.T) {
	s := newStore(t)
	list := remember(t, s, memory.Observation{Title: "first"}, memory.Observation{Title: "second"})
	undo, err := s.Edit(t.Context(), []int64{list[0].ID, list[1].ID}, memory.Edit{Subtitle: ptr("s")})
	if err != nil {
		t.Fatal(err)
	}
	// They swap what makes them unique.
	for i, title := range []string{"third", "first", "second"} {
		if _, err := s.Edit(t.Context(), []int64{list[i%2].ID}, memory.Edit{Title: &title}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Restore(t.Context(), undo); err != nil {
		t.Fatal(err)
	}
	if got := titles(t, s, memory.Filter{}); got != `["first" "second"]` {
		t.Errorf("after the undo %s", got)
	}
	healthy(t, s)
}

func TestATombstoneHoldsNoText(t *testing.T) {
	s := newStore(t)
	o := remember(t, s, memory.Observation{Title: "密码", Narrative: "is 1234", Facts: []string{"secret"}, Tags: []string{"private"}})[0]
	mustDelete(t, s, observationRef(o))
	columns, err := all(t.Context(), s.read, scanText, "SELECT name FROM pragma_table_info('tombstones') ORDER BY cid")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"id", "kind", "row_id", "uid", "session_id", "prompt_number", "batch_id", "content_hash", "deleted_at", "deleted_at_epoch", "forgotten",
	}
	if !slices.Equal(columns, want) {
		t.Errorf("columns %q, want %q", columns, want)
	}
	if text := dump(t, s); strings.Contains(text, "密码") || strings.Contains(text, "1234") || strings.Contains(text, "private") {
		t.Errorf("the text is still there:\n%s", text)
	}
	if n, err := number(t.Context(), s.read, "SELECT count(*) FROM tombstones WHERE uid = ? AND row_id = ?", o.UID, o.ID); err != nil || n != 1 {
		t.Errorf("%d tombstones (%v)", n, err)
	}
}

func TestManyAreDeletedAndBroughtBackAtOnce(t *testing.T) {
	slow(t)
	s := newStore(t)
	var list []memory.Observation
	for i := range 3000 {
		list = append(list, memory.Observation{Title: fmt.Sprint("note ", i), Narrative: "购物车"})
	}
	var refs []memory.Ref
	for _, o := range remember(t, s, list...) {
		refs = append(refs, observationRef(o))
	}
	before := dump(t, s)
	undo := mustDelete(t, s, refs...)
	if err := s.Restore(t.Context(), undo); err != nil {
		t.Fatal(err)
	}
	if dump(t, s) != before {
		t.Error("not all came back as they were")
	}
}
