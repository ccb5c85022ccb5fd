package tui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"cmem/memory"
	"cmem/themes"
)

// standing writes whether the memory counts, until when, and why not.
func (w *writer) standing(d *detail, now time.Time) {
	item, o := d.item, d.content.observation
	var flags []span
	if item.Pinned {
		flags = append(flags, span{themes.Warn, pinGlyph + " pinned"})
	}
	if item.Status != "" && item.Status != memory.StatusActive {
		word := statusWord(item.Status)
		if item.Status == memory.StatusSuperseded && o.SupersededBy != "" {
			word += " by " + successorName(d.content)
		}
		flags = append(flags, span{themes.Warn, word})
	}
	switch until := o.ValidUntil; {
	case until.IsZero():
	case until.After(now):
		flags = append(flags, span{themes.Muted, "valid until " + dateIn(until, now)})
	default:
		flags = append(flags, span{themes.Warn, "expired " + dateIn(until, now)})
	}
	if len(flags) > 0 {
		w.parts(flags)
	}
	if o.StatusReason != "" {
		w.text(themes.Muted, "because: "+o.StatusReason)
	}
	if s := d.content.successor; s.Kind != "" {
		w.text(themes.Muted, "now: "+idOf(s.Kind, s.ID)+" "+s.Title)
	}
}

// statusWord names a status as the filter line does.
func statusWord(s memory.Status) string {
	if s == memory.StatusInvalid {
		return "wrong"
	}
	return cleanLine(string(s))
}

// successorName names what took the place of a memory.
func successorName(c content) string {
	if c.successor.Kind == "" {
		return "one that is not here any more"
	}
	return idOf(c.successor.Kind, c.successor.ID)
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

// madeFrom writes the provenance of an observation.
func (w *writer) madeFrom(item memory.Item, d *detail, now time.Time) {
	o := d.content.observation
	git := o.GitBranch
	if o.GitCommit != "" {
		git = strings.TrimSpace(git + " @ " + o.GitCommit[:min(len(o.GitCommit), 10)])
	}
	edited := ""
	if !o.EditedAt.IsZero() {
		edited = moment(o.EditedAt.In(now.Location()), now)
	}
	w.provenance(item, d,
		"made by", maker(o.Compressor, o.Model, o.Provisional), "cost", cost(o.TokensSource, o.TokensSpent, item.Tokens),
		"tool", o.ToolName, "git", git, "certainty", string(o.Certainty), "edited", edited, "uid", o.UID)
}

// provenance writes where the memory comes from.
func (w *writer) provenance(item memory.Item, d *detail, more ...string) {
	w.heading("Provenance")
	number := ""
	if item.PromptNumber > 0 {
		number = strconv.Itoa(item.PromptNumber)
	}
	if asked := d.content.asked; asked != "" {
		number = w.shorten(number+" · "+asked, w.w-nameWidth)
	}
	session := cleanLine(item.SessionID)
	if title := d.session.Title; title != "" {
		session = w.shorten(title, w.w-nameWidth) + "\n" + session
	}
	w.fields(slices.Concat([]string{
		"id", idOf(item.Kind, item.ID),
		"project", cleanLine(item.Project),
		"session", session,
		"prompt", number,
		"agent", d.session.Agent,
	}, more)...)
}

// maker names what made a memory from its events.
func maker(compressor, model string, provisional bool) string {
	if model != "" {
		compressor += " with " + model
	}
	if provisional {
		compressor += ", until the provider is back"
	}
	return compressor
}

// cost tells in tokens what a memory was made from, what making it took and what
// reading it takes. Nothing is said where only the last is known: the head tells it.
func cost(source, spent, read int) string {
	var parts []string
	if source > 0 {
		parts = append(parts, "made from "+count(source, "token"))
	}
	if spent > 0 {
		parts = append(parts, thousands(spent)+" spent")
	}
	if len(parts) > 0 && read > 0 {
		parts = append(parts, thousands(read)+" to read")
	}
	return strings.Join(parts, " · ")
}

// dateIn names the day of t where the person is.
func dateIn(t, now time.Time) string { return t.In(now.Location()).Format("2 Jan 2006") }
