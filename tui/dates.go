package tui

import (
	"strconv"
	"strings"
	"time"
)

// dayWords are the days with a name of their own, for completion.
var dayWords = []string{"today", "yesterday", "7d", "2w", "3m", "1y"}

// parseDays reads a span of days as a person types it: 2026-11-01, 2026-11,
// 2026, today, yesterday, a weekday (the last one), or a time ago such as 7d,
// 2w, 3m and 1y. It gives the first moment of it and the first one after it, in
// the location of now.
func parseDays(s string, now time.Time) (from, to time.Time, ok bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	year, month, day := now.Date()
	date := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, now.Location()) }
	today := date(year, month, day)
	for _, layout := range []string{"2006-1-2", "2006/1/2", "2006-1", "2006"} {
		t, err := time.ParseInLocation(layout, s, now.Location())
		if err != nil {
			continue
		}
		switch layout {
		case "2006":
			return t, t.AddDate(1, 0, 0), true
		case "2006-1":
			return t, t.AddDate(0, 1, 0), true
		}
		return t, t.AddDate(0, 0, 1), true
	}
	switch s {
	case "today":
		return today, date(year, month, day+1), true
	case "yesterday":
		return date(year, month, day-1), today, true
	}
	for d := range 7 {
		name := strings.ToLower(time.Weekday(d).String())
		if len(s) >= 3 && strings.HasPrefix(name, s) {
			back := (int(now.Weekday()) - d + 7) % 7
			return date(year, month, day-back), date(year, month, day-back+1), true
		}
	}
	if len(s) < 2 {
		return from, to, false
	}
	n, err := strconv.Atoi(s[:len(s)-1])
	if err != nil || n < 0 || n > 100_000 {
		return from, to, false
	}
	switch s[len(s)-1] {
	case 'd':
		from = date(year, month, day-n)
	case 'w':
		from = date(year, month, day-7*n)
	case 'm':
		from = date(year, month-time.Month(n), day)
	case 'y':
		from = date(year-n, month, day)
	default:
		return from, to, false
	}
	return from, date(year, month, day+1), true
}
