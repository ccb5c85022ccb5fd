package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"cmem/memory"
)

// Hooks that are registered twice, in the person's settings and by a plugin,
// deliver each event twice, a moment apart, under two names and in any order.
// What tells such twins from two events that look alike:
//
//   - An event of a tool call has the assistant's id of the call. Twins have the
//     same id and say the same of the call. That an id alone does not do is for
//     gateways to other models, some of which number the calls of each turn anew:
//     without the id of a prompt beside it, it has to be within twinMoment, too.
//   - A prompt has the assistant's id of the prompt, so that "continue", typed
//     twice, is two prompts.
//   - Any other event is a twin only if its whole payload is the same, to the byte,
//     and it comes within twinMoment. No host starts, ends or stops a turn twice in
//     such a time and has nothing else to say about it.
const (
	twinMoment = 2 * time.Second
	// twinSpan bounds how far apart twins with an id may be: two hooks that a
	// machine has started at the same time and stopped for as long.
	twinSpan = time.Hour
)

// fingerprint gives what twins of e have in common, and how far apart in time they
// can be. It is nil for an event that tells nothing of itself.
func fingerprint(e memory.Event) (sum []byte, within time.Duration) {
	h := sha256.New()
	add := func(parts ...string) {
		for _, p := range parts {
			var size [8]byte
			binary.BigEndian.PutUint64(size[:], uint64(len(p)))
			h.Write(size[:])
			h.Write([]byte(p))
		}
	}
	add(e.SessionID, e.Name)
	switch {
	case e.ToolUseID != "":
		add("call", e.ToolUseID, e.PromptID, e.AgentID, e.ToolName, string(e.ToolInput), string(e.ToolResponse), e.Error)
		within = twinSpan
		if e.PromptID == "" { // nothing tells the calls of two turns apart but their time
			within = twinMoment
		}
	case e.Name == memory.EventUserPromptSubmit && e.PromptID != "":
		add("prompt", e.PromptID, e.Prompt)
		within = twinSpan
	case len(e.Raw) > 0:
		add("payload", string(e.Raw))
		within = twinMoment
	default:
		return nil, 0
	}
	return h.Sum(nil)[:16], within
}

const hourMS = int64(time.Hour / time.Millisecond)

// isTwin reports whether the event with a fingerprint is stored already under
// another name, and notes on it that it came again as e.
func isTwin(ctx context.Context, t tx, e memory.Event, sum []byte, within time.Duration) (bool, error) {
	if sum == nil {
		return false, nil
	}
	at, span := e.CreatedAt.UnixMilli(), within.Milliseconds()
	hour := at / hourMS
	id, err := number(ctx, t, `SELECT id FROM events
		WHERE created_at_epoch / 3600000 IN (?, ?, ?) AND fingerprint = ? AND abs(created_at_epoch - ?) <= ? LIMIT 1`,
		hour-1, hour, hour+1, sum, at, span)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	// The name and not a count: a worker that dies before it removes the file meets it again.
	_, err = t.exec(ctx, "UPDATE events SET twin = ? WHERE id = ?", e.ID, id)
	return err == nil, err
}

// Doubled says how many events since a time came twice and were stored once,
// because the hooks are registered twice.
func (s *Store) Doubled(ctx context.Context, since time.Time) (int, error) {
	n, err := number(ctx, s.read, "SELECT count(*) FROM events WHERE twin <> '' AND created_at_epoch >= ?", since.UnixMilli())
	if err != nil {
		return 0, fmt.Errorf("count events that came twice: %w", err)
	}
	return int(n), nil
}
