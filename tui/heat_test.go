package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"cmem/memory"
)

// activityOf gives days with counts, the last of them first.
func activityOf(now time.Time, counts ...int) []memory.DayActivity {
	var out []memory.DayActivity
	for back, n := range counts {
		day := time.Date(now.Year(), now.Month(), now.Day()-back, 0, 0, 0, 0, now.Location())
		out = append(out, memory.DayActivity{Day: day, Observations: n / 2, Prompts: n - n/2})
	}
	return out
}

func TestHeatBeginsOnAMondayAndEndsToday(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones here: ", err)
	}
	shanghai := time.FixedZone("UTC+8", 8*3600)
	for _, now := range []time.Time{
		time.Date(2026, 11, 30, 0, 0, 0, 0, berlin),      // a Monday, at its first moment
		time.Date(2026, 11, 29, 23, 59, 59, 0, berlin),   // a Sunday, at its last
		time.Date(2026, 3, 29, 3, 30, 0, 0, berlin),      // the day of 23 hours
		time.Date(2026, 10, 25, 12, 0, 0, 0, berlin),     // the day of 25 hours
		time.Date(2028, 2, 29, 12, 0, 0, 0, time.UTC),    // a leap day
		time.Date(2027, 1, 1, 6, 0, 0, 0, shanghai),      // still last year in UTC
		time.Date(2026, 12, 31, 23, 0, 0, 0, time.Local), // wherever this runs
	} {
		h := heatOf(nil, now)
		if h.first.Weekday() != time.Monday || h.first.Hour() != 0 {
			t.Errorf("%v: the map begins at %v", now, h.first)
		}
		if got := dayOf(h.day(len(h.days) - 1)); got != dayOf(now) {
			t.Errorf("%v: the last day is %s", now, got)
		}
		if weeks := (len(h.days) + 6) / 7; weeks != heatWeeks {
			t.Errorf("%v: %d weeks, want %d", now, weeks, heatWeeks)
		}
		seen := map[string]bool{}
		for n := range h.days {
			if d := h.day(n); seen[dayOf(d)] || int(d.Weekday()+6)%7 != n%7 {
				t.Fatalf("%v: day %d is %v", now, n, d)
			}
			seen[dayOf(h.day(n))] = true
		}
	}
}

func TestHeatCountsADayWhereThePersonIs(t *testing.T) {
	tokyo := time.FixedZone("UTC+9", 9*3600)
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, tokyo)
	// The store gives midnights of the zone that was asked for; said in UTC they
	// are of the day before.
	midnight := time.Date(2026, 11, 29, 0, 0, 0, 0, tokyo).UTC()
	h := heatOf([]memory.DayActivity{{Day: midnight, Observations: 3, Prompts: 1}}, now)
	if got := h.days[len(h.days)-2]; got != 4 || h.total != 4 || h.best != len(h.days)-2 {
		t.Errorf("the day before now has %d of %d, the best is %d of %d", got, h.total, h.best, len(h.days))
	}
}

func TestHeatGlyphsFollowTheCounts(t *testing.T) {
	now := testNow()
	for _, tc := range []struct {
		name   string
		counts []int // newest first
		want   string
	}{
		{"nothing", []int{0, 0, 0}, "···"},
		{"one day", []int{0, 1, 0}, "·█·"},
		{"all alike", []int{4, 4, 4}, "███"},
		{"quarters", []int{0, 1, 2, 3, 4, 5, 6, 7, 8}, "·░░▒▒▓▓██"},
		{"one import does not make the others idle", []int{1, 2, 3, 4, 5000}, "░░▒▓█"},
	} {
		h := heatOf(activityOf(now, tc.counts...), now)
		got := ""
		for back := range tc.counts {
			got += heatGlyphs[h.level(len(h.days)-1-back)]
		}
		if got != tc.want {
			t.Errorf("%s: %v is %s, want %s", tc.name, tc.counts, got, tc.want)
		}
	}
}

func TestHeatLinesFitAndNameTheMonths(t *testing.T) {
	c := cells{ansi.WcWidth}
	h := heatOf(activityOf(testNow(), 3, 0, 1), testNow())
	for _, w := range []int{6, 20, 38, 78, 118, 300} {
		lines := h.lines(c, w)
		if len(lines) != 8 {
			t.Fatalf("%d cells: %d lines", w, len(lines))
		}
		for _, l := range lines {
			if got := c.width(strings.TrimRight(l.String(), " ")); got > w {
				t.Errorf("%d cells: a line of %d: %q", w, got, l)
			}
		}
	}
	months := strings.Fields(h.lines(c, 118)[0].String())
	if got := strings.Join(months, " "); got != "Dec Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov" {
		t.Errorf("the months are %q", got)
	}
	// The column of the week in which a month begins is that under its name.
	row := h.lines(c, 118)[0].String()
	week := (strings.Index(row, "Sep") - weekdayCells) / 2
	if monday := h.day(7 * week); monday.After(time.Date(2026, 9, 1, 0, 0, 0, 0, testZone)) || monday.Before(time.Date(2026, 8, 26, 0, 0, 0, 0, testZone)) {
		t.Errorf("September stands over the week of %v", monday)
	}
}

func TestSparkShowsEveryCount(t *testing.T) {
	for want, counts := range map[string][]int{
		"":         nil,
		"▁▁▁":      {0, 0, 0},
		"▁█▁":      {0, 1, 0},
		"▁▂█":      {0, 1, 1000},
		"▂▃▄▅▆▇██": {1, 2, 3, 4, 5, 6, 7, 7},
	} {
		if got := spark(counts); got != want {
			t.Errorf("%v is %q, want %q", counts, got, want)
		}
	}
}

func TestBarsShowWhatIsNotNothing(t *testing.T) {
	for _, tc := range []struct {
		n, most int64
		w       int
		want    string
	}{
		{0, 10, 4, ""}, {10, 10, 4, "████"}, {5, 10, 4, "██"}, {1, 1_000_000, 4, "▏"}, {3, 8, 1, "▍"},
		{20, 10, 4, "████"}, {1, 0, 4, ""}, {1, 1, 0, ""},
	} {
		if got := barOf(tc.n, tc.most, tc.w); got != tc.want {
			t.Errorf("%d of %d in %d cells is %q, want %q", tc.n, tc.most, tc.w, got, tc.want)
		}
	}
}
