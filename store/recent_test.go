package store

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cmem/memory"
)

// watched is a store that a browser looks at.
func watched(t *testing.T) (s *Store, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "cmem.db")
	s = openStore(t, path)
	if _, err := s.DataVersion(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s, path
}

func titlesFound(t *testing.T, s *Store, text string, f memory.Filter) []string {
	t.Helper()
	hits, err := s.Search(t.Context(), text, f, 50)
	if err != nil {
		t.Fatal(err)
	}
	list := found(hits)
	slices.Sort(list)
	return list
}

func TestASearchSeesWhatChangedSinceTheLetterBefore(t *testing.T) {
	s, path := watched(t)
	remember(t, s, memory.Observation{Title: "Caches the 订单 totals"}, memory.Observation{Title: "Caches the carts 🛒"})
	if got, want := titlesFound(t, s, "cach", memory.Filter{}), []string{"Caches the carts 🛒", "Caches the 订单 totals"}; !slices.Equal(got, want) {
		t.Fatalf("found %q, want %q", got, want)
	}
	other := openStore(t, path)
	if _, err := other.write.conn.ExecContext(t.Context(), "UPDATE observations SET title = 'Drops the carts' WHERE title LIKE '%🛒'"); err != nil {
		t.Fatal(err)
	}
	if got, want := titlesFound(t, s, "cache", memory.Filter{}), []string{"Caches the 订单 totals"}; !slices.Equal(got, want) {
		t.Errorf("after a change by another process found %q, want %q", got, want)
	}
	remember(t, s, memory.Observation{Title: "Caches the sessions", Type: memory.TypeDecision})
	if got, want := titlesFound(t, s, "cache", memory.Filter{}), []string{"Caches the sessions", "Caches the 订单 totals"}; !slices.Equal(got, want) {
		t.Errorf("after a change of its own found %q, want %q", got, want)
	}
}

func TestASearchWithAnotherFilterReadsItsOwnRows(t *testing.T) {
	s, _ := watched(t)
	remember(t, s, memory.Observation{Title: "Caches the totals", Type: memory.TypeBugfix}, memory.Observation{Title: "Caches the sessions", Type: memory.TypeDecision})
	for range 2 { // the second time from what is kept
		for typ, want := range map[string]string{memory.TypeBugfix: "Caches the totals", memory.TypeDecision: "Caches the sessions"} {
			if got := titlesFound(t, s, "caches", memory.Filter{Types: []string{typ}}); !slices.Equal(got, []string{want}) {
				t.Errorf("of type %s found %q, want %q", typ, got, want)
			}
			if got := titlesFound(t, s, "caches", memory.Filter{Types: []string{typ}}); !slices.Equal(got, []string{want}) {
				t.Errorf("once more of type %s found %q, want %q", typ, got, want)
			}
		}
	}
}

func TestWhatIsKeptOfSearchesIsBounded(t *testing.T) {
	s, _ := watched(t)
	long := strings.Repeat("The 缓存 of the order service is flushed. ", 2000)
	list := make([]memory.Observation, 24)
	for i := range list {
		list[i] = memory.Observation{Title: "Cache " + strings.Repeat("x", i+1), Narrative: long}
	}
	remember(t, s, list...)
	for _, text := range []string{"cache", "flushed", "缓存"} {
		if got := titlesFound(t, s, text, memory.Filter{}); len(got) != len(list) {
			t.Fatalf("%s is found in %d rows, want %d", text, len(got), len(list))
		}
	}
	if s.recent.size > maxRecent {
		t.Errorf("%d bytes are kept, want at most %d", s.recent.size, maxRecent)
	}
	sum := 0
	for _, row := range s.recent.rows {
		if !row.left {
			sum += row.size()
		}
	}
	if sum != s.recent.size || sum == 0 {
		t.Errorf("the rows that are kept have %d bytes, counted are %d", sum, s.recent.size)
	}
}
