package recall

import (
	"strconv"
	"strings"
	"time"
)

// Days reads a span of days as a person types it: 2026-11-01, 2026-11, 2026, today,
// yesterday, a weekday (the last one), or a time ago such as 7d, 2w, 3m and 1y, which
// reaches until today. It gives the first moment of it and the first one after it, in
// the location of now; ok says whether it is one.
func Days(s string, now time.Time) (from, to time.Time, ok bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	for _, l := range []struct {
		layout              string
		years, months, days int
	}{{"2006-1-2", 0, 0, 1}, {"2006/1/2", 0, 0, 1}, {"2006-1", 0, 1, 0}, {"2006", 1, 0, 0}} {
		if t, err := time.ParseInLocation(l.layout, s, now.Location()); err == nil {
			return t, t.AddDate(l.years, l.months, l.days), true
		}
	}
	year, month, day := now.Date()
	date := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, now.Location()) }
	switch s {
	case "today":
		return date(year, month, day), date(year, month, day+1), true
	case "yesterday":
		return date(year, month, day-1), date(year, month, day), true
	}
	for d := range 7 {
		if name := strings.ToLower(time.Weekday(d).String()); len(s) >= 3 && strings.HasPrefix(name, s) {
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
