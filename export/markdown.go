package export

import (
	"fmt"
	"io"
	"strings"
	"time"

	"cmem/memory"
)

// markdownPage writes a document for people. Each part is one write of a whole
// piece of text that begins with an empty line and ends with a line break.
type markdownPage struct {
	w     io.Writer
	loc   *time.Location
	about scope
	level int    // heading level of a section's parts
	day   string // the day of the last clock time told
	asked bool   // a prompt stands above, observations go below it
}

func (p *markdownPage) begin(sc scope) error {
	front := describe(sc, p.loc)
	if err := front.write(p.w); err != nil {
		return err
	}
	p.about, p.level = sc, 3
	if _, ok := sc.(sessionScope); ok {
		p.level = 2 // the document's title is the session's
	}
	return p.put("\n" + heading(1, front.Title))
}

func (p *markdownPage) session(s memory.Session, title string) error {
	p.asked = false
	p.day = s.CreatedAt.In(p.loc).Format(time.DateOnly)
	var head string
	var origin []string
	if s.Project != "" {
		origin = append(origin, inline(baseName(s.Project)))
	}
	if s.GitBranch != "" {
		origin = append(origin, codeSpan(s.GitBranch))
	}
	switch sc := p.about.(type) {
	case whole:
		head = "\n" + heading(2, p.day+" · "+title)
		origin = append(origin, "session "+codeSpan(s.ID))
	case dayScope:
		head = "\n" + heading(2, title)
		p.day = sc.day.Format(time.DateOnly)
		origin = append(origin, "session "+codeSpan(s.ID))
	}
	if len(origin) > 0 {
		head += "\n" + strings.Join(origin, " · ") + "\n"
	}
	return p.put(head)
}

func (p *markdownPage) summary(s memory.Summary) error {
	var b strings.Builder
	title := "Summary"
	if s.Status != "" && s.Status != memory.StatusActive {
		title += " (" + oneLine(string(s.Status)) + ")"
	}
	b.WriteString("\n" + heading(p.level, title))
	for _, part := range []struct{ name, text string }{
		{"Request", s.Request},
		{"Investigated", s.Investigated},
		{"Learned", s.Learned},
		{"Completed", s.Completed},
		{"Next steps", s.NextSteps},
		{"Notes", s.Notes},
	} {
		if text := block(part.text, ""); text != "" {
			b.WriteString("\n**" + part.name + "**\n\n" + text)
		}
	}
	b.WriteString(details([]detail{
		{"Modified", codeSpans(s.FilesModified)},
		{"Read", codeSpans(s.FilesRead)},
	}))
	return p.put(b.String())
}

func (p *markdownPage) prompt(pr memory.Prompt) error {
	p.asked = true
	name := fmt.Sprintf("Prompt %d", pr.Number)
	if pr.Machine {
		name += " (by the host)"
	}
	text := heading(p.level, p.clock(pr.CreatedAt)+" · "+name)
	if quoted := block(pr.Text, "> "); quoted != "" {
		text += "\n" + quoted
	}
	return p.put("\n" + text)
}

func (p *markdownPage) observation(o memory.Observation) error {
	level := p.level
	if p.asked {
		level++
	}
	title := p.clock(o.CreatedAt)
	if o.Type != "" {
		title += " · " + o.Type
	}
	var b strings.Builder
	b.WriteString("\n" + heading(level, title+" · "+o.Title))
	if subtitle := inline(o.Subtitle); subtitle != "" {
		b.WriteString("\n" + subtitle + "\n")
	}
	if text := block(o.Narrative, ""); text != "" {
		b.WriteString("\n" + text)
	}
	if facts := list(o.Facts); facts != "" {
		b.WriteString("\n" + facts)
	}
	b.WriteString(details([]detail{
		{"Modified", codeSpans(o.FilesModified)},
		{"Read", codeSpans(o.FilesRead)},
		{"Concepts", inlines(o.Concepts)},
		{"Tags", inlines(o.Tags)},
		{"Memory", standing(o)},
	}))
	return p.put(b.String())
}

// standing says which memory it is and what a reader has to know before trusting it.
func standing(o memory.Observation) string {
	parts := []string{fmt.Sprintf("%d", o.ID)}
	if o.Pinned {
		parts = append(parts, "pinned")
	}
	if o.Status != "" && o.Status != memory.StatusActive {
		parts = append(parts, inline(string(o.Status)))
	}
	if o.Certainty != "" && o.Certainty != memory.CertaintyObserved {
		parts = append(parts, inline(string(o.Certainty)))
	}
	if !o.ValidUntil.IsZero() {
		parts = append(parts, "valid until "+o.ValidUntil.UTC().Format(time.DateOnly))
	}
	if o.Provisional {
		parts = append(parts, "provisional")
	}
	if commit := oneLine(o.GitCommit); commit != "" {
		parts = append(parts, "at "+codeSpan(commit[:min(len(commit), 12)]))
	}
	return strings.Join(parts, ", ")
}

// clock tells the time of day, with the date when it is another than that told last.
func (p *markdownPage) clock(t time.Time) string {
	t = t.In(p.loc)
	if day := t.Format(time.DateOnly); day != p.day {
		p.day = day
		return t.Format("2006-01-02 15:04")
	}
	return t.Format("15:04")
}

func (p *markdownPage) put(s string) error {
	_, err := io.WriteString(p.w, s)
	return err
}

func heading(level int, text string) string {
	return strings.Repeat("#", level) + " " + inline(text) + "\n"
}

func list(items []string) string {
	var b strings.Builder
	for _, item := range items {
		if item = inline(item); item != "" {
			b.WriteString("- " + item + "\n")
		}
	}
	return b.String()
}

// A detail is a line at the end of a part. Its value is Markdown already.
type detail struct{ name, value string }

// details gives the details that have a value, a line each: so a change in one
// of them is a change of one line.
func details(all []detail) string {
	var lines []string
	for _, d := range all {
		if d.value != "" {
			lines = append(lines, d.name+": "+d.value)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return "\n" + strings.Join(lines, "\\\n") + "\n"
}

func inlines(items []string) string   { return joined(items, inline) }
func codeSpans(items []string) string { return joined(items, codeSpan) }

func joined(items []string, render func(string) string) string {
	out := make([]string, 0, len(items))
	for _, item := range items {
		if oneLine(item) != "" {
			out = append(out, render(item))
		}
	}
	return strings.Join(out, ", ")
}

// baseName gives the last part of a project key, which may come from a machine
// with other path separators than this one.
func baseName(path string) string {
	path = strings.TrimRight(oneLine(path), `/\`)
	return path[strings.LastIndexAny(path, `/\`)+1:]
}
