package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

func TestActivityCountsLocalDays(t *testing.T) {
	s := newStore(t)
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	at := func(text string) time.Time {
		v, err := time.ParseInLocation("2006-01-02 15:04", text, berlin)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	var b Bundle
	// The night of 25 October 2026 has an hour more.
	for i, text := range []string{"2026-10-24 23:59", "2026-10-25 00:00", "2026-10-25 23:59", "2026-10-26 00:00", "2026-10-28 12:00"} {
		session, project := fmt.Sprint("s", i), webshop
		if i == 4 {
			project = "/other"
		}
		b.Sessions = append(b.Sessions, memory.Session{ID: session, Project: project, CreatedAt: at(text)})
		b.Prompts = append(b.Prompts, memory.Prompt{SessionID: session, Project: project, Number: 1, Text: "x", CreatedAt: at(text)})
		b.Observations = append(b.Observations,
			memory.Observation{SessionID: session, Project: project, Title: "a", CreatedAt: at(text)},
			memory.Observation{SessionID: session, Project: project, Title: "b", CreatedAt: at(text), Status: memory.StatusArchived})
	}
	if _, err := s.Import(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	show := func(project string, from, to time.Time) string {
		t.Helper()
		days, err := s.Activity(t.Context(), project, from, to)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, d := range days {
			if d.Day.Hour() != 0 || d.Day.Location() != berlin {
				t.Errorf("day %v", d.Day)
			}
			lines = append(lines, fmt.Sprintf("%s:%d/%d/%d", d.Day.Format("0102"), d.Observations, d.Prompts, d.Sessions))
		}
		return strings.Join(lines, " ")
	}
	if got, want := show("", at("2026-10-24 15:00"), at("2026-10-29 00:00")), "1024:2/1/1 1025:4/2/2 1026:2/1/1 1027:0/0/0 1028:2/1/1"; got != want {
		t.Errorf("activity %s, want %s", got, want)
	}
	if got, want := show(webshop, at("2026-10-27 00:00"), at("2026-10-28 00:01").UTC()), "1027:0/0/0 1028:0/0/0"; got != want {
		t.Errorf("activity %s, want %s", got, want)
	}
	if got := show("", at("2026-10-27 00:00"), at("2026-10-27 00:00")); got != "" {
		t.Errorf("activity of no time: %s", got)
	}
	days, err := s.Activity(t.Context(), "", at("1990-01-01 00:00"), at("2026-10-29 00:00"))
	if err != nil || len(days) != maxDays || days[len(days)-1].Observations != 2 {
		t.Errorf("%d days (%v)", len(days), err)
	}
	for _, project := range []string{"", webshop} {
		for _, table := range []string{"observations", "user_prompts", "sdk_sessions"} {
			query, args := activityQuery(table, project, "[[1,2]]")
			if got := plan(t, s, query, args...); !strings.Contains(got, "USING COVERING INDEX "+table+"_by_") {
				t.Errorf("%s\n%s", query, got)
			}
		}
	}
}

func counts(list []memory.Count) string {
	var out []string
	for _, c := range list {
		out = append(out, fmt.Sprint(c.Name, " ", c.N))
	}
	return strings.Join(out, ", ")
}

// shelf fills a store with names of all kinds.
func shelf(t *testing.T) *Store {
	t.Helper()
	s := guests(t)
	remember(t, s,
		memory.Observation{Title: "1", Type: "decision", FilesRead: []string{"src/Cart.go"}, FilesModified: []string{"src/Cart.go", "src/a.go"}, Tags: []string{"购物"}},
		memory.Observation{Title: "2", Type: "bugfix", FilesRead: []string{"src/Cart.go"}, Concepts: []string{"缓存", "Cache"}, Tags: []string{"Urgent", "购物车"}},
		memory.Observation{Title: "3", Type: "bugfix", Project: "/third", SessionID: "s3", Concepts: []string{"缓存"}, FilesRead: []string{"文档/说明.md"}},
		memory.Observation{Title: "4", Status: memory.StatusArchived, Tags: []string{"archived-tag"}},
	)
	return s
}

func TestTopNamesAreCountedOnceAnObservation(t *testing.T) {
	s := shelf(t)
	for _, tt := range []struct {
		name string
		f    func() ([]memory.Count, error)
		want string
	}{
		{"files", func() ([]memory.Count, error) { return s.TopFiles(t.Context(), memory.Filter{}, 2) }, "src/Cart.go 2, src/a.go 1"},
		{"files of a type", func() ([]memory.Count, error) {
			return s.TopFiles(t.Context(), memory.Filter{Types: []string{"bugfix"}, Project: "/third"}, 5)
		}, "文档/说明.md 1"},
		{"concepts", func() ([]memory.Count, error) { return s.TopConcepts(t.Context(), memory.Filter{}, 5) }, "cache 8, 缓存 2, Cache 1"},
		{"concepts of an agent", func() ([]memory.Count, error) {
			return s.TopConcepts(t.Context(), memory.Filter{Agents: []string{"codex"}}, 5)
		}, "cache 4"},
		{"tags, active ones", func() ([]memory.Count, error) { return s.TopTags(t.Context(), memory.Filter{}, 5) }, "Urgent 1, 购物 1, 购物车 1"},
		{"none", func() ([]memory.Count, error) { return s.TopTags(t.Context(), memory.Filter{}, 0) }, ""},
	} {
		list, err := tt.f()
		if got := counts(list); err != nil || got != tt.want {
			t.Errorf("%s: %s, want %s (%v)", tt.name, got, tt.want, err)
		}
	}
}

func TestValuesComplete(t *testing.T) {
	s := shelf(t)
	for _, tt := range []struct{ field, prefix, project, want string }{
		{FieldType, "", "", "bugfix 10, decision 1"},
		{FieldType, "BUG", "/third", "bugfix 1"},
		{FieldConcept, "c", "", "cache 8, Cache 1"},
		{FieldConcept, "缓", webshop, "缓存 1"},
		{FieldTag, "购物", "", "购物 1, 购物车 1"},
		{FieldTag, "arch", "", "archived-tag 1"},
		{FieldTag, "物", "", ""},
		{FieldFile, "CART", "", "src/Cart.go 2"},
		{FieldFile, "说明", "", "文档/说明.md 1"},
		{FieldBranch, "f", "", "feat/cart 1, feature 1"},
		{FieldBranch, "修", "/other", "修复/购物车 1"},
		{FieldAgent, "", "/other", "gemini 1"},
		{FieldAgent, "c", "", "claude-code 3, codex 2"},
		{FieldAgent, "%", "", ""},
	} {
		list, err := s.Values(t.Context(), tt.field, tt.prefix, tt.project, 10)
		if got := counts(list); err != nil || got != tt.want {
			t.Errorf("%s %q of %q: %s, want %s (%v)", tt.field, tt.prefix, tt.project, got, tt.want, err)
		}
	}
	// A branch that nothing was remembered on yet is there too.
	if _, err := s.Import(t.Context(), Bundle{Sessions: []memory.Session{{ID: "n", Project: "/n", GitBranch: "new/one", CreatedAt: noon}}}); err != nil {
		t.Fatal(err)
	}
	if list, err := s.Values(t.Context(), FieldBranch, "new", "", 10); err != nil || counts(list) != "new/one 0" {
		t.Errorf("branches %v (%v)", list, err)
	}
	if _, err := s.Values(t.Context(), "nonsense", "", "", 10); err == nil {
		t.Error("a field that does not exist has values")
	}
}

func TestProjectsTellTheirCounters(t *testing.T) {
	s, _, _ := peopled(t)
	list, err := s.Projects(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("projects %+v (%v)", list, err)
	}
	totals, err := s.Totals(t.Context(), webshop)
	if err != nil {
		t.Fatal(err)
	}
	p := list[0]
	if p.Prompts != 2 || p.Summaries != 1 || p.Events != totals.Events || p.Events == 0 || p.TokensRead != totals.TokensRead || p.TokensRead == 0 {
		t.Errorf("project %+v, totals %+v", p, totals)
	}
}
