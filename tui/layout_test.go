package tui

import "testing"

func TestPartsOfTheScreenNeverOverlapOrLeaveIt(t *testing.T) {
	for _, s := range []layoutState{
		{focus: listPane, split: defaultSplit},
		{focus: detailPane, split: minSplit},
		{focus: filterPane, split: maxSplit, filtering: true},
		{focus: detailPane, split: 500, alone: true},
	} {
		for w := -1; w < 210; w++ {
			for h := -1; h < 70; h++ {
				l := arrange(w, h, s)
				parts := []rect{l.crumbs, l.filter, l.list, l.detail, l.status}
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
		two, crumbs  bool
		list, detail bool
	}{
		{"narrow: one pane and where one is", 79, 24, listPane, false, true, true, false},
		{"narrow, reading", 79, 24, detailPane, false, true, false, true},
		{"80 columns: both", 80, 24, listPane, true, false, true, true},
		{"wide: both", 200, 60, detailPane, true, false, true, true},
		{"low: no room for crumbs", 60, 8, listPane, false, false, true, false},
	} {
		l := arrange(tc.w, tc.h, layoutState{focus: tc.focus, split: defaultSplit})
		if l.two != tc.two || l.crumbs.h > 0 != tc.crumbs || l.list.h > 0 != tc.list || l.detail.h > 0 != tc.detail {
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
		{5, 0, filterPane, true}, {5, 10, listPane, true}, {59, 10, listPane, true},
		{60, 10, detailPane, true}, {119, 38, detailPane, true}, {5, 39, 0, false}, {500, 1, 0, false},
	} {
		if got, ok := l.at(tc.x, tc.y); got != tc.want || ok != tc.ok {
			t.Errorf("at(%d, %d) = %v, %v; want %v, %v", tc.x, tc.y, got, ok, tc.want, tc.ok)
		}
	}
}
