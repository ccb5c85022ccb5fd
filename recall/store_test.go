package recall

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"cmem/memory"
	"cmem/store"
)

// The store gives all that the explanations ask for.
var (
	_ PlanSource = (*store.Store)(nil)
	_ MissSource = (*store.Store)(nil)
)

func newStore(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "cmem.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// remember stores observations, of the webshop's session "s1" at one minute after
// another where they do not say, and gives them as stored, in their order.
func remember(t *testing.T, s *store.Store, observations ...memory.Observation) []memory.Observation {
	t.Helper()
	for i, o := range observations {
		if o.Project == "" {
			o.Project = webshop
		}
		if o.SessionID == "" {
			o.SessionID = "s1"
		}
		if o.CreatedAt.IsZero() {
			o.CreatedAt = monday.Add(time.Duration(i) * time.Minute)
		}
		o.UID = fmt.Sprintf("uid-%d-%s", i, o.Title)
		observations[i] = o
	}
	if _, err := s.Import(t.Context(), store.Bundle{Observations: observations}); err != nil {
		t.Fatal(err)
	}
	out := make([]memory.Observation, 0, len(observations))
	for o, err := range s.ScanObservations(t.Context(), anywhere) {
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range observations {
			if o.UID == want.UID {
				out = append(out, o)
			}
		}
	}
	if len(out) != len(observations) {
		t.Fatalf("%d of %d observations stored", len(out), len(observations))
	}
	return out
}

// emptyIndex does to the search index what damage does: it knows nothing any more.
// emptyIndex empties an index of words behind the store's back.
func emptyIndex(t *testing.T, s *store.Store, index string) {
	t.Helper()
	db, err := sql.Open("sqlite", s.Path())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "INSERT INTO "+index+" ("+index+") VALUES ('delete-all')"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
