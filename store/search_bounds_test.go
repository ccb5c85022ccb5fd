package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

// ranked gives the ids of the best rows when each row of the store is held against
// the text.
func ranked(t *testing.T, s *Store, text string, f memory.Filter, list []memory.Observation) (ids []int64) {
	t.Helper()
	q, err := parseQuery(text)
	if err != nil {
		t.Fatal(err)
	}
	g, err := s.newGathering(t.Context(), observationWords, q, f)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list {
		ids = append(ids, o.ID)
	}
	if err := g.examine(t.Context(), ids); err != nil {
		t.Fatal(err)
	}
	if err := g.score(t.Context()); err != nil {
		t.Fatal(err)
	}
	ids = nil
	for _, c := range g.found[:min(20, len(g.found))] {
		ids = append(ids, c.id)
	}
	return ids
}

func TestWhatHasARareWordIsRankedAsIfAllWereLookedAt(t *testing.T) {
	slow(t)
	s := newStore(t)
	list := babble(t, s, 3, 1000)
	s.scored = 50
	rng := rand.New(rand.NewPCG(9, 9))
	var rare, common []string
	for len(rare) < 25 {
		words := strings.Fields(strings.Trim(list[rng.IntN(len(list))].Narrative, "."))
		w := words[rng.IntN(len(words))]
		n, err := number(t.Context(), s.read, "SELECT count(*) FROM observations_fts WHERE observations_fts MATCH ?", phraseOf(w, false).String())
		if err != nil {
			t.Fatal(err)
		}
		if n > int64(s.scored) {
			common = append(common, w)
		} else if n > 0 {
			rare = append(rare, w)
		}
	}
	var texts []string
	for i, w := range rare {
		a, b := common[i%len(common)], common[(i*7+3)%len(common)]
		texts = append(texts, []string{w + " ", w, a + " " + w + " ", w + " " + a + " " + b + " ", "nowhere " + w + " " + a + " "}[i%5])
	}
	few := map[string]memory.Filter{"small": {Project: "/small"}, "tag": {Tags: []string{"重要"}}, "before": {Before: noon.Add(25 * time.Minute)}}
	many := map[string]memory.Filter{"all": {}, "middling": {Project: "/middling"}, "type": {Types: []string{memory.TypeBugfix}}, "late": {After: noon.Add(500 * time.Minute)}}
	// overlap tells how many of the best that have the rare word are found.
	overlap := func(f memory.Filter, text, rare string) (same, of int) {
		hits, err := s.Search(t.Context(), text, f, 20)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ranked(t, s, text, f, list) {
			if rare != "" {
				missing, err := s.MissingWords(t.Context(), rare+" ", id)
				if err != nil {
					t.Fatal(err)
				}
				if len(missing) > 0 {
					continue
				}
			}
			of++
			if slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.Observation.ID == id }) {
				same++
			}
		}
		return same, of
	}
	for name, f := range many {
		total := 0
		for i, text := range texts {
			same, of := overlap(f, text, rare[i])
			if total += of; same != of {
				t.Errorf("%s %q: %d of %d of the best are found", name, text, same, of)
			}
		}
		if total < 5 {
			t.Errorf("%s: only %d to be found", name, total)
		}
	}
	for name, f := range few {
		total := 0
		for _, text := range slices.Concat(texts[:10], babbleQueries) {
			same, of := overlap(f, text, "")
			if total += of; same != of {
				t.Errorf("%s %q: %d of %d of the best are found", name, text, same, of)
			}
		}
		if total < 100 {
			t.Errorf("%s: only %d to be found", name, total)
		}
	}
}

func TestASearchWithASmallLimitIsTheTopOfALargeOne(t *testing.T) {
	slow(t)
	s := newStore(t)
	babble(t, s, 4, 700)
	s.scored = 50
	for _, text := range babbleQueries {
		for _, f := range []memory.Filter{{}, {Project: "/middling"}, {Project: "/small"}} {
			long, err := s.Search(t.Context(), text, f, 1000)
			if err != nil {
				t.Fatal(err)
			}
			for i, h := range long {
				if h.Keyword <= 0 || i > 0 && h.Keyword > long[i-1].Keyword {
					t.Fatalf("%q: hit %d scores %v", text, i, h.Keyword)
				}
			}
			for _, limit := range []int{0, 7, 30} {
				short, err := s.Search(t.Context(), text, f, limit)
				if err != nil {
					t.Fatal(err)
				}
				if want := long[:min(limit, len(long))]; !slices.EqualFunc(short, want, func(a, b memory.Hit) bool {
					return a.Observation.ID == b.Observation.ID && a.Keyword == b.Keyword && a.Snippet == b.Snippet
				}) {
					t.Errorf("%q %+v: the first %d differ from those of 1000", text, f, limit)
				}
			}
		}
	}
}

func TestOfEqualMatchesTheNewestComesFirst(t *testing.T) {
	s := newStore(t)
	var list []memory.Observation
	for i := range 60 {
		// The times do not follow the ids, and some are the same.
		list = append(list, memory.Observation{Title: "购物车 cart", Narrative: fmt.Sprintf("case%03d", i), CreatedAt: noon.Add(time.Duration(i*37%20) * time.Hour)})
	}
	remember(t, s, list...)
	for _, limit := range []int{10, 60} {
		hits, err := s.Search(t.Context(), "cart", memory.Filter{}, limit)
		if err != nil || len(hits) != limit {
			t.Fatalf("%d hits (%v)", len(hits), err)
		}
		if !slices.IsSortedFunc(hits, func(a, b memory.Hit) int {
			if c := b.Observation.CreatedAt.Compare(a.Observation.CreatedAt); c != 0 {
				return c
			}
			return int(b.Observation.ID - a.Observation.ID)
		}) {
			t.Errorf("limit %d: not the newest first", limit)
		}
		if want := noon.Add(19 * time.Hour); !hits[0].Observation.CreatedAt.Equal(want) {
			t.Errorf("limit %d: the first is of %s", limit, hits[0].Observation.CreatedAt)
		}
	}
}

