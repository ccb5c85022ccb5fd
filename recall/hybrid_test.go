package recall

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/llm/static"
	"cmem/memory"
	"cmem/store"
)

// shelf is a store in memory that can be searched by words and by meaning.
type shelf struct {
	list    []memory.Observation
	encoded int // of the list, from its beginning; the others wait

	failing string // the call that fails
	asked   []string
}

// The store can be searched by words and by meaning.
var _ HybridSource = (*store.Store)(nil)

var errShelf = errors.New("the shelf is broken")

func (s *shelf) call(name string) error {
	s.asked = append(s.asked, name)
	if s.failing == name {
		return errShelf
	}
	return nil
}

func (s *shelf) rarity(word string) float64 {
	n, all := 0.0, float64(len(s.list))
	for _, o := range s.list {
		if slices.Contains(static.Tokens(textOf(o)), word) {
			n++
		}
	}
	return math.Log(1 + (all-n+0.5)/(n+0.5))
}

func (s *shelf) Search(context.Context, string, memory.Filter, int) ([]memory.Hit, error) {
	return nil, errors.New("a search by words and meaning does not ask so")
}

func (s *shelf) Match(ctx context.Context, text string, f memory.Filter, limit int) (store.Matches, error) {
	m := store.Matches{Snippet: func(o memory.Observation) string { return o.Title }}
	if s.failing == "Match" {
		return m, errShelf
	}
	p := readText(text)
	words := static.Words(p.text)
	for _, w := range words {
		m.Ideal += s.rarity(w)
	}
	_, phrase, _ := strings.Cut(text, `"`)
	phrase, _, _ = strings.Cut(phrase, `"`)
	for _, o := range s.list {
		has := static.Tokens(textOf(o))
		score := 0.0
		for _, w := range words {
			if slices.Contains(has, w) {
				score += s.rarity(w)
			}
		}
		for w := range strings.FieldsSeq(text) {
			if isUnwanted(w) && slices.Contains(has, w[1:]) {
				score = 0
			}
		}
		if score > 0 && (f.Project == "" || f.Project == o.Project) && strings.Contains(textOf(o), phrase) {
			m.Hits = append(m.Hits, memory.Hit{Observation: o, Keyword: score})
		}
	}
	slices.SortStableFunc(m.Hits, func(a, b memory.Hit) int { return int(1000 * (b.Keyword - a.Keyword)) })
	m.Hits = m.Hits[:min(limit, len(m.Hits))]
	return m, ctx.Err()
}

func (s *shelf) meanings(keep func(memory.Observation) bool) (list []memory.Meaning) {
	for _, o := range s.list[:s.encoded] {
		if keep(o) {
			e := static.Encode(textOf(o))
			list = append(list, memory.Meaning{ID: o.ID, Vector: e.Vector, Words: e.Words})
		}
	}
	return list
}

func (s *shelf) Near(_ context.Context, model string, vector []int8, f memory.Filter, limit int) ([]memory.Meaning, error) {
	if err := s.call("Near"); err != nil || model != static.ID || len(vector) != static.Dims {
		return nil, err
	}
	list := s.meanings(func(o memory.Observation) bool { return f.Project == "" || f.Project == o.Project })
	return list[:min(limit, len(list))], nil
}

func (s *shelf) Meanings(_ context.Context, model string, ids []int64) ([]memory.Meaning, error) {
	if err := s.call("Meanings"); err != nil || model != static.ID {
		return nil, err
	}
	return s.meanings(func(o memory.Observation) bool { return slices.Contains(ids, o.ID) }), nil
}

func (s *shelf) MeaningState(context.Context, string) (have, due int64, err error) {
	return int64(s.encoded), int64(len(s.list) - s.encoded), s.call("MeaningState")
}

func (s *shelf) EmbeddingModels(context.Context) ([]string, error) {
	return []string{static.ID}, s.call("EmbeddingModels")
}

