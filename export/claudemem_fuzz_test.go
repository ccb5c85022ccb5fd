package export

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"cmem/memory"
	"cmem/store"
)

// bundles takes in what an import hands on.
type bundles struct {
	t   *testing.T
	all []store.Bundle
}

func (b *bundles) Import(_ context.Context, bundle store.Bundle) (int, error) {
	b.all = append(b.all, bundle)
	return 0, nil
}

// told gives what people, assistants and models wrote of what came in.
func (b *bundles) told() []string {
	var all []string
	for _, in := range b.all {
		for _, s := range in.Sessions {
			all = append(all, s.Title)
		}
		for _, p := range in.Prompts {
			all = append(all, p.Text)
		}
		for _, o := range in.Observations {
			all = append(all, o.Title, o.Subtitle, o.Narrative)
			for _, list := range [][]string{o.Facts, o.Concepts, o.FilesRead, o.FilesModified} {
				all = append(all, list...)
			}
		}
		for _, s := range in.Summaries {
			all = append(all, s.Request, s.Investigated, s.Learned, s.Completed, s.NextSteps, s.Notes)
		}
	}
	return all
}

// texts gives every text of what came in.
func (b *bundles) texts() []string {
	all := b.told()
	for _, in := range b.all {
		for _, s := range in.Sessions {
			all = append(all, s.ID, s.Project, s.Agent)
		}
		for _, p := range in.Prompts {
			all = append(all, p.SessionID)
		}
		for _, o := range in.Observations {
			all = append(all, o.SessionID, o.Project, o.UID, o.Type, o.Model)
		}
		for _, s := range in.Summaries {
			all = append(all, s.SessionID, s.Project, s.UID)
		}
	}
	return all
}

