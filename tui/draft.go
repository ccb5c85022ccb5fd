package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cmem/memory"
)

// draft is an observation written out as a file for the person's editor.
type draft struct {
	id     int64
	path   string
	text   string    // as it was given to the editor
	edited time.Time // when the observation had been edited last then
}

// The sections of a draft, in their order, each with the list that it holds.
var draftLists = []struct {
	title string
	of    func(o *memory.Observation) *[]string
}{
	{"Facts", func(o *memory.Observation) *[]string { return &o.Facts }},
	{"Concepts", func(o *memory.Observation) *[]string { return &o.Concepts }},
	{"Tags", func(o *memory.Observation) *[]string { return &o.Tags }},
	{"Files changed", func(o *memory.Observation) *[]string { return &o.FilesModified }},
	{"Files read", func(o *memory.Observation) *[]string { return &o.FilesRead }},
}

var (
	errNoTitle = errors.New("the title is missing")
	errNoType  = errors.New("the type is missing")
)

// draftNarrative is the section with running text.
const draftNarrative = "Narrative"

var draftLines = []struct {
	name string
	of   func(o *memory.Observation) *string
}{
	{"type", func(o *memory.Observation) *string { return &o.Type }},
	{"title", func(o *memory.Observation) *string { return &o.Title }},
	{"subtitle", func(o *memory.Observation) *string { return &o.Subtitle }},
}

// draftText writes an observation for the editor, as it is stored.
func draftText(o memory.Observation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Observation %s. Saved text replaces it; a file that stays as it is changes nothing.\n",
		idOf(memory.KindObservation, o.ID))
	b.WriteString("# The lines with # and the order of the sections do not matter.\n\n")
	for _, l := range draftLines {
		fmt.Fprintf(&b, "%s: %s\n", l.name, strings.Join(strings.Fields(*l.of(&o)), " "))
	}
	fmt.Fprintf(&b, "\n## %s\n\n", draftNarrative)
	for line := range strings.SplitSeq(strings.TrimRight(unixLines(o.Narrative), "\n"), "\n") {
		if strings.HasPrefix(strings.TrimLeft(line, `\`), "## ") {
			b.WriteByte('\\') // it is text, not a section
		}
		b.WriteString(line + "\n")
	}
	for _, section := range draftLists {
		fmt.Fprintf(&b, "\n## %s\n\n", section.title)
		for _, item := range *section.of(&o) {
			b.WriteString("- " + strings.ReplaceAll(strings.TrimSpace(unixLines(item)), "\n", "\n  ") + "\n")
		}
	}
	return b.String()
}

func unixLines(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// parseDraft reads what the editor left. The error names the line that cannot be
// understood.
func parseDraft(text string) (memory.Observation, error) {
	var o memory.Observation
	var narrative []string
	var list *[]string // of the present section; nil before the first and in the narrative
	section := ""
	seen := map[string]bool{}
	lines := strings.Split(unixLines(strings.TrimPrefix(text, "\uFEFF")), "\n")
	for n, line := range lines {
		wrong := func(format string, args ...any) error {
			return fmt.Errorf("line %d: %s", n+1, fmt.Sprintf(format, args...))
		}
		if title, is := strings.CutPrefix(line, "## "); is {
			section = strings.TrimSpace(title)
			at := slices.IndexFunc(draftLists, func(l struct {
				title string
				of    func(o *memory.Observation) *[]string
			}) bool {
				return strings.EqualFold(l.title, section)
			})
			switch {
			case seen[strings.ToLower(section)]:
				return o, wrong("the section %q is there twice", section)
			case at >= 0:
				list = draftLists[at].of(&o)
			case strings.EqualFold(section, draftNarrative):
				list = nil
			default:
				return o, wrong(`there is no section %q; text that begins with "## " needs a \ before it`, section)
			}
			seen[strings.ToLower(section)] = true
			continue
		}
		switch {
		case section == "":
			if err := draftLine(&o, seen, line); err != nil {
				return o, wrong("%v", err)
			}
		case list == nil:
			if strings.HasPrefix(strings.TrimLeft(line, `\`), "## ") {
				line = line[1:]
			}
			narrative = append(narrative, line)
		default:
			*list = draftItem(*list, line)
		}
	}
	o.Narrative = strings.Trim(strings.Join(narrative, "\n"), "\n")
	switch {
	case !seen["title"] || o.Title == "":
		return o, errNoTitle
	case !seen["type"] || o.Type == "":
		return o, errNoType
	}
	return o, nil
}

// draftLine reads a line before the first section.
func draftLine(o *memory.Observation, seen map[string]bool, line string) error {
	if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
		return nil
	}
	name, value, _ := strings.Cut(line, ":")
	name = strings.ToLower(strings.TrimSpace(name))
	for _, l := range draftLines {
		if l.name != name {
			continue
		}
		if seen[name] {
			return fmt.Errorf("%s is there twice", name)
		}
		seen[name] = true
		*l.of(o) = strings.TrimSpace(value)
		return nil
	}
	return fmt.Errorf("%q is none of type:, title:, subtitle: and no section", line)
}

// draftItem adds a line to a list: an entry of its own, or, indented, more of the
// one before.
func draftItem(list []string, line string) []string {
	body := strings.TrimSpace(line)
	switch {
	case body == "":
		return list
	case strings.HasPrefix(line, "  ") && len(list) > 0:
		list[len(list)-1] += "\n" + strings.TrimRight(line[2:], " ")
		return list
	}
	return append(list, strings.TrimSpace(strings.TrimPrefix(body, "- ")))
}

// draftEdit gives the edit that a draft asks for, and what it changes, by what the
// editor did to the file: what it left alone stays as it is stored.
func draftEdit(before, after string) (e memory.Edit, what string, err error) {
	if unixLines(before) == unixLines(after) {
		return e, "", nil
	}
	was, err := parseDraft(before)
	if err != nil && !errors.Is(err, errNoTitle) && !errors.Is(err, errNoType) { // what is missing can be put right
		return e, "", fmt.Errorf("the file was not written as it should: %w", err)
	}
	is, err := parseDraft(after)
	if err != nil {
		return e, "", err
	}
	e, what = difference(was, is)
	return e, what, nil
}
