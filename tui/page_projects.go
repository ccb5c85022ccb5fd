package tui

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/store"
	"cmem/themes"
)

// projectsPage lists the projects, most recently active first, below a row that
// stands for all of them.
type projectsPage struct {
	listing
	key   string // of the selected project; empty for all
	facts map[string]projectFacts
	asked string // the project whose facts were asked for last
	busy  bool   // they are on their way
	stale bool   // the store changed since
}

// projectFacts are what the details of a project show besides its counts.
type projectFacts struct {
	totals  store.Totals
	files   []memory.Count
	failure string
}

// maxFacts bounds the projects whose facts are kept.
const maxFacts = 64

// noProject is asked for before any project is: no key is like it.
const noProject = "\x00"

func (p *projectsPage) load(m *model, again bool) tea.Cmd {
	p.stale = true
	if again {
		return nil // the counts come by themselves: they stand in the status line too
	}
	if p.facts == nil {
		p.facts, p.key = map[string]projectFacts{}, m.project
	}
	p.asked = noProject
	return m.countProjects(0)
}

// list gives what the rows stand for.
func (p *projectsPage) list(m *model) []memory.Project {
	return append([]memory.Project{allOf(m.projects)}, m.projects...)
}

// allOf adds the projects up.
func allOf(projects []memory.Project) memory.Project {
	var all memory.Project
	for _, p := range projects {
		all.Sessions += p.Sessions
		all.Observations += p.Observations
		all.Prompts += p.Prompts
		all.Summaries += p.Summaries
		all.Events += p.Events
		all.TokensRead += p.TokensRead
		all.TokensSource += p.TokensSource
		all.TokensSpent += p.TokensSpent
		if p.LastActive.After(all.LastActive) {
			all.LastActive = p.LastActive
		}
	}
	return all
}

// keep puts the cursor on the selected project, wherever it stands now.
func (p *projectsPage) keep(m *model) []memory.Project {
	list := p.list(m)
	n := slices.IndexFunc(list, func(v memory.Project) bool { return v.Key == p.key })
	if n < 0 { // it is gone: what took its place
		n = min(p.cursor, len(list)-1)
		p.key = list[n].Key
	}
	p.n = len(list)
	p.move(n - p.cursor)
	return list
}

func (p *projectsPage) follow(m *model) tea.Cmd {
	if m.projects == nil {
		return nil
	}
	p.keep(m)
	if p.key == p.asked && (p.busy || !p.stale) {
		return nil
	}
	rest := m.rest()
	if p.key == p.asked {
		rest = m.cmds.timing.counts // the same once more, after a change
	}
	p.asked, p.busy, p.stale = p.key, true, false
	return m.cmds.projectFacts(p.key, rest)
}

func (p *projectsPage) arrive(_ *model, msg tea.Msg) (tea.Cmd, bool) {
	facts, ok := msg.(projectFactsMsg)
	if !ok {
		return nil, false
	}
	p.busy = p.busy && facts.key != p.asked
	switch {
	case facts.err == nil:
		if len(p.facts) >= maxFacts {
			clear(p.facts)
		}
		p.facts[facts.key] = projectFacts{totals: facts.totals, files: facts.files}
	case !isCancelled(facts.err):
		p.facts[facts.key] = projectFacts{failure: cleanLine(facts.err.Error())}
	}
	return nil, true
}

func (p *projectsPage) act(m *model, a action) (tea.Cmd, bool) {
	if a == actOpen {
		if m.projects == nil {
			return nil, true
		}
		return m.goToProject(p.key), true
	}
	list := p.keep(m)
	if !p.moves(a) {
		return nil, false
	}
	p.key = list[p.cursor].Key
	return nil, true
}

// goToProject shows a project in the timeline.
func (m *model) goToProject(key string) tea.Cmd {
	return tea.Batch(m.show(viewTimeline), m.setProject(key))
}

func (p *projectsPage) pick(m *model, n int) bool {
	list := p.keep(m)
	again := p.pickRow(n)
	p.key = list[p.cursor].Key
	return again
}

