package tui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/themes"
)

// reach does an action that reaches beyond the browser (clipboard, editor,
// assistant, files), and reports whether it is one.
func (m *model) reach(a action) (tea.Cmd, bool) {
	switch a {
	case actCopy:
		return m.copy(), true
	case actCopyID:
		return m.copyIDs(), true
	case actExport:
		return m.export(), true
	case actOpenFile:
		return m.openFiles(), true
	case actTranscript:
		s := m.subject()
		return m.cmds.openTranscript(s.session, s.item), true
	case actResume:
		return m.cmds.resume(m.subject().session), true
	case actInstall:
		return m.askInstall(), true
	}
	return nil, false
}

// resume resumes a session, wherever it was found.
func (m *model) resume(s memory.Session) tea.Cmd { return m.cmds.resume(s.ID) }

func (m *model) copy() tea.Cmd {
	items := m.targets()
	if len(items) > maxCopied {
		return m.say(themes.Muted, fmt.Sprintf("Up to %s can be copied at once; %s exports them to a file.",
			count(maxCopied, "memory"), m.keys.of(actExport, inPanes)))
	}
	return m.cmds.copyText(items, nameOf(items)+" as Markdown")
}

func (m *model) copyIDs() tea.Cmd {
	var ids []string
	for _, i := range m.targets() {
		ids = append(ids, idOf(i.Kind, i.ID))
	}
	what := count(len(ids), "id")
	if len(ids) == 1 {
		what = ids[0]
	}
	return m.cmds.copyLine(strings.Join(ids, " "), what)
}

// copiedArrived puts text on the terminal's clipboard.
func (m *model) copiedArrived(msg copiedMsg) tea.Cmd {
	if msg.err != nil {
		return m.report(themes.Bad, "It could not be copied: "+cleanLine(msg.err.Error()))
	}
	return tea.Batch(tea.SetClipboard(msg.text), m.say(themes.Good, "Copied "+msg.what))
}

func (m *model) export() tea.Cmd {
	items := m.targets()
	refs := make([]memory.Ref, 0, len(items))
	for _, i := range items {
		refs = append(refs, i.Ref())
	}
	return m.cmds.export(refs, nameOf(items))
}

func (m *model) exportedArrived(msg exportedMsg) tea.Cmd {
	if msg.err != nil {
		return m.report(themes.Bad, fmt.Sprintf("Could not export %s: %s", msg.what, cleanLine(msg.err.Error())))
	}
	return m.report(themes.Good, fmt.Sprintf("Exported %s to %s", msg.what, msg.path))
}

// openFiles opens a file that the selected memory names.
func (m *model) openFiles() tea.Cmd {
	s := m.subject()
	if !s.isMemory() {
		return m.say(themes.Muted, "Select a memory to open a file of it.")
	}
	return m.cmds.filesOf(s.item)
}

// filesArrived opens the file, or lets the person choose one of several.
func (m *model) filesArrived(msg filesMsg) tea.Cmd {
	item := msg.item
	switch {
	case isCancelled(msg.err):
		return nil
	case msg.err != nil:
		return m.report(themes.Bad, "Its files could not be read: "+cleanLine(msg.err.Error()))
	case len(msg.files) == 0:
		return m.say(themes.Muted, idOf(item.Kind, item.ID)+" names no files.")
	case len(msg.files) == 1:
		return m.cmds.openFile(item.Project, msg.cwd, msg.files[0])
	}
	c := &choice{title: "Files of " + idOf(item.Kind, item.ID), foot: "enter opens · esc closes", line: &input{}, empty: "no file is called that"}
	c.chosen = func(m *model, n int) tea.Cmd { return m.cmds.openFile(item.Project, msg.cwd, msg.files[n]) }
	options := make([]option, 0, len(msg.files))
	for _, f := range msg.files {
		options = append(options, option{label: f})
	}
	c.offer(options)
	m.overlays = append(m.overlays, c)
	return nil
}

// splitLine takes the number of a line off a name such as cart/total.go:12, and
// gives 0 when it has none.
func splitLine(name string) (string, int) {
	bare, number, found := strings.Cut(name, ":")
	number, _, _ = strings.Cut(number, ":") // a column may follow
	number, _, _ = strings.Cut(number, "-") // or the end of a range
	n, err := strconv.Atoi(number)
	if len(bare) == 1 && found { // C:\cart\total.go
		return name, 0
	}
	if err != nil || n <= 0 || bare == "" {
		return name, 0
	}
	return bare, n
}

