package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/recall"
	"cmem/themes"
)

// contextPage shows what the next session of the project will be given, and of
// each memory why it is in that or not.
type contextPage struct {
	listing
	asking
	project string
	about   int64 // the observation that one came with; 0 for none
	jump    bool  // it is still to be selected
	plan    recall.ContextPlan
	outside *recall.ContextEntry // the word on it, where it was not considered

	raw      bool // the text itself is shown
	textTop  int
	textRows int // lines in sight of textLen
	textLen  int
}

func (p *contextPage) load(m *model, again bool) tea.Cmd {
	f, ok := m.filter()
	if !ok || f.Project == "" {
		p.project, p.plan, p.outside, p.asked = "", recall.ContextPlan{}, nil, false
		return nil
	}
	if p.later(again) {
		return nil
	}
	rest := m.cmds.timing.counts
	if !again {
		rest = 0
		p.about, p.jump = 0, false
		if item := m.from.item; item.Kind == memory.KindObservation {
			p.about, p.jump = item.ID, true
		}
		m.from = subject{} // it is asked about once
	}
	if f.Project != p.project {
		p.project, p.plan, p.outside, p.asked = f.Project, recall.ContextPlan{}, nil, false
		p.cursor, p.top, p.textTop = 0, 0, 0
	}
	return m.cmds.plan(p.begin(), p.project, p.about, rest)
}

func (p *contextPage) follow(m *model) tea.Cmd {
	if p.stale && !p.busy {
		return p.load(m, true)
	}
	return nil
}

func (p *contextPage) arrive(m *model, msg tea.Msg) (tea.Cmd, bool) {
	answer, ok := msg.(planMsg)
	if !ok {
		return nil, false
	}
	first := !p.asked
	if !p.answered(answer.number, answer.err) {
		return nil, true
	}
	e, had := p.at()
	offset := p.cursor - p.top
	zone := m.now().Location()
	for n := range answer.plan.Considered {
		r := &answer.plan.Considered[n].Reason
		r.At = r.At.In(zone)
	}
	p.plan, p.outside = answer.plan, answer.asked
	if p.outside != nil {
		p.outside.Reason.At = p.outside.Reason.At.In(zone)
	}
	switch {
	case p.jump && p.selectID(p.about):
	case had && !first && p.selectID(e.Item.ID):
		p.top = max(p.cursor-offset, 0)
	}
	p.jump = false
	p.resize(len(p.entries()), p.height)
	return nil, true
}

// entries gives the rows: the memory that was asked about first, when it is not
// among the others.
func (p *contextPage) entries() []recall.ContextEntry {
	if p.outside == nil {
		return p.plan.Considered
	}
	return append([]recall.ContextEntry{*p.outside}, p.plan.Considered...)
}

func (p *contextPage) selectID(id int64) bool {
	n := slices.IndexFunc(p.entries(), func(e recall.ContextEntry) bool { return e.Item.ID == id })
	if n >= 0 {
		p.cursor = n
	}
	return n >= 0
}

func (p *contextPage) at() (recall.ContextEntry, bool) {
	list := p.entries()
	if p.cursor < 0 || p.cursor >= len(list) {
		return recall.ContextEntry{}, false
	}
	return list[p.cursor], true
}

func (p *contextPage) act(m *model, a action) (tea.Cmd, bool) {
	switch {
	case a == actRaw:
		p.raw, p.textTop = !p.raw, 0
		return nil, true
	case p.raw && a == actBack:
		p.raw = false
		return nil, true
	case p.raw:
		if a == actNewest {
			a = actFirst
		}
		n := steps(a, p.textRows, p.textLen)
		p.scroll(m, n)
		return nil, n != 0 || a == actFirst || a == actLast
	}
	return nil, p.moves(a)
}

func (p *contextPage) pick(_ *model, n int) bool { return !p.raw && p.pickRow(n) }

