package tui

import (
	"slices"
	"strconv"
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
}

// detail is the pane that shows a memory whole. Until that is there it shows
// what the row in the list knows, so that it never lags behind the cursor.
type detail struct {
	item    memory.Item // what is shown
	has     bool        // something is shown
	content content
	loaded  bool
	failed  string // why the content is missing
	session memory.Session
	words   []string // to be lit

	lines  []line // as drawn for width; nil when that has to be done again
	width  int
	height int
	top    int
}

// show begins with an item, of which the content may be there already.
func (d *detail) show(item memory.Item, session memory.Session, words []string) {
	*d = detail{item: item, has: true, session: session, words: words, width: d.width, height: d.height}
}

// fill brings the content.
func (d *detail) fill(c content) { d.content, d.loaded, d.failed, d.lines = c, true, "", nil }

// keep lets the pane show the item with what is new about it, in place.
func (d *detail) keep(item memory.Item, session memory.Session) {
	if d.item != item || d.session != session {
		d.item, d.session, d.lines = item, session, nil
	}
}

func (d *detail) clear() { *d = detail{width: d.width, height: d.height} }

// resize says how large the pane is within its frame.
func (d *detail) resize(width, height int) {
	if width != d.width {
		d.width, d.lines = width, nil
	}
	d.height = height
}

// draw makes the lines, if they have to be made again.
func (d *detail) draw(c cells, now time.Time) {
	if d.lines == nil && d.has && d.width > 0 {
		d.lines = detailLines(c, d, now)
	}
	d.scroll(0)
}

// scroll moves what is in sight by n lines.
func (d *detail) scroll(n int) {
	d.top = max(min(d.top+n, len(d.lines)-d.height), 0)
}

// maxMeasure is the longest line of running text: longer ones read badly.
const maxMeasure = 92

// writer makes the lines of the details.
type writer struct {
	cells
	w     int // cells for text
	total int // cells of the pane
	words []string
	out   []line
}

func (w *writer) line(spans ...span) {
	l := line{{themes.Text, " "}}
	l = append(l, spans...)
	w.out = append(w.out, w.cutLine(l, 0, w.total))
}

// parts writes pieces with dots between them, on as many lines as they need.
func (w *writer) parts(pieces []span) {
	var row []span
	used := 0
	for _, p := range pieces {
		p.text = w.shorten(p.text, w.w)
		n := w.width(p.text)
		if used > 0 && used+3+n > w.w {
			w.line(row...)
			row, used = nil, 0
		}
		if used > 0 {
			row = append(row, span{themes.Muted, " · "})
			used += 3
		}
		row = append(row, p)
		used += n
	}
	w.line(row...)
}

// gap leaves a line free, once.
func (w *writer) gap() {
	if n := len(w.out); n > 0 && strings.TrimSpace(w.out[n-1].String()) != "" {
		w.line()
	}
}

// text writes running text in a role.
func (w *writer) text(role themes.Role, s string) {
	for _, l := range w.wrap(s, w.w) {
		w.line(lit(l, role, w.words)...)
	}
}

// items writes a list with marks.
func (w *writer) items(mark string, list []string) {
	indent := w.width(mark) + 1
	for _, item := range list {
		for n, l := range w.wrap(item, w.w-indent) {
			lead := span{themes.Muted, w.fit(mark, indent)}
			if n > 0 {
				lead.text = strings.Repeat(" ", indent)
			}
			w.line(append([]span{lead}, lit(l, themes.Text, w.words)...)...)
		}
	}
}

func (w *writer) heading(s string) {
	w.gap()
	w.line(span{themes.Heading, s})
}

// section writes a headline with text, when there is text.
func (w *writer) section(title, body string) {
	if body != "" {
		w.heading(title)
		w.text(themes.Text, body)
	}
}

// chips writes short words side by side.
func (w *writer) chips(list []string) {
	var row []span
	used := 0
	for _, s := range list {
		chip := " " + w.shorten(s, w.w-2) + " "
		n := w.width(chip)
		if used > 0 && used+1+n > w.w {
			w.line(row...)
			row, used = nil, 0
		}
		if used > 0 {
			row = append(row, span{themes.Text, " "})
			used++
		}
		row = append(row, span{themes.Chip, chip})
		used += n
	}
	if used > 0 {
		w.line(row...)
	}
}

// nameWidth is the width of the names in front of values.
const nameWidth = 12

