package tui

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/themes"
)

// stateVersion is that of the form in which the state is kept. A state of
// another version is not read.
const stateVersion = 1

// Bounds of what is kept and taken back: the file is a person's, and can be broken.
const (
	maxState   = 256 << 10 // bytes
	maxFilters = 200
)

// savedState is where the person was, for the next run.
type savedState struct {
	Version  int               `json:"version"`
	View     view              `json:"view,omitempty"`
	Project  string            `json:"project"`
	Filters  map[string]string `json:"filters,omitempty"` // the filter line, by project
	Selected *savedRow         `json:"selected,omitempty"`
	Split    int               `json:"split,omitempty"`
	Side     int               `json:"side,omitempty"`
}

// savedRow is the selected row, with its time: so the list can be read from
// there, whatever came meanwhile.
type savedRow struct {
	Kind memory.ItemKind `json:"kind"`
	ID   int64           `json:"id"`
	At   int64           `json:"at"` // milliseconds
}

// kept is what the model knows of the state that is remembered.
type kept struct {
	openAt    memory.Cursor // the row at which the first list opens; zero for the newest
	elsewhere *savedState   // where to begin when the project has no memories; nil once that is settled
	lastPlace standpoint    // when the state was last looked at
	lastState []byte        // what was remembered
	stateBusy bool          // a look at the state is due
}

// standpoint is what changes the state, in a form that is cheap to compare: it is
// looked at after every message.
type standpoint struct {
	view        view
	project     string
	input       string
	row         memory.Cursor
	split, side int
}

func (m *model) whereabouts() standpoint {
	p := standpoint{view: m.view, project: m.project, input: m.input.text, split: m.state.split, side: m.state.side}
	if m.query.text == "" && (p.view == viewSearch || p.view == viewWhy) { // it cannot be opened without
		p.view = viewTimeline
	}
	if item, ok := m.list.selected(); ok && !(m.list.atTop && m.list.cursor == 0) && !m.list.flat {
		p.row = item.Cursor()
	}
	return p
}

// stateBytes gives the state for the next run.
func (m *model) stateBytes() []byte {
	p := m.whereabouts()
	s := savedState{Version: stateVersion, View: p.view, Project: p.project, Split: p.split, Side: p.side, Filters: maps.Clone(m.filters)}
	if p.input != "" {
		if s.Filters == nil {
			s.Filters = map[string]string{}
		}
		s.Filters[p.project] = p.input
	} else {
		delete(s.Filters, p.project)
	}
	for project, input := range s.Filters {
		if input == "" || len(input) > maxInput || len(s.Filters) > maxFilters && project != p.project {
			delete(s.Filters, project)
		}
	}
	if p.row != (memory.Cursor{}) {
		s.Selected = &savedRow{p.row.Kind, p.row.ID, p.row.EpochMS}
	}
	out, err := json.Marshal(s)
	if err != nil {
		return nil // strings and numbers always can be written
	}
	return out
}

// restore goes where the person was. A state that cannot be read is none: where
// one was is no reason for an error. The project that is asked for wins.
func (m *model) restore(state []byte, project string, ifAny bool) {
	var s savedState
	if ifAny && project != "" {
		m.elsewhere = &s // what is read into it below, or all projects
	}
	if len(state) == 0 || len(state) > maxState || json.Unmarshal(state, &s) != nil || s.Version != stateVersion {
		return
	}
	m.lastState = bytes.Clone(state)
	for key, input := range s.Filters {
		if len(input) <= maxInput && len(m.filters) < maxFilters {
			m.filters[key] = cleanLine(input)
		}
	}
	if s.Split != 0 {
		m.state.split = min(max(s.Split, minSplit), maxSplit)
	}
	if s.Side != 0 {
		m.state.side = min(max(s.Side, minSplit), maxSplit)
	}
	if project == "" {
		m.project = s.Project
	}
	m.setInput(m.filters[m.project])
	if _, known := viewNames[s.View]; known {
		m.view, m.page = s.View, m.pages[s.View]
		m.settleView()
	}
	if m.query.text == "" && (m.view == viewWhy || m.view == viewSearch) {
		m.view, m.page = viewTimeline, nil
	}
	if s.Project == m.project {
		m.openAt = s.row()
	}
}

// row gives the place of the row that was selected; zero for none.
func (s savedState) row() memory.Cursor {
	if s.Selected == nil || s.Selected.At <= 0 {
		return memory.Cursor{}
	}
	return memory.Cursor{EpochMS: s.Selected.At, Kind: s.Selected.Kind, ID: s.Selected.ID}
}

// settleProject goes to where the last run ended if the project in which the
// browser began has no memories. It is asked once, when the projects are
// counted; until then an empty list shows nothing.
func (m *model) settleProject() tea.Cmd {
	s := m.elsewhere
	m.elsewhere = nil
	if s == nil || m.query.project != "" || slices.ContainsFunc(m.projects, func(p memory.Project) bool {
		return p.Key == m.project && p.Observations+p.Sessions > 0
	}) {
		return nil
	}
	if s.Version != stateVersion {
		*s = savedState{}
	}
	m.project = s.Project
	m.setInput(m.filters[m.project])
	m.openAt = s.row()
	return m.reload()
}

// openList reads the first list, around the row that was selected before if
// there is one.
func (m *model) openList(f memory.Filter) tea.Cmd {
	at := m.openAt
	m.openAt = memory.Cursor{}
	if at.IsZero() {
		return nil
	}
	m.loading = loadPage
	return m.cmds.around(m.listID, f, at)
}

func (m *model) aroundArrived(msg aroundMsg) tea.Cmd {
	if msg.list != m.listID {
		return nil
	}
	m.loading = idle
	first := !m.asked
	m.asked = true
	if m.failed(msg.err) {
		return nil
	}
	m.list.hits = nil
	m.list.show(window{items: msg.items, atTop: msg.atTop, atEnd: msg.atEnd}, false, false)
	m.list.newest = msg.newest
	if at := m.list.index(msg.key); at > 0 {
		m.list.move(at)
		m.list.scroll(m.list.height / 3) // with something of what comes after it
	}
	if first {
		return m.countProjects(0)
	}
	return nil
}

// followState has the state remembered a while after it changed. While nothing
// changes nothing is due.
func (m *model) followState() tea.Cmd {
	if m.stateBusy || !m.asked {
		return nil
	}
	p := m.whereabouts()
	if p == m.lastPlace {
		return nil
	}
	m.lastPlace = p
	due := m.cmds.stateDue()
	m.stateBusy = due != nil
	return due
}

// stateIsDue remembers the state, if it is another one than before.
func (m *model) stateIsDue() tea.Cmd {
	m.stateBusy = false
	m.lastPlace = m.whereabouts()
	state := m.stateBytes()
	if bytes.Equal(state, m.lastState) {
		return nil
	}
	return m.cmds.saveState(state)
}

// stateSaved takes in how remembering went. A failure is said once in a run: it
// is of no consequence before the next one.
func (m *model) stateSaved(msg stateSavedMsg) tea.Cmd {
	if msg.err == nil {
		m.lastState = msg.state
		return nil
	}
	m.cmds.desk.SaveState = nil
	return m.say(themes.Bad, "Where you are cannot be remembered: "+cleanLine(msg.err.Error()))
}
