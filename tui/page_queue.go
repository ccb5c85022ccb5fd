package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/themes"
)

// queuePage shows what waits for the worker, oldest first, and how that is
// doing.
type queuePage struct {
	listing
	asking
	batches  []memory.Batch
	sessions map[string]memory.Session
	full     bool
}

func (p *queuePage) load(m *model, again bool) tea.Cmd {
	if p.later(again) {
		return nil
	}
	return m.cmds.batches(p.begin())
}

func (p *queuePage) follow(m *model) tea.Cmd {
	if p.stale && !p.busy {
		return p.load(m, true)
	}
	return nil
}

func (p *queuePage) arrive(m *model, msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case batchesMsg:
		if p.answered(msg.number, msg.err) {
			p.take(msg)
		}
		return nil, true
	case retriedMsg:
		return p.retried(m, msg), true
	}
	return nil, false
}

func (p *queuePage) take(msg batchesMsg) {
	b, had := p.at()
	offset := p.cursor - p.top
	p.batches, p.sessions, p.full = msg.batches, msg.sessions, msg.full
	if had {
		if n := slices.IndexFunc(p.batches, func(v memory.Batch) bool { return v.ID == b.ID }); n >= 0 {
			p.cursor, p.top = n, max(n-offset, 0)
		}
	}
	p.resize(len(p.batches), p.height)
}

func (p *queuePage) retried(m *model, msg retriedMsg) tea.Cmd {
	read := p.load(m, false)
	switch {
	case isCancelled(msg.err):
		return read
	case msg.err != nil && msg.due:
		return tea.Batch(read, m.say(themes.Warn, "It is due now, but the worker could not be started: "+cleanLine(msg.err.Error())))
	case msg.err != nil:
		return tea.Batch(read, m.say(themes.Bad, "It could not be tried again: "+cleanLine(msg.err.Error())))
	case len(p.batches) == 0:
		return tea.Batch(read, m.say(themes.Muted, "Nothing waits."))
	case msg.n == 0:
		return tea.Batch(read, m.say(themes.Good, "It was due already; the worker comes to it next."))
	case msg.n == 1:
		return tea.Batch(read, m.say(themes.Good, "It is tried again now."))
	}
	return tea.Batch(read, m.say(themes.Good, thousands(msg.n)+" batches are tried again now."))
}

func (p *queuePage) at() (memory.Batch, bool) {
	if p.cursor < 0 || p.cursor >= len(p.batches) {
		return memory.Batch{}, false
	}
	return p.batches[p.cursor], true
}

func (p *queuePage) act(m *model, a action) (tea.Cmd, bool) {
	if a == actRetry {
		return p.retry(m), true
	}
	return nil, p.moves(a)
}

// retry has the selected batch tried again, and all of them where none is
// selected.
func (p *queuePage) retry(m *model) tea.Cmd {
	var ids []int64
	if b, ok := p.at(); ok {
		ids = []int64{b.ID}
	}
	return m.cmds.retry(ids)
}

func (p *queuePage) pick(_ *model, n int) bool { return p.pickRow(n) }
func (p *queuePage) scroll(_ *model, n int)    { p.rows.scroll(n) }

func (p *queuePage) selected(m *model) subject {
	b, ok := p.at()
	if !ok {
		return subject{}
	}
	return subject{
		session: b.SessionID, project: b.Project, key: fmt.Sprintf("batch:%d", b.ID), title: fmt.Sprintf("Batch %d", b.ID),
		tell: func(c cells, w int) []line { return p.tell(c, w, b, m) },
	}
}

func (p *queuePage) draw(m *model, w, h int) ([]line, frameParts) {
	parts := frameParts{title: "Queue"}
	head := append(p.trouble(m.cells, w), p.worker(m, w)...)
	switch {
	case p.failure != "" && len(p.batches) == 0:
		return centred(m.cells, w, h, failureLines(m.cells, w, "The queue could not be read.", p.failure)), parts
	case len(p.batches) == 0 && !p.asked:
		return nil, parts
	case len(p.batches) == 0:
		body := filled(m.cells, w, head)
		rest := centred(m.cells, w, max(h-len(body), 0), saying(m.cells, w, "Nothing waits.",
			"What an assistant does is kept at once and made into memories a little later; what is still to be made stands here."))
		return append(body, rest...)[:min(h, len(body)+len(rest))], parts
	}
	s := rowStyle{cells: m.cells, w: w, focus: m.state.focus == listPane, now: m.now()}
	head = append(head, batchHead(s))
	body := p.body(len(p.batches), h, head, nil, func(n int) line {
		b := p.batches[n]
		return batchLine(s, b, p.sessions[b.SessionID], n == p.cursor)
	})
	more := ""
	if p.full {
		more = "+"
	}
	parts.badge = m.keys.of(actRetry, inPanes) + " tries again"
	parts.foot = fmt.Sprintf("%d of %s%s", p.cursor+1, thousands(len(p.batches)), more)
	parts.offset, parts.total = p.top, len(p.batches)
	return filled(m.cells, w, body), parts
}

