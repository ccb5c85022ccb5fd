package tui

import (
	"slices"
	"strings"
	"time"

	"cmem/memory"
	"cmem/themes"
)

// heatWeeks is how many weeks a heat map shows at most: a year, and the week
// that is not over.
const heatWeeks = 53

// Each level has a glyph and a role: who sees no colours sees the same map.
var (
	heatGlyphs = [...]string{"·", "░", "▒", "▓", "█"}
	heatRoles  = [...]themes.Role{themes.Heat0, themes.Heat1, themes.Heat2, themes.Heat3, themes.Heat4}
)

// heat is what happened by day: from a Monday on, up to today, without gaps.
type heat struct {
	first time.Time // the Monday, at its midnight
	days  []int
	steps [3]int // the counts above which a day is of the next level
	best  int    // index of the busiest day, the newest of several; -1 for none
	total int
}

// heatFrom gives the day from which on the map of now needs counts: the Monday
// of the week that lies heatWeeks-1 before this one, in the zone of now.
func heatFrom(now time.Time) time.Time {
	back := (int(now.Weekday()) + 6) % 7 // days since Monday
	return time.Date(now.Year(), now.Month(), now.Day()-back-7*(heatWeeks-1), 0, 0, 0, 0, now.Location())
}

// heatOf sorts counts into the days of a map that ends with the day of now. A
// day counts what was asked on it and what was kept.
func heatOf(activity []memory.DayActivity, now time.Time) heat {
	h := heat{first: heatFrom(now), best: -1}
	for n := 0; dayOf(h.day(n)) <= dayOf(now); n++ {
		h.days = append(h.days, 0)
	}
	h.days = h.spread(activity, func(a memory.DayActivity) int { return a.Observations + a.Prompts })
	var busy []int
	for n, v := range h.days {
		if v == 0 {
			continue
		}
		busy = append(busy, v)
		h.total += v
		if h.best < 0 || v >= h.days[h.best] {
			h.best = n
		}
	}
	// Quarters of the busy days, and not of the best: one day of an import would
	// make all others look idle.
	slices.Sort(busy)
	for n := range h.steps {
		if len(busy) > 0 {
			h.steps[n] = busy[(len(busy)-1)*(n+1)/4]
		}
	}
	return h
}

// spread gives a count for each day of the map.
func (h heat) spread(activity []memory.DayActivity, of func(memory.DayActivity) int) []int {
	byDay := make(map[string]int, len(activity))
	for _, a := range activity {
		byDay[dayOf(a.Day.In(h.first.Location()))] += of(a)
	}
	out := make([]int, len(h.days))
	for n := range out {
		out[n] = byDay[dayOf(h.day(n))]
	}
	return out
}

// day gives the midnight of the n-th day. It counts in the calendar: a day on
// which the clocks change is not of 24 hours.
func (h heat) day(n int) time.Time {
	return time.Date(h.first.Year(), h.first.Month(), h.first.Day()+n, 0, 0, 0, 0, h.first.Location())
}

// level gives how busy the n-th day was, from 0 for nothing to 4.
func (h heat) level(n int) int {
	v := h.days[n]
	switch {
	case v == 0:
		return 0
	case n == h.best || v >= h.days[h.best]:
		return len(h.steps) + 1
	}
	level := 1
	for _, step := range h.steps {
		if v > step {
			level++
		}
	}
	return level
}

// weekdayCells is the width of the names of the weekdays.
const weekdayCells = 4

// weeksIn gives how many weeks fit into w cells, of two cells each.
func weeksIn(w int) int { return max(min((w-weekdayCells)/2, heatWeeks), 1) }

// lines draws the map: a column a week, a row a weekday, months above.
func (h heat) lines(c cells, w int) []line {
	weeks := (len(h.days) + 6) / 7
	first := max(weeks-weeksIn(w), 0)
	out := []line{{{themes.Muted, c.fit("", weekdayCells) + h.months(c, first, weeks)}}}
	for weekday, name := range []string{"Mon", "", "Wed", "", "Fri", "", "Sun"} {
		l := line{{themes.Muted, c.fit(name, weekdayCells)}}
		for week := first; week < weeks; week++ {
			n := 7*week + weekday
			if n >= len(h.days) {
				break // it is still to come
			}
			level := h.level(n)
			if role := heatRoles[level]; l[len(l)-1].role == role {
				l[len(l)-1].text += heatGlyphs[level] + " "
			} else {
				l = append(l, span{role, heatGlyphs[level] + " "})
			}
		}
		out = append(out, l)
	}
	return out
}

// months writes the names of months over the week in which each begins, where
// there is room for them.
func (h heat) months(c cells, first, weeks int) string {
	// A month begins in the week whose Sunday is one of its first seven days.
	begins := func(week int) bool { return h.day(7*week+6).Day() <= 7 }
	row := ""
	for week := first; week < weeks; week++ {
		day := h.day(7*week + 6)
		if !begins(week) {
			if week > first || begins(week+1) { // the next one needs the room
				continue
			}
			day = h.day(7 * week)
		}
		name := day.Format("Jan")
		at := 2 * (week - first)
		if (row == "" || at > c.width(row)) && at+len(name) <= 2*(weeks-first) {
			row += strings.Repeat(" ", at-c.width(row)) + name
		}
	}
	return row
}

// legend explains the levels.
func (h heat) legend() line {
	l := line{{themes.Muted, "less "}}
	for level, glyph := range heatGlyphs {
		l = append(l, span{heatRoles[level], glyph}, span{themes.Text, " "})
	}
	return append(l, span{themes.Muted, "more"})
}
