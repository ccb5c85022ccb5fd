package store

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"cmem/memory"
)

const testModel = "test/64/v1"

// meaningOf makes up the encoding of an observation: the same for the same title.
func meaningOf(o memory.Observation) memory.Meaning {
	var seed uint64
	for _, r := range o.Title {
		seed = seed*31 + uint64(r)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	m := memory.Meaning{ID: o.ID, Vector: make([]int8, 64), Words: []uint16{uint16(seed), 65535}}
	slices.Sort(m.Words)
	for i := range m.Vector {
		m.Vector[i] = int8(r.IntN(255) - 127)
	}
	return m
}

// encodeAll does what the worker does until nothing is due.
func encodeAll(t *testing.T, s *Store) {
	t.Helper()
	if err := s.UseModel(t.Context(), testModel); err != nil {
		t.Fatal(err)
	}
	for {
		due, err := s.DueMeanings(t.Context(), testModel, 100)
		if err != nil {
			t.Fatal(err)
		}
		if len(due) == 0 {
			return
		}
		var list []memory.Meaning
		for _, o := range due {
			list = append(list, meaningOf(o))
		}
		if n, err := s.SaveMeanings(t.Context(), testModel, due, list); err != nil || n != len(due) {
			t.Fatalf("%d of %d were stored (%v)", n, len(due), err)
		}
	}
}

func state(t *testing.T, s *Store) string {
	t.Helper()
	have, due, err := s.MeaningState(t.Context(), testModel)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(have, " encoded, ", due, " due")
}

// sketchIDs gives the observations of which the blocks have a sketch.
func sketchIDs(t *testing.T, s *Store) (ids []int64) {
	t.Helper()
	ids, err := s.nearSketches(t.Context(), 1, make([]byte, 8), nil, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(ids)
	return ids
}

func numbersOf(list []memory.Observation) (ids []int64) {
	for _, o := range list {
		ids = append(ids, o.ID)
	}
	return ids
}

func titled(n int, project string) []memory.Observation {
	list := make([]memory.Observation, n)
	for i := range list {
		list[i] = memory.Observation{Title: fmt.Sprintf("支付 %s %d", project, i), Project: project, SessionID: "in " + project}
	}
	return list
}

func TestObservationsAreEncodedOnceAndAgainWhenTheyChange(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "data", "cmem.db"))
	ids := numbersOf(remember(t, s, titled(3, "p")...))
	if got := state(t, s); got != "0 encoded, 3 due" {
		t.Errorf("before the model is used: %s", got)
	}
	encodeAll(t, s)
	if got := state(t, s); got != "3 encoded, 0 due" {
		t.Errorf("afterwards: %s", got)
	}
	remember(t, s, memory.Observation{Title: "new", Project: "p", SessionID: "in p"})
	if got := state(t, s); got != "3 encoded, 1 due" {
		t.Errorf("with a new one: %s", got)
	}
	encodeAll(t, s)
	title := "改了"
	if _, err := s.Edit(t.Context(), []int64{ids[0]}, memory.Edit{Title: &title}); err != nil {
		t.Fatal(err)
	}
	if got := state(t, s); got != "3 encoded, 1 due" {
		t.Errorf("with one that was edited: %s", got)
	}
	encodeAll(t, s)
	o, err := s.Observations(t.Context(), ids[:1])
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Meanings(t.Context(), testModel, ids[:1])
	if err != nil || len(got) != 1 || !reflect.DeepEqual(got[0], meaningOf(o[0])) {
		t.Errorf("it has the encoding %v (%v), want %v", got, err, meaningOf(o[0]))
	}
	pinned := true
	if _, err := s.Edit(t.Context(), ids, memory.Edit{Pinned: &pinned}); err != nil {
		t.Fatal(err)
	}
	if got := state(t, s); got != "4 encoded, 0 due" {
		t.Errorf("with a pin, which says nothing: %s", got)
	}
	if got := len(sketchIDs(t, s)); got != 4 {
		t.Errorf("%d have a sketch, want 4", got)
	}
}