func TestWholeWordsComeBeforeBeginnings(t *testing.T) {
	s := newStore(t)
	remember(t, s,
		memory.Observation{Title: "carts", Narrative: "A long text of many other words, in which the word does not stand again."},
		memory.Observation{Title: "cartoon cartography cartoons", Subtitle: "cartoon"},
		memory.Observation{Title: "nothing"},
	)
	hits, err := s.Search(t.Context(), "cart", memory.Filter{}, 10)
	if err != nil || fmt.Sprint(found(hits)) != "[carts cartoon cartography cartoons]" {
		t.Errorf("%q (%v)", found(hits), err)
	}
}

func TestACancelledSearchEndsAtOnce(t *testing.T) {
	s := newStore(t)
	babble(t, s, 5, 2000)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, text := range []string{"test", "re", "数", "nowhere test"} {
		if _, err := s.Search(ctx, text, memory.Filter{}, 20); !errors.Is(err, context.Canceled) {
			t.Errorf("%q: %v, want context.Canceled", text, err)
		}
	}
	// In the middle of it: nothing but the whole answer or the reason comes back.
	whole, err := s.Search(t.Context(), "test re", memory.Filter{}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	cut := 0
	for i := range 60 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*200*time.Microsecond)
		hits, err := s.Search(ctx, "test re", memory.Filter{}, 1000)
		cancel()
		switch {
		case err == nil && len(hits) == len(whole):
		case errors.Is(err, context.DeadlineExceeded):
			cut++
		default:
			t.Errorf("%d hits of %d (%v)", len(hits), len(whole), err)
		}
	}
	if cut == 0 {
		t.Error("no search was cancelled")
	}
	if _, err := s.Search(t.Context(), "test", memory.Filter{}, 20); err != nil {
		t.Errorf("after that: %v", err)
	}
}

func TestRowsWithACommonWordAreEstimated(t *testing.T) {
	slow(t)
	s := newStore(t)
	var b Bundle
	for i := range 2000 {
		o := memory.Observation{SessionID: "s", Project: webshop, Title: fmt.Sprint("case ", i), CreatedAt: noon}
		if i%4 == 1 {
			o.Subtitle = "quarter each 每四个"
		}
		if i < 1000 {
			o.Narrative = "early words"
		}
		if i%400 == 7 {
			o.Narrative += " rare"
		}
		b.Observations = append(b.Observations, o)
	}
	if _, err := s.Import(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	s.scored = 100
	g, err := s.newGathering(t.Context(), observationWords, query{whole: phraseOf("case", false)}, memory.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	if g.rows != 2000 || g.length < 2 || g.length > 10 || g.newest != 2000 {
		t.Errorf("%v rows of %v words, the newest is %d", g.rows, g.length, g.newest)
	}
	for text, want := range map[string]float64{"case": 2000, "quarter": 500, "early": 1000, "rare": 5, "nowhere": 0, "quarter each": 500, "每四": 500} {
		n, err := g.rowsWith(t.Context(), phraseOf(text, false))
		if err != nil || math.Abs(n-want) > 0.1*want {
			t.Errorf("%q stands in %v rows, want about %v (%v)", text, n, want, err)
		}
	}
}

func TestAnUnfinishedWordIsReadAsTheWordsThatBeginSo(t *testing.T) {
	s := newStore(t)
	many := memory.Observation{Title: "prefix"}
	for i := range maxBegun + 1 {
		many.Facts = append(many.Facts, fmt.Sprintf("qu%02d", i))
	}
	remember(t, s, many, memory.Observation{Title: "databases refund refunding refused 数据 数据库 数组", Subtitle: "Éclair ecstatic"})
	for beginning, want := range map[string]begun{
		"refu":  {words: []string{"refund", "refuse"}, all: true},
		"datab": {words: []string{"database"}, all: true},
		"数":     {words: []string{"数据", "数据库", "数组"}, all: true},
		"ec":    {words: []string{"eclair", "ecstat"}, all: true},
		"zz":    {all: true},
	} {
		got, err := s.begun(t.Context(), observationWords, beginning)
		if err != nil || got.all != want.all || !slices.Equal(got.words, want.words) {
			t.Errorf("%q begins %q %v, want %q (%v)", beginning, got.words, got.all, want.words, err)
		}
	}
	if got, err := s.begun(t.Context(), observationWords, "qu"); err != nil || got.all || len(got.words) != maxBegun {
		t.Errorf("%q begins %d words, all: %v (%v)", "qu", len(got.words), got.all, err)
	}
	// Those that were not looked for are found in the newest rows all the same.
	hits, err := s.Search(t.Context(), fmt.Sprintf("prefix qu%d", maxBegun/10), memory.Filter{}, 10)
	if err != nil || len(hits) != 1 {
		t.Errorf("found %q (%v)", found(hits), err)
	}
}

// parseQuery is queryOf for a text.
func parseQuery(text string) (query, error) {
	words, unwanted, err := queryWords(text)
	return queryOf(words, unwanted), err
}
