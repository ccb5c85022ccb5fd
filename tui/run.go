package tui

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"
)

// framesPerSecond is the most that Bubble Tea offers: a key is answered within
// half the time that its usual 60 take.
const framesPerSecond = 120

// Run shows the browser on the terminal until the person quits or ctx ends. It
// leaves the terminal as it found it, after a panic too.
func Run(ctx context.Context, o Options) error {
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
	case err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("run the memory browser: %w", err)
	}
	if o.SaveTheme != nil && m.themeName != m.savedTheme { // chosen just before leaving
		return o.SaveTheme(m.themeName)
	}
	return nil
}