// readyArrived hands the terminal over.
func (m *model) readyArrived(msg readyMsg) tea.Cmd {
	if msg.err != nil {
		if isCancelled(msg.err) {
			return nil
		}
		return m.report(themes.Bad, fmt.Sprintf("Could not %s: %s", msg.what, cleanLine(msg.err.Error())))
	}
	return m.cmds.handOver(msg.command, func(err error) tea.Msg { return returnedMsg{msg.what, err} })
}

// returnedArrived takes the terminal back. Meanwhile much may have been remembered.
func (m *model) returnedArrived(msg returnedMsg) tea.Cmd {
	m.rereadAll(itemKey{})
	cmd := m.rereadPage()
	if msg.err != nil {
		cmd = tea.Batch(cmd, m.report(themes.Bad, fmt.Sprintf("To %s: it ended with an error: %s", msg.what, cleanLine(msg.err.Error()))))
	}
	return cmd
}

// openEditor edits the selected observation in the person's editor.
func (m *model) openEditor() tea.Cmd {
	item, cmd, ok := m.oneToEdit()
	if !ok {
		return cmd
	}
	return m.cmds.writeDraft(item.ID)
}

func (m *model) editorArrived(msg editorMsg) tea.Cmd {
	if msg.err != nil {
		if isCancelled(msg.err) {
			return nil
		}
		return m.report(themes.Bad, "The editor could not be opened: "+cleanLine(msg.err.Error()))
	}
	return m.cmds.handOver(msg.command, func(err error) tea.Msg { return editorDoneMsg{msg.draft, err} })
}

func (m *model) editorDone(msg editorDoneMsg) tea.Cmd {
	name := idOf(memory.KindObservation, msg.draft.id)
	if msg.err != nil {
		return m.report(themes.Bad, fmt.Sprintf("The editor ended with an error (%s): nothing was changed. The file is %s",
			cleanLine(msg.err.Error()), cleanLine(msg.draft.path)))
	}
	s := &change{did: "Changed " + name, todo: "change " + name, gone: itemKey{memory.KindObservation, msg.draft.id}}
	m.push(s)
	return m.cmds.takeDraft(s, msg.draft)
}

// askInstall asks before the assistant's settings are changed.
func (m *model) askInstall() tea.Cmd {
	if m.cmds.desk.Install == nil {
		return m.say(themes.Muted, "Connecting to Claude Code cannot be done here; `cmem install` does it.")
	}
	m.overlays = append(m.overlays, &question{
		title: "Connect",
		text: "Connect cmem to Claude Code? Its settings get cmem's hooks and MCP server, and nothing else in them changes. " +
			"The files are backed up first; `cmem uninstall` takes it out again.",
		yes: func(m *model) tea.Cmd { return m.cmds.install() },
	})
	return nil
}

func (m *model) installedArrived(msg installedMsg) tea.Cmd {
	m.first.asked = false // the first run tells it
	if msg.err != nil {
		return m.report(themes.Bad, "cmem could not be connected: "+cleanLine(msg.err.Error()))
	}
	return m.report(themes.Good, cleanLine(msg.said))
}

// actionArrived takes in what an action brought, and reports whether it is that.
func (m *model) actionArrived(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case editedMsg:
		return m.editedArrived(msg), true
	case formMsg:
		return m.formArrived(msg), true
	case tagsMsg:
		m.tagsArrived(msg)
	case candidatesMsg:
		m.candidatesArrived(msg)
	case foundMsg:
		return m.allFound(msg), true
	case copiedMsg:
		return m.copiedArrived(msg), true
	case exportedMsg:
		return m.exportedArrived(msg), true
	case filesMsg:
		return m.filesArrived(msg), true
	case readyMsg:
		return m.readyArrived(msg), true
	case returnedMsg:
		return m.returnedArrived(msg), true
	case editorMsg:
		return m.editorArrived(msg), true
	case editorDoneMsg:
		return m.editorDone(msg), true
	case installedMsg:
		return m.installedArrived(msg), true
	default:
		return nil, false
	}
	return nil, true
}
