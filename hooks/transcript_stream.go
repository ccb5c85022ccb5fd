package hooks

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"cmem/memory"
)

// transcriptStream makes events of the lines of one file.
type transcriptStream struct {
	transcript Transcript
	file       *os.File
	lines      *lineReader
	agentID    string // of a subagent's file
	agentType  string
	queue      []queued
	ended      bool

	last     transcriptLine // the last line of interest
	eventAt  time.Time      // of the last event
	sameAt   int            // events before it at that very millisecond
	started  bool
	muted    bool            // the present line is a copy out of another transcript
	parents  map[string]bool // whether the transcript of a session is there
	promptID string
	command  *transcriptLine // a command that the model may answer to
	calls    map[string]toolCall
	working  bool // the turn goes on: the model has not had its last word yet

	// What the assistant said last in this turn.
	said      string
	saidLine  transcriptLine
	saidMuted bool
}

type toolCall struct {
	name  string
	input json.RawMessage
	cwd   string
}

// take makes the events of a line.
func (s *transcriptStream) take(l transcriptLine) {
	if s.eventAt.IsZero() && l.at().IsZero() {
		return // without a time there is no place for it
	}
	s.muted = l.ForkedFrom.SessionID != "" && l.ForkedFrom.SessionID != s.transcript.SessionID && s.hasParent(l.ForkedFrom.SessionID)
	if !s.started && s.agentID == "" && !s.muted && !l.IsSidechain {
		s.started = true
		source := "startup"
		if s.last.ForkedFrom.SessionID != "" {
			source = "fork"
		}
		s.add(l, "start", transcriptPayload{Name: memory.EventSessionStart, Source: source})
	}
	s.last = l
	switch l.Type {
	case "system":
		if s.agentID == "" && !l.IsSidechain {
			if len(s.calls) == 0 && !s.working {
				s.endTurn()
			}
			s.add(l, "compact", transcriptPayload{Name: memory.EventPreCompact, PromptID: s.promptID, Trigger: cmp.Or(l.CompactMetadata.Trigger, "manual")})
		}
	case "assistant":
		s.assistant(l)
	case "user":
		s.user(l)
	}
}

// hasParent reports whether the transcript is there that this one was copied from.
func (s *transcriptStream) hasParent(session string) bool {
	there, known := s.parents[session]
	if !known {
		_, err := os.Stat(filepath.Join(filepath.Dir(s.transcript.Path), filepath.Base(session)+transcriptSuffix))
		there = err == nil
		s.parents[session] = there
	}
	return there
}

func (s *transcriptStream) assistant(l transcriptLine) {
	if l.Message.Model == "<synthetic>" {
		return // the host's own words
	}
	if !l.IsSidechain && s.command != nil {
		c := *s.command
		s.command = nil
		s.prompt(c)
	}
	var said []string
	for _, b := range l.blocks() {
		switch {
		case b.Type == "tool_use" && b.ID != "":
			name := b.Name
			if name == "Task" {
				name = "Agent" // as hooks call it
			}
			s.calls[b.ID] = toolCall{name, b.Input, l.CWD}
		case b.Type == "text" && strings.TrimSpace(b.Text) != "":
			said = append(said, b.Text)
		}
	}
	if len(said) == 0 || s.agentID == "" && l.IsSidechain {
		return
	}
	s.working = false
	text := strings.Join(said, "\n")
	if s.said != "" && l.Message.ID != "" && l.Message.ID == s.saidLine.Message.ID {
		text = s.said + "\n" + text // a line for each block of a message
	}
	s.said, s.saidLine, s.saidMuted = text, l, s.muted
}

