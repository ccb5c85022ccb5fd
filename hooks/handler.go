package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path"
	"slices"
	"time"
	"unicode/utf16"

	"cmem/config"
	"cmem/hooks/early"
	"cmem/hooks/spool"
	"cmem/logs"
	"cmem/memory"
)

// MaxAnswer is how many characters (UTF-16 code units, as the host counts) an
// answer's context may have. Claude Code replaces what is longer than 10,000 by
// the path of a file.
const MaxAnswer = 9500

// ContextRequest says for whom the context of a starting session is.
type ContextRequest struct {
	CWD       string
	SessionID string
	Source    string // startup, resume, clear, compact, fork
}

// ContextSource gives the context block for a session that starts; "" for none.
type ContextSource interface {
	SessionContext(ctx context.Context, r ContextRequest) (string, error)
}

// Handler finishes the hook calls that hooks/early declined.
type Handler struct {
	Config  *config.Config
	Context ContextSource
	Actions ActionSource // nil: nothing is told but at the start of a session
	Log     *slog.Logger
	Wake    func(dataDir string) error // starts the worker; spool.Wake but in tests
}

// Handle takes one hook call: it puts the event into the spool, wakes the worker
// and, for an event that is answered, writes one complete JSON answer to out or
// nothing. What goes wrong is logged; nothing is returned, since the host must
// not notice. A PreToolUse is answered only: what the tool did its outcome tells.
func (h *Handler) Handle(ctx context.Context, in early.Input, out io.Writer) {
	start := time.Now()
	payload, err := h.whole(in)
	if err != nil {
		h.Log.Error("hook payload refused", "kind", logs.PayloadRefused, "error", err, "bytes", in.Size)
		return
	}
	// Secrets are masked by the worker, which has the time: the host waits here.
	e, err := decode("", payload, cutPayload)
	if err != nil {
		h.Log.Error("hook payload refused", "kind", logs.PayloadRefused, "error", err, "bytes", in.Size)
		return
	}
	asked := e.Name == memory.EventPreToolUse
	if !h.Config.SelectionUnderstood() {
		if asked {
			return
		}
		// Whatever the person wanted kept out of memory must not slip in by a typo.
		h.Log.Error("event not recorded: the settings do not tell what is excluded", "kind", logs.NotRecorded, "event", e.Name, "file", h.Config.File())
		h.warn(e.Name, "cmem records nothing: "+h.Config.File()+" cannot be read. `cmem doctor` says what is wrong.", out)
		return
	}
	hidden, err := privateTurnsIn(h.Config.DataDir()).hides(e)
	if err != nil {
		h.Log.Error("event not recorded: whether its turn is private cannot be kept", "kind", logs.NotRecorded, "event", e.Name, "error", err)
		if e.Name == memory.EventUserPromptSubmit {
			h.write(e.Name, "", "cmem cannot write to "+h.Config.DataDir()+", where it notes that this turn is private: the rest of it may be remembered. `cmem doctor` says more.", out)
		}
		return
	}
	if hidden {
		h.Log.Debug("event not recorded: its turn is private", "event", e.Name)
		return
	}
	if h.isExcluded(e) {
		h.Log.Debug("event not recorded: excluded by the settings", "event", e.Name, "tool", e.ToolName)
		return
	}
	delivered := asked || h.deliver(e)
	if e.Name != memory.EventSessionStart {
		h.write(e.Name, h.tell(ctx, e, start), "", out)
		return
	}
	h.forgetTold(e)
	block := h.context(ctx, e, start)
	warning := ""
	if !delivered {
		warning = "cmem cannot write to " + h.Config.DataDir() + ": this session is not remembered. `cmem doctor` says more."
	}
	h.write(e.Name, block, warning, out)
}

// forgetTold keeps what sessions were told in step with what their models know.
func (h *Handler) forgetTold(e memory.Event) {
	if e.Source == sourceCompact || e.Source == sourceClear {
		if err := toldTo(h.Config.DataDir(), e.SessionID).forget(); err != nil {
			h.Log.Warn("memories that this session was told will not be told again", "kind", logs.RecallFailed, "session", e.SessionID, "error", err)
		}
	}
	sweepTold(h.Config.DataDir(), time.Now())
}

// The sources of a session's start after which the model does not know any more what it
// was told.
const (
	sourceCompact = "compact"
	sourceClear   = "clear"
)

// warn tells the person, where the event allows it, what keeps memory from working.
func (h *Handler) warn(event, warning string, out io.Writer) {
	if event == memory.EventSessionStart {
		h.write(event, "", warning, out)
	}
}

// whole gives the payload, or what can be kept of one that is too large.
func (h *Handler) whole(in early.Input) ([]byte, error) {
	if in.Err != nil {
		return nil, fmt.Errorf("read standard input: %w", in.Err)
	}
	if in.Size == int64(len(in.Payload)) {
		return in.Payload, nil
	}
	kept, err := salvage(in.Payload, in.Size)
	if err != nil {
		return nil, fmt.Errorf("payload is larger than %d MiB: %w", early.MaxPayload>>20, err)
	}
	h.Log.Warn("hook payload cut: it is larger than is kept", "kind", logs.PayloadCut, "bytes", in.Size, "kept", len(kept))
	return kept, nil
}

