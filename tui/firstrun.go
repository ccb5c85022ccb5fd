package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/themes"
)

// emptyMeasure is how wide the explanation of an empty store is at most.
const emptyMeasure = 58

// firstRun is what is known of the machine while there are no memories.
type firstRun struct {
	setup    Setup
	hasSetup bool
	asked    bool // it was asked for since the store changed
	failure  string
}

// followSetup looks at the machine when there is nothing to remember, once for
// every state of the store.
func (m *model) followSetup() tea.Cmd {
	if m.first.asked || !m.knowsNothing() {
		return nil
	}
	m.first.asked = true
	return m.cmds.setup()
}

func (m *model) setupArrived(msg setupMsg) {
	m.first.setup, m.first.hasSetup, m.first.failure = msg.setup, msg.err == nil, ""
	if msg.err != nil {
		m.first.failure = cleanLine(msg.err.Error())
	}
}

// offersImport reports whether the first run shows something to import.
func (m *model) offersImport() bool {
	return m.first.hasSetup && len(m.first.setup.Imports) > 0 && m.knowsNothing()
}

// openImports lets the person choose what to import of what was found.
func (m *model) openImports() tea.Cmd {
	found := m.first.setup.Imports
	c := &choice{title: "Import", foot: m.closingHint("imports")}
	options := make([]option, len(found))
	for n, i := range found {
		options[n] = option{label: i.What, note: i.Command}
	}
	c.chosen = func(m *model, n int) tea.Cmd { return m.cmds.runImport(found[n]) }
	c.offer(options)
	m.overlays = append(m.overlays, c)
	return nil
}

// imported comes back from an import.
func (m *model) imported(msg importedMsg) tea.Cmd {
	m.first.asked = false
	again := tea.Batch(followBrightness(), m.reload(), m.countProjects(0))
	if msg.err != nil {
		return tea.Batch(again, m.say(themes.Bad, msg.command+" did not end well: "+cleanLine(msg.err.Error())))
	}
	return tea.Batch(again, m.say(themes.Good, msg.command+" is done; what was found goes through the worker now"))
}

// firstRunText is the explanation of an empty store while it is being put together.
type firstRunText struct {
	cells
	w   int
	out []line
}

func (t *firstRunText) paragraph(lead span, role themes.Role, text string) {
	indent := t.width(lead.text)
	for n, l := range t.wrap(text, t.w-indent) {
		if n > 0 {
			lead.text = t.fit("", indent)
		}
		t.out = append(t.out, line{lead, {role, l}})
	}
}

func (t *firstRunText) gap() {
	if len(t.out) > 0 && len(t.out[len(t.out)-1]) > 0 {
		t.out = append(t.out, line{})
	}
}

// firstRunLines explains a store without memories: what will happen, whether
// the assistant is connected, and what was found to begin with. Where there is
// little room it leaves out the explanation, and keeps what can be done.
func firstRunLines(c cells, w, h int, f firstRun, keys keymap) []line {
	for level := range 4 {
		t := firstRunText{cells: c, w: min(w, emptyMeasure)}
		t.paragraph(span{}, themes.Strong, "Nothing to remember yet")
		t.gap()
		if level == 0 {
			t.about()
		}
		t.connection(f, keys, level)
		t.imports(f, keys, level)
		if level < 2 {
			t.gap()
			t.paragraph(span{}, themes.Muted, "All of it stays on this machine, unless you choose a model provider.")
		}
		if level == 3 {
			t.tighten()
		}
		if len(t.out) <= h || level == 3 {
			return t.out
		}
	}
	return nil
}

// about says what will happen.
func (t *firstRunText) about() {
	t.paragraph(span{}, themes.Text, "cmem watches your assistant from the outside. While you work together, this fills by itself with")
	t.gap()
	t.paragraph(span{themes.Prompt, "  " + promptGlyph + " "}, themes.Text, "what you asked")
	t.paragraph(span{themes.Feature, "  " + typeGlyphs[memory.TypeFeature] + " "}, themes.Text, "what was built, fixed, found and decided")
	t.paragraph(span{themes.Summary, "  " + summaryGlyph + " "}, themes.Text, "a summary of every session")
	t.gap()
}

// connection says whether the assistant is connected and what to do for it.
func (t *firstRunText) connection(f firstRun, keys keymap, level int) {
	install := keys.of(actInstall, inPanes)
	switch s := f.setup; {
	case f.failure != "":
		t.paragraph(span{themes.Warn, "! "}, themes.Text, "Whether Claude Code is connected cannot be said: "+f.failure)
		t.paragraph(span{themes.Muted, "  "}, themes.Muted, "`cmem doctor` looks closer.")
	case !f.hasSetup:
		t.paragraph(span{}, themes.Text, "Connect it to Claude Code, once:")
		t.gap()
		t.paragraph(span{themes.Muted, "  $ "}, themes.Key, "cmem install")
	case s.Problem != "":
		t.paragraph(span{themes.Warn, "! "}, themes.Text, s.Problem)
		t.doIt(install, "connects cmem to Claude Code anew")
	case s.Installed:
		t.paragraph(span{themes.Good, "✓ "}, themes.Text, "Claude Code is connected: the next session in it is remembered.")
		return
	case s.Claude:
		t.paragraph(span{themes.Warn, "! "}, themes.Text, "Claude Code is on this machine, and not connected yet.")
		t.doIt(install, "connects it, after a question")
	default:
		t.paragraph(span{themes.Warn, "! "}, themes.Text, "Claude Code was not found on this machine.")
		t.doIt(install, "connects cmem for when it is there")
	}
	if level == 0 {
		t.gap()
		t.paragraph(span{}, themes.Text, "Then work as always: the next session begins with what this one learned.")
	}
}

// imports names what was found to begin with.
func (t *firstRunText) imports(f firstRun, keys keymap, level int) {
	if len(f.setup.Imports) == 0 {
		return
	}
	open := keys.of(actOpen, inPanes)
	if level == 3 { // in one line
		what := f.setup.Imports[0].What
		if more := len(f.setup.Imports) - 1; more > 0 {
			what = fmt.Sprintf("%d things from earlier work", more+1)
		}
		t.doIt(open, t.shorten("imports "+what, t.w-t.width(open)-3))
		return
	}
	t.gap()
	if level < 2 {
		t.paragraph(span{}, themes.Text, "Found on this machine, from earlier work:")
	}
	for _, i := range f.setup.Imports {
		t.paragraph(span{themes.Accent, "  • "}, themes.Text, i.What)
	}
	t.doIt(open, "imports what you choose of it")
}

// doIt names a key and what it does.
func (t *firstRunText) doIt(pressed, does string) {
	if pressed == "" {
		return
	}
	t.paragraph(span{themes.Key, "  " + pressed + " "}, themes.Muted, does)
}

// tighten takes the empty lines out.
func (t *firstRunText) tighten() {
	var out []line
	for _, l := range t.out {
		if strings.TrimSpace(l.String()) != "" {
			out = append(out, l)
		}
	}
	t.out = out
}
