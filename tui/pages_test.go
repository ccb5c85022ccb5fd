package tui

import (
	"context"
	"fmt"
	"image/color"
	"path/filepath"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"cmem/memory"
	"cmem/store"
)

// pageStore gives a real store with the memories of the fake one, in sessions
// with times, and with half a year of another project before them.
func pageStore(t *testing.T) realSource {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "cmem.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	fake := demoSource()
	var b store.Bundle
	for _, i := range fake.items {
		v := fake.sessions[i.SessionID]
		if v.CreatedAt.IsZero() || i.CreatedAt.Before(v.CreatedAt) {
			v.CreatedAt = i.CreatedAt
		}
		if i.CreatedAt.After(v.LastEventAt) {
			v.LastEventAt = i.CreatedAt
		}
		fake.sessions[i.SessionID] = v
		switch i.Kind {
		case memory.KindObservation:
			b.Observations = append(b.Observations, fake.observations[i.ID])
		case memory.KindSummary:
			b.Summaries = append(b.Summaries, fake.summaries[i.ID])
		case memory.KindPrompt:
			b.Prompts = append(b.Prompts, fake.prompts[i.ID])
		}
	}
	for _, v := range fake.sessions {
		if v.Title == "Make the payment client survive timeouts" {
			v.Status = memory.SessionActive
		}
		b.Sessions = append(b.Sessions, v)
	}
	const archive = "/home/dev/projects/档案库"
	types := memory.ObservationTypes()
	for day := range 170 {
		if day%3 == 2 || day%7 == 6 {
			continue
		}
		when := testNow().AddDate(0, 0, -day-4).Add(-5 * time.Hour)
		id := fmt.Sprintf("7e1b%04d-archive", day)
		b.Sessions = append(b.Sessions, memory.Session{
			ID: id, Project: archive, CWD: archive, CreatedAt: when, LastEventAt: when.Add(40 * time.Minute), GitBranch: "feat/ocr",
			Title: fmt.Sprintf("扫描件第 %d 批入库", 170-day),
		})
		b.Prompts = append(b.Prompts, memory.Prompt{SessionID: id, Project: archive, Number: 1, Text: fmt.Sprintf("把第 %d 批扫描件入库 📦", 170-day), CreatedAt: when})
		for n := range 1 + (day*7+day/3)%8 {
			b.Observations = append(b.Observations, memory.Observation{
				SessionID: id, Project: archive, PromptNumber: 1, CreatedAt: when.Add(time.Duration(n+1) * 7 * time.Minute),
				Type: types[(day+n)%len(types)], Title: fmt.Sprintf("第 %d 批，第 %d 步：识别并校对", 170-day, n+1), Compressor: "local/v1",
				Status: memory.StatusActive, Concepts: []string{"扫描", "校对"}[:1+n%2], TokensSource: 900 + 13*day,
				FilesModified: []string{fmt.Sprintf("ocr/stage_%d.go", n)}, Scope: memory.ScopeProject,
			})
		}
	}
	for n := range b.Observations { // they are shown
		b.Observations[n].UID = fmt.Sprintf("01a22c00-0000-7000-8000-%012d", n)
	}
	for n := range b.Summaries {
		b.Summaries[n].UID = fmt.Sprintf("01a22c00-0000-7000-9000-%012d", n)
	}
	if _, err := s.Import(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	return realSource{s}
}

// sizedSource is a real store whose file is always as large.
type sizedSource struct{ realSource }

func (s sizedSource) Totals(ctx context.Context, project string) (store.Totals, error) {
	t, err := s.realSource.Totals(ctx, project)
	t.SizeBytes = 1_234_567
	return t, err
}

// pageOptions are demoOptions over pageStore.
func pageOptions(t *testing.T) (Options, realSource) {
	s := pageStore(t)
	o := demoOptions()
	o.Source = sizedSource{s}
	return o, s
}

// fillQueue puts work into the queue: a batch that waits, and one that failed.
func fillQueue(t *testing.T, s realSource) {
	t.Helper()
	at := testNow().Add(-26 * time.Hour).UTC()
	var events []memory.Event
	for n, session := range []string{"5f3a9c1e-0001", "5f3a9c1e-0001", "5f3a9c1e-0002"} {
		events = append(events, memory.Event{
			ID: fmt.Sprintf("20261129T1304%02d-a", n), CreatedAt: at.Add(time.Duration(n) * time.Minute), Agent: "claude-code",
			Name: memory.EventPostToolUse, SessionID: session, CWD: webshop, Project: webshop, ToolName: "Edit", Raw: []byte(`{"a":1}`),
		})
	}
	if _, err := s.AddEvents(t.Context(), events); err != nil {
		t.Fatal(err)
	}
	if _, err := s.GroupEvents(t.Context(), testNow().Add(-time.Hour), time.Minute, 50); err != nil {
		t.Fatal(err)
	}
	open, err := s.OpenBatches(t.Context(), 0, 10)
	if err != nil || len(open) != 2 {
		t.Fatalf("%d open batches, %v; want 2", len(open), err)
	}
	for range 3 {
		if err := s.RetryBatch(t.Context(), open[1].ID, "compress: claude: 529 overloaded\n请稍后再试 (request req_011)", testNow().Add(8*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPagesLookAsAgreed(t *testing.T) {
	slow(t)
	untouched, _ := pageOptions(t)
	for _, scene := range []struct {
		name    string
		prepare func(t *testing.T, s realSource) // nil: the store stays as it is
		play    func(h *harness)
	}{
		{"sessions", nil, func(h *harness) { h.useClusters(); h.keys("2") }},
		{"sessions-all", nil, func(h *harness) {
			h.useClusters()
			h.run(h.m.setProject(""))
			h.keys("2", "j", "j", "j")
		}},
		{"story", nil, func(h *harness) { h.keys("2", "tab") }},
		{"finder", nil, func(h *harness) { h.useClusters(); h.keys("S"); h.text("扫描 3") }},
		{"project-list", nil, func(h *harness) { h.useClusters(); h.keys("4", "j") }},
		{"project-details", nil, func(h *harness) { h.useClusters(); h.keys("4", "j", "j", "tab") }},
		{"stats", nil, func(h *harness) { h.useClusters(); h.run(h.m.setProject("")); h.keys("5") }},
		{"stats-end", nil, func(h *harness) { h.useClusters(); h.run(h.m.setProject("")); h.keys("5", "G") }},
		{"queue", fillQueue, func(h *harness) {
			h.useClusters()
			h.send(statusMsg{Status{
				Running: true, Since: testNow().Add(-3 * time.Minute), Waiting: 4, Bad: 1, Provider: "claude",
				Paused: "529 overloaded, 3 times in a row; again at 15:12",
			}})
			h.keys("6", "j")
		}},
		{"queue-empty", nil, func(h *harness) { h.keys("6") }},
		{"context", func(t *testing.T, s realSource) {
			archived, reason := memory.StatusArchived, "done twice"
			if _, err := s.Edit(t.Context(), []int64{3}, memory.Edit{Status: &archived, Reason: &reason}); err != nil {
				t.Fatal(err)
			}
		}, func(h *harness) { h.useClusters(); h.keys("7") }},
		{"context-text", nil, func(h *harness) { h.useClusters(); h.keys("7", "z") }},
		{"context-all", nil, func(h *harness) { h.run(h.m.setProject("")); h.keys("7") }},
		{"why", nil, func(h *harness) {
			h.useClusters()
			h.keys("/")
			h.text("attachments type:bugfix")
			h.keys("enter", "8")
		}},
	} {
		o := untouched
		if scene.prepare != nil {
			var s realSource
			o, s = pageOptions(t)
			scene.prepare(t, s)
		}
		for _, size := range append(sizes, [2]int{56, 18}) {
			name := fmt.Sprintf("%s-%dx%d", scene.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				h := open(t, o, size[0], size[1])
				scene.play(h)
				golden(t, "frames/page-"+name+".txt", h.frame())
			})
		}
	}
}

// The heat map is to be read with colours and without.
func TestPagesAreStyledAsAgreed(t *testing.T) {
	o, _ := pageOptions(t)
	o.Project = ""
	for _, tc := range []struct {
		name       string
		background color.Color
		profile    colorprofile.Profile
	}{
		{"light", color.White, colorprofile.TrueColor},
		{"dark", color.Black, colorprofile.TrueColor},
		{"mono", color.Black, colorprofile.ASCII},
	} {
		for page, key := range map[string]string{"stats": "5", "sessions": "2"} {
			name := fmt.Sprintf("page-%s-%s-120x40", page, tc.name)
			t.Run(name, func(t *testing.T) {
				h := open(t, o, 120, 40)
				h.send(tea.BackgroundColorMsg{Color: tc.background})
				h.send(tea.ColorProfileMsg{Profile: tc.profile})
				h.keys(key)
				golden(t, "styles/"+name+".ansi", h.m.View().Content+"\n")
			})
		}
	}
}
