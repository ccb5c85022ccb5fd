package recall

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/memory"
	"cmem/store"
)

// told gives misses as "title: reason; reason".
func told(misses []Miss) []string {
	out := make([]string, len(misses))
	for i, m := range misses {
		out[i] = m.Hit.Observation.Title + ": " + phrases(m.Reasons)
	}
	slices.Sort(out)
	return out
}

func phrases(reasons []Reason) string {
	list := make([]string, len(reasons))
	for i, r := range reasons {
		list[i] = r.String()
	}
	return strings.Join(list, "; ")
}

// shop is a store in which a search for "cart 退款" can miss things in every way.
func shop(t *testing.T) *store.Store {
	t.Helper()
	s := newStore(t)
	past := time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	session := func(id, agent, branch string) memory.Session {
		return memory.Session{ID: id, Agent: agent, Project: webshop, GitBranch: branch, CreatedAt: monday}
	}
	_, err := s.Import(t.Context(), store.Bundle{Sessions: []memory.Session{session("s1", "claude-code", "main"), session("s2", "codex", "feat/refund")}})
	if err != nil {
		t.Fatal(err)
	}
	remember(t, s,
		memory.Observation{Title: "cart 退款 one 🛒", Type: memory.TypeBugfix, Tags: []string{"重要"}, Concepts: []string{"money"}, FilesModified: []string{"cart/refund.go"}, GitBranch: "main", Pinned: true},
		memory.Observation{Title: "cart 退款 elsewhere", Project: "/home/dev/projects/other", SessionID: "s9"},
		memory.Observation{Title: "cart 退款 expired", ValidUntil: past},
		memory.Observation{Title: "cart 退款 archived", Status: memory.StatusArchived, StatusReason: "旧"},
		memory.Observation{Title: "cart 退款 superseded", Status: memory.StatusSuperseded},
		memory.Observation{Title: "cart 退款 wrong", Status: memory.StatusInvalid},
		memory.Observation{Title: "cart 退款 other", Type: memory.TypeDecision, SessionID: "s2", GitBranch: "feat/refund"},
		memory.Observation{Title: "cart only"},
		memory.Observation{Title: "退款 only", Project: "/home/dev/projects/other", SessionID: "s9", Status: memory.StatusArchived},
		memory.Observation{Title: "neither"},
	)
	return s
}

func TestAMissSaysEveryReason(t *testing.T) {
	s := shop(t)
	for name, tt := range map[string]struct {
		f    memory.Filter
		want []string
	}{
		"the project's filter": {memory.Filter{Project: webshop}, []string{
			"cart 退款 archived: archived: 旧",
			"cart 退款 elsewhere: in another project: other",
			"cart 退款 expired: expired 3 Nov 2026",
			"cart 退款 superseded: superseded",
			"cart 退款 wrong: marked wrong",
			"cart only: lacks “退款”",
			"退款 only: in another project: other; archived; lacks “cart”",
		}},
		"types": {memory.Filter{Project: webshop, Types: []string{"bugfix"}, IncludeExpired: true, Statuses: everyStatus()}, []string{
			"cart 退款 archived: filtered out by type: bugfix",
			"cart 退款 elsewhere: in another project: other; filtered out by type: bugfix",
			"cart 退款 expired: filtered out by type: bugfix",
			"cart 退款 other: filtered out by type: bugfix",
			"cart 退款 superseded: filtered out by type: bugfix",
			"cart 退款 wrong: filtered out by type: bugfix",
			"cart only: filtered out by type: bugfix; lacks “退款”",
			"退款 only: in another project: other; filtered out by type: bugfix; lacks “cart”",
		}},
		"all that is only of the first": {
			memory.Filter{
				Project: webshop, Concepts: []string{"money"}, Tags: []string{"重要"}, Files: []string{"refund"}, Branches: []string{"ma"}, Agents: []string{"claude-code"},
				SessionID: "s1", PinnedOnly: true, Before: monday.Add(time.Minute), Statuses: everyStatus(), IncludeExpired: true,
			}, []string{
				"cart 退款 other: filtered out by session: s1; filtered out by before: 23 Nov 2026; filtered out by pinned; filtered out by concept: money; " +
					"filtered out by tag: 重要; filtered out by file: refund; filtered out by branch: ma; filtered out by agent: claude-code",
			},
		},
		"statuses and expiry": {memory.Filter{Statuses: []memory.Status{memory.StatusArchived}, ExpiredOnly: true, After: monday.Add(6 * time.Minute)}, []string{
			"cart 退款 one 🛒: filtered out by status: archived; filtered out by expired; filtered out by after: 23 Nov 2026",
			"cart 退款 other: filtered out by status: archived; filtered out by expired",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			shown, err := s.Search(t.Context(), "cart 退款", tt.f, 50)
			if err != nil {
				t.Fatal(err)
			}
			misses, err := Missed(t.Context(), s, "cart 退款", tt.f, len(shown), 50)
			if err != nil {
				t.Fatal(err)
			}
			got := told(misses)
			if name == "all that is only of the first" || name == "statuses and expiry" {
				for _, want := range tt.want {
					if !slices.Contains(got, want) {
						t.Errorf("%q is not among\n%s", want, strings.Join(got, "\n"))
					}
				}
			} else if slices.Sort(tt.want); !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
			for _, m := range misses {
				if slices.ContainsFunc(shown, func(h memory.Hit) bool { return h.Observation.ID == m.Hit.Observation.ID }) {
					t.Errorf("%s is shown", m.Hit.Observation.Title)
				}
			}
		})
	}
}