func (s *shelf) SomeMeanings(_ context.Context, _ string, limit int) ([]memory.Meaning, error) {
	list := s.meanings(func(memory.Observation) bool { return true })
	return list[:min(limit, len(list))], s.call("SomeMeanings")
}

func (s *shelf) Rarities(_ context.Context, words []string) (list []float64, err error) {
	for _, w := range words {
		list = append(list, s.rarity(w))
	}
	return list, s.call("Rarities")
}

func (s *shelf) Observations(_ context.Context, ids []int64) (list []memory.Observation, err error) {
	for _, o := range s.list {
		if slices.Contains(ids, o.ID) {
			list = append(list, o)
		}
	}
	return list, s.call("Observations")
}

var today = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// note makes an observation of so many days ago.
func note(id int64, days int, title string) memory.Observation {
	return memory.Observation{
		ID: id, Project: webshop, SessionID: "s", Type: memory.TypeBugfix, Title: title,
		CreatedAt: today.Add(-time.Duration(days) * day), Status: memory.StatusActive,
	}
}

// shelved is a store with these, all encoded.
func shelved(list ...memory.Observation) *shelf { return &shelf{list: list, encoded: len(list)} }

var others = []memory.Observation{
	note(101, 40, "Thumbnails of products are made smaller before they are uploaded"),
	note(102, 41, "Invoices are numbered without gaps"),
	note(103, 42, "The build of the container image takes the cache of modules"),
	note(104, 43, "缩短首页的加载时间"),
	note(105, 44, "Translations come from the new service once a day"),
	note(106, 45, "Sessions of the shop's staff end after a day"),
}

