package recall

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

// checkPlan fails when the plan's block is not what Context gives, or when its
// entries do not agree with the block.
func checkPlan(t *testing.T, src ContextSource, r Request, p ContextPlan) {
	t.Helper()
	b, err := Context(t.Context(), src, r)
	if err != nil {
		t.Fatal(err)
	}
	if p.Block.Text != b.Text || fmt.Sprint(p.Block.Stats) != fmt.Sprint(b.Stats) {
		t.Errorf("the plan is of another block:\n%s\nContext gives:\n%s", p.Block.Text, b.Text)
	}
	in := 0
	for i, e := range p.Considered {
		if e.In != e.Reason.Kind.In() {
			t.Errorf("#%d: in %v for %q", e.Item.ID, e.In, e.Reason)
		}
		if stands := strings.Contains(b.Text, fmt.Sprintf("\n#%d ", e.Item.ID)); stands != e.In {
			t.Errorf("#%d: in %v, stands in the block %v", e.Item.ID, e.In, stands)
		}
		if e.In {
			in++
		}
		if i > 0 && e.Item.CreatedAt.After(p.Considered[i-1].Item.CreatedAt) {
			t.Errorf("#%d is newer than the one before it", e.Item.ID)
		}
	}
	if in != b.Stats.Observations || p.Budget.Observations != in || p.Budget.Cut != b.Stats.Cut || p.Budget.Chars != chars(b.Text) || p.Budget.Tokens != b.Stats.Tokens {
		t.Errorf("%d entries are in, budget %+v, the block has %+v", in, p.Budget, b.Stats)
	}
}