func (p *projectsPage) scroll(m *model, n int) {
	list := p.keep(m)
	p.rows.scroll(n)
	p.key = list[p.cursor].Key
}

func (p *projectsPage) selected(m *model) subject {
	if m.projects == nil {
		return subject{}
	}
	list := p.keep(m)
	v := list[p.cursor]
	return subject{
		project: v.Key, key: "project:" + v.Key, title: "Project",
		tell: func(c cells, w int) []line { return p.tell(c, w, v, len(m.projects), m.now()) },
	}
}

func (p *projectsPage) draw(m *model, w, h int) ([]line, frameParts) {
	parts := frameParts{title: "Projects"}
	if m.projects == nil {
		return nil, parts
	}
	if len(m.projects) == 0 {
		return centred(m.cells, w, h, saying(m.cells, w, "No project yet.", "A project appears here with its first session.")), parts
	}
	list := p.keep(m)
	s := rowStyle{cells: m.cells, w: w, focus: m.state.focus == listPane, now: m.now()}
	body := p.body(len(list), h, []line{projectHead(s)}, nil, func(n int) line {
		return projectRow(s, list[n], list[n].Key == m.project, n == p.cursor, m.namesake(list[n].Key))
	})
	parts.foot = count(len(m.projects), "project")
	parts.offset, parts.total = p.top, len(list)
	return filled(m.cells, w, body), parts
}

// The widths from which on a row of a project has room for more.
const (
	projectPromptsWidth = 50
	projectAgeWidth     = 44
	projectTokensWidth  = 80
	sumCells            = 9
	countCells          = 7
)

func projectHead(s rowStyle) line {
	right := []string{s.fitRight("memories", sumCells)}
	if s.w >= projectPromptsWidth {
		right = append(right, s.fitRight("asked", countCells))
	}
	if s.w >= projectTokensWidth {
		right = append(right, s.fitRight("sessions", sumCells), s.fitRight("summaries", sumCells+1), s.fitRight("tokens", countCells+1))
	}
	if s.w >= projectAgeWidth {
		right = append(right, s.fitRight("last", ageCells))
	}
	return s.columnHead(s.w, "  project", append(right, " ")...)
}

// projectRow draws a project. The one that is shown elsewhere has a mark; one
// that shares its name with another shows its path.
func projectRow(s rowStyle, p memory.Project, shown, selected, namesake bool) line {
	name, role := projectName(p.Key), themes.Text
	switch {
	case p.Key == "":
		name, role = "All projects", themes.Strong
	case namesake:
		name = cleanLine(p.Key)
	}
	mark := "  "
	if shown {
		mark = "▸ "
	}
	tail := line{{themes.Text, s.fitRight(shortCount(p.Observations), sumCells)}}
	if s.w >= projectPromptsWidth {
		tail = append(tail, span{themes.Prompt, s.fitRight(shortCount(p.Prompts), countCells)})
	}
	if s.w >= projectTokensWidth {
		tail = append(tail, span{themes.Muted, s.fitRight(shortCount(p.Sessions), sumCells)},
			span{themes.Summary, s.fitRight(shortCount(p.Summaries), sumCells+1)},
			span{themes.Muted, s.fitRight(shortCount(int(p.TokensRead)), countCells+1)})
	}
	if s.w >= projectAgeWidth {
		tail = append(tail, span{themes.Muted, s.fitRight(age(p.LastActive, s.now), ageCells)})
	}
	tail = append(tail, span{themes.Text, " "})
	l := line{{themes.Text, "  "}, {themes.Accent, mark}}
	l = append(l, span{role, s.fit(name, max(s.w-s.lineWidth(l)-s.lineWidth(tail), 0))})
	l = s.cutLine(append(l, tail...), 0, s.w)
	if selected {
		l = s.asSelected(l)
	}
	return l
}