func (h *Handler) isExcluded(e memory.Event) bool {
	if excluded(e.CWD, h.Config.List("exclude")) {
		return true
	}
	if e.ToolName == "" {
		return false
	}
	if touchesExcluded(e, h.Config.List("exclude_paths")) {
		return true
	}
	if e.Name == memory.EventPreToolUse {
		return false // it is not recorded, and skip_tools is about what is
	}
	return slices.ContainsFunc(h.Config.List("skip_tools"), func(pattern string) bool {
		ok, err := path.Match(pattern, e.ToolName)
		return ok && err == nil
	})
}

// deliver puts the event into the spool and reports whether it is safe there.
func (h *Handler) deliver(e memory.Event) bool {
	if err := h.Config.EnsureDirs(); err != nil {
		h.Log.Error("event lost: the data directory cannot be made", "kind", logs.EventLost, "event", e.Name, "error", err)
		return false
	}
	// What is private was cut by decode: only its output may reach the disk.
	put := spool.Deliver
	if h.Config.Bool("spool.sync") {
		put = spool.DeliverSynced
	}
	if _, err := put(h.Config.Spool(), e.Raw); err != nil {
		h.Log.Error("event lost: the spool cannot be written", "kind", logs.EventLost, "event", e.Name, "error", err)
		return false
	}
	if err := h.Wake(h.Config.DataDir()); err != nil {
		h.Log.Warn("the worker could not be started; the next hook tries again", "kind", logs.WorkerNotStarted, "error", err)
	}
	return true
}

// context gives the block for a starting session if it can be had within the
// deadline, else "": the session then starts without.
func (h *Handler) context(ctx context.Context, e memory.Event, start time.Time) string {
	if !h.Config.Bool("context.enabled") {
		return ""
	}
	block, late, err := within(ctx, start.Add(h.Config.Duration("hook.deadline")), func(ctx context.Context) (string, error) {
		return h.Context.SessionContext(ctx, ContextRequest{CWD: e.CWD, SessionID: e.SessionID, Source: e.Source})
	})
	switch {
	case late:
		h.Log.Warn("session started without context: hook.deadline was reached", "kind", logs.ContextLate, "session", e.SessionID, "deadline", h.Config.Duration("hook.deadline").String())
		return ""
	case err != nil:
		h.Log.Error("session started without context", "kind", logs.ContextFailed, "session", e.SessionID, "error", err)
		return ""
	}
	return block
}

// within looks something up until the deadline; late says that it was reached.
func within[T any](ctx context.Context, deadline time.Time, look func(context.Context) (T, error)) (found T, late bool, err error) {
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	type result struct {
		found T
		err   error
	}
	// A query that hangs on a sick disk does not always heed its context; so it
	// runs beside, and is left behind when time is up.
	done := make(chan result, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil { // here it would end the process with an exit code
				done <- result{err: logs.Recovered(p)}
			}
		}()
		found, err := look(ctx)
		done <- result{found, err}
	}()
	var r result
	select {
	case r = <-done:
	case <-ctx.Done():
		r.err = ctx.Err()
	}
	return r.found, errors.Is(r.err, context.DeadlineExceeded), r.err
}

// write answers with a context block for the model, a warning for the person, or
// both; with neither it writes nothing.
func (h *Handler) write(event, block, warning string, out io.Writer) {
	if block == "" && warning == "" {
		return
	}
	b, err := encodeAnswer(event, block, warning)
	if err != nil {
		h.Log.Error("the answer to a hook cannot be given", "kind", logs.ContextFailed, "event", event, "error", err)
		return
	}
	if _, err := out.Write(b); err != nil {
		h.Log.Warn("the host did not take the answer", "kind", logs.AnswerNotTaken, "error", err)
	}
}

// encodeAnswer gives the one line that hands context to the model and a warning to
// the person.
func encodeAnswer(event, block, warning string) ([]byte, error) {
	if n := len(utf16.Encode([]rune(block))); n > MaxAnswer {
		return nil, fmt.Errorf("the context has %d characters, the host takes %d", n, MaxAnswer)
	}
	type specific struct {
		HookEventName     string `json:"hookEventName"`
		AdditionalContext string `json:"additionalContext"`
	}
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false) // the host reads JSON, not HTML
	var answer struct {
		HookSpecificOutput *specific `json:"hookSpecificOutput,omitempty"`
		SystemMessage      string    `json:"systemMessage,omitempty"`
	}
	if block != "" {
		answer.HookSpecificOutput = &specific{event, block}
	}
	answer.SystemMessage = warning
	if err := enc.Encode(answer); err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return line.Bytes(), nil
}
