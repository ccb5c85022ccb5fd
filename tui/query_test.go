package tui

import (
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
)

func TestTheFilterLineIsRead(t *testing.T) {
	day := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, testZone) }
	for _, tc := range []struct {
		in            string
		text, project string
		wants         memory.Filter
	}{
		{in: ""},
		{in: "retry backoff", text: "retry backoff"},
		{in: `"exact words" more`, text: `"exact words" more`},
		{in: "type:bugfix", wants: memory.Filter{Types: []string{"bugfix"}}},
		{in: "type:d", wants: memory.Filter{Types: []string{"decision", "discovery"}}},
		{in: "TYPE:Bug retry", text: "retry", wants: memory.Filter{Types: []string{"bugfix"}}},
		{in: "type:feature,bugfix", wants: memory.Filter{Types: []string{"feature", "bugfix"}}},
		{in: "type:own-kind", wants: memory.Filter{Types: []string{"own-kind"}}},
		{in: "type:"},
		{in: "concept:重试，退避 file:payment/client.go", wants: memory.Filter{Concepts: []string{"重试", "退避"}, Files: []string{"payment/client.go"}}},
		{in: `concept:"dead letter" x`, text: "x", wants: memory.Filter{Concepts: []string{"dead letter"}}},
		{in: "tag:#api tag:v2", wants: memory.Filter{Tags: []string{"api", "v2"}}},
		{in: "project:webshop 价格", text: "价格", project: "webshop"},
		{in: "修复\u3000价格", text: "修复 价格"},
		{in: "http://localhost:80", text: "http://localhost:80"},
		{in: "std::vector", text: "std::vector"},
		{in: "pkg.Func: err", text: "pkg.Func: err"},
		{in: `"unclosed quote`, text: `"unclosed quote`},
		{in: "is:pinned", wants: memory.Filter{PinnedOnly: true}},
		{in: "status:archived", wants: memory.Filter{Statuses: []memory.Status{memory.StatusArchived}, IncludeExpired: true}},
		{in: "status:wrong", wants: memory.Filter{Statuses: []memory.Status{memory.StatusInvalid}, IncludeExpired: true}},
		{in: "is:expired", wants: memory.Filter{ExpiredOnly: true, IncludeExpired: true}},
		{in: "status:all", wants: memory.Filter{Statuses: allStatuses, IncludeExpired: true}},
		{in: "kind:prompts,summaries", wants: memory.Filter{Kinds: []memory.ItemKind{memory.KindPrompt, memory.KindSummary}}},
		{in: "agent:claude-code branch:feat/", wants: memory.Filter{Agents: []string{"claude-code"}, Branches: []string{"feat/"}}},
		{in: "session:5f3a", wants: memory.Filter{SessionID: "5f3a"}},
		{in: "after:2026-11-01 before:2026-11-15", wants: memory.Filter{After: day(2026, 11, 1), Before: day(2026, 11, 15)}},
		{in: "on:2026-11", wants: memory.Filter{After: day(2026, 11, 1), Before: day(2026, 12, 1)}},
		{in: "after:7d", wants: memory.Filter{After: day(2026, 11, 23)}},
	} {
		got := parseQuery(tc.in, testNow())
		if got.text != tc.text || got.project != tc.project || !reflect.DeepEqual(got.wants, tc.wants) {
			t.Errorf("parseQuery(%q) = %q, %q, %+v", tc.in, got.text, got.project, got.wants)
		}
		if why := got.wrong(); why != "" {
			t.Errorf("parseQuery(%q) finds it wrong: %s", tc.in, why)
		}
	}
}

func TestAFilterThatMeansNothingSaysSoAndTakesEverything(t *testing.T) {
	for _, in := range []string{"after:2026-13-01", "on:soon", "status:gone", "kind:tea", "is:blue", "before:x9"} {
		q := parseQuery(in, testNow())
		if q.wrong() == "" || !q.isEmpty() {
			t.Errorf("%q: wrong %q, filter %+v", in, q.wrong(), q.wants)
		}
	}
	h := open(t, demoOptions(), 80, 24)
	h.keys("/")
	h.text("after:2026-13-01")
	h.see("2026-13-01 is no date")
}

