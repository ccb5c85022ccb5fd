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

// matched gives the titles that a text matches, best first.
func matched(t *testing.T, s *Store, text string) []string {
	t.Helper()
	m, err := s.Match(t.Context(), text, memory.Filter{}, 20)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return found(m.Hits)
}

func TestMatchRanksByAnyOfTheWords(t *testing.T) {
	s := newStore(t)
	filler := func(n int) []memory.Observation {
		var list []memory.Observation
		for i := range n {
			list = append(list, memory.Observation{Title: fmt.Sprint("note ", i), Narrative: "The deploy of the shop went on."})
		}
		return list
	}
	remember(t, s, filler(40)...)
	remember(t, s,
		memory.Observation{Title: "both", Narrative: "The webhook was delivered, then the refund."},
		memory.Observation{Title: "rare", Narrative: "A webhook in the shop."},
		memory.Observation{Title: "webhook in a title", Narrative: "Of the shop."},
		memory.Observation{Title: "refunds", Narrative: "A refund, and a refund again."},
		memory.Observation{Title: "refunds also", Narrative: "A refund."},
		memory.Observation{Title: "side by side", Narrative: "There is a refund webhook."},
	)
	got := matched(t, s, "why does the refund webhook fail in kubernetes")
	if len(got) != 6 || got[0] != "side by side" || slices.Index(got, "both") > slices.Index(got, "rare") || slices.Index(got, "both") > slices.Index(got, "refunds also") {
		t.Errorf("%q: what holds both words comes before what holds one, and where they stand side by side first", got)
	}
	if slices.Index(got, "webhook in a title") > slices.Index(got, "rare") {
		t.Errorf("%q: a word counts more in a title", got)
	}
	// Only faint words: then they are what is looked for.
	if got := matched(t, s, "of the "); len(got) == 0 {
		t.Error("words that say little are found when there are no others")
	}
	for _, text := range []string{"", "…", `"`, "-", "*"} {
		if _, err := s.Match(t.Context(), text, memory.Filter{}, 5); !errors.Is(err, ErrEmptyQuery) {
			t.Errorf("%q: %v, want ErrEmptyQuery", text, err)
		}
	}
	if got := matched(t, s, "kubernetes"); len(got) != 0 {
		t.Errorf("%q for a word that is nowhere", got)
	}
}

func TestAnIdentifierCountsOnce(t *testing.T) {
	s := newStore(t)
	var list []memory.Observation
	for i := range 30 {
		list = append(list, memory.Observation{Title: fmt.Sprint("note ", i), Narrative: "Something else of about the same length as that."})
	}
	list = append(list,
		memory.Observation{Title: "a", Narrative: "The orderService of the shop was slow."},
		memory.Observation{Title: "b", Narrative: "The order_service of the shop was slow."},
		memory.Observation{Title: "c", Narrative: "An order came, but the other service of the shop was slow."},
		memory.Observation{Title: "d", Narrative: "The webhook of the shop was slow."},
	)
	remember(t, s, list...)
	m, err := s.Match(t.Context(), "orderService webhook", memory.Filter{}, 10)
	if err != nil {
		t.Fatal(err)
	}
	score := map[string]float64{}
	for _, h := range m.Hits {
		score[h.Observation.Title] = h.Keyword
	}
	if r := score["a"] / score["d"]; r < 0.7 || r > 1.3 {
		t.Errorf("an identifier scores %.2f times a word as rare", r)
	}
	if r := score["a"] / score["b"]; r < 0.9 || r > 1.1 {
		t.Errorf("a spelling scores %.2f times another one", r)
	}
	if score["c"] <= 0 || score["c"] > 0.9*score["a"] {
		t.Errorf("parts score %v, the whole %v", score["c"], score["a"])
	}
	if m.Ideal <= 0 || m.Hits[0].Keyword/m.Ideal < 0.4 || m.Hits[0].Keyword/m.Ideal > 0.75 {
		t.Errorf("one of two words as rare scores %v of %v", m.Hits[0].Keyword, m.Ideal)
	}
	whole, err := s.Match(t.Context(), "webhook", memory.Filter{}, 1)
	if err != nil || len(whole.Hits) != 1 {
		t.Fatalf("%q (%v)", found(whole.Hits), err)
	}
	if r := whole.Hits[0].Keyword / whole.Ideal; r < 0.8 || r > 1.2 {
		t.Errorf("all of the words, once: %.2f of the ideal", r)
	}
}

