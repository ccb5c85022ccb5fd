package tui

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
)

// everything is a whole copy of what a store remembers, for comparing.
type everything struct {
	Observations []memory.Observation
	Summaries    []memory.Summary
	Prompts      []memory.Prompt
}

func dump(t *testing.T, s realSource) everything {
	t.Helper()
	var out everything
	all := memory.Filter{IncludeExpired: true, Statuses: []memory.Status{
		memory.StatusActive, memory.StatusArchived, memory.StatusSuperseded, memory.StatusInvalid,
	}}
	for o, err := range s.ScanObservations(t.Context(), all) {
		if err != nil {
			t.Fatal(err)
		}
		out.Observations = append(out.Observations, o)
	}
	for x, err := range s.ScanSummaries(t.Context(), all) {
		if err != nil {
			t.Fatal(err)
		}
		out.Summaries = append(out.Summaries, x)
	}
	for p, err := range s.ScanPrompts(t.Context(), memory.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		out.Prompts = append(out.Prompts, p)
	}
	return out
}

// opened is a browser over a real store.
type opened struct {
	*harness
	store realSource
	desk  *fakeDesk
}

func openReal(t *testing.T, width, height int) opened {
	t.Helper()
	o := realOptions(t)
	desk := &fakeDesk{files: map[string]string{}}
	desk.fill(&o.Desk)
	h := open(t, o, width, height)
	desk.take(h)
	return opened{h, o.Source.(realSource), desk}
}

// selectTitle goes to the row whose title contains part.
func (h *harness) selectTitle(part string) memory.Item {
	h.t.Helper()
	i := slices.IndexFunc(h.m.list.items, func(i memory.Item) bool { return strings.Contains(i.Title, part) && i.Kind == memory.KindObservation })
	if i < 0 {
		h.t.Fatalf("no row has %q in its title", part)
	}
	for h.m.list.cursor != i {
		if h.m.list.cursor < i {
			h.keys("j")
		} else {
			h.keys("k")
		}
	}
	return h.m.list.items[i]
}

func (o opened) observation(id int64) memory.Observation {
	o.t.Helper()
	got, err := o.store.Observation(o.t.Context(), id)
	if err != nil {
		o.t.Fatal(err)
	}
	return got
}

// Every action does what it says to the selected memory, and u brings back
// exactly what was there.
func TestEveryChangeIsMadeAndTakenBack(t *testing.T) {
	slow(t)
	for _, tc := range []struct {
		name   string
		play   func(h *harness)
		says   string
		become func(o memory.Observation) bool
	}{
		{"pin", func(h *harness) { h.keys("P") }, "Pinned #", func(o memory.Observation) bool { return o.Pinned }},
		{"archive", func(h *harness) { h.keys("a") }, "Archived #",
			func(o memory.Observation) bool { return o.Status == memory.StatusArchived }},
		{"tag", func(h *harness) { h.keys("T"); h.text("+支付 later -release-2.4"); h.keys("enter") }, "+支付 +later -release-2.4",
			func(o memory.Observation) bool { return reflect.DeepEqual(o.Tags, []string{"支付", "later"}) }},
		{"wrong", func(h *harness) { h.keys("w"); h.text("the key lives 48 h 🙈"); h.keys("enter") }, "as wrong",
			func(o memory.Observation) bool {
				return o.Status == memory.StatusInvalid && o.StatusReason == "the key lives 48 h 🙈"
			}},
		{"expire", func(h *harness) {
			h.keys("v")
			h.text("2w")
			h.see("valid until the end of Mon 14 Dec 2026")
			h.keys("enter")
		},
			"valid until the end of Mon 14 Dec 2026",
			func(o memory.Observation) bool {
				return o.ValidUntil.Equal(time.Date(2026, 12, 15, 0, 0, 0, -1e6, testZone))
			}},
		{"supersede", func(h *harness) { h.keys("s"); h.text("goroutine"); h.keys("enter") }, "as superseded by #",
			func(o memory.Observation) bool { return o.Status == memory.StatusSuperseded && o.SupersededBy != "" }},
		{"edit", func(h *harness) {
			h.keys("e", "end")
			h.text(" ✅ 完成")
			h.keys("tab", "tab")
			h.keys("ctrl+u")
			h.send(tea.PasteMsg{Content: "First line\n第二行\n"})
			h.keys("ctrl+s")
		}, "Changed title and narrative of #", func(o memory.Observation) bool {
			return strings.HasSuffix(o.Title, " ✅ 完成") && strings.HasPrefix(o.Narrative, "First line\n第二行\nchargeCard")
		}},
		{"delete", func(h *harness) { h.keys("d"); h.see("Delete 1 observation?"); h.keys("y") }, "Deleted 1 observation", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := openReal(t, 120, 40)
			before := dump(t, h.store)
			item := h.selectTitle("Adds retry with backoff")
			tc.play(h.harness)
			h.see(tc.says, "u takes it back")
			if tc.become != nil && !tc.become(h.observation(item.ID)) {
				t.Errorf("it became %+v", h.observation(item.ID))
			}
			if reflect.DeepEqual(before, dump(t, h.store)) {
				t.Error("nothing changed in the store")
			}
			h.keys("u")
			h.see("Took back: ")
			if after := dump(t, h.store); !reflect.DeepEqual(before, after) {
				t.Errorf("it was not put back\nbefore %+v\nafter  %+v", before, after)
			}
			h.keys("u")
			h.see("nothing to take back")
			if got := h.selectedTitle(); got != item.Title {
				t.Errorf("%q is selected after all, not what was worked on", got)
			}
		})
	}
}

