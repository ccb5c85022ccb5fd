package tui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"cmem/memory"
	"cmem/themes"
)

// load says what is being read for the list.
type load int

const (
	idle load = iota
	loadPage
	loadRefresh
)

// maxSessions bounds the sessions that are remembered for their headlines.
const maxSessions = 512

// model is the root of the browser: the only tea.Model there is.
type model struct {
	cells
	cmds commands
	now  func() time.Time

	keys   keymap
	layout layout
	state  layoutState

	view  view
	pages map[view]page
	page  page    // the page of the view; nil where the model's own list is it
	from  subject // what was selected in the view before
	list  timeline
	marks marks
	// marked is the row that was marked last: ranges begin at it.
	marked itemKey

	detail detail
	nearby nearby
	gaze   gaze
	undo   []*change // what can be taken back, the last one last
	// changes counts all that were asked for; underWay are those that the store has
	// not answered yet, the first one first.
	changes  int
	underWay []underWay

	overlays []overlay
	// overlayBody is where the uppermost overlay was drawn, for the mouse.
	overlayBody rect

	input input
	query query
	// filters are the filter lines of projects that were left, by key.
	filters    map[string]string
	completion completion
	hits       int    // how many hits are asked for
	meant      []hit  // what means the same as the words of the list
	project    string // key of the chosen project; empty for all
	listID     int    // number of the present list; answers to an older one are dropped
	loading    load
	stale      bool   // the store changed while a page was on its way
	asked      bool   // the first answer is there
	failure    string // why the list could not be read
	trouble    string // why the store cannot be watched

	projects     []memory.Project // nil until counted
	projectsBusy bool
	// projectsStale says that the store changed while they were counted.
	projectsStale bool
	sessions      map[string]memory.Session
	sessionsBusy  bool
	// sessionsStale says that the store changed since they were read. They are
	// read again, and shown as they were meanwhile.
	sessionsStale bool
	detailStale   bool
	moved         time.Time // when the cursor moved last
	status        Status
	hasStatus     bool

	look
	drag  border // the border that the mouse holds
	first firstRun
	kept

	notice       string
	noticeRole   themes.Role
	noticeNumber int
	mouseFree    bool     // the terminal has the mouse, for selecting text
	problems     []string // what is wrong with the settings, to be said once

	frame tea.View
	dirty bool
	crash error
}

func newModel(ctx context.Context, o Options, t timing) *model {
	now := o.Now
	if now == nil {
		now = time.Now
	}
	m := &model{
		cells: cells{ansi.WcWidth},
		now:   now,
		cmds: commands{
			ctx: ctx, source: o.Source, desk: o.Desk, now: now, timing: t, handOver: handOver,
		},
		view:      viewTimeline,
		pages:     newPages(),
		marks:     marks{},
		state:     layoutState{split: defaultSplit},
		mouseFree: o.NoMouse,
		project:   o.Project,
		sessions:  map[string]memory.Session{},
		filters:   map[string]string{},
		look:      look{themeName: o.Theme, savedTheme: o.Theme, isDark: true}, // dark until the terminal tells
		dirty:     true,
	}
	m.list = timeline{cursor: -1, zone: now().Location()}
	m.list.atTop = true
	m.keys, m.problems = newKeymap(o.Keys)
	m.restore(o.State, o.Project, o.IfAny)
	m.retheme()
	return m
}

// Init asks for everything at once and waits for none of it.
func (m *model) Init() tea.Cmd {
	return tea.Batch(
		followBrightness(),
		m.reload(),
		m.greet(),
		m.cmds.watch(noVersion, ""),
		m.cmds.watchStatus(Status{}, true),
		m.cmds.watchDay(),
	)
}

// Update takes a message in and asks for what is missing after it.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd, known := m.handle(msg)
	if !known {
		return m, nil
	}
	m.dirty = true
	m.place()
	return m, tea.Batch(cmd, m.follow(), m.followState(), m.followSetup())
}

// handle routes a message. It reports whether it was one for the browser.
func (m *model) handle(msg tea.Msg) (cmd tea.Cmd, known bool) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.layout.width, m.layout.height = msg.Width, msg.Height
	case tea.ColorProfileMsg:
		m.profile = msg.Profile
		m.retheme()
	case tea.BackgroundColorMsg:
		m.isDark, m.knowsDark = msg.IsDark(), true
		m.retheme()
	case tea.ModeReportMsg:
		// The renderer measures by grapheme clusters from here on: so do we.
		if msg.Mode == ansi.ModeUnicodeCore && (msg.Value.IsSet() || msg.Value.IsReset()) {
			m.method = ansi.GraphemeWidth
			m.detail.lines = nil
		}
	case tea.KeyPressMsg:
		cmd = m.press(msg)
	case tea.PasteMsg:
		cmd = m.paste(msg.Content)
	case tea.MouseClickMsg:
		cmd = m.click(msg)
	case tea.MouseMotionMsg:
		if m.drag == noBorder {
			return nil, false
		}
		m.motion(msg)
	case tea.MouseReleaseMsg:
		m.drag = noBorder
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case tea.FocusMsg: // a terminal that does not report its brightness may have another one now
		cmd = tea.RequestBackgroundColor
	case tea.ResumeMsg, uv.DarkColorSchemeEvent, uv.LightColorSchemeEvent:
		cmd = followBrightness()
	default:
		return m.arrive(msg)
	}
	return cmd, true
}

