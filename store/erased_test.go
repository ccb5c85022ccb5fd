package store

import (
	"errors"
	"os"
	"testing"
	"time"

	"cmem/memory"
)

// Another program, such as a person's sqlite3, reads in one state of the store for
// as long as it likes. Nobody is told that the text is gone while it is not.
func TestNothingCountsAsErasedWhileAReaderKeepsTheLog(t *testing.T) {
	s := newStore(t)
	tell(t, s, "gone", "Falconry")
	if !s.Erased() {
		t.Error("something is left to erase before anything was taken away")
	}
	other := rawDB(t, s.Path())
	reading, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := reading.QueryRowContext(t.Context(), "SELECT count(*) FROM user_prompts").Scan(&n); err != nil || n != 1 {
		t.Fatalf("%d prompts (%v)", n, err)
	}
	if _, err := s.Forget(t.Context(), Forgetting{Sessions: []string{"gone"}}, false); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		keepHouse(t, s, time.Second)
		if s.Erased() {
			t.Error("it counts as erased")
		}
	}
	if !holds(t, s, "alconry") {
		t.Error("nobody was in the way: the test sees nothing")
	}
	if err := reading.Rollback(); err != nil {
		t.Fatal(err)
	}
	keepHouse(t, s, time.Second)
	if !s.Erased() || holds(t, s, "alconry") {
		t.Errorf("erased: %v, still in the file: %v", s.Erased(), holds(t, s, "alconry"))
	}
}

// A write waits for its lock, and another file takes the store's place meanwhile.
func TestAWriteThatWaitedThroughASwapSaysSo(t *testing.T) {
	s := newStore(t)
	away := s.Path() + ".away"
	for name, write := range map[string]func() error{
		"events": func() error {
			_, err := s.AddEvents(t.Context(), []memory.Event{{ID: "late", SessionID: "x", CreatedAt: noon, Raw: []byte(`{"说":"晚了"}`)}})
			return err
		},
		"a memory": func() error {
			_, _, err := s.Add(t.Context(), memory.Observation{SessionID: "x", Project: webshop, Title: "late"})
			return err
		},
	} {
		other := sqliteDB(t, s)
		mustExec(t, other, "BEGIN IMMEDIATE")
		wrote := make(chan error, 1)
		go func() { wrote <- write() }()
		// It has looked at the file when it waits for the lock; a test that is too fast
		// here would pass without the look after it.
		time.Sleep(300 * time.Millisecond)
		moveAway(t, s.Path(), away)
		mustExec(t, other, "ROLLBACK")
		if err := <-wrote; !errors.Is(err, ErrReplaced) {
			t.Errorf("%s: error %v, want ErrReplaced", name, err)
		}
		moveAway(t, away, s.Path())
	}
	if totals, err := s.Totals(t.Context(), ""); err != nil || totals.Events != 0 || totals.Observations != 0 {
		t.Errorf("written all the same: %+v (%v)", totals, err)
	}
}

func moveAway(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Skip("an open file cannot be renamed here")
	}
}
