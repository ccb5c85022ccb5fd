package store

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cmem/memory"
)

// heavy gives the store events with payloads that nothing makes smaller, in
// batches that are done, about size bytes in all.
func heavy(t *testing.T, s *Store, size int) {
	t.Helper()
	const each = 50_000
	r := rand.NewChaCha8([32]byte{3})
	var events []memory.Event
	for n := range size / each {
		raw := make([]byte, each)
		_, _ = r.Read(raw) // never fails
		events = append(events, memory.Event{
			ID: fmt.Sprintf("%06d", n), SessionID: "s1", Project: webshop, Name: memory.EventPostToolUse, ToolUseID: fmt.Sprint("tool", n), CreatedAt: noon.Add(time.Duration(n) * time.Second), Raw: raw,
		})
	}
	if _, err := s.AddEvents(t.Context(), events); err != nil {
		t.Fatal(err)
	}
	if _, err := s.GroupEvents(t.Context(), noon.AddDate(0, 0, 1), 0, 60); err != nil {
		t.Fatal(err)
	}
	mustExec(t, sqliteDB(t, s), "UPDATE batches SET state = 'done'")
}

// keepHouse calls Housekeep until it is done, and gives how often.
func keepHouse(t *testing.T, s *Store, slice time.Duration) (calls int) {
	t.Helper()
	for done := false; !done; calls++ {
		var err error
		if done, err = s.Housekeep(t.Context(), slice); err != nil {
			t.Fatal(err)
		}
		if calls > 10_000 {
			t.Fatal("it never ends")
		}
	}
	return calls
}

func mustSizes(t *testing.T, s *Store) Sizes {
	t.Helper()
	z, err := s.Sizes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestTheStoreGetsSmallerWhenRawEventsGo(t *testing.T) {
	s := newStore(t)
	heavy(t, s, 12<<20)
	keepHouse(t, s, time.Second)
	full := mustSizes(t, s)
	if full.File < 12<<20 || full.RawEvents < 10<<20 || full.RawEvents > 14<<20 || !full.Shrinks || full.Log != 0 {
		t.Errorf("sizes %+v of a store with 12 MiB of raw events", full)
	}
	for {
		if n, err := s.DropPayloads(t.Context(), noon.AddDate(1, 0, 0), 50); err != nil {
			t.Fatal(err)
		} else if n == 0 {
			break
		}
	}
	if z := mustSizes(t, s); z.Free < 10<<20 || z.RawEvents != 0 {
		t.Errorf("sizes %+v after the raw events went", z)
	}
	if calls := keepHouse(t, s, 0); calls < 10 {
		t.Errorf("all was done in %d pieces: a writer would have to wait for long", calls)
	}
	small := mustSizes(t, s)
	if small.File > 4<<20 || small.Free > 2<<20 || small.Log != 0 {
		t.Errorf("sizes %+v, before %+v", small, full)
	}
	healthy(t, s)
	if freed, err := s.Compact(t.Context()); err != nil || freed <= 0 {
		t.Errorf("compacting freed %d bytes (%v)", freed, err)
	}
	if z := mustSizes(t, s); z.Free != 0 || z.File > 1<<20 {
		t.Errorf("sizes %+v after compacting", z)
	}
	healthy(t, s)
}

func TestAStoreOfAnEarlyVersionShrinksOnceItWasCompacted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cmem.db")
	db := rawDB(t, path)
	mustExec(t, db, "CREATE TABLE first (x)", "DROP TABLE first") // fixes the mode: none
	s := openStore(t, path)
	remember(t, s, memory.Observation{Title: "kept 🛒"})
	heavy(t, s, 3<<20)
	if _, err := s.DropPayloads(t.Context(), noon.AddDate(1, 0, 0), 1000); err != nil {
		t.Fatal(err)
	}
	keepHouse(t, s, time.Second)
	if z := mustSizes(t, s); z.Shrinks || z.Free < 2<<20 {
		t.Fatalf("sizes %+v", z)
	}
	if freed, err := s.Compact(t.Context()); err != nil || freed < 2<<20 {
		t.Errorf("compacting freed %d bytes (%v)", freed, err)
	}
	if z := mustSizes(t, s); !z.Shrinks || z.Free != 0 {
		t.Errorf("sizes %+v after compacting", z)
	}
	if list, err := s.ListObservations(t.Context(), memory.Filter{}, memory.Cursor{}, 5); err != nil || len(list) != 1 || list[0].Title != "kept 🛒" {
		t.Errorf("observations %v (%v)", list, err)
	}
}

// While a reader stands still in one state of the store the log cannot be cut;
// when it is gone the log goes.
func TestTheLogIsCutWhenTheReaderIsGone(t *testing.T) {
	s := newStore(t)
	remember(t, s, memory.Observation{Title: "one"})
	other := rawDB(t, s.Path())
	reading, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := reading.QueryRowContext(t.Context(), "SELECT count(*) FROM observations").Scan(&n); err != nil {
		t.Fatal(err)
	}
	heavy(t, s, 4<<20)
	keepHouse(t, s, time.Second)
	if z := mustSizes(t, s); z.Log < 4<<20 {
		t.Fatalf("a log of %d bytes while somebody reads what was before", z.Log)
	}
	if err := reading.QueryRowContext(t.Context(), "SELECT count(*) FROM events").Scan(&n); err != nil || n != 0 {
		t.Errorf("the reader sees %d events (%v)", n, err)
	}
	if err := reading.Rollback(); err != nil {
		t.Fatal(err)
	}
	keepHouse(t, s, time.Second)
	if z := mustSizes(t, s); z.Log != 0 || z.File < 4<<20 {
		t.Errorf("sizes %+v", z)
	}
}

func TestHousekeepingTellsWhyItCannotBeDone(t *testing.T) {
	s := newStore(t)
	ro, err := OpenReadOnly(t.Context(), s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer ro.Close() //nolint:errcheck // only read
	if _, err := ro.Housekeep(t.Context(), time.Second); !errors.Is(err, ErrReadOnly) {
		t.Errorf("error %v, want ErrReadOnly", err)
	}
	if err := os.Rename(s.Path(), s.Path()+".away"); err != nil {
		t.Skip("an open file cannot be renamed here")
	}
	if _, err := s.Housekeep(t.Context(), time.Second); !errors.Is(err, ErrReplaced) {
		t.Errorf("error %v, want ErrReplaced", err)
	}
	if err := os.Rename(s.Path()+".away", s.Path()); err != nil {
		t.Fatal(err)
	}
}

func TestSizesTellWhatTakesRoom(t *testing.T) {
	path, _ := richStore(t)
	if z := mustSizes(t, openStore(t, path)); z.Backups != 0 || z.BackupFiles != 0 || z.Damaged != 0 {
		t.Errorf("sizes %+v of a store without backups", z)
	}
	b, err := MakeBackup(t.Context(), path, "", false)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+damagedMark+"20260101T000000Z", bytes.Repeat([]byte{1}, 777), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, path)
	z := mustSizes(t, s)
	var words int64
	if err := sqliteDB(t, s).QueryRowContext(t.Context(), "SELECT sum(pgsize) FROM dbstat WHERE name = 'observations_fts_data'").Scan(&words); err != nil {
		t.Fatal(err)
	}
	if z.Backups != b.Bytes || z.BackupFiles != 1 || z.Damaged != 777 || z.Search < words/2 || z.Search > words*2 {
		t.Errorf("sizes %+v, want 1 backup of %d bytes, 777 damaged, about %d of words", z, b.Bytes, words)
	}
}
