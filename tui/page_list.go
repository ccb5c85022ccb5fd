package tui

import (
	"strings"

	"cmem/themes"
)

// asking is what a page knows of the questions that it asks the store.
type asking struct {
	number  int    // of the newest question; an answer to an older one is dropped
	busy    bool   // an answer is on its way
	stale   bool   // the store changed meanwhile: what comes has to be read again
	asked   bool   // the first answer is there
	failure string // why what is there could not be read
}

// begin starts a question and gives its number.
func (r *asking) begin() int {
	r.number++
	r.busy, r.stale = true, false
	return r.number
}

// later reports whether a question has to wait for the answer to the present
// one. In a burst of changes one question is under way, not hundreds that each
// cancel the one before.
func (r *asking) later(again bool) bool {
	if again && r.busy {
		r.stale = true
		return true
	}
	return false
}

// answered takes in that an answer came and reports whether it is to be shown.
func (r *asking) answered(number int, err error) bool {
	if number != r.number {
		return false
	}
	r.busy = false
	if err == nil {
		r.asked, r.failure = true, ""
		return true
	}
	if !isCancelled(err) {
		r.asked, r.failure = true, cleanLine(err.Error())
	}
	return false
}

// trouble says above what is there that it could not be read anew.
func (r *asking) trouble(c cells, w int) []line {
	if r.failure == "" {
		return nil
	}
	return []line{c.cutLine(line{{themes.Bad, " ! " + c.shorten(r.failure, w-24)}, {themes.Muted, " · ctrl+r tries again"}}, 0, w)}
}

// failureLines say what went wrong and what to do about it.
func failureLines(c cells, w int, what, failure string) []line {
	var out []line
	for _, l := range c.wrap(what, w-2) {
		out = append(out, line{{themes.Strong, l}})
	}
	for _, l := range c.wrap(failure, w-2) {
		out = append(out, line{{themes.Bad, l}})
	}
	for _, l := range c.wrap("ctrl+r tries again; `cmem doctor` looks for what is wrong", w-2) {
		out = append(out, line{{themes.Muted, l}})
	}
	return out
}

// saying makes lines for an empty page: what is so, and what can be done.
func saying(c cells, w int, what string, more ...string) []line {
	var out []line
	for _, l := range c.wrap(what, max(min(w-2, emptyMeasure), 1)) {
		out = append(out, line{{themes.Strong, l}})
	}
	for _, s := range more {
		for _, l := range c.wrap(s, max(min(w-2, emptyMeasure), 1)) {
			out = append(out, line{{themes.Muted, l}})
		}
	}
	return out
}

// listing draws a list of rows between what heads it and what stands below it.
type listing struct {
	rows
	above int // lines above the rows when it was drawn last, for the mouse
}

// body draws at most h lines. Of little room the rows get the first lines: what
// stands around them gives way.
func (l *listing) body(n, h int, head, foot []line, row func(n int) line) []line {
	const leastRows = 3
	if len(foot) > 0 && h-len(head)-len(foot) < leastRows {
		foot = nil
	}
	if h-len(head) < leastRows {
		head = nil
	}
	l.above = len(head)
	room := max(h-len(head)-len(foot), 0)
	l.resize(n, room)
	out := make([]line, 0, h)
	out = append(out, head...)
	for i := l.top; i < l.end(); i++ {
		out = append(out, row(i))
	}
	if len(foot) > 0 {
		for len(out) < h-len(foot) {
			out = append(out, nil)
		}
		out = append(out, foot...)
	}
	return out
}

// moves does a movement and reports whether the action was one. Of what stands
// in an order of its own the newest is the first.
func (l *listing) moves(a action) bool {
	if a == actNewest {
		a = actFirst
	}
	return l.act(a)
}

// pickRow selects what the n-th line of the body shows and reports whether it
// was selected before.
func (l *listing) pickRow(n int) (again bool) {
	_, again = l.pick(n - l.above)
	return again
}

// filled gives lines of exactly w cells, also for those that are missing.
func filled(c cells, w int, body []line) []line {
	for n, l := range body {
		if c.lineWidth(l) != w {
			body[n] = c.cutLine(l, 0, w)
		}
	}
	return body
}

// footnote draws text below a list, under a rule, on at most three lines.
func footnote(c cells, w int, spans ...span) []line {
	if len(spans) == 0 {
		return nil
	}
	const most = 3
	out := []line{{{themes.Border, rule(w)}}}
	for _, s := range spans {
		for _, l := range c.wrap(s.text, max(w-2, 1)) {
			if len(out) <= most {
				out = append(out, c.cutLine(line{{themes.Text, " "}, {s.role, l}}, 0, w))
			}
		}
	}
	return out
}

// columnHead heads the columns of a list: the title of the widest, and those at
// the right, which are as wide as their columns.
func (c cells) columnHead(w int, left string, right ...string) line {
	tail := strings.Join(right, "")
	return c.cutLine(line{{themes.Muted, c.fit("  "+left, max(w-c.width(tail), 0)) + tail}}, 0, w)
}

// The parts of a bar, by eighths of a cell.
var eighths = []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}

// barOf draws n of most as a bar of at most w cells. What is not nothing shows.
func barOf(n, most int64, w int) string {
	if n <= 0 || most <= 0 || w <= 0 {
		return ""
	}
	parts := max(int(min(n, most)*int64(w)*8/most), 1)
	return strings.Repeat("█", parts/8) + eighths[parts%8]
}

// meter draws how much of a limit is used, w cells wide.
func meter(c cells, n, limit, w int, role themes.Role) line {
	full := barOf(int64(n), int64(limit), w)
	return line{{role, full}, {themes.Border, strings.Repeat("·", max(w-c.width(full), 0))}}
}

// share gives n of total in percent, for people.
func share(n, total int64) string {
	switch {
	case total <= 0 || n <= 0:
		return "0 %"
	case n*100 < total:
		return "<1 %"
	}
	return thousands(int((n*100+total/2)/total)) + " %"
}

// rule draws a line across w cells.
func rule(w int) string { return strings.Repeat("─", max(w, 0)) }
