package export

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"cmem/memory"
)

// A scope is what a document is about: whole, one session, or one day.
type scope interface {
	// key names the document for later exports into the same folder.
	key() string
}

type whole struct{ filter memory.Filter }

type sessionScope struct {
	session memory.Session
	title   string
}

type dayScope struct{ day time.Time }

func (whole) key() string          { return "all" }
func (s sessionScope) key() string { return "session:" + s.session.ID }
func (d dayScope) key() string     { return "day:" + d.day.Format(time.DateOnly) }

// A page is a document that is being written, in one of the formats.
type page interface {
	begin(scope) error
	session(s memory.Session, title string) error
	summary(memory.Summary) error
	prompt(memory.Prompt) error
	observation(memory.Observation) error
}

// document writes the sections to w as one document about sc.
func (x *exporter) document(ctx context.Context, w io.Writer, sc scope, sections []section) (Counts, error) {
	var p page
	switch x.opts.Format {
	case JSON:
		p = newJSONPage(w)
	default:
		p = &markdownPage{w: w, loc: x.loc}
	}
	var c Counts
	if err := p.begin(sc); err != nil {
		return c, fmt.Errorf("write export: %w", err)
	}
	for _, s := range sections {
		if err := x.section(ctx, p, s, &c); err != nil {
			return c, err
		}
	}
	return c, nil
}

// section writes one section: its session, the summaries, and then prompts and
// observations in the order in which they came.
func (x *exporter) section(ctx context.Context, p page, s section, c *Counts) error {
	session, err := x.session(ctx, s)
	if err != nil {
		return err
	}
	title, err := x.title(ctx, session)
	if err != nil {
		return err
	}
	if err := p.session(session, title); err != nil {
		return fmt.Errorf("write session %s: %w", s.session, err)
	}
	c.Sessions++

	// A filter cannot ask for the session without a name, so what is read is
	// looked at again.
	f := x.narrow(s)
	ofSummary := func(r memory.Summary) bool { return r.SessionID == s.session }
	ofPrompt := func(r memory.Prompt) bool { return r.SessionID == s.session }
	ofObservation := func(r memory.Observation) bool { return r.SessionID == s.session }
	prompts := func(func(memory.Prompt, error) bool) {}
	if !onlyObservations(f) {
		for sum, err := range only(x.src.ScanSummaries(ctx, f), ofSummary) {
			if err != nil {
				return fmt.Errorf("read summaries of session %s: %w", s.session, err)
			}
			if err := p.summary(sum); err != nil {
				return fmt.Errorf("write summary %d: %w", sum.ID, err)
			}
			c.Summaries++
		}
		prompts = only(x.src.ScanPrompts(ctx, f), ofPrompt)
	}
	return x.story(p, prompts, only(x.src.ScanObservations(ctx, f), ofObservation), c)
}

// only gives the rows that belong, and every error.
func only[T any](rows iter.Seq2[T, error], belongs func(T) bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for row, err := range rows {
			if (err != nil || belongs(row)) && !yield(row, err) {
				return
			}
		}
	}
}

// story writes prompts and observations, merged by time; a prompt comes before
// an observation of the same moment.
func (x *exporter) story(p page, prompts iter.Seq2[memory.Prompt, error],
	observations iter.Seq2[memory.Observation, error], c *Counts) error {
	next, stop := iter.Pull2(prompts)
	defer stop()
	pending, err, more := next()
	promptsUntil := func(t time.Time) error {
		for ; more && (t.IsZero() || !pending.CreatedAt.After(t)); pending, err, more = next() {
			if err != nil {
				return fmt.Errorf("read prompts: %w", err)
			}
			if err := p.prompt(pending); err != nil {
				return fmt.Errorf("write prompt %d: %w", pending.ID, err)
			}
			c.Prompts++
		}
		return nil
	}
	for o, err := range observations {
		if err != nil {
			return fmt.Errorf("read observations: %w", err)
		}
		if err := promptsUntil(o.CreatedAt); err != nil {
			return err
		}
		if err := p.observation(o); err != nil {
			return fmt.Errorf("write observation %d: %w", o.ID, err)
		}
		c.Observations++
		x.tick()
	}
	return promptsUntil(time.Time{})
}

// title gives a name for s to people: its own, or what was first asked for.
func (x *exporter) title(ctx context.Context, s memory.Session) (string, error) {
	if t := oneLine(s.Title); t != "" {
		return shorten(t), nil
	}
	asked := ""
	for p, err := range x.src.ScanPrompts(ctx, memory.Filter{SessionID: s.ID}) {
		if err != nil {
			return "", fmt.Errorf("read prompts of session %s: %w", s.ID, err)
		}
		if p.SessionID == s.ID && !p.Machine {
			asked, _, _ = strings.Cut(strings.TrimSpace(clean(p.Text)), "\n")
			break
		}
	}
	return cmp.Or(shorten(oneLine(asked)), "Session "+idPart(s.ID)), nil
}

// titleLimit is how many characters of a prompt can stand for a title.
const titleLimit = 80

func shorten(s string) string {
	if r := []rune(s); len(r) > titleLimit {
		return string(r[:titleLimit-1]) + "…"
	}
	return s
}