func (p *contextPage) scroll(_ *model, n int) {
	if p.raw {
		p.textTop = max(min(p.textTop+n, p.textLen-p.textRows), 0)
		return
	}
	p.rows.scroll(n)
}

func (p *contextPage) selected(*model) subject {
	e, ok := p.at()
	if !ok {
		return subject{}
	}
	return subject{item: e.Item, session: e.Item.SessionID, project: e.Item.Project}
}

func (p *contextPage) draw(m *model, w, h int) ([]line, frameParts) {
	f, _ := m.filter()
	parts := frameParts{title: "Context · " + m.projectLabel(f.Project)}
	switch {
	case f.Project == "":
		return centred(m.cells, w, h, saying(m.cells, w, "A session belongs to a project: choose one with "+m.keys.of(actProjects, inPanes)+".",
			"Then this shows what its next session will be given, and why.")), parts
	case p.failure != "" && len(p.entries()) == 0:
		return centred(m.cells, w, h, failureLines(m.cells, w, "The context could not be planned.", p.failure)), parts
	case !p.asked:
		return nil, parts
	case p.raw:
		return p.text(m, w, h, parts)
	}
	list := p.entries()
	head := append(p.trouble(m.cells, w), p.budget(m, w)...)
	if h < shortBudget {
		head = append(p.trouble(m.cells, w), p.budgetLine(m.cells, w))
	}
	key := m.keys.of(actRaw, inPanes)
	if len(list) == 0 {
		body := filled(m.cells, w, head)
		rest := centred(m.cells, w, max(h-len(body), 0), saying(m.cells, w, "Nothing is remembered here yet.",
			"The next session is told so in one friendly line; "+key+" shows it."))
		return append(body, rest...)[:min(h, len(body)+len(rest))], parts
	}
	s := rowStyle{cells: m.cells, w: w, focus: m.state.focus == listPane, marks: m.marks, now: m.now()}
	var foot []line
	if e, ok := p.at(); ok {
		foot = footnote(m.cells, w, verdict(e))
	}
	body := p.body(len(list), h, head, foot, func(n int) line { return entryLine(s, list[n], n == p.cursor) })
	more := ""
	if p.plan.More {
		more = "+"
	}
	parts.badge = key + " the text itself"
	parts.foot = fmt.Sprintf("%d of %s%s", p.cursor+1, thousands(len(list)), more)
	parts.offset, parts.total = p.top, len(list)
	return filled(m.cells, w, body), parts
}

// verdict says whether a memory will be given to the next session, and why.
func verdict(e recall.ContextEntry) span {
	if e.In {
		return span{themes.Good, "In: " + cleanLine(e.Reason.String())}
	}
	return span{themes.Muted, "Not in: " + cleanLine(e.Reason.String())}
}

// text draws the block as the next session gets it.
func (p *contextPage) text(m *model, w, h int, parts frameParts) ([]line, frameParts) {
	var out []line
	for _, l := range m.wrap(p.plan.Block.Text, max(w-2, 1)) {
		out = append(out, m.cutLine(line{{themes.Text, " " + l}}, 0, w))
	}
	p.textRows, p.textLen = h, len(out)
	p.scroll(m, 0)
	parts.title = "Context · the text itself"
	parts.badge = m.keys.of(actRaw, inPanes) + " the rows"
	parts.offset, parts.total = p.textTop, len(out)
	if len(out) > h {
		parts.foot = fmt.Sprintf("%d%%", min(100, 100*(p.textTop+h)/len(out)))
	}
	return out[p.textTop:min(p.textTop+h, len(out))], parts
}

