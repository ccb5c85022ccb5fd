package tui

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
)

func TestADraftLosesNothing(t *testing.T) {
	for _, o := range []memory.Observation{
		{Type: "bugfix", Title: "修复 💰: 总价", Subtitle: "a: b", Narrative: "one\n\n## Facts\n\\## Facts\n  indented\n- item", Facts: []string{"x: y", "two\nlines", "# hash"},
			Concepts: []string{"取整"}, Tags: []string{"release-2.4"}, FilesModified: []string{"a b.go"}, FilesRead: []string{"c/d.go:12"}},
		{Type: "x", Title: "t"},
		{Type: "decision", Title: "# not a note", Narrative: "\ttab"},
	} {
		text := draftText(o)
		got, err := parseDraft(text)
		if err != nil || !reflect.DeepEqual(got, o) {
			t.Errorf("%+v\ncomes back as\n%+v (%v) from\n%s", o, got, err, text)
		}
		got, err = parseDraft("\uFEFF" + strings.ReplaceAll(text, "\n", "\r\n"))
		if err != nil || !reflect.DeepEqual(got, o) {
			t.Errorf("with the line ends of Windows it comes back as %+v (%v)", got, err)
		}
		if e, what, err := draftEdit(text, text); what != "" || err != nil || !reflect.DeepEqual(e, memory.Edit{}) {
			t.Errorf("an unchanged file changes %q (%v)", what, err)
		}
	}
}

func TestADraftThatCannotBeReadSaysWhere(t *testing.T) {
	good := draftText(memory.Observation{Type: "bugfix", Title: "t", Facts: []string{"f"}})
	for _, tc := range []struct{ old, new, want string }{
		{"title: t", "", "the title is missing"},
		{"title: t", "title:", "the title is missing"},
		{"type: bugfix", "", "the type is missing"},
		{"title: t", "titel: t", "line 5: \"titel: t\" is none of"},
		{"title: t", "title: t\ntitle: u", "line 6: title is there twice"},
		{"## Facts", "## Fakten", `there is no section "Fakten"`},
		{"## Concepts", "## Facts", `the section "Facts" is there twice`},
	} {
		_, err := parseDraft(strings.Replace(good, tc.old, tc.new, 1))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q instead of %q gives %v, not %q", tc.new, tc.old, err, tc.want)
		}
	}
}

func FuzzParseDraft(f *testing.F) {
	f.Add(draftText(memory.Observation{Type: "bugfix", Title: "修复", Narrative: "## x", Facts: []string{"a\nb"}}))
	f.Add("title: a\ntype: b\n## Facts\n- \n  x")
	f.Fuzz(func(t *testing.T, text string) {
		o, err := parseDraft(text)
		if err != nil {
			return
		}
		again, err := parseDraft(draftText(o))
		if err != nil {
			t.Fatalf("what was read from %q cannot be read again: %v", text, err)
		}
		third, _ := parseDraft(draftText(again))
		if !reflect.DeepEqual(again, third) {
			t.Errorf("it is not the same each time:\n%+v\n%+v", again, third)
		}
	})
}

// Whatever is typed and erased, the area holds what a plain string would.
func TestAnAreaHoldsWhatIsTyped(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "word ", "价格", "👍🏽", "\n", "é", "   ", "\n\n"}
	moves := []action{actLeft, actRight, actUp, actDown, actHome, actEnd, actErase, actEraseNext, actEraseWord, actEraseAll}
	for _, c := range []cells{byRune, byCluster} {
		a := newArea("", false)
		for range 4000 {
			if random.IntN(3) > 0 {
				a.insert(pieces[random.IntN(len(pieces))])
			} else {
				a.edit(c, moves[random.IntN(len(moves))])
			}
			if len(a.text()) > 300 {
				a = newArea("", false)
			}
			shown := ""
			cursors := 0
			for _, r := range a.rows(c, 12, true) {
				if c.width(r.text) > 12 {
					t.Fatalf("a row is wider than the area: %q", r.text)
				}
				if r.column >= 0 {
					cursors++
				}
				shown += r.text
			}
			if cursors != 1 {
				t.Fatalf("%d rows have the cursor in %q", cursors, a.text())
			}
			plain := strings.NewReplacer("\n", "", " ", "")
			if got, want := plain.Replace(shown), plain.Replace(c.settle(strings.ReplaceAll(a.text(), "\n", ""))); got != want {
				t.Fatalf("%q is shown as %q", want, got)
			}
		}
	}
}

