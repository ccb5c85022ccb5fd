package tui

import "strings"

// area is text of several lines being typed: a line typed is an input, and
// between two of them the cursor goes on to the other. With one it is a line
// that has no second.
type area struct {
	lines []input
	row   int // the line with the cursor
	one   bool
	width int // cells of the last drawing, for moving by rows as they are seen
	goal  int // the column that moving up and down keeps; -1 for none
}

// newArea gives an area with text, and the cursor at its beginning, or for one
// line at its end.
func newArea(text string, one bool) *area {
	a := &area{one: one, width: 40, goal: -1}
	if one {
		a.lines = []input{{text: cleanLine(text)}}
		a.lines[0].at = len(a.lines[0].text)
		return a
	}
	for l := range strings.SplitSeq(text, "\n") {
		a.lines = append(a.lines, input{text: l})
	}
	return a
}

// text gives what was typed.
func (a *area) text() string {
	list := make([]string, 0, len(a.lines))
	for _, l := range a.lines {
		list = append(list, l.text)
	}
	return strings.Join(list, "\n")
}

// list gives the lines that have something in them.
func (a *area) list() []string {
	var out []string
	for _, l := range a.lines {
		if s := strings.TrimSpace(l.text); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// insert puts typed or pasted text in at the cursor; line breaks begin lines.
func (a *area) insert(text string) {
	a.goal = -1
	if a.one {
		a.lines[a.row].insert(text)
		return
	}
	// Blanks within a line stay as they were pasted: they may be code.
	text = clean(strings.ReplaceAll(text, "\r\n", "\n"), true)
	for n, part := range strings.Split(text, "\n") {
		if n > 0 {
			a.split()
		}
		l := &a.lines[a.row]
		l.text = l.text[:l.at] + part + l.text[l.at:]
		l.at += len(part)
	}
}

// split ends the line at the cursor and begins another with the rest.
func (a *area) split() {
	l := &a.lines[a.row]
	rest := l.text[l.at:]
	l.text = l.text[:l.at]
	a.row++
	a.lines = append(a.lines, input{})
	copy(a.lines[a.row+1:], a.lines[a.row:])
	a.lines[a.row] = input{text: rest}
}

// join puts the line after row to its end.
func (a *area) join(row int) {
	l := &a.lines[row]
	l.at = len(l.text)
	l.text += a.lines[row+1].text
	a.lines = append(a.lines[:row+1], a.lines[row+2:]...)
	a.row = row
}

// edit does what an editing action says and reports whether it did something
// here; moving beyond the first and the last row does not.
func (a *area) edit(c cells, what action) bool {
	if what == actUp || what == actDown {
		return a.moveRow(c, what == actDown)
	}
	a.goal = -1
	l := &a.lines[a.row]
	switch {
	case (what == actLeft || what == actErase || what == actEraseWord) && l.at == 0:
		if a.row == 0 {
			return true
		}
		if what == actLeft {
			a.row--
			a.lines[a.row].at = len(a.lines[a.row].text)
			return true
		}
		a.join(a.row - 1)
		return true
	case (what == actRight || what == actEraseNext) && l.at == len(l.text):
		if a.row == len(a.lines)-1 {
			return true
		}
		if what == actRight {
			a.row++
			a.lines[a.row].at = 0
			return true
		}
		a.join(a.row)
		return true
	}
	return l.edit(what)
}

// moveRow moves a row up or down as rows are seen: a long line has several.
func (a *area) moveRow(c cells, down bool) bool {
	l := &a.lines[a.row]
	starts := breaks(c, l.text, a.width)
	n := rowAt(starts, l.at)
	if a.goal < 0 {
		a.goal = c.width(c.settle(l.text[starts[n]:l.at]))
	}
	switch {
	case down && n+1 < len(starts):
		n++
	case down && a.row+1 < len(a.lines):
		a.row++
		n = 0
	case !down && n > 0:
		n--
	case !down && a.row > 0:
		a.row--
		n = -1
	default:
		return false
	}
	l = &a.lines[a.row]
	starts = breaks(c, l.text, a.width)
	if n < 0 {
		n = len(starts) - 1
	}
	end := len(l.text)
	if n+1 < len(starts) {
		end = starts[n+1]
	}
	l.at = starts[n]
	for l.at < end {
		next := l.at + len(l.after())
		if next > end || next == end && n+1 < len(starts) || c.width(c.settle(l.text[starts[n]:next])) > a.goal {
			break
		}
		l.at = next
	}
	return true
}

// breaks gives where the rows begin on which a line of text is shown, w cells
// wide. Unlike wrapping, nothing of the text gets lost between them.
func breaks(c cells, s string, w int) []int {
	w = max(w, 2)
	starts := []int{0}
	for from := 0; c.width(s[from:]) > w; {
		n := c.breakAt(s[from:], w)
		for from+n < len(s) && s[from+n] == ' ' {
			n++ // blanks stay with the row that they end
		}
		if from += n; from >= len(s) {
			break
		}
		starts = append(starts, from)
	}
	return starts
}

// rowAt gives the row on which a place in the text is.
func rowAt(starts []int, at int) int {
	n := len(starts) - 1
	for n > 0 && starts[n] > at {
		n--
	}
	return n
}

// areaRow is a row of an area as it is drawn.
type areaRow struct {
	text   string
	column int // of the cursor, -1 when it is not in this row
}

// rows gives the rows of the area, at most w cells wide; focus says whether it
// has the cursor.
func (a *area) rows(c cells, w int, focus bool) []areaRow {
	a.width = w
	if a.one && !focus {
		return []areaRow{{c.shorten(a.lines[0].text, w), -1}}
	}
	if a.one {
		text, column := a.lines[0].visible(c, w)
		return []areaRow{{text, column}}
	}
	var out []areaRow
	for n, l := range a.lines {
		starts := breaks(c, l.text, w)
		cursor := rowAt(starts, l.at)
		for i, from := range starts {
			end := len(l.text)
			if i+1 < len(starts) {
				end = starts[i+1]
			}
			r := areaRow{c.cut(c.settle(l.text[from:end]), w), -1}
			if focus && n == a.row && i == cursor {
				r.column = min(c.width(c.settle(l.text[from:l.at])), w-1)
			}
			out = append(out, r)
		}
	}
	return out
}