// fields writes names and values in two columns; empty values are left out.
func (w *writer) fields(pairs ...string) {
	for p := range slices.Chunk(pairs, 2) {
		if p[1] == "" {
			continue
		}
		for n, l := range w.wrap(p[1], max(w.w-nameWidth, 8)) {
			name := ""
			if n == 0 {
				name = p[0]
			}
			w.line(span{themes.Muted, w.fit(name, nameWidth)}, span{themes.Text, l})
		}
	}
}

// detailLines makes the lines that the details take.
func detailLines(c cells, d *detail, now time.Time) []line {
	w := &writer{cells: c, w: max(min(d.width-2, maxMeasure), 1), total: d.width, words: d.words}
	item := d.item
	when := item.CreatedAt.In(now.Location())
	glyph, word, role := looks(item.Kind, item.Type)

	head := []span{{role, glyph + " " + word}, {themes.Muted, moment(when, now)}}
	if item.Tokens > 0 {
		head = append(head, span{themes.Muted, count(item.Tokens, "token")})
	}
	w.parts(head)
	var flags []string
	if item.Pinned {
		flags = append(flags, pinGlyph+" pinned")
	}
	if item.Status != "" && item.Status != memory.StatusActive {
		flags = append(flags, string(item.Status))
	}
	if len(flags) > 0 {
		w.line(span{themes.Warn, strings.Join(flags, " · ")})
	}
	w.gap()

	switch {
	case d.failed != "":
		w.text(themes.Strong, item.Title)
		w.gap()
		w.text(themes.Bad, d.failed)
	case item.Kind == memory.KindObservation:
		w.observation(item, d)
	case item.Kind == memory.KindSummary:
		w.summary(item, d)
	default:
		w.prompt(item, d)
	}
	return w.out
}

func (w *writer) observation(item memory.Item, d *detail) {
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
		w.text(themes.Text, o.Narrative)
	}
	if len(o.Facts) > 0 {
		w.heading("Facts")
		w.items("•", o.Facts)
	}
	if len(o.Concepts)+len(o.Tags) > 0 {
		w.heading("Concepts")
		tags := make([]string, 0, len(o.Tags))
		for _, t := range o.Tags {
			tags = append(tags, "#"+t)
		}
		w.chips(slices.Concat(o.Concepts, tags))
	}
	w.files(o.FilesModified, o.FilesRead)
	made := o.Compressor
	if o.Model != "" {
		made += " with " + o.Model
	}
	if o.Provisional {
		made += ", until the provider is back"
	}
	cost := ""
	if o.TokensSource > 0 {
		cost = "made from " + count(o.TokensSource, "token")
		if o.TokensSpent > 0 {
			cost += ", " + thousands(o.TokensSpent) + " spent"
		}
	}
	git := o.GitBranch
	if o.GitCommit != "" {
		git = strings.TrimSpace(git + " @ " + o.GitCommit[:min(len(o.GitCommit), 10)])
	}
	w.provenance(item, d, "made by", made, "cost", cost, "tool", o.ToolName, "git", git,
		"certainty", string(o.Certainty), "valid until", dateOrNone(o.ValidUntil))
}

func (w *writer) summary(item memory.Item, d *detail) {
	if !d.loaded {
		w.text(themes.Strong, item.Title)
		return
	}
	s := d.content.summary
	w.text(themes.Strong, s.Request)
	w.section("Investigated", s.Investigated)
	w.section("Learned", s.Learned)
	w.section("Completed", s.Completed)
	w.section("Next steps", s.NextSteps)
	w.section("Notes", s.Notes)
	w.files(s.FilesModified, s.FilesRead)
	made := s.Compressor
	if s.Model != "" {
		made += " with " + s.Model
	}
	w.provenance(item, d, "made by", made)
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
	w.text(themes.Text, p.Text)
	w.provenance(item, d)
}

// files writes the files that were changed and read.
func (w *writer) files(modified, read []string) {
	if len(modified) > 0 {
		w.heading("Files changed")
		w.items("±", modified)
	}
	if len(read) > 0 {
		w.heading("Files read")
		w.items("·", read)
	}
}

// provenance writes where the memory comes from.
func (w *writer) provenance(item memory.Item, d *detail, more ...string) {
	w.heading("Provenance")
	number := ""
	if item.PromptNumber > 0 {
		number = strconv.Itoa(item.PromptNumber)
	}
	session := cleanLine(item.SessionID)
	if title := d.session.Title; title != "" {
		session = w.shorten(title, w.w-nameWidth) + "\n" + session
	}
	w.fields(append([]string{
		"id", idOf(item.Kind, item.ID),
		"project", cleanLine(item.Project),
		"session", session,
		"prompt", number,
		"agent", d.session.Agent,
	}, more...)...)
}

func dateOrNone(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format("2 Jan 2006")
}
