package tui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"cmem/memory"
	"cmem/themes"
)

// Glyphs are one cell wide. Together with the words beside them they carry the
// meaning; the colour only repeats it.
const (
	promptGlyph  = "❯"
	summaryGlyph = "≡"
	otherGlyph   = "·"
	pinGlyph     = "★"
	markFocus    = "▌" // beside the selected row
	markBlur     = "▏"
	markedGlyph  = "✓" // a row that is marked to be acted on with others
)

var typeGlyphs = map[string]string{
	memory.TypeDecision:  "◆",
	memory.TypeBugfix:    "✗",
	memory.TypeFeature:   "✚",
	memory.TypeRefactor:  "↻",
	memory.TypeDiscovery: "◉",
	memory.TypeChange:    "~",
}

// looks gives the glyph, the word and the role of a row.
func looks(kind memory.ItemKind, observationType string) (glyph, word string, role themes.Role) {
	switch kind {
	case memory.KindPrompt:
		return promptGlyph, "prompt", themes.Prompt
	case memory.KindSummary:
		return summaryGlyph, "summary", themes.Summary
	}
	glyph, known := typeGlyphs[observationType]
	if !known {
		glyph = otherGlyph
	}
	if observationType == "" {
		observationType = "observation"
	}
	return glyph, observationType, themes.OfType(observationType)
}

// idOf gives the id of a memory as people use it, here and on the command line.
func idOf(k memory.ItemKind, id int64) string {
	mark := "#"
	switch k {
	case memory.KindPrompt:
		mark = "P"
	case memory.KindSummary:
		mark = "S"
	}
	return mark + strconv.FormatInt(id, 10)
}

// kindName gives the word for a kind at the beginning of a title.
func kindName(k memory.ItemKind) string {
	switch k {
	case memory.KindPrompt:
		return "Prompt"
	case memory.KindSummary:
		return "Summary"
	}
	return "Observation"
}

// shortCount gives a number of tokens in at most four cells.
func shortCount(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n)
	case n < 10_000:
		return strconv.FormatFloat(float64(n/100)/10, 'f', 1, 64) + "k"
	case n < 1_000_000:
		return strconv.Itoa(n/1000) + "k"
	}
	return strconv.Itoa(n/1_000_000) + "M"
}

// thousands writes a number with a comma after every three digits.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// count writes a number with its noun.
func count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case noun[len(noun)-1] == 'y':
		return thousands(n) + " " + noun[:len(noun)-1] + "ies"
	}
	return thousands(n) + " " + noun + "s"
}

// dayName names the day of t as seen from now.
func dayName(t, now time.Time) string {
	layout := "Mon 2 Jan"
	if t.Year() != now.Year() {
		layout = "Mon 2 Jan 2006"
	}
	date := t.Format(layout)
	switch dayOf(t) {
	case dayOf(now):
		return "Today · " + date
	case dayOf(now.AddDate(0, 0, -1)):
		return "Yesterday · " + date
	}
	return date
}

// moment names a day and a time in few words.
func moment(t, now time.Time) string {
	day, _, _ := strings.Cut(dayName(t, now), " · ")
	return day + " " + t.Format("15:04")
}

// shortTime gives five cells for a moment in a list without days: the time
// today, the month and day this year, else the year.
func shortTime(t, now time.Time) string {
	switch {
	case dayOf(t) == dayOf(now):
		return t.Format("15:04")
	case t.Year() == now.Year():
		return t.Format("01-02")
	}
	return t.Format(" 2006")
}

// age tells how long ago t was.
func age(t, now time.Time) string {
	switch d := now.Sub(t); {
	case t.IsZero():
		return "never"
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	case d < 48*time.Hour:
		return "1 day ago"
	case d < 30*24*time.Hour:
		return fmt.Sprintf("%d days ago", d/(24*time.Hour))
	}
	return t.Format("2 Jan 2006")
}
