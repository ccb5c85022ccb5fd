package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"cmem/hooks/spool"
	"cmem/memory"
)

// AgentClaudeCode is the assistant whose payloads are read here.
const AgentClaudeCode = "claude-code"

// Errors of payloads that can never become an event.
var (
	ErrEmpty     = errors.New("the payload is empty")
	ErrNotObject = errors.New("the payload is not a JSON object")
	ErrNoEvent   = errors.New(`the payload has no "hook_event_name"`)
	ErrNoSession = errors.New(`the payload has no "session_id"`)
)

// fields is a payload taken apart one level deep. Hosts change the types of
// fields between versions, so each is looked at on its own: one of a wrong type
// counts as missing and the others are still read.
type fields map[string]json.RawMessage

// byteOrderMark begins what some programs of Windows write.
var byteOrderMark = []byte("\xef\xbb\xbf")

func parseFields(raw []byte) (fields, error) {
	trimmed := bytes.TrimSpace(bytes.TrimPrefix(raw, byteOrderMark))
	if len(trimmed) == 0 {
		return nil, ErrEmpty
	}
	if trimmed[0] != '{' {
		return nil, ErrNotObject
	}
	var f fields
	if err := json.Unmarshal(trimmed, &f); err != nil {
		return nil, fmt.Errorf("read the payload of %d bytes: %w", len(raw), err)
	}
	return f, nil
}

// text gives a field that is a string, else "".
func (f fields) text(name string) string {
	var s string
	if json.Unmarshal(f[name], &s) != nil {
		return ""
	}
	return s
}

func (f fields) number(name string) int64 {
	var n float64
	if json.Unmarshal(f[name], &n) != nil {
		return 0
	}
	return int64(n)
}

// Decode reads the payload raw of the event that the spool calls id. What
// stands between <private> tags is cut, secrets are masked and the content of
// secret files is left out, in every field and in Event.Raw. Unknown events and fields are kept; without
// a session or an event name there is an error.
func Decode(id string, raw []byte) (memory.Event, error) { return decode(id, raw, cleanPayload) }

// decode reads a payload that clean has been at.
func decode(id string, raw []byte, clean func([]byte, fields) ([]byte, error)) (memory.Event, error) {
	raw = bytes.TrimPrefix(raw, byteOrderMark)
	f, err := parseFields(raw)
	if err != nil {
		return memory.Event{}, err
	}
	if raw, err = clean(raw, f); err != nil {
		return memory.Event{}, err
	}
	if f, err = parseFields(raw); err != nil {
		return memory.Event{}, err
	}
	e := memory.Event{
		ID:                   id,
		Agent:                AgentClaudeCode,
		Name:                 f.text("hook_event_name"),
		SessionID:            f.text("session_id"),
		PromptID:             f.text("prompt_id"),
		TranscriptPath:       f.text("transcript_path"),
		CWD:                  f.text("cwd"),
		AgentID:              f.text("agent_id"),
		AgentType:            f.text("agent_type"),
		Prompt:               f.text("prompt"),
		ToolName:             f.text("tool_name"),
		ToolUseID:            f.text("tool_use_id"),
		ToolInput:            f["tool_input"],
		ToolResponse:         f["tool_response"],
		Error:                f.text("error"),
		DurationMS:           f.number("duration_ms"),
		LastAssistantMessage: f.text("last_assistant_message"),
		Source:               f.text("source"),
		Reason:               f.text("reason"),
		Trigger:              f.text("trigger"),
		Past:                 f.text("cmem_imported") != "",
		Raw:                  raw,
	}
	if e.Past {
		e.Branch = f.text("git_branch")
	}
	if e.Name == "" {
		return memory.Event{}, ErrNoEvent
	}
	if e.SessionID == "" {
		return memory.Event{}, ErrNoSession
	}
	if at, ok := spool.Time(id); ok {
		e.CreatedAt = at.Truncate(time.Millisecond)
	}
	return e, nil
}

// salvage makes a whole payload out of one that was too large to keep: the
// fields that come before the cut stay, the rest is dropped, and
// "cmem_dropped_bytes" says how much was lost. It gives an error when not even
// event and session can be read.
func salvage(part []byte, size int64) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(part))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil, ErrNotObject
	}
	kept := fields{}
	var order []string
	keptBytes := 0
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			break
		}
		name, ok := key.(string)
		if !ok {
			break
		}
		var v json.RawMessage
		if dec.Decode(&v) != nil {
			break // the cut is here
		}
		if _, doubled := kept[name]; !doubled {
			order = append(order, name)
		}
		kept[name] = v
		keptBytes += len(v)
	}
	if kept.text("hook_event_name") == "" {
		return nil, ErrNoEvent
	}
	if kept.text("session_id") == "" {
		return nil, ErrNoSession
	}
	var out strings.Builder
	out.WriteByte('{')
	for _, name := range order {
		key, err := json.Marshal(name)
		if err != nil {
			return nil, fmt.Errorf("rewrite field %q: %w", name, err)
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(kept[name])
		out.WriteByte(',')
	}
	fmt.Fprintf(&out, `"cmem_dropped_bytes":%d}`, size-int64(keptBytes))
	return []byte(out.String()), nil
}
