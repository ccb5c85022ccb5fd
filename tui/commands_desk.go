package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"cmem/memory"
)

// What is done outside of the store: the clipboard, files, the person's editor
// and the assistant.

// maxCopied bounds how many memories go to the clipboard at once: terminals take
// no more than some hundred kilobytes.
const maxCopied = 200

// maxPrompts bounds how many prompts of a session are looked through for the one
// that a memory came from.
const maxPrompts = 500

// errCannot says that the browser was not given a way to do something.
var errCannot = errors.New("it cannot be done here")

// handOver hands the terminal to a command and sends what then makes of its end.
// A test puts its own in place.
func handOver(c Command, then func(error) tea.Msg) tea.Cmd {
	//nolint:gosec // the command is the person's editor or assistant; no shell reads its arguments
	run := exec.Command(c.Path, c.Args...)
	run.Dir, run.Env = c.Dir, c.Env
	// The terminal must not tell a guest of its brightness, which only we asked for.
	return tea.Sequence(tea.Raw(ansi.ResetModeLightDark), tea.Exec(&guest{run}, then), tea.Raw(ansi.SetModeLightDark))
}

// guest is a program that has the terminal for a while. It must get the terminal
// itself: an editor wants to know its size.
type guest struct{ *exec.Cmd }

// SetStdin gives it the terminal's input.
func (g *guest) SetStdin(r io.Reader) { g.Stdin = r }

// SetStdout gives it the terminal, not what paints on it.
func (g *guest) SetStdout(w io.Writer) {
	switch w := w.(type) {
	case terminalPainter:
		g.Stdout = w.File
	case *painter:
		g.Stdout = w.out
	default:
		g.Stdout = w
	}
}

// SetStderr gives it the terminal too.
func (g *guest) SetStderr(w io.Writer) { g.Stderr = w }

// copyText makes Markdown of memories and puts it on the system's clipboard; the
// answer is for the terminal's.
func (c *commands) copyText(items []memory.Item, what string) tea.Cmd {
	return c.run(slotDesk, "copy memories", func(ctx context.Context) tea.Msg {
		texts := make([]string, 0, len(items))
		for _, i := range items {
			read, err := c.whole(ctx, i)
			if err != nil {
				return copiedMsg{what: what, err: fmt.Errorf("read %s: %w", idOf(i.Kind, i.ID), err)}
			}
			texts = append(texts, markdown(i, read))
		}
		return c.copied(strings.Join(texts, "\n---\n\n"), what)
	})
}

// copyLine puts a short text on the clipboards.
func (c *commands) copyLine(text, what string) tea.Cmd {
	return c.run(slotDesk, "copy", func(context.Context) tea.Msg { return c.copied(text, what) })
}

func (c *commands) copied(text, what string) tea.Msg {
	if c.desk.Clipboard != nil {
		// The terminal's clipboard is told besides, and may be another machine's: a
		// system without one is no failure.
		_ = c.desk.Clipboard(text)
	}
	return copiedMsg{text: text, what: what}
}

// export writes memories into a file.
func (c *commands) export(refs []memory.Ref, what string) tea.Cmd {
	return c.run(slotDesk, "export memories", func(ctx context.Context) tea.Msg {
		if c.desk.Export == nil {
			return exportedMsg{what: what, err: errCannot}
		}
		path, err := c.desk.Export(ctx, refs)
		return exportedMsg{what, cleanLine(path), err}
	})
}

// filesOf reads which files a memory names, those first that it changed.
func (c *commands) filesOf(item memory.Item) tea.Cmd {
	return c.run(slotDesk, "read the files of a memory", func(ctx context.Context) tea.Msg {
		msg := filesMsg{item: item}
		read, err := c.whole(ctx, item)
		if err != nil {
			msg.err = err
			return msg
		}
		for _, list := range [][]string{
			read.observation.FilesModified, read.summary.FilesModified, read.observation.FilesRead, read.summary.FilesRead,
		} {
			for _, f := range list {
				if !slices.Contains(msg.files, f) {
					msg.files = append(msg.files, f)
				}
			}
		}
		if s, err := c.source.Session(ctx, item.SessionID); err == nil {
			msg.cwd = s.CWD
		}
		return msg
	})
}

// openFile finds a file and the command that opens it. The name may end in the
// number of a line.
func (c *commands) openFile(project, cwd, name string) tea.Cmd {
	what := "open " + name
	return c.run(slotDesk, what, func(context.Context) tea.Msg {
		if c.desk.FindFile == nil || c.desk.EditCommand == nil {
			return readyMsg{what: what, err: errCannot}
		}
		// A name that ends so may be a whole name too.
		path, err := c.desk.FindFile(project, cwd, name)
		line := 0
		if bare, n := splitLine(name); err != nil && n > 0 {
			line = n
			path, err = c.desk.FindFile(project, cwd, bare)
		}
		if err != nil {
			return readyMsg{what: what, err: err}
		}
		command, err := c.desk.EditCommand(path, line)
		return readyMsg{command, what, err}
	})
}

