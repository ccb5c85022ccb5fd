package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"cmem/memory"
	"cmem/themes"
)

// story is what happened in a session, from its first prompt to its summary.
type story struct {
	id         string
	stale      bool // the store changed since it was read
	loaded     bool
	failure    string
	items      []memory.Item // oldest first
	full       bool          // there is more
	summary    memory.Summary
	hasSummary bool

	// The lines as drawn last, and what they were drawn for: hundreds of rows need
	// not be made anew for every key.
	drawn       []line
	drawnFor    memory.Session
	drawnWidth  int
	drawnMethod ansi.Method
	drawnDay    string
}

// take brings what was read, if it is still asked for.
func (y *story) take(msg storyMsg) {
	if msg.id != y.id || isCancelled(msg.err) {
		return
	}
	y.drawn = nil
	if msg.err != nil {
		y.failure = cleanLine(msg.err.Error())
		return
	}
	y.loaded, y.failure = true, ""
	y.items, y.full, y.summary, y.hasSummary = msg.items, msg.full, msg.summary, msg.hasSummary
}

// lines tells the story of session s.
func (y *story) lines(c cells, width int, s memory.Session, now time.Time) []line {
	if y.id != s.ID { // the cursor is faster than the store
		y = &story{id: s.ID}
	}
	if y.drawn == nil || y.drawnFor != s || y.drawnWidth != width || y.drawnMethod != c.method || y.drawnDay != dayOf(now) {
		y.drawn = y.tell(c, width, s, now)
		y.drawnFor, y.drawnWidth, y.drawnMethod, y.drawnDay = s, width, c.method, dayOf(now)
	}
	return y.drawn
}

func (y *story) tell(c cells, width int, s memory.Session, now time.Time) []line {
	w := &writer{cells: c, w: max(min(width-2, maxMeasure), 1), total: width}
	w.text(themes.Strong, titleOf(s))
	w.parts(sessionFacts(s, now))
	if y.failure != "" {
		w.gap()
		w.text(themes.Bad, "Its story could not be read: "+y.failure)
	}
	var day string
	tokens := 0
	for _, item := range y.items {
		if d := dayOf(item.CreatedAt.In(now.Location())); d != day {
			if day != "" || d != dayOf(s.CreatedAt.In(now.Location())) {
				w.gap()
				w.line(span{themes.Day, dayName(item.CreatedAt.In(now.Location()), now)})
			}
			day = d
		}
		w.event(item, now)
		tokens += item.Tokens
	}
	if y.full {
		w.gap()
		w.line(span{themes.Muted, y.rest(s)})
	}
	if y.loaded && len(y.items) == 0 {
		w.gap()
		w.text(themes.Muted, "Nothing of it is kept yet. What happens is being collected; it becomes memories a little later.")
	}
	if y.hasSummary {
		v := y.summary
		w.heading("Summary · " + moment(v.CreatedAt.In(now.Location()), now))
		w.text(themes.Strong, v.Request)
		w.section("Investigated", v.Investigated)
		w.section("Learned", v.Learned)
		w.section("Completed", v.Completed)
		w.section("Next steps", v.NextSteps)
		w.section("Notes", v.Notes)
	}
	if y.loaded {
		cost := ""
		if tokens > 0 {
			cost = count(tokens, "token")
			if y.full {
				cost = "more than " + cost
			}
		}
		w.heading("Session")
		w.fields("id", cleanLine(s.ID), "project", cleanLine(s.Project), "directory", elsewhere(s), "branch", s.GitBranch,
			"agent", s.Agent, "reading it", cost, "transcript", cleanLine(s.TranscriptPath))
	}
	return w.out
}

// rest says how much is not told.
func (y *story) rest(s memory.Session) string {
	told := 0
	for _, i := range y.items {
		if i.Kind != memory.KindSummary {
			told++
		}
	}
	if more := s.PromptCount + s.ObservationCount - told; more > 0 {
		return fmt.Sprintf("… and %s more; enter shows all of them", thousands(more))
	}
	return "… and more; enter shows all of it"
}

// elsewhere gives the directory of a session that is not its project's.
func elsewhere(s memory.Session) string {
	if s.CWD == s.Project {
		return ""
	}
	return s.CWD
}

// sessionFacts are the facts of a session in one line.
func sessionFacts(s memory.Session, now time.Time) []span {
	zone := now.Location()
	out := []span{{themes.Muted, moment(s.CreatedAt.In(zone), now)}}
	if s.Status == memory.SessionActive {
		out = append(out, span{themes.Good, activeGlyph + " active, " + age(lastOf(s), now)})
	} else if d := lastOf(s).Sub(s.CreatedAt); d >= time.Minute {
		out = append(out, span{themes.Muted, "took " + lasting(d)})
	}
	return append(out, span{themes.Muted, count(s.PromptCount, "prompt")}, span{themes.Muted, count(s.ObservationCount, "memory")})
}

// lasting names a span of time in few words.
func lasting(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%d days", d/(24*time.Hour))
}

// storyPrompt is how many lines of a prompt the story shows.
const storyPrompt = 3

// event writes what happened at one moment of a session.
func (w *writer) event(item memory.Item, now time.Time) {
	glyph, _, role := looks(item.Kind, item.Type)
	clock := item.CreatedAt.In(now.Location()).Format("15:04")
	lead := clock + " "
	indent := len(lead) + 2
	if item.Kind == memory.KindPrompt {
		w.gap()
		text := w.wrap(item.Title, max(w.w-indent, 1))
		if len(text) > storyPrompt {
			text = text[:storyPrompt]
			text[storyPrompt-1] = w.shorten(text[storyPrompt-1]+" …", w.w-indent)
		}
		for n, l := range text {
			if n == 0 {
				w.line(span{themes.Muted, lead}, span{role, glyph + " "}, span{themes.Strong, l})
			} else {
				w.line(span{themes.Text, strings.Repeat(" ", indent)}, span{themes.Strong, l})
			}
		}
		return
	}
	cost := ""
	if item.Tokens > 0 && w.w >= costWidth {
		cost = w.fitRight(shortCount(item.Tokens), 5)
	}
	w.line(span{themes.Muted, lead}, span{role, glyph + " "},
		span{themes.Text, w.fit(item.Title, max(w.w-indent-len(cost), 0))}, span{themes.Muted, cost})
}
