package tui

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/themes"
)

// sessionsPage lists sessions, newest first, each with its story beside it.
type sessionsPage struct {
	listing
	asking
	filter memory.Filter // what the list is of
	text   string        // words that its sessions have
	wanted string        // the session to be selected when it is there

	// list is a run of sessions without gaps, never more than maxRows, that begins
	// after the place from. The store reads towards older ones only, so where the
	// pages above the run began is kept.
	list  []memory.Session
	from  memory.Cursor
	above []memory.Cursor
	atEnd bool

	story story
}

// cursorOf gives the place of a session among the sessions.
func cursorOf(s memory.Session) memory.Cursor {
	return memory.Cursor{EpochMS: s.CreatedAt.UnixMilli(), ID: s.RowID}
}

func (p *sessionsPage) load(m *model, again bool) tea.Cmd {
	f, ok := m.filter()
	if !ok {
		p.list, p.asked, p.atEnd, p.failure = nil, true, true, ""
		return nil
	}
	if p.later(again) {
		return nil
	}
	p.story.stale = true
	if f.SessionID != "" { // the timeline is that of one session: it is selected among all
		p.wanted, f.SessionID = f.SessionID, ""
	}
	if !p.asked || !reflect.DeepEqual(f, p.filter) || m.query.text != p.text {
		p.filter, p.text = f, m.query.text
		p.list, p.from, p.above, p.asked = nil, memory.Cursor{}, nil, false
		p.cursor, p.top = 0, 0
	}
	return p.read(m, p.from, min(max(len(p.list), pageSize), maxRows))
}

// read asks for the sessions after a place, in the place of those that are there.
func (p *sessionsPage) read(m *model, from memory.Cursor, limit int) tea.Cmd {
	return m.cmds.sessionRows(p.begin(), sessionsAnew, p.filter, p.text, from, limit)
}

// follow asks for the next page where the selection comes near the end of what
// is there, and for the story of the selected session.
func (p *sessionsPage) follow(m *model) tea.Cmd {
	const near = pageSize / 4
	var page tea.Cmd
	switch {
	case p.busy || !p.asked || p.text != "":
	case p.stale:
		page = p.load(m, true)
	case p.failure != "" || len(p.list) == 0:
	case !p.atEnd && p.end()+near >= len(p.list):
		page = m.cmds.sessionRows(p.begin(), sessionsOlder, p.filter, "", cursorOf(p.list[len(p.list)-1]), pageSize)
	case len(p.above) > 0 && p.top < near:
		page = p.read(m, p.above[len(p.above)-1], maxRows)
	}
	return tea.Batch(page, p.followStory(m))
}

func (p *sessionsPage) followStory(m *model) tea.Cmd {
	s, ok := p.at()
	if !ok || s.ID == p.story.id && !p.story.stale {
		return nil
	}
	if s.ID != p.story.id {
		p.story = story{id: s.ID}
	}
	p.story.stale = false
	return m.cmds.story(s.ID, m.rest())
}

// rest gives how long to wait before something is read for the selection: in a
// run of moves only that at which the cursor rests is read.
func (m *model) rest() time.Duration {
	before := m.moved
	m.moved = m.now()
	if m.moved.Sub(before) < 2*m.cmds.timing.settle {
		return m.cmds.timing.settle
	}
	return 0
}

func (p *sessionsPage) at() (memory.Session, bool) {
	if p.cursor < 0 || p.cursor >= len(p.list) {
		return memory.Session{}, false
	}
	return p.list[p.cursor], true
}

func (p *sessionsPage) arrive(m *model, msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case sessionRowsMsg:
		if p.answered(msg.number, msg.err) {
			p.take(m, msg)
		}
		return nil, true
	case storyMsg:
		p.story.take(msg)
		return nil, true
	}
	return nil, false
}

