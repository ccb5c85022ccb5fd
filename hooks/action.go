package hooks

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"time"

	"cmem/hooks/early"
	"cmem/logs"
	"cmem/memory"
)

// ActionRequest says what is being done, for finding what is remembered of it.
type ActionRequest struct {
	Event     string // memory.EventPreToolUse, EventPostToolUseFailure or EventUserPromptSubmit
	CWD       string
	SessionID string
	File      string // that is opened or changed, at EventPreToolUse
	Command   string // that failed, at EventPostToolUseFailure,
	Error     string // and what it wrote
	Prompt    string // at EventUserPromptSubmit
	MaxTokens int    // what the answer may cost, estimated
	// Told reports whether the session was told a memory before.
	Told func(id int64) bool
}

// Recalled is what may be told at an action. The zero Recalled is nothing.
type Recalled struct {
	IDs  []int64 // the memories that fit into one block, best first
	More bool    // there are others that do not fit with them: they are to be told later
	// Block writes the block that tells these, or some of them, within
	// ActionRequest.MaxTokens.
	Block func(ids []int64) string
}

// ActionSource finds what is remembered of what is being done.
type ActionSource interface {
	AtAction(ctx context.Context, r ActionRequest) (Recalled, error)
}

// action gives what may be told at an event, and with the mark of a file that is opened;
// ok is false where nothing is. hooks/early leaves exactly these calls to main.
func (h *Handler) action(e memory.Event) (r ActionRequest, mark string, ok bool) {
	if e.AgentID != "" || h.Actions == nil {
		return r, "", false
	}
	r = ActionRequest{Event: e.Name, CWD: e.CWD, SessionID: e.SessionID}
	kind := ""
	switch e.Name {
	case memory.EventPreToolUse:
		kind = "file"
		r.File, mark = fileOf(e)
		ok = early.OpensFile(e.ToolName) && r.File != ""
	case memory.EventPostToolUseFailure:
		kind = "failure"
		var input struct{ Command string }
		_ = json.Unmarshal(e.ToolInput, &input) // without a command there is the error
		r.Command, r.Error = input.Command, e.Error
		ok = early.RunsCommand(e.ToolName)
	case memory.EventUserPromptSubmit:
		kind = "prompt"
		r.Prompt = e.Prompt
		ok = !isOrder(e.Prompt)
	}
	if !ok || !h.Config.Bool("recall."+kind) {
		return r, "", false
	}
	r.MaxTokens = h.Config.Int("recall." + kind + "_tokens")
	return r, mark, true
}

// fileOf gives the file that a tool is to open, and its mark.
func fileOf(e memory.Event) (file, mark string) {
	var input map[string]json.RawMessage
	if json.Unmarshal(e.ToolInput, &input) != nil {
		return "", ""
	}
	for _, name := range []string{"file_path", "notebook_path"} {
		if raw := input[name]; json.Unmarshal(raw, &file) == nil && file != "" {
			return file, early.FileMark(raw[1 : len(raw)-1])
		}
	}
	return "", ""
}

// order is how a prompt begins that is a command to the host.
var order = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^/[\w:.-]+(\s|$)`) })

// isOrder reports whether a prompt has no subject of its own: the host wrote it, or it is
// a command to the host.
func isOrder(prompt string) bool {
	prompt = strings.TrimSpace(prompt)
	return prompt == "" || strings.HasPrefix(prompt, machinePrompt) || order().MatchString(prompt)
}

// tell gives the block with what is remembered of what is being done, "" for nothing: as
// mostly, and when it cannot be had within the deadline.
func (h *Handler) tell(ctx context.Context, e memory.Event, start time.Time) string {
	r, mark, ok := h.action(e)
	if !ok {
		return ""
	}
	failed := func(err error) string {
		h.Log.Error("nothing was told of what is remembered", "kind", logs.RecallFailed, "event", e.Name, "session", e.SessionID, "error", err)
		return ""
	}
	notes := toldTo(h.Config.DataDir(), e.SessionID)
	takers, full, err := notes.read()
	if err != nil {
		return failed(err)
	}
	if full {
		return ""
	}
	r.Told = func(id int64) bool { return takers[id] != "" }
	found, late, err := within(ctx, start.Add(h.Config.Duration("hook.deadline")), func(ctx context.Context) (Recalled, error) {
		return h.Actions.AtAction(ctx, r)
	})
	switch {
	case late:
		h.Log.Warn("nothing was told of what is remembered: hook.deadline was reached", "kind", logs.RecallLate, "event", e.Name, "session", e.SessionID, "deadline", h.Config.Duration("hook.deadline").String())
		return ""
	case err != nil:
		return failed(err)
	}
	if found.More {
		mark = "" // the file is looked up again for the rest
	}
	ids, err := notes.take(found.IDs, mark)
	if err != nil {
		return failed(err) // without the note it would be told at every call
	}
	if len(ids) == 0 {
		return ""
	}
	h.Log.Debug("told what is remembered", "event", e.Name, "session", e.SessionID, "observations", ids)
	return found.Block(ids)
}
