package mcp

import (
	"context"
	"fmt"
	"strings"

	"cmem/memory"
	"cmem/recall"
)

// What a line of an index may cost, in tokens: with the rest of the line at
// most 100.
const (
	titleTokens = 40
	aboutTokens = 36
)

const (
	searchLimit = 20
	searchMost  = 100
)

// search answers with an index: what matches a query, best first, or, without
// a query, what the filters take, newest first.
func (t *tools) search(ctx context.Context, a args) (string, error) {
	query, err := a.text("query", "q", "text")
	if err != nil {
		return "", err
	}
	limit, err := a.number(searchLimit, 1, searchMost, "limit")
	if err != nil {
		return "", err
	}
	f, err := t.filter(ctx, a)
	if err != nil {
		return "", err
	}
	var found []recall.Result
	if query == "" {
		obs, err := t.src.ListObservations(ctx, f, memory.Cursor{}, limit)
		if err != nil {
			return "", fmt.Errorf("list the memories: %w", err)
		}
		for _, o := range obs {
			found = append(found, recall.ResultOf(memory.Hit{Observation: o}))
		}
	} else {
		answer, err := recall.Search(ctx, t.src, recall.Query{Text: query, Filter: f, Limit: limit})
		if err != nil {
			return "", fmt.Errorf("search the memories: %w", err)
		}
		found = answer.Results
	}
	return index(query, f, found, limit), nil
}

func index(query string, f memory.Filter, hits []recall.Result, limit int) string {
	p := newPage()
	what := place(f)
	if query != "" {
		what = "for «" + shorten(oneLine(query), 80) + "» " + what
	}
	if len(hits) == 0 {
		p.note("No memory " + what + "." + broader(query, f))
		return p.String()
	}
	p.note(plural(len(hits), "memory ", "memories ") + what + ". Each line: #id time type title — about ~tokens to read it whole.")
	for _, h := range hits {
		p.add(indexLine(h, f.Project == ""))
	}
	switch {
	case p.cut > 0:
		p.note(plural(p.cut, "more line", "more lines") + " left out for length: narrow the search.")
	case len(hits) == limit && query == "":
		p.note("Older ones: before=" + stamp(hits[len(hits)-1].CreatedAt))
	case len(hits) == limit:
		p.note("There may be more: narrow with type, file, after, before, or raise limit.")
	}
	return p.String()
}

func indexLine(h recall.Result, withProject bool) string {
	o := h.Observation
	var b strings.Builder
	b.WriteString(label(memory.KindObservation, o.ID) + " " + minute(o.CreatedAt) + " ")
	if withProject {
		b.WriteString("[" + shorten(oneLine(shortName(o.Project)), 24) + "] ")
	}
	title := oneLine(o.Title)
	b.WriteString(shorten(oneLine(o.Type), 20) + " " + withinTokens(title, titleTokens))
	if about := about(h, title); about != "" {
		b.WriteString(" — " + withinTokens(about, aboutTokens))
	}
	if o.Status != "" && o.Status != memory.StatusActive {
		b.WriteString(" (" + oneLine(string(o.Status)) + ")")
	}
	fmt.Fprintf(&b, " ~%d\n", o.ReadTokens())
	return b.String()
}

// about says more than the title: the place that matched, else the subtitle,
// else the files.
func about(h recall.Result, title string) string {
	for _, s := range []string{h.Snippet, h.Observation.Subtitle} {
		if s = oneLine(s); s != "" && !strings.Contains(title, strings.Trim(s, "…. ")) {
			return s
		}
	}
	files := h.Observation.FilesModified
	if len(files) == 0 {
		files = h.Observation.FilesRead
	}
	return oneLine(strings.Join(files[:min(len(files), 3)], ", "))
}

// place says where was looked.
func place(f memory.Filter) string {
	where := "in all projects"
	if f.Project != "" {
		where = "in " + shorten(oneLine(shortName(f.Project)), 60)
	}
	if f.SessionID != "" {
		where += ", session " + shorten(oneLine(f.SessionID), 40)
	}
	for _, l := range []struct {
		name   string
		values []string
	}{{"type", f.Types}, {"concept", f.Concepts}, {"file", f.Files}, {"tag", f.Tags}} {
		if len(l.values) > 0 {
			where += ", " + l.name + " " + shorten(oneLine(strings.Join(l.values, " or ")), 80)
		}
	}
	if !f.After.IsZero() {
		where += ", after " + stamp(f.After)
	}
	if !f.Before.IsZero() {
		where += ", before " + stamp(f.Before)
	}
	return where
}

// broader says how an empty answer might be helped.
func broader(query string, f memory.Filter) string {
	var ways []string
	if len(f.Types)+len(f.Concepts)+len(f.Files)+len(f.Tags) > 0 || !f.After.IsZero() || !f.Before.IsZero() {
		ways = append(ways, "fewer filters")
	}
	if strings.ContainsAny(query, " \t") {
		ways = append(ways, "fewer or other words")
	}
	if f.Project != "" {
		ways = append(ways, `project="*"`)
	}
	if len(ways) == 0 {
		return ""
	}
	return " Try " + strings.Join(ways, ", ") + "."
}
