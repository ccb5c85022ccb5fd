package tui

import (
	"slices"
	"strings"
	"time"

	"cmem/memory"
	"cmem/themes"
)

// content is a memory whole; the field of its kind is set.
type content struct {
	observation memory.Observation
	summary     memory.Summary
	prompt      memory.Prompt

	asked     string      // the first line of the prompt that it came from; empty when that is not known
	successor memory.Item // what took its place; Kind is empty when nothing did, or that is gone
}

// detail is the pane that shows a memory whole, or what a page tells of.
type detail struct {
	item    memory.Item // what is shown
	has     bool        // something is shown
	content content
	loaded  bool
	failed  string // why the content is missing
	session memory.Session
	words   []string // to be lit
	own     subject  // what a page tells of, when it is no memory
	asked   sight    // what was asked for last; zero when the answer is not waited for
	near    *nearby  // what is near it, where that has no pane of its own; nil else
	raw     raw      // the events behind it

	lines  []line // as drawn for width; nil when that has to be done again
	rawAt  int    // the line at which the events begin
	width  int
	height int
	top    int

	seek   seek   // what is to come into sight when it is there
	back   int    // the line that was the first in sight before, for seekPlace
	places places // where reading stopped, by memory
}

// seek says what the details are to show first, once it is drawn.
type seek int

const (
	seekNothing seek = iota
	seekMatch        // the first word that a search found
	seekPlace        // where reading stopped
	seekRaw          // the events
)

// isEmpty reports whether nothing is shown.
func (d *detail) isEmpty() bool { return !d.has && d.own.tell == nil }

// shows reports whether a memory is shown, lit for a search.
func (d *detail) shows(k itemKey, words []string) bool {
	return d.has && keyOf(d.item) == k && slices.Equal(d.words, words)
}

// anew takes away what is shown, and notes where its reader was.
func (d *detail) anew() {
	if d.has && d.loaded {
		d.places.put(keyOf(d.item), reading{d.top, strings.Join(d.words, " ")})
	}
	*d = detail{width: d.width, height: d.height, asked: d.asked, places: d.places, near: d.near}
}

// show begins with an item; its content comes with fill. A memory that was read
// before is shown from where its reader was, one that was searched for from what
// was found.
func (d *detail) show(item memory.Item, session memory.Session, words []string) {
	open := d.raw.next
	d.anew()
	d.item, d.has, d.session, d.words = item, true, session, words
	d.raw.open = open
	was, known := d.places.get(keyOf(item))
	switch {
	case open:
		d.seek = seekRaw
	case known && was.words == strings.Join(words, " "):
		d.seek, d.back = seekPlace, was.top
	case len(words) > 0:
		d.seek = seekMatch
	}
}

// fill brings the content.
func (d *detail) fill(c content) { d.content, d.loaded, d.failed, d.lines = c, true, "", nil }

// keep lets the pane show the item with what is new about it, in place.
func (d *detail) keep(item memory.Item, session memory.Session) {
	if d.item != item || d.session != session {
		d.item, d.session, d.lines = item, session, nil
	}
}

// tell shows a subject that its page tells of. Its text may be another each
// time: it is cheap, and the page knows when it changes.
func (d *detail) tell(s subject) {
	if s.key != d.own.key || d.has {
		d.anew()
	}
	d.own, d.asked, d.lines = s, sight{}, nil
}

func (d *detail) clear() {
	d.anew()
	d.asked = sight{}
}

// rewind shows the beginning again, whenever an item is shown.
func (d *detail) rewind(k itemKey) {
	d.places.drop(k)
	if d.has && keyOf(d.item) == k {
		d.top, d.seek = 0, seekNothing
	}
}

// resize says how large the pane is within its frame.
func (d *detail) resize(width, height int) {
	if width != d.width {
		d.width, d.lines = width, nil
	}
	d.height = height
}

// draw makes the lines, if they have to be made again.
func (d *detail) draw(c cells, now time.Time) {
	switch {
	case d.lines != nil || d.width <= 0:
	case d.own.tell != nil:
		d.lines = d.own.tell(c, d.width)
	case d.has:
		d.lines = detailLines(c, d, now)
		d.rawAt = len(d.lines)
		if d.raw.open && d.loaded {
			d.lines = append(d.lines, d.raw.lines(c, d.width, d.words, now)...)
		}
	}
	if d.lines != nil && d.height > 0 {
		d.find()
	}
	d.scroll(0)
}