// place lays the screen out for the present size and state.
func (m *model) place() {
	m.state.filtering = m.input.text != ""
	_, whole := m.page.(wholePage)
	m.state.alone = whole || m.page == nil && m.knowsNothing()
	m.layout = arrange(m.layout.width, m.layout.height, m.state)
	if settled := m.layout.settled(m.state); settled != m.state {
		m.state = settled
		m.layout = arrange(m.layout.width, m.layout.height, m.state)
	}
	m.list.resize(m.layout.list.inner(m.layout.framed).h)
	in := m.layout.detail.inner(m.layout.framed)
	m.detail.resize(in.w, in.h)
	in = m.layout.side.inner(m.layout.framed)
	m.nearby.resize(in.w, in.h)
	m.placeOverlays()
}

// follow asks for what the screen needs and does not have: the next page, the
// details of the selection, the sessions of the headlines.
func (m *model) follow() tea.Cmd {
	var cmds []tea.Cmd
	if m.loading == idle {
		if m.stale {
			cmds = append(cmds, m.refresh())
		} else if dir, wants := m.list.wants(); wants {
			from := m.list.last()
			if dir == toNewer {
				from = m.list.first()
			}
			cmds = append(cmds, m.readPage(dir, from))
		} else if m.list.flat && m.wantsHits() {
			m.hits = min(m.hits*moreHits, maxHits)
			cmds = append(cmds, m.refresh())
		}
	}
	cmds = append(cmds, m.followSelection(), m.followSessions(), m.nearby.follow(m), m.followRaw())
	if p, ok := m.page.(follower); ok {
		cmds = append(cmds, p.follow(m))
	}
	return tea.Batch(cmds...)
}

// followSessions asks for the sessions of the headlines in sight.
func (m *model) followSessions() tea.Cmd {
	if m.sessionsBusy {
		return nil
	}
	var ids []string
	add := func(id string) {
		if _, have := m.sessions[id]; (!have || m.sessionsStale) && id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if m.page == nil {
		for _, r := range m.list.visible() {
			if r.kind == sessionRow {
				add(m.list.items[r.item].SessionID)
			}
		}
	}
	add(m.subject().session)
	if len(ids) == 0 {
		return nil
	}
	m.sessionsBusy, m.sessionsStale = true, false
	return m.cmds.sessions(ids)
}

// filter gives the filter of the present list, and false when it names a
// project that is not there.
func (m *model) filter() (memory.Filter, bool) {
	project := m.project
	switch m.query.project {
	case "":
	case "all":
		project = ""
	default:
		key, found := findProject(m.projects, m.query.project)
		if !found {
			return memory.Filter{}, false
		}
		project = key
	}
	return m.query.filter(project), true
}

// reload begins a new list for the present query.
func (m *model) reload() tea.Cmd {
	m.listID++
	m.stale = false
	m.failure = ""
	var page tea.Cmd
	if m.page != nil {
		page = m.page.load(m, false)
	}
	return tea.Batch(page, m.reloadList())
}

func (m *model) reloadList() tea.Cmd {
	f, ok := m.filter()
	if !ok {
		m.loading = idle
		m.list.show(window{atTop: true, atEnd: true}, true, false)
		if m.projects == nil {
			return m.countProjects(0)
		}
		return nil
	}
	if m.query.text == "" {
		if opened := m.openList(f); opened != nil {
			return opened
		}
	}
	m.loading = loadPage
	m.hits, m.meant = m.firstHits(), nil
	if m.query.text != "" {
		return m.cmds.search(m.listID, m.query.text, f, m.hits)
	}
	return m.cmds.page(m.listID, f, fromTop, memory.Cursor{})
}

// readPage reads a page for the present list.
func (m *model) readPage(dir direction, from memory.Cursor) tea.Cmd {
	f, ok := m.filter()
	if !ok {
		return nil
	}
	m.loading = loadPage
	return m.cmds.page(m.listID, f, dir, from)
}

// refresh reads what is shown anew.
func (m *model) refresh() tea.Cmd {
	m.stale = false
	f, ok := m.filter()
	if !ok {
		return nil
	}
	m.loading = loadRefresh
	if m.query.text != "" {
		return m.cmds.search(m.listID, m.query.text, f, m.hits)
	}
	return m.cmds.refresh(m.listID, f, &m.list.window, m.follows(), m.list.newest)
}

// countProjects counts the projects after a rest, unless that is under way. At
// once means at once.
func (m *model) countProjects(rest time.Duration) tea.Cmd {
	if m.projectsBusy && rest > 0 {
		m.projectsStale = true
		return nil
	}
	m.projectsBusy, m.projectsStale = true, false
	return m.cmds.projects(rest)
}

// setProject shows another project.
func (m *model) setProject(key string) tea.Cmd {
	m.filters[m.project] = m.input.text
	m.project = key
	m.setInput(m.filters[key])
	if m.query.project != "" { // the filter line must not contradict
		m.setInput("")
	}
	return m.reload()
}

// setInput puts text into the filter line.
func (m *model) setInput(s string) {
	m.input = input{text: s, at: len(s)}
	m.query = parseQuery(s, m.now())
	m.settleView()
}

// settleView lets the model's own list be the view that it is: a search when
// words are looked for, else a timeline.
func (m *model) settleView() {
	switch {
	case m.page != nil:
	case m.query.text != "":
		m.view = viewSearch
	case m.view == viewSearch && m.input.text != "":
		m.view = viewTimeline
	}
}

// say shows a notice in the status line for a while.
func (m *model) say(role themes.Role, text string) tea.Cmd {
	m.noticeNumber++
	m.notice, m.noticeRole = text, role
	return m.cmds.noticeOver(m.noticeNumber)
}

func (m *model) closeOverlay() {
	if n := len(m.overlays); n > 0 {
		m.overlays = m.overlays[:n-1]
	}
}
