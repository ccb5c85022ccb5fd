package recall

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"cmem/memory"
	"cmem/store"
)

// The store has summaries and prompts to search.
var _ ItemMatcher = (*store.Store)(nil)

// library is a shelf with summaries and prompts.
type itemShelf struct {
	*shelf
	items store.ItemMatches
	err   error
	asked memory.Filter
}

func (l *itemShelf) MatchItems(_ context.Context, _ string, f memory.Filter, _ int) (store.ItemMatches, error) {
	l.asked = f
	return l.items, l.err
}

// hit makes a summary or prompt that holds a share of the words of a search.
func hit(kind memory.ItemKind, id int64, days int, text string, share float64) memory.ItemHit {
	return memory.ItemHit{
		Item: memory.Item{Kind: kind, ID: id, Project: webshop, SessionID: "s", CreatedAt: today.AddDate(0, 0, -days), Title: text, Tokens: 7},
		Text: text, Keyword: 10 * share, Snippet: text,
	}
}

// refs writes the results as kinds and ids.
func refs(a Answer) string {
	var list []string
	for _, r := range a.Results {
		list = append(list, fmt.Sprintf("%c%d", r.Kind[0], r.ID))
	}
	return strings.Join(list, " ")
}

func asking(text string) store.KindMatches {
	return store.KindMatches{Ideal: 10, Hits: []memory.ItemHit{hit(memory.KindPrompt, 1, 10, text, 1)}}
}

func TestAQuestionOfThePastIsBehindItsAnswer(t *testing.T) {
	answer := note(1, 10, "Users were logged out with two tabs: both refreshed the token at once")
	for _, text := range []string{"why are users logged out with two tabs", "logged out tabs", "users tabs token"} {
		src := &itemShelf{shelf: shelved(append([]memory.Observation{answer}, others...)...)}
		alone := found(t, src, Query{Text: text})
		src.items.Prompts = asking("why are users logged out with two tabs, look at the token")
		src.items.Summaries = store.KindMatches{Ideal: 10, Hits: []memory.ItemHit{hit(memory.KindSummary, 1, 10, "users logged out with two tabs", 0.8)}}
		a := found(t, src, Query{Text: text})
		if first(a) != 1 || a.Results[0].Kind != memory.KindObservation {
			t.Errorf("%q finds %s", text, refs(a))
		}
		if !strings.Contains(refs(a), "p1") {
			t.Errorf("%q does not find the prompt: %s", text, refs(a))
		}
		var without []Result
		for _, r := range a.Results {
			if r.Kind == memory.KindObservation {
				without = append(without, r)
			}
		}
		if fmt.Sprint(without) != fmt.Sprint(alone.Results) && len(without) == len(alone.Results) {
			for i := range without {
				if without[i].Score != alone.Results[i].Score {
					t.Errorf("%q: an observation scores %+v, without the others %+v", text, without[i].Score, alone.Results[i].Score)
				}
			}
		}
	}
}

func TestASummaryOrPromptThatAloneHasTheWordsIsFirst(t *testing.T) {
	src := &itemShelf{shelf: shelved(others...)}
	src.items.Summaries = store.KindMatches{Ideal: 10, Hits: []memory.ItemHit{hit(memory.KindSummary, 4, 3, "Ask for the replica in Frankfurt", 1)}}
	src.items.Prompts = store.KindMatches{Ideal: 10, Hits: []memory.ItemHit{hit(memory.KindPrompt, 9, 3, "the sessions of Frankfurt", 0.15)}}
	a := found(t, src, Query{Text: "replica in Frankfurt"})
	if got := refs(a); !strings.HasPrefix(got, "s4") || strings.Contains(got, "p9") {
		t.Errorf("finds %s", got)
	}
	r := a.Results[0]
	if r.Observation != nil || r.Tokens != 7 || r.Snippet != "Ask for the replica in Frankfurt" || r.Title != r.Snippet || r.Project != webshop {
		t.Errorf("%+v", r)
	}
	if sum := a.Weights.Keyword*r.Score.Keyword + a.Weights.Semantic*r.Score.Semantic + a.Weights.Recency*r.Score.Recency + a.Weights.Tags*r.Score.Tags; math.Abs(sum-r.Score.Total) > 1e-9 {
		t.Errorf("the parts add up to %v: %+v", sum, r.Score)
	}
}

