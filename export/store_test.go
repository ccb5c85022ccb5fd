package export

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"cmem/memory"
	"cmem/store"
)

var _ Source = (*store.Store)(nil)

// stored puts the rows into a new store.
func stored(t *testing.T, rows *fakeSource) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "cmem.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	bundle := store.Bundle{Sessions: rows.sessions, Prompts: rows.prompts, Observations: rows.observations, Summaries: rows.summaries}
	if _, err := s.Import(context.Background(), bundle); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStoreComesBackFromItsJSON(t *testing.T) {
	opts := Options{Format: JSON, Filter: Everything(memory.Filter{})}
	src := sample()
	first := write(t, stored(t, src), opts)
	rows := readJSON(t, first)
	if len(rows.sessions) != len(src.sessions) || len(rows.prompts) != len(src.prompts) ||
		len(rows.observations) != len(src.observations) || len(rows.summaries) != len(src.summaries) {
		t.Fatalf("rows are missing in:\n%s", first)
	}
	again := readJSON(t, write(t, stored(t, rows), opts))
	for _, r := range []*fakeSource{rows, again} { // row numbers are each store's own
		for i := range r.prompts {
			r.prompts[i].ID = 0
		}
		for i := range r.observations {
			r.observations[i].ID = 0
		}
		for i := range r.summaries {
			r.summaries[i].ID = 0
		}
	}
	if !reflect.DeepEqual(again.sessions, rows.sessions) || !reflect.DeepEqual(again.prompts, rows.prompts) ||
		!reflect.DeepEqual(again.observations, rows.observations) || !reflect.DeepEqual(again.summaries, rows.summaries) {
		t.Errorf("after a round:\n%+v\nwant:\n%+v", again, rows)
	}
}

func TestStoreExportsFilteredSessionsInFull(t *testing.T) {
	rows := &fakeSource{}
	start := at("2026-11-30T08:00:00Z")
	for i := range 1200 { // more than a page, two sessions interleaved
		session := fmt.Sprintf("session-%d", i%2)
		rows.observations = append(rows.observations, memory.Observation{
			UID: fmt.Sprintf("u%d", i), SessionID: session, Project: webshop, Type: memory.TypeChange, Title: fmt.Sprintf("变更 %d", i),
			Scope: memory.ScopeProject, Status: memory.StatusActive, Compressor: "local/v1", CreatedAt: start.Add(time.Duration(i) * time.Second),
		})
	}
	s := stored(t, rows)
	dir := t.TempDir()
	r := writeDir(t, s, dir, Options{Filter: memory.Filter{Project: webshop}}, BySession)
	if r.Written != 2 || r.Observations != 1200 {
		t.Errorf("report = %+v", r)
	}
	if text := snapshot(t, dir); strings.Count(text, "变更 ") != 1200 {
		t.Errorf("%d of 1200 observations are in the folder", strings.Count(text, "变更 "))
	}
	if r := writeDir(t, s, dir, Options{Filter: memory.Filter{Types: []string{memory.TypeChange}}}, BySession); r.Unchanged != 2 {
		t.Errorf("second report = %+v", r)
	}
}