func TestWhatIsGoneIsInNoBlock(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "data", "cmem.db"))
	ids := numbersOf(remember(t, s, titled(700, "p")...))
	encodeAll(t, s)
	if got := sketchIDs(t, s); !slices.Equal(got, slices.Sorted(slices.Values(ids))) {
		t.Fatalf("%d of 700 have a sketch", len(got))
	}
	gone := []int64{ids[0], ids[300], ids[699]}
	var refs []memory.Ref
	for _, id := range gone {
		refs = append(refs, memory.Ref{Kind: memory.KindObservation, ID: id})
	}
	if _, err := s.Delete(t.Context(), refs); err != nil {
		t.Fatal(err)
	}
	left := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return slices.Contains(gone, id) })
	if got := sketchIDs(t, s); !slices.Equal(got, slices.Sorted(slices.Values(left))) {
		t.Errorf("%d have a sketch, want 697", len(got))
	}
	if got := state(t, s); got != "697 encoded, 0 due" {
		t.Error(got)
	}
	// What is left is found by its own vector.
	for _, id := range []int64{ids[1], ids[299], ids[698]} {
		o, err := s.Observations(t.Context(), []int64{id})
		if err != nil {
			t.Fatal(err)
		}
		near, err := s.Near(t.Context(), testModel, meaningOf(o[0]).Vector, memory.Filter{}, 1)
		if err != nil || len(near) != 1 || near[0].ID != id {
			t.Errorf("%d is not the nearest to itself: %v (%v)", id, near, err)
		}
	}
}

func TestTheNearestAreThoseThatTheFilterTakes(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "data", "cmem.db"))
	list := slices.Concat(titled(40, "/a"), titled(40, "/b"))
	for i := range list {
		list[i].Type = memory.TypeChange
		if i%10 == 0 {
			list[i].Type = memory.TypeBugfix
		}
	}
	ids := numbersOf(remember(t, s, list...))
	encodeAll(t, s)
	want := meaningOf(list[0]).Vector
	for _, test := range []struct {
		name  string
		f     memory.Filter
		limit int
		n     int
		first int64
	}{
		{"all", memory.Filter{}, 100, 80, ids[0]},
		{"one project", memory.Filter{Project: "/a"}, 100, 40, ids[0]},
		{"few of it", memory.Filter{Project: "/a"}, 3, 3, ids[0]},
		{"one type", memory.Filter{Types: []string{memory.TypeBugfix}}, 100, 8, ids[0]},
		{"a type in a project", memory.Filter{Project: "/b", Types: []string{memory.TypeBugfix}}, 2, 2, 0},
		{"no such project", memory.Filter{Project: "/c"}, 5, 0, 0},
	} {
		got, err := s.Near(t.Context(), testModel, want, test.f, test.limit)
		if err != nil || len(got) != test.n {
			t.Errorf("%s: %d, want %d (%v)", test.name, len(got), test.n, err)
		} else if test.first > 0 && got[0].ID != test.first {
			t.Errorf("%s: the first is %d, want %d", test.name, got[0].ID, test.first)
		}
	}
	if got, err := s.Near(t.Context(), "another/model", want, memory.Filter{}, 5); err != nil || got != nil {
		t.Errorf("a model that is not used knows %v (%v)", got, err)
	}
}

// An observation that changes between reading and storing keeps no encoding of what
// it was.
func TestAnEncodingOfAnOldTextIsNotStored(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "data", "cmem.db"))
	ids := numbersOf(remember(t, s, titled(2, "p")...))
	if err := s.UseModel(t.Context(), testModel); err != nil {
		t.Fatal(err)
	}
	due, err := s.DueMeanings(t.Context(), testModel, 10)
	if err != nil || len(due) != 2 {
		t.Fatal(due, err)
	}
	title := "another"
	if _, err := s.Edit(t.Context(), ids[:1], memory.Edit{Title: &title}); err != nil {
		t.Fatal(err)
	}
	n, err := s.SaveMeanings(t.Context(), testModel, due, []memory.Meaning{meaningOf(due[0]), meaningOf(due[1])})
	if err != nil || n != 1 {
		t.Errorf("%d were stored, want 1 (%v)", n, err)
	}
	if got := state(t, s); got != "1 encoded, 1 due" {
		t.Error(got)
	}
}
