package store

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"cmem/memory"
)

// richStore makes a store of some hundred pages with every kind of thing in it,
// closes it and gives what its tables hold.
func richStore(t *testing.T) (path string, content tablesContent) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "data", "cmem.db")
	s := openStore(t, path)
	r := rand.New(rand.NewPCG(1, 2))
	var events []memory.Event
	for n := range 12 {
		session := fmt.Sprintf("会话-%02d", n)
		for i := range 40 {
			raw := make([]byte, 40+r.IntN(600)) // that zstd cannot make smaller
			if i%13 == 0 {
				raw = make([]byte, 15_000)
			}
			for at := range raw {
				raw[at] = byte(r.Uint32())
			}
			e := memory.Event{
				ID: fmt.Sprintf("%s-%04d", session, i), SessionID: session, Project: fmt.Sprint(webshop, n%3), Name: memory.EventPostToolUse,
				ToolName: "Bash", ToolUseID: fmt.Sprint(session, i), CreatedAt: noon.AddDate(0, 0, n), Raw: raw,
			}
			if i%10 == 0 {
				e.Name, e.ToolName, e.Prompt, e.PromptID = memory.EventUserPromptSubmit, "", "修复购物车 🛒 "+strings.Repeat("please ", r.IntN(60)), e.ID
			}
			events = append(events, e)
		}
	}
	if _, err := s.AddEvents(t.Context(), events); err != nil {
		t.Fatal(err)
	}
	for n := range 240 {
		long := 200
		if n%20 == 0 {
			long = 9000 // goes on in pages of its own
		}
		remember(t, s, memory.Observation{
			SessionID: fmt.Sprintf("会话-%02d", n%12), Project: fmt.Sprint(webshop, n%3), Type: []string{"bugfix", "decision", "feature"}[n%3],
			Title: fmt.Sprintf("购物车 total %d", n), Narrative: words(r, long), Facts: []string{"eins", "二"}, Concepts: []string{"概念"},
			FilesModified: []string{fmt.Sprintf("src/购物车/%d.go", n)}, CreatedAt: noon.AddDate(0, 0, n%60),
		})
	}
	for n := range 12 {
		if _, err := s.AddSummary(t.Context(), memory.Summary{SessionID: fmt.Sprintf("会话-%02d", n), Request: words(r, 400), Learned: "学到了"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Delete(t.Context(), []memory.Ref{{Kind: memory.KindObservation, ID: 7}, {Kind: memory.KindObservation, ID: 100}}); err != nil {
		t.Fatal(err)
	}
	content = contentOf(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path, content
}

func words(r *rand.Rand, length int) string {
	var b strings.Builder
	for b.Len() < length {
		fmt.Fprintf(&b, "%c%x ", '一'+rune(r.IntN(2000)), r.Uint32())
	}
	return b.String()
}

// tablesContent has the rows of each table, by id.
type tablesContent map[string]map[int64][]any

func contentOf(t *testing.T, s *Store) tablesContent {
	t.Helper()
	content := tablesContent{}
	for _, shape := range mustShapes(t) {
		content[shape.table] = map[int64][]any{}
		rows, err := all(t.Context(), s.read, scanValues(len(shape.columns)), "SELECT "+namesOf(shape)+" FROM "+shape.table)
		if err != nil {
			t.Fatal(err)
		}
		for _, values := range rows {
			content[shape.table][values[0].(int64)] = values
		}
	}
	return content
}

func mustShapes(t *testing.T) []shape {
	t.Helper()
	shapes, err := shapesOf(t.Context(), schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	return shapes
}

func namesOf(s shape) string {
	var names []string
	for _, c := range s.columns {
		names = append(names, c.name)
	}
	return quoted(names)
}

// pageUse is what SQLite says that is on a page.
type pageUse struct {
	tree, kind string
	cells      int
}

// pagesOf asks SQLite what is on the pages of a sound file.
func pagesOf(t *testing.T, path string) map[int]pageUse {
	t.Helper()
	db, err := sql.Open("sqlite", dsn(path, "mode=ro"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // only read
	rows, err := db.QueryContext(t.Context(), "SELECT pageno, name, pagetype, ncell FROM dbstat")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells what went wrong
	pages := map[int]pageUse{}
	for rows.Next() {
		var n int
		var p pageUse
		if err := rows.Scan(&n, &p.tree, &p.kind, &p.cells); err != nil {
			t.Fatal(err)
		}
		pages[n] = p
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return pages
}
