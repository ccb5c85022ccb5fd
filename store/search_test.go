package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cmem/memory"
)

// searchCase is a text and the titles of what it must find.
type searchCase struct {
	Query string   `json:"query"`
	Want  []string `json:"want"`
	Why   string   `json:"why"`
}

// corpus is testdata/search.json: what is remembered, and what finds it.
type corpus struct {
	Observations []memory.Observation `json:"observations"`
	Cases        []searchCase         `json:"cases"`
}

func readCorpus(t testing.TB) corpus {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "search.json"))
	if err != nil {
		t.Fatal(err)
	}
	var c corpus
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func found(hits []memory.Hit) []string {
	list := make([]string, len(hits))
	for i, h := range hits {
		list[i] = h.Observation.Title
	}
	return list
}

func TestSearchFindsWhatAPersonTypes(t *testing.T) {
	s := newStore(t)
	c := readCorpus(t)
	remember(t, s, c.Observations...)
	for _, tt := range c.Cases {
		t.Run(tt.Query, func(t *testing.T) {
			hits, err := s.Search(t.Context(), tt.Query, memory.Filter{}, 10)
			if err != nil {
				t.Fatal(err)
			}
			got := found(hits)
			slices.Sort(got)
			slices.Sort(tt.Want)
			if !slices.Equal(got, tt.Want) {
				t.Errorf("%s: %q\nfinds %q\nwant  %q", tt.Why, tt.Query, got, tt.Want)
			}
			for i, h := range hits {
				if h.Keyword <= 0 || i > 0 && h.Keyword > hits[i-1].Keyword {
					t.Errorf("score %v of hit %d", h.Keyword, i)
				}
			}
		})
	}
}

