package tui

import (
	"strings"
	"time"

	"cmem/memory"
	"cmem/themes"
)

// The widths of the list from which on it has room for more.
const (
	costWidth = 36 // the token cost at the right
	wordWidth = 66 // the type as a word
	whyWidth  = 50 // why a hit is in the list
	whyCells  = 16
	// snippetCells is the least room in which where it was found says something.
	snippetCells = 16
	typeCells    = 10
)

// frameParts is what stands in a pane's frame.
type frameParts struct {
	title  string
	badge  string // right, in the upper edge: what is new
	foot   string // right, in the lower edge
	focus  bool
	danger bool // a question about something that destroys
	offset int  // of what is in sight, for the bar at the right
	total  int  // lines there are; no bar when they all are in sight
}

// frame puts a frame around body, of w×h cells in all. Body lines must be w-2
// cells wide; missing ones are left empty.
func frame(c cells, w, h int, p frameParts, body []line) []line {
	if w < 2 || h < 2 {
		return nil
	}
	border, title := themes.Border, themes.Title
	if p.focus {
		border, title = themes.BorderFocus, themes.TitleFocus
	}
	if p.danger {
		title = themes.Danger
	}
	out := make([]line, 0, h)
	out = append(out, edge(c, w, "╭", "╮", border, span{title, p.title}, span{themes.Badge, p.badge}))
	first, last := thumb(h-2, p.offset, p.total)
	for n := range h - 2 {
		right := "│"
		if n >= first && n < last {
			right = "┃"
		}
		l := make(line, 0, 16)
		l = append(l, span{border, "│"})
		if n < len(body) {
			l = append(l, body[n]...)
		} else {
			l = append(l, span{themes.Text, strings.Repeat(" ", w-2)})
		}
		out = append(out, append(l, span{border, right}))
	}
	return append(out, edge(c, w, "╰", "╯", border, span{}, span{themes.Muted, p.foot}))
}

// edge draws the upper or lower edge with a text at each side, if there is room.
func edge(c cells, w int, from, to string, border themes.Role, left, right span) line {
	room := w - 4 // a corner and a dash at each side
	rightText := padded(c.shorten(right.text, room-2))
	if c.width(rightText) > room {
		rightText = ""
	}
	room -= c.width(rightText)
	leftText := padded(c.shorten(left.text, room-2))
	if c.width(leftText) > room {
		leftText = ""
	}
	room -= c.width(leftText)
	return line{
		{border, from + "─"}, {left.role, leftText},
		{border, strings.Repeat("─", max(room, 0))},
		{right.role, rightText}, {border, "─" + to},
	}
}

func padded(s string) string {
	if s == "" {
		return ""
	}
	return " " + s + " "
}

// thumb gives the part of a bar of h cells that shows where h lines from
// offset are among total.
func thumb(h, offset, total int) (first, last int) {
	if total <= h || h <= 0 {
		return 0, 0
	}
	size := max(h*h/total, 1)
	first = (h - size) * offset / (total - h)
	return first, first + size
}

// rowStyle is what the rows of a list have in common.
type rowStyle struct {
	cells
	w       int
	focus   bool // the list has the keys
	flat    bool // rows stand for themselves, without days
	project bool // rows of several projects are shown
	words   []string
	marks   marks // rows that are marked
	now     time.Time
}

// drawRow draws a row of the timeline, s.w cells wide.
func drawRow(s rowStyle, t *timeline, r row, sessions map[string]memory.Session) line {
	item := t.items[r.item]
	switch r.kind {
	case dayRow:
		name := s.shorten(dayName(item.CreatedAt.In(s.now.Location()), s.now), s.w-2)
		rest := max(s.w-s.width(name)-3, 0)
		return s.cutLine(line{{themes.Day, " " + name + " "}, {themes.Border, strings.Repeat("─", rest)}}, 0, s.w)
	case sessionRow:
		return s.sessionLine(item, sessionTitle(t, r.item, sessions), sessions[item.SessionID].GitBranch)
	}
	if r.kind == meantRow {
		return s.meantLine()
	}
	return s.itemLine(item, r.item == t.cursor, t.hits[keyOf(item)])
}

// sessionLine draws the headline of a session.
func (s rowStyle) sessionLine(item memory.Item, title, branch string) line {
	l := line{{themes.Text, "  "}}
	room := s.w - 3
	if s.project {
		name := s.shorten(projectName(item.Project), room/2)
		l = append(l, span{themes.Accent, name}, span{themes.Muted, " › "})
		room -= s.width(name) + 3
	}
	if branch != "" && room > 44 {
		branch = s.shorten(branch, 16)
		room -= s.width(branch) + 1
		l = append(l, span{themes.Session, s.fit(title, room)}, span{themes.Muted, " " + branch})
	} else {
		l = append(l, span{themes.Session, s.fit(title, room)})
	}
	return s.cutLine(l, 0, s.w)
}

