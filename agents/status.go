package agents

import (
	"fmt"
	"slices"
	"strings"
)

// State says how far cmem is installed.
type State string

// The states. Of several that hold, Status has the one that is named last.
const (
	NotInstalled  State = "not installed"
	Installed     State = "installed"
	OtherBinary   State = "other binary" // the entries call another cmem than this one
	Partly        State = "partly installed"
	Disabled      State = "disabled"       // Claude Code is told to run no hooks
	BinaryMissing State = "binary missing" // the entries call a program that cannot be started
)

// Status is what Claude Code's settings say about cmem.
type Status struct {
	State    State
	Settings string   // the file with the hooks
	Global   string   // the file with the MCP servers
	Present  []string // events that have our hook
	Missing  []string // events that lack it
	MCP      bool     // whether our MCP server is there
	Binaries []string // the programs that our entries call, each once
	Problems []string // what is wrong and what to do, sentences; empty when all is well
}

// Status reads Claude Code's settings. It fails when they cannot be read.
func (c Claude) Status() (Status, error) {
	s := Status{State: NotInstalled, Settings: c.Settings, Global: c.Global}
	parts := c.parts()
	_, doc, err := parts[0].read()
	if err != nil {
		return s, err
	}
	for _, want := range claudeHooks {
		mine, err := findHooks(doc, want.event, c.Binary)
		if err != nil {
			return s, err
		}
		if len(mine) == 0 {
			s.Missing = append(s.Missing, want.event)
			continue
		}
		s.Present = append(s.Present, want.event)
		for _, h := range mine {
			s.calls(h.command)
		}
	}
	disabled := doc.Root().Member("disableAllHooks").IsTrue()

	_, doc, err = parts[1].read()
	if err != nil {
		return s, err
	}
	servers, mine, err := findServers(doc, c.Binary)
	if err != nil {
		return s, err
	}
	s.MCP = len(mine) > 0
	for _, name := range mine {
		command, _ := servers.Member(name).Member("command").Text()
		s.calls(command)
	}
	s.judge(c.Binary, disabled)
	return s, nil
}

// calls notes a program that an entry calls.
func (s *Status) calls(command string) {
	if !slices.Contains(s.Binaries, command) {
		s.Binaries = append(s.Binaries, command)
	}
}

// judge finds the state and the problems.
func (s *Status) judge(binary string, disabled bool) {
	if len(s.Present) == 0 && !s.MCP {
		s.Problems = []string{"cmem is not in Claude Code's settings. Run `cmem install`."}
		return
	}
	s.State = Installed
	for _, b := range s.Binaries {
		if !sameProgram(b, binary) && runnable(b) == nil {
			s.State = OtherBinary
			s.Problems = append(s.Problems, fmt.Sprintf("Claude Code calls %s, and this is %s. To make it call this one, run `cmem install`.", b, binary))
		}
	}
	if len(s.Missing) > 0 {
		s.State = Partly
		s.Problems = append(s.Problems, fmt.Sprintf("%s has no hook of cmem for %s. Run `cmem install`.", s.Settings, strings.Join(s.Missing, ", ")))
	}
	if !s.MCP {
		s.State = Partly
		s.Problems = append(s.Problems, fmt.Sprintf("%s has no MCP server of cmem. Run `cmem install`.", s.Global))
	}
	if disabled {
		s.State = Disabled
		s.Problems = append(s.Problems, fmt.Sprintf("%s has \"disableAllHooks\": true, so nothing is recorded. Remove it to record again.", s.Settings))
	}
	for _, b := range s.Binaries {
		if err := runnable(b); err != nil {
			s.State = BinaryMissing
			s.Problems = append(s.Problems, fmt.Sprintf("Claude Code calls a program that cannot be started: %v. Run `cmem install`.", err))
		}
	}
}
