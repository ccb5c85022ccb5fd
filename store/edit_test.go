package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

func TestAnEditReachesEverythingMadeFromTheRow(t *testing.T) {
	s := newStore(t)
	o := remember(t, s, memory.Observation{Title: "Old words", Tags: []string{"a", "b"}, Type: "bugfix"})[0]
	snap, err := s.Edit(t.Context(), []int64{o.ID}, memory.Edit{
		Title: ptr("支付回调 paymentService"), Type: ptr("decision"), AddTags: []string{"c", "a", "  "}, RemoveTags: []string{"b"},
		Facts: &[]string{"timeout=3s"}, Reason: ptr("two\nlines"), Status: ptr(memory.StatusArchived),
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(snap.Saved) != 1 || len(snap.Saved[0].Rows) != 1 {
		t.Errorf("snapshot %+v", snap)
	}
	got, err := s.Observation(t.Context(), o.ID)
	if err != nil {
		t.Fatal(err)
	}
	want := o
	want.Title, want.Type, want.Tags, want.Facts = "支付回调 paymentService", "decision", []string{"a", "c"}, []string{"timeout=3s"}
	want.Status, want.StatusReason, want.EditedAt = memory.StatusArchived, "two lines", s.now()
	want.ContentHash = contentHash(want)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("edited\n%+v\nwant\n%+v", got, want)
	}
	archived := memory.Filter{Statuses: []memory.Status{memory.StatusArchived}}
	for text, found := range map[string]int{"payment": 1, "签名": 0, "回调": 1, "timeout": 1, "c": 1, "Old": 0} {
		if hits, err := s.Search(t.Context(), text, archived, 10); err != nil || len(hits) != found {
			t.Errorf("search for %s: %d hits, want %d (%v)", text, len(hits), found, err)
		}
	}
	totals, err := s.Totals(t.Context(), webshop)
	if err != nil || totals.Observations != 0 {
		t.Errorf("totals %+v (%v)", totals, err)
	}
	healthy(t, s)

	if _, err := s.Edit(t.Context(), []int64{o.ID}, memory.Edit{Status: ptr(memory.StatusActive)}); err != nil {
		t.Fatal(err)
	}
	if got, err = s.Observation(t.Context(), o.ID); err != nil || got.Status != memory.StatusActive || got.StatusReason != "" {
		t.Errorf("active again: %+v (%v)", got, err)
	}
}

func TestAnEditThatChangesNothingLeavesNoTrace(t *testing.T) {
	s, done, _ := peopled(t)
	before := dump(t, s)
	snap, err := s.Edit(t.Context(), []int64{done[0].ID, done[0].ID}, memory.Edit{
		Title: &done[0].Title, Pinned: ptr(false), RemoveTags: []string{"none"}, Status: ptr(memory.StatusActive),
	})
	if err != nil || !snap.IsZero() || dump(t, s) != before {
		t.Errorf("snapshot %+v (%v)", snap, err)
	}
}

func TestAFailingChangeChangesNothing(t *testing.T) {
	s, done, provisional := peopled(t)
	first, second, missing := done[0].ID, done[1].ID, int64(987)
	obs := func(id int64) memory.Ref { return memory.Ref{Kind: memory.KindObservation, ID: id} }
	tests := []struct {
		name string
		do   func(ctx context.Context) (memory.Snapshot, error)
		is   error
		says string
	}{
		{"edit of a missing one", func(ctx context.Context) (memory.Snapshot, error) {
			return s.Edit(ctx, []int64{first, missing}, memory.Edit{Pinned: ptr(true)})
		}, ErrNotFound, "observation 987"},
		{"missing successor", func(ctx context.Context) (memory.Snapshot, error) {
			return s.Edit(ctx, []int64{first}, memory.Edit{SupersededBy: &missing})
		}, ErrNotFound, "observation 987"},
		{"its own successor", func(ctx context.Context) (memory.Snapshot, error) {
			return s.Edit(ctx, []int64{second, first}, memory.Edit{SupersededBy: &first})
		}, nil, "by itself"},
		{"two say the same", func(ctx context.Context) (memory.Snapshot, error) {
			return s.Edit(ctx, []int64{first, second}, memory.Edit{Title: ptr("同一个"), Narrative: ptr("")})
		}, ErrDuplicate, fmt.Sprint("observation ", first)},
		{"no title", func(ctx context.Context) (memory.Snapshot, error) {
			return s.Edit(ctx, []int64{first}, memory.Edit{Title: ptr(" \n")})
		}, nil, "needs a title"},
		{"no type", func(ctx context.Context) (memory.Snapshot, error) {
			return s.Edit(ctx, []int64{first}, memory.Edit{Type: ptr("")})
		}, nil, "needs a type"},
		{"strange status", func(ctx context.Context) (memory.Snapshot, error) {
			return s.Edit(ctx, []int64{first}, memory.Edit{Status: ptr(memory.Status("odd"))})
		}, nil, `"odd"`},
		{"weight", func(ctx context.Context) (memory.Snapshot, error) {
			return s.Edit(ctx, []int64{first}, memory.Edit{Weight: ptr(math.NaN())})
		}, nil, "weight"},
		{"merge with a missing one", func(ctx context.Context) (memory.Snapshot, error) {
			return s.Merge(ctx, first, []int64{second, missing})
		}, ErrNotFound, "observation 987"},
		{"merge into a missing one", func(ctx context.Context) (memory.Snapshot, error) {
			return s.Merge(ctx, missing, []int64{second})
		}, ErrNotFound, "observation 987"},
		{"delete of a missing one", func(ctx context.Context) (memory.Snapshot, error) {
			return s.Delete(ctx, []memory.Ref{obs(first), {Kind: memory.KindSummary, ID: missing}})
		}, ErrNotFound, "summary 987"},
		{"delete of no kind", func(ctx context.Context) (memory.Snapshot, error) {
			return s.Delete(ctx, []memory.Ref{obs(first), {Kind: "events; DROP TABLE events", ID: 1}})
		}, nil, "no rows of kind"},
		{"note without title", func(ctx context.Context) (memory.Snapshot, error) {
			_, snap, err := s.Add(ctx, memory.Observation{Narrative: "x"})
			return snap, err
		}, nil, "needs a title"},
		{"note in no session", func(ctx context.Context) (memory.Snapshot, error) {
			_, snap, err := s.Add(ctx, memory.Observation{Title: "x", SessionID: "nowhere"})
			return snap, err
		}, ErrNotFound, "nowhere"},
		{"note that is there", func(ctx context.Context) (memory.Snapshot, error) {
			_, snap, err := s.Add(ctx, memory.Observation{Title: provisional[0].Title, Narrative: provisional[0].Narrative, SessionID: "s2"})
			return snap, err
		}, ErrDuplicate, fmt.Sprint("observation ", provisional[0].ID)},
		{"foreign snapshot", func(ctx context.Context) (memory.Snapshot, error) {
			return memory.Snapshot{}, s.Restore(ctx, memory.Snapshot{
				Created: []memory.Ref{obs(first)}, Saved: []memory.SavedRows{{Table: "sqlite_master", Columns: []string{"id"}, Rows: [][]any{{1}}}},
			})
		}, nil, "no such table"},
		{"foreign column", func(ctx context.Context) (memory.Snapshot, error) {
			return memory.Snapshot{}, s.Restore(ctx, memory.Snapshot{
				Saved: []memory.SavedRows{{Table: "observations", Columns: []string{`id" = 1; --`}, Rows: [][]any{{1}}}},
			})
		}, nil, "no column"},
	}
	before := dump(t, s)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			snap, err := tt.do(t.Context())
			if err == nil || tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want one with %q", err, tt.says)
			}
			if !snap.IsZero() {
				t.Errorf("a snapshot of nothing: %+v", snap)
			}
			if after := dump(t, s); after != before {
				t.Errorf("changed:\n%s\nbefore:\n%s", after, before)
			}
		})
	}
}

