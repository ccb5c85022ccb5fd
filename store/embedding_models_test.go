package store

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"cmem/memory"
)

// vectorOf makes up a vector of so many numbers.
func vectorOf(r *rand.Rand, dims int) []int8 {
	v := make([]int8, dims)
	for i := range v {
		v[i] = int8(r.IntN(255) - 127)
	}
	return v
}

// encodeBy stores made-up vectors by a model until nothing is due, and gives them.
func encodeBy(t *testing.T, s *Store, model string, dims int) map[int64][]int8 {
	t.Helper()
	if err := s.UseModel(t.Context(), model); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(uint64(dims), 7))
	all := map[int64][]int8{}
	for {
		due, err := s.DueMeanings(t.Context(), model, 100)
		if err != nil {
			t.Fatal(err)
		}
		if len(due) == 0 {
			return all
		}
		var list []memory.Meaning
		for _, o := range due {
			all[o.ID] = vectorOf(r, dims)
			list = append(list, memory.Meaning{ID: o.ID, Vector: all[o.ID]})
		}
		if _, err := s.SaveMeanings(t.Context(), model, due, list); err != nil {
			t.Fatal(err)
		}
	}
}

func rowsIn(t *testing.T, s *Store, table string) int64 {
	t.Helper()
	n, err := number(t.Context(), s.read, "SELECT count(*) FROM "+table)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestVectorsOfEveryLengthAreFound(t *testing.T) {
	for _, dims := range []int{1, 100, 192, 768, 4096} {
		s := openStore(t, filepath.Join(t.TempDir(), "data", "cmem.db"))
		remember(t, s, titled(60, "p")...)
		vectors := encodeBy(t, s, "m", dims)
		for id, v := range vectors {
			near, err := s.Near(t.Context(), "m", v, memory.Filter{}, 60)
			i := slices.IndexFunc(near, func(m memory.Meaning) bool { return m.ID == id })
			if err != nil || i < 0 || !slices.Equal(near[i].Vector, v) {
				t.Fatalf("%d numbers: observation %d is not found by its own vector (%v)", dims, id, err)
			}
			if dims > 100 && i != 0 {
				t.Errorf("%d numbers: observation %d is found at place %d by its own vector", dims, id, i)
			}
		}
	}
}

func TestModelsStandBesideEachOther(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "data", "cmem.db"))
	remember(t, s, titled(20, "p")...)
	encodeAll(t, s)
	before, err := s.Near(t.Context(), testModel, make([]int8, 64), memory.Filter{}, 20)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.UseModel(t.Context(), testModel, "other/2"); err != nil {
		t.Fatal(err)
	}
	if have, due, err := s.MeaningState(t.Context(), "other/2"); err != nil || have != 0 || due != 20 {
		t.Errorf("the other model has %d, and %d are due, want 0 and 20 (%v)", have, due, err)
	}
	encodeBy(t, s, "other/2", 768)
	after, err := s.Near(t.Context(), testModel, make([]int8, 64), memory.Filter{}, 20)
	if err != nil || len(after) != 20 || len(before) != 20 || state(t, s) != "20 encoded, 0 due" {
		t.Errorf("with another model beside it: %d found, %s (%v)", len(after), state(t, s), err)
	}
	if names, err := s.EmbeddingModels(t.Context()); err != nil || !slices.Equal(names, []string{"other/2", testModel}) {
		t.Errorf("models %v (%v)", names, err)
	}
	healthy(t, s)
}

