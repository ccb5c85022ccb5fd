package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/themes"
)

// sight is what the details are to show: a memory, or what a page tells of, lit
// for a search.
type sight struct {
	key   itemKey
	own   string // the key of a page's subject
	words string // the text that is searched for
}

// gaze is what the cursor rests on.
type gaze struct {
	at    sight
	moved time.Time // when it came there
	// held says that the details stay as they are, until the cursor rests: in a run
	// of moves what it passes would only flicker.
	held bool
}

func (m *model) sightOf(s subject) sight {
	if !s.isMemory() {
		return sight{own: s.key}
	}
	return sight{key: keyOf(s.item), words: m.query.text}
}

// followSelection shows what is selected in the details. The first of a run of
// moves shows it at once; after that nothing changes until the cursor rests.
func (m *model) followSelection() tea.Cmd {
	s := m.subject()
	if at := m.sightOf(s); at != m.gaze.at {
		now := m.now()
		run := now.Sub(m.gaze.moved) < m.cmds.timing.run
		m.gaze = gaze{at: at, moved: now, held: run && !m.detail.isEmpty() && !s.isNothing()}
		if m.gaze.held {
			m.detail.asked, m.detail.raw.next = sight{}, false // what was asked for is not wanted any more
			return m.cmds.settled(at)
		}
	}
	switch {
	case m.gaze.held && (m.state.focus == detailPane || m.state.focus == sidePane):
		m.gaze.held = false // who reads waits for nothing
	case m.gaze.held:
		return nil
	}
	if !s.isMemory() {
		m.detail.tell(s)
		return nil
	}
	return m.showMemory(s.item)
}

// showMemory lets the details show a memory. What they showed before stays until
// its content is there: that takes no longer than an eye blinks.
func (m *model) showMemory(item memory.Item) tea.Cmd {
	d, at := &m.detail, m.gaze.at
	session, words := m.sessions[item.SessionID], m.wordsFor(at.key)
	if d.shows(at.key, words) {
		d.keep(item, session)
		if !m.detailStale {
			return nil
		}
		m.detailStale, m.nearby.stale = false, true
		return m.cmds.detail(at.key)
	}
	if d.asked == at {
		return nil
	}
	m.detailStale, d.asked = false, at
	if d.isEmpty() {
		d.show(item, session, words)
	}
	return tea.Batch(m.cmds.detail(at.key), m.cmds.late(at))
}

// wordsFor gives the words to be lit in a memory.
func (m *model) wordsFor(k itemKey) []string {
	words := litWords(m.query.text)
	if m.page == nil && m.list.flat {
		words = append(words, m.list.hits[k].forms...)
	}
	return words
}

// detailArrived shows a memory whole.
func (m *model) detailArrived(msg detailMsg) {
	s := m.subject()
	if msg.key != m.gaze.at.key || !s.isMemory() || keyOf(s.item) != msg.key || m.gaze.held || isCancelled(msg.err) {
		return
	}
	d := &m.detail
	d.asked = sight{}
	if words := m.wordsFor(msg.key); !d.shows(msg.key, words) {
		d.show(s.item, m.sessions[s.item.SessionID], words)
	}
	if msg.err != nil {
		d.failed, d.lines = "It could not be read: "+cleanLine(msg.err.Error()), nil
		return
	}
	d.fill(msg.content)
}

// lateArrived shows what the list knows of a memory when its content is long in
// coming. It reports whether that changed anything.
func (m *model) lateArrived(at sight) bool {
	s := m.subject()
	if m.gaze.at != at || m.gaze.held || m.detail.asked != at || !s.isMemory() {
		return false
	}
	words := m.wordsFor(at.key)
	if m.detail.shows(at.key, words) {
		return false
	}
	m.detail.show(s.item, m.sessions[s.item.SessionID], words)
	return true
}

// toggleRaw shows or hides the events behind the memory that is selected.
func (m *model) toggleRaw() tea.Cmd {
	s := m.subject()
	if !s.isMemory() {
		return m.say(themes.Muted, "There are no events to show here.")
	}
	m.gaze.held = false
	if m.layout.detail.h == 0 {
		m.state.focus = detailPane
	}
	d := &m.detail
	if !d.has || keyOf(d.item) != keyOf(s.item) {
		d.raw.next = true // when it is shown
		return nil
	}
	if d.raw.open {
		d.top, d.raw = d.raw.before, raw{}
	} else {
		d.raw = raw{open: true, before: d.top}
		d.seek = seekRaw
	}
	d.lines = nil
	return nil
}

// followRaw reads the next page of events when their end comes near.
func (m *model) followRaw() tea.Cmd {
	d := &m.detail
	if !d.raw.wants() || !d.loaded || m.gaze.held || m.layout.detail.h == 0 {
		return nil
	}
	d.draw(m.cells, m.now())
	if d.raw.loaded && d.top+2*d.height < len(d.lines) {
		return nil
	}
	d.raw.asked = true
	d.raw.busy = true
	if !d.raw.loaded {
		d.raw.from = eventsOf(d.item, d.content)
	}
	return m.cmds.events(keyOf(d.item), d.raw.from, d.raw.after())
}

// rawArrived takes in a page of events.
func (m *model) rawArrived(msg rawMsg) {
	d := &m.detail
	if !d.has || keyOf(d.item) != msg.key || !d.raw.busy || msg.after != d.raw.after() {
		return
	}
	d.raw.take(msg)
	d.lines = nil
}