func TestThePlanSaysWhyEachObservationIsInTheBlock(t *testing.T) {
	s := newStore(t)
	past := time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	obs := remember(t, s,
		memory.Observation{Title: "pinned long ago 📌", SessionID: "s0", Pinned: true},
		memory.Observation{Title: "old", SessionID: "s0"},
		memory.Observation{Title: "in the old session"},
		memory.Observation{Title: "expired", ValidUntil: past},
		memory.Observation{Title: "归档", Status: memory.StatusArchived, StatusReason: "已经过时"},
		memory.Observation{Title: "wrong", Status: memory.StatusInvalid, StatusReason: "it is cents"},
		memory.Observation{Title: "superseded", Status: memory.StatusSuperseded, SupersededBy: "uid-8-newest 最新"},
		memory.Observation{Title: "valid for years", SessionID: "s2", ValidUntil: monday.AddDate(100, 0, 0)},
		memory.Observation{Title: "newest 最新", SessionID: "s2"},
		memory.Observation{Title: "of another project", SessionID: "s9", Project: "/home/dev/projects/other"},
	)
	r := request()
	r.Limits = Limits{Observations: 3, Sessions: 1, MaxChars: 6000}
	p, err := Plan(t.Context(), s, r)
	if err != nil {
		t.Fatal(err)
	}
	checkPlan(t, s, r, p)
	var got []string
	for _, e := range p.Considered {
		got = append(got, fmt.Sprintf("%s: %s", e.Item.Title, e.Reason))
		one, err := WhyContext(t.Context(), s, r, obs[slices.IndexFunc(obs, func(o memory.Observation) bool { return o.ID == e.Item.ID })])
		if err != nil {
			t.Fatal(err)
		}
		one.Reason.ByID = e.Reason.ByID // of one alone nothing else is read
		if fmt.Sprint(one) != fmt.Sprint(e) {
			t.Errorf("WhyContext says %+v, the plan %+v", one, e)
		}
	}
	want := []string{
		"newest 最新: among the newest 3",
		"valid for years: among the newest 3",
		fmt.Sprintf("superseded: superseded by #%d", obs[8].ID),
		"wrong: marked wrong: it is cents",
		"归档: archived: 已经过时",
		"expired: expired 3 Nov 2026",
		"in the old session: older than the last session",
		"old: 4th newest; 3 are taken",
		"pinned long ago 📌: pinned",
	}
	if !slices.Equal(got, want) {
		t.Errorf("considered\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if p.More || p.Budget.MaxObservations != 3 || p.Budget.MaxSessions != 1 || p.Budget.Pinned != 1 || p.Budget.Sessions != 2 {
		t.Errorf("more %v, budget %+v", p.More, p.Budget)
	}
	other, err := WhyContext(t.Context(), s, r, obs[9])
	if err != nil || other.In || other.Reason.String() != "in another project: other" {
		t.Errorf("of another project: %+v, %v", other, err)
	}
}

func TestThePlanSaysWhatTheBudgetCuts(t *testing.T) {
	var src fake
	for i := range 50 {
		src.observations = append(src.observations, observation(int64(50-i), "s", monday.Add(-time.Duration(i)*time.Minute), strings.Repeat("退款金额🐛", 20)))
	}
	r := request()
	r.Limits.MaxChars = 2000
	p, err := Plan(t.Context(), src, r)
	if err != nil {
		t.Fatal(err)
	}
	checkPlan(t, src, r, p)
	first := slices.IndexFunc(p.Considered, func(e ContextEntry) bool { return !e.In })
	if len(p.Considered) != 50 || p.Budget.Cut == 0 || first != p.Budget.Observations {
		t.Fatalf("%d considered, the first out is %d, budget %+v", len(p.Considered), first, p.Budget)
	}
	for _, e := range p.Considered[first:] {
		if e.Reason.Kind != ReasonBudget || e.Reason.Of != 2000 {
			t.Errorf("#%d: %s", e.Item.ID, e.Reason)
		}
	}
}

func TestAResumedSessionGetsItsOwn(t *testing.T) {
	s := newStore(t)
	obs := remember(t, s,
		memory.Observation{Title: "own, older"},
		memory.Observation{Title: "own"},
		memory.Observation{Title: "own, newer"},
		memory.Observation{Title: "of a later session", SessionID: "s2"},
		memory.Observation{Title: "置顶 📌", SessionID: "s2", Pinned: true},
	)
	r := request()
	r.Source, r.SessionID, r.Limits.Observations = SourceResume, "s1", 2
	p, err := Plan(t.Context(), s, r)
	if err != nil {
		t.Fatal(err)
	}
	checkPlan(t, s, r, p)
	var got []string
	for _, e := range p.Considered {
		got = append(got, e.Item.Title+": "+e.Reason.String())
	}
	want := []string{
		"置顶 📌: pinned", "of a later session: not of the resumed session", "own, newer: of the resumed session", "own: of the resumed session",
		"own, older: 3rd newest; 2 are taken",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	e, err := WhyContext(t.Context(), s, r, obs[0])
	if err != nil || e.Reason.Kind != ReasonOlder || e.Reason.N != 3 {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestThePlanIsBoundedAndStillTellsOfTheWholeBlock(t *testing.T) {
	s := newStore(t)
	list := []memory.Observation{{Title: "pinned in the beginning", Pinned: true}}
	for i := range 700 {
		// Five at a time, as one batch gives them.
		list = append(list, memory.Observation{Title: fmt.Sprintf("thing %d", i), CreatedAt: monday.Add(time.Duration(1+i/5) * time.Minute), Pinned: i == 350})
	}
	obs := remember(t, s, list...)
	p, err := Plan(t.Context(), s, request())
	if err != nil {
		t.Fatal(err)
	}
	checkPlan(t, s, request(), p)
	if !p.More || len(p.Considered) != maxConsidered+1 {
		t.Errorf("more %v, %d considered", p.More, len(p.Considered))
	}
	for _, e := range p.Considered {
		if e.Reason.Kind == ReasonOlder && e.Reason.N != 701-slices.IndexFunc(obs, func(o memory.Observation) bool { return o.ID == e.Item.ID }) {
			t.Errorf("%s: %s", e.Item.Title, e.Reason)
		}
	}
	for i := range 300 {
		if i == 0 {
			continue // pinned
		}
		e, err := WhyContext(t.Context(), s, request(), obs[i])
		if err != nil || e.Reason.Kind != ReasonOlder || e.Reason.N != 701-i {
			t.Fatalf("%s: %s, %v; want the %dth", e.Item.Title, e.Reason, err, 701-i)
		}
	}
}

func TestAStaleObservationIsNotExplained(t *testing.T) {
	s := newStore(t)
	obs := remember(t, s, memory.Observation{Title: "a thing"})
	obs[0].ID += 1000
	if _, err := WhyContext(t.Context(), s, request(), obs[0]); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v", err)
	}
}

// growing is a store in which an observation comes in between the block's reads
// and those of the explanation.
type growing struct{ fake }

func (g growing) ListObservations(ctx context.Context, f memory.Filter, after memory.Cursor, limit int) ([]memory.Observation, error) {
	if f.IncludeExpired {
		g.observations = append([]memory.Observation{observation(99, "s9", monday.Add(time.Hour), "刚刚到达")}, g.observations...)
	}
	return g.fake.ListObservations(ctx, f, after, limit)
}

func TestWhatComesMeanwhileIsNotInThePlan(t *testing.T) {
	for _, limit := range []int{2, 3, 50} {
		src := growing{fake{observations: []memory.Observation{
			observation(3, "s", monday, "third"), observation(2, "s", monday.Add(-time.Hour), "second"), observation(1, "s", monday.Add(-2*time.Hour), "first"),
		}}}
		r := request()
		r.Limits.Observations = limit
		p, err := Plan(t.Context(), src, r)
		if err != nil {
			t.Fatal(err)
		}
		checkPlan(t, src, r, p)
		if len(p.Considered) != 3 || p.Considered[0].Item.ID != 3 {
			t.Errorf("at most %d: %+v", limit, p.Considered)
		}
		if last := p.Considered[2].Reason; limit == 2 && (last.Kind != ReasonOlder || last.N != 3) {
			t.Errorf("the oldest: %+v", last)
		}
	}
}

func TestThePlanOfNothingIsTheFriendlyLine(t *testing.T) {
	p, err := Plan(t.Context(), NoMemories{}, request())
	if err != nil || len(p.Considered) != 0 {
		t.Fatalf("%+v, %v", p, err)
	}
	checkPlan(t, NoMemories{}, request(), p)
}

func TestThePlanOfAFailingStoreIsAnError(t *testing.T) {
	sick := errors.New("disk on fire")
	if _, err := Plan(t.Context(), fake{err: sick}, request()); !errors.Is(err, sick) {
		t.Errorf("got %v", err)
	}
}