// openTranscript finds the command that opens a session's transcript, where
// possible at the prompt that a memory came from.
func (c *commands) openTranscript(session string, item memory.Item) tea.Cmd {
	const what = "open the transcript"
	return c.run(slotDesk, what, func(ctx context.Context) tea.Msg {
		if c.desk.FindTranscript == nil || c.desk.EditCommand == nil {
			return readyMsg{what: what, err: errCannot}
		}
		s, err := c.source.Session(ctx, session)
		if err != nil {
			return readyMsg{what: what, err: err}
		}
		if s.TranscriptPath == "" {
			return readyMsg{what: what, err: errors.New("it is not known where the session's transcript is")}
		}
		path, line, err := c.desk.FindTranscript(ctx, s, c.promptBehind(ctx, session, item))
		if err != nil {
			return readyMsg{what: what, err: err}
		}
		command, err := c.desk.EditCommand(path, line)
		return readyMsg{command, what, err}
	})
}

// promptBehind gives the prompt from which a memory came, or the zero one.
func (c *commands) promptBehind(ctx context.Context, session string, item memory.Item) memory.Prompt {
	id := int64(0)
	if item.Kind == memory.KindPrompt {
		id = item.ID
	} else if item.PromptNumber > 0 {
		f := memory.Filter{SessionID: session, Kinds: []memory.ItemKind{memory.KindPrompt}}
		items, err := c.source.Timeline(ctx, f, memory.Cursor{}, maxPrompts)
		if err != nil {
			return memory.Prompt{}
		}
		for _, i := range items {
			if i.Kind == memory.KindPrompt && i.PromptNumber == item.PromptNumber {
				id = i.ID
			}
		}
	}
	if id == 0 {
		return memory.Prompt{}
	}
	p, err := c.source.Prompt(ctx, id)
	if err != nil {
		return memory.Prompt{}
	}
	return p
}

// resume finds the command that resumes a session.
func (c *commands) resume(session string) tea.Cmd {
	const what = "resume the session"
	return c.run(slotDesk, what, func(ctx context.Context) tea.Msg {
		if c.desk.ResumeCommand == nil {
			return readyMsg{what: what, err: errCannot}
		}
		s, err := c.source.Session(ctx, session)
		if err != nil {
			return readyMsg{what: what, err: err}
		}
		command, err := c.desk.ResumeCommand(s)
		return readyMsg{command, what, err}
	})
}

// install connects cmem to the assistant.
func (c *commands) install() tea.Cmd {
	return c.run(slotDesk, "connect cmem", func(ctx context.Context) tea.Msg {
		said, err := c.desk.Install(ctx)
		return installedMsg{cleanText(said), err}
	})
}

// writeDraft writes an observation out for the editor, as it is stored.
func (c *commands) writeDraft(id int64) tea.Cmd {
	return c.run(slotAim, "write a memory out for the editor", func(ctx context.Context) tea.Msg {
		if c.desk.Scratch == nil || c.desk.EditCommand == nil {
			return editorMsg{err: errCannot}
		}
		o, err := c.source.Observation(ctx, id)
		if err != nil {
			return editorMsg{err: err}
		}
		d := draft{id: id, text: draftText(o)}
		if d.path, err = c.desk.Scratch(fmt.Sprintf("observation-%d.md", id), d.text); err != nil {
			return editorMsg{err: err}
		}
		command, err := c.desk.EditCommand(d.path, 0)
		if err != nil {
			_ = c.desk.DropScratch(d.path) // nobody has typed anything into it
		}
		return editorMsg{d, command, err}
	})
}

// takeDraft stores what the editor left. The file goes only when the store has
// it, or there is nothing new in it.
func (c *commands) takeDraft(s *change, d draft) tea.Cmd {
	return c.inTurn("store what was edited", func(ctx context.Context) tea.Msg {
		text, err := c.desk.ReadScratch(d.path)
		if err != nil {
			return editedMsg{step: s, err: err}
		}
		kept := func(err error) tea.Msg {
			return editedMsg{step: s, err: fmt.Errorf("%w; what you wrote is in %s", err, cleanLine(d.path))}
		}
		e, what, err := draftEdit(d.text, text)
		if err != nil {
			return kept(err)
		}
		if what != "" {
			s.did = fmt.Sprintf("Changed %s of %s", what, idOf(memory.KindObservation, d.id))
			if s.before, err = c.source.Edit(ctx, []int64{d.id}, e); err != nil {
				return kept(err)
			}
		}
		_ = c.desk.DropScratch(d.path) // a file that is left over harms nobody
		return editedMsg{step: s}
	})
}
