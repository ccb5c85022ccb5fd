package cli

import (
	"context"
	"errors"
	"time"

	"cmem/hooks"
	"cmem/memory"
	"cmem/store"
)

// recordedSession is what the store knows of a session's events already, by hooks
// or by an earlier import.
type recordedSession struct {
	session  memory.Session
	some     bool // anything at all
	ids      map[string]bool
	tools    map[string]bool // by tool_use_id
	prompts  map[string]bool // by the assistant's id or, without one, by their text
	stops    map[string]bool // ends of turns, by prompt likewise
	agents   map[string]bool // subagents that have stopped
	compacts []time.Time
	texts    map[string]string // of prompts that were asked about, by id
}

// compactNear is how far the times may be apart at which a hook and a transcript
// tell of the same compaction: the hook comes before, the line after it.
const compactNear = 10 * time.Minute

// readRecorded gives what the store, nil for none, has recorded of a session.
func readRecorded(ctx context.Context, s *store.Store, id string) (*recordedSession, error) {
	r := &recordedSession{
		ids: map[string]bool{}, tools: map[string]bool{}, prompts: map[string]bool{}, stops: map[string]bool{},
		agents: map[string]bool{}, texts: map[string]string{},
	}
	if s == nil {
		return r, nil
	}
	session, err := s.Session(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	r.session = session
	prompts, err := s.SessionPrompts(ctx, id)
	if err != nil {
		return nil, err
	}
	byNumber := make(map[int]string, len(prompts))
	for _, p := range prompts {
		byNumber[p.Number] = promptKey(p.PromptID, p.Text)
	}
	const page = 200
	for after := ""; ; {
		events, err := s.RawEvents(ctx, id, -1, after, page)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			r.add(e, byNumber[e.PromptNumber])
			after = e.ID
		}
		if len(events) < page {
			return r, nil
		}
	}
}

// add notes a recorded event of the prompt with the given key.
func (r *recordedSession) add(e memory.RawEvent, prompt string) {
	r.some = true
	r.ids[e.ID] = true
	switch e.Name {
	case memory.EventUserPromptSubmit:
		r.prompts[prompt] = true
	case memory.EventStop:
		r.stops[prompt] = true
	case memory.EventPreCompact:
		r.compacts = append(r.compacts, e.CreatedAt)
	case memory.EventSubagentStop:
		if whole, err := hooks.Decode(e.ID, e.Payload); err == nil {
			r.agents[whole.AgentID] = true
		}
	}
	if e.ToolUseID != "" {
		r.tools[e.ToolUseID] = true
	}
}

// promptKey tells prompts apart: by the assistant's id of them or, where a client
// gave none, by what was asked.
func promptKey(id, text string) string {
	if id != "" {
		return id
	}
	return "text " + text
}

// has reports whether an event out of a transcript is recorded already.
func (r *recordedSession) has(e memory.Event) bool {
	if e.Name == memory.EventUserPromptSubmit {
		r.texts[e.PromptID] = e.Prompt
	}
	if !r.some {
		return false
	}
	if r.ids[e.ID] || e.ToolUseID != "" && r.tools[e.ToolUseID] {
		return true
	}
	of := func(known map[string]bool) bool {
		text, asked := r.texts[e.PromptID]
		return known[e.PromptID] && e.PromptID != "" || asked && known[promptKey("", text)]
	}
	switch e.Name {
	case memory.EventSessionStart:
		return true
	case memory.EventUserPromptSubmit:
		return of(r.prompts)
	case memory.EventStop:
		return of(r.stops)
	case memory.EventSubagentStop:
		return r.agents[e.AgentID]
	case memory.EventPreCompact:
		for _, at := range r.compacts {
			if d := e.CreatedAt.Sub(at); d > -compactNear && d < compactNear {
				return true
			}
		}
	}
	return false
}

// endedAfter reports whether the session is known to have ended no earlier than e.
func (r *recordedSession) endedAfter(e memory.Event) bool {
	return r.some && r.session.Status == memory.SessionCompleted && !r.session.LastEventAt.Before(e.CreatedAt)
}

// estimate counts what a provider would be sent of an event, which is in no
// portion and goes nowhere.
func (m *transcriptImport) estimate(_ context.Context, e memory.Event) error {
	if e.Name == memory.EventUserPromptSubmit || m.waiting >= eventsPerCall {
		m.tokens += int64(min(m.bytes, sentPerCall))
		m.waiting, m.bytes = 0, 0
	}
	if !e.IsTool() && e.LastAssistantMessage == "" {
		return nil
	}
	if m.waiting == 0 {
		m.calls++
	}
	m.waiting++
	m.bytes += memory.EstimateTokens(string(e.ToolInput)) + memory.EstimateTokens(string(e.ToolResponse)) +
		memory.EstimateTokens(e.Error) + memory.EstimateTokens(e.LastAssistantMessage)
	return nil
}
