package tui

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"cmem/llm/static"
	"cmem/memory"
	"cmem/recall"
	"cmem/store"
)

// realSource is a Source over a real store, put together as the program does it.
type realSource struct{ *store.Store }

var _ Source = realSource{}

func (s realSource) Meant(ctx context.Context, text string, f memory.Filter, limit int) ([]memory.Hit, error) {
	f.Kinds = []memory.ItemKind{memory.KindObservation}
	a, err := recall.Search(ctx, s.Store, recall.Query{Text: text, Filter: f, Limit: limit})
	var hits []memory.Hit
	for _, r := range a.Results {
		hits = append(hits, memory.Hit{Observation: *r.Observation, Snippet: r.Snippet})
	}
	return hits, err
}

// encodeAll encodes what is in the store, as the worker does.
func encodeAll(t *testing.T, s realSource) {
	t.Helper()
	if err := s.UseModel(t.Context(), static.ID); err != nil {
		t.Fatal(err)
	}
	due, err := s.DueMeanings(t.Context(), static.ID, 1000)
	if err != nil {
		t.Fatal(err)
	}
	list, err := static.Model{}.Embed(t.Context(), due)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := s.SaveMeanings(t.Context(), static.ID, due, list); err != nil || n == 0 {
		t.Fatalf("%d encoded (%v)", n, err)
	}
}

func (s realSource) PlanContext(ctx context.Context, project string) (recall.ContextPlan, error) {
	return recall.Plan(ctx, s, recall.Request{
		Project: project, ProjectName: projectName(project), Source: recall.SourceStartup,
		Limits: recall.Limits{Observations: 50, Sessions: 10, MaxChars: 6000},
	})
}

func (s realSource) WhyContext(ctx context.Context, project string, o memory.Observation) (recall.ContextEntry, error) {
	return recall.WhyContext(ctx, s, recall.Request{
		Project: project, ProjectName: projectName(project), Source: recall.SourceStartup,
		Limits: recall.Limits{Observations: 50, Sessions: 10, MaxChars: 6000},
	}, o)
}

func (s realSource) Missed(ctx context.Context, text string, f memory.Filter, shown, limit int) ([]recall.Miss, error) {
	return recall.Missed(ctx, s, text, f, shown, limit)
}

func (s realSource) Related(ctx context.Context, o memory.Observation, limit int) ([]memory.Hit, error) {
	return recall.Related(ctx, s, o, limit)
}

// realStore gives a store in a folder of the test's own, with the memories of
// the fake one in it.
func realStore(t *testing.T) realSource {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "cmem.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	fake := demoSource()
	var b store.Bundle
	for _, i := range fake.items {
		switch i.Kind {
		case memory.KindObservation:
			o := fake.observations[i.ID]
			o.UID = fmt.Sprintf("01f0a1b2-0000-7000-8000-%012d", o.ID) // frames show it
			b.Observations = append(b.Observations, o)
		case memory.KindSummary:
			x := fake.summaries[i.ID]
			x.UID = fmt.Sprintf("01f0a1b2-0000-7000-9000-%012d", x.ID)
			b.Summaries = append(b.Summaries, x)
		case memory.KindPrompt:
			b.Prompts = append(b.Prompts, fake.prompts[i.ID])
		}
	}
	for _, session := range fake.sessions {
		b.Sessions = append(b.Sessions, session)
	}
	if _, err := s.Import(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	return realSource{s}
}

// realOptions are demoOptions over a real store.
func realOptions(t *testing.T) Options {
	o := demoOptions()
	o.Source = realStore(t)
	return o
}

func TestTheBrowserShowsARealStore(t *testing.T) {
	h := open(t, realOptions(t), 120, 40)
	h.see("Timeline · webshop", "Provenance")
}