// budget draws what the block uses of what it may use.
func (p *contextPage) budget(m *model, w int) []line {
	b := p.plan.Budget
	const nameCells, valueCells, leastMeter = 13, 17, 5
	room := min(w-1-nameCells-1-valueCells, 24)
	var out []line
	row := func(name string, n, limit int, more string) {
		value := thousands(n)
		role := themes.Accent
		if limit > 0 {
			value += " of " + thousands(limit)
			if n >= limit {
				role = themes.Warn
			}
		}
		l := line{{themes.Muted, " " + m.fit(name, nameCells)}}
		if limit > 0 && room >= leastMeter {
			l = append(l, meter(m.cells, n, limit, room, role)...)
			l = append(l, span{themes.Text, " "})
		}
		out = append(out, m.cutLine(append(l, span{themes.Text, value + more}), 0, w))
	}
	pinned, cut := "", ""
	if b.Pinned > 0 {
		pinned = fmt.Sprintf(" +%d %s", b.Pinned, pinGlyph)
	}
	if b.Cut > 0 {
		cut = fmt.Sprintf(", %d cut", b.Cut)
	}
	row("characters", b.Chars, b.MaxChars, cut)
	row("tokens", b.Tokens, 0, "")
	row("observations", b.Observations-b.Pinned, b.MaxObservations, pinned)
	row("sessions", b.Sessions, b.MaxSessions, "")
	if s := p.plan.Summary; s != nil {
		out = append(out, m.cutLine(line{{themes.Muted, " " + m.fit("summary", nameCells)},
			{themes.Text, "of " + moment(s.CreatedAt.In(m.now().Location()), m.now())}}, 0, w))
	}
	return append(out, m.cutLine(line{{themes.Border, rule(w)}}, 0, w))
}

// shortBudget is the height below which the budget is one line.
const shortBudget = 12

// budgetLine tells in one line what the block uses.
func (p *contextPage) budgetLine(c cells, w int) line {
	b := p.plan.Budget
	text := fmt.Sprintf(" %s of %s characters · %s · %d of %d", thousands(b.Chars), thousands(b.MaxChars),
		count(b.Tokens, "token"), b.Observations-b.Pinned, b.MaxObservations)
	return line{{themes.Muted, c.fit(text, w)}}
}

// entryLine draws a memory with the reason why it is in the block or not.
func entryLine(s rowStyle, e recall.ContextEntry, selected bool) line {
	mark, role, title := "○", themes.Muted, themes.Muted
	if e.In {
		mark, role, title = "●", themes.Good, themes.Text
	}
	return s.reasonLine(e.Item, span{role, mark + " "}, title, shortReason(e.Reason), selected)
}

// shortReason gives a reason in as few words as a row has room for.
func shortReason(r recall.Reason) string {
	switch r.Kind {
	case recall.ReasonNewest, recall.ReasonOwn:
		return fmt.Sprintf("%d of %s", r.N, thousands(r.Of))
	case recall.ReasonOtherProject:
		return "in " + projectName(r.Project)
	}
	return cleanLine(r.String())
}

// reasonLine draws a memory with a mark before its type and a reason at the right.
func (s rowStyle) reasonLine(item memory.Item, mark span, title themes.Role, reason string, selected bool) line {
	const whenWidth = 50 // from here on there is room for the time
	glyph, _, kind := looks(item.Kind, item.Type)
	l := line{s.lead(item)}
	if s.w >= whenWidth {
		l = append(l, span{themes.Muted, shortTime(item.CreatedAt.In(s.now.Location()), s.now) + " "})
	}
	l = append(l, mark, span{kind, glyph + " "})
	room := max(s.w-s.lineWidth(l)-2, 0)
	reason = s.shorten(reason, room/2)
	room -= s.width(reason)
	if item.Pinned {
		pin := s.shorten(pinGlyph+" ", room)
		l = append(l, span{themes.Warn, pin})
		room -= s.width(pin)
	}
	l = append(l, lit(s.fit(item.Title, room), title, s.words)...)
	l = s.cutLine(append(l, span{themes.Muted, " " + reason + " "}), 0, s.w)
	if selected {
		l = s.asSelected(l)
	}
	return l
}