// worker says how the work is going.
func (p *queuePage) worker(m *model, w int) []line {
	out := &writer{cells: m.cells, w: max(w-2, 1), total: w}
	if !m.hasStatus {
		return nil
	}
	s := m.status
	pieces := []span{{themes.Muted, "worker resting"}}
	if s.Running {
		pieces[0] = span{themes.Good, activeGlyph + " worker at work"}
		if !s.Since.IsZero() {
			pieces[0].text += " since " + moment(s.Since.In(m.now().Location()), m.now())
		}
	}
	if s.Waiting > 0 {
		pieces = append(pieces, span{themes.Accent, count(s.Waiting, "event") + " on disk, not yet taken in"})
	}
	if s.Provider != "" {
		pieces = append(pieces, span{themes.Muted, "compressed by " + cleanLine(s.Provider)})
	}
	out.parts(pieces)
	say := func(role themes.Role, text string) {
		if text != "" {
			out.text(role, text)
		}
	}
	if s.Paused != "" {
		say(themes.Warn, "! The provider is left alone for now: "+cleanLine(s.Paused))
	}
	if s.Bad > 0 {
		say(themes.Bad, "! "+count(s.Bad, "event")+" put aside, unreadable; `cmem doctor` shows where")
	}
	if s.Problem != "" && s.Problem != s.Paused {
		say(themes.Warn, "! "+s.Problem)
	}
	out.line()
	return out.out
}

// The widths from which on a row of the queue has room for more.
const (
	batchTriesWidth = 44
	batchNextWidth  = 56
	eventCells      = 7
	triesCells      = 6
	nextCells       = 12
)

func batchHead(s rowStyle) line {
	right := []string{s.fitRight("events", eventCells)}
	if s.w >= batchTriesWidth {
		right = append(right, s.fitRight("tries", triesCells))
	}
	if s.w >= batchNextWidth {
		right = append(right, s.fitRight("next", nextCells))
	}
	return s.columnHead(s.w, "since   session", append(right, " ")...)
}

// batchLine draws a batch in one row; what went wrong with it stands behind its
// session.
func batchLine(s rowStyle, b memory.Batch, session memory.Session, selected bool) line {
	zone := s.now.Location()
	glyph, role := "·", themes.Muted
	switch {
	case b.LastError != "":
		glyph, role = "!", themes.Bad
	case b.State == memory.BatchProvisional:
		glyph, role = "~", themes.Warn
	}
	l := line{{themes.Muted, "  " + shortTime(b.CreatedAt.In(zone), s.now) + " "}, {role, glyph + " "}}
	tail := line{{themes.Text, s.fitRight(shortCount(b.Events), eventCells)}}
	if s.w >= batchTriesWidth {
		tail = append(tail, span{themes.Text, s.fitRight(shortCount(b.Attempts), triesCells)})
	}
	if s.w >= batchNextWidth {
		tail = append(tail, span{themes.Muted, s.fitRight(due(b, s), nextCells)})
	}
	tail = append(tail, span{themes.Text, " "})
	room := max(s.w-s.lineWidth(l)-s.lineWidth(tail), 0)
	name := s.shorten(projectName(b.Project), room/3)
	l = append(l, span{themes.Accent, name}, span{themes.Muted, " › "})
	room = max(room-s.width(name)-3, 0)
	if session.ID == "" {
		session.ID = b.SessionID
	}
	title := s.shorten(titleOf(session), room)
	l = append(l, span{themes.Text, title})
	if room -= s.width(title); b.LastError != "" && room > 12 {
		text, _, _ := strings.Cut(b.LastError, "\n")
		text = s.shorten(" "+text, room)
		l = append(l, span{themes.Bad, text})
		room -= s.width(text)
	}
	l = append(l, span{themes.Text, strings.Repeat(" ", max(room, 0))})
	l = s.cutLine(append(l, tail...), 0, s.w)
	if selected {
		l = s.asSelected(l)
	}
	return l
}

// due says when a batch is tried next.
func due(b memory.Batch, s rowStyle) string {
	switch d := b.NextAttempt.Sub(s.now); {
	case d <= 0:
		return "next turn"
	default:
		return "in " + lasting(d)
	}
}

// tell writes the details of a batch.
func (p *queuePage) tell(c cells, width int, b memory.Batch, m *model) []line {
	w := &writer{cells: c, w: max(min(width-2, maxMeasure), 1), total: width}
	now := m.now()
	zone := now.Location()
	session := p.sessions[b.SessionID]
	if session.ID == "" {
		session.ID = b.SessionID
	}
	w.text(themes.Strong, titleOf(session))
	state := "waits to be made into memories"
	if b.State == memory.BatchProvisional {
		state = "has a first version, until the provider is back"
	}
	w.parts([]span{{themes.Muted, count(b.Events, "event")}, {themes.Muted, state}})
	if b.LastError != "" {
		w.heading("What went wrong")
		w.text(themes.Bad, b.LastError)
	}
	w.heading("Batch")
	next := "as soon as the worker comes to it"
	if b.NextAttempt.After(now) {
		next = moment(b.NextAttempt.In(zone), now) + ", in " + lasting(b.NextAttempt.Sub(now))
	}
	w.fields("project", cleanLine(b.Project), "session", cleanLine(b.SessionID), "prompt", fmt.Sprint(b.PromptNumber),
		"since", moment(b.CreatedAt.In(zone), now)+", "+age(b.CreatedAt, now), "tries", thousands(b.Attempts), "next", next)
	w.gap()
	w.text(themes.Muted, m.keys.of(actRetry, inPanes)+" tries it again now. Nothing of it is lost meanwhile: the events stay until they are made into memories.")
	return w.out
}