// itemLine draws a memory.
func (s rowStyle) itemLine(item memory.Item, selected bool, found hit) line {
	glyph, word, role := looks(item.Kind, item.Type)
	when := item.CreatedAt.In(s.now.Location())
	clock := when.Format("15:04")
	if s.flat {
		clock = shortTime(when, s.now)
	}
	l := make(line, 0, 12)
	l = append(l, s.lead(item), span{themes.Muted, clock + " "}, span{role, glyph + " "})
	room := s.w - 2 - 6 - 2
	if s.w >= wordWidth {
		l = append(l, span{role, s.fit(word, typeCells)})
		room -= typeCells
	}
	cost := ""
	if s.w >= costWidth {
		if item.Tokens > 0 {
			cost = shortCount(item.Tokens)
		}
		cost = s.fitRight(cost, 5) + " "
		room -= 6
	}
	why := ""
	if s.flat && s.w >= whyWidth && found.why != nil {
		why = s.shorten(found.why(), whyCells)
		room -= s.width(why) + 1
	}
	mark := ""
	if item.Pinned {
		mark = pinGlyph + " "
	}
	if item.Status != "" && item.Status != memory.StatusActive {
		mark += string(item.Status) + " "
	}
	if mark != "" {
		mark = s.shorten(mark, room)
		l = append(l, span{themes.Warn, mark})
		room -= s.width(mark)
	}
	title := themes.Text
	if item.Kind == memory.KindSummary {
		title = themes.Strong
	}
	text := lit(s.shorten(item.Title, room), title, s.words)
	if rest := room - s.lineWidth(text) - 3; s.flat && rest >= snippetCells && len(found.snippet) > 0 {
		text = append(text, span{themes.Muted, " — "})
		text = append(text, s.cutLine(found.snippet, 0, rest)...)
	}
	l = append(l, s.cutLine(text, 0, room)...)
	if why != "" {
		l = append(l, span{themes.Muted, " " + why})
	}
	l = append(l, span{themes.Muted, cost})
	l = s.cutLine(l, 0, s.w)
	if selected {
		l = s.asSelected(l)
	}
	return l
}

// asSelected gives the line one role from end to end, in which only matches stay
// lit, and a mark at its beginning that shows without colours too.
func (s rowStyle) asSelected(l line) line {
	role, match, mark := themes.SelectedBlur, themes.SelectedBlur, markBlur
	if s.focus {
		role, match, mark = themes.Selected, themes.SelectedMatch, markFocus
	}
	out := line{{role, mark}}
	cut := 1 // cells that the mark takes
	for _, part := range l {
		text := part.text
		if cut > 0 {
			text = s.drop(text, cut)
			cut = max(cut-s.width(part.text), 0)
		}
		as := role
		if part.role == themes.Match {
			as = match
		}
		if last := &out[len(out)-1]; last.role == as {
			last.text += text
		} else if text != "" {
			out = append(out, span{as, text})
		}
	}
	return out
}

// sessionTitle names the session that an item heads: by its own title, else
// by its summary or its earliest prompt in the window, else by its id.
func sessionTitle(t *timeline, from int, sessions map[string]memory.Session) string {
	id := t.items[from].SessionID
	if title := sessions[id].Title; title != "" {
		return title
	}
	title := ""
	for _, i := range t.items[from:] {
		if i.SessionID != id {
			break
		}
		switch {
		case i.Kind == memory.KindSummary && i.Title != "":
			return i.Title
		case i.Kind == memory.KindPrompt && i.Title != "":
			title = i.Title
		}
	}
	if title == "" {
		title = "session " + cleanLine(id[:min(len(id), 8)])
	}
	return title
}

// bar draws a line with something at each side. The right side gives way to
// the left one, part by part from its end; so does the left one at the end.
func bar(c cells, w int, left, right []line) line {
	const gap = 2
	var out line
	used := 0
	for n, part := range left {
		size := c.lineWidth(part)
		if n > 0 && used+size > w {
			break
		}
		out = append(out, part...)
		used += size
	}
	var tail line
	size := 0
	for _, part := range right {
		n := c.lineWidth(part)
		if used+size+n+gap > w {
			break
		}
		tail = append(tail, part...)
		size += n
	}
	if fill := w - used - size; fill > 0 {
		out = append(out, span{themes.Text, strings.Repeat(" ", fill)})
	}
	return c.cutLine(append(out, tail...), 0, w)
}

// centred draws text lines in the middle of w×h cells.
func centred(c cells, w, h int, text []line) []line {
	widest := 0
	for _, l := range text {
		widest = max(widest, c.lineWidth(l))
	}
	left := max((w-widest)/2, 0)
	out := make([]line, 0, h)
	for range min(max((h-len(text))/2, 0), h) {
		out = append(out, c.cutLine(nil, 0, w))
	}
	for _, l := range text {
		if len(out) < h {
			l = append(line{{themes.Text, strings.Repeat(" ", left)}}, l...)
			out = append(out, c.cutLine(l, 0, w))
		}
	}
	return out
}
