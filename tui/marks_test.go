package tui

import (
	"fmt"
	"testing"
	"time"

	"cmem/memory"
)

func TestMarksOutliveFiltersAndRangesFollowTheList(t *testing.T) {
	h := openReal(t, 120, 40)
	h.keys("space", "space")
	if len(h.m.marks) != 2 || h.m.list.cursor != 2 {
		t.Fatalf("%d are marked and row %d is selected", len(h.m.marks), h.m.list.cursor)
	}
	h.keys("j", "j", "V")
	if len(h.m.marks) != 5 {
		t.Fatalf("the range marked %d", len(h.m.marks))
	}
	n := len(h.m.marks)
	h.keys("/")
	h.text("type:refactor")
	h.keys("enter")
	h.see(fmt.Sprintf("%d marked", n))
	h.keys("esc")
	if len(h.m.marks) != 0 {
		t.Error("esc does not clear the marks")
	}
	h.keys("*", "*")
	if len(h.m.marks) != 0 {
		t.Errorf("* a second time leaves %d marked", len(h.m.marks))
	}
}

func TestAllThatWasFoundIsMarkedBeyondTheWindow(t *testing.T) {
	o := demoOptions()
	o.Source = &hugeSource{n: 3_000}
	h := open(t, o, 80, 24)
	h.keys("*")
	if len(h.m.marks) != 3_000 {
		t.Errorf("%d are marked", len(h.m.marks))
	}
	o.Source = &hugeSource{n: 30_000}
	h = open(t, o, 80, 24)
	h.keys("*")
	h.see("The newest 10,000 are marked; there are more.", "10,000 marked")
	h.keys("P")
	h.see("Pin 6,000 observations?")
	h.keys("esc")
	h.keys("y")
	h.see("could not be copied: it is more than 4")
}

func TestAllHitsOfASearchAreMarked(t *testing.T) {
	source := demoSource()
	for n := range 400 {
		source.add(memory.Observation{
			SessionID: "5f3a9c1e-0001", Project: webshop, Type: memory.TypeChange, Status: memory.StatusActive,
			Title: fmt.Sprintf("Retry number %d, 第 %d 次", n, n), CreatedAt: testNow().Add(time.Duration(-n) * time.Minute),
		})
	}
	o := demoOptions()
	o.Source = source
	h := open(t, o, 80, 24)
	h.keys("/")
	h.text("number")
	h.keys("enter", "*")
	if len(h.m.marks) != 400 {
		t.Errorf("%d of 400 hits are marked", len(h.m.marks))
	}
	h.keys("*")
	if len(h.m.marks) != 0 {
		t.Errorf("%d are marked still", len(h.m.marks))
	}
}