func TestMarkedMemoriesChangeTogether(t *testing.T) {
	h := openReal(t, 120, 40)
	before := dump(t, h.store)
	h.keys("*")
	n := len(h.m.marks)
	if n != len(h.m.list.items) || n < 10 {
		t.Fatalf("%d of %d rows are marked", n, len(h.m.list.items))
	}
	h.see(fmt.Sprintf("%d marked", n), "✓")
	h.keys("a")
	h.see("Archived 6 observations; 2 summaries and 3 prompts have nothing to archive")
	if len(h.m.marks) != 0 {
		t.Errorf("%d are still marked", len(h.m.marks))
	}
	h.keys("u")
	if !reflect.DeepEqual(before, dump(t, h.store)) {
		t.Error("they were not put back")
	}

	h.keys("*", "d")
	h.see("Delete 6 observations, 2 summaries and 3 prompts?", "… and 6 more")
	h.keys("n")
	if !reflect.DeepEqual(before, dump(t, h.store)) || len(h.m.marks) != n {
		t.Error("no was an answer, and something happened")
	}
	h.keys("d", "y")
	h.see("Nothing yet in webshop")
	h.keys("u")
	h.see("Took back: Deleted 6 observations, 2 summaries and 3 prompts")
	if !reflect.DeepEqual(before, dump(t, h.store)) {
		t.Error("what was deleted did not come back whole")
	}
}

func TestMergeTakesMarkedOnesIn(t *testing.T) {
	h := openReal(t, 120, 40)
	before := dump(t, h.store)
	other := h.selectTitle("Documents payment.max_tries")
	h.keys("m")
	h.see("mark two or more first")
	h.keys("space")
	keep := h.selectTitle("Adds retry with backoff")
	h.keys("space", "g", "m")
	h.see("select the observation that takes")
	h.selectTitle("Adds retry with backoff")
	h.keys("m")
	h.see(fmt.Sprintf("Merge #%d into #%d", other.ID, keep.ID), "Documents payment.max_tries")
	h.keys("y")
	h.see(fmt.Sprintf("Merged #%d into #%d", other.ID, keep.ID))
	if o := h.observation(other.ID); o.Status != memory.StatusSuperseded {
		t.Errorf("the merged one is %s", o.Status)
	}
	if o := h.observation(keep.ID); !slices.Contains(o.FilesModified, "docs/payments.md") {
		t.Errorf("the one that took it in has the files %v", o.FilesModified)
	}
	h.keys("u")
	if !reflect.DeepEqual(before, dump(t, h.store)) {
		t.Error("the merge was not taken back")
	}
}

func TestAMemoryIsAddedByHand(t *testing.T) {
	h := openReal(t, 120, 40)
	before := dump(t, h.store)
	h.keys("c")
	h.see("New memory · webshop", "decision")
	h.keys("ctrl+s")
	h.see("Nothing was changed")
	h.keys("c", "tab", "ctrl+s")
	h.keys("c")
	h.keys("shift+tab", "ctrl+u")
	h.text("rule")
	h.keys("ctrl+s")
	h.see("a memory needs a title")
	h.text("只在最后一步取整 💰")
	h.keys("ctrl+s")
	h.see("Added #")
	if got := h.selectedTitle(); got != "只在最后一步取整 💰" {
		t.Errorf("%q is selected, not the new memory", got)
	}
	item, _ := h.m.list.selected()
	if o := h.observation(item.ID); o.Type != "rule" || o.Project != webshop || o.Compressor != "person" {
		t.Errorf("it was stored as %+v", o)
	}
	h.keys("u")
	if !reflect.DeepEqual(before, dump(t, h.store)) {
		t.Error("it was not taken away again")
	}
}

// An archived row goes out of the list; the cursor stays where it was, on the
// next one.
func TestTheNextRowIsSelectedWhenOneVanishes(t *testing.T) {
	h := openReal(t, 120, 40)
	h.selectTitle("Fixes a goroutine leak")
	next := h.m.list.items[h.m.list.cursor+1].Title
	h.keys("a")
	if got := h.selectedTitle(); got != next {
		t.Errorf("%q is selected, not the next row %q", got, next)
	}
	h.seeNot("Fixes a goroutine leak in")
	last := len(h.m.list.items) - 1
	h.keys("G", "k")
	item, _ := h.m.list.selected()
	h.keys("d", "y")
	if len(h.m.list.items) != last || h.m.list.cursor < last-2 {
		t.Errorf("after %q row %d of %d is selected", item.Title, h.m.list.cursor, len(h.m.list.items))
	}
}

