package store

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

func TestFiltersTakeWhatTheyName(t *testing.T) {
	s := newStore(t)
	remember(t, s,
		memory.Observation{Title: "a", Type: "bugfix", Concepts: []string{"cache", "并发"}, FilesModified: []string{"src/cart.go"}},
		memory.Observation{Title: "b", Type: "feature", Concepts: []string{"cache-keys"}, Tags: []string{"urgent"}, FilesRead: []string{"src/Cart_Test.go"}},
		memory.Observation{Title: "c", Type: "decision", SessionID: "s2", Project: "/other", Pinned: true, FilesModified: []string{`odd "name" 100%.go`}},
		memory.Observation{Title: "d", Status: memory.StatusArchived, SessionID: "s2"},
		memory.Observation{Title: "e", ValidUntil: noon.Add(time.Hour)},
		memory.Observation{Title: "f", ValidUntil: noon.Add(48 * time.Hour)},
	)
	tests := []struct {
		name string
		f    memory.Filter
		want string
	}{
		{"nothing: active and not expired", memory.Filter{}, `["a" "b" "c" "f"]`},
		{"expired too", memory.Filter{IncludeExpired: true}, `["a" "b" "c" "e" "f"]`},
		{"project", memory.Filter{Project: "/other"}, `["c"]`},
		{"session", memory.Filter{SessionID: "s2"}, `["c"]`},
		{"session and project", memory.Filter{SessionID: "s2", Project: webshop}, `[]`},
		{"types", memory.Filter{Types: []string{"bugfix", "decision"}}, `["a" "c"]`},
		{"concept, whole", memory.Filter{Concepts: []string{"cache"}}, `["a"]`},
		{"concept, chinese", memory.Filter{Concepts: []string{"并发", "none"}}, `["a"]`},
		{"tag", memory.Filter{Tags: []string{"urgent"}}, `["b"]`},
		{"file, part of a path", memory.Filter{Files: []string{"cart"}}, `["a" "b"]`},
		{"file, underscore is no wildcard", memory.Filter{Files: []string{"cart_"}}, `["b"]`},
		{"file, quotes and percent", memory.Filter{Files: []string{`"name" 100%`}}, `["c"]`},
		{"file, percent is no wildcard", memory.Filter{Files: []string{`src%go`}}, `[]`},
		{"after, inclusive", memory.Filter{After: noon.Add(time.Minute)}, `["b" "c" "f"]`},
		{"before, exclusive", memory.Filter{Before: noon.Add(time.Minute)}, `["a"]`},
		{"statuses", memory.Filter{Statuses: []memory.Status{memory.StatusArchived, memory.StatusInvalid}}, `["d"]`},
		{"pinned", memory.Filter{PinnedOnly: true}, `["c"]`},
		{"all at once", memory.Filter{Project: webshop, Types: []string{"bugfix"}, Files: []string{"src/"}, Concepts: []string{"cache"}}, `["a"]`},
		{"text that looks like SQL", memory.Filter{Project: "' OR 1=1 --", Types: []string{"'"}}, `[]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := titles(t, s, tt.f)
			if got != tt.want {
				t.Errorf("listed %s, want %s", got, tt.want)
			}
			n, err := s.CountObservations(t.Context(), tt.f)
			if err != nil {
				t.Fatal(err)
			}
			var scanned []string
			for o, err := range s.ScanObservations(t.Context(), tt.f) {
				if err != nil {
					t.Fatal(err)
				}
				scanned = append(scanned, o.Title)
			}
			if n != len(scanned) || fmt.Sprintf("%q", scanned) != got {
				t.Errorf("counted %d, scanned %q, listed %s", n, scanned, got)
			}
		})
	}
}

// crowd fills a store with rows of all kinds, many of them at the same millisecond.
func crowd(t *testing.T, s *Store) []memory.Item {
	t.Helper()
	var b Bundle
	for i := range 60 {
		at := noon.Add(time.Duration(i/7) * time.Millisecond)
		session, project := fmt.Sprint("s", i%3), fmt.Sprint("/p", i%2)
		switch i % 4 {
		case 0:
			b.Prompts = append(b.Prompts, memory.Prompt{SessionID: session, Project: project, Number: i + 1, Text: fmt.Sprint("prompt\n", i), CreatedAt: at})
		case 1:
			b.Summaries = append(b.Summaries, memory.Summary{SessionID: session, Project: project, Request: fmt.Sprint("request ", i), CreatedAt: at})
		default:
			b.Observations = append(b.Observations, memory.Observation{SessionID: session, Project: project, Title: fmt.Sprint("title ", i), CreatedAt: at})
		}
	}
	if _, err := s.Import(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	items, err := s.Timeline(t.Context(), memory.Filter{}, memory.Cursor{}, 1000)
	if err != nil || len(items) != 60 {
		t.Fatalf("%d rows, want 60 (%v)", len(items), err)
	}
	return items
}

func TestTimelinePagesHoldEachRowOnce(t *testing.T) {
	s := newStore(t)
	every := crowd(t, s)
	if !slices.IsSortedFunc(every, func(a, b memory.Item) int { return -compareItems(a, b) }) {
		t.Error("the timeline is not sorted")
	}
	for size := 1; size <= 9; size++ {
		var down, up []memory.Item
		for cursor := (memory.Cursor{}); ; {
			page, err := s.Timeline(t.Context(), memory.Filter{}, cursor, size)
			if err != nil {
				t.Fatal(err)
			}
			down = append(down, page...)
			if len(page) < size {
				break
			}
			cursor = page[len(page)-1].Cursor()
		}
		if !reflect.DeepEqual(down, every) {
			t.Fatalf("pages of %d down give %d rows in another order or number", size, len(down))
		}
		for cursor := (memory.Cursor{}); ; {
			page, err := s.TimelineNewer(t.Context(), memory.Filter{}, cursor, size)
			if err != nil {
				t.Fatal(err)
			}
			up = append(up, page...)
			if len(page) < size {
				break
			}
			cursor = page[len(page)-1].Cursor()
		}
		slices.Reverse(up)
		if !reflect.DeepEqual(up, every) {
			t.Fatalf("pages of %d up give %d rows in another order or number", size, len(up))
		}
	}
	if slices.ContainsFunc(every, func(i memory.Item) bool {
		return i.Title == "" || strings.Contains(i.Title, "\n") || i.Tokens == 0 || i.Project == ""
	}) {
		t.Errorf("rows that cannot be drawn: %+v", every)
	}
}

func TestTimelineIsFiltered(t *testing.T) {
	s := newStore(t)
	every := crowd(t, s)
	tests := []struct {
		name string
		f    memory.Filter
		keep func(memory.Item) bool
	}{
		{"project", memory.Filter{Project: "/p1"}, func(i memory.Item) bool { return i.Project == "/p1" }},
		{"session", memory.Filter{SessionID: "s2"}, func(i memory.Item) bool { return i.SessionID == "s2" }},
		{"time", memory.Filter{After: noon.Add(2 * time.Millisecond), Before: noon.Add(5 * time.Millisecond)}, func(i memory.Item) bool {
			return !i.CreatedAt.Before(noon.Add(2*time.Millisecond)) && i.CreatedAt.Before(noon.Add(5*time.Millisecond))
		}},
		{"what only observations have", memory.Filter{Types: []string{memory.TypeDiscovery}}, func(i memory.Item) bool { return i.Kind == memory.KindObservation }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := s.Timeline(t.Context(), tt.f, memory.Cursor{}, 1000)
			if err != nil {
				t.Fatal(err)
			}
			want := slices.DeleteFunc(slices.Clone(every), func(i memory.Item) bool { return !tt.keep(i) })
			if len(got) == 0 || !reflect.DeepEqual(got, want) {
				t.Errorf("%d rows, want %d", len(got), len(want))
			}
		})
	}
}

func TestListsPageByKey(t *testing.T) {
	s := newStore(t)
	crowd(t, s)
	ctx := t.Context()
	every, err := s.ListObservations(ctx, memory.Filter{}, memory.Cursor{}, 1000)
	if err != nil || len(every) != 30 {
		t.Fatalf("%d observations (%v)", len(every), err)
	}
	var paged []memory.Observation
	for cursor := (memory.Cursor{}); ; {
		page, err := s.ListObservations(ctx, memory.Filter{}, cursor, 7)
		if err != nil {
			t.Fatal(err)
		}
		paged = append(paged, page...)
		if len(page) < 7 {
			break
		}
		last := page[len(page)-1]
		cursor = memory.Cursor{EpochMS: last.CreatedAt.UnixMilli(), ID: last.ID}
	}
	if !reflect.DeepEqual(paged, every) {
		t.Error("pages differ from the whole list")
	}

	sessions, err := s.Sessions(ctx, memory.Filter{}, memory.Cursor{}, 2)
	if err != nil || len(sessions) != 2 {
		t.Fatalf("%d sessions (%v)", len(sessions), err)
	}
	last := sessions[1]
	rest, err := s.Sessions(ctx, memory.Filter{}, memory.Cursor{EpochMS: last.CreatedAt.UnixMilli(), ID: last.RowID}, 2)
	if err != nil || len(rest) != 1 {
		t.Fatalf("%d more sessions (%v)", len(rest), err)
	}
	ids := []string{sessions[0].ID, sessions[1].ID, rest[0].ID}
	if slices.Sort(ids); fmt.Sprint(ids) != "[s0 s1 s2]" {
		t.Errorf("sessions %v", ids)
	}
}

func TestScansGiveEverythingOldestFirst(t *testing.T) {
	slow(t)
	s := newStore(t)
	var b Bundle
	const rows = scanPage*2 + 1
	for i := range rows {
		at := noon.Add(time.Duration(i/3) * time.Millisecond)
		id := fmt.Sprint("s", i)
		b.Sessions = append(b.Sessions, memory.Session{ID: id, Project: webshop, CreatedAt: at})
		b.Prompts = append(b.Prompts, memory.Prompt{SessionID: id, Project: webshop, Number: 1, Text: "x", CreatedAt: at})
		b.Observations = append(b.Observations, memory.Observation{SessionID: id, Project: webshop, Title: "x", CreatedAt: at})
		b.Summaries = append(b.Summaries, memory.Summary{SessionID: id, Project: webshop, Request: "x", CreatedAt: at})
	}
	if n, err := s.Import(t.Context(), b); err != nil || n != 4*rows {
		t.Fatalf("%d added, want %d (%v)", n, 4*rows, err)
	}
	if n, err := s.Import(t.Context(), b); err != nil || n != rows {
		// The summaries had no uid, so that these are new ones.
		t.Errorf("%d added the second time, want %d (%v)", n, rows, err)
	}
	f := memory.Filter{Project: webshop}
	var ids []string
	for o, err := range s.ScanObservations(t.Context(), f) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, o.SessionID)
	}
	want := make([]string, rows)
	for i := range want {
		want[i] = b.Observations[i].SessionID
	}
	if !reflect.DeepEqual(ids, want) {
		t.Errorf("%d observations in another order or number", len(ids))
	}
	for name, n := range map[string]int{
		"sessions": count(t, s.ScanSessions(t.Context(), f)), "prompts": count(t, s.ScanPrompts(t.Context(), f)),
	} {
		if n != rows {
			t.Errorf("%d %s, want %d", n, name, rows)
		}
	}
	if n := count(t, s.ScanSummaries(t.Context(), f)); n != 2*rows {
		t.Errorf("%d summaries, want %d", n, 2*rows)
	}
	for _, err := range s.ScanObservations(t.Context(), f) {
		if err != nil {
			t.Error(err)
		}
		break // and nothing hangs
	}
	if n, err := s.CountObservations(t.Context(), f); err != nil || n != rows {
		t.Errorf("counted %d (%v)", n, err)
	}
}

func count[T any](t *testing.T, seq func(func(T, error) bool)) (n int) {
	t.Helper()
	for _, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

func TestRowsAreFoundById(t *testing.T) {
	s := newStore(t)
	list := remember(t, s, memory.Observation{Title: "a"}, memory.Observation{Title: "b"}, memory.Observation{Title: "c"})
	got, err := s.Observations(t.Context(), []int64{list[2].ID, 999, list[0].ID, list[2].ID})
	if err != nil || len(got) != 2 || got[0].Title != "c" || got[1].Title != "a" {
		t.Errorf("%+v (%v)", got, err)
	}
	if o, err := s.Observation(t.Context(), list[1].ID); err != nil || !reflect.DeepEqual(o, list[1]) {
		t.Errorf("%+v (%v)", o, err)
	}
	_, noObservation := s.Observation(t.Context(), 999)
	_, noSummary := s.Summary(t.Context(), 999)
	_, noPrompt := s.Prompt(t.Context(), 999)
	_, noSession := s.Session(t.Context(), "nobody")
	for _, err := range []error{noObservation, noSummary, noPrompt, noSession} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("error %v, want ErrNotFound", err)
		}
	}
}

func TestTotalsAndProjectsFollowEveryChange(t *testing.T) {
	s := newStore(t)
	(&day{session: "s1"}).prompt("go", "p1").add(memory.EventStop).store(t, s)
	remember(t, s,
		memory.Observation{Title: "a", Type: "bugfix", TokensSource: 100, TokensSpent: 7},
		memory.Observation{Title: "b", Type: "feature", TokensSource: 10},
		memory.Observation{Title: "c", Type: "feature", SessionID: "s2", Project: "/other", TokensSource: 1},
		memory.Observation{Title: "d", Type: "feature", Status: memory.StatusArchived, TokensSource: 1000},
	)
	if _, err := s.AddSummary(t.Context(), memory.Summary{SessionID: "s1", Request: "x"}); err != nil {
		t.Fatal(err)
	}
	db := sqliteDB(t, s)
	mustExec(t, db, "PRAGMA foreign_keys = ON")
	type figures struct {
		Sessions, Prompts, Events, Observations, Summaries int
		Source, Read                                       int64
		Types                                              string
	}
	tests := []struct {
		change string
		want   figures
	}{
		{"SELECT 1", figures{1, 1, 2, 2, 1, 110, 2, "map[bugfix:1 feature:1]"}},
		{"UPDATE observations SET status = 'archived' WHERE title = 'a'", figures{1, 1, 2, 1, 1, 10, 1, "map[feature:1]"}},
		{"UPDATE observations SET status = 'active', type = 'decision' WHERE title IN ('a', 'd')", figures{1, 1, 2, 3, 1, 1110, 3, "map[decision:2 feature:1]"}},
		{"UPDATE observations SET project = '" + webshop + "' WHERE title = 'c'", figures{1, 1, 2, 4, 1, 1111, 4, "map[decision:2 feature:2]"}},
		{"DELETE FROM observations WHERE title = 'd'", figures{1, 1, 2, 3, 1, 111, 3, "map[decision:1 feature:2]"}},
		{"DELETE FROM sdk_sessions WHERE session_id = 's1'", figures{0, 0, 0, 1, 0, 1, 1, "map[feature:1]"}},
	}
	for _, tt := range tests {
		mustExec(t, db, tt.change)
		v, err := s.Totals(t.Context(), webshop)
		if err != nil {
			t.Fatal(err)
		}
		got := figures{v.Sessions, v.Prompts, v.Events, v.Observations, v.Summaries, v.TokensSource, v.TokensRead, fmt.Sprint(v.ByType)}
		if got != tt.want {
			t.Errorf("after %s:\n%+v, want\n%+v", tt.change, got, tt.want)
		}
		if found, err := s.checkCounters(t.Context()); err != nil || len(found) != 0 {
			t.Errorf("after %s: %v (%v)", tt.change, found, err)
		}
	}
	whole, err := s.Totals(t.Context(), "")
	if err != nil || whole.Observations != 1 || whole.SizeBytes == 0 || !whole.Oldest.Equal(noon.Add(2*time.Minute)) || !whole.Newest.Equal(whole.Oldest) {
		t.Errorf("%+v (%v)", whole, err)
	}
}

func TestProjectsAreListedByActivity(t *testing.T) {
	s := newStore(t)
	if list, err := s.Projects(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%v (%v)", list, err)
	}
	for i, project := range []string{"/a", "/b", "/c", "/a"} {
		_, err := s.AddEvents(t.Context(), []memory.Event{{
			ID: fmt.Sprint(i), SessionID: project, Project: project, Name: memory.EventStop, CreatedAt: noon.Add(time.Duration(i) * time.Minute),
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	remember(t, s, memory.Observation{SessionID: "/b", Project: "/b"})
	list, err := s.Projects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []memory.Project{
		{Key: "/a", Sessions: 1, Events: 2, LastActive: noon.Add(3 * time.Minute)},
		{Key: "/c", Sessions: 1, Events: 1, LastActive: noon.Add(2 * time.Minute)},
		{Key: "/b", Sessions: 1, Observations: 1, Events: 1, LastActive: noon.Add(time.Minute)},
	}
	if !reflect.DeepEqual(list, want) {
		t.Errorf("%+v", list)
	}
}

func TestSessionKnowsItsObservations(t *testing.T) {
	s := newStore(t)
	remember(t, s, memory.Observation{Title: "late", CreatedAt: noon.Add(time.Hour)}, memory.Observation{Title: "early"},
		memory.Observation{Title: "gone", Status: memory.StatusInvalid}, memory.Observation{Title: "other", SessionID: "s2"})
	list, err := s.SessionObservations(t.Context(), "s1")
	if err != nil || len(list) != 2 || list[0].Title != "early" || list[1].Title != "late" {
		t.Errorf("%+v (%v)", list, err)
	}
	if v, err := s.Session(t.Context(), "s1"); err != nil || v.ObservationCount != 2 {
		t.Errorf("%+v (%v)", v, err)
	}
}