func found(t *testing.T, src Searcher, q Query) Answer {
	t.Helper()
	if q.Now.IsZero() {
		q.Now = today
	}
	a, err := Search(t.Context(), src, q)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func idsOf(results []Result) (ids []int64) {
	for _, r := range results {
		ids = append(ids, r.ID)
	}
	return ids
}

// first gives the id of the best result, 0 for none.
func first(a Answer) int64 {
	if len(a.Results) == 0 {
		return 0
	}
	return a.Results[0].ID
}

func TestAMemoryIsFoundByWhatItMeans(t *testing.T) {
	src := shelved(append([]memory.Observation{
		note(1, 10, "把用户密码改为加盐后保存"),
		note(2, 10, "Certificates of the web server expired unnoticed"),
		note(3, 10, "Adds a retry to the payment callback after a timeout"),
	}, others...)...)
	for text, want := range map[string]int64{
		"how are passwords of users stored": 1, "证书过期": 2, "支付回调 超时 重试": 3, "certificates": 2,
	} {
		if a := found(t, src, Query{Text: text}); first(a) != want || len(a.Notes) > 0 {
			t.Errorf("%q finds %v, want %d first, with notes %q", text, idsOf(a.Results), want, a.Notes)
		}
	}
}

func TestAnIdentifierIsNotBeatenByWhatIsOnlySimilar(t *testing.T) {
	src := shelved(append([]memory.Observation{
		note(1, 700, "Notes on order_service"),
		note(2, 0, "Order services of the shop: the order and its service, services for orders, ordering"),
		note(3, 0, "The services that order"),
	}, others...)...)
	for _, text := range []string{"orderService", "OrderService notes", "order-service.go order_service"} {
		a := found(t, src, Query{Text: text, Weights: Weights{Keyword: 0.1, Semantic: 1, Recency: 3}})
		if first(a) != 1 || !a.Results[0].Score.Exact {
			t.Errorf("%q finds %v (%+v), want 1 first", text, idsOf(a.Results), a.Results[0].Score)
		}
		for i := 1; i < len(a.Results); i++ {
			if a.Results[i].Score.Total > a.Results[i-1].Score.Total {
				t.Errorf("%q: result %d has more than the one before it", text, i)
			}
		}
	}
}

func TestASearchWithoutMeaningsSaysSoAndFindsByWords(t *testing.T) {
	list := append([]memory.Observation{note(1, 10, "Coupon codes that make the cart negative"), note(2, 10, "A coupon expires")}, others...)
	for name, c := range map[string]struct {
		src  *shelf
		says string
	}{
		"none is encoded":        {&shelf{list: list}, "no memory is encoded yet"},
		"some are encoded":       {&shelf{list: list, encoded: 2}, "2 of 8 memories are encoded"},
		"the state is not known": {&shelf{list: list, encoded: 8, failing: "MeaningState"}, errShelf.Error()},
		"words are not counted":  {&shelf{list: list, encoded: 8, failing: "Rarities"}, errShelf.Error()},
		"nothing is near":        {&shelf{list: list, encoded: 8, failing: "Near"}, errShelf.Error()},
		"no encoding is read":    {&shelf{list: list, encoded: 8, failing: "Meanings"}, errShelf.Error()},
	} {
		a := found(t, c.src, Query{Text: "coupon negative cart"})
		if first(a) != 1 {
			t.Errorf("%s: finds %v, want 1 first", name, idsOf(a.Results))
		}
		if len(a.Notes) != 1 || !strings.Contains(a.Notes[0], c.says) || !strings.HasSuffix(a.Notes[0], ".") {
			t.Errorf("%s: says %q, want a sentence with %q", name, a.Notes, c.says)
		}
		if c.src.encoded != 2 && (a.Weights.Semantic != 0 || math.Abs(a.Weights.Keyword-0.7) > 1e-9) {
			t.Errorf("%s: the weights are %+v, want those of meaning for the words", name, a.Weights)
		}
	}
	if a := found(t, &shelf{}, Query{Text: "coupon"}); len(a.Results)+len(a.Notes) > 0 {
		t.Errorf("an empty store gives %v and says %q", a.Results, a.Notes)
	}
}

func TestWhatGoesWrongWithWordsIsAnError(t *testing.T) {
	src := shelved(others...)
	src.failing = "Match"
	if _, err := Search(t.Context(), src, Query{Text: "cache"}); !errors.Is(err, errShelf) {
		t.Errorf("a search of a broken index gives %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Search(ctx, shelved(others...), Query{Text: "cache"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a search that was cancelled gives %v", err)
	}
}

func TestOfTwoThatAreAsRelevantTheNewerComesFirst(t *testing.T) {
	older, newer := note(1, 200, "Events are kept for 30 days"), note(2, 3, "Events are kept for 14 days")
	src := shelved(append([]memory.Observation{older, newer}, others...)...)
	if a := found(t, src, Query{Text: "how long are events kept"}); !slices.Equal(idsOf(a.Results)[:2], []int64{2, 1}) {
		t.Errorf("finds %v, want 2 before 1", idsOf(a.Results))
	}
	// A new one that hardly has to do with it stays behind.
	src = shelved(append([]memory.Observation{older, note(3, 0, "The calendar shows events")}, others...)...)
	if a := found(t, src, Query{Text: "how long are events kept"}); first(a) != 1 {
		t.Errorf("finds %v, want 1 first", idsOf(a.Results))
	}
}

func TestWhatATypeIsSaysHowFastItAges(t *testing.T) {
	s := scorer{halfLife: DefaultHalfLife(), now: today}
	o := note(1, 30, "x")
	for typ, want := range map[string]float64{memory.TypeChange: 0.5, memory.TypeBugfix: math.Exp2(-0.5), memory.TypeDecision: math.Exp2(-1.0 / 6), "other": math.Exp2(-0.5)} {
		if o.Type = typ; math.Abs(s.recency(o)-want) > 1e-9 {
			t.Errorf("a %s of 30 days ago has %.3f, want %.3f", typ, s.recency(o), want)
		}
	}
	o.CreatedAt = today.Add(time.Hour) // by another machine's clock
	if got := s.recency(o); got != 1 {
		t.Errorf("one of the future has %v", got)
	}
}

func TestATotalIsTheSumOfThePartsWithTheWeights(t *testing.T) {
	list := slices.Clone(others)
	for i := range list {
		list[i].Concepts = []string{"cache", "image"}
	}
	for _, w := range []Weights{{}, {Keyword: 1}, {Semantic: 2, Tags: 1}, {Keyword: 3, Semantic: 1, Recency: 5, Tags: 1}, {Keyword: math.NaN(), Semantic: math.Inf(1), Tags: -1}} {
		a := found(t, shelved(list...), Query{Text: "cache of the container image", Weights: w})
		if sum := a.Weights.Keyword + a.Weights.Semantic + a.Weights.Recency + a.Weights.Tags; math.Abs(sum-1) > 1e-9 {
			t.Errorf("%+v: the weights add up to %v", w, sum)
		}
		for _, r := range a.Results {
			s := r.Score
			want := a.Weights.Keyword*s.Keyword + a.Weights.Semantic*s.Semantic + a.Weights.Recency*s.Recency + a.Weights.Tags*s.Tags
			if math.Abs(s.Total-want) > 1e-9 {
				t.Errorf("%+v: %d has %v, its parts add up to %v", w, r.ID, s.Total, want)
			}
			for _, part := range []float64{s.Total, s.Relevance, s.Keyword, s.Semantic, s.Recency, s.Tags} {
				if !(part >= 0 && part <= 1) {
					t.Errorf("%+v: %d has a part of %v", w, r.ID, part)
				}
			}
		}
	}
	src := shelved(list...)
	if found(t, src, Query{Text: "cache", Weights: Weights{Keyword: 1}}); slices.Contains(src.asked, "Near") {
		t.Error("meanings are compared though they count nothing")
	}
}

func TestTagsBringAMemoryBeforeItsLike(t *testing.T) {
	list := []memory.Observation{note(1, 10, "Flush waits for Close"), note(2, 10, "Close waits for Flush")}
	list[1].Tags = []string{"deadlock"}
	list[0].Narrative = "A deadlock."
	a := found(t, shelved(append(list, others...)...), Query{Text: "deadlock of flush and close", Weights: Weights{Keyword: 1, Semantic: 1, Tags: 1}})
	if first(a) != 2 || a.Results[0].Score.Tags == 0 {
		t.Errorf("finds %v, want 2 first", idsOf(a.Results))
	}
}

func TestWhatMustNotStandIsNotFoundByItsMeaningEither(t *testing.T) {
	src := shelved(append([]memory.Observation{
		note(4, 10, "Certificates of postgres expired"), note(5, 10, "Certificates of agents expired"),
		note(1, 10, "A cache of plans in redis"), note(2, 10, "A cache of plans in memory"), note(3, 10, "Plans are kept"),
	}, others...)...)
	if a := found(t, src, Query{Text: "cache of plans -redis"}); slices.Contains(idsOf(a.Results), 1) || first(a) != 2 {
		t.Errorf("finds %v", idsOf(a.Results))
	}
	if a := found(t, src, Query{Text: `cache "plans in memory"`}); !slices.Equal(idsOf(a.Results), []int64{2}) || len(a.Notes) > 0 {
		t.Errorf("finds %v, says %q", idsOf(a.Results), a.Notes)
	}
	if a := found(t, src, Query{Text: "证书过期 -postgres"}); slices.Contains(idsOf(a.Results), 4) || first(a) != 5 {
		t.Errorf("in another language it finds %v", idsOf(a.Results))
	}
	a := found(t, src, Query{Text: `"memory of plans" cache -redis`})
	if first(a) != 2 || slices.Contains(idsOf(a.Results), 1) || len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "between quotes") {
		t.Errorf("a quote that is wrong finds %v, says %q", idsOf(a.Results), a.Notes)
	}
}

