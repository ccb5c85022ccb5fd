package tui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
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

	layout   layout
	state    layoutState
	list     timeline
	detail   detail
	overlays []overlay
	// overlayBody is where the uppermost overlay was drawn, for the mouse.
	overlayBody rect

	input   input
	query   query
	project string // key of the chosen project; empty for all
	listID  int    // number of the present list; answers to an older one are dropped
	loading load
	stale   bool   // the store changed while a page was on its way
	asked   bool   // the first answer is there
	failure string // why the list could not be read

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

	themeName  string
	savedTheme string
	theme      themes.Theme
	isDark     bool
	knowsDark  bool
	profile    colorprofile.Profile

	notice       string
	noticeRole   themes.Role
	noticeNumber int
	mouseFree    bool // the terminal has the mouse, for selecting text

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
			ctx: ctx, source: o.Source, status: o.Status, save: o.SaveTheme, now: now, timing: t,
		},
		state:     layoutState{split: defaultSplit},
		project:   o.Project,
		sessions:  map[string]memory.Session{},
		themeName: o.Theme,
		isDark:    true, // until the terminal tells
		dirty:     true,
	}
	if !slices.Contains(themes.Names(), m.themeName) {
		m.themeName = themes.System
	}
	m.savedTheme = m.themeName
	m.list = timeline{cursor: -1, zone: now().Location()}
	m.list.atTop = true
	m.retheme()
	return m
}

// Init asks for everything at once and waits for none of it.
func (m *model) Init() tea.Cmd {
	return tea.Batch(
		tea.RequestBackgroundColor,
		m.reload(),
		m.cmds.watch(noVersion),
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
	return m, tea.Batch(cmd, m.follow())
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
	case tea.MouseWheelMsg:
		m.wheel(msg)
	default:
		return m.arrive(msg)
	}
	return cmd, true
}

// place lays the screen out for the present size and state.
func (m *model) place() {
	m.state.filtering = m.input.text != ""
	m.state.alone = m.knowsNothing()
	m.layout = arrange(m.layout.width, m.layout.height, m.state)
	m.list.resize(m.layout.list.inner(m.layout.framed).h)
	in := m.layout.detail.inner(m.layout.framed)
	m.detail.resize(in.w, in.h)
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
		}
	}
	cmds = append(cmds, m.followSelection(), m.followSessions())
	return tea.Batch(cmds...)
}

// followSelection shows the selected memory in the details. In a run of moves
// only the one at which the cursor rests is read whole.
func (m *model) followSelection() tea.Cmd {
	item, ok := m.list.selected()
	if !ok {
		m.detail.clear()
		return nil
	}
	session := m.sessions[item.SessionID]
	if m.detail.has && keyOf(m.detail.item) == keyOf(item) {
		m.detail.keep(item, session)
		if !m.detailStale {
			return nil
		}
		m.detailStale = false
		return m.cmds.detail(keyOf(item), 0)
	}
	m.detailStale = false
	m.detail.show(item, session, litWords(m.query.text))
	if o, found := m.list.hits[keyOf(item)]; found && m.list.flat {
		m.detail.fill(content{observation: o})
		return nil
	}
	var rest time.Duration
	if now := m.now(); now.Sub(m.moved) < 2*m.cmds.timing.settle {
		rest = m.cmds.timing.settle
	}
	m.moved = m.now()
	return m.cmds.detail(keyOf(item), rest)
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
	for _, r := range m.list.visible() {
		if r.kind == sessionRow {
			add(m.list.items[r.item].SessionID)
		}
	}
	if item, ok := m.list.selected(); ok {
		add(item.SessionID)
	}
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
	f, ok := m.filter()
	if !ok {
		m.loading = idle
		m.list.show(window{atTop: true, atEnd: true}, true, false)
		if m.projects == nil {
			return m.countProjects(0)
		}
		return nil
	}
	m.loading = loadPage
	if m.query.text != "" {
		return m.cmds.search(m.listID, m.query.text, f)
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
		return m.cmds.search(m.listID, m.query.text, f)
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
	m.project = key
	if m.query.project != "" { // the filter line must not contradict
		m.setInput("")
	}
	return m.reload()
}

// setInput puts text into the filter line.
func (m *model) setInput(s string) {
	m.input = input{text: s, at: len(s)}
	m.query = parseQuery(s)
}

// retheme makes the theme for what is known of the terminal. A theme that the
// terminal's background does not fit brings its own.
func (m *model) retheme() {
	name := m.themeName
	if m.profile == colorprofile.ASCII || m.profile == colorprofile.NoTTY {
		name = themes.MonoName
	}
	theme, err := themes.Named(name, m.isDark)
	if err != nil { // newModel lets known names in only
		theme = themes.Mono()
	}
	fits := m.knowsDark && m.isDark == (theme.Name == themes.DarkName)
	if m.profile == colorprofile.ANSI {
		theme = theme.Basic()
	}
	if name != themes.System && !fits {
		theme = theme.Painted()
	}
	m.theme = theme
}

// situation tells the key map how things are.
func (m *model) situation() situation {
	_, selected := m.list.selected()
	return situation{two: m.layout.two, selected: selected, filtered: m.input.text != "", focus: m.state.focus}
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