// The ranking of everything, by the same formula.
func fullRanking(t *testing.T, s *Store, text string, ids []int64) []int64 {
	t.Helper()
	words, unwanted, err := queryWords(text)
	if err != nil {
		t.Fatal(err)
	}
	scored := s.scored
	s.scored = 1_000_000
	defer func() { s.scored = scored }()
	r, err := s.newRanking(t.Context(), observationWords, words, unwanted, memory.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.weigh(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.compile()
	if err := r.examine(t.Context(), ids); err != nil {
		t.Fatal(err)
	}
	r.rank()
	var best []int64
	for _, c := range r.found[:min(20, len(r.found))] {
		best = append(best, c.id)
	}
	return best
}

// Words are as common as those of a language: the second half as often as the first,
// the third a third as often.
func TestMatchFindsTheBestAsIfAllWereRanked(t *testing.T) {
	slow(t)
	s := newStore(t)
	rng := rand.New(rand.NewPCG(3, 5))
	zipf := rand.NewZipf(rng, 1.1, 2, 3000)
	words := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf("w%dx", zipf.Uint64())
		}
		return strings.Join(list, " ")
	}
	var b Bundle
	for i := range 3000 {
		b.Observations = append(b.Observations, memory.Observation{
			SessionID: "s", Project: webshop, CreatedAt: noon.Add(time.Duration(i) * time.Minute),
			Title: words(1 + rng.IntN(6)), Narrative: words(1 + rng.IntN(40)), Facts: []string{words(1 + rng.IntN(6))},
		})
	}
	if _, err := s.Import(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	ids, err := all(t.Context(), s.read, scanNumber, "SELECT id FROM observations")
	if err != nil {
		t.Fatal(err)
	}
	s.scored = 600
	same, of := 0, 0
	for range 60 {
		text := words(2 + rng.IntN(6))
		m, err := s.Match(t.Context(), text, memory.Filter{}, 20)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range fullRanking(t, s, text, ids) {
			of++
			if slices.ContainsFunc(m.Hits, func(h memory.Hit) bool { return h.Observation.ID == id }) {
				same++
			}
		}
	}
	if of < 1000 || float64(same) < 0.95*float64(of) {
		t.Errorf("%d of %d of the best are found", same, of)
	}
}

func TestMatchWithASmallLimitIsTheTopOfALargeOne(t *testing.T) {
	slow(t)
	s := newStore(t)
	babble(t, s, 8, 700)
	s.scored = 50
	for _, text := range babbleQueries {
		for _, f := range []memory.Filter{{}, {Project: "/middling"}, {Project: "/small"}, {Tags: []string{"重要"}}} {
			long, err := s.Match(t.Context(), text, f, 1000)
			if err != nil {
				t.Fatal(err)
			}
			for i, h := range long.Hits {
				if !(h.Keyword > 0) || i > 0 && h.Keyword > long.Hits[i-1].Keyword {
					t.Fatalf("%q: hit %d scores %v", text, i, h.Keyword)
				}
				if f.Project != "" && h.Observation.Project != f.Project || len(f.Tags) > 0 && !slices.Contains(h.Observation.Tags, f.Tags[0]) {
					t.Fatalf("%q: %+v gives observation %d", text, f, h.Observation.ID)
				}
			}
			short, err := s.Match(t.Context(), text, f, 7)
			if err != nil {
				t.Fatal(err)
			}
			if want := long.Hits[:min(7, len(long.Hits))]; short.Ideal != long.Ideal || !slices.EqualFunc(short.Hits, want, func(a, b memory.Hit) bool {
				return a.Observation.ID == b.Observation.ID && a.Keyword == b.Keyword
			}) {
				t.Errorf("%q %+v: the first 7 differ from those of 1000", text, f)
			}
		}
	}
}

func TestACommonWordMatchesInASmallProjectToo(t *testing.T) {
	s := newStore(t)
	var b Bundle
	for i := range 600 {
		project := "/large"
		if i < 5 {
			project = "/small" // the oldest, of which the index lists none at first
		}
		b.Observations = append(b.Observations, memory.Observation{SessionID: project, Project: project, Title: fmt.Sprint("common words ", i), CreatedAt: noon})
	}
	if _, err := s.Import(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	s.scored = 20
	for project, want := range map[string]int{"/small": 5, "/large": 13, "": 13} {
		m, err := s.Match(t.Context(), "common words", memory.Filter{Project: project}, 100)
		if err != nil || len(m.Hits) != want {
			t.Errorf("%q: %d hits, want %d (%v)", project, len(m.Hits), want, err)
		}
	}
}

func TestTitlesInChineseCountAsOthersDo(t *testing.T) {
	s := newStore(t)
	var list []memory.Observation
	for i := range 20 {
		list = append(list, memory.Observation{Title: fmt.Sprint("其他记录 ", i), Narrative: "没有什么特别的事情。"})
	}
	list = append(list,
		memory.Observation{Title: "支付回调的签名校验", Narrative: "没有什么特别的事情。"},
		memory.Observation{Title: "没有什么特别的事情", Narrative: "支付回调的签名校验。"},
	)
	remember(t, s, list...)
	m, err := s.Match(t.Context(), "支付回调为什么失败", memory.Filter{}, 10)
	if err != nil || len(m.Hits) < 2 || m.Hits[0].Observation.Title != "支付回调的签名校验" || m.Hits[0].Keyword < 1.2*m.Hits[1].Keyword {
		t.Errorf("%q (%v)", found(m.Hits), err)
	}
}

func TestACancelledMatchEndsAtOnce(t *testing.T) {
	s := newStore(t)
	babble(t, s, 5, 300)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, text := range []string{"test", "nowhere test", "数", "quxquux"} {
		if _, err := s.Match(ctx, text, memory.Filter{}, 20); !errors.Is(err, context.Canceled) {
			t.Errorf("%q: %v, want context.Canceled", text, err)
		}
	}
}

func TestMatchesOfEqualWorthAreTheNewestFirst(t *testing.T) {
	s := newStore(t)
	var list []memory.Observation
	for i := range 60 {
		list = append(list, memory.Observation{Title: "购物车 cart", Narrative: fmt.Sprintf("case%03d", i), CreatedAt: noon.Add(time.Duration(i*37%20) * time.Hour)})
	}
	remember(t, s, list...)
	m, err := s.Match(t.Context(), "cart 购物车", memory.Filter{}, 60)
	if err != nil || len(m.Hits) != 60 {
		t.Fatalf("%d hits (%v)", len(m.Hits), err)
	}
	if !slices.IsSortedFunc(m.Hits, func(a, b memory.Hit) int { return b.Observation.CreatedAt.Compare(a.Observation.CreatedAt) }) {
		t.Error("not the newest first")
	}
	if snippet := m.Snippet(m.Hits[0].Observation); !strings.ContainsRune(snippet, memory.MatchStart) || math.IsNaN(m.Hits[0].Keyword) {
		t.Errorf("snippet %q, score %v", snippet, m.Hits[0].Keyword)
	}
}
