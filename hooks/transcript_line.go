package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
)

// transcriptLine is a line of a transcript, as far as it tells what happened.
type transcriptLine struct {
	Type             string          `json:"type"`
	Subtype          string          `json:"subtype"`
	UUID             string          `json:"uuid"`
	Timestamp        string          `json:"timestamp"`
	SessionID        string          `json:"sessionId"`
	CWD              string          `json:"cwd"`
	GitBranch        string          `json:"gitBranch"`
	PromptID         string          `json:"promptId"`
	AgentID          string          `json:"agentId"`
	IsSidechain      bool            `json:"isSidechain"`
	IsMeta           bool            `json:"isMeta"`
	IsCompactSummary bool            `json:"isCompactSummary"`
	ToolUseResult    json.RawMessage `json:"toolUseResult"`
	Message          struct {
		ID         string          `json:"id"`
		Model      string          `json:"model"`
		StopReason string          `json:"stop_reason"`
		Content    json.RawMessage `json:"content"` // a string or a list of blocks
	} `json:"message"`
	CompactMetadata struct {
		Trigger string `json:"trigger"`
	} `json:"compactMetadata"`
	ForkedFrom struct {
		SessionID string `json:"sessionId"`
	} `json:"forkedFrom"`
}

type transcriptBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// lineHints are what one of the lines of interest must hold. Most of a transcript
// is something else, and long.
var lineHints = [][]byte{[]byte(`"user"`), []byte(`"assistant"`), []byte(`"compact_boundary"`)}

// readLine gives a line of interest; ok is false for any other.
func readLine(raw []byte) (l transcriptLine, ok bool) {
	if !slices.ContainsFunc(lineHints, func(h []byte) bool { return bytes.Contains(raw, h) }) {
		return l, false
	}
	if err := json.Unmarshal(raw, &l); err != nil {
		// A field whose type has changed counts as missing; the others are read.
		var wrongType *json.UnmarshalTypeError
		if !errors.As(err, &wrongType) {
			return l, false
		}
	}
	return l, l.Type == "user" || l.Type == "assistant" || l.Type == "system" && l.Subtype == "compact_boundary"
}

// at gives the time of the line, zero when it has none, or one that no session
// can have: the name of an event counts nanoseconds since 1970 and cannot hold it.
func (l transcriptLine) at() time.Time {
	t, err := time.Parse(time.RFC3339Nano, l.Timestamp)
	if err != nil || t.Year() < 1971 || t.Year() > 2199 {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Millisecond)
}

// blocks gives the content as a list; a string is one block of text.
func (l transcriptLine) blocks() []transcriptBlock { return blocksOf(l.Message.Content) }

func blocksOf(content json.RawMessage) []transcriptBlock {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []transcriptBlock{{Type: "text", Text: text}}
	}
	var values []json.RawMessage
	if json.Unmarshal(content, &values) != nil {
		return nil
	}
	blocks := make([]transcriptBlock, 0, len(values))
	for _, v := range values {
		var b transcriptBlock
		var wrongType *json.UnmarshalTypeError
		if err := json.Unmarshal(v, &b); err == nil || errors.As(err, &wrongType) {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// textOf gives the text of blocks; of a picture without words that it is one.
func textOf(blocks []transcriptBlock) string {
	var parts []string
	picture := false
	for _, b := range blocks {
		switch {
		case b.Type == "text" && strings.TrimSpace(b.Text) != "":
			parts = append(parts, b.Text)
		case b.Type == "image":
			picture = true
		}
	}
	if len(parts) == 0 && picture {
		return "[image]"
	}
	return strings.Join(parts, "\n")
}

// promptKind says what a user's line without a tool's result is.
type promptKind int

const (
	promptNone    promptKind = iota // the host's own notes
	promptStopped                   // the note that the person stopped the turn
	promptAsked                     // a prompt
	promptCommand                   // a command: a prompt if the model answers to it
)

// promptOf gives what a person asked in a line, as the host hands it to a hook.
func promptOf(text string) (string, promptKind) {
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "",
		strings.HasPrefix(trimmed, "<local-command-"),
		strings.HasPrefix(trimmed, "<bash-stdout>"), strings.HasPrefix(trimmed, "<bash-stderr>"):
		return "", promptNone
	case strings.HasPrefix(trimmed, "[Request interrupted by user"):
		return "", promptStopped
	case strings.HasPrefix(trimmed, "<command-name>"), strings.HasPrefix(trimmed, "<command-message>"):
		name := between(trimmed, "<command-name>", "</command-name>")
		if name == "" {
			return "", promptNone
		}
		return strings.TrimSpace("/" + strings.TrimPrefix(name, "/") + " " + between(trimmed, "<command-args>", "</command-args>")), promptCommand
	case strings.HasPrefix(trimmed, "<bash-input>"):
		return "! " + between(trimmed, "<bash-input>", "</bash-input>"), promptCommand
	}
	return text, promptAsked
}

func between(s, open, end string) string {
	_, s, found := strings.Cut(s, open)
	if !found {
		return ""
	}
	s, _, _ = strings.Cut(s, end)
	return strings.TrimSpace(s)
}

// neverRan reports whether the error of a tool says that the tool was not run at
// all: its call was not understood or the person did not allow it. No hook is told
// of these.
func neverRan(failure string) bool {
	for _, begin := range []string{
		"<tool_use_error>", "The user doesn't want to", "[Request interrupted by user", "Claude requested permissions", "Permission to use ", "Permission for this ",
	} {
		if strings.HasPrefix(strings.TrimSpace(failure), begin) {
			return true
		}
	}
	return false
}

// responseOf gives a tool's answer in the form in which a hook is told of it.
func responseOf(tool string, l transcriptLine, b transcriptBlock, alone bool) json.RawMessage {
	if r := bytes.TrimSpace(l.ToolUseResult); alone && len(r) > 0 && string(r) != "null" {
		return r
	}
	if tool == "Bash" { // of subagents only the text is written down
		r, err := json.Marshal(map[string]any{"stdout": textOf(blocksOf(b.Content)), "stderr": "", "interrupted": false})
		if err == nil {
			return r
		}
	}
	return b.Content
}