func TestAFailedChangeKeepsMarksAndText(t *testing.T) {
	h := openReal(t, 120, 40)
	item := h.selectTitle("Fixes a goroutine leak")
	h.keys("space")
	if _, err := h.store.Delete(t.Context(), []memory.Ref{item.Ref()}); err != nil {
		t.Fatal(err)
	}
	h.m.cmds.source = failing{h.store, errors.New("disk full 💾")}
	h.keys("P")
	h.see("Could not pin #", "nothing was changed: disk full 💾")
	if len(h.m.marks) != 1 || len(h.m.undo) != 0 {
		t.Errorf("%d marks and %d steps to take back are left", len(h.m.marks), len(h.m.undo))
	}
	h.m.cmds.source = h.store
	h.keys("e")
	h.see(fmt.Sprintf("It could not be read for editing: #%d is gone", item.ID))
	if len(h.m.marks) != 0 {
		t.Error("a memory that is gone is marked still")
	}
	h.selectTitle("Adds retry with backoff")
	h.keys("e")
	h.text("Still here")
	id := h.m.targets()[0].ID
	if _, err := h.store.Delete(t.Context(), []memory.Ref{{Kind: memory.KindObservation, ID: id}}); err != nil {
		t.Fatal(err)
	}
	h.keys("ctrl+s")
	h.see("Still here", "not found", "Edit #")
	h.keys("esc")
	h.see("Discard what you typed?")
	h.keys("n")
	h.see("Still here")
	h.keys("esc", "y")
	h.seeNot("Still here")
}

// Changes are made in the order of the keys, and none is lost when the browser
// is left at once.
func TestChangesAreMadeOneAfterTheOther(t *testing.T) {
	release := make(chan struct{})
	slow := &slowEdits{demoSource(), release, nil}
	o := demoOptions()
	o.Source = slow
	h := open(t, o, 80, 24)
	h.keys("j")
	var cmds []tea.Cmd
	for _, key := range []string{"P", "a", "u"} {
		_, cmd := h.m.Update(keyPress(t, key))
		cmds = append(cmds, cmd)
	}
	h.keys("q")
	told := false
	l := leave{ctx: t.Context(), patience: time.Minute, tell: func() {
		told = true
		close(release)
	}}
	if err := h.m.cmds.finishEdits(l); err != nil {
		t.Fatal(err)
	}
	if !told {
		t.Error("that there was something to wait for was not said")
	}
	if want := []string{"edit pinned", "edit status", "restore"}; !reflect.DeepEqual(slow.done, want) {
		t.Errorf("what was done is %v, not %v", slow.done, want)
	}
	_ = cmds
}

type slowEdits struct {
	*fakeSource
	release chan struct{}
	done    []string
}

func (s *slowEdits) Edit(_ context.Context, _ []int64, e memory.Edit) (memory.Snapshot, error) {
	<-s.release
	what := "edit status"
	if e.Pinned != nil {
		what = "edit pinned"
	}
	s.done = append(s.done, what)
	return memory.Snapshot{Buried: []memory.Ref{{}}}, nil
}

func (s *slowEdits) Restore(context.Context, memory.Snapshot) error {
	s.done = append(s.done, "restore")
	return nil
}

func TestUndoIsBounded(t *testing.T) {
	slow(t)
	h := openReal(t, 80, 24)
	h.selectTitle("Adds retry")
	for range maxUndo + 20 {
		h.keys("P")
	}
	if len(h.m.undo) != maxUndo {
		t.Errorf("%d steps are kept", len(h.m.undo))
	}
}

// Two people, or two browsers, may edit one memory: the second is asked before the
// first one's words go.
func TestAFormDoesNotReplaceUnseenWhatSomebodyElseChanged(t *testing.T) {
	h := openReal(t, 120, 40)
	item := h.selectTitle("Fixes a goroutine leak")
	h.keys("e")
	h.text("我的改动 ")
	theirs := "Changed by somebody else"
	if _, err := h.store.Edit(t.Context(), []int64{item.ID}, memory.Edit{Subtitle: &theirs}); err != nil {
		t.Fatal(err)
	}
	h.keys("ctrl+s")
	h.see("somebody else changed it meanwhile", "我的改动")
	if o, _ := h.store.Observation(t.Context(), item.ID); strings.Contains(o.Title, "我的改动") {
		t.Error("it was saved unasked")
	}
	h.keys("ctrl+s")
	if o, _ := h.store.Observation(t.Context(), item.ID); !strings.Contains(o.Title, "我的改动") {
		t.Errorf("saving again leaves the title %q", o.Title)
	}
}
