package e2e

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the driver that people's tools would be

	"cmem/internal/e2e/scene"
)

// storeFile is the store as anybody sees it who opens the file with SQL. The
// test does not go through the store package: the file is a public contract.
type storeFile struct{ *sql.DB }

func (h *house) openStore(t *testing.T) storeFile {
	t.Helper()
	name := url.URL{Scheme: "file", Opaque: filepath.Join(h.data, "cmem.db"), RawQuery: "mode=ro&_pragma=busy_timeout(5000)"}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		t.Fatalf("open the store: %v", err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return storeFile{db}
}

// count returns the single number that a query gives.
func (db storeFile) count(query string, args ...any) (int, error) {
	var n int
	if err := db.QueryRow(query, args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("%s: %w", query, err)
	}
	return n, nil
}

// waitUntilRemembered waits until the worker has taken in all events of a scene
// and made observations and an active summary of them.
func (h *house) waitUntilRemembered(t *testing.T, sc scene.Scene) {
	t.Helper()
	db := h.openStore(t)
	var missing string
	waitFor(t, func() bool {
		waiting, err := filepath.Glob(filepath.Join(h.data, "spool", "new", "*"))
		if err != nil {
			t.Fatal(err)
		}
		if len(waiting) > 0 {
			missing = fmt.Sprintf("%d events wait in the spool", len(waiting))
			return false
		}
		for what, query := range map[string]string{
			"the end of each run": fmt.Sprintf("SELECT count(*) >= %d FROM events WHERE session_id = ? AND event = 'SessionEnd'", len(sc.Runs)),
			"an observation":      "SELECT count(*) > 0 FROM observations WHERE session_id = ?",
			"an active summary":   "SELECT count(*) > 0 FROM session_summaries WHERE session_id = ? AND status = 'active'",
			"no open work":        "SELECT count(*) = 0 FROM sdk_sessions WHERE session_id = ? AND (summary_due OR status <> 'completed')",
		} {
			if n, err := db.count(query, sc.Session); err != nil || n != 1 {
				missing = fmt.Sprintf("the store does not have %s (%v)", what, err)
				return false
			}
		}
		return true
	}, func() string { return "session " + sc.Session + ": " + missing })
}

// hasEachToolCallOnce checks that each tool call of the client left exactly one
// event of its outcome, and that there are no others.
func (db storeFile) hasEachToolCallOnce(t *testing.T, toolUses []string) {
	t.Helper()
	if len(toolUses) == 0 {
		t.Error("the client called no tool")
	}
	for _, id := range toolUses {
		n, err := db.count(`SELECT count(*) FROM events
			WHERE tool_use_id = ? AND event IN ('PostToolUse', 'PostToolUseFailure')`, id)
		if err != nil || n != 1 {
			t.Errorf("tool call %s left %d events, want 1; error %v", id, n, err)
		}
	}
	n, err := db.count(`SELECT count(*) FROM events WHERE event IN ('PostToolUse', 'PostToolUseFailure')`)
	if err != nil || n != len(toolUses) {
		t.Errorf("%d tool events for %d tool calls; error %v", n, len(toolUses), err)
	}
	for _, tool := range []string{"Read", "Edit", "Write", "Bash"} {
		if n, err := db.count(`SELECT count(*) FROM events WHERE tool_name = ?`, tool); err != nil || n == 0 {
			t.Errorf("no event of the tool %s; error %v", tool, err)
		}
	}
}

// hasPrompts checks that the prompts of a scene are there, letter by letter and
// in order.
func (db storeFile) hasPrompts(t *testing.T, sc scene.Scene) {
	t.Helper()
	rows, err := db.Query(`SELECT prompt_text FROM user_prompts WHERE session_id = ? ORDER BY prompt_number`, sc.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var got, want []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		got = append(got, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for _, run := range sc.Runs {
		for _, p := range run.Prompts {
			want = append(want, p.Text)
		}
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("prompts of session %s:\n%s\nwant:\n%s", sc.Session, g, w)
	}
}

// answersThePublicQueries runs the queries that the documentation promises.
func (db storeFile) answersThePublicQueries(t *testing.T, session string) {
	t.Helper()
	for _, query := range []string{
		`SELECT session_id, project, created_at, status FROM sdk_sessions ORDER BY created_at DESC LIMIT 10;`,
		`SELECT session_id, request, completed, learned FROM session_summaries ORDER BY created_at DESC LIMIT 5;`,
		strings.ReplaceAll(`SELECT tool_name, created_at FROM observations WHERE session_id = 'YOUR_SESSION_ID';`,
			"YOUR_SESSION_ID", session),
	} {
		n, err := db.rows(query)
		if err != nil || n == 0 {
			t.Errorf("%s: %d rows, error %v", query, n, err)
		}
	}
}

// rows returns how many rows a query gives.
func (db storeFile) rows(query string) (n int, err error) {
	rows, err := db.Query(query)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		n++
	}
	return n, rows.Err()
}