// take puts sessions into the list and keeps the selection with its session.
func (p *sessionsPage) take(m *model, msg sessionRowsMsg) {
	selected, had := p.at()
	offset := p.cursor - p.top
	atTop := p.top == 0 && len(p.above) == 0
	first := had && p.cursor == 0 && atTop
	p.atEnd = !msg.full
	switch msg.part {
	case sessionsOlder:
		p.list = append(p.list, msg.sessions...)
		for len(p.list) > maxRows {
			p.above = append(p.above, p.from)
			p.from = cursorOf(p.list[pageSize-1])
			p.list = slices.Clone(p.list[pageSize:]) // frees the others
		}
	case sessionsEnd:
		p.list, p.from, p.above = msg.sessions, msg.from, msg.above
		p.cursor, had = len(p.list)-1, false
	default:
		p.list, p.from = msg.sessions, msg.from
		for n := len(p.above); n > 0 && p.above[n-1] == p.from; n-- {
			p.above = p.above[:n-1]
		}
	}
	switch {
	case p.wanted != "" && p.selectID(p.wanted):
	case had && !(first && p.follows(m)):
		if p.selectID(selected.ID) {
			p.top = max(p.cursor-offset, 0)
		}
		if atTop { // what has begun comes into sight
			p.top = 0
		}
	}
	p.wanted = ""
	p.resize(len(p.list), p.height)
}

// follows reports whether a person looks at the newest session and not into its
// details, so that the selection goes with what begins.
func (p *sessionsPage) follows(m *model) bool {
	return m.state.focus == listPane && m.detail.top == 0
}

func (p *sessionsPage) selectID(id string) bool {
	n := slices.IndexFunc(p.list, func(s memory.Session) bool { return s.ID == id })
	if n >= 0 {
		p.cursor = n
	}
	return n >= 0
}

func (p *sessionsPage) act(m *model, a action) (tea.Cmd, bool) {
	switch a {
	case actOpen:
		if s, ok := p.at(); ok {
			return m.toFound(s), true
		}
		return nil, true
	case actFirst, actNewest:
		if len(p.above) > 0 {
			p.above, p.cursor, p.top, p.list, p.asked = nil, 0, 0, nil, false
			return p.read(m, memory.Cursor{}, pageSize), true
		}
		p.move(-p.n)
		return nil, true
	case actLast:
		if !p.atEnd && p.text == "" {
			return m.cmds.sessionRows(p.begin(), sessionsEnd, p.filter, "", memory.Cursor{}, 0), true
		}
	}
	return nil, p.moves(a)
}

func (p *sessionsPage) pick(_ *model, n int) bool { return p.pickRow(n) }
func (p *sessionsPage) scroll(_ *model, n int)    { p.rows.scroll(n) }

func (p *sessionsPage) selected(m *model) subject {
	s, ok := p.at()
	if !ok {
		return subject{}
	}
	return subject{
		session: s.ID, project: s.Project, key: "session:" + s.ID, title: "Session",
		tell: func(c cells, w int) []line { return p.story.lines(c, w, s, m.now()) },
	}
}

func (p *sessionsPage) draw(m *model, w, h int) ([]line, frameParts) {
	f, _ := m.filter()
	parts := frameParts{title: "Sessions · " + m.projectLabel(f.Project)}
	switch {
	case p.failure != "" && len(p.list) == 0:
		return centred(m.cells, w, h, failureLines(m.cells, w, "The sessions could not be read.", p.failure)), parts
	case len(p.list) == 0 && !p.asked:
		return nil, parts
	case len(p.list) == 0:
		return centred(m.cells, w, h, p.nothing(m, w, f)), parts
	}
	s := rowStyle{cells: m.cells, w: w, focus: m.state.focus == listPane, project: f.Project == "", words: litWords(p.text), now: m.now()}
	body := p.body(len(p.list), h, append(p.trouble(m.cells, w), sessionHead(s)), nil, func(n int) line {
		return sessionLine(s, p.list[n], n == p.cursor)
	})
	parts.offset, parts.total = p.top, len(p.list)
	if len(p.above) == 0 {
		parts.foot = fmt.Sprintf("%d of %s", p.cursor+1, thousands(len(p.list)))
		if !p.atEnd {
			parts.foot += "+"
		}
	}
	return filled(m.cells, w, body), parts
}

