package cli

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cmem/memory"
	"cmem/store"
)

// heldApp is cmem with a data directory that has a store with a session in it.
func heldApp(t *testing.T) (a *App, db string, talk *bytes.Buffer) {
	t.Helper()
	dir := t.TempDir()
	talk = &bytes.Buffer{}
	a = &App{
		In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: talk, Now: time.Now, Version: "test",
		Getwd:  func() (string, error) { return dir, nil },
		Getenv: func(name string) string { return map[string]string{"CMEM_DATA_DIR": dir, "HOME": dir}[name] },
	}
	db = filepath.Join(dir, "cmem.db")
	s, err := store.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.AddEvents(t.Context(), []memory.Event{{
		ID: "1-1", SessionID: "s1", Name: memory.EventUserPromptSubmit, Prompt: "falconry 猎鹰", CreatedAt: time.Now(), Raw: []byte(`{"prompt":"falconry"}`),
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return a, db, talk
}

// A person's sqlite3 stands in one state of the store.
func TestForgettingIsNotDoneWhileAnotherProgramReads(t *testing.T) {
	_, path, _ := heldApp(t)
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // what is written is looked at before
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // only read
	reading, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := reading.QueryRowContext(t.Context(), "SELECT count(*) FROM user_prompts").Scan(&n); err != nil || n != 1 {
		t.Fatalf("%d prompts (%v)", n, err)
	}
	if _, err := s.Forget(t.Context(), store.Forgetting{Sessions: []string{"s1"}}, false); err != nil {
		t.Fatal(err)
	}
	if erased, err := eraseLeft(t.Context(), s, 300*time.Millisecond); erased || err != nil {
		t.Errorf("erased: %v (%v) while the log holds the text", erased, err)
	}
	if err := reading.Rollback(); err != nil {
		t.Fatal(err)
	}
	if erased, err := eraseLeft(t.Context(), s, time.Minute); !erased || err != nil {
		t.Errorf("erased: %v (%v) when nobody reads any more", erased, err)
	}
	for _, name := range []string{path, path + "-wal"} {
		if b, err := os.ReadFile(name); err == nil && bytes.Contains(b, []byte("falconry")) {
			t.Errorf("%s still holds the text", name)
		}
	}
}

func TestWhoForgetsIsToldWhereTheTextMayStillStand(t *testing.T) {
	a, path, talk := heldApp(t)
	r := forgetReport{Forgotten: store.Forgotten{Prompts: 1}, db: path}
	if err := a.sayForgotten(r, forgetOptions{}); err != nil {
		t.Fatal(err)
	}
	if said := talk.String(); !strings.Contains(said, "may still stand in") || !strings.Contains(said, "cmem.db-wal") || !strings.Contains(said, "`cmem compact`") {
		t.Errorf("it says %q", said)
	}
	talk.Reset()
	r.Erased = true
	if err := a.sayForgotten(r, forgetOptions{}); err != nil || strings.Contains(talk.String(), "still stand") {
		t.Errorf("it says %q (%v) when all is erased", talk.String(), err)
	}
}

func TestARestoreThatIsInPlaceIsNotCalledAFailure(t *testing.T) {
	a, path, talk := heldApp(t)
	b, err := store.MakeBackup(t.Context(), path, "", false)
	if err != nil {
		t.Fatal(err)
	}
	// Old ones that are to go, and cannot: their logs are folders with something in them.
	for _, day := range []string{"01", "02", "03", "04"} {
		name := filepath.Join(filepath.Dir(b.Path), "cmem-202501"+day+"T000000Z-replaced.db")
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(name+"-wal", "sub"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	code := a.Main([]string{"restore", b.Path})
	said := talk.String()
	if code != exitOK || !strings.Contains(said, "Restored ") || !strings.Contains(said, "in place, but something went wrong after that") || strings.Contains(said, "as it was") {
		t.Errorf("exit code %d, it says %q", code, said)
	}
	talk.Reset()
	if code := a.Main([]string{"restore", path + ".no"}); code != exitError || !strings.Contains(talk.String(), "the store is as it was") {
		t.Errorf("exit code %d, it says %q of a file that is not there", code, talk.String())
	}
}
