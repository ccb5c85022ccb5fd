package tui

import (
	"context"
	"errors"
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"
)

// framesPerSecond is the most that Bubble Tea offers: a key is answered within
// half the time that its usual 60 take.
const framesPerSecond = 120

// ErrDumbTerminal says that the terminal cannot move its cursor.
var ErrDumbTerminal = errors.New("this terminal (TERM=dumb) cannot show the browser; `cmem timeline` prints")

// Run shows the browser on the terminal until the person quits or ctx ends; both
// are an end in order. It leaves the terminal as it found it, after a panic too.
// On a terminal that cannot show it the error is ErrDumbTerminal.
func Run(ctx context.Context, o Options) error {
	if os.Getenv("TERM") == "dumb" {
		return ErrDumbTerminal
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends what is still being read
	m := newModel(ctx, o, defaultTiming)
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithFPS(framesPerSecond)}
	if o.Input != nil {
		options = append(options, tea.WithInput(o.Input))
	}
	if o.Output != nil {
		options = append(options, tea.WithOutput(o.Output))
	}
	_, err := tea.NewProgram(m, options...).Run()
	m.cmds.stop()
	switch {
	case m.crash != nil:
		return m.crash
	case err != nil && (ctx.Err() == nil || !errors.Is(err, ctx.Err())):
		return fmt.Errorf("run the memory browser: %w", err)
	}
	if o.SaveTheme != nil && m.themeName != m.savedTheme { // chosen just before leaving
		return o.SaveTheme(m.themeName)
	}
	return nil
}
