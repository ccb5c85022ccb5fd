package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/themes"
)

// arrive takes in what a command brought. It reports whether it was a message
// of ours.
func (m *model) arrive(msg tea.Msg) (cmd tea.Cmd, known bool) {
	switch msg := msg.(type) {
	case pageMsg:
		cmd = m.pageArrived(msg)
	case refreshMsg:
		m.refreshArrived(msg)
	case completionMsg:
		m.completionArrived(msg)
	case hitsMsg:
		cmd = m.hitsArrived(msg)
	case meantMsg:
		cmd = m.meantArrived(msg)
	case detailMsg:
		m.detailArrived(msg)
	case settledMsg:
		m.gaze.held = m.gaze.held && m.gaze.at != msg.at
	case lateMsg:
		return nil, m.lateArrived(msg.at)
	case neighboursMsg:
		m.neighboursArrived(msg)
	case rawMsg:
		m.rawArrived(msg)
	case sessionsMsg:
		m.sessionsArrived(msg)
	case projectsMsg:
		cmd = m.projectsArrived(msg)
	case changedMsg:
		cmd = m.storeChanged(msg)
	case statusMsg:
		m.status, m.hasStatus = msg.status, true
		cmd = m.cmds.watchStatus(msg.status, false)
	case dayMsg:
		m.list.change(func(*window) {})
		m.detail.lines = nil
		cmd = m.cmds.watchDay()
	case themeSavedMsg:
		if msg.err != nil {
			cmd = m.say(themes.Bad, "The theme could not be remembered: "+cleanLine(msg.err.Error()))
		} else {
			m.savedTheme = m.themeName
		}
	case themesMsg:
		cmd = tea.Batch(m.takeThemes(msg), m.cmds.watchThemes(msg.version))
	case aroundMsg:
		cmd = m.aroundArrived(msg)
	case stateDueMsg:
		cmd = m.stateIsDue()
	case stateSavedMsg:
		cmd = m.stateSaved(msg)
	case setupMsg:
		m.setupArrived(msg)
	case importedMsg:
		cmd = m.imported(msg)
	case noticeOverMsg:
		if msg.number == m.noticeNumber {
			m.notice = ""
		}
	case crashMsg:
		m.crash = msg.err
		cmd = tea.Quit
	case foundSessionsMsg:
		m.sessionsFound(msg)
	default:
		if cmd, known := m.pageArrives(msg); known {
			return cmd, true
		}
		return m.actionArrived(msg)
	}
	return cmd, true
}

// failed shows why the list could not be read.
func (m *model) failed(err error) bool {
	if err == nil {
		m.failure = ""
		return false
	}
	if !isCancelled(err) {
		m.failure = cleanLine(err.Error())
	}
	return true
}

func (m *model) pageArrived(msg pageMsg) tea.Cmd {
	if msg.list != m.listID {
		return nil
	}
	m.loading = idle
	first := !m.asked
	m.asked = true
	if m.failed(msg.err) {
		return nil
	}
	switch msg.dir {
	case fromTop:
		m.list.hits = nil
		m.list.show(window{items: msg.items, atTop: true, atEnd: !msg.full}, false, false)
	case fromEnd:
		slices.Reverse(msg.items)
		m.list.show(window{items: msg.items, atTop: !msg.full, atEnd: true}, false, true)
	case toOlder:
		if msg.from == m.list.last() {
			m.list.change(func(w *window) { w.older(msg.items, !msg.full) })
			m.list.pay()
		}
	case toNewer:
		if msg.from == m.list.first() {
			m.list.change(func(w *window) { w.newer(msg.items, !msg.full) })
			m.list.pay()
		}
	}
	if m.list.atTop {
		m.list.newest = m.list.first()
	}
	if first {
		return m.countProjects(0)
	}
	return nil
}

// follows reports whether the person's place is the newest row, so that the
// selection goes with what arrives. Who reads on in the details is not disturbed.
func (m *model) follows() bool {
	reading := m.state.focus == detailPane || m.detail.top > 0
	return m.list.atTop && (len(m.list.items) == 0 || m.list.cursor == 0 && !reading)
}