func TestAModelThatIsNotKeptGoesInPieces(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "data", "cmem.db"))
	list := titled(3*blockEntries, "p")
	for some := range slices.Chunk(list, 400) {
		if _, err := s.Import(t.Context(), Bundle{Observations: some}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range blocksDropped {
		remember(t, s, titled(1, string(rune('q'+i)))...)
	}
	encodeAll(t, s)
	encodeBy(t, s, "other/2", 64)
	remember(t, s, titled(2, "z")...) // due for both
	kept := rowsIn(t, s, "embeddings WHERE model = (SELECT id FROM embedding_models WHERE name = 'other/2')")
	steps := 0
	for more := true; more; steps++ {
		var err error
		before := rowsIn(t, s, "embeddings")
		if more, err = s.DropModels(t.Context(), "other/2"); err != nil {
			t.Fatal(err)
		}
		if gone := before - rowsIn(t, s, "embeddings"); gone > blocksDropped*blockEntries {
			t.Errorf("%d encodings went at once", gone)
		}
		if names, err := s.EmbeddingModels(t.Context()); err != nil || !slices.Equal(names, []string{"other/2"}) {
			t.Fatalf("a model that is going is still named: %v (%v)", names, err)
		}
	}
	if steps < 2 {
		t.Errorf("all went in %d steps", steps)
	}
	if n := rowsIn(t, s, "embeddings"); n != kept || kept == 0 {
		t.Errorf("%d encodings are left, want the %d of the other model", n, kept)
	}
	for _, table := range []string{"embedding_blocks", "embeddings_due"} {
		if n := rowsIn(t, s, table+" WHERE model NOT IN (SELECT id FROM embedding_models)"); n != 0 {
			t.Errorf("%s has %d rows of no model", table, n)
		}
	}
	if n := rowsIn(t, s, "embeddings_gone"); n != 0 {
		t.Errorf("%d entries are to be taken out of blocks that are gone", n)
	}
	if more, err := s.DropModels(t.Context(), "other/2"); err != nil || more {
		t.Errorf("there is more (%v)", err)
	}
	healthy(t, s)
}

// A person who goes back to a model whose encodings are being removed must not lack
// those that are gone already.
func TestAModelThatIsWantedAgainWhileItGoesBeginsAnew(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "data", "cmem.db"))
	for i := range blocksDropped + 2 {
		remember(t, s, titled(2, string(rune('a'+i)))...)
	}
	encodeAll(t, s)
	if more, err := s.DropModels(t.Context()); err != nil || !more {
		t.Fatal(more, err)
	}
	if err := s.UseModel(t.Context(), testModel); err != nil {
		t.Fatal(err)
	}
	if got := state(t, s); got != "0 encoded, 12 due" {
		t.Error(got)
	}
	encodeAll(t, s)
	for more := true; more; {
		var err error
		if more, err = s.DropModels(t.Context(), testModel); err != nil {
			t.Fatal(err)
		}
	}
	if got := state(t, s); got != "12 encoded, 0 due" || rowsIn(t, s, "embedding_models") != 1 {
		t.Errorf("%s by %d models", got, rowsIn(t, s, "embedding_models"))
	}
	healthy(t, s)
}

func TestWhatAModelCouldNotEncodeIsTriedAgain(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "data", "cmem.db"))
	ids := numbersOf(remember(t, s, titled(3, "p")...))
	if err := s.UseModel(t.Context(), testModel); err != nil {
		t.Fatal(err)
	}
	due, err := s.DueMeanings(t.Context(), testModel, 10)
	if err != nil {
		t.Fatal(err)
	}
	list := []memory.Meaning{{ID: ids[0]}, {ID: ids[1]}, meaningOf(due[2])}
	list[2].ID = ids[2]
	if _, err := s.SaveMeanings(t.Context(), testModel, due, list); err != nil {
		t.Fatal(err)
	}
	if got := state(t, s); got != "3 encoded, 0 due" {
		t.Error(got)
	}
	if _, err := s.Delete(t.Context(), []memory.Ref{{Kind: memory.KindObservation, ID: ids[1]}}); err != nil {
		t.Fatal(err)
	}
	// One that is gone, and one that has a vector, stay as they are.
	if err := s.EncodeAgain(t.Context(), testModel, append(ids, 4711)); err != nil {
		t.Fatal(err)
	}
	again, err := s.DueMeanings(t.Context(), testModel, 10)
	if err != nil || len(again) != 1 || again[0].ID != ids[0] {
		t.Errorf("due are %v (%v), want %d", numbersOf(again), err, ids[0])
	}
	if err := s.EncodeAgain(t.Context(), "no such model", ids); err != nil {
		t.Error(err)
	}
	healthy(t, s)
}

func TestASampleIsFromAllOverTheStore(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "data", "cmem.db"))
	for i := range 20 {
		remember(t, s, titled(10, string(rune('a'+i)))...)
	}
	encodeAll(t, s)
	got, err := s.SomeMeanings(t.Context(), testModel, 40)
	if err != nil || len(got) != 40 {
		t.Fatalf("%d, %v", len(got), err)
	}
	var ids []int64
	for _, m := range got {
		ids = append(ids, m.ID)
		if len(m.Vector) != 64 {
			t.Errorf("observation %d has no vector", m.ID)
		}
	}
	slices.Sort(ids)
	if len(slices.Compact(slices.Clone(ids))) != 40 || ids[39]-ids[0] < 150 {
		t.Errorf("the sample is %v", ids)
	}
	if all, err := s.SomeMeanings(t.Context(), testModel, 1000); err != nil || len(all) < 60 {
		t.Errorf("of all there are %d (%v)", len(all), err)
	}
	for _, none := range []struct {
		model string
		limit int
	}{{"no such model", 5}, {testModel, 0}} {
		if got, err := s.SomeMeanings(t.Context(), none.model, none.limit); err != nil || len(got) != 0 {
			t.Errorf("%v gives %v (%v)", none, got, err)
		}
	}
}
