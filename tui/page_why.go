package tui

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/recall"
	"cmem/themes"
)

// whyPage shows what the present search could have found and did not, and why
// each was left out.
type whyPage struct {
	listing
	asking
	text   string
	filter memory.Filter
	shown  int // hits that the list shows
	misses []recall.Miss
}

func (p *whyPage) load(m *model, again bool) tea.Cmd {
	f, ok := m.filter()
	if !ok || m.query.text == "" {
		p.begin() // what is on its way is of no use
		p.busy, p.stale, p.asked, p.text, p.misses = false, false, true, "", nil
		return nil
	}
	if m.query.text != p.text {
		p.text, p.asked, p.misses, p.cursor, p.top = m.query.text, false, nil, 0, 0
	}
	if !again || !reflect.DeepEqual(f, p.filter) {
		p.filter, p.busy = f, false // the answer that is on its way is of no use
	}
	p.stale = true
	return nil // the search itself has to end first: see follow
}

// follow asks what was left out, once it is known what was found.
func (p *whyPage) follow(m *model) tea.Cmd {
	shown := 0
	if m.list.flat {
		shown = m.list.byWords
	}
	if p.busy || m.loading != idle || p.text == "" || !p.stale && shown == p.shown {
		return nil
	}
	rest := m.cmds.timing.counts
	if !p.asked || shown != p.shown {
		rest = 0
	}
	p.shown = shown
	return m.cmds.misses(p.begin(), p.text, p.filter, shown, rest)
}

func (p *whyPage) arrive(m *model, msg tea.Msg) (tea.Cmd, bool) {
	answer, ok := msg.(missesMsg)
	if !ok {
		return nil, false
	}
	if !p.answered(answer.number, answer.err) {
		return nil, true
	}
	miss, had := p.at()
	offset := p.cursor - p.top
	p.misses = answer.misses
	for _, v := range p.misses {
		for n := range v.Reasons {
			v.Reasons[n].At = v.Reasons[n].At.In(m.now().Location())
		}
	}
	if had {
		n := slices.IndexFunc(p.misses, func(v recall.Miss) bool { return v.Hit.Observation.ID == miss.Hit.Observation.ID })
		if n >= 0 {
			p.cursor, p.top = n, max(n-offset, 0)
		}
	}
	p.resize(len(p.misses), p.height)
	return nil, true
}

func (p *whyPage) at() (recall.Miss, bool) {
	if p.cursor < 0 || p.cursor >= len(p.misses) {
		return recall.Miss{}, false
	}
	return p.misses[p.cursor], true
}

func (p *whyPage) act(m *model, a action) (tea.Cmd, bool) {
	if a == actOpen {
		if miss, ok := p.at(); ok {
			return m.goToMissed(miss), true
		}
		return nil, true
	}
	return nil, p.moves(a)
}

func (p *whyPage) pick(_ *model, n int) bool { return p.pickRow(n) }
func (p *whyPage) scroll(_ *model, n int)    { p.rows.scroll(n) }

func (p *whyPage) selected(*model) subject {
	miss, ok := p.at()
	if !ok {
		return subject{}
	}
	item := itemOf(miss.Hit.Observation)
	return subject{item: item, session: item.SessionID, project: item.Project}
}