func TestMergeGathersWhatTheOthersHave(t *testing.T) {
	s := newStore(t)
	list := remember(t, s,
		memory.Observation{Title: "keep", Facts: []string{"a"}, Tags: []string{"t"}, FilesRead: []string{"x.go"}},
		memory.Observation{Title: "other", Facts: []string{"b", "a"}, Concepts: []string{"缓存"}, Narrative: "short", Pinned: true},
		memory.Observation{Title: "third", FilesModified: []string{"y.go"}, Narrative: "the longest 叙述", Tags: []string{"u"}, SessionID: "s2"},
	)
	if _, err := s.Merge(t.Context(), list[0].ID, []int64{list[1].ID, list[0].ID, list[2].ID}); err != nil {
		t.Fatal(err)
	}
	o, err := s.Observation(t.Context(), list[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(o.Title, o.Facts, o.Concepts, o.FilesRead, o.FilesModified, o.Tags, o.Narrative, o.Pinned, o.Status)
	if want := fmt.Sprint("keep", []string{"a", "b"}, []string{"缓存"}, []string{"x.go"}, []string{"y.go"}, []string{"t", "u"},
		"the longest 叙述", true, memory.StatusActive); got != want {
		t.Errorf("merged %s, want %s", got, want)
	}
	for _, other := range list[1:] {
		o, err := s.Observation(t.Context(), other.ID)
		if err != nil || o.Status != memory.StatusSuperseded || o.SupersededBy != list[0].UID {
			t.Errorf("%q is %s by %q (%v)", o.Title, o.Status, o.SupersededBy, err)
		}
	}
	if by, err := s.ObservationByUID(t.Context(), list[0].UID); err != nil || by.ID != list[0].ID {
		t.Errorf("successor %d (%v)", by.ID, err)
	}
	if _, err := s.ObservationByUID(t.Context(), "none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("error %v", err)
	}
}

func TestANoteByHandHasASessionOfItsOwn(t *testing.T) {
	s := newStore(t)
	first, _, err := s.Add(t.Context(), memory.Observation{Title: "第一条笔记", Project: webshop, ID: 77, Provisional: true})
	if err != nil {
		t.Fatal(err)
	}
	second, undo, err := s.Add(t.Context(), memory.Observation{Title: "second", Project: webshop, CreatedAt: s.now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	if first.SessionID != second.SessionID || first.Compressor != "person" || first.Certainty != memory.CertaintyConfirmed ||
		first.UID == "" || !first.CreatedAt.Equal(s.now().Truncate(time.Millisecond)) || first.Provisional {
		t.Errorf("notes %+v and %+v", first, second)
	}
	v, err := s.Session(t.Context(), first.SessionID)
	if err != nil || v.Agent != "person" || v.Title != "Notes by hand" || v.Project != webshop || v.ObservationCount != 2 || !v.LastEventAt.Equal(second.CreatedAt) {
		t.Errorf("session %+v (%v)", v, err)
	}
	if got := titles(t, s, memory.Filter{Agents: []string{"person"}}); got != `["第一条笔记" "second"]` {
		t.Errorf("notes %s", got)
	}
	if other, _, err := s.Add(t.Context(), memory.Observation{Title: "second", Project: "/other"}); err != nil || other.SessionID == first.SessionID {
		t.Errorf("another project's note is in session %s (%v)", other.SessionID, err)
	}
	if err := s.Restore(t.Context(), undo); err != nil {
		t.Fatal(err)
	}
	if v, err = s.Session(t.Context(), first.SessionID); err != nil || v.ObservationCount != 1 || !v.LastEventAt.Equal(first.CreatedAt) {
		t.Errorf("session after the undo %+v (%v)", v, err)
	}
	healthy(t, s)
}

func TestImportKeepsWhatAPersonChanged(t *testing.T) {
	s := newStore(t)
	list := remember(t, s, memory.Observation{
		Title: "old", Status: memory.StatusSuperseded, StatusReason: "过时了", SupersededBy: "some-uid", EditedAt: noon,
	})
	if o := list[0]; o.StatusReason != "过时了" || o.SupersededBy != "some-uid" || !o.EditedAt.Equal(noon) {
		t.Errorf("imported %+v", o)
	}
	var scanned []memory.Observation
	for o, err := range s.ScanObservations(t.Context(), memory.Filter{Statuses: allStatuses}) {
		if err != nil {
			t.Fatal(err)
		}
		scanned = append(scanned, o)
	}
	if !slices.EqualFunc(scanned, list, func(a, b memory.Observation) bool { return reflect.DeepEqual(a, b) }) {
		t.Errorf("scanned %+v", scanned)
	}
}

func TestAnEditedProvisionalObservationStays(t *testing.T) {
	s := newStore(t)
	b := oneBatch(t, s, "s1")
	list := finish(t, s, b, memory.BatchProvisional, "a stand-in", "another")
	if _, err := s.Edit(t.Context(), []int64{list[0].ID}, memory.Edit{Title: ptr("in my words")}); err != nil {
		t.Fatal(err)
	}
	finish(t, s, b, memory.BatchDone, "from the provider")
	if got := titles(t, s, memory.Filter{}); got != `["in my words" "from the provider"]` {
		t.Errorf("left %s", got)
	}
}

// What a person has rejected does not come back in the words of the provider.
func TestARejectedProvisionalObservationIsNotToldAgain(t *testing.T) {
	s := newStore(t)
	b := oneBatch(t, s, "s1")
	list := finish(t, s, b, memory.BatchProvisional, "猜错了", "the other")
	undo, err := s.Edit(t.Context(), []int64{list[0].ID}, memory.Edit{Status: ptr(memory.StatusInvalid), Reason: ptr("it never happened")})
	if err != nil {
		t.Fatal(err)
	}
	if stored := finish(t, s, b, memory.BatchDone, "in other words"); len(stored) != 0 {
		t.Errorf("stored %+v", stored)
	}
	if got := titles(t, s, memory.Filter{Statuses: allStatuses}); got != `["猜错了" "the other"]` {
		t.Errorf("left %s", got)
	}
	if waiting, err := s.OpenBatches(t.Context(), 0, 10); err != nil || len(waiting) != 0 {
		t.Errorf("open batches %+v (%v)", waiting, err)
	}
	if err := s.Restore(t.Context(), undo); err != nil {
		t.Fatal(err)
	}
	if stored := finish(t, s, b, memory.BatchDone, "in other words"); len(stored) != 1 {
		t.Errorf("stored %+v", stored)
	}
}

func TestAStatusTakesItsOwnExplanation(t *testing.T) {
	s := newStore(t)
	list := remember(t, s, memory.Observation{Title: "a"}, memory.Observation{Title: "b"})
	a, b := list[0], list[1]
	for _, tt := range []struct {
		name string
		e    memory.Edit
		want string
	}{
		{"archived", memory.Edit{Status: ptr(memory.StatusArchived), Reason: ptr("旧的")}, "archived 旧的 "},
		{"only a new reason", memory.Edit{Reason: ptr("very old")}, "archived very old "},
		{"superseded", memory.Edit{SupersededBy: &b.ID}, "superseded  " + b.UID},
		{"superseded by none", memory.Edit{SupersededBy: ptr(int64(0)), Reason: ptr("gone")}, "superseded gone "},
		{"invalid", memory.Edit{Status: ptr(memory.StatusInvalid)}, "invalid  "},
		{"superseded, said twice", memory.Edit{Status: ptr(memory.StatusSuperseded), SupersededBy: &b.ID}, "superseded  " + b.UID},
		{"the same again", memory.Edit{Status: ptr(memory.StatusSuperseded), Reason: ptr("x")}, "superseded x " + b.UID},
		{"active", memory.Edit{Status: ptr(memory.StatusActive)}, "active  "},
	} {
		if _, err := s.Edit(t.Context(), []int64{a.ID}, tt.e); err != nil {
			t.Fatal(err)
		}
		o, err := s.Observation(t.Context(), a.ID)
		if got := fmt.Sprintf("%s %s %s", o.Status, o.StatusReason, o.SupersededBy); err != nil || got != tt.want {
			t.Errorf("%s: %q, want %q (%v)", tt.name, got, tt.want, err)
		}
	}
}