func TestMemoriesThatSayTheSameAreFolded(t *testing.T) {
	long := "The retry of the payment callback waits longer each time, gives up after %s attempts and writes what went wrong to the log of the worker"
	src := shelved(append([]memory.Observation{
		note(1, 10, fmt.Sprintf(long, "five")), note(2, 9, fmt.Sprintf(long, "five")), note(3, 8, fmt.Sprintf(long, "several")),
		note(4, 7, fmt.Sprintf(long, "5")), note(5, 6, fmt.Sprintf(long, "7")), note(6, 5, fmt.Sprintf(long, "five")),
	}, others...)...)
	src.list[5].Project = "/home/dev/other"
	a := found(t, src, Query{Text: "retry of the payment callback"})
	folded := map[int64][]int64{}
	for _, r := range a.Results[:4] {
		folded[r.ID] = slices.Sorted(slices.Values(r.Folded))
	}
	for id, want := range map[int64][]int64{2: {1, 3}, 4: {}, 5: {}, 6: {}} {
		if got, ok := folded[id]; !ok || !slices.Equal(got, want) {
			t.Errorf("below %d are %v, want %v; results %v", id, got, want, idsOf(a.Results))
		}
	}
}

func TestPagesFollowOneAnother(t *testing.T) {
	var list []memory.Observation
	for i := range 150 {
		list = append(list, note(int64(150-i), i, fmt.Sprintf("Cache number %d of the shop", i)))
	}
	src := shelved(list...)
	all := found(t, src, Query{Text: "cache", Limit: 55})
	if len(all.Results) != 55 || !all.More {
		t.Fatalf("finds %d, more: %v", len(all.Results), all.More)
	}
	var pages []int64
	for offset := 0; offset < 55; offset += 11 {
		a := found(t, src, Query{Text: "cache", Limit: 11, Offset: offset})
		if !a.More {
			t.Errorf("there is nothing behind %d", offset+11)
		}
		pages = append(pages, idsOf(a.Results)...)
	}
	if !slices.Equal(pages, idsOf(all.Results)) {
		t.Errorf("pages give %v, want %v", pages, idsOf(all.Results))
	}
	if a := found(t, src, Query{Text: "cache", Limit: 200}); len(a.Results) != 150 || a.More {
		t.Errorf("finds %d, more: %v, want all 150", len(a.Results), a.More)
	}
	if a := found(t, src, Query{Text: "cache", Offset: 500}); len(a.Results) > 0 || a.More {
		t.Errorf("far behind the end are %v", idsOf(a.Results))
	}
}

