package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"cmem/memory"
	"cmem/store"
)

// What is done outside of the store: the clipboard, files, the person's editor
// and the assistant.

// The sizes of what is copied, in bytes.
const (
	// maxCopied bounds what goes to the system's clipboard at once.
	maxCopied = 4 << 20
	// maxTerminalCopy bounds what goes to the terminal's: of more, many terminals and
	// what lies between take nothing, without a word.
	maxTerminalCopy = 75_000
)

// quickEditor is how fast an editor is back that has not waited for the person.
const quickEditor = time.Second

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
	return c.run(slotCopy, "copy memories", func(ctx context.Context) tea.Msg {
		var gone []memory.Ref
		var text strings.Builder
		for _, i := range items {
			read, err := c.whole(ctx, i)
			if errors.Is(err, store.ErrNotFound) {
				gone = append(gone, i.Ref())
				continue
			}
			if err != nil {
				return copiedMsg{what: what, err: fmt.Errorf("read %s: %w", idOf(i.Kind, i.ID), err)}
			}
			if text.Len() > 0 {
				text.WriteString("\n---\n\n")
			}
			text.WriteString(markdown(i, read))
			if text.Len() > maxCopied {
				return copiedMsg{what: what, err: errors.New("it is more than " + bytesOf(maxCopied))}
			}
		}
		if len(gone) == len(items) {
			return copiedMsg{what: what, gone: gone}
		}
		msg := c.copied(text.String(), what)
		msg.gone = gone
		return msg
	})
}

// copyLine puts a short text on the clipboards.
func (c *commands) copyLine(text, what string) tea.Cmd {
	return c.run(slotCopy, "copy", func(context.Context) tea.Msg { return c.copied(text, what) })
}

// copied puts text on the system's clipboard. The terminal's is told besides, and
// may be another machine's, so a system without one is no failure by itself.
func (c *commands) copied(text, what string) copiedMsg {
	msg := copiedMsg{text: text, what: what, system: errCannot}
	if c.desk.Clipboard != nil {
		msg.system = c.desk.Clipboard(text)
	}
	return msg
}

// export writes memories into a file.
func (c *commands) export(items []memory.Item, what string) tea.Cmd {
	return c.inTurn("export memories", func(ctx context.Context) tea.Msg {
		if c.desk.Export == nil {
			return exportedMsg{items: items, what: what, err: errCannot}
		}
		refs := make([]memory.Ref, 0, len(items))
		for _, i := range items {
			refs = append(refs, i.Ref())
		}
		path, err := c.desk.Export(ctx, refs)
		return exportedMsg{items, what, cleanLine(path), err}
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
	return c.inTurn("connect cmem", func(ctx context.Context) tea.Msg {
		said, err := c.desk.Install(ctx)
		return installedMsg{cleanText(said), err}
	})
}

// writeDraft writes an observation out for the editor, as it is stored.
func (c *commands) writeDraft(id int64) tea.Cmd {
	return c.run(slotAim, "write a memory out for the editor", func(ctx context.Context) tea.Msg {
		d := draft{id: id}
		if c.desk.Scratch == nil || c.desk.EditCommand == nil {
			return editorMsg{draft: d, err: errCannot}
		}
		o, err := c.source.Observation(ctx, id)
		if err != nil {
			return editorMsg{draft: d, err: err}
		}
		d.text, d.edited = draftText(o), o.EditedAt
		if d.path, err = c.desk.Scratch(fmt.Sprintf("observation-%d.md", id), d.text); err != nil {
			return editorMsg{draft: d, err: err}
		}
		command, err := c.desk.EditCommand(d.path, 0)
		if err != nil || ctx.Err() != nil { // or nobody wants it any more
			_ = c.desk.DropScratch(d.path) // nobody has typed anything into it
		}
		return editorMsg{d, command, err}
	})
}

// editDraft hands the terminal to the editor with a draft.
func (c *commands) editDraft(d draft, command Command) tea.Cmd {
	began := c.now()
	return c.handOver(command, func(err error) tea.Msg {
		return editorDoneMsg{draft: d, atOnce: !command.Waits && c.now().Sub(began) < quickEditor, err: err}
	})
}

// errAtOnce says that the editor may have the file open still.
var errAtOnce = errors.New("the editor was back at once, and the file is as it was. If its window is open still, " +
	"it did not wait: set ui.editor to its command with the option that lets it wait")

// takeDraft stores what the editor left. The file goes only when the store has
// it, or there is nothing new in it and nobody can be typing into it.
func (c *commands) takeDraft(s *change, d draft, atOnce bool, ended error) tea.Cmd {
	return c.inTurn("store what was edited", func(ctx context.Context) tea.Msg {
		text, err := c.desk.ReadScratch(d.path)
		if err != nil {
			return editedMsg{step: s, err: err}
		}
		kept := func(err error) tea.Msg {
			return editedMsg{step: s, err: fmt.Errorf("%w; what you wrote is in %s", err, cleanLine(d.path))}
		}
		same := unixLines(text) == unixLines(d.text)
		switch {
		case ended != nil:
			ended = fmt.Errorf("the editor ended with an error (%w)", ended)
			if !same {
				return kept(ended)
			}
			_ = c.desk.DropScratch(d.path)
			return editedMsg{step: s, err: ended}
		case same && atOnce:
			return editedMsg{step: s, err: fmt.Errorf("%w. The file is %s", errAtOnce, cleanLine(d.path))}
		}
		e, what, err := draftEdit(d.text, text)
		if err != nil {
			return kept(err)
		}
		if what != "" {
			s.did = fmt.Sprintf("Changed %s of %s", what, idOf(memory.KindObservation, d.id))
			e.Since = &d.edited
			if s.before, err = c.source.Edit(ctx, []int64{d.id}, e); err != nil {
				return kept(err)
			}
		}
		_ = c.desk.DropScratch(d.path) // a file that is left over harms nobody
		return edited(s, nil)
	})
}
