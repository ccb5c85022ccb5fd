package export

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"gopkg.in/yaml.v3"

	"cmem/memory"
)

// frontMatterOpening begins every Markdown file of ours. The number is the
// version of the file's layout.
const frontMatterOpening = "---\ncmem: 1\n"

// frontMatter is the YAML at the beginning of a Markdown document, in the order
// in which it is written.
type frontMatter struct {
	Cmem    int    `yaml:"cmem"`
	Title   string `yaml:"title"`
	Date    moment `yaml:"date,omitempty"`
	Session string `yaml:"session,omitempty"`
	Project string `yaml:"project,omitempty"`
	Agent   string `yaml:"agent,omitempty"`
	Branch  string `yaml:"branch,omitempty"`
	Started moment `yaml:"started,omitempty"`
	Ended   moment `yaml:"ended,omitempty"`

	Types    []string `yaml:"types,omitempty,flow"`
	Concepts []string `yaml:"concepts,omitempty,flow"`
	Tags     []string `yaml:"with_tags,omitempty,flow"`
	Files    []string `yaml:"files,omitempty,flow"`
	Pinned   bool     `yaml:"pinned,omitempty"`
	After    moment   `yaml:"after,omitempty"`
	Before   moment   `yaml:"before,omitempty"`
}

func (f frontMatter) write(w io.Writer) error {
	var b bytes.Buffer
	b.WriteString("---\n")
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(f); err != nil {
		return fmt.Errorf("encode front matter: %w", err)
	}
	b.WriteString("---\n")
	_, err := w.Write(b.Bytes())
	return err
}

// A moment is a date or a time that readers of YAML know as one; a string would
// stand in quotes.
type moment string

// MarshalYAML implements yaml.Marshaler.
func (m moment) MarshalYAML() (any, error) {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!timestamp", Value: string(m)}, nil
}

// describe gives the front matter of a document about sc.
func describe(sc scope, loc *time.Location) frontMatter {
	f := frontMatter{Cmem: 1}
	switch sc := sc.(type) {
	case whole:
		f.Title = "Memories"
		if sc.filter.Project != "" {
			f.Title = "Memories of " + baseName(sc.filter.Project)
		}
		f.Project = oneLine(sc.filter.Project)
		f.Session = oneLine(sc.filter.SessionID)
		f.Types, f.Concepts = oneLines(sc.filter.Types), oneLines(sc.filter.Concepts)
		f.Tags, f.Files = oneLines(sc.filter.Tags), oneLines(sc.filter.Files)
		f.Pinned = sc.filter.PinnedOnly
		f.After, f.Before = stamp(sc.filter.After, loc), stamp(sc.filter.Before, loc)
	case sessionScope:
		f.Title = sc.title
		f.Session = oneLine(sc.session.ID)
		f.Project = oneLine(sc.session.Project)
		f.Agent = oneLine(sc.session.Agent)
		f.Branch = oneLine(sc.session.GitBranch)
		f.Started = stamp(sc.session.CreatedAt, loc)
		if sc.session.Status == memory.SessionCompleted {
			f.Ended = stamp(sc.session.CompletedAt, loc)
		}
	case dayScope:
		f.Title = sc.day.Format(time.DateOnly)
		f.Date = moment(f.Title)
	}
	return f
}

// stamp gives t to the second; empty for no time.
func stamp(t time.Time, loc *time.Location) moment {
	if t.IsZero() {
		return ""
	}
	return moment(t.In(loc).Format(time.RFC3339))
}

func oneLines(in []string) []string {
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = oneLine(s)
	}
	return out
}
