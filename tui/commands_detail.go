package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
)

const (
	nearInSession = 4 // rows before and after that are shown of a session
	nearInMeaning = 6
	promptsBack   = 8       // prompts among which that of a memory is looked for
	maxIndented   = 1 << 20 // bytes of a payload up to which it is laid out
)

// settled waits until the cursor has rested.
func (c *commands) settled(at sight) tea.Cmd {
	return c.run(slotSettle, "wait for the cursor to rest", func(ctx context.Context) tea.Msg {
		if !sleep(ctx, c.timing.settle) {
			return nil
		}
		return settledMsg{at}
	})
}

// late waits for as long as a memory may take before people wonder.
func (c *commands) late(at sight) tea.Cmd {
	if c.timing.late == 0 {
		return nil
	}
	return tea.Tick(c.timing.late, func(time.Time) tea.Msg { return lateMsg{at} })
}

// detail reads a memory whole.
func (c *commands) detail(k itemKey) tea.Cmd {
	return c.run(slotDetail, "read a memory", func(ctx context.Context) tea.Msg {
		msg := detailMsg{key: k}
		switch k.kind {
		case memory.KindObservation:
			var o memory.Observation
			if o, msg.err = c.source.Observation(ctx, k.id); msg.err != nil {
				return msg
			}
			msg.content.observation = cleanObservation(o)
			msg.content.asked = c.promptOf(ctx, o.SessionID, o.PromptNumber, o.CreatedAt)
			msg.content.successor = c.successor(ctx, o)
		case memory.KindSummary:
			var s memory.Summary
			if s, msg.err = c.source.Summary(ctx, k.id); msg.err != nil {
				return msg
			}
			msg.content.summary = cleanSummary(s)
			msg.content.asked = c.promptOf(ctx, s.SessionID, s.PromptNumber, s.CreatedAt)
		case memory.KindPrompt:
			var p memory.Prompt
			p, msg.err = c.source.Prompt(ctx, k.id)
			p.Text = cleanText(p.Text)
			msg.content.prompt = p
		}
		return msg
	})
}

// promptOf gives the first line of the prompt with a number, or "". A memory is
// made soon after its prompt, so it is among the last before it.
func (c *commands) promptOf(ctx context.Context, session string, number int, at time.Time) string {
	if session == "" || number <= 0 {
		return ""
	}
	f := memory.Filter{SessionID: session, Kinds: []memory.ItemKind{memory.KindPrompt}}
	before := memory.Cursor{EpochMS: at.UnixMilli() + 1}
	prompts, err := c.source.Timeline(ctx, f, before, promptsBack)
	if err != nil {
		return "" // the memory is worth more than this line of it
	}
	for _, p := range prompts {
		if p.Kind == memory.KindPrompt && p.PromptNumber == number && p.SessionID == session {
			return cleanLine(p.Title)
		}
	}
	return ""
}

// successor gives the row of the observation that took the place of another.
func (c *commands) successor(ctx context.Context, o memory.Observation) memory.Item {
	if o.SupersededBy == "" {
		return memory.Item{}
	}
	by, err := c.source.ObservationByUID(ctx, o.SupersededBy)
	if err != nil {
		return memory.Item{} // it was deleted
	}
	return cleanItems([]memory.Item{itemOf(by)})[0]
}

// neighbours reads what is near a memory, after a rest: the rows beside it in its
// session, and the observations that are about the same.
func (c *commands) neighbours(item memory.Item, o memory.Observation, rest time.Duration) tea.Cmd {
	return c.run(slotNearby, "look for what is near a memory", func(ctx context.Context) tea.Msg {
		if !sleep(ctx, rest) {
			return nil
		}
		msg := neighboursMsg{key: keyOf(item)}
		if item.SessionID != "" {
			f := memory.Filter{SessionID: item.SessionID}
			if msg.older, msg.err = c.source.Timeline(ctx, f, item.Cursor(), nearInSession); msg.err != nil {
				return msg
			}
			if msg.newer, msg.err = c.source.TimelineNewer(ctx, f, item.Cursor(), nearInSession); msg.err != nil {
				return msg
			}
			slices.Reverse(msg.newer)
			cleanItems(msg.older)
			cleanItems(msg.newer)
		}
		if item.Kind == memory.KindObservation {
			// What stands beside it in the session need not be told twice.
			beside := slices.Concat(msg.newer, msg.older)
			hits, err := c.source.Related(ctx, o, nearInMeaning+len(beside))
			msg.err = err
			for _, h := range hits {
				i := itemOf(cleanObservation(h.Observation))
				if len(msg.related) < nearInMeaning && !slices.ContainsFunc(beside, func(b memory.Item) bool { return keyOf(b) == keyOf(i) }) {
					msg.related = append(msg.related, i)
				}
			}
		}
		return msg
	})
}

// events reads a page of the events behind a memory. Where its batch has none,
// those of its prompt are taken.
func (c *commands) events(k itemKey, from eventSource, after string) tea.Cmd {
	return c.run(slotRaw, "read raw events", func(ctx context.Context) tea.Msg {
		msg := rawMsg{key: k, from: from, after: after}
		var list []memory.RawEvent
		if from.batch > 0 {
			list, msg.err = c.source.BatchEventsPage(ctx, from.batch, after, eventsPage)
		}
		if len(list) == 0 && msg.err == nil && (from.batch == 0 || after == "") && from.session != "" {
			msg.from.batch = 0
			list, msg.err = c.source.RawEvents(ctx, from.session, from.prompt, after, eventsPage)
		}
		msg.full = len(list) >= eventsPage
		for _, e := range list {
			msg.events = append(msg.events, cleanEvent(e))
		}
		return msg
	})
}

// cleanEvent makes an event harmless, and its payload readable and short.
func cleanEvent(e memory.RawEvent) rawEvent {
	out := rawEvent{
		id: e.ID, name: cleanLine(e.Name), tool: cleanLine(e.ToolName), at: e.CreatedAt,
		size: len(e.Payload), cut: len(e.Payload) > maxPayload,
	}
	payload := []byte(e.Payload)
	var b bytes.Buffer
	if len(payload) <= maxIndented && json.Indent(&b, payload, "", "  ") == nil {
		payload = b.Bytes()
	}
	if n := maxPayload; len(payload) > n {
		for back := 0; back < utf8.UTFMax && !utf8.RuneStart(payload[n]); back++ {
			n-- // not half a character
		}
		payload, out.cut = payload[:n], true
	}
	out.payload = strings.TrimRight(string(payload), " \n")
	out.payload = cleanText(out.payload)
	return out
}
