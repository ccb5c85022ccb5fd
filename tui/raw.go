package tui

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"cmem/memory"
	"cmem/themes"
)

const (
	eventsPage  = 20   // events that are read at once
	maxEvents   = 400  // and that are shown of a memory
	maxPayload  = 3000 // bytes of an event that are shown
	payloadRows = 40   // and lines
)

// eventSource is where the events behind a memory are: in the batch that it was
// made from, or else among those of its prompt.
type eventSource struct {
	batch   int64
	session string
	prompt  int
}

func eventsOf(item memory.Item, c content) eventSource {
	return eventSource{batch: c.observation.BatchID, session: item.SessionID, prompt: item.PromptNumber}
}

// rawEvent is an event, ready to be drawn.
type rawEvent struct {
	id, name, tool string
	at             time.Time
	payload        string // pretty-printed and cut
	size           int    // bytes of the whole payload; 0 when it is not kept any more
	cut            bool
}

// raw is the part of the details that shows events.
type raw struct {
	open   bool
	next   bool // to be opened when the memory is shown
	before int  // the line that was the first in sight when it was opened
	from   eventSource
	events []rawEvent
	asked  bool // the first page was asked for
	loaded bool // and is there
	busy   bool // a page is on its way
	more   bool // there are more events
	failed string

	// The lines of the events, as drawn last: those of a new page are added to them.
	drawn       []line
	drawnEvents int
	drawnWidth  int
	drawnMethod ansi.Method
}

// wants reports whether there are events to be read.
func (r *raw) wants() bool {
	return r.open && !r.busy && r.failed == "" && (!r.loaded || r.more && len(r.events) < maxEvents)
}

// after names the event after which the next page begins.
func (r *raw) after() string {
	if len(r.events) == 0 {
		return ""
	}
	return r.events[len(r.events)-1].id
}

func (r *raw) take(msg rawMsg) {
	r.busy = false
	switch {
	case isCancelled(msg.err):
	case msg.err != nil:
		r.loaded, r.failed = true, cleanLine(msg.err.Error())
	default:
		r.loaded, r.more, r.from = true, msg.full, msg.from
		r.events = append(r.events, msg.events[:min(len(msg.events), maxEvents-len(r.events))]...)
	}
}

// lines draws the events.
func (r *raw) lines(c cells, width int, words []string, now time.Time) []line {
	if r.drawnWidth != width || r.drawnMethod != c.method {
		r.drawn, r.drawnEvents, r.drawnWidth, r.drawnMethod = nil, 0, width, c.method
	}
	w := newWriter(c, width, words)
	w.out = r.drawn
	for _, e := range r.events[r.drawnEvents:] {
		w.rawEvent(e, now)
	}
	r.drawn, r.drawnEvents = w.out, len(r.events)

	out := newWriter(c, width, nil)
	out.line()
	title := "Raw events"
	if n := len(r.events); n > 0 {
		title += " · " + thousands(n)
		if r.more {
			title += "+"
		}
	}
	out.line(span{themes.Heading, title})
	if r.loaded && len(r.events) == 0 && r.failed == "" {
		out.text(themes.Muted, "None are kept: it was imported, written by hand, or its events are older than the archive.")
	}
	out.out = append(out.out, r.drawn...)
	switch {
	case r.failed != "":
		out.text(themes.Bad, "The events could not be read: "+r.failed)
	case r.more && len(r.events) >= maxEvents:
		out.gap()
		out.text(themes.Muted, "There are more; the first "+thousands(maxEvents)+" are shown.")
	}
	return out.out
}

// rawEvent writes an event: when it was and what it was, and what came with it.
func (w *writer) rawEvent(e rawEvent, now time.Time) {
	if len(w.out) > 0 {
		w.line()
	}
	head := []span{{themes.Muted, e.at.In(now.Location()).Format("15:04:05")}, {themes.Strong, e.name}}
	if e.tool != "" {
		head = append(head, span{themes.Accent, e.tool})
	}
	w.parts(head)
	if e.size == 0 {
		w.text(themes.Muted, "  what came with it is not kept any more")
		return
	}
	rows := 0
	for text := range strings.SplitSeq(e.payload, "\n") {
		for _, l := range w.wrap("  "+text, w.w) {
			if rows++; rows > payloadRows {
				break
			}
			w.line(lit(l, themes.Text, w.words)...)
		}
	}
	if e.cut || rows > payloadRows {
		w.line(span{themes.Muted, "  … cut: it is " + bytesOf(int64(e.size)) + " in all"})
	}
}
