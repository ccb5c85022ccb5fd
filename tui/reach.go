package tui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/store"
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

// copiedArrived puts text on the terminal's clipboard, and says only what is known
// of where it is now: a terminal does not answer.
func (m *model) copiedArrived(msg copiedMsg) tea.Cmd {
	gone := ""
	if len(msg.gone) > 0 {
		_, gone = m.forget(msg.gone)
	}
	export := m.keys.of(actExport, inPanes) + " exports"
	switch {
	case isCancelled(msg.err):
		return nil
	case msg.err != nil:
		return m.report(themes.Bad, fmt.Sprintf("%s could not be copied: %s; %s", capital(msg.what), cleanLine(msg.err.Error()), export))
	case msg.text == "":
		return m.report(themes.Bad, "Nothing was copied: "+gone)
	}
	if gone != "" {
		gone = "; " + gone
	}
	small := len(msg.text) <= maxTerminalCopy
	switch {
	case msg.system == nil && !small:
		return m.say(themes.Good, "Copied "+msg.what+gone)
	case msg.system == nil:
		return tea.Batch(tea.SetClipboard(msg.text), m.say(themes.Good, "Copied "+msg.what+gone))
	case small:
		return tea.Batch(tea.SetClipboard(msg.text), m.say(themes.Good, "Gave "+msg.what+" to the terminal's clipboard"+gone))
	}
	return m.report(themes.Bad, fmt.Sprintf("Not copied: %s, %s, is too large for the terminal's clipboard, and the system's did not take it (%s); %s",
		msg.what, bytesOf(int64(len(msg.text))), cleanLine(msg.system.Error()), export))
}

func (m *model) export() tea.Cmd {
	items := m.targets()
	cmd := m.cmds.export(items, nameOf(items))
	if len(items) > askAbove {
		return tea.Batch(m.say(themes.Muted, "Exporting "+nameOf(items)+" …"), cmd)
	}
	return cmd
}

func (m *model) exportedArrived(msg exportedMsg) tea.Cmd {
	var missing *store.MissingError
	if errors.As(msg.err, &missing) && len(missing.Refs) > 0 {
		gone, said := m.forget(missing.Refs)
		rest := slices.DeleteFunc(slices.Clone(msg.items), func(i memory.Item) bool { return gone[keyOf(i)] })
		if len(rest) > 0 && len(rest) < len(msg.items) {
			return m.cmds.export(rest, nameOf(rest)+" ("+said+")")
		}
		return m.report(themes.Bad, fmt.Sprintf("Could not export %s: %s", msg.what, said))
	}
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
		return m.notRead("The editor could not be opened", msg.draft.id, msg.err)
	}
	return m.cmds.editDraft(msg.draft, msg.command)
}

func (m *model) editorDone(msg editorDoneMsg) tea.Cmd {
	name := idOf(memory.KindObservation, msg.draft.id)
	s := &change{did: "Changed " + name, todo: "change " + name, gone: itemKey{memory.KindObservation, msg.draft.id}}
	m.push(s)
	return m.begin(s, false, m.cmds.takeDraft(s, msg.draft, msg.atOnce, msg.err))
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
	case editLateMsg:
		return nil, m.editIsLate(msg)
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
