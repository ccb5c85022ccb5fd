package store

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

func edit(t *testing.T, s *Store, id int64, e memory.Edit) memory.Snapshot {
	t.Helper()
	snap, err := s.Edit(t.Context(), []int64{id}, e)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

func TestNoRingOfSuccessors(t *testing.T) {
	s := newStore(t)
	list := remember(t, s, memory.Observation{Title: "a 甲"}, memory.Observation{Title: "b"}, memory.Observation{Title: "c"})
	a, b, c := list[0].ID, list[1].ID, list[2].ID
	edit(t, s, a, memory.Edit{SupersededBy: &b})
	edit(t, s, b, memory.Edit{SupersededBy: &c})
	before := dump(t, s)
	for _, tt := range []struct {
		ids       []int64
		successor int64
		says      string
	}{
		{[]int64{b}, a, fmt.Sprintf("observation %d: it is itself superseded by %d", a, b)},
		{[]int64{c}, a, fmt.Sprintf("observation %d: it is itself superseded by %d", a, c)},
		{[]int64{a, c}, c, "by itself"},
	} {
		if _, err := s.Edit(t.Context(), tt.ids, memory.Edit{SupersededBy: &tt.successor}); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%d by %d: error %v, want %q", tt.ids, tt.successor, err, tt.says)
		}
	}
	if after := dump(t, s); after != before {
		t.Errorf("changed:\n%s", after)
	}
	// Several may lead to the same one, and further along a chain.
	edit(t, s, a, memory.Edit{SupersededBy: &c})
}

func TestAMergedMemoryIsInSight(t *testing.T) {
	for _, tt := range []struct {
		name string
		e    func(b int64) memory.Edit
	}{
		{"superseded by the other", func(b int64) memory.Edit { return memory.Edit{SupersededBy: &b, Reason: ptr("旧")} }},
		{"archived", func(int64) memory.Edit { return memory.Edit{Status: ptr(memory.StatusArchived), Reason: ptr("旧")} }},
		{"wrong", func(int64) memory.Edit { return memory.Edit{Status: ptr(memory.StatusInvalid)} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore(t)
			list := remember(t, s, memory.Observation{Title: "a"}, memory.Observation{Title: "b"})
			edit(t, s, list[0].ID, tt.e(list[1].ID))
			before := dump(t, s)
			undo, err := s.Merge(t.Context(), list[0].ID, []int64{list[1].ID})
			if err != nil {
				t.Fatal(err)
			}
			o, err := s.Observation(t.Context(), list[0].ID)
			if err != nil || o.Status != memory.StatusActive || o.StatusReason != "" || o.SupersededBy != "" {
				t.Errorf("kept %+v (%v)", o, err)
			}
			if got := titles(t, s, memory.Filter{}); got != `["a"]` {
				t.Errorf("in sight %s", got)
			}
			if err := s.Restore(t.Context(), undo); err != nil || dump(t, s) != before {
				t.Errorf("not as before (%v)", err)
			}
		})
	}
}

func TestUndoGivesASessionItsFirstTitleBack(t *testing.T) {
	s := newStore(t)
	(&day{session: "s1"}).prompt("修复 the bug", "p1").prompt("continue", "p2").prompt("continue", "p3").store(t, s)
	prompts, err := s.SessionPrompts(t.Context(), "s1")
	if err != nil || len(prompts) != 3 {
		t.Fatalf("%d prompts (%v)", len(prompts), err)
	}
	before := dump(t, s)
	undo := mustDelete(t, s, memory.Ref{Kind: memory.KindPrompt, ID: prompts[0].ID}, memory.Ref{Kind: memory.KindPrompt, ID: prompts[1].ID})
	if err := s.Restore(t.Context(), undo); err != nil {
		t.Fatal(err)
	}
	if after := dump(t, s); after != before {
		t.Errorf("after the undo:\n%s\nbefore:\n%s", after, before)
	}
}

func TestAnErrorNamesEveryMissingRow(t *testing.T) {
	s := newStore(t)
	o := remember(t, s, memory.Observation{Title: "there"})[0]
	_, edited := s.Edit(t.Context(), []int64{987, o.ID, 988, 987}, memory.Edit{Pinned: ptr(true), SupersededBy: ptr(int64(989))})
	_, merged := s.Merge(t.Context(), 987, []int64{o.ID, 988, 989})
	_, deleted := s.Delete(t.Context(), []memory.Ref{
		observationRef(o), {Kind: memory.KindObservation, ID: 987}, {Kind: memory.KindObservation, ID: 988},
		{Kind: memory.KindObservation, ID: 989}, {Kind: memory.KindSummary, ID: o.ID},
	})
	for name, err := range map[string]error{"edit": edited, "merge": merged, "delete": deleted} {
		var missing *MissingError
		if !errors.As(err, &missing) || !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: error %v", name, err)
			continue
		}
		if got := missing.IDs(memory.KindObservation); !reflect.DeepEqual(got, []int64{987, 988, 989}) {
			t.Errorf("%s: missing %d", name, got)
		}
		if got := missing.IDs(memory.KindSummary); (name == "delete") != reflect.DeepEqual(got, []int64{o.ID}) {
			t.Errorf("%s: missing summaries %d", name, got)
		}
		if !strings.Contains(err.Error(), "observation 987, observation 988") {
			t.Errorf("%s: %v", name, err)
		}
	}
	many := &MissingError{Refs: make([]memory.Ref, 10_000)}
	if n := len(many.Error()); n > 300 {
		t.Errorf("an error of %d bytes", n)
	}
}