func TestAnAreaMovesByRowsAsSeen(t *testing.T) {
	a := newArea("one two three four\n第二行很长很长很长很长\nend", false)
	a.rows(byRune, 10, true)
	a.edit(byRune, actEnd)
	var at []string
	for range 6 {
		at = append(at, fmt.Sprint(a.row, ":", a.lines[a.row].at))
		a.edit(byRune, actDown)
	}
	if got, want := strings.Join(at, " "), "0:18 1:12 1:27 1:33 2:3 2:3"; got != want {
		t.Errorf("it goes down by %s, not %s", got, want)
	}
	if a.edit(byRune, actDown) {
		t.Error("it moves beyond the end")
	}
	a.edit(byRune, actHome)
	a.edit(byRune, actErase)
	if got := a.text(); got != "one two three four\n第二行很长很长很长很长end" {
		t.Errorf("joined it is %q", got)
	}
	a.insert("\r\nx")
	if got := a.text(); !strings.HasSuffix(got, "很长\nxend") {
		t.Errorf("with a line break it is %q", got)
	}
}

func TestTheFormFitsEverywhere(t *testing.T) {
	slow(t)
	for _, size := range [][2]int{{40, 12}, {56, 18}, {80, 24}, {120, 40}, {200, 60}, {20, 5}, {3, 3}, {300, 100}} {
		h := openReal(t, size[0], size[1])
		h.selectTitle("Adds retry with backoff")
		h.keys("e")
		for range 10 {
			h.keys("tab")
			h.frame()
		}
		h.send(tea.PasteMsg{Content: strings.Repeat("很长的一行 with many words 👍🏽 ", 60) + "\x1b[31mred\x07"})
		h.frame()
		h.keys("ctrl+c")
		h.frame()
	}
}

func TestChangingLooksAsAgreed(t *testing.T) {
	slow(t)
	for _, scene := range []struct {
		name string
		play func(h *harness)
	}{
		{"marked", func(h *harness) { h.keys("space", "j", "space") }},
		{"form", func(h *harness) { h.selectTitle("Adds retry with backoff"); h.keys("e", "tab", "tab", "down") }},
		{"form-chinese", func(h *harness) {
			h.useClusters()
			h.selectTitle("修复折扣与满减叠加时的总价")
			h.keys("e", "tab")
			h.text("，取整到分 ✅")
		}},
		{"delete", func(h *harness) { h.keys("*", "d") }},
		{"tags", func(h *harness) { h.selectTitle("Adds retry with backoff"); h.keys("T"); h.text("+支付 -rel") }},
		{"supersede", func(h *harness) { h.selectTitle("Adds retry with backoff"); h.keys("s"); h.text("retry") }},
		{"archived", func(h *harness) { h.selectTitle("Fixes a goroutine"); h.keys("a") }},
	} {
		for _, size := range append(sizes, [2]int{56, 18}) {
			name := fmt.Sprintf("%s-%dx%d", scene.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				h := openReal(t, size[0], size[1])
				scene.play(h.harness)
				golden(t, "frames/change-"+name+".txt", h.frame())
			})
		}
	}
}

// A row that came in by sqlite3 may lack a title: giving it one is what a person
// wants to do.
func TestADraftOfAMemoryWithoutATitleCanGetOne(t *testing.T) {
	before := draftText(memory.Observation{ID: 81, Type: "change", Narrative: "见 issue 12"})
	e, _, err := draftEdit(before, strings.Replace(before, "title: ", "title: 修复退款", 1))
	if err != nil || e.Title == nil || *e.Title != "修复退款" {
		t.Errorf("%+v, %v", e, err)
	}
}