func TestSearchMarksWhatItFound(t *testing.T) {
	s := newStore(t)
	remember(t, s,
		memory.Observation{Title: "Pool", Narrative: "在高并发场景下，数据库连接池会超时。"},
		memory.Observation{Title: "Cache", Narrative: "The cache\nis invalidated.", Facts: []string{"ttl=5s", `say "hello"`}},
		memory.Observation{Title: "Adds userProfile"},
	)
	for query, want := range map[string]string{
		"数据库":     "在高并发场景下，[数据库]连接池会超时。",
		"caches":  "The [cache] is invalidated.",
		"hello":   `ttl=5s · say "[hello]"`,
		"adds":    "[Adds] userProfile",
		"profile": "",
	} {
		hits, err := s.Search(t.Context(), query, memory.Filter{}, 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(hits) != 1 {
			t.Fatalf("%q finds %q", query, found(hits))
		}
		if got := strings.NewReplacer(string(memory.MatchStart), "[", string(memory.MatchEnd), "]").Replace(hits[0].Snippet); got != want {
			t.Errorf("%q: snippet %q, want %q", query, got, want)
		}
	}
}

func TestSearchIsFiltered(t *testing.T) {
	s := newStore(t)
	remember(t, s,
		memory.Observation{Title: "cart one", Type: "bugfix"},
		memory.Observation{Title: "cart two", Type: "feature", Project: "/other", SessionID: "s2", Tags: []string{"重要"}},
		memory.Observation{Title: "cart three", Status: memory.StatusArchived},
		memory.Observation{Title: "cart four", ValidUntil: noon},
	)
	for want, f := range map[string]memory.Filter{
		"[cart one cart two]": {},
		"[cart one]":          {Project: webshop},
		"[cart two]":          {Types: []string{"feature"}, Tags: []string{"重要"}},
		"[cart three]":        {Statuses: []memory.Status{memory.StatusArchived}},
		"[]":                  {SessionID: "s2", Before: noon},
	} {
		hits, err := s.Search(t.Context(), "cart", f, 10)
		titles := found(hits)
		slices.Sort(titles)
		if err != nil || fmt.Sprint(titles) != want {
			t.Errorf("%+v finds %q, want %s (%v)", f, found(hits), want, err)
		}
	}
}

func TestBestMatchComesFirst(t *testing.T) {
	s := newStore(t)
	remember(t, s,
		memory.Observation{Title: "Pays", Narrative: "The checkout is a part of it."},
		memory.Observation{Title: "Checkout", Narrative: "One page."},
		memory.Observation{Title: "Checkout", Narrative: "Two page."},
		memory.Observation{Title: "Pays", Narrative: "Nothing of the kind."},
	)
	hits, err := s.Search(t.Context(), "checkout", memory.Filter{}, 10)
	if err != nil || len(hits) != 3 {
		t.Fatalf("%q (%v)", found(hits), err)
	}
	// The title counts more than the text, and of equal ones the newer is first.
	if hits[0].Observation.Narrative != "Two page." || hits[1].Observation.Narrative != "One page." || hits[2].Observation.Title != "Pays" {
		t.Errorf("%q, then %q", hits[0].Observation.Narrative, found(hits))
	}
}

func TestCommonWordIsFoundInASmallProjectToo(t *testing.T) {
	s := newStore(t)
	s.scored = 100
	var b Bundle
	for i := range s.scored + 10 {
		project := "/large"
		if i < 5 {
			project = "/small" // the oldest ones, which are not scored at first
		}
		b.Observations = append(b.Observations, memory.Observation{SessionID: project, Project: project, Title: fmt.Sprint("common ", i), CreatedAt: noon})
	}
	if _, err := s.Import(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for project, want := range map[string]int{"/small": 5, "/large": 20, "": 20} {
		hits, err := s.Search(t.Context(), "common", memory.Filter{Project: project}, 20)
		if err != nil || len(hits) != want {
			t.Errorf("%q: %d hits, want %d (%v)", project, len(hits), want, err)
		}
	}
}

func TestSearchIndexFollowsEveryChange(t *testing.T) {
	s := newStore(t)
	remember(t, s, memory.Observation{Title: "walrus", FilesRead: []string{"zoo/walrus.go"}})
	db := sqliteDB(t, s)
	finds := func(text string) bool {
		hits, err := s.Search(t.Context(), text, memory.Filter{Statuses: []memory.Status{memory.StatusActive, memory.StatusArchived}}, 10)
		if err != nil {
			t.Fatal(err)
		}
		return len(hits) > 0
	}
	mustExec(t, db, "UPDATE observations SET title = 'penguin', status = 'archived'")
	if !finds("penguin") || !finds("walrus.go") {
		t.Error("a changed row is not found under its new words")
	}
	mustExec(t, db, `UPDATE observations SET files_read = '["zoo/penguin.go"]'`)
	if finds("walrus") || !finds("zoo/penguin.go") {
		t.Error("a changed row is found under its old words")
	}
	mustExec(t, db, "DELETE FROM observations")
	if finds("penguin") {
		t.Error("a deleted row is found")
	}
	if found, err := s.checkSearch(t.Context()); err != nil || len(found) != 0 {
		t.Errorf("%v (%v)", found, err)
	}
}

func TestEmptyQueryIsAnErrorToShow(t *testing.T) {
	s := newStore(t)
	for _, text := range []string{"", "  \n\t", "*", `""`, `"`, "-- !", "🎉", "\x00", "()*:^"} {
		if _, err := s.Search(t.Context(), text, memory.Filter{}, 10); !errors.Is(err, ErrEmptyQuery) {
			t.Errorf("%q: %v, want ErrEmptyQuery", text, err)
		}
	}
}

func TestSearchTokensAreWhatTheTokenizerMisses(t *testing.T) {
	for text, want := range map[string]string{
		"plain words and a path/to/file.go": "",
		"orderService":                      "order service",
		"order_service order-service":       "orderservice",
		"parseHTTPRequest2":                 "parse http request",
		"src/userProfile.test.ts":           "user profile",
		"--no-verify":                       "noverify",
		"MAX_RETRY_COUNT":                   "maxretrycount",
		"TS2345 E11000":                     "ts 2345 11000",
		"a -- b, c - d":                     "",
		"数据库":                               "数据 据库 库",
		"用Redis缓存":                          "用 redis 缓存 存",
		"库":                                 "库",
		"ソート and 정렬":                        "ソー ート ト 정렬 렬",
		"orderService orderService":         "order service",
		"\xff\x00":                          "",
	} {
		if got := searchTokens(memory.Observation{Title: text}); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
	if got := searchTokens(memory.Observation{Tags: []string{"releaseBlocker"}}); got != "releaseBlocker release blocker" {
		t.Errorf("tags give %q", got)
	}
}

func TestQueriesAreQuoted(t *testing.T) {
	type written struct {
		whole, all, any string
		wide            []string
	}
	for text, want := range map[string]written{
		"cart ":               {all: `"cart"`, any: `"cart"`},
		"the cart ":           {all: `"cart"`, any: `"cart"`},
		"car":                 {whole: `"car"`, all: `"car" *`, any: `("car" * OR "car")`},
		"the":                 {all: `"the" *`, any: `("the" * OR "the")`},
		`say "hello world" `:  {all: `"say" AND "hello world"`, any: `"hello world" AND "say"`},
		`an "open quote`:      {all: `"open" AND "quote" *`, any: `("open" OR "quote" * OR "quote")`},
		"NEAR(a b, 5) ":       {all: `"NEAR a" AND "b" AND "5"`},
		"title:cart -x OR y ": {all: `"title cart" AND "x" AND "y"`},
		"orderService ":       {all: `("orderService" OR "order Service")`},
		"order_service ":      {all: `("order service" OR "orderservice")`},
		"数据库":                 {all: `"数据 据库"`, wide: []string{"数据库"}},
		"库":                   {all: `"库" *`, wide: []string{"库"}},
		"用Redis缓存 ":           {all: `"用" * AND "Redis" AND "缓存"`, wide: []string{"用", "缓存"}},
	} {
		words, unwanted, err := queryWords(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got, wide := queryOf(words, unwanted), wideOf(words)
		if got.all.String() != want.all || want.whole != "" && got.whole.String() != want.whole ||
			want.any != "" && got.any.String() != want.any || fmt.Sprint(wide) != fmt.Sprint(want.wide) {
			t.Errorf("%q gives\n%+v, want\n%+v", text, got, want)
		}
	}
}

func FuzzSearchTextIsNeverSyntax(f *testing.F) {
	s := newStore(f)
	g := &gathering{s: s, index: observationWords}
	c := readCorpus(f)
	remember(f, s, c.Observations...)
	for _, tt := range c.Cases {
		f.Add(tt.Query)
	}
	for _, text := range []string{
		"a -b", "-foo", `-"a b" c`, `cart -"`, "-", "- x", "--x", "-1 x", "-v", "foo*", "*foo", "f* x", "数据*", `"a"-b`, "cart -cart", "-a*b* c*", "v1.2.3", "3f2a9bc1d0e4", "a/b.go:12:3", ":1:2", "x:1",
		"NEAR(", "a AND", "OR", "NOT x", `"`, `""`, `"a`, "a*", "*", "^a", "{title}: x", "title : x", "-a", "+", "(", "((", "a b)", "'", "''; DROP TABLE observations; --",
		"\x00", "a\x00b", "\xff", "\xed\xa0\x80", "\ue000", "𠀀𠀁", "ー", "e\u0301", "\u0301", "½", "٣", "ⅷ", "ａｂｃ", "İ", "ß", strings.Repeat("长", 300), strings.Repeat("aB_", 300), strings.Repeat("x ", 300),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := parseQuery(text)
		if errors.Is(err, ErrEmptyQuery) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		exprs := q.not
		if words, _, err := queryWords(text); err == nil && len(words) > 0 {
			exprs = append(exprs, q.whole, q.all, q.any)
		}
		for _, e := range exprs {
			if _, err := g.page(t.Context(), e.String(), 100, 5); err != nil {
				t.Errorf("%q becomes %s: %v", text, e, err)
			}
		}
		if _, err := s.Search(t.Context(), text, memory.Filter{}, 5); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		m, err := s.Match(t.Context(), text, memory.Filter{}, 5)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		for i, h := range m.Hits {
			if (len(exprs) > len(q.not)) != (h.Keyword > 0 && m.Ideal > 0) || i > 0 && h.Keyword > m.Hits[i-1].Keyword {
				t.Errorf("%q: hit %d scores %v of %v", text, i, h.Keyword, m.Ideal)
			}
		}
	})
}