func (s *transcriptStream) user(l transcriptLine) {
	if l.IsMeta || l.IsCompactSummary {
		return
	}
	blocks := l.blocks()
	results := 0
	for _, b := range blocks {
		if b.Type == "tool_result" {
			results++
		}
	}
	if s.agentID != "" {
		s.promptID = cmp.Or(l.PromptID, s.promptID)
	}
	if results > 0 {
		s.working = s.working || !l.IsSidechain
		for i, b := range blocks {
			if b.Type == "tool_result" {
				s.result(l, i, b, results == 1)
			}
		}
		return
	}
	if s.agentID != "" || l.IsSidechain {
		return // what a subagent is asked is no prompt
	}
	switch _, kind := promptOf(textOf(blocks)); kind {
	case promptStopped:
		s.working = false
		clear(s.calls)
	case promptAsked:
		s.command = nil
		s.prompt(l)
	case promptCommand:
		s.command = &l
	}
}

// prompt ends the turn before and begins one.
func (s *transcriptStream) prompt(l transcriptLine) {
	s.endTurn()
	clear(s.calls)
	s.working = true
	s.promptID = cmp.Or(l.PromptID, l.UUID)
	text, _ := promptOf(textOf(l.blocks()))
	s.add(l, "prompt", transcriptPayload{Name: memory.EventUserPromptSubmit, PromptID: s.promptID, Prompt: text})
}

func (s *transcriptStream) result(l transcriptLine, i int, b transcriptBlock, alone bool) {
	call, known := s.calls[b.ToolUseID]
	delete(s.calls, b.ToolUseID)
	if !known {
		return
	}
	p := transcriptPayload{
		Name: memory.EventPostToolUse, PromptID: cmp.Or(l.PromptID, s.promptID), CWD: cmp.Or(call.cwd, l.CWD),
		ToolName: call.name, ToolInput: call.input, ToolUseID: b.ToolUseID,
	}
	if b.IsError {
		p.Name, p.Error = memory.EventPostToolUseFailure, textOf(blocksOf(b.Content))
		if neverRan(p.Error) {
			return
		}
	} else {
		p.ToolResponse = responseOf(call.name, l, b, alone)
	}
	s.add(l, "result "+strconv.Itoa(i), p)
}

// endTurn tells what the assistant said last in the turn.
func (s *transcriptStream) endTurn() {
	if s.said == "" {
		return
	}
	muted := s.muted
	s.muted = s.saidMuted
	p := transcriptPayload{Name: memory.EventStop, PromptID: s.promptID, LastMessage: s.said}
	if s.agentID != "" {
		p.Name = memory.EventSubagentStop
	}
	s.add(s.saidLine, "stop", p)
	s.muted = muted
	s.said = ""
}

// finish tells what the end of the file means. A turn that still goes on has no
// end yet.
func (s *transcriptStream) finish() {
	if len(s.calls) == 0 && !s.working {
		s.endTurn()
	}
	if s.agentID == "" && s.started {
		s.add(s.last, "end", transcriptPayload{Name: memory.EventSessionEnd, PromptID: s.promptID, Reason: "other"})
	}
}

// add puts an event into the queue that was made of a line, as what.
func (s *transcriptStream) add(l transcriptLine, what string, p transcriptPayload) {
	p.SessionID = cmp.Or(l.SessionID, s.transcript.SessionID)
	p.TranscriptPath = s.transcript.Path
	p.CWD = cmp.Or(p.CWD, l.CWD)
	p.GitBranch = l.GitBranch
	p.AgentID, p.AgentType = s.agentID, s.agentType
	if l.IsSidechain && s.agentID == "" {
		p.AgentID = cmp.Or(l.AgentID, "sidechain") // of older clients
	}
	p.Imported = "transcript"
	// Times rise within a file. Events of one millisecond keep their order by the
	// digits below it.
	if at := l.at(); at.After(s.eventAt) {
		s.eventAt, s.sameAt = at, 0
	} else {
		s.sameAt++
	}
	at := s.eventAt.Add(time.Duration(min(s.sameAt, 999)) * time.Microsecond)
	key := what + "\x00" + cmp.Or(l.UUID, p.SessionID+" "+l.Timestamp)
	if what == "start" || what == "end" {
		key += "\x00" + p.SessionID
	}
	s.queue = append(s.queue, queued{at: at, key: key, muted: s.muted, payload: p})
}