func TestDaysAreReadAsPeopleTypeThem(t *testing.T) {
	for in, want := range map[string][2]string{ // testNow is Monday, 30 November 2026
		"2026-11-01": {"2026-11-01", "2026-11-02"},
		"2026/11/1":  {"2026-11-01", "2026-11-02"},
		"2026-11":    {"2026-11-01", "2026-12-01"},
		"2026":       {"2026-01-01", "2027-01-01"},
		"today":      {"2026-11-30", "2026-12-01"},
		"Yesterday":  {"2026-11-29", "2026-11-30"},
		"mon":        {"2026-11-30", "2026-12-01"},
		"tuesday":    {"2026-11-24", "2026-11-25"},
		"0d":         {"2026-11-30", "2026-12-01"},
		"2w":         {"2026-11-16", "2026-12-01"},
		"3m":         {"2026-08-30", "2026-12-01"},
		"1y":         {"2025-11-30", "2026-12-01"},
	} {
		from, to, ok := parseDays(in, testNow())
		if got := [2]string{dayOf(from), dayOf(to)}; !ok || got != want {
			t.Errorf("parseDays(%q) = %v, %v; want %v", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "d", "-3d", "99999999999999999999d", "2026-02-30", "mo", "3h"} {
		if _, _, ok := parseDays(in, testNow()); ok {
			t.Errorf("parseDays takes %q", in)
		}
	}
}

func FuzzTheFilterLineIsReadWhateverItIs(f *testing.F) {
	f.Add(`type:"a b" "x`)
	f.Add("after:2026-11 tag:#重试\u3000is:pinned 修复")
	f.Fuzz(func(t *testing.T, s string) {
		q := parseQuery(s, testNow())
		if q.filter("p").Project != "p" {
			t.Errorf("%q loses the project", s)
		}
		if !q.equal(parseQuery(s, testNow())) {
			t.Errorf("%q is read in two ways", s)
		}
		at := 0
		for n, term := range q.terms {
			if term.from < at || term.to <= term.from || term.to > len(s) {
				t.Fatalf("%q: term %d stands at %d to %d", s, n, term.from, term.to)
			}
			at = term.to
			if got := len(parseQuery(q.without(s, n), testNow()).terms); got != len(q.terms)-1 {
				t.Errorf("%q without term %d is %q, which has %d terms", s, n, q.without(s, n), got)
			}
		}
	})
}

func TestFiltersAreChipsThatAreRemovedOneByOne(t *testing.T) {
	h := open(t, demoOptions(), 120, 24)
	h.keys("/")
	h.text("type:bugfix retry file:payment")
	h.keys("enter")
	h.see(" type:bugfix × ", " file:payment × ", "retry")
	h.keys("backspace")
	h.seeNot("file:payment")
	h.see("type:bugfix", "retry")
	chips := h.m.chips(100)
	h.send(tea.MouseClickMsg{X: chips[0].x + 2, Y: h.m.layout.filter.y, Button: tea.MouseLeft})
	if got := h.m.input.text; got != "retry" {
		t.Errorf("after a click on the chip the line is %q", got)
	}
}

func TestChipsThatDoNotFitAreCounted(t *testing.T) {
	h := open(t, demoOptions(), 40, 24)
	h.keys("/")
	h.text("type:bugfix,feature concept:重试 file:payment/client.go after:2026-11-01")
	h.keys("enter")
	h.see("+")
	h.frame()
}

func TestFiltersAreRememberedByProject(t *testing.T) {
	h := open(t, demoOptions(), 120, 24)
	h.keys("/")
	h.text("type:bugfix")
	h.keys("enter")
	h.run(h.m.setProject(notes))
	if h.m.input.text != "" {
		t.Errorf("the other project begins with %q", h.m.input.text)
	}
	h.run(h.m.setProject(webshop))
	if h.m.input.text != "type:bugfix" {
		t.Errorf("coming back finds %q", h.m.input.text)
	}
}

func TestTheWordBeingTypedIsCompleted(t *testing.T) {
	h := open(t, realOptions(t), 120, 24)
	h.keys("/")
	h.text("ty")
	h.see("type:", "bugfix, decision, …")
	h.keys("tab")
	if h.m.input.text != "type:" {
		t.Fatalf("tab makes it %q", h.m.input.text)
	}
	h.text("b")
	h.keys("tab")
	if h.m.input.text != "type:bugfix" {
		t.Errorf("tab makes it %q", h.m.input.text)
	}
	h.text(" concept:")
	h.keys("tab")
	first := h.m.input.text
	h.keys("tab")
	second := h.m.input.text
	h.keys("shift+tab")
	if first == "type:bugfix concept:" || first == second || h.m.input.text != first {
		t.Errorf("tab gives %q, then %q, and shift+tab %q", first, second, h.m.input.text)
	}
	for w := 1; w < 130; w += 7 {
		for height := 1; height < 26; height += 3 {
			h.send(tea.WindowSizeMsg{Width: w, Height: height})
			h.frame()
		}
	}
}

func TestAnArchivedMemoryIsShownWhenAskedFor(t *testing.T) {
	o := realOptions(t)
	store := o.Source.(realSource)
	found, err := store.Search(t.Context(), "retry", memory.Filter{}, 1)
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	archived := memory.StatusArchived
	if _, err := store.Edit(t.Context(), []int64{found[0].Observation.ID}, memory.Edit{Status: &archived}); err != nil {
		t.Fatal(err)
	}
	h := open(t, o, 120, 40)
	title := found[0].Observation.Title[:20]
	h.seeNot(title)
	h.keys(".")
	h.see(title, "archived", "status:all")
	h.keys(".")
	h.seeNot(title)
}

func TestAProjectIsFoundByWhatAPersonCallsIt(t *testing.T) {
	projects := []memory.Project{
		{Key: "/home/dev/projects/webshop-admin"}, {Key: webshop}, {Key: notes}, {Key: `C:\Users\dev\Tools`},
	}
	for _, tc := range []struct {
		name, want string
		found      bool
	}{
		{"webshop", webshop, true}, // its name, though another begins with it
		{"Web", "/home/dev/projects/webshop-admin", true},
		{"tools", `C:\Users\dev\Tools`, true},
		{notes, notes, true},
		{"projects/no", notes, true},
		{"missing", "", false},
	} {
		if got, found := findProject(projects, tc.name); got != tc.want || found != tc.found {
			t.Errorf("findProject(%q) = %q, %v; want %q, %v", tc.name, got, found, tc.want, tc.found)
		}
	}
}

// The view is what the list is, wherever its filter comes from.
func TestTheViewFollowsTheFilterOfTheProject(t *testing.T) {
	h := open(t, demoOptions(), 120, 24)
	h.keys("/")
	h.text("retry")
	h.keys("enter")
	if h.m.view != viewSearch {
		t.Fatalf("a search is shown as %s", h.m.view)
	}
	h.run(h.m.setProject(notes))
	if h.m.view != viewTimeline && h.m.input.text == "" {
		h.keys("1")
	}
	h.keys("1")
	h.run(h.m.setProject(webshop)) // its search comes back
	if h.m.view != viewSearch {
		t.Errorf("the search that came back is shown as %s", h.m.view)
	}
	h.keys("1")
	if h.m.view != viewTimeline || h.m.input.text != "" {
		t.Errorf("1 shows %s with the filter %q", h.m.view, h.m.input.text)
	}
}

func TestBackFromWhyDoesNotBeginToType(t *testing.T) {
	h := open(t, realOptions(t), 120, 24)
	h.keys("/")
	h.text("retry")
	h.keys("enter", "8", "esc", "1")
	if h.m.input.text != "" || h.m.view != viewTimeline {
		t.Errorf("the line is %q in %s", h.m.input.text, h.m.view)
	}
}

func TestALineTakesNoFile(t *testing.T) {
	h := open(t, demoOptions(), 80, 24)
	h.keys("/")
	h.send(tea.PasteMsg{Content: strings.Repeat("错 word ", 50_000)})
	if n := len(h.m.input.text); n == 0 || n > maxInput {
		t.Errorf("%d bytes were taken in", n)
	}
	h.frame()
}
