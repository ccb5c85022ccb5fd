package tui

import (
	"context"
	"fmt"
	"testing"
	"time"

	"cmem/memory"
	"cmem/store"
)

// manySessions is a store of n sessions that exist only when they are asked for.
type manySessions struct {
	fakeSource
	sessions int
	asked    int // rows in all
	found    string
	retried  [][]int64
}

func (s *manySessions) session(i int) memory.Session { // 0 is the newest
	return memory.Session{
		RowID: int64(s.sessions - i), ID: fmt.Sprintf("session-%06d", s.sessions-i), Project: webshop,
		Title: fmt.Sprintf("会话 %d", s.sessions-i), CreatedAt: testNow().Add(-time.Duration(i) * time.Minute),
		Status: memory.SessionCompleted,
	}
}

func (s *manySessions) Sessions(_ context.Context, _ memory.Filter, after memory.Cursor, limit int) ([]memory.Session, error) {
	if s.fail != nil {
		return nil, s.fail
	}
	first := 0
	if !after.IsZero() {
		first = s.sessions - int(after.ID) + 1
	}
	var out []memory.Session
	for i := first; i < min(first+limit, s.sessions); i++ {
		out = append(out, s.session(i))
	}
	s.asked += len(out)
	return out, nil
}

func (s *manySessions) FindSessions(_ context.Context, text string, _ memory.Filter, _ int) ([]memory.Session, error) {
	s.found = text
	return []memory.Session{s.session(7)}, nil
}

func (s *manySessions) Projects(context.Context) ([]memory.Project, error) {
	return []memory.Project{{Key: webshop, Sessions: s.sessions, Observations: 1}}, nil
}

func openMany(t *testing.T, n int) (*harness, *manySessions, *sessionsPage) {
	t.Helper()
	s := &manySessions{sessions: n}
	h := open(t, Options{Source: s, Theme: "system", Project: webshop}, 120, 40)
	h.keys("2")
	return h, s, h.m.page.(*sessionsPage)
}

func TestSessionsArePagedWithinBounds(t *testing.T) {
	h, s, p := openMany(t, 5000)
	if len(p.list) != pageSize {
		t.Fatalf("%d sessions were read at first, want %d", len(p.list), pageSize)
	}
	check := func() {
		t.Helper()
		if len(p.list) > maxRows {
			t.Fatalf("%d sessions are held", len(p.list))
		}
		for i := 1; i < len(p.list); i++ {
			if p.list[i].RowID != p.list[i-1].RowID-1 {
				t.Fatalf("between %s and %s there is a gap", p.list[i-1].ID, p.list[i].ID)
			}
		}
	}
	seen := map[string]bool{}
	for range 200 {
		h.keys("pgdown")
		check()
		v, _ := p.at()
		seen[v.ID] = true
	}
	if v, _ := p.at(); v.ID != "session-000001" || !p.atEnd {
		t.Errorf("the way down ends at %s", v.ID)
	}
	before := s.asked
	for range 200 {
		h.keys("pgup")
		check()
	}
	if v, _ := p.at(); v.ID != "session-005000" || len(p.above) != 0 {
		t.Errorf("the way up ends at %s, with %d pages above", v.ID, len(p.above))
	}
	if s.asked-before > 30*maxRows {
		t.Errorf("on the way up %d sessions were read", s.asked-before)
	}
	h.keys("G")
	check()
	if v, _ := p.at(); v.ID != "session-000001" {
		t.Errorf("G leads to %s", v.ID)
	}
	h.see("会话 1 ")
	for range 40 {
		h.keys("pgup")
		check()
	}
	h.keys("g")
	check()
	h.see("会话 5000", "1 of 200+")
}

func TestANewSessionKeepsTheSelection(t *testing.T) {
	h, s, p := openMany(t, 1000)
	h.keys("j", "j", "j")
	want, _ := p.at()
	s.sessions += 2
	h.send(changedMsg{version: 1})
	if got, _ := p.at(); got.ID != want.ID || p.cursor != 5 {
		t.Errorf("the selection went from %s to %s in row %d", want.ID, got.ID, p.cursor)
	}
	h.see("会话 1002") // and the new one is in sight
	h.keys("g")
	s.sessions++
	h.send(changedMsg{version: 2})
	if got, _ := p.at(); got.ID != "session-001003" {
		t.Errorf("from the newest the selection goes to %s, not to what is new", got.ID)
	}
	// Who reads in the details is not disturbed.
	h.keys("tab")
	s.sessions++
	h.send(changedMsg{version: 3})
	if got, _ := p.at(); got.ID != "session-001003" {
		t.Errorf("while reading the selection went to %s", got.ID)
	}
}