func TestKindsAreSwitchedOff(t *testing.T) {
	src := &itemShelf{shelf: shelved(append([]memory.Observation{note(1, 10, "The coupon is applied twice")}, others...)...)}
	src.items.Prompts = asking("why is the coupon applied twice")
	f := memory.Filter{Kinds: []memory.ItemKind{memory.KindPrompt, memory.KindSummary}, Project: webshop}
	if a := found(t, src, Query{Text: "coupon applied", Filter: f}); refs(a) != "p1" || len(a.Notes) > 0 {
		t.Errorf("finds %s and says %q", refs(a), a.Notes)
	}
	if slices.Contains(src.shelf.asked, "Near") {
		t.Error("observations are looked for")
	}
	if !src.asked.Global || src.asked.Project != webshop || len(src.asked.Kinds) != 2 {
		t.Errorf("asked with %+v", src.asked)
	}
	// A store that has none to search says so.
	if a := found(t, &plain{src.shelf}, Query{Text: "coupon", Filter: f}); len(a.Results) > 0 || len(a.Notes) != 1 {
		t.Errorf("finds %s and says %q", refs(a), a.Notes)
	}
}

// plain is a store that is searched by words only.
type plain struct{ s *shelf }

func (p *plain) Search(context.Context, string, memory.Filter, int) ([]memory.Hit, error) {
	return []memory.Hit{{Observation: p.s.list[0]}}, nil
}

func TestAnIndexThatIsBeingFilledIsTold(t *testing.T) {
	src := &itemShelf{shelf: shelved(others...)}
	src.items.Summaries.Unindexed, src.items.Prompts.Unindexed = 3, 40
	a := found(t, src, Query{Text: "cache"})
	if len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "43 were not searched yet.") {
		t.Errorf("%q", a.Notes)
	}
	src.err = errShelf
	if _, err := Search(t.Context(), src, Query{Text: "cache"}); !errors.Is(err, errShelf) {
		t.Errorf("a broken index gives %v", err)
	}
}

func TestTheSamePromptIsShownOnce(t *testing.T) {
	src := &itemShelf{shelf: shelved(others...)}
	src.items.Prompts = store.KindMatches{Ideal: 10}
	for i := range 5 {
		src.items.Prompts.Hits = append(src.items.Prompts.Hits, hit(memory.KindPrompt, int64(i+1), 5-i, "look at the nightly import please", 1))
	}
	a := found(t, src, Query{Text: "nightly import"})
	if !strings.HasPrefix(refs(a), "p5") || strings.Count(refs(a), "p") != 1 || fmt.Sprint(a.Results[0].Folded) != "[4 3 2 1]" {
		t.Errorf("finds %s, folded %v", refs(a), a.Results[0].Folded)
	}
}

func TestAPromptWithoutTheIdentifierIsBehindWhatHasIt(t *testing.T) {
	src := &itemShelf{shelf: shelved(append([]memory.Observation{note(1, 400, "Notes on order_service")}, others...)...)}
	src.items.Prompts = store.KindMatches{Ideal: 10, Hits: []memory.ItemHit{
		hit(memory.KindPrompt, 1, 0, "services for an order, order and service", 0.5), hit(memory.KindPrompt, 2, 0, "look at orderService notes", 1),
	}}
	a := found(t, src, Query{Text: "orderService notes", Weights: Weights{Keyword: 0.1, Semantic: 1, Recency: 3}})
	at := func(kind memory.ItemKind, id int64) int {
		return slices.IndexFunc(a.Results, func(r Result) bool { return r.Kind == kind && r.ID == id })
	}
	if other := at(memory.KindPrompt, 1); other >= 0 && other < at(memory.KindObservation, 1) {
		t.Errorf("finds %s", refs(a))
	}
	if own := at(memory.KindPrompt, 2); own < 0 || !a.Results[own].Score.Exact {
		t.Errorf("finds %s", refs(a))
	}
}

