package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/store"
)

// failing is a source that takes no change while err is set.
type failing struct {
	Source
	err error
}

func (f failing) Edit(context.Context, []int64, memory.Edit) (memory.Snapshot, error) {
	return memory.Snapshot{}, f.err
}

// failsOnce is a source that does not take the first change back.
type failsOnce struct {
	Source
	asked int
}

func (f *failsOnce) Restore(ctx context.Context, before memory.Snapshot) error {
	if f.asked++; f.asked == 1 {
		return errors.New("database is locked")
	}
	return f.Source.Restore(ctx, before)
}

// Marks outlive what they stand on: a change is made of what is still there.
func TestAChangeGoesOnWithoutWhatIsGone(t *testing.T) {
	for _, tc := range []struct {
		name string
		keys []string
		says string
	}{
		{"archive", []string{"a"}, "Archived 2 observations; #%d is gone"},
		{"delete", []string{"d", "y"}, "Deleted 2 observations; #%d is gone"},
		{"export", []string{"x"}, "Exported 2 observations (#%d is gone) to"},
		{"copy", []string{"y"}, "Gave 3 observations as Markdown to the terminal's clipboard; #%d is gone"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := openReal(t, 120, 40)
			h.m.cmds.desk.Export = func(ctx context.Context, refs []memory.Ref) (string, error) {
				_, err := h.store.Delete(ctx, slices.Clone(refs)) // as good as any way of asking for all of them
				if err == nil {
					h.desk.done = append(h.desk.done, fmt.Sprintf("export %d", len(refs)))
				}
				return "x.md", err
			}
			h.selectTitle("Fixes a goroutine leak")
			h.keys("space")
			h.selectTitle("Documents payment.max_tries")
			h.keys("space")
			gone := h.selectTitle("Adds retry with backoff")
			h.keys("space")
			if _, err := h.store.Delete(t.Context(), []memory.Ref{gone.Ref()}); err != nil {
				t.Fatal(err)
			}
			before := dump(t, h.store)
			h.keys(tc.keys...)
			h.see(fmt.Sprintf(tc.says, gone.ID))
			if _, marked := h.m.marks[keyOf(gone)]; marked {
				t.Error("what is gone is marked still")
			}
			if tc.name == "archive" || tc.name == "delete" {
				h.keys("u")
				if after := dump(t, h.store); !equalDumps(before, after) {
					t.Errorf("it was not taken back\n%+v\n%+v", before, after)
				}
			}
		})
	}
}

func TestWhatIsGoneAltogetherIsSaid(t *testing.T) {
	h := openReal(t, 120, 40)
	gone := h.selectTitle("Adds retry with backoff")
	h.keys("space")
	if _, err := h.store.Delete(t.Context(), []memory.Ref{gone.Ref()}); err != nil {
		t.Fatal(err)
	}
	h.keys("P")
	h.see(fmt.Sprintf("Could not pin #%d, nothing was changed: #%d is gone", gone.ID, gone.ID))
	if len(h.m.marks)+len(h.m.undo)+len(h.m.underWay) != 0 {
		t.Errorf("left over: marks %v, undo %v, under way %v", h.m.marks, h.m.undo, h.m.underWay)
	}
	h.seeNot("Adds retry with backoff")
}

// What could not be taken back keeps its place among what was done.
func TestUndoKeepsTheOrder(t *testing.T) {
	h := openReal(t, 120, 40)
	h.selectTitle("Adds retry with backoff")
	h.m.cmds.source = &failsOnce{Source: h.store}
	h.keys("P")
	_, undo := h.m.Update(keyPress(t, "u")) // its answer comes later
	h.keys("T")
	h.text("+以后")
	h.keys("enter")
	h.run(undo)
	h.see("Could not take back “Pinned #", "database is locked")
	h.keys("u")
	h.see("Took back: Tagged #")
	h.keys("u")
	h.see("Took back: Pinned #")
}

// A change by somebody else in between is not undone, and does not stand in the way.
func TestUndoOfRepeatedPromptsWithAChangeInBetween(t *testing.T) {
	h := openReal(t, 120, 40)
	bundle := store.Bundle{Sessions: []memory.Session{{
		ID: "again", Agent: "claude-code", Project: webshop, Title: "修复这个 bug 🐛", CreatedAt: testNow(), LastEventAt: testNow(),
	}}}
	for n, text := range []string{"修复这个 bug 🐛", "continue", "continue", "continue"} {
		bundle.Prompts = append(bundle.Prompts, memory.Prompt{
			SessionID: "again", Number: n + 1, Text: text, Project: webshop, CreatedAt: testNow().Add(time.Duration(n) * time.Minute),
		})
	}
	if _, err := h.store.Import(t.Context(), bundle); err != nil {
		t.Fatal(err)
	}
	h.keys("ctrl+r", "g")
	before := dump(t, h.store)
	session, err := h.store.Session(t.Context(), "again")
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		if got := h.m.subject().item; got.Kind != memory.KindPrompt || got.SessionID != "again" {
			t.Fatalf("%+v is selected, not one of the prompts", got)
		}
		h.keys("space")
	}
	h.keys("d", "y")
	h.see("Deleted 4 prompts")
	other := h.selectTitle("Adds retry with backoff")
	pinned := true
	if _, err := h.store.Edit(t.Context(), []int64{other.ID}, memory.Edit{Pinned: &pinned}); err != nil {
		t.Fatal(err)
	}
	h.keys("u")
	h.see("Took back: Deleted 4 prompts")
	if !h.observation(other.ID).Pinned {
		t.Error("what another did meanwhile was undone too")
	}
	after := dump(t, h.store)
	if fmt.Sprintf("%+v", before.Prompts) != fmt.Sprintf("%+v", after.Prompts) {
		t.Errorf("the prompts are not as they were\n%+v\n%+v", before.Prompts, after.Prompts)
	}
	if got, err := h.store.Session(t.Context(), "again"); err != nil || got.Title != session.Title || got.Title != "修复这个 bug 🐛" {
		t.Errorf("the session is called %q, %v, and not %q", got.Title, err, session.Title)
	}
}

