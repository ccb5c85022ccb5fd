package fakeapi

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"
)

// Script is what the stand-in answers, in order.
type Script struct {
	Turns []Turn `json:"turns"`
	// Default is the text of every answer after the last turn; empty means "Done.".
	Default string `json:"default,omitempty"`
}

// Turn answers one request and is then used up.
type Turn struct {
	Blocks []Block `json:"blocks,omitempty"`
	// Match lets the turn answer only a request whose raw body holds this
	// string. Such turns are tried before the others, so that a side request (a
	// subagent's, a compaction's) never takes a turn meant for the main
	// conversation.
	Match string `json:"match,omitempty"`
	// Repeat keeps the turn after use.
	Repeat bool `json:"repeat,omitempty"`
	// Status, when not 0, answers with that HTTP status and an API error of the
	// type ErrorType that says Message.
	Status    int    `json:"status,omitempty"`
	ErrorType string `json:"error_type,omitempty"`
	Message   string `json:"message,omitempty"`
	// Delay is waited for before the answer starts.
	Delay time.Duration `json:"delay,omitempty"`
	// InputTokens is the usage that the answer reports; 0 means 1,000.
	InputTokens int `json:"input_tokens,omitempty"`
	// StopReason replaces the one that follows from the blocks.
	StopReason string `json:"stop_reason,omitempty"`
}

// Block is one content block of an answer: a text, or the call of a tool.
type Block struct {
	Text  string          `json:"text,omitempty"`
	Tool  string          `json:"tool,omitempty"`
	Input json.RawMessage `json:"input,omitempty"` // the tool's arguments, an object
}

// answers hands out a script's turns. It is not safe for concurrent use.
type answers struct {
	turns    []Turn
	fallback Turn
}

func newAnswers(s Script) *answers {
	text := s.Default
	if text == "" {
		text = "Done."
	}
	return &answers{
		turns:    slices.Clone(s.Turns),
		fallback: Turn{Blocks: []Block{{Text: text}}},
	}
}

// next picks the answer for a request body and uses it up.
func (a *answers) next(body []byte) Turn {
	for _, wantMatch := range []bool{true, false} {
		for i, t := range a.turns {
			if (t.Match != "") != wantMatch || !bytes.Contains(body, []byte(t.Match)) {
				continue
			}
			if !t.Repeat {
				a.turns = slices.Delete(a.turns, i, i+1)
			}
			return t
		}
	}
	return a.fallback
}
