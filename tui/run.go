package tui

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// How long leaving waits for a change that is being made, when it was told to be
// quick, and how long it says nothing about it.
const (
	editPatience = 8 * time.Second
	editQuiet    = 300 * time.Millisecond
)

// Run shows the browser on the terminal until the person quits or ctx ends; both
// are an end in order. It leaves the terminal as it found it, after a panic too.
// On a terminal that cannot move its cursor, and where the options ask for it,
// it is RunAccessible.
func Run(ctx context.Context, o Options) error {
	if o.Accessible || os.Getenv("TERM") == "dumb" {
		return RunAccessible(ctx, o)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends what is still being read
	m := newModel(ctx, o, defaultTiming)
	m.cmds.self, _ = os.Executable() // without it, imports say so
	if o.Desk.Themes != nil {        // before the first frame: it is to have the right colours
		found := m.cmds.readThemes()
		m.haveThemes(found)
		m.problems = append(m.problems, found.problems...)
	}
	options := []tea.ProgramOption{tea.WithFPS(housekeeping)}
	if o.Input != nil {
		options = append(options, tea.WithInput(o.Input))
	}
	out := o.Output
	if out == nil {
		out = os.Stdout
	}
	p := newPainter(out)
	if f, is := out.(term.File); is {
		options = append(options, tea.WithOutput(terminalPainter{p, f}))
	} else {
		options = append(options, tea.WithOutput(p))
	}
	program := tea.NewProgram(onScreen{m, p}, options...)
	// Told to end, it ends in order: given the context itself, Bubble Tea would close
	// its input while somebody may still be reading from it.
	stop := context.AfterFunc(ctx, program.Quit)
	_, err := program.Run()
	stop()
	p.close()
	// In whatever way the program ended, the terminal is not to report its
	// brightness any more. Nobody is left to hear of an error.
	_, _ = io.WriteString(out, ansi.ResetModeLightDark)
	m.cmds.stop()
	unmade := m.cmds.finishEdits(leave{ctx: ctx, quiet: editQuiet, patience: editPatience, tell: func() {
		_, _ = io.WriteString(out, "cmem: finishing what you asked for; ctrl+c stops waiting\n")
	}})
	switch {
	case m.crash != nil:
		return m.crash
	case unmade != nil:
		return unmade
	case err != nil && (ctx.Err() == nil || !errors.Is(err, ctx.Err())):
		return fmt.Errorf("run the memory browser: %w", err)
	}
	err = nil                                                                   // an end in order
	if name := m.keptTheme(); o.Desk.SaveTheme != nil && name != m.savedTheme { // chosen just before leaving
		err = o.Desk.SaveTheme(name)
	}
	if state := m.stateBytes(); m.cmds.desk.SaveState != nil && m.asked && !bytes.Equal(state, m.lastState) {
		err = errors.Join(err, m.cmds.desk.SaveState(state))
	}
	return err
}

// RunAccessible is the browser for a screen reader, and for a terminal that can
// only print: it prints its lists line by line and is told what to do by lines
// that are typed. It ends with the input, when told to quit or with ctx.
func RunAccessible(ctx context.Context, o Options) error {
	in, out, now := o.Input, o.Output, o.Now
	if in == nil {
		in = os.Stdin
	}
	if out == nil {
		out = os.Stdout
	}
	if now == nil {
		now = time.Now
	}
	t := &teller{
		ctx: ctx, cmds: commands{ctx: ctx, source: o.Source, desk: o.Desk, now: now}, now: now,
		out: bufio.NewWriter(out), lines: make(chan string), failed: make(chan error, 1), project: o.Project,
	}
	go t.listen(in)
	t.say("cmem, the memory of your assistant. Type help for what can be typed, and quit to leave.")
	if o.IfAny {
		t.settleProject()
	}
	t.begin(t.memories())
	return t.talk()
}