func (p *whyPage) draw(m *model, w, h int) ([]line, frameParts) {
	parts := frameParts{title: "Why · " + p.text}
	switch {
	case m.query.text == "":
		return centred(m.cells, w, h, saying(m.cells, w, "Nothing is searched for.", "/ searches; this shows then what was not found, and why.")), parts
	case p.failure != "" && len(p.misses) == 0:
		return centred(m.cells, w, h, failureLines(m.cells, w, "What the search missed could not be found out.", p.failure)), parts
	case !p.asked:
		return nil, parts
	case len(p.misses) == 0:
		return centred(m.cells, w, h, saying(m.cells, w, "Nothing was left out.",
			"No memory of any project, archived ones and expired ones too, has more of "+p.text+" than what was found.")), parts
	}
	s := rowStyle{cells: m.cells, w: w, focus: m.state.focus == listPane, words: litWords(p.text), marks: m.marks, now: m.now()}
	var foot []line
	if miss, ok := p.at(); ok {
		foot = footnote(m.cells, w, span{themes.Text, "Not shown: " + allReasons(miss.Reasons)}, span{themes.Muted, "enter " + m.wayTo(miss).says})
	}
	head := append(p.trouble(m.cells, w), line{{themes.Muted, m.shorten("  "+count(len(p.misses), "memory")+" that the search did not show", w)}})
	body := p.body(len(p.misses), h, head, foot, func(n int) line {
		miss := p.misses[n]
		reason := shortReason(miss.Reasons[0])
		if more := len(miss.Reasons) - 1; more > 0 {
			reason += fmt.Sprintf(" +%d", more)
		}
		return s.reasonLine(itemOf(miss.Hit.Observation), span{themes.Text, ""}, themes.Text, reason, n == p.cursor)
	})
	parts.foot = fmt.Sprintf("%d of %s", p.cursor+1, thousands(len(p.misses)))
	parts.offset, parts.total = p.top, len(p.misses)
	return filled(m.cells, w, body), parts
}

// allReasons names every reason in one sentence.
func allReasons(list []recall.Reason) string {
	words := make([]string, 0, len(list))
	for _, r := range list {
		words = append(words, r.String())
	}
	return cleanLine(strings.Join(words, " · "))
}

// way is what lets a search show a memory that it left out.
type way struct {
	there   bool   // there is one
	project string // to be shown
	text    string // of the filter line
	says    string // what going it does
}

// wayTo finds what has to be loosened for a memory to be found. A rank and
// missing words are nothing that could be.
func (m *model) wayTo(miss recall.Miss) way {
	to := way{there: true, project: m.project, text: m.input.text}
	all, does := false, []string(nil)
	var gone []string // names of filters
	for _, r := range miss.Reasons {
		switch r.Kind {
		case recall.ReasonOtherProject:
			to.project = r.Project
			gone = append(gone, "project")
			does = append(does, "shows "+projectName(r.Project))
		case recall.ReasonArchived, recall.ReasonSuperseded, recall.ReasonInvalid, recall.ReasonExpired:
			all = true
		case recall.ReasonFilter:
			if r.Filter == "status" || r.Filter == "expired" {
				all = true
				continue
			}
			gone = append(gone, filterNames(r.Filter)...)
			does = append(does, "takes "+r.Filter+" out of the filter")
		default:
			return way{says: "shows its details"}
		}
	}
	if all {
		gone = append(gone, "status", "is")
		does = append(does, "takes memories of every status")
	}
	to.text = m.query.withoutNames(to.text, gone)
	if all {
		to.text = strings.TrimSpace(to.text + " status:all")
	}
	to.says = strings.Join(does, ", ")
	return to
}

// filterNames gives the words of the filter line that make a part of a filter.
func filterNames(part string) []string {
	switch part {
	case "after", "before":
		return []string{part, "on"}
	case "pinned":
		return []string{"is"}
	}
	return []string{part}
}

// withoutNames gives the filter line without the filters of these names.
func (q query) withoutNames(input string, names []string) string {
	for n, t := range slices.Backward(q.terms) { // from the end: those before keep their places
		if t.isFilter() && slices.Contains(names, t.name) {
			input = q.without(input, n)
		}
	}
	return input
}

// goToMissed loosens what kept a memory out of the search and selects it there,
// or else shows its details.
func (m *model) goToMissed(miss recall.Miss) tea.Cmd {
	to := m.wayTo(miss)
	if !to.there {
		m.state.focus = detailPane
		return nil
	}
	m.view, m.page = viewSearch, nil
	m.state.focus = listPane
	if to.project != m.project {
		m.filters[m.project] = m.input.text
		m.project = to.project
	}
	m.setInput(to.text)
	m.list.wanted = keyOf(itemOf(miss.Hit.Observation))
	return tea.Batch(m.reload(), m.say(themes.Muted, "The search "+to.says+" now."))
}
