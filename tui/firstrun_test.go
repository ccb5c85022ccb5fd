package tui

import (
	"context"
	"errors"
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
)

// freshOptions is a browser on an empty store, on a machine of that kind.
func freshOptions(setup Setup, err error) Options {
	return Options{Source: &fakeSource{}, Theme: "system", Desk: Desk{
		Status: func(context.Context) (Status, error) { return Status{}, nil },
		Setup:  func(context.Context) (Setup, error) { return setup, err },
	}}
}

var found = []Import{
	{What: "214 Claude Code transcripts, 92 MB", Command: "cmem import claude-code", Args: []string{"import", "claude-code"}},
	{What: "a claude-mem database, 1,204 observations 记忆", Command: "cmem import claude-mem", Args: []string{"import", "claude-mem"}},
}

var machines = []struct {
	name  string
	setup Setup
	err   error
	want  []string
}{
	{"connected", Setup{Installed: true, Claude: true}, nil, []string{"Claude Code is connected"}},
	{"not-connected", Setup{Claude: true, Imports: found}, nil, []string{"not connected yet", "I connects it", "214 Claude Code transcripts", "enter imports"}},
	{"no-claude", Setup{}, nil, []string{"was not found on this machine"}},
	{"problem", Setup{Installed: true, Problem: "The hooks call /opt/old/cmem, which is not there any more."}, nil, []string{"The hooks call /opt/old/cmem", "I connects"}},
	{"unknown", Setup{}, errors.New("read /home/dev/.claude/settings.json: permission denied"), []string{"permission denied", "cmem doctor"}},
}

func TestTheFirstRunSaysHowThingsAre(t *testing.T) {
	slow(t)
	for _, m := range machines {
		h := open(t, freshOptions(m.setup, m.err), 120, 40)
		h.see(m.want...)
		h.see("Nothing to remember yet", "what you asked")
		for w := range 130 {
			for _, height := range []int{1, 5, 9, 12, 18, 40} {
				h.send(tea.WindowSizeMsg{Width: w, Height: height})
				if w > 0 {
					h.frame()
				}
			}
		}
		h.send(tea.WindowSizeMsg{Width: 40, Height: 12})
		h.see("Nothing to remember yet")
	}
}

func TestFirstRunFramesLookAsAgreed(t *testing.T) {
	for _, m := range machines[1:2] {
		for _, size := range append(sizes, [2]int{56, 18}, [2]int{40, 12}) {
			name := fmt.Sprintf("first-run-%s-%dx%d", m.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				golden(t, "frames/"+name+".txt", open(t, freshOptions(m.setup, m.err), size[0], size[1]).frame())
			})
		}
	}
}

func TestWhatWasFoundCanBeImported(t *testing.T) {
	h := open(t, freshOptions(machines[1].setup, nil), 120, 40)
	h.keys("enter")
	h.see("Import", "cmem import claude-mem", "记忆")
	h.keys("j", "enter")
	h.see("the program does not know where it is")
	var ran Command
	h.m.cmds.self = "/opt/cmem"
	h.m.cmds.handOver = func(c Command, then func(error) tea.Msg) tea.Cmd {
		ran = c
		return func() tea.Msg { return then(nil) }
	}
	h.keys("enter", "j", "enter")
	h.see("cmem import claude-mem is done")
	if ran.Path != "/opt/cmem" || len(ran.Args) != 2 || ran.Args[1] != "claude-mem" {
		t.Errorf("it ran %+v", ran)
	}
	h.send(importedMsg{command: "cmem import claude-mem"})
	h.see("cmem import claude-mem is done")
	h.send(importedMsg{"cmem import claude-mem", errors.New("exit status 1")})
	h.see("cmem import claude-mem did not end well: exit status 1")
}

func TestTheMachineIsLookedAtAgainWhenTheStoreChanges(t *testing.T) {
	asked := 0
	setup := Setup{Claude: true}
	o := freshOptions(setup, nil)
	source := &fakeSource{observations: map[int64]memory.Observation{}}
	o.Source = source
	o.Desk.Setup = func(context.Context) (Setup, error) { asked++; return setup, nil }
	h := open(t, o, 120, 40)
	h.keys("?", "esc", "j")
	if asked != 1 {
		t.Errorf("the machine was asked %d times", asked)
	}
	setup.Installed = true
	h.send(changedMsg{version: 5})
	h.see("Claude Code is connected")
	setup.Problem = "The hooks are gone."
	h.send(installedMsg{said: "done"})
	h.see("The hooks are gone.")
	demo := demoSource()
	source.items, source.observations, source.prompts, source.summaries, source.sessions = demo.items, demo.observations, demo.prompts, demo.summaries, demo.sessions
	before := asked
	h.send(changedMsg{version: 6})
	h.see("Timeline · all projects")
	h.seeNot("Nothing to remember")
	if asked > before+1 {
		t.Errorf("with memories there the machine was asked %d times more", asked-before)
	}
}