func (p *sessionsPage) nothing(m *model, w int, f memory.Filter) []line {
	if m.input.text != "" {
		return saying(m.cells, w, "No session goes with "+m.input.text, "Words are looked for in titles, branches and paths. esc clears the filter.")
	}
	if f.Project != "" {
		return saying(m.cells, w, "No session in "+projectName(f.Project)+" yet.", "p shows another project")
	}
	return saying(m.cells, w, "No session yet.", "A session appears here as soon as it begins. `cmem install` connects Claude Code, `cmem import` brings what was before.")
}

// The widths from which on a row of a session has room for more.
const (
	sessionCountsWidth = 40
	sessionBranchWidth = 64
	sessionAgeWidth    = 72
	branchCells        = 12
	ageCells           = 13
	askedCells         = 6
	keptCells          = 5
)

// sessionHead heads the columns of sessionLine.
func sessionHead(s rowStyle) line {
	var right []string
	if s.w >= sessionBranchWidth {
		right = append(right, s.fit("branch", branchCells)+" ")
	}
	if s.w >= sessionAgeWidth {
		right = append(right, s.fitRight("last", ageCells)+" ")
	}
	if s.w >= sessionCountsWidth {
		right = append(right, s.fitRight("asked", askedCells), s.fitRight("kept", keptCells))
	}
	right = append(right, " ")
	return s.columnHead(s.w, "when    session", right...)
}

// sessionLine draws a session in one row.
func sessionLine(s rowStyle, v memory.Session, selected bool) line {
	zone := s.now.Location()
	state, role := " ", themes.Text
	if v.Status == memory.SessionActive {
		state, role = activeGlyph, themes.Good
	}
	l := line{{themes.Muted, "  " + shortTime(v.CreatedAt.In(zone), s.now) + " "}, {role, state + " "}}
	var tail line
	if s.w >= sessionBranchWidth {
		tail = append(tail, span{themes.Muted, s.fit(v.GitBranch, branchCells) + " "})
	}
	if s.w >= sessionAgeWidth {
		tail = append(tail, span{themes.Muted, s.fitRight(age(lastOf(v), s.now), ageCells) + " "})
	}
	if s.w >= sessionCountsWidth {
		tail = append(tail, span{themes.Prompt, s.fitRight(shortCount(v.PromptCount), askedCells)},
			span{themes.Text, s.fitRight(shortCount(v.ObservationCount), keptCells)})
	}
	tail = append(tail, span{themes.Text, " "})
	room := s.w - s.lineWidth(l) - s.lineWidth(tail)
	if v.Agent != "" && v.Agent != usualAgent {
		name := s.shorten(v.Agent, room/3)
		l = append(l, span{themes.Warn, name + " "})
		room -= s.width(name) + 1
	}
	if s.project {
		name := s.shorten(projectName(v.Project), room/3)
		l = append(l, span{themes.Accent, name}, span{themes.Muted, " › "})
		room -= s.width(name) + 3
	}
	l = append(l, lit(s.fit(titleOf(v), max(room, 0)), themes.Text, s.words)...)
	l = s.cutLine(append(l, tail...), 0, s.w)
	if selected {
		l = s.asSelected(l)
	}
	return l
}

// usualAgent is the assistant that is not named in every row.
const usualAgent = "claude-code"

// activeGlyph marks what goes on just now.
const activeGlyph = "●"

// titleOf names a session for people.
func titleOf(s memory.Session) string {
	if s.Title != "" {
		return s.Title
	}
	return "session " + cleanLine(s.ID[:min(len(s.ID), 8)])
}

// lastOf gives when something last happened in a session.
func lastOf(s memory.Session) time.Time {
	if s.LastEventAt.After(s.CreatedAt) {
		return s.LastEventAt
	}
	return s.CreatedAt
}