func TestOnlyWordsThatMustNotStandListTheNewest(t *testing.T) {
	s := newStore(t)
	list := remember(t, s,
		memory.Observation{Title: "The cart total"}, memory.Observation{Title: "Refunds"}, memory.Observation{Title: "购物车"}, memory.Observation{Title: "Another cart"}, memory.Observation{Title: "Newest"})
	for text, want := range map[string][]int64{
		"-cart":          {list[4].ID, list[2].ID, list[1].ID},
		`-cart -"购物车"`:   {list[4].ID, list[1].ID},
		"-nothing ":      {list[4].ID, list[3].ID, list[2].ID, list[1].ID, list[0].ID},
		"-cart -refunds": {list[4].ID, list[2].ID},
	} {
		a := found(t, s, Query{Text: text, Filter: memory.Filter{Project: webshop}})
		if !slices.Equal(idsOf(a.Results), want) || len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "must not stand") {
			t.Errorf("%s gives %v and says %q, want %v", text, idsOf(a.Results), a.Notes, want)
		}
	}
	a := found(t, s, Query{Text: "-nothing", Limit: 2, Offset: 1})
	if !slices.Equal(idsOf(a.Results), []int64{list[3].ID, list[2].ID}) || !a.More {
		t.Errorf("a page further: %v, more %v", idsOf(a.Results), a.More)
	}
}

func TestWhatCountsInEveryProjectIsFoundInEach(t *testing.T) {
	s := newStore(t)
	list := remember(t, s,
		memory.Observation{Title: "Commit messages are in English", Project: "/other", Scope: memory.ScopeGlobal, SessionID: "o"},
		memory.Observation{Title: "Commit messages name the ticket"},
		memory.Observation{Title: "Commit messages of theirs", Project: "/other", SessionID: "o"})
	for _, f := range []memory.Filter{{Project: webshop}, {Projects: []string{webshop, "/nowhere"}}} {
		a := found(t, s, Query{Text: "commit messages", Filter: f, Now: monday})
		if got := slices.Sorted(slices.Values(idsOf(a.Results))); !slices.Equal(got, []int64{list[0].ID, list[1].ID}) {
			t.Errorf("%+v finds %v", f, got)
		}
		for _, r := range a.Results {
			if r.Scope.IsGlobal() != (r.ID == list[0].ID) {
				t.Errorf("%d has the scope %q", r.ID, r.Scope)
			}
		}
	}
	// It is no miss of a search either.
	misses, err := Missed(t.Context(), s, "commit messages", memory.Filter{Project: webshop, Global: true}, 10, 10)
	if err != nil || len(misses) != 1 || misses[0].Hit.Observation.ID != list[2].ID {
		t.Errorf("%+v (%v)", misses, err)
	}
}

func TestAnIndexThatKnowsNothingIsNoEmptyAnswer(t *testing.T) {
	s := newStore(t)
	if _, err := s.Import(t.Context(), store.Bundle{
		Observations: []memory.Observation{{SessionID: "s", Project: webshop, Title: "The cart is emptied twice"}},
		Prompts:      []memory.Prompt{{SessionID: "s", Project: webshop, Number: 1, Text: "why is the cart emptied?"}},
	}); err != nil {
		t.Fatal(err)
	}
	for _, of := range []struct {
		index string
		kind  memory.ItemKind
	}{{"user_prompts_fts", memory.KindPrompt}, {"observations_fts", memory.KindObservation}} {
		q := Query{Text: "cart", Filter: memory.Filter{Kinds: []memory.ItemKind{of.kind}}}
		if a, err := Search(t.Context(), s, q); err != nil || len(a.Results) != 1 {
			t.Errorf("%s: %d results (%v)", of.kind, len(a.Results), err)
		}
		emptyIndex(t, s, of.index)
		if a, err := Search(t.Context(), s, q); !errors.Is(err, ErrIndex) {
			t.Errorf("an emptied index of %s gives %+v (%v)", of.kind, a.Results, err)
		}
	}
}
