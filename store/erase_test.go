package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

// holds reports whether one of the store's files has the text, in the case in
// which it is stored or as the search index has it.
func holds(t *testing.T, s *Store, text string) bool {
	t.Helper()
	for _, name := range []string{s.Path(), s.Path() + "-wal"} {
		b, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if bytes.Contains(bytes.ToLower(b), []byte(strings.ToLower(text))) {
			return true
		}
	}
	return false
}

// secrets are words of the observation that secretive makes; the index would hold
// them whole, or from their second letter, because it leaves out what a word has in
// common with the one before it.
var secrets = []string{"orrecthorse9", "atterystaple7", "密码在抽屉里"}

func secretive() memory.Observation {
	return memory.Observation{
		Title: "Correcthorse9 is the password", Narrative: strings.Repeat("batterystaple7 ", 500) + "密码在抽屉里 🔑",
		Facts: []string{"correcthorse9=yes"}, Tags: []string{"batterystaple7"},
	}
}

// manyWords are words that are nowhere else, so that the index is large.
func manyWords(i int) string {
	var b strings.Builder
	for k := range 12 {
		fmt.Fprintf(&b, "w%x ", (i*12+k)*2654435761%(1<<40))
	}
	return b.String()
}

// optimize makes one piece of the search index: what is deleted then stands in it
// until all of it is rewritten.
func optimize(t *testing.T, s *Store) {
	t.Helper()
	err := s.transact(t.Context(), func(t2 tx) error {
		_, err := t2.exec(t.Context(), "INSERT INTO observations_fts (observations_fts) VALUES ('optimize')")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestNothingOfADeletedTextStaysInTheFile(t *testing.T) {
	slow(t)
	// On a slow machine a write does one step of the rest, and tries to empty the log
	// each time.
	slowly := pace{erase: 1, write: 1, closing: 1, log: 1}
	for _, test := range []struct {
		rows int
		pace pace
	}{{3, usualPace}, {3, slowly}, {2000, usualPace}, {2000, slowly}, {2000, pace{erase: 1, write: 1, closing: 1, log: time.Hour}}} {
		t.Run(fmt.Sprint(test.rows, " others ", test.pace), func(t *testing.T) {
			s := newStore(t)
			s.write.pace = test.pace
			rows := test.rows
			var others []memory.Observation
			for i := range rows {
				others = append(others, memory.Observation{Title: fmt.Sprint("corner ", i), Narrative: "battle 密码 " + manyWords(i)})
			}
			o := remember(t, s, append(others, secretive())...)[rows]
			optimize(t, s)
			remember(t, s, memory.Observation{Title: "later"})
			for _, secret := range secrets {
				if !holds(t, s, secret) {
					t.Fatalf("%s is not in the file: the test sees nothing", secret)
				}
			}
			mustDelete(t, s, observationRef(o))
			for i := 0; s.write.erasing.words && i < 1000; i++ {
				remember(t, s, memory.Observation{Title: fmt.Sprint("and then ", i)}) // each does a step of the rest
			}
			for _, secret := range secrets {
				if holds(t, s, secret) {
					t.Errorf("%s is still in the file", secret)
				}
			}
			healthy(t, s)
		})
	}
}

func TestNothingOfAnEditedTextStaysInTheFile(t *testing.T) {
	s := newStore(t)
	o := remember(t, s, secretive(), memory.Observation{Title: "other"})[0]
	optimize(t, s)
	if _, err := s.Edit(t.Context(), []int64{o.ID}, memory.Edit{
		Title: ptr("harmless"), Narrative: ptr(""), Facts: &[]string{}, RemoveTags: []string{"batterystaple7"},
	}); err != nil {
		t.Fatal(err)
	}
	for _, secret := range secrets {
		if holds(t, s, secret) {
			t.Errorf("%s is still in the file", secret)
		}
	}
	healthy(t, s)
}

// Of a provisional observation, too, that the final one has replaced.
func TestNothingOfAReplacedTextStaysInTheFile(t *testing.T) {
	s := newStore(t)
	b := oneBatch(t, s, "s1")
	finish(t, s, b, memory.BatchProvisional, "Correcthorse9 stands in")
	final := finish(t, s, b, memory.BatchDone, "final")
	mustDelete(t, s, observationRef(final[0]))
	if holds(t, s, "orrecthorse9") {
		t.Error("the word of the stand-in is still in the file")
	}
}

func TestErasingGoesOnInAnotherProcess(t *testing.T) {
	s := newStore(t)
	o := remember(t, s, secretive(), memory.Observation{Title: "other"})[0]
	optimize(t, s)
	// Died right after the deletion was stored.
	err := s.transact(t.Context(), func(t2 tx) error {
		for _, statement := range []string{fmt.Sprint("DELETE FROM observations WHERE id = ", o.ID), observationWords.query(markErasing)} {
			if _, err := t2.exec(t.Context(), statement); err != nil {
				return err
			}
		}
		_, err := t2.exec(t.Context(), observationWords.query(rewriteIndex), -1)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	other, err := Open(t.Context(), s.Path())
	if err != nil {
		t.Fatal(err)
	}
	if !other.write.erasing.words {
		t.Error("the other process does not know of it")
	}
	remember(t, other, memory.Observation{Title: "something else"})
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	for _, secret := range secrets {
		if holds(t, s, secret) {
			t.Errorf("%s is still in the file", secret)
		}
	}
	if n, err := number(t.Context(), s.read, observationWords.query(isErasing)); err != nil || n != 0 {
		t.Errorf("%d marks are left (%v)", n, err)
	}
}

// Someone reads: the deletion does not wait, and the log is emptied afterwards.
func TestALogInUseIsEmptiedLater(t *testing.T) {
	s := newStore(t)
	o := remember(t, s, secretive())[0]
	reading, err := s.read.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := reading.QueryRowContext(t.Context(), "SELECT count(*) FROM observations").Scan(&n); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	mustDelete(t, s, observationRef(o))
	if took := time.Since(began); took > busyTimeout/2 {
		t.Errorf("it waited for %v", took)
	}
	if !holds(t, s, secrets[0]) {
		t.Error("nobody was in the way: the test sees nothing")
	}
	if err := reading.Rollback(); err != nil {
		t.Fatal(err)
	}
	s.write.erasing.tried = time.Time{}
	remember(t, s, memory.Observation{Title: "later"})
	for _, secret := range secrets {
		if holds(t, s, secret) {
			t.Errorf("%s is still in the file", secret)
		}
	}
}

// The sqlite3 of a person's system reads version 4 of the index, not 5.
func TestADeletionLeavesTheIndexReadableForOthers(t *testing.T) {
	s := newStore(t)
	list := remember(t, s, secretive(), memory.Observation{Title: "other"})
	mustDelete(t, s, observationRef(list[0]))
	if v, err := number(t.Context(), s.read, "SELECT v FROM observations_fts_config WHERE k = 'version'"); err != nil || v != 4 {
		t.Errorf("version %d of the index (%v)", v, err)
	}
	if hits, err := s.Search(t.Context(), "other", memory.Filter{}, 5); err != nil || len(hits) != 1 {
		t.Errorf("%d hits (%v)", len(hits), err)
	}
}
