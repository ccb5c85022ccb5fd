package tui

import "testing"

func TestPartsOfTheScreenNeverOverlapOrLeaveIt(t *testing.T) {
	for _, s := range []layoutState{
		{focus: listPane, split: defaultSplit},
		{focus: detailPane, split: minSplit},
		{focus: filterPane, split: maxSplit, filtering: true},
		{focus: detailPane, split: 500, alone: true},
		{focus: sidePane, split: minSplit, side: maxSplit},
		{focus: sidePane, split: -7, side: 1},
	} {
		for w := -1; w < 210; w++ {
			for h := -1; h < 70; h++ {
				l := arrange(w, h, s)
				parts := []rect{l.head, l.filter, l.list, l.detail, l.side, l.status}
				area := 0
				for i, a := range parts {
					if a.w == 0 || a.h == 0 {
						continue
					}
					area += a.w * a.h
					if a.x < 0 || a.y < 0 || a.w < 0 || a.h < 0 || a.x+a.w > w || a.y+a.h > h {
						t.Fatalf("%d×%d %+v: part %d leaves the screen: %+v", w, h, s, i, a)
					}
					for j, b := range parts[:i] {
						if a.x < b.x+b.w && b.x < a.x+a.w && a.y < b.y+b.h && b.y < a.y+a.h {
							t.Fatalf("%d×%d %+v: parts %d and %d overlap", w, h, s, j, i)
						}
					}
				}
				if want := max(w, 0) * max(h, 0); area != want {
					t.Fatalf("%d×%d %+v: the parts cover %d cells of %d", w, h, s, area, want)
				}
			}
		}
	}
}

func TestTheLayoutFollowsTheWidth(t *testing.T) {
	for _, tc := range []struct {
		name         string
		w, h         int
		focus        pane
		two, head    bool
		list, detail bool
	}{
		{"narrow: one pane and where one is", 79, 24, listPane, false, true, true, false},
		{"narrow, reading", 79, 24, detailPane, false, true, false, true},
		{"80 columns: both", 80, 24, listPane, true, true, true, true},
		{"wide: both", 200, 60, detailPane, true, true, true, true},
		{"low: no room for the views", 60, 8, listPane, false, false, true, false},
	} {
		l := arrange(tc.w, tc.h, layoutState{focus: tc.focus, split: defaultSplit})
		if l.two != tc.two || l.head.h > 0 != tc.head || l.list.h > 0 != tc.list || l.detail.h > 0 != tc.detail {
			t.Errorf("%s: %+v", tc.name, l)
		}
	}
}

func TestAPlaceOnTheScreenBelongsToItsPane(t *testing.T) {
	l := arrange(120, 40, layoutState{split: 50})
	for _, tc := range []struct {
		x, y int
		want pane
		ok   bool
	}{
		{5, 0, 0, false}, {5, 1, filterPane, true}, {5, 10, listPane, true}, {59, 10, listPane, true},
		{60, 10, detailPane, true}, {119, 38, detailPane, true}, {5, 39, 0, false}, {500, 1, 0, false},
	} {
		if got, ok := l.at(tc.x, tc.y); got != tc.want || ok != tc.ok {
			t.Errorf("at(%d, %d) = %v, %v; want %v, %v", tc.x, tc.y, got, ok, tc.want, tc.ok)
		}
	}
}

func TestThreePanesStandSideBySideWhereThereIsRoom(t *testing.T) {
	l := arrange(200, 60, layoutState{split: defaultSplit})
	if l.side.w < minPaneWidth || l.detail.w < minPaneWidth || l.list.w+l.detail.w+l.side.w != 200 {
		t.Errorf("%+v", l)
	}
	for _, tc := range []struct {
		x    int
		want pane
	}{{l.list.w - 1, listPane}, {l.list.w, detailPane}, {l.side.x - 1, detailPane}, {l.side.x, sidePane}, {199, sidePane}} {
		if got, ok := l.at(tc.x, 10); !ok || got != tc.want {
			t.Errorf("column %d belongs to %v", tc.x, got)
		}
	}
	if l := arrange(120, 40, layoutState{split: defaultSplit}); l.side.w > 0 {
		t.Errorf("120 columns have three panes: %+v", l)
	}
}

// Dragging a border to where it is does nothing, and to another column brings
// it there, as near as percents allow.
func TestABorderGoesWhereItIsDragged(t *testing.T) {
	for _, width := range []int{80, 120, 199, 300} {
		s := layoutState{split: defaultSplit, side: sideShare}
		for x := -5; x < width+5; x++ {
			l := arrange(width, 40, s)
			s = l.dragged(s, listBorder, x)
			l = arrange(width, 40, s)
			wanted := min(max(x, minPaneWidth), width-minPaneWidth)
			limited := s.split == minSplit || s.split == maxSplit
			if off := l.list.w - wanted; !limited && (off < -width/100-1 || off > width/100+1) {
				t.Fatalf("%d columns: dragged to %d, the border stands at %d", width, x, l.list.w)
			}
			again := arrange(width, 40, l.dragged(s, listBorder, l.list.w))
			if again.list.w != l.list.w {
				t.Fatalf("%d columns: dragged to where it was, the border went from %d to %d", width, l.list.w, again.list.w)
			}
		}
	}
	s := layoutState{split: 30, side: sideShare}
	l := arrange(200, 40, s)
	before := l.side.x
	l = arrange(200, 40, l.dragged(s, sideBorder, before-20))
	if off := l.side.x - (before - 20); off < -2 || off > 2 {
		t.Errorf("dragged from %d to %d, the second border stands at %d", before, before-20, l.side.x)
	}
}
