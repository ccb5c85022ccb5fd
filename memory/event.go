package memory

import (
	"encoding/json"
	"time"
)

// Hook events that cmem acts on. Any other name is accepted and kept.
const (
	EventSessionStart       = "SessionStart"
	EventUserPromptSubmit   = "UserPromptSubmit"
	EventPreToolUse         = "PreToolUse"
	EventPostToolUse        = "PostToolUse"
	EventPostToolUseFailure = "PostToolUseFailure"
	EventStop               = "Stop"
	EventStopFailure        = "StopFailure"
	EventSubagentStart      = "SubagentStart"
	EventSubagentStop       = "SubagentStop"
	EventPreCompact         = "PreCompact"
	EventPostCompact        = "PostCompact"
	EventSessionEnd         = "SessionEnd"
	EventNotification       = "Notification"
)

// Event is one thing that a coding assistant reported through a hook, decoded
// and with secrets masked. Fields that the event did not carry are empty.
type Event struct {
	ID        string    // the spool name: unique, ordered by time, the event's identity
	CreatedAt time.Time // when the hook delivered it, UTC, millisecond precision
	Agent     string    // which assistant, "claude-code"
	Name      string    // the hook event, for example EventPostToolUse

	SessionID      string
	PromptID       string // the assistant's own id of the prompt; empty before the first prompt
	TranscriptPath string
	CWD            string
	AgentID        string // set inside a subagent
	AgentType      string

	Prompt       string // UserPromptSubmit
	ToolName     string // tool events
	ToolUseID    string
	ToolInput    json.RawMessage
	ToolResponse json.RawMessage // object, array or string
	Error        string          // PostToolUseFailure, StopFailure
	DurationMS   int64           // milliseconds that the tool took

	LastAssistantMessage string // Stop, SubagentStop
	Source               string // SessionStart: startup, resume, clear, compact, fork
	Reason               string // SessionEnd
	Trigger              string // PreCompact, PostCompact: manual, auto

	// Past says that the event comes from a transcript of the past: where it
	// happened looks different today. Branch is then what the transcript says.
	Past bool

	// Project, Branch and Commit say where the event happened. The hook does not
	// know them; the worker fills them in when it drains the spool.
	Project string
	Branch  string
	Commit  string

	Raw []byte // the whole payload, secrets masked
}

// IsTool reports whether the event is the outcome of a tool call.
func (e Event) IsTool() bool {
	return e.Name == EventPostToolUse || e.Name == EventPostToolUseFailure
}

// Failed reports whether the event says that a tool failed.
func (e Event) Failed() bool { return e.Name == EventPostToolUseFailure }