func TestByTimeTheRelevantOnesAreInTheOrderOfTime(t *testing.T) {
	src := shelved(append([]memory.Observation{
		note(1, 50, "The cart total is negative"), note(2, 5, "Cart total with coupons"), note(3, 90, "The total of the cart"), note(4, 0, "Total failure of a disk"),
	}, others...)...)
	if a := found(t, src, Query{Text: "cart total", Sort: ByTime}); !slices.Equal(idsOf(a.Results), []int64{2, 1, 3}) {
		t.Errorf("finds %v", idsOf(a.Results))
	}
}

func TestAFilterHoldsForMeaningsToo(t *testing.T) {
	src := shelved(note(1, 10, "Passwords are hashed"), note(2, 10, "用户密码加盐"))
	src.list[0].Project = "/home/dev/other"
	if a := found(t, src, Query{Text: "password", Filter: memory.Filter{Project: webshop}}); !slices.Equal(idsOf(a.Results), []int64{2}) {
		t.Errorf("finds %v", idsOf(a.Results))
	}
}

func TestANameThatIsNowhereIsNotPassedOffAsFound(t *testing.T) {
	src := shelved(note(1, 1, "Adds a retry to the payment webhook"), note(2, 2, "把用户密码改为加盐后保存"))
	if a := found(t, src, Query{Text: "Zqxwv"}); len(a.Results) > 0 {
		t.Errorf("of a word that nobody knows %v was found", idsOf(a.Results))
	}
	a := found(t, src, Query{Text: "PaymentRetryService"})
	if len(a.Results) == 0 || !slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, "PaymentRetryService itself") }) {
		t.Errorf("%v was found, with the notes %q", idsOf(a.Results), a.Notes)
	}
	if a := found(t, src, Query{Text: "payment"}); len(a.Notes) > 0 {
		t.Errorf("a plain word has the notes %q", a.Notes)
	}
}