func TestUndoIsBoundedInBytes(t *testing.T) {
	h := openReal(t, 120, 40)
	large := func(size int) memory.Snapshot {
		return memory.Snapshot{Saved: []memory.SavedRows{{Table: "observations", Columns: []string{"narrative"}, Rows: [][]any{{strings.Repeat("x", size)}}}}}
	}
	do := func(name string, before memory.Snapshot) {
		s := &change{did: name, todo: name, before: before}
		h.m.push(s)
		h.send(edited(s, nil))
	}
	left := func() string {
		var out []string
		for _, s := range h.m.undo {
			out = append(out, s.did)
		}
		return strings.Join(out, " ")
	}
	for n := range 3 {
		do(fmt.Sprint(n), large(maxUndoBytes/3+1))
	}
	if left() != "1 2" {
		t.Errorf("%q can be taken back", left())
	}
	do("一", large(10))
	if left() != "1 2 一" && left() != "2 一" {
		t.Errorf("%q can be taken back", left())
	}
	do("huge", large(maxUndoBytes+1))
	h.see("huge · it is too much to be taken back")
	if left() != "" {
		t.Errorf("%q can be taken back", left())
	}
	do("later", large(10))
	h.see("later · u takes it back")
}

// Who changes many is told that it is under way.
func TestALongChangeIsTold(t *testing.T) {
	release := make(chan struct{})
	o := demoOptions()
	o.Source = &slowEdits{demoSource(), release, nil}
	h := open(t, o, 80, 24)
	h.m.cmds.timing.late = time.Millisecond
	h.keys("j")
	_, cmd := h.m.Update(keyPress(t, "P"))
	h.seeNot("Changing: pin") // most are done before one could read it
	s := h.m.undo[0]
	h.m.Update(editLateMsg{step: s})
	h.see("Changing: pin #")
	if _, again := h.m.handle(editLateMsg{step: s}); again {
		t.Error("it is drawn again though nothing changed")
	}
	close(release)
	if batch, ok := cmd().(tea.BatchMsg); ok {
		for _, c := range batch {
			h.run(c)
		}
	}
	h.seeNot("Changing: pin")
	if _, known := h.m.handle(editLateMsg{step: s}); known {
		t.Error("a change that is done is said to be late")
	}

	many := make([]memory.Item, askAbove+1)
	for n := range many {
		many[n] = memory.Item{Kind: memory.KindObservation, ID: int64(1000 + n)}
	}
	h.m.carryOut(&change{todo: "archive 21 observations"}, many, nameOf, func([]memory.Item) tea.Cmd { return nil })
	h.see("Changing: archive 21 observations …")
}

// Leaving waits for what was asked for, unless the person has enough of it, and
// says what went wrong when nobody else can.
func TestLeavingWaitsForChanges(t *testing.T) {
	quit := func() (context.Context, context.CancelFunc) { return context.WithCancel(t.Context()) }
	for _, tc := range []struct {
		name string
		end  func(release chan struct{}, cancel context.CancelFunc)
		gone bool // the context had ended before
		want string
	}{
		{"done", func(r chan struct{}, _ context.CancelFunc) { close(r) }, false, ""},
		{"enough", func(_ chan struct{}, cancel context.CancelFunc) { cancel() }, false, "not waited for"},
		{"ended before", func(chan struct{}, context.CancelFunc) {}, true, "not waited for"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ctx, cancel := quit()
			defer cancel()
			release := make(chan struct{})
			c := commands{ctx: t.Context(), source: &slowEdits{demoSource(), release, nil}}
			_ = c.edit(&change{todo: "pin #1"}, []int64{1}, memory.Edit{})
			if tc.gone {
				cancel()
			}
			err := c.finishEdits(leave{ctx: ctx, patience: time.Millisecond, tell: func() { tc.end(release, cancel) }})
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("it says %v, not %q", err, tc.want)
			}
			if tc.name != "done" {
				close(release)
			}
		})
	}
	hold := make(chan struct{})
	c := commands{ctx: t.Context(), source: failing{demoSource(), errors.New("disk full 💾")}}
	_ = c.inTurn("wait", func(context.Context) tea.Msg { <-hold; return nil })
	_ = c.edit(&change{todo: "pin #1"}, []int64{1}, memory.Edit{})
	err := c.finishEdits(leave{ctx: t.Context(), tell: func() { close(hold) }})
	if err == nil || err.Error() != "pin #1: disk full 💾" {
		t.Errorf("a change that failed after leaving: %v", err)
	}
}