func TestEnterShowsTheSessionInTheTimeline(t *testing.T) {
	o, _ := pageOptions(t)
	o.Project = ""
	h := open(t, o, 120, 40)
	h.keys("2", "j", "j", "j", "enter")
	if h.m.view != viewTimeline || h.m.query.wants.SessionID != "7e1b0000-archive" {
		t.Errorf("enter leads to %s with %q", h.m.view, h.m.input.text)
	}
	h.see("第 170 批，第 1 步")
	h.keys("2")
	if p := h.m.page.(*sessionsPage); p.cursor != 3 {
		t.Errorf("the sessions are back in row %d, want that of the session", p.cursor)
	}
}

func TestSessionsGoWithTheFilterLine(t *testing.T) {
	o, _ := pageOptions(t)
	o.Project = ""
	h := open(t, o, 120, 40)
	h.keys("2", "/")
	h.text("branch:pay")
	h.keys("enter")
	h.see("Make the pay")
	h.seeNot("扫描件第")
	h.keys("/", "ctrl+u")
	h.text("before:2026-07-01")
	h.keys("enter")
	h.see("扫描件第 13 批")
	h.seeNot("扫描件第 163 批", "payment")
	h.keys("/", "ctrl+u")
	h.text("促销")
	h.keys("enter")
	h.see("修复购物车")
	h.seeNot("扫描件第")
	h.keys("/", "ctrl+u")
	h.text("kubernetes")
	h.keys("enter")
	h.see("No session goes with kubernetes")
}

func TestAStoryIsBounded(t *testing.T) {
	s := pageStore(t)
	var b store.Bundle
	b.Sessions = []memory.Session{{ID: "long", Project: webshop, Title: "长会话", CreatedAt: testNow().Add(-30 * time.Minute), Status: memory.SessionActive}}
	for n := range 500 {
		b.Observations = append(b.Observations, memory.Observation{
			SessionID: "long", Project: webshop, CreatedAt: testNow().Add(-29 * time.Minute).Add(time.Duration(n) * time.Second), Type: memory.TypeChange,
			Title: fmt.Sprintf("Step %d 步", n), Compressor: "local/v1", Status: memory.StatusActive, Scope: memory.ScopeProject,
		})
	}
	if _, err := s.Import(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	o := demoOptions()
	o.Source = s
	h := open(t, o, 120, 40)
	h.keys("2", "tab", "G")
	if p := h.m.page.(*sessionsPage); len(p.story.items) != storyRows {
		t.Errorf("%d rows of the story were read", len(p.story.items))
	}
	h.see("… and 300 more; enter shows all of them", "more than")
}

func TestTheFinderFindsWhileTyping(t *testing.T) {
	h, s, _ := openMany(t, 300)
	h.keys("S")
	h.see("会话 300", "ctrl+r resumes")
	h.text("pay")
	if s.found != "pay" {
		t.Errorf("the store was asked for %q", s.found)
	}
	h.see("会话 293")
	h.keys("enter")
	if len(h.m.overlays) != 0 || h.m.query.wants.SessionID != "session-000293" {
		t.Errorf("enter leads to %q, with %d windows", h.m.input.text, len(h.m.overlays))
	}
	// An answer that comes when something else was typed is dropped.
	h.keys("S")
	f := h.m.overlays[0].(*finder)
	h.m.sessionsFound(foundSessionsMsg{number: f.number - 1, sessions: []memory.Session{{ID: "old"}}})
	if len(f.found) == 1 {
		t.Error("an old answer is shown")
	}
}

func TestTheFinderCrossesProjects(t *testing.T) {
	o, _ := pageOptions(t)
	h := open(t, o, 120, 40)
	h.keys("S")
	h.text("第 163")
	h.keys("enter")
	if got := projectName(h.m.project); got != "档案库" {
		t.Errorf("the session of another project is looked for in %s", got)
	}
	h.see("第 163 批")
}

func (s *manySessions) RetryNow(_ context.Context, ids []int64) (int, error) {
	s.retried = append(s.retried, ids)
	return max(len(ids), 0), nil
}
