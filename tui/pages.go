package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
)

// view names one of the browser's views. Timeline and search are the same
// list, by time or by rank; the model holds it itself. The others are pages.
type view string

const (
	viewTimeline view = "timeline"
	viewSessions view = "sessions"
	viewSearch   view = "search"
	viewProjects view = "projects"
	viewStats    view = "stats"
	viewQueue    view = "queue"
	viewContext  view = "context"
	viewWhy      view = "why"
)

// views is every view, in the order of their keys.
var views = []view{viewTimeline, viewSessions, viewSearch, viewProjects, viewStats, viewQueue, viewContext, viewWhy}

var viewNames = map[view]string{
	viewTimeline: "Timeline", viewSessions: "Sessions", viewSearch: "Search", viewProjects: "Projects",
	viewStats: "Stats", viewQueue: "Queue", viewContext: "Context", viewWhy: "Why",
}

// viewActions are the actions that show a view.
var viewActions = map[action]view{
	actTimeline: viewTimeline, actSessions: viewSessions, actSearch: viewSearch, actProjectList: viewProjects,
	actStats: viewStats, actQueue: viewQueue, actContext: viewContext, actWhy: viewWhy,
}

// page is what stands in the list pane of a view. It keeps its place while
// another is shown.
type page interface {
	// load reads what the page shows: when it comes into sight, when the project
	// or the filter is another one, and, with again, when the store has changed and
	// the place is to be kept.
	load(m *model, again bool) tea.Cmd
	// arrive takes in a message of the page's own, also while it is not in sight.
	arrive(m *model, msg tea.Msg) (cmd tea.Cmd, known bool)
	// act does an action of the list pane and reports whether it is one of the page's.
	act(m *model, a action) (cmd tea.Cmd, known bool)
	// pick selects what the n-th line of the body shows. It reports whether that
	// was selected before: a second click opens.
	pick(m *model, n int) (again bool)
	// scroll moves what is in sight by n lines.
	scroll(m *model, n int)
	// draw gives at most h lines of w cells, and what stands in the frame.
	draw(m *model, w, h int) ([]line, frameParts)
	// selected gives what the details show and the actions act on.
	selected(m *model) subject
}

// follower is a page that asks for more when the place in it changes. It is
// asked after every message, while it is in sight.
type follower interface{ follow(m *model) tea.Cmd }

// wholePage is a page that takes the screen for itself: it has no details.
type wholePage interface{ whole() }

// subject is what is selected in a list: a memory, or something that its page
// tells of itself.
type subject struct {
	item    memory.Item // Kind is empty when it is no memory
	session string      // the id of the session to which it belongs; empty for none
	project string      // key; empty for none

	// key names a subject that is no memory: while it stays the same, the details
	// keep their place. tell gives its details, title the word in their frame.
	key   string
	title string
	tell  func(c cells, w int) []line
}

func (s subject) isMemory() bool  { return s.item.Kind != "" }
func (s subject) isNothing() bool { return !s.isMemory() && s.tell == nil }

// subject gives what is selected in the view that is shown.
func (m *model) subject() subject {
	if m.page != nil {
		return m.page.selected(m)
	}
	item, ok := m.list.selected()
	if !ok {
		return subject{}
	}
	return subject{item: item, session: item.SessionID, project: item.Project}
}

// show goes to a view.
func (m *model) show(v view) tea.Cmd {
	if m.view == v {
		m.state.focus = listPane
		if v == viewSearch {
			m.state.focus = filterPane
		}
		return nil
	}
	m.from = m.subject()
	m.view, m.page = v, m.pages[v]
	m.state.focus = listPane
	m.detail.clear()
	if m.page != nil {
		return m.page.load(m, false)
	}
	if v == viewSearch {
		m.state.focus = filterPane
		return nil
	}
	if m.query.text != "" { // a timeline has no order of rank
		m.setInput(m.query.withoutText(m.input.text))
		return m.reload()
	}
	return nil
}

// step goes to the view n further on.
func (m *model) step(n int) tea.Cmd {
	shown := m.shownViews()
	at := slices.Index(shown, m.view) + n
	return m.show(shown[(at+len(shown))%len(shown)])
}

// shownViews are the views that there is something to see in.
func (m *model) shownViews() []view {
	if m.query.text != "" {
		return views
	}
	return views[:len(views)-1]
}

// toMemory shows a memory in the timeline of its session.
func (m *model) toSession(id string) tea.Cmd {
	m.view, m.page = viewTimeline, nil
	m.state.focus = listPane
	m.setInput("session:" + id)
	return m.reload()
}

// pageArrives takes in what a command brought for a page, in sight or not.
func (m *model) pageArrives(msg tea.Msg) (tea.Cmd, bool) {
	for _, v := range views {
		if p := m.pages[v]; p != nil {
			if cmd, known := p.arrive(m, msg); known {
				return cmd, true
			}
		}
	}
	return nil, false
}

// actionOf gives the action that shows a view.
func actionOf(v view) action {
	for a, shows := range viewActions {
		if shows == v {
			return a
		}
	}
	return ""
}

// newPages makes the page of every view that has one.
func newPages() map[view]page {
	return map[view]page{
		viewSessions: &sessionsPage{}, viewProjects: &projectsPage{}, viewStats: &statsPage{},
		viewQueue: &queuePage{}, viewContext: &contextPage{}, viewWhy: &whyPage{},
	}
}