func TestAnUndoneEditLivesAlthoughAnotherDeletedIt(t *testing.T) {
	s := newStore(t)
	b := oneBatch(t, s, "s1")
	list := finish(t, s, b, memory.BatchDone, "编辑", "other")
	undo := edit(t, s, list[0].ID, memory.Edit{Title: ptr("edited")})
	mustDelete(t, s, observationRef(list[0]))
	if err := s.Restore(t.Context(), undo); err != nil {
		t.Fatal(err)
	}
	if o, err := s.Observation(t.Context(), list[0].ID); err != nil || o.Title != "编辑" {
		t.Errorf("observation %+v (%v)", o, err)
	}
	if n, err := number(t.Context(), s.read, "SELECT count(*) FROM tombstones"); err != nil || n != 0 {
		t.Errorf("%d tombstones (%v)", n, err)
	}
	if stored := finish(t, s, b, memory.BatchDone, "one more"); len(stored) != 1 {
		t.Errorf("stored %+v", stored)
	}
	healthy(t, s)
}

func TestATombstoneOfALiveRowIsFoundAndRemoved(t *testing.T) {
	s := newStore(t)
	o := remember(t, s, memory.Observation{Title: "here"})[0]
	gone := remember(t, s, memory.Observation{Title: "gone"})[0]
	mustDelete(t, s, observationRef(gone))
	err := s.transact(t.Context(), func(t2 tx) error {
		_, err := t2.exec(t.Context(), `INSERT INTO tombstones (kind, row_id, uid, session_id, deleted_at, deleted_at_epoch)
			SELECT 'observation', id, uid, session_id, created_at, created_at_epoch FROM observations WHERE id = ?`, o.ID)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.Check(t.Context())
	if err != nil || len(found) != 1 || found[0].Name != CheckDeleted || !found[0].Fixable {
		t.Errorf("findings %+v (%v)", found, err)
	}
	if _, err := s.Fix(t.Context()); err != nil {
		t.Fatal(err)
	}
	healthy(t, s)
	if n, err := number(t.Context(), s.read, "SELECT row_id FROM tombstones"); err != nil || n != gone.ID {
		t.Errorf("tombstone of %d (%v)", n, err)
	}
}

func TestUndoLeavesOutAStandInThatWasAnswered(t *testing.T) {
	s := newStore(t)
	b := oneBatch(t, s, "s1")
	list := finish(t, s, b, memory.BatchProvisional, "替身", "another")
	undo := edit(t, s, list[0].ID, memory.Edit{Pinned: ptr(true)})
	finish(t, s, b, memory.BatchDone, "from the provider")
	for range 2 { // once more does no harm
		if err := s.Restore(t.Context(), undo); err != nil {
			t.Fatal(err)
		}
		if got := titles(t, s, memory.Filter{Statuses: allStatuses}); got != `["from the provider"]` {
			t.Errorf("left %s", got)
		}
	}
	healthy(t, s)

	// Nobody answered here: the batch was closed because a person deleted from it.
	b = oneBatch(t, s, "s2")
	list = finish(t, s, b, memory.BatchProvisional, "kept", "deleted")
	undo = edit(t, s, list[0].ID, memory.Edit{Pinned: ptr(true)})
	mustDelete(t, s, observationRef(list[1]))
	finish(t, s, b, memory.BatchDone, "too late")
	if err := s.Restore(t.Context(), undo); err != nil {
		t.Fatal(err)
	}
	if got := titles(t, s, memory.Filter{SessionID: "s2"}); got != `["kept"]` {
		t.Errorf("left %s", got)
	}
}

func TestNothingIsWrittenToAFileThatIsGone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be removed there")
	}
	s := newStore(t)
	o := remember(t, s, memory.Observation{Title: "a"}, memory.Observation{Title: "b"})[0]
	undo := edit(t, s, o.ID, memory.Edit{Pinned: ptr(true)})
	for _, how := range []string{"removed", "replaced"} {
		if how == "removed" {
			if err := os.Rename(s.Path(), s.Path()+".old"); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(s.Path(), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for name, do := range map[string]func() error{
			"edit":    func() error { _, err := s.Edit(t.Context(), []int64{o.ID}, memory.Edit{Weight: ptr(2.0)}); return err },
			"delete":  func() error { _, err := s.Delete(t.Context(), []memory.Ref{observationRef(o)}); return err },
			"merge":   func() error { _, err := s.Merge(t.Context(), o.ID, []int64{o.ID + 1}); return err },
			"add":     func() error { _, _, err := s.Add(t.Context(), memory.Observation{Title: "c"}); return err },
			"restore": func() error { return s.Restore(t.Context(), undo) },
			"events":  func() error { _, err := s.AddEvents(t.Context(), nil); return err },
		} {
			if err := do(); !errors.Is(err, ErrReplaced) {
				t.Errorf("%s, %s: error %v", how, name, err)
			}
		}
	}
	if err := errors.Join(os.Remove(s.Path()), os.Rename(s.Path()+".old", s.Path())); err != nil {
		t.Fatal(err)
	}
	edit(t, s, o.ID, memory.Edit{Weight: ptr(2.0)})
}

func TestARowOfNoWeightCanBeEdited(t *testing.T) {
	s := newStore(t)
	o := remember(t, s, memory.Observation{Title: "无重量", Weight: -1})[0]
	if o.Weight >= 0 {
		t.Fatalf("weight %v", o.Weight)
	}
	edit(t, s, o.ID, memory.Edit{Pinned: ptr(true)})
	for _, w := range []float64{0, -1} {
		if _, err := s.Edit(t.Context(), []int64{o.ID}, memory.Edit{Weight: &w}); err == nil {
			t.Errorf("weight %v was taken", w)
		}
	}
}

func TestAnImportTakesIDsWithControlCharacters(t *testing.T) {
	s := newStore(t)
	const id = "s\x001"
	added, err := s.Import(t.Context(), Bundle{
		Sessions:     []memory.Session{{ID: id, Project: webshop, CreatedAt: noon}},
		Prompts:      []memory.Prompt{{SessionID: id, Project: webshop, Number: 1, Text: "你好", CreatedAt: noon}},
		Observations: []memory.Observation{{SessionID: id, Project: webshop, Title: "a", CreatedAt: noon}},
		Summaries:    []memory.Summary{{SessionID: id, Project: webshop, Request: "b", CreatedAt: noon}},
	})
	if err != nil || added != 4 {
		t.Errorf("%d rows (%v)", added, err)
	}
	healthy(t, s)
}

// A change of many is a statement for many rows, not one for each: that each value
// comes out of it as it went in is what an edit one by one is compared with.
func TestManyAreEditedAsOneIs(t *testing.T) {
	slow(t)
	e := memory.Edit{
		Status: ptr(memory.StatusInvalid), Reason: ptr(`"quoted" \ <b> 🛒`), Weight: ptr(0.1), ValidUntil: ptr(noon.Add(time.Hour)),
		Subtitle: ptr("多行\nline\u2028"), AddTags: []string{"x"}, Pinned: ptr(true),
	}
	dumps := map[bool]string{}
	for _, atOnce := range []bool{true, false} {
		s := newStore(t)
		var list []memory.Observation
		for i := range 30 {
			list = append(list, memory.Observation{UID: fmt.Sprint("u", i), Title: fmt.Sprint("note ", i), CreatedAt: noon, Weight: 1 + float64(i)/3})
		}
		var ids []int64
		for _, o := range remember(t, s, list...) {
			ids = append(ids, o.ID)
		}
		before := dump(t, s)
		var undo []memory.Snapshot
		if atOnce {
			for _, e := range []memory.Edit{e, {Weight: ptr(1.5)}} {
				snap, err := s.Edit(t.Context(), ids, e)
				if err != nil {
					t.Fatal(err)
				}
				undo = append(undo, snap)
			}
		} else {
			for _, id := range ids {
				undo = append(undo, edit(t, s, id, e), edit(t, s, id, memory.Edit{Weight: ptr(1.5)}))
			}
		}
		dumps[atOnce] = dump(t, s)
		healthy(t, s)
		for i := len(undo) - 1; i >= 0; i-- {
			if err := s.Restore(t.Context(), undo[i]); err != nil {
				t.Fatal(err)
			}
		}
		if after := dump(t, s); after != before {
			t.Errorf("after the undo:\n%s\nbefore:\n%s", after, before)
		}
	}
	if dumps[true] != dumps[false] {
		t.Errorf("at once:\n%s\none by one:\n%s", dumps[true], dumps[false])
	}
}

// Indexing texts anew is what is slow in a change of many: none is, unless a text
// was changed.
func TestAChangeOfStatusLeavesTheSearchIndexAlone(t *testing.T) {
	s := newStore(t)
	var ids []int64
	for _, o := range remember(t, s, memory.Observation{Title: "一"}, memory.Observation{Title: "two"}) {
		ids = append(ids, o.ID)
	}
	index := func() string {
		text, err := one(t.Context(), s.read, scanText, "SELECT group_concat(id || hex(block)) FROM observations_fts_data")
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	before := index()
	undo, err := s.Edit(t.Context(), ids, memory.Edit{Status: ptr(memory.StatusArchived), Pinned: ptr(true), Type: ptr("decision"), Weight: ptr(2.0)})
	if err != nil {
		t.Fatal(err)
	}
	if index() != before {
		t.Error("the edit indexed the texts anew")
	}
	if err := s.Restore(t.Context(), undo); err != nil {
		t.Fatal(err)
	}
	if index() != before {
		t.Error("the undo indexed the texts anew")
	}
	edit(t, s, ids[0], memory.Edit{Title: ptr("other")})
	if index() == before {
		t.Error("the test sees nothing")
	}
}
