package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"cmem/memory"
	"cmem/themes"
)

// statsPage shows the statistics of a project, or of all of them. It takes the
// screen for itself and scrolls.
type statsPage struct {
	asking
	figures figures
	project string

	top, height int
	drawn       []line // for what follows; nil when it has to be done again
	width       int
	method      ansi.Method
	day         string
}

func (p *statsPage) whole() {}

func (p *statsPage) load(m *model, again bool) tea.Cmd {
	f, ok := m.filter()
	if !ok || p.later(again) {
		return nil
	}
	rest := m.cmds.timing.counts
	if f.Project != p.project || !p.asked {
		p.project, p.asked, p.top, p.drawn, p.figures = f.Project, false, 0, nil, figures{}
	}
	if !again {
		rest = 0
	}
	now := m.now()
	return m.cmds.figures(p.begin(), p.project, heatFrom(now), now, rest)
}

func (p *statsPage) follow(m *model) tea.Cmd {
	if p.stale && !p.busy || p.asked && p.day != "" && p.day != dayOf(m.now()) && !p.busy {
		p.day = dayOf(m.now())
		return p.load(m, true)
	}
	return nil
}

func (p *statsPage) arrive(_ *model, msg tea.Msg) (tea.Cmd, bool) {
	answer, ok := msg.(figuresMsg)
	if !ok {
		return nil, false
	}
	if p.answered(answer.number, answer.err) {
		p.figures = answer.figures
	}
	p.drawn = nil
	return nil, true
}

func (p *statsPage) act(_ *model, a action) (tea.Cmd, bool) {
	switch a {
	case actReadDown:
		p.move(wheelRows)
	case actReadUp:
		p.move(-wheelRows)
	case actNewest:
		p.top = 0
	case actOpen, actSwitch, actBefore: // there are no details to go to
	default:
		n := steps(a, p.height, len(p.drawn))
		p.move(n)
		return nil, n != 0 || a == actFirst || a == actLast
	}
	return nil, true
}

func (p *statsPage) move(n int) { p.top = max(min(p.top+n, len(p.drawn)-p.height), 0) }

func (p *statsPage) pick(*model, int) bool       { return false }
func (p *statsPage) scroll(_ *model, n int)      { p.move(n) }
func (p *statsPage) selected(*model) (s subject) { return s }

func (p *statsPage) draw(m *model, w, h int) ([]line, frameParts) {
	parts := frameParts{title: "Stats · " + m.projectLabel(p.project)}
	switch {
	case p.failure != "" && p.figures.isEmpty():
		return centred(m.cells, w, h, failureLines(m.cells, w, "The statistics could not be read.", p.failure)), parts
	case !p.asked: // of a million memories it takes a moment
		return centred(m.cells, w, h, []line{{{themes.Muted, "counting…"}}}), parts
	}
	if p.figures.isEmpty() {
		return centred(m.cells, w, h, saying(m.cells, w, "Nothing to count yet.", "The figures come with the first session.")), parts
	}
	if day := dayOf(m.now()); p.drawn == nil || p.width != w || p.method != m.method || p.day != day {
		p.width, p.method, p.day = w, m.method, day
		p.drawn = filled(m.cells, w, p.tell(m, w))
	}
	p.height = h
	p.move(0)
	parts.offset, parts.total = p.top, len(p.drawn)
	if len(p.drawn) > h {
		parts.foot = fmt.Sprintf("%d%%", min(100, 100*(p.top+h)/len(p.drawn)))
	}
	return p.drawn[p.top:min(p.top+h, len(p.drawn))], parts
}

// sideBySide is the width from which on two parts stand beside each other.
const sideBySide = 100

// tell draws the statistics, w cells wide.
func (p *statsPage) tell(m *model, w int) []line {
	g := p.figures
	h := heatOf(g.days, m.now())
	out := &writer{cells: m.cells, w: max(w-2, 1), total: w, out: p.trouble(m.cells, w)}
	out.parts(p.sums(m))
	out.heading("Activity")
	for _, l := range h.lines(m.cells, w-1) {
		out.line(l...)
	}
	out.line()
	out.activity(h, m)
	out.sparks(g.days, h)

	types := titled(m.cells, "Types", func(w int) []line { return typeLines(m.cells, w, w-2, g.totals.ByType) })
	tokens := titled(m.cells, "Tokens", func(w int) []line { return p.tokens(m.cells, w) })
	files := titled(m.cells, "Files most worked on", func(w int) []line { return countLines(m.cells, w, g.files, themes.Link) })
	concepts := titled(m.cells, "Concepts", func(w int) []line { return countLines(m.cells, w, g.concepts, themes.Text) })
	projects := titled(m.cells, "Projects", func(w int) []line { return projectBars(m, w) })
	blocks := []func(int) []line{types, tokens, files, concepts}
	if p.project == "" && len(m.projects) > 1 {
		blocks = append(blocks, projects)
	}
	for len(blocks) > 0 {
		if w >= sideBySide && len(blocks) > 1 {
			out.out = append(out.out, beside(m.cells, w, blocks[0], blocks[1])...)
			blocks = blocks[2:]
			continue
		}
		out.out = append(out.out, blocks[0](w)...)
		blocks = blocks[1:]
	}
	return out.out
}