// template gives the bytes of a claude-mem database with the rows of claudeMemSQL.
func template(f *testing.F) []byte {
	f.Helper()
	path := filepath.Join(f.TempDir(), "template.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		f.Fatal(err)
	}
	if _, err := db.Exec(claudeMemSQL + "; DELETE FROM user_prompts WHERE id = 2; VACUUM"); err != nil {
		f.Fatal(err)
	}
	if err := db.Close(); err != nil {
		f.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	return b
}

// FuzzAClaudeMemRowIsImportedWhateverItHolds adds rows whose columns hold any text,
// blob or number, as SQLite lets them, and imports them.
func FuzzAClaudeMemRowIsImportedWhateverItHolds(f *testing.F) {
	f.Add("ms1", "a title 标题 🐛", `["a", 1, null, {"b": []}]`, []byte("blob\xff\x00"), int64(1795932300000), 1.5)
	f.Add("", "", "", []byte{}, int64(0), 0.0)
	f.Add("\x00", "<private>geheim</private>", "[", []byte("\x1b[31m"), int64(-1), -1e308)
	f.Add("ms3", "\xed\xa0\x80", `"one string"`, []byte("null"), int64(1)<<62, 1e300)
	f.Add("gone", "x\u202ey", "[[[[[[", []byte("NaN"), int64(9e15), 3e9)
	empty := template(f)
	path := filepath.Join(f.TempDir(), "claude-mem.db")
	f.Fuzz(func(t *testing.T, session, text, list string, blob []byte, number int64, decimal float64) {
		if err := os.WriteFile(path, empty, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?_pragma=synchronous(0)&_pragma=journal_mode(memory)")
		if err != nil {
			t.Fatal(err)
		}
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range []struct {
			insert string
			values []any
		}{
			{"INSERT OR IGNORE INTO sdk_sessions (content_session_id, memory_session_id, project, user_prompt, started_at, started_at_epoch, custom_title) VALUES (?, ?, ?, ?, ?, ?, ?)", []any{session, blob, list, text, text, decimal, blob}},
			{"INSERT INTO user_prompts VALUES (NULL, ?, ?, ?, ?, ?, ?)", []any{number, session, decimal, text, text, number}},
			{"INSERT INTO user_prompts VALUES (NULL, ?, ?, ?, ?, ?, ?)", []any{text, blob, text, blob, number, text}},
			{"INSERT INTO observations VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", []any{session, text, blob, text, text, number, list, text, list, list, blob, decimal, text, number, decimal, text, list}},
			{"INSERT INTO observations VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", []any{blob, list, text, number, blob, text, text, list, text, text, text, text, number, text, text, number, blob}},
			{"INSERT INTO session_summaries VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)", []any{session, text, text, blob, decimal, list, text, number}},
		} {
			if _, err := tx.Exec(row.insert, row.values...); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		first, second := &bundles{t: t}, &bundles{t: t}
		for _, into := range []*bundles{first, second} {
			if _, err := ImportClaudeMem(t.Context(), path, into, claudeMemOptions()); err != nil {
				t.Fatal(err)
			}
		}
		again := second.texts()
		for i, s := range first.texts() {
			if !utf8.ValidString(s) {
				t.Fatalf("%q is no UTF-8", s)
			}
			if i >= len(again) || again[i] != s {
				t.Fatal("imported again, it is something else")
			}
		}
		const private = "nobody may read this" // of a row that was there before
		given := strings.Contains(session+text+list+string(blob), private)
		for _, s := range first.told() {
			if strings.Contains(s, private) && !given {
				t.Fatalf("private text came in: %q", s)
			}
		}
		checkImported(t, first.all)
	})
}

// checkImported looks whether what came in is what the store may be given.
func checkImported(t *testing.T, all []store.Bundle) {
	t.Helper()
	prompts := 0
	for _, in := range all {
		prompts += len(in.Prompts)
		for _, o := range in.Observations {
			if o.Title == "" || o.UID == "" || o.SessionID == "" || o.TokensSpent < 0 || o.Status != memory.StatusActive {
				t.Fatalf("an observation that cannot be one: %+v", o)
			}
		}
		for _, s := range in.Summaries {
			if s.UID == "" || s.SessionID == "" || s.TokensSpent < 0 {
				t.Fatalf("a summary that cannot be one: %+v", s)
			}
		}
		for _, s := range in.Sessions {
			if s.ID == "" {
				t.Fatalf("a session without a name: %+v", s)
			}
		}
	}
	if prompts == 0 {
		t.Fatal("the rows that were there before are gone")
	}
}

// FuzzADamagedClaudeMemFileIsReadOrRefused changes bytes of a database and imports
// what is left: that gives rows or an error, and leaves the file as it was.
func FuzzADamagedClaudeMemFileIsReadOrRefused(f *testing.F) {
	whole := template(f)
	f.Add(uint32(0), []byte("SQLite format 4"), uint32(len(whole)))
	f.Add(uint32(16), []byte{0, 1}, uint32(len(whole)))
	f.Add(uint32(100), []byte{0xff, 0xff, 0xff, 0xff, 0xff}, uint32(len(whole)))
	f.Add(uint32(4096), []byte("\x05\x00\x00\x00\x00\x00\x00"), uint32(len(whole)))
	f.Add(uint32(9000), []byte("CREATE TABLE x"), uint32(5000))
	f.Add(uint32(0), []byte{}, uint32(0))
	path := filepath.Join(f.TempDir(), "claude-mem.db")
	f.Fuzz(func(t *testing.T, at uint32, rubbish []byte, size uint32) {
		damaged := append([]byte(nil), whole...)
		copy(damaged[int(at)%len(damaged):], rubbish)
		damaged = damaged[:int(size)%(len(damaged)+1)]
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		into := &bundles{t: t}
		_, err := ImportClaudeMem(t.Context(), path, into, claudeMemOptions())
		if err != nil && err.Error() == "" {
			t.Fatal("an error that says nothing")
		}
		for _, s := range into.texts() {
			if !utf8.ValidString(s) {
				t.Fatalf("%q is no UTF-8", s)
			}
		}
		if left, err := os.ReadFile(path); err != nil || !bytes.Equal(left, damaged) {
			t.Fatalf("the file was changed, or is gone: %v", err)
		}
	})
}
