package main_test

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func (h *machine) db() string { return filepath.Join(h.data(), "cmem.db") }

func (h *machine) exec(query string, args ...any) {
	h.t.Helper()
	db := h.open("rw")
	if _, err := db.Exec(query, args...); err != nil {
		h.t.Fatalf("%s: %v", query, err)
	}
	if err := db.Close(); err != nil {
		h.t.Fatal(err)
	}
}

// TestADamagedStoreIsSalvaged damages a store that events wait for: hooks go on, doctor
// --fix saves what can be read and keeps the rest, and what waits is stored.
func TestADamagedStoreIsSalvaged(t *testing.T) {
	t.Parallel()
	rng, _ := chance(t, 0)
	const pageSize, calls = 4096, 400
	rubbish := make([]byte, 4<<20)
	for i := range rubbish {
		rubbish[i] = byte(rng.Uint32())
	}
	// overwrite puts rubbish into the file at that place.
	overwrite := func(h *machine, at, n int64) {
		f, err := os.OpenFile(h.db(), os.O_RDWR, 0)
		must(h.t, err)
		defer f.Close() //nolint:errcheck // what is written is there
		_, err = f.WriteAt(rubbish[:n], at)
		must(h.t, err)
	}
	for name, tt := range map[string]struct {
		damage func(h *machine, size int64)
		saved  int  // tool calls that must be saved at least
		kept   bool // whether the damaged file must be kept
	}{
		"truncated":               {func(h *machine, size int64) { must(h.t, os.Truncate(h.db(), size*9/10/pageSize*pageSize)) }, 1, true},
		"truncated within a page": {func(h *machine, size int64) { must(h.t, os.Truncate(h.db(), size*9/10+77)) }, 1, true},
		"a rubbish head":          {func(h *machine, _ int64) { overwrite(h, 0, pageSize) }, calls / 2, true},
		"rubbish in the middle":   {func(h *machine, size int64) { overwrite(h, size/2/pageSize*pageSize, pageSize) }, calls / 2, false},
		"rubbish all over":        {func(h *machine, size int64) { overwrite(h, 0, min(size, int64(len(rubbish)))) }, 0, true},
		"text":                    {func(h *machine, _ int64) { must(h.t, os.WriteFile(h.db(), []byte("这不是数据库\n"), 0o600)) }, 0, true},
		"nothing":                 {func(h *machine, _ int64) { must(h.t, os.Truncate(h.db(), 0)) }, 0, false},
		"a damaged index": {func(h *machine, _ int64) {
			overwrite(h, int64(h.query("SELECT rootpage FROM sqlite_master WHERE name = 'events_by_prompt'")-1)*pageSize, pageSize)
		}, calls, false},
		"a damaged search index": {func(h *machine, _ int64) { h.exec("DELETE FROM observations_fts_data") }, calls, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newMachine(t)
			h.deliver(map[string]bool{}, "damaged", calls)
			h.settle()
			info, err := os.Stat(h.db())
			if err != nil {
				t.Fatal(err)
			}
			tt.damage(h, info.Size())
			for _, event := range []string{"UserPromptSubmit", "Stop"} {
				if out, stderr := h.hook(turn("after", event), "hook"); out != "" || stderr != "" {
					t.Errorf("%s: the hook printed %q and %q", event, out, stderr)
				}
			}
			h.hook(edit("after", "toolu_after"), "hook")
			out, _ := h.hook(turn("next", "SessionStart"), "hook")
			answersWhole(t, out)
			h.doctor("--fix")
			h.settle()
			h.sound()
			found := h.toolCalls()
			if found["toolu_after"] != 1 {
				t.Error("what was delivered to the damaged store was not stored")
			}
			if n := len(found) - 1; n < tt.saved {
				t.Errorf("%d of %d tool calls were saved, want at least %d", n, calls, tt.saved)
			}
			kept, err := filepath.Glob(h.db() + ".damaged-*")
			if err != nil || tt.kept && len(kept) == 0 {
				t.Errorf("the damaged file was not kept: %v, %v", kept, err)
			}
			if out := h.run("search", "checkout"); out == "" {
				t.Error("search finds nothing")
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestAStoreWithoutItsLogIsReadAsFarAsItGoes takes away the log of a worker that was
// killed: what was folded into the file before is there.
func TestAStoreWithoutItsLogIsReadAsFarAsItGoes(t *testing.T) {
	t.Parallel()
	h := newMachine(t)
	folded := map[string]bool{}
	h.deliver(folded, "folded", 50)
	h.settle()
	h.vars = []string{"CMEM_WORKER_IDLE=30s"}
	h.hook(edit("log", "toolu_log"), "hook")
	until(t, "the event is stored", func() bool { return h.has("toolu_log") })
	for _, p := range h.workers() {
		must(t, p.Kill())
	}
	until(t, "the worker is gone", func() bool { return len(h.workers()) == 0 })
	h.vars = nil
	for _, end := range []string{"-wal", "-shm"} {
		if err := os.Remove(h.db() + end); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	h.hook(edit("after", "toolu_after"), "hook")
	h.doctor("--fix")
	h.settle()
	h.sound()
	found := h.toolCalls()
	folded["toolu_after"] = true
	for id := range folded {
		if found[id] != 1 {
			t.Errorf("tool call %s is in the store %d times", id, found[id])
		}
	}
}

// TestANewerStoreIsLeftAloneAndHooksGoOn is the store of a cmem of the future.
func TestANewerStoreIsLeftAloneAndHooksGoOn(t *testing.T) {
	t.Parallel()
	h := newMachine(t)
	accepted := map[string]bool{}
	h.hook(edit("newer", "toolu_before"), "hook")
	accepted["toolu_before"] = true
	h.settle()
	version := h.query("PRAGMA user_version")
	h.exec("PRAGMA user_version = 99")
	before := sum(t, h.db())
	for n := range 20 {
		id := fmt.Sprintf("toolu_%d", n)
		if out, stderr := h.hook(edit("newer", id), "hook"); out != "" || stderr != "" {
			t.Errorf("the hook printed %q and %q", out, stderr)
		}
		accepted[id] = true
	}
	out, _ := h.hook(turn("next", "SessionStart"), "hook")
	answersWhole(t, out)
	until(t, "no worker runs", func() bool { return len(h.workers()) == 0 })
	if n := len(h.waiting()); n < 20 {
		t.Errorf("%d events wait, want 20 and the session's", n)
	}
	if n := strings.Count(h.log(), "worker ended"); n == 0 || n > 10 {
		t.Errorf("%d workers ended, for 21 hooks:\n%s", n, h.log())
	}
	for _, args := range [][]string{{"worker", "run"}, {"search", "x"}, {"status"}} {
		if said := h.fails(args...); !strings.Contains(said, "99") || !strings.Contains(said, "update cmem") && !strings.Contains(said, "upgrade cmem") {
			t.Errorf("cmem %v says %q", args, said)
		}
	}
	if !bytes.Equal(sum(t, h.db()), before) {
		t.Error("the store of the newer version was changed")
	}
	h.exec(fmt.Sprintf("PRAGMA user_version = %d", version))
	h.holds(accepted)
}

func sum(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	s := sha256.Sum256(b)
	return s[:]
}

// TestAStoreOfEveryOlderVersionIsBroughtUpToDateAfterABackup builds each with the SQL of
// its time.
func TestAStoreOfEveryOlderVersionIsBroughtUpToDateAfterABackup(t *testing.T) {
	t.Parallel()
	steps, err := filepath.Glob("store/migrations/*.sql")
	if err != nil || len(steps) < 2 {
		t.Fatalf("%d migrations, %v", len(steps), err)
	}
	slices.Sort(steps)
	for version := 1; version < len(steps); version++ {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			h := newMachine(t)
			h.oldStore(steps[:version])
			before := h.query("SELECT count(*) FROM observations")
			h.hook(edit("new", "toolu_new"), "hook")
			h.settle()
			h.sound()
			if got := h.query("PRAGMA user_version"); got != len(steps) {
				t.Errorf("schema version %d, want %d", got, len(steps))
			}
			if found := h.toolCalls(); found["toolu_old"] != 1 || found["toolu_new"] != 1 {
				t.Errorf("tool calls in the store: %v", found)
			}
			if n := h.query("SELECT count(*) FROM observations WHERE title = '修复：优惠券 v" + fmt.Sprint(version) + "'"); before != 1 || n != 1 {
				t.Errorf("%d memories of before, want 1", n)
			}
			if out := h.run("search", "优惠券"); !strings.Contains(out, "修复") {
				t.Errorf("search finds %q", out)
			}
			h.holdsBackupOf(version)
		})
	}
}

// oldStore makes a store with these steps of the schema and a memory.
func (h *machine) oldStore(steps []string) {
	h.t.Helper()
	must(h.t, os.MkdirAll(h.data(), 0o700))
	must(h.t, os.WriteFile(h.db(), nil, 0o600))
	db := h.open("rw")
	defer db.Close() //nolint:errcheck // checked by what is read later
	if _, err := db.Exec("PRAGMA journal_mode = WAL"); err != nil {
		h.t.Fatal(err)
	}
	for _, file := range steps {
		text, err := os.ReadFile(file)
		must(h.t, err)
		if _, err := db.Exec(string(text)); err != nil {
			h.t.Fatalf("%s: %v", file, err)
		}
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, q := range []string{
		`INSERT INTO sdk_sessions (session_id, project, cwd, created_at, created_at_epoch, last_event_at, last_event_at_epoch) VALUES ('old', '/srv/shop', '/srv/shop', @iso, @ms, @iso, @ms)`,
		`INSERT INTO user_prompts (session_id, project, prompt_number, created_at, created_at_epoch, prompt_text) VALUES ('old', '/srv/shop', 1, @iso, @ms, '优惠券为什么不对？')`,
		`INSERT INTO batches (session_id, project, prompt_number, state, events, created_at, created_at_epoch) VALUES ('old', '/srv/shop', 1, 'done', 1, @iso, @ms)`,
		`INSERT INTO events (event_id, session_id, project, prompt_number, batch_id, event, tool_name, tool_use_id, created_at, created_at_epoch) VALUES ('1767323045000000000-00001', 'old', '/srv/shop', 1, 1, 'PostToolUse', 'Edit', 'toolu_old', @iso, @ms)`,
		`INSERT INTO observations (uid, session_id, project, prompt_number, batch_id, created_at, created_at_epoch, type, content_hash, title, tokens) VALUES ('old-uid', 'old', '/srv/shop', 1, 1, @iso, @ms, 'bugfix', 'hash', @title, '修复 优惠 惠券')`,
		fmt.Sprintf("PRAGMA user_version = %d", len(steps)),
	} {
		if _, err := db.Exec(q, sql.Named("iso", at.Format(time.RFC3339)), sql.Named("ms", at.UnixMilli()), sql.Named("title", fmt.Sprintf("修复：优惠券 v%d", len(steps)))); err != nil {
			h.t.Fatalf("%s: %v", q, err)
		}
	}
}

// holdsBackupOf checks that there is a backup of that schema version, with the memory.
func (h *machine) holdsBackupOf(version int) {
	h.t.Helper()
	files, err := filepath.Glob(filepath.Join(h.data(), "backups", "*"))
	must(h.t, err)
	for _, file := range files {
		db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(file)+"?mode=ro")
		must(h.t, err)
		var have, memories int
		err = db.QueryRow("SELECT user_version, (SELECT count(*) FROM observations WHERE uid = 'old-uid') FROM pragma_user_version").Scan(&have, &memories)
		must(h.t, db.Close())
		if err == nil && have == version && memories == 1 {
			return
		}
	}
	h.t.Errorf("no backup of schema version %d among %v", version, files)
}

// TestAMigrationKilledAtAnyPointIsDoneByTheNext kills the worker while it migrates.
func TestAMigrationKilledAtAnyPointIsDoneByTheNext(t *testing.T) {
	t.Parallel()
	rng, rounds := chance(t, 4)
	steps, err := filepath.Glob("store/migrations/*.sql")
	must(t, err)
	slices.Sort(steps)
	for range rounds {
		h := newMachine(t)
		h.oldStore(steps[:1+rng.IntN(len(steps)-1)])
		h.hook(edit("new", "toolu_new"), "hook")
		time.Sleep(time.Duration(rng.IntN(120)) * time.Millisecond)
		for _, p := range h.workers() {
			_ = p.Kill() // it may have ended
		}
		h.holds(map[string]bool{"toolu_old": true, "toolu_new": true})
	}
}