// sums are the totals in one line.
func (p *statsPage) sums(m *model) []span {
	t := p.figures.totals
	out := []span{{themes.Strong, count(t.Observations, "memory")}}
	if p.project == "" {
		out = append(out, span{themes.Text, count(t.Projects, "project")})
	}
	out = append(out, span{themes.Text, count(t.Sessions, "session")}, span{themes.Text, count(t.Prompts, "prompt")},
		span{themes.Text, count(t.Summaries, "summary")}, span{themes.Muted, count(t.Events, "event")})
	if t.SizeBytes > 0 {
		out = append(out, span{themes.Muted, bytesOf(t.SizeBytes) + " on disk"})
	}
	if !t.Oldest.IsZero() {
		out = append(out, span{themes.Muted, "since " + t.Oldest.In(m.now().Location()).Format("2 Jan 2006")})
	}
	return out
}

// activity says how much happened, on which days most, and what the glyphs mean.
func (w *writer) activity(h heat, m *model) {
	pieces := []span{{themes.Text, fmt.Sprintf("%s prompts and memories in %d weeks", thousands(h.total), heatWeeks)}}
	if h.best >= 0 {
		day, _, _ := strings.Cut(dayName(h.day(h.best), m.now()), " · ")
		pieces = append(pieces, span{themes.Text, "best day " + day + ": " + thousands(h.days[h.best])})
	}
	w.parts(pieces)
	w.line(h.legend()...)
}

// sparkDays is how many days the lines of blocks show at most: twelve weeks.
const sparkDays = 84

// sparks draws the last weeks by day.
func (w *writer) sparks(activity []memory.DayActivity, h heat) {
	const labelCells, sumWidth = 11, 18
	n := min(sparkDays, max(w.w-labelCells-sumWidth, 7))
	w.heading(fmt.Sprintf("The last %d days", n))
	for _, row := range []struct {
		name string
		role themes.Role
		of   func(memory.DayActivity) int
	}{
		{"memories", themes.Accent, func(a memory.DayActivity) int { return a.Observations }},
		{"prompts", themes.Prompt, func(a memory.DayActivity) int { return a.Prompts }},
		{"sessions", themes.Summary, func(a memory.DayActivity) int { return a.Sessions }},
	} {
		counts := h.spread(activity, row.of)
		counts = counts[max(len(counts)-n, 0):]
		sum, most := 0, 0
		for _, v := range counts {
			sum += v
			most = max(most, v)
		}
		w.line(span{themes.Muted, w.fit(row.name, labelCells)}, span{row.role, spark(counts)},
			span{themes.Text, " " + thousands(sum)}, span{themes.Muted, fmt.Sprintf(" · top %s", thousands(most))})
	}
}

// tokens says what reading and making the memories costs, and what it saves.
func (p *statsPage) tokens(c cells, w int) []line {
	t := p.figures.totals
	most := max(t.TokensSource, t.TokensRead, t.TokensSpent)
	var out []line
	row := func(name string, n int64, role themes.Role) {
		l := line{{themes.Muted, c.fit(" "+name, 20)}, {themes.Text, c.fitRight(thousands(int(n)), 13) + "  "}}
		l = append(l, span{role, barOf(n, most, min(w-c.lineWidth(l)-2, 30))})
		out = append(out, c.cutLine(l, 0, w))
	}
	row("events behind them", t.TokensSource, themes.Muted)
	row("reading them all", t.TokensRead, themes.Accent)
	row("spent on making", t.TokensSpent, themes.Warn)
	if saved := t.TokensSource - t.TokensRead; t.TokensSource > 0 && saved > 0 {
		row("saved", saved, themes.Good)
		out = append(out, c.cutLine(line{{themes.Text, " "}, {themes.Good, c.shorten("Reading memories costs "+share(t.TokensRead, t.TokensSource)+" of the events.", w-2)}}, 0, w))
	}
	return out
}

// projectBars draws how many memories each of the largest projects has.
func projectBars(m *model, w int) []line {
	list := make([]memory.Count, 0, len(m.projects))
	for _, p := range m.projects {
		list = append(list, memory.Count{Name: projectName(p.Key), N: p.Observations})
	}
	slices.SortStableFunc(list, func(a, b memory.Count) int { return b.N - a.N })
	var out []line
	for _, v := range list[:min(len(list), maxTop)] {
		l := line{{themes.Text, " " + m.fit(v.Name, min(w/3, 24)) + m.fitRight(thousands(v.N), countCells+1) + "  "}}
		l = append(l, span{themes.Accent, barOf(int64(v.N), int64(list[0].N), min(w-m.lineWidth(l)-2, 40))})
		out = append(out, m.cutLine(l, 0, w))
	}
	return out
}

// titled gives a part with its headline, or nothing when the part is empty.
func titled(c cells, title string, draw func(w int) []line) func(w int) []line {
	return func(w int) []line {
		body := draw(w)
		if len(body) == 0 {
			return nil
		}
		return append([]line{c.cutLine(nil, 0, w), c.cutLine(line{{themes.Heading, " " + title}}, 0, w)}, body...)
	}
}

// beside draws two parts side by side, w cells wide in all.
func beside(c cells, w int, left, right func(w int) []line) []line {
	half := w / 2
	a, b := left(half), right(w-half)
	var out []line
	for n := range max(len(a), len(b)) {
		l := c.cutLine(nil, 0, half)
		if n < len(a) {
			l = c.cutLine(a[n], 0, half)
		}
		if n < len(b) {
			l = append(l, b[n]...)
		}
		out = append(out, c.cutLine(l, 0, w))
	}
	return out
}