// tell writes the details of a project, or of all of them.
func (p *projectsPage) tell(c cells, width int, v memory.Project, projects int, now time.Time) []line {
	w := &writer{cells: c, w: max(min(width-2, maxMeasure), 1), total: width}
	zone := now.Location()
	name, what := projectName(v.Key), cleanLine(v.Key)
	if v.Key == "" {
		name, what = "All projects", count(projects, "project")
	}
	w.text(themes.Strong, name)
	w.text(themes.Muted, what)
	facts, known := p.facts[v.Key]
	if facts.failure != "" {
		w.gap()
		w.text(themes.Bad, "Its figures could not be read: "+facts.failure)
	}
	t := facts.totals
	first := ""
	if !t.Oldest.IsZero() {
		first = moment(t.Oldest.In(zone), now)
	}
	last := age(v.LastActive, now)
	if !v.LastActive.IsZero() {
		last = moment(v.LastActive.In(zone), now) + ", " + last
	}
	cost := ""
	if v.TokensRead > 0 {
		cost = count(int(v.TokensRead), "token")
	}
	made := ""
	if v.TokensSource > 0 {
		made = count(int(v.TokensSource), "token") + " of events"
	}
	size := ""
	if v.Key == "" && t.SizeBytes > 0 {
		size = bytesOf(t.SizeBytes)
	}
	w.gap()
	w.fields("sessions", thousands(v.Sessions), "prompts", thousands(v.Prompts), "memories", thousands(v.Observations),
		"summaries", thousands(v.Summaries), "first", first, "last", last, "reading it", cost, "made from", made, "on disk", size)
	if known && facts.failure == "" {
		w.types(t.ByType)
		w.counts("Files most worked on", facts.files, themes.Link)
	}
	return w.out
}

// types writes how many memories there are of each type.
func (w *writer) types(by map[string]int) {
	if len(by) > 0 {
		w.heading("Types")
	}
	w.out = append(w.out, typeLines(w.cells, w.total, w.w, by)...)
}

// typeLines draws a bar for each type, the most frequent first, total cells wide
// of which w are used.
func typeLines(c cells, total, w int, by map[string]int) []line {
	all, most := 0, 0
	for _, n := range by {
		all += n
		most = max(most, n)
	}
	names := slices.SortedFunc(maps.Keys(by), func(a, b string) int { return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b)) })
	var out []line
	for _, name := range names {
		n := by[name]
		glyph, word, role := looks(memory.KindObservation, name)
		l := line{{themes.Text, " "}, {role, glyph + " " + c.fit(word, typeCells+1)},
			{themes.Text, c.fitRight(thousands(n), countCells)}, {themes.Muted, c.fitRight(share(int64(n), int64(all)), 6) + "  "}}
		l = append(l, span{role, barOf(int64(n), int64(most), min(w-c.lineWidth(l), 40))})
		out = append(out, c.cutLine(l, 0, total))
	}
	return out
}

// counts writes names and how often each occurs.
func (w *writer) counts(title string, list []memory.Count, role themes.Role) {
	if len(list) == 0 {
		return
	}
	w.heading(title)
	w.out = append(w.out, countLines(w.cells, w.total, list, role)...)
}

// countLines draws names with their counts, total cells wide.
func countLines(c cells, total int, list []memory.Count, role themes.Role) []line {
	var out []line
	for _, v := range list {
		l := line{{themes.Text, c.fitRight(thousands(v.N), countCells) + "  "}}
		// Of a path its end says most.
		l = append(l, span{role, c.ending(v.Name, total-c.lineWidth(l)-1)})
		out = append(out, c.cutLine(l, 0, total))
	}
	return out
}

// ending makes s at most w cells wide; what is cut off is its beginning.
func (c cells) ending(s string, w int) string {
	s = c.settle(s)
	if over := c.width(s) - w; over > 0 && w > 1 {
		return "…" + c.drop(s, over+1)
	}
	return c.cut(s, w)
}

// bytesOf writes a size for people.
func bytesOf(n int64) string {
	const k = 1000
	switch {
	case n < k:
		return fmt.Sprintf("%d bytes", n)
	case n < k*k:
		return fmt.Sprintf("%d kB", n/k)
	case n < k*k*k:
		return fmt.Sprintf("%.1f MB", float64(n)/k/k)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/k/k/k)
}