func TestAMissSaysWhichWordsItLacks(t *testing.T) {
	s := shop(t)
	for text, want := range map[string][]string{
		// Where nothing has all the words, one is enough.
		"cart nowhere": {
			"cart 退款 archived: archived: 旧",
			"cart 退款 elsewhere: in another project: other",
			"cart 退款 expired: expired 3 Nov 2026",
			"cart 退款 superseded: superseded",
			"cart 退款 wrong: marked wrong",
		},
		// Its words are there, and not as the phrase.
		`"one cart" one`: {"cart 退款 one 🛒: lacks “one cart”"},
	} {
		misses, err := Missed(t.Context(), s, text, memory.Filter{Project: webshop}, 10, 50)
		if got := told(misses); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s:\n%s, %v\nwant\n%s", text, strings.Join(got, "\n"), err, strings.Join(want, "\n"))
		}
	}
}

func TestWhatRanksBelowSaysItsRank(t *testing.T) {
	s := newStore(t)
	var list []memory.Observation
	for i := range 40 {
		list = append(list, memory.Observation{Title: "cart" + strings.Repeat(" wheel", i)})
	}
	list = append(list, memory.Observation{Title: "archived cart", Status: memory.StatusArchived}, memory.Observation{Title: "carton 📦"})
	remember(t, s, list...)
	all, err := s.Search(t.Context(), "cart ", memory.Filter{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	misses, err := Missed(t.Context(), s, "cart ", memory.Filter{}, 30, 8)
	if err != nil || len(misses) != 8 {
		t.Fatalf("%d misses, %v", len(misses), err)
	}
	if got := phrases(misses[0].Reasons); got != "archived" { // though it ranks last
		t.Errorf("first comes what no scrolling brings, got %q", got)
	}
	for i, m := range misses[1:] {
		if r := m.Reasons[0]; len(m.Reasons) != 1 || r.Kind != ReasonRanked || r.N != 31+i || r.Of != 30 || m.Hit.Observation.ID != all[30+i].Observation.ID {
			t.Errorf("%s: %+v, the search has %s in that place", m.Hit.Observation.Title, m.Reasons, all[30+i].Observation.Title)
		}
	}
	if misses, err = Missed(t.Context(), s, "cart", memory.Filter{}, 0, 5); err != nil || len(misses) != 5 || misses[1].Reasons[0].N != 1 {
		t.Errorf("nothing shown: %v, %v", told(misses), err)
	}
}

func TestWhatRanksFarBelowSaysSo(t *testing.T) {
	s := newStore(t)
	list := make([]memory.Observation, 60)
	for i := range list {
		list[i] = memory.Observation{Title: "cart 🛒" + strings.Repeat(" 退款 wheel", i)}
	}
	remember(t, s, list...)
	misses, err := Missed(t.Context(), s, "cart nowhere", memory.Filter{}, 20, 8)
	if err != nil || len(misses) != 8 {
		t.Fatalf("%d misses, %v", len(misses), err)
	}
	if first, last := phrases(misses[0].Reasons), phrases(misses[7].Reasons); first != "ranked 21st" || last != "ranked below the first 28" {
		t.Errorf("the first is %s, the last %s", first, last)
	}
}

func TestADeadIndexIsAnErrorAndNotNoResults(t *testing.T) {
	s := shop(t)
	emptyIndex(t, s, "observations_fts")
	if hits, err := s.Search(t.Context(), "cart", memory.Filter{}, 10); err != nil || len(hits) != 0 {
		t.Fatalf("the index is not empty: %d hits, %v", len(hits), err)
	}
	if _, err := Missed(t.Context(), s, "cart", memory.Filter{}, 0, 10); !errors.Is(err, ErrIndex) {
		t.Errorf("got %v", err)
	}
	// What is stored from now on is in it again.
	remember(t, s, memory.Observation{Title: "newest cart", CreatedAt: monday.AddDate(0, 0, 1), SessionID: "s5"})
	if _, err := Missed(t.Context(), s, "cart", memory.Filter{}, 0, 10); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestAnEmptyStoreMissesNothing(t *testing.T) {
	misses, err := Missed(t.Context(), newStore(t), "cart", memory.Filter{}, 0, 10)
	if err != nil || len(misses) != 0 {
		t.Errorf("%v, %v", told(misses), err)
	}
}

func TestATextWithoutALetterIsAnError(t *testing.T) {
	s := shop(t)
	if _, err := Missed(t.Context(), s, `"!" 🛒`, memory.Filter{}, 0, 10); !errors.Is(err, store.ErrEmptyQuery) {
		t.Errorf("got %v", err)
	}
	// A word of punctuation among others is no word.
	misses, err := Missed(t.Context(), s, `cart && 🛒`, memory.Filter{Project: webshop}, 10, 10)
	if err != nil || len(misses) == 0 {
		t.Errorf("%v, %v", told(misses), err)
	}
}

// sickSource fails in one of its methods.
type sickSource struct {
	MissSource
	search, index, missing error
}

func (s sickSource) Search(ctx context.Context, text string, f memory.Filter, limit int) ([]memory.Hit, error) {
	if s.search != nil {
		return nil, s.search
	}
	return s.MissSource.Search(ctx, text, f, limit)
}

func (s sickSource) IndexKnows(ctx context.Context, kind memory.ItemKind) (bool, error) {
	if s.index != nil {
		return false, s.index
	}
	return s.MissSource.IndexKnows(ctx, kind)
}

func (s sickSource) MissingWords(ctx context.Context, text string, id int64) ([]string, error) {
	if s.missing != nil {
		return nil, s.missing
	}
	return s.MissSource.MissingWords(ctx, text, id)
}

func TestAFailingStoreFailsTheExplanation(t *testing.T) {
	s := shop(t)
	sick := errors.New("disk on fire")
	for name, src := range map[string]sickSource{
		"search": {MissSource: s, search: sick}, "index": {MissSource: s, index: sick}, "words": {MissSource: s, missing: sick},
	} {
		if _, err := Missed(t.Context(), src, "cart", memory.Filter{Project: webshop}, 1, 10); !errors.Is(err, sick) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestSharesLeaveRoomForEveryKind(t *testing.T) {
	hits := func(from, n int) []memory.Hit {
		out := make([]memory.Hit, n)
		for i := range out {
			out[i].Observation.ID = int64(from + i)
		}
		return out
	}
	for _, tt := range []struct{ a, b, c, wantA, wantB, wantC int }{
		{100, 100, 100, 10, 5, 5},
		{100, 0, 0, 20, 0, 0},
		{0, 100, 100, 0, 15, 5},
		{0, 0, 100, 0, 0, 20},
		{3, 2, 1, 3, 2, 1},
		{100, 2, 100, 13, 2, 5},
		{0, 0, 0, 0, 0, 0},
	} {
		var a, b, c int
		for _, h := range shares(20, hits(0, tt.a), hits(1000, tt.b), hits(2000, tt.c)) {
			switch {
			case h.Observation.ID < 1000:
				a++
			case h.Observation.ID < 2000:
				b++
			default:
				c++
			}
		}
		if a != tt.wantA || b != tt.wantB || c != tt.wantC {
			t.Errorf("of %d, %d and %d: %d, %d and %d", tt.a, tt.b, tt.c, a, b, c)
		}
	}
}

func TestWordsAreLeftOutInTurn(t *testing.T) {
	for text, want := range map[string][]string{
		"cart":                  nil,
		"":                      nil,
		`"connection reset"`:    nil,
		"cart 退款":               {"退款 ", "cart "},
		`a "b  c" d`:            {`"b  c" d `, `a d `, `a "b  c" `},
		`open "quote here`:      {`"quote here `, "open here ", `open "quote `},
		"1 2 3 4 5 6 7 8 (six)": {"2 3 4 5 6 7 8 (six) ", "1 3 4 5 6 7 8 (six) ", "1 2 4 5 6 7 8 (six) ", "1 2 3 5 6 7 8 (six) ", "1 2 3 4 6 7 8 (six) ", "1 2 3 4 5 7 8 (six) "},
	} {
		if got := withoutOne(text); !slices.Equal(got, want) {
			t.Errorf("withoutOne(%q) = %q, want %q", text, got, want)
		}
	}
}