// find brings what is sought into sight, if it is there by now.
func (d *detail) find() {
	if !d.loaded {
		return
	}
	switch d.seek {
	case seekPlace:
		d.top = d.back
	case seekRaw:
		if !d.raw.asked {
			return
		}
		d.top = min(d.rawAt+1, len(d.lines)) // the headline, after a free line
		if !d.raw.loaded {
			return // the first page makes more room
		}
	case seekMatch:
		n := slices.IndexFunc(d.lines, func(l line) bool {
			return slices.ContainsFunc(l, func(s span) bool { return s.role == themes.Match })
		})
		if n >= d.height {
			d.top = n - d.height/3
		}
	}
	d.seek = seekNothing
}

// scroll moves what is in sight by n lines.
func (d *detail) scroll(n int) {
	if n != 0 {
		d.seek = seekNothing // the person goes elsewhere
	}
	d.top = max(min(d.top+n, len(d.lines)-d.height), 0)
}

// detailLines makes the lines that the details of a memory take.
func detailLines(c cells, d *detail, now time.Time) []line {
	w := newWriter(c, d.width, d.words)
	item := d.item
	when := item.CreatedAt.In(now.Location())
	glyph, word, role := looks(item.Kind, item.Type)

	head := []span{{role, glyph + " " + word}, {themes.Muted, moment(when, now)}}
	if item.Tokens > 0 {
		head = append(head, span{themes.Muted, count(item.Tokens, "token")})
	}
	w.parts(head)
	w.standing(d, now)
	w.gap()

	switch {
	case d.failed != "":
		w.text(themes.Strong, item.Title)
		w.gap()
		w.text(themes.Bad, d.failed)
	case item.Kind == memory.KindObservation:
		w.observation(item, d, now)
	case item.Kind == memory.KindSummary:
		w.summary(item, d)
	default:
		w.prompt(item, d)
	}
	if d.loaded && d.near != nil {
		w.neighbours(d.near, keyOf(item), now)
	}
	return w.out
}

func (w *writer) observation(item memory.Item, d *detail, now time.Time) {
	w.text(themes.Strong, item.Title)
	if item.Subtitle != "" {
		w.text(themes.Muted, item.Subtitle)
	}
	if !d.loaded {
		return
	}
	o := d.content.observation
	if o.Narrative != "" {
		w.gap()
		w.prose(o.Narrative)
	}
	if len(o.Facts) > 0 {
		w.heading("Facts")
		w.items("•", o.Facts)
	}
	if len(o.Concepts) > 0 {
		w.heading("Concepts")
		w.chips(o.Concepts)
	}
	if len(o.Tags) > 0 {
		w.heading("Tags")
		tags := make([]string, 0, len(o.Tags))
		for _, t := range o.Tags {
			tags = append(tags, "#"+t)
		}
		w.chips(tags)
	}
	w.files(o.FilesModified, o.FilesRead)
	w.madeFrom(item, d, now)
}

func (w *writer) summary(item memory.Item, d *detail) {
	if !d.loaded {
		w.text(themes.Strong, item.Title)
		return
	}
	s := d.content.summary
	w.text(themes.Strong, s.Request)
	for _, part := range []struct{ title, text string }{
		{"Investigated", s.Investigated}, {"Learned", s.Learned}, {"Completed", s.Completed},
		{"Next steps", s.NextSteps}, {"Notes", s.Notes},
	} {
		if part.text != "" {
			w.heading(part.title)
			w.prose(part.text)
		}
	}
	w.files(s.FilesModified, s.FilesRead)
	w.provenance(item, d, "made by", maker(s.Compressor, s.Model, s.Provisional), "cost", cost(0, s.TokensSpent, item.Tokens), "uid", s.UID)
}

func (w *writer) prompt(item memory.Item, d *detail) {
	if !d.loaded {
		w.text(themes.Text, item.Title)
		return
	}
	p := d.content.prompt
	if p.Machine {
		w.text(themes.Muted, "Written by the host, not by a person.")
		w.gap()
	}
	w.prose(p.Text)
	w.provenance(item, d)
}