func (m *model) refreshArrived(msg refreshMsg) {
	if msg.list != m.listID {
		return
	}
	m.loading = idle
	if m.failed(msg.err) || msg.from != m.list.first() {
		return
	}
	if msg.newest != m.follows() {
		m.stale = true // the person went elsewhere meanwhile
		return
	}
	if msg.newest {
		m.list.show(window{items: msg.items, atTop: true, atEnd: !msg.full}, false, false)
		m.list.newest = m.list.first()
		return
	}
	n := len(msg.fresh)
	m.list.fresh += n
	m.list.change(func(w *window) {
		w.items, w.atEnd = msg.items, !msg.full
		switch {
		case n == 0 || !w.atTop:
		case n < maxFresh && m.list.cursor+n < maxRows:
			w.newer(msg.fresh, true)
		default:
			w.atTop = false
		}
	})
	if n > 0 {
		m.list.newest = msg.fresh[n-1].Cursor()
	}
}

func (m *model) hitsArrived(msg hitsMsg) tea.Cmd {
	if msg.list != m.listID {
		return nil
	}
	again := m.loading == loadRefresh
	m.loading = idle
	if m.failed(msg.err) {
		if !again {
			m.list.show(window{atTop: true, atEnd: true}, true, false)
		}
		return nil
	}
	hits := make(map[itemKey]hit, len(msg.hits))
	items := make([]memory.Item, 0, len(msg.hits))
	for _, h := range msg.hits {
		item := itemOf(h.observation)
		hits[keyOf(item)] = h
		items = append(items, item)
	}
	m.list.hits, m.list.byWords = hits, len(items)
	var more tea.Cmd
	if f, ok := m.filter(); ok && len(items) < msg.limit {
		items = m.withMeant(items)
		more = m.cmds.meant(m.listID, m.query.text, f)
	}
	if again {
		m.list.change(func(w *window) { w.items = items })
		return more
	}
	m.list.show(window{items: items, atTop: true, atEnd: true}, true, false)
	return more
}

// itemOf gives the row of an observation.
func itemOf(o memory.Observation) memory.Item {
	return memory.Item{
		Kind: memory.KindObservation, ID: o.ID, SessionID: o.SessionID, Project: o.Project,
		PromptNumber: o.PromptNumber, CreatedAt: o.CreatedAt, Type: o.Type, Title: o.Title,
		Subtitle: o.Subtitle, Tokens: o.ReadTokens(), Pinned: o.Pinned, Status: o.Status,
	}
}

func (m *model) sessionsArrived(msg sessionsMsg) {
	m.sessionsBusy = false
	if len(m.sessions)+len(msg.sessions) > maxSessions {
		clear(m.sessions) // those in sight are asked for again
	}
	for _, s := range msg.sessions {
		m.sessions[s.ID] = s
	}
}

func (m *model) projectsArrived(msg projectsMsg) tea.Cmd {
	m.projectsBusy = false
	var again tea.Cmd
	if m.projectsStale {
		again = m.countProjects(m.cmds.timing.counts)
	}
	if msg.err != nil {
		if isCancelled(msg.err) {
			return again
		}
		return tea.Batch(again, m.say(themes.Bad, "The projects could not be counted: "+cleanLine(msg.err.Error())))
	}
	first := m.projects == nil
	m.projects = msg.projects
	if m.projects == nil {
		m.projects = []memory.Project{}
	}
	if first {
		again = tea.Batch(again, m.settleProject())
	}
	if first && m.query.project != "" {
		return tea.Batch(again, m.reload()) // its name can be resolved now
	}
	return again
}

// storeChanged has everything that is shown read again.
func (m *model) storeChanged(msg changedMsg) tea.Cmd {
	if msg.err != nil {
		if !isCancelled(msg.err) {
			m.trouble = cleanLine(msg.err.Error())
		}
		return m.cmds.watch(noVersion, m.trouble) // so that its recovery is a change
	}
	m.trouble = ""
	m.stale, m.detailStale = true, true
	m.sessionsStale = true
	m.first.asked = false
	var page tea.Cmd
	if m.page != nil {
		page = m.page.load(m, true)
	}
	return tea.Batch(page, m.cmds.watch(msg.version, ""), m.countProjects(m.cmds.timing.counts))
}
