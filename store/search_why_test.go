package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"cmem/memory"
)

func TestMissingWordsAreThoseThatTheIndexDoesNotFind(t *testing.T) {
	s := newStore(t)
	list := remember(t, s,
		memory.Observation{Title: "Fixes orderService", Narrative: "数据库连接池在高并发下会超时", Facts: []string{"timeout=30s"}, Tags: []string{"urgent"}},
		memory.Observation{Title: "foo everywhere"},
	)
	for text, want := range map[string]string{
		"fix order_service":       `[]`,
		"foo orderService bar":    `["foo" "bar"]`,
		`"order service" "30s x"`: `["30s x"]`,
		"并发 缓存":                   `["缓存"]`,
		"urgent TIMEOUT":          `[]`,
		"the foo":                 `["foo"]`,
		"order":                   `[]`,
		"orde":                    `[]`,
		"orde x":                  `["orde" "x"]`,
		`foo" OR title:* NEAR(`:   `["foo\"" "title:*" "NEAR("]`,
	} {
		missing, err := s.MissingWords(t.Context(), text, list[0].ID)
		if got := fmt.Sprintf("%q", missing); err != nil || got != want {
			t.Errorf("%s: missing %s, want %s (%v)", text, got, want, err)
		}
	}
	if _, err := s.MissingWords(t.Context(), "x", 987); !errors.Is(err, ErrNotFound) {
		t.Errorf("error %v, want ErrNotFound", err)
	}
	if _, err := s.MissingWords(t.Context(), "…", list[0].ID); !errors.Is(err, ErrEmptyQuery) {
		t.Errorf("error %v, want ErrEmptyQuery", err)
	}
	got := plan(t, s, "SELECT count(*) FROM observations_fts WHERE observations_fts MATCH 'a' AND rowid = 5")
	if !strings.Contains(got, "VIRTUAL TABLE INDEX") || !strings.Contains(got, "=") {
		t.Errorf("plan %s", got)
	}
}

func TestSearchRankIsThePlaceAmongTheHits(t *testing.T) {
	s := newStore(t)
	var list []memory.Observation
	for i := range 20 {
		list = append(list, memory.Observation{Title: fmt.Sprintf("cart %d %s", i, strings.Repeat("购物车 ", i))})
	}
	list = remember(t, s, list...)
	hits, err := s.Search(t.Context(), "cart", memory.Filter{}, 20)
	if err != nil || len(hits) != 20 {
		t.Fatalf("%d hits (%v)", len(hits), err)
	}
	for i, h := range hits {
		rank, err := s.SearchRank(t.Context(), "cart", memory.Filter{}, h.Observation.ID, 20)
		if err != nil || rank != i+1 {
			t.Errorf("hit %d has rank %d (%v)", i+1, rank, err)
		}
	}
	last := hits[19].Observation.ID
	for _, tt := range []struct {
		name  string
		text  string
		f     memory.Filter
		id    int64
		limit int
	}{
		{"beyond the limit", "cart", memory.Filter{}, last, 19},
		{"filtered out", "cart", memory.Filter{Project: "/other"}, last, 20},
		{"no match", "zebra", memory.Filter{}, last, 20},
		{"no such observation", "cart", memory.Filter{}, 987, 20},
	} {
		if rank, err := s.SearchRank(t.Context(), tt.text, tt.f, tt.id, tt.limit); err != nil || rank != 0 {
			t.Errorf("%s: rank %d (%v)", tt.name, rank, err)
		}
	}
	if _, err := s.SearchRank(t.Context(), " ", memory.Filter{}, list[0].ID, 5); !errors.Is(err, ErrEmptyQuery) {
		t.Errorf("error %v, want ErrEmptyQuery", err)
	}
}

func TestSessionsAreFoundByWords(t *testing.T) {
	s := guests(t)
	long := strings.Repeat("word ", 60) + "末尾的话"
	(&day{session: "long-session"}).prompt(long, "p1").store(t, s)
	for _, tt := range []struct {
		text string
		f    memory.Filter
		want string
	}{
		{"title codex", memory.Filter{}, "codex-2 codex-1"},
		{"TITLE FEAT/C", memory.Filter{}, "codex-1"},
		{"购", memory.Filter{}, "gemini-1"},
		{"other", memory.Filter{}, "gemini-1"},
		{"claude-1", memory.Filter{}, "claude-1"},
		{"dex-1", memory.Filter{}, "codex-1"}, // of the title
		{"ong-session", memory.Filter{}, ""},  // not the beginning of the id
		{"long-s", memory.Filter{}, "long-session"},
		{"末尾", memory.Filter{}, "long-session"},
		{"webshop/src", memory.Filter{}, "long-session"},
		{"100% _", memory.Filter{}, ""},
		{"codex", memory.Filter{Branches: []string{"feature"}}, "codex-2"},
		{"title", memory.Filter{Agents: []string{"gemini"}}, "gemini-1"},
		{"title", memory.Filter{Project: "/other"}, "gemini-1"},
		{"' OR 1=1 --", memory.Filter{}, ""},
		{"", memory.Filter{}, "gemini-1 codex-2 codex-1"},
	} {
		list, err := s.FindSessions(t.Context(), tt.text, tt.f, 3)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, v := range list {
			ids = append(ids, v.ID)
		}
		if got := strings.Join(ids, " "); got != tt.want {
			t.Errorf("%q %+v: found %s, want %s", tt.text, tt.f, got, tt.want)
		}
	}
	query, args := findSessionsPage(filter{}, []string{"a", "b"}, 10)
	got := plan(t, s, query, args...)
	if !strings.HasPrefix(got, "SEARCH sdk_sessions USING INDEX sdk_sessions_by_time") || strings.Contains(got, "TEMP B-TREE") {
		t.Errorf("%s\n%s", query, got)
	}
}
