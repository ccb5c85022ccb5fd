package hooks

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cmem/hooks/early"
	"cmem/hooks/spool"
	"cmem/memory"
)

// TranscriptEvent is what a hook would have reported of a part of a transcript.
type TranscriptEvent struct {
	// Event is as Decode gives it: its ID, made of the line's time and its own id, is
	// the same whenever the transcript is read, and Raw is what goes into the spool.
	Event memory.Event
	// Last is set for the end of the session, which the transcript does not hold but
	// in that nothing follows: it may also be still running.
	Last bool
}

// transcriptPayload is a hook's payload, made of a transcript.
type transcriptPayload struct {
	SessionID      string          `json:"session_id"`
	TranscriptPath string          `json:"transcript_path"`
	CWD            string          `json:"cwd"`
	PromptID       string          `json:"prompt_id,omitempty"`
	AgentID        string          `json:"agent_id,omitempty"`
	AgentType      string          `json:"agent_type,omitempty"`
	Name           string          `json:"hook_event_name"`
	Prompt         string          `json:"prompt,omitempty"`
	ToolName       string          `json:"tool_name,omitempty"`
	ToolInput      json.RawMessage `json:"tool_input,omitempty"`
	ToolResponse   json.RawMessage `json:"tool_response,omitempty"`
	ToolUseID      string          `json:"tool_use_id,omitempty"`
	Error          string          `json:"error,omitempty"`
	LastMessage    string          `json:"last_assistant_message,omitempty"`
	Source         string          `json:"source,omitempty"`
	Reason         string          `json:"reason,omitempty"`
	Trigger        string          `json:"trigger,omitempty"`
	// GitBranch is the branch of that time; a hook has none, for the worker can look.
	GitBranch string `json:"git_branch,omitempty"`
	Imported  string `json:"cmem_imported"` // from where
	Dropped   int    `json:"cmem_dropped_bytes,omitempty"`
}

// Events gives what hooks would have reported of the session, its subagents
// included, in the order of time. It holds a line of each file at once. After an
// error it ends; a line that cannot be read is passed over.
func (t Transcript) Events(ctx context.Context) iter.Seq2[TranscriptEvent, error] {
	return func(yield func(TranscriptEvent, error) bool) {
		if err := t.events(ctx, func(e TranscriptEvent) bool { return yield(e, nil) }); err != nil {
			yield(TranscriptEvent{}, fmt.Errorf("read transcript %s: %w", t.Path, err))
		}
	}
}

func (t Transcript) events(ctx context.Context, yield func(TranscriptEvent) bool) error {
	story, err := t.open(t.Path, t.size, "", "")
	if err != nil {
		return err
	}
	open := []*transcriptStream{story}
	defer func() {
		for _, s := range open {
			s.close()
		}
	}()
	waiting := t.agentsByStart()
	var private privateNote
	done := map[string]bool{} // tool calls that were given: copies of a conversation repeat them
	for ctx.Err() == nil {
		var next *transcriptStream
		for _, s := range open {
			if at, ok, err := s.peek(); err != nil {
				return err
			} else if ok && (next == nil || at.Before(next.queue[0].at)) {
				next = s
			}
		}
		// A subagent's file is opened when its time has come: a session may have hundreds.
		if len(waiting) > 0 && (next == nil || !waiting[0].start.After(next.queue[0].at)) {
			s, err := t.open(waiting[0].path, waiting[0].size, waiting[0].id, waiting[0].kind)
			if err == nil {
				open = append(open, s)
			} else if !errors.Is(err, os.ErrNotExist) {
				return err
			}
			waiting = waiting[1:]
			continue
		}
		if next == nil {
			return nil
		}
		e := next.queue[0]
		next.queue = next.queue[1:]
		if id := e.payload.ToolUseID; e.muted || id != "" && done[id] {
			continue
		} else if id != "" {
			done[id] = true
		}
		if e.payload.AgentID != "" {
			// Older clients do not say which prompt a subagent works for: the present one.
			e.payload.PromptID = cmp.Or(e.payload.PromptID, story.promptID)
		}
		event, err := e.decode()
		if err != nil || private.hides(event) {
			continue // only what could not be a hook's payload either, or is not to be kept
		}
		if !yield(TranscriptEvent{Event: event, Last: e.payload.Name == memory.EventSessionEnd}) {
			return nil
		}
	}
	return ctx.Err()
}

