package tui

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"cmem/memory"
)

// around reads the rows around one, for a list that opens there.
func (c *commands) around(list int, f memory.Filter, at memory.Cursor) tea.Cmd {
	return c.run(slotList, "open the timeline where it was left", func(ctx context.Context) tea.Msg {
		msg := aroundMsg{list: list, key: itemKey{at.Kind, at.ID}}
		var newer, older, first []memory.Item
		if older, msg.err = c.source.Timeline(ctx, f, justAbove(at), pageSize); msg.err != nil {
			return msg
		}
		if newer, msg.err = c.source.TimelineNewer(ctx, f, at, pageSize); msg.err != nil {
			return msg
		}
		// The two reads must not give a row twice when somebody writes between them.
		newer = slices.DeleteFunc(newer, func(i memory.Item) bool {
			return slices.ContainsFunc(older, func(o memory.Item) bool { return keyOf(o) == keyOf(i) })
		})
		msg.atTop, msg.atEnd = len(newer) < pageSize, len(older) < pageSize
		slices.Reverse(newer)
		msg.items = cleanItems(slices.Concat(newer, older))
		if len(msg.items) > 0 {
			msg.newest = msg.items[0].Cursor()
		}
		if !msg.atTop {
			if first, msg.err = c.source.Timeline(ctx, f, memory.Cursor{}, 1); len(first) > 0 {
				msg.newest = first[0].Cursor()
			}
		}
		return msg
	})
}

// readThemes reads the person's own themes.
func (c *commands) readThemes() themesMsg {
	msg := themesMsg{}
	if c.desk.ThemesVersion != nil {
		msg.version = c.desk.ThemesVersion()
	}
	msg.set, msg.problems = c.desk.Themes()
	msg.problems = cleanLines(msg.problems)
	return msg
}

// watchThemes waits until the person's own themes are others than those of the
// version known; the empty one is none.
func (c *commands) watchThemes(known string) tea.Cmd {
	if c.desk.Themes == nil || c.desk.ThemesVersion == nil {
		return nil
	}
	return c.run(slotThemes, "watch the themes", func(ctx context.Context) tea.Msg {
		for {
			if c.desk.ThemesVersion() != known {
				return c.readThemes()
			}
			if c.timing.status == 0 || !sleep(ctx, c.timing.status) {
				return nil
			}
		}
	})
}

// stateDue waits until the state may be remembered.
func (c *commands) stateDue() tea.Cmd {
	if c.desk.SaveState == nil || c.timing.state == 0 {
		return nil
	}
	return tea.Tick(c.timing.state, func(time.Time) tea.Msg { return stateDueMsg{} })
}

// saveState remembers the state for the next run.
func (c *commands) saveState(state []byte) tea.Cmd {
	return c.run(slotState, "remember where you are", func(context.Context) tea.Msg {
		return stateSavedMsg{state, c.desk.SaveState(bytes.Clone(state))}
	})
}

// setup looks at the machine.
func (c *commands) setup() tea.Cmd {
	if c.desk.Setup == nil {
		return nil
	}
	return c.run(slotSetup, "look at the machine", func(ctx context.Context) tea.Msg {
		s, err := c.desk.Setup(ctx)
		s.Problem = cleanLine(s.Problem)
		s.Imports = slices.Clone(s.Imports)
		for n := range s.Imports {
			s.Imports[n].What, s.Imports[n].Command = cleanLine(s.Imports[n].What), cleanLine(s.Imports[n].Command)
		}
		return setupMsg{s, err}
	})
}

// runImport lets an import have the terminal until it ends.
func (c *commands) runImport(i Import) tea.Cmd {
	if c.self == "" {
		return func() tea.Msg {
			return importedMsg{i.Command, errors.New("the program does not know where it is; run it in a shell")}
		}
	}
	return c.handOver(Command{Path: c.self, Args: i.Args}, func(err error) tea.Msg {
		return importedMsg{i.Command, err}
	})
}

// followBrightness asks the terminal for its background, and to tell when it
// changes between light and dark. A terminal that cannot tells nothing.
func followBrightness() tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, tea.Raw(ansi.SetModeLightDark))
}

// quit ends the program.
func (m *model) quit() tea.Cmd {
	m.setTheme(m.keptTheme()) // what is only tried is not kept
	m.cmds.stop()
	return tea.Quit
}

// suspend stops the program until the shell goes on with it. Meanwhile the
// terminal is the shell's, and must not be told of its brightness.
func (m *model) suspend() tea.Cmd {
	return tea.Sequence(tea.Raw(ansi.ResetModeLightDark), tea.Suspend)
}
