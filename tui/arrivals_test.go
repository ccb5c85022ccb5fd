package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

// arrive lets observations come in from another process.
func arrive(h *harness, source *fakeSource, n int) {
	for i := range n {
		source.add(memory.Observation{
			SessionID: "5f3a9c1e-0001", Project: webshop, Type: memory.TypeChange, Status: memory.StatusActive,
			Title: fmt.Sprintf("Arrival %d", i+1), CreatedAt: testNow().Add(time.Duration(i) * time.Second),
		})
	}
	h.send(changedMsg{version: source.version})
}

func openDemo(t *testing.T, height int) (*harness, *fakeSource) {
	t.Helper()
	source := demoSource()
	o := demoOptions()
	o.Source = source
	return open(t, o, 80, height), source
}

func TestAtTheTopArrivalsAreFollowed(t *testing.T) {
	h, source := openDemo(t, 24)
	arrive(h, source, 2)
	h.see("▌", "Observation #109", "1 of 13")
	h.seeNot("new ↑")
	if got := h.selectedTitle(); got != "Arrival 2" {
		t.Errorf("%q is selected", got)
	}
}

// Going back to the top by any key is going along with what arrives again.
func TestBackAtTheTopArrivalsAreFollowedAgain(t *testing.T) {
	for _, key := range []string{"g", "home", "n", "k", "pgup"} {
		h, source := openDemo(t, 14)
		h.keys("j")
		arrive(h, source, 1)
		h.see("1 new ↑", "3 of 12")
		h.keys(key, key)
		h.seeNot("new ↑")
		arrive(h, source, 2)
		h.seeNot("new ↑")
		if got := h.selectedTitle(); got != "Arrival 2" {
			t.Errorf("after %s %q is selected", key, got)
		}
	}
}

// Whoever reads the details keeps the memory that he reads.
func TestReadersOfTheDetailsAreNotDisturbed(t *testing.T) {
	for _, key := range []string{"enter", "J"} {
		h, source := openDemo(t, 14)
		before := h.selectedTitle()
		h.keys(key)
		arrive(h, source, 3)
		h.see("3 new ↑", "Summary S2")
		if got := h.selectedTitle(); got != before {
			t.Errorf("after %s %q is selected", key, got)
		}
		h.keys("n")
		h.see("Arrival 3")
		h.seeNot("new ↑")
	}
}

// burst lets a thousand observations come in, in steps larger and smaller than
// a page, many of them in the same millisecond.
func burst(h *harness, source *fakeSource) {
	n := 0
	for _, step := range []int{1, 450, 7, 300, 2, 240} {
		for range step {
			n++
			source.add(memory.Observation{
				SessionID: fmt.Sprintf("writer-%d", n%16), Project: webshop, Type: memory.TypeChange, Status: memory.StatusActive,
				Title: fmt.Sprintf("Burst %d", n), CreatedAt: testNow().Add(time.Duration(n/3) * time.Millisecond),
			})
		}
		h.send(changedMsg{version: source.version})
	}
}

// inStep fails the test unless the window is a run of the store without gaps.
func inStep(t *testing.T, h *harness, source *fakeSource) {
	t.Helper()
	items := h.m.list.items
	first := slices.IndexFunc(source.items, func(i memory.Item) bool { return keyOf(i) == keyOf(items[0]) })
	for n, i := range items {
		if keyOf(i) != keyOf(source.items[first+n]) {
			t.Fatalf("row %d of the window is %q, want %q", n, i.Title, source.items[first+n].Title)
		}
	}
}

func TestABurstIsFollowedFromAnEmptyStore(t *testing.T) {
	source := &fakeSource{}
	h := open(t, Options{Source: source}, 120, 24)
	burst(h, source)
	inStep(t, h, source)
	h.see("1 of 200+", "1,000 memories")
	h.seeNot("new ↑", "cmem install")
	if got := h.selectedTitle(); got != source.items[0].Title {
		t.Errorf("%q is selected, the newest is %q", got, source.items[0].Title)
	}
	h.keys("G")
	h.see("Burst 1 ")
}

func TestABurstLeavesTheSelectionOfWhoIsNotAtTheTop(t *testing.T) {
	for _, keys := range [][]string{{"j"}, {"j", "j", "j", "j"}, {"G"}, {"enter"}} {
		h, source := openDemo(t, 14)
		h.keys(keys...)
		before := h.selectedTitle()
		burst(h, source)
		inStep(t, h, source)
		h.see("100+ new ↑")
		if got := h.selectedTitle(); got != before {
			t.Errorf("after %q %q is selected, it was %q", keys, got, before)
		}
		h.keys("n")
		h.seeNot("new ↑")
		if got := h.selectedTitle(); got != source.items[0].Title {
			t.Errorf("after %q n selected %q", keys, got)
		}
		arrive(h, source, 2)
		inStep(t, h, source)
		if got := h.selectedTitle(); got != source.items[0].Title {
			t.Errorf("after %q and n the newest is not followed: %q", keys, got)
		}
	}
}

// A refresh that was asked for at another place is asked for again.
func TestAMoveDuringARefreshKeepsTheSelection(t *testing.T) {
	h, source := openDemo(t, 14)
	source.add(memory.Observation{SessionID: "s", Project: webshop, Title: "Arrival", CreatedAt: testNow()})
	_, cmd := h.m.Update(changedMsg{version: source.version}) // asked for at the top
	h.m.list.move(1)
	before := h.selectedTitle()
	h.run(cmd)
	if got := h.selectedTitle(); got != before {
		t.Errorf("%q is selected, it was %q", got, before)
	}
	h.see("1 new ↑")
}

// A change that comes while the projects are counted is counted after it.
func TestNoChangeIsMissedByTheCount(t *testing.T) {
	m := newModel(t.Context(), demoOptions(), timing{counts: 1})
	m.countProjects(0)
	if cmd := m.countProjects(1); cmd != nil {
		t.Error("two countings at once")
	}
	if cmd := m.projectsArrived(projectsMsg{}); cmd == nil || !m.projectsBusy {
		t.Error("the change is not counted")
	}
	if cmd := m.projectsArrived(projectsMsg{}); cmd != nil || m.projectsBusy {
		t.Error("counted again although nothing changed")
	}
}

func TestArrivalsAreCountedWhileOneReadsFurtherDown(t *testing.T) {
	h, source := openDemo(t, 14)
	h.keys("G", "k")
	rows := strings.Split(h.frame(), "\n")
	arrive(h, source, 3)
	h.see("3 new ↑")
	h.seeNot("Arrival")
	for n, row := range strings.Split(h.frame(), "\n") {
		if n > 2 && n < 12 && row != rows[n] {
			t.Errorf("row %d moved:\n%s\n%s", n, rows[n], row)
		}
	}
	h.keys("n")
	h.see("Arrival 3")
	h.seeNot("new ↑")
}

func TestAnArrivalFillsAnEmptyStore(t *testing.T) {
	source := &fakeSource{}
	h := open(t, Options{Source: source}, 80, 24)
	h.see("cmem install")
	arrive(h, source, 1)
	h.seeNot("cmem install")
	h.see("Arrival 1", "Observation #100")
}