// queued is an event that waits for its turn.
type queued struct {
	at      time.Time // unique and rising within its stream
	key     string    // what it was made of
	muted   bool      // it belongs to another transcript
	payload transcriptPayload
}

// decode gives the event as the worker will read it from the spool.
func (q queued) decode() (memory.Event, error) {
	raw, err := encodePayload(q.payload)
	if err == nil && len(raw) > early.MaxPayload {
		q.payload.Dropped = len(q.payload.ToolResponse) + len(q.payload.ToolInput)
		q.payload.ToolResponse, q.payload.ToolInput = nil, nil
		raw, err = encodePayload(q.payload)
	}
	if err != nil {
		return memory.Event{}, err
	}
	sum := sha256.Sum256([]byte(q.key))
	return Decode(spool.NameAt(q.at, int(binary.BigEndian.Uint32(sum[:4])>>1)), raw)
}

func encodePayload(p transcriptPayload) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // an escaped tag would have to be looked for twice
	if err := enc.Encode(p); err != nil {
		return nil, fmt.Errorf("encode an event: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// agentStart is a subagent's file and when the subagent began.
type agentStart struct {
	subagentFile
	id, kind string
	start    time.Time
}

// agentsByStart gives the subagents in the order in which they began.
func (t Transcript) agentsByStart() []agentStart {
	var all []agentStart
	for _, file := range t.subagents {
		a := agentStart{subagentFile: file}
		a.id = strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file.path), agentPrefix), transcriptSuffix)
		var meta struct {
			AgentType string `json:"agentType"`
		}
		if b, err := os.ReadFile(strings.TrimSuffix(file.path, transcriptSuffix) + ".meta.json"); err == nil && json.Unmarshal(b, &meta) == nil {
			a.kind = meta.AgentType
		}
		a.start = firstTime(file)
		at := len(all)
		for at > 0 && all[at-1].start.After(a.start) {
			at--
		}
		all = slices.Insert(all, at, a)
	}
	return all
}

// firstTime gives the time of the first line of a file that has one.
func firstTime(file subagentFile) time.Time {
	f, err := os.Open(file.path)
	if err != nil {
		return time.Time{}
	}
	defer f.Close() //nolint:errcheck // only read
	for lines := newLineReader(f, file.size); ; {
		raw, err := lines.next()
		if err != nil {
			return time.Time{}
		}
		if l, ok := readLine(raw); ok && !l.at().IsZero() {
			return l.at()
		}
	}
}

// open opens a file of the transcript: the session's own or, with an agent's id, a
// subagent's.
func (t Transcript) open(path string, size int64, agentID, agentType string) (*transcriptStream, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &transcriptStream{
		transcript: t, file: f, lines: newLineReader(f, size), agentID: agentID, agentType: agentType,
		calls: map[string]toolCall{}, parents: map[string]bool{},
	}, nil
}

func (s *transcriptStream) close() {
	if s.file != nil {
		_ = s.file.Close() // only read
		s.file = nil
	}
}

// peek reads on until an event waits and gives its time; ok is false at the end.
func (s *transcriptStream) peek() (at time.Time, ok bool, err error) {
	for len(s.queue) == 0 && !s.ended {
		raw, err := s.lines.next()
		switch {
		case errors.Is(err, io.EOF):
			s.ended = true
			s.finish()
			s.close()
		case err != nil:
			return at, false, err
		default:
			if l, ok := readLine(raw); ok {
				s.take(l)
			}
		}
	}
	if len(s.queue) == 0 {
		return at, false, nil
	}
	return s.queue[0].at, true, nil
}
