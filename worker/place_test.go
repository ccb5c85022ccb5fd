package worker

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // to hold the store as another program would

	"cmem/hooks/spool"
	"cmem/store"
)

// sqlite runs a statement on the store as another program would.
func (s *setup) sqlite(statement string) {
	s.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(s.DB)+"?_pragma=busy_timeout(10000)")
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // the statement was executed
	if _, err := db.Exec(statement); err != nil {
		s.t.Fatal(err)
	}
}

func TestAStoreThatAnotherProgramHoldsIsWaitedFor(t *testing.T) {
	if testing.Short() {
		t.Skip("SQLite waits for seconds by itself")
	}
	for name, running := range map[string]bool{"when the worker comes": false, "while it works": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			s.turn("before", 1)
			s.run() // makes the store
			s.Idle = time.Minute
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			var ended <-chan error
			if running {
				ended = s.started(ctx)
			}
			db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(s.DB)+"?_pragma=busy_timeout(10000)")
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close() //nolint:errcheck // it only held the store
			db.SetMaxOpenConns(1)
			if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
				t.Fatal(err)
			}
			s.turn("meanwhile", 2)
			if !running {
				ended = s.started(ctx)
			}
			time.Sleep(7 * time.Second) // longer than SQLite waits
			if n, _, err := spool.Waiting(s.SpoolDir); err != nil || n != 4 {
				t.Errorf("%d events wait, want 4 (%v)", n, err)
			}
			if _, err := db.Exec("ROLLBACK"); err != nil {
				t.Fatal(err)
			}
			waitFor(t, "the events, once the store is free", func() bool { return s.stored(7) })
			cancel()
			if err := ends(t, ended, time.Minute); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestADataDirectoryThatIsMovedAwayIsLeft(t *testing.T) {
	for name, remove := range map[string]bool{"moved": false, "removed": true} {
		t.Run(name, func(t *testing.T) {
			s := newSetup(t)
			s.Idle = time.Minute
			s.turn("before", 1)
			ended := s.started(context.Background())
			waitFor(t, "the first events", func() bool { return s.stored(3) })
			elsewhere := filepath.Join(t.TempDir(), "moved 移走")
			if err := os.Rename(s.DataDir, elsewhere); err != nil {
				t.Fatal(err)
			}
			if remove {
				if err := os.RemoveAll(elsewhere); err != nil {
					t.Fatal(err)
				}
			}
			if err := ends(t, ended, time.Minute); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(s.DataDir); !os.IsNotExist(err) {
				t.Errorf("the directory was made again (%v)", err)
			}
			// The next hook begins anew, and nothing of it goes to the old place.
			s.Idle = 0
			s.turn("after", 3)
			s.run()
			if got := s.totals().Events; got != 5 {
				t.Errorf("the new store has %d events, want 5", got)
			}
		})
	}
}

func TestANewDirectoryInTheOldOnesPlaceGetsItsOwnEvents(t *testing.T) {
	s := newSetup(t)
	s.Idle = time.Minute
	ended := s.started(context.Background())
	waitFor(t, "the store", func() bool { return s.stored(0) })
	old := filepath.Join(t.TempDir(), "old")
	if err := os.Rename(s.DataDir, old); err != nil {
		t.Fatal(err)
	}
	s.turn("new", 2) // makes the spool anew, as a hook does
	if err := ends(t, ended, time.Minute); err != nil {
		t.Error(err)
	}
	if n, _, err := spool.Waiting(s.SpoolDir); err != nil || n != 4 {
		t.Errorf("%d events wait for the next worker, want 4 (%v)", n, err)
	}
	s.Idle = 0
	s.run()
	if got := s.totals().Events; got != 4 {
		t.Errorf("the new store has %d events, want 4", got)
	}
}

func TestAStoreThatIsReplacedIsOpenedAnew(t *testing.T) {
	s := newSetup(t)
	s.Idle = time.Minute
	s.turn("before", 1)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := s.started(ctx)
	waitFor(t, "the first events", func() bool { return s.stored(3) })
	for _, suffix := range []string{"-shm", "-wal", ""} { // its own file last: that is what the worker notices
		if err := os.Rename(s.DB+suffix, s.DB+suffix+".old"); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	s.turn("after", 3)
	waitFor(t, "the events in the new store", func() bool { return s.stored(5) })
	cancel()
	if err := ends(t, ended, time.Minute); err != nil {
		t.Error(err)
	}
}

func TestAStoreOfANewerCmemIsLeftAloneAndNobodySpins(t *testing.T) {
	s := newSetup(t)
	s.turn("before", 1)
	s.run()
	var version int
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(s.DB))
	if err != nil {
		t.Fatal(err)
	}
	if err := db.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s.sqlite(fmt.Sprintf("PRAGMA user_version = %d", version+1))
	s.turn("meanwhile", 1)
	var newer *store.NewerSchemaError
	if err := Run(context.Background(), s.Options); !errors.As(err, &newer) || newer.Have != version+1 {
		t.Fatalf("the worker ended with %v", err)
	}
	resting := filepath.Join(s.DataDir, spool.RestingFile)
	if b, err := os.ReadFile(resting); err != nil || !strings.Contains(string(b), fmt.Sprintf("version %d", version+1)) {
		t.Errorf("what hooks find: %q, %v", b, err)
	}
	if n, _, err := spool.Waiting(s.SpoolDir); err != nil || n != 3 {
		t.Errorf("%d events wait, want 3 (%v)", n, err)
	}
	s.sqlite(fmt.Sprintf("PRAGMA user_version = %d", version))
	s.run()
	if _, err := os.Stat(resting); !os.IsNotExist(err) {
		t.Errorf("it still rests: %v", err)
	}
	if got := s.totals().Events; got != 6 {
		t.Errorf("%d events are stored, want 6", got)
	}
}
