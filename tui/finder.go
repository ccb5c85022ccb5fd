package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/themes"
)

// finder is the window that finds a session by a few letters, in all projects:
// who looks for a session often does not know any more where it was.
type finder struct {
	*choice
	number int // of the newest question
	found  []memory.Session
}

// openFinder finds a session by a few letters.
func (m *model) openFinder() tea.Cmd {
	f := &finder{choice: &choice{title: "Find a session", line: &input{}}}
	resume := m.keys.of(actResume, inTyping)
	f.foot = "enter shows · " + resume + " resumes · esc closes"
	if m.layout.width < 60 {
		f.foot = resume + " resumes"
	}
	f.changed = func(m *model, text string) tea.Cmd { return f.look(m, text) }
	f.chosen = func(m *model, n int) tea.Cmd { return m.toFound(f.found[n]) }
	f.other = func(m *model, a action, n int) tea.Cmd {
		if a != actResume {
			return nil
		}
		m.closeOverlay()
		return m.resume(f.found[n])
	}
	m.overlays = append(m.overlays, f)
	return f.look(m, "")
}

// look asks for the sessions that have all the words.
func (f *finder) look(m *model, text string) tea.Cmd {
	f.number++
	return m.cmds.findSessions(f.number, strings.TrimSpace(text))
}

// sessionsFound shows what the finder found, if it is still open and nothing
// else is asked for.
func (m *model) sessionsFound(msg foundSessionsMsg) {
	for _, o := range m.overlays {
		if f, is := o.(*finder); is && f.number == msg.number && !isCancelled(msg.err) {
			f.take(m, msg)
		}
	}
}

func (f *finder) take(m *model, msg foundSessionsMsg) {
	f.empty = "no session has that in its title, branch or path"
	if f.line.text == "" {
		f.empty = "there is no session yet"
	}
	if msg.err != nil {
		f.empty = "they could not be read: " + cleanLine(msg.err.Error())
	}
	now := m.now()
	f.found = msg.sessions
	options := make([]option, 0, len(msg.sessions))
	for _, s := range msg.sessions {
		o := option{label: titleOf(s), lead: []span{{themes.Accent, projectName(s.Project)}, {themes.Muted, " › "}}, note: age(s.CreatedAt, now)}
		if s.Status == memory.SessionActive {
			o.note = activeGlyph + " " + age(lastOf(s), now)
		}
		options = append(options, o)
	}
	f.offer(options)
}

// toFound shows a session of whatever project in the timeline.
func (m *model) toFound(s memory.Session) tea.Cmd {
	var change tea.Cmd
	if m.project != "" && m.project != s.Project {
		change = m.setProject(s.Project)
	}
	return tea.Batch(change, m.toSession(s.ID))
}
