// Package export writes memories out of the store: Markdown that a person likes
// to read and git likes to diff, and JSON lines that lose nothing. Both come as
// one document, or as a folder with a file for each session or day that later
// exports bring up to date in place.
//
// The same memories always give the same bytes. Nothing in this package reads a
// clock, knows SQL, or talks to a terminal; stored text is data and never
// becomes structure of the file that it stands in.
package export

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"time"

	"cmem/memory"
)

// Source is what an export reads. The sequences run from the oldest row to the
// newest and hold no more than a page of them in memory; an error ends a sequence.
type Source interface {
	ScanSessions(ctx context.Context, f memory.Filter) iter.Seq2[memory.Session, error]
	ScanPrompts(ctx context.Context, f memory.Filter) iter.Seq2[memory.Prompt, error]
	ScanObservations(ctx context.Context, f memory.Filter) iter.Seq2[memory.Observation, error]
	ScanSummaries(ctx context.Context, f memory.Filter) iter.Seq2[memory.Summary, error]
	CountObservations(ctx context.Context, f memory.Filter) (int, error)
}

// Format is the form of the exported files.
type Format int

// The formats.
const (
	Markdown Format = iota // for people
	JSON                   // one object a line, every field, for programs
)

// Options says what to export and how.
type Options struct {
	// Filter chooses the memories. The zero Filter takes the active ones; see
	// Everything for a whole copy. A filter that only observations can match
	// (types, concepts, tags, files, pinned) leaves prompts and summaries out.
	Filter memory.Filter
	Format Format
	// Location is where days begin and clock times are told; nil is UTC.
	Location *time.Location
	// Progress, when not nil, is told how far the export is, in observations.
	Progress func(done, total int)
}

// Everything widens f to memories of every status, the expired ones too: what a
// copy needs from which nothing may be missing.
func Everything(f memory.Filter) memory.Filter {
	f.Statuses = []memory.Status{
		memory.StatusActive, memory.StatusArchived, memory.StatusSuperseded, memory.StatusInvalid,
	}
	f.IncludeExpired = true
	return f
}

// Counts says how much was exported.
type Counts struct {
	Sessions     int `json:"sessions"`
	Prompts      int `json:"prompts"`
	Observations int `json:"observations"`
	Summaries    int `json:"summaries"`
}

// Write writes the chosen memories to w as one document, session by session,
// oldest first. Its memory grows with the number of sessions (a few hundred
// bytes each), never with that of observations.
func Write(ctx context.Context, src Source, w io.Writer, opts Options) (Counts, error) {
	x, err := newExporter(ctx, src, opts)
	if err != nil {
		return Counts{}, err
	}
	sections, err := x.outline(ctx, bySession)
	if err != nil {
		return Counts{}, err
	}
	buf := bufio.NewWriterSize(w, 64<<10)
	counts, err := x.document(ctx, buf, whole{filter: opts.Filter}, sections)
	if err != nil {
		return counts, err
	}
	if err := buf.Flush(); err != nil {
		return counts, fmt.Errorf("write export: %w", err)
	}
	x.finish()
	return counts, nil
}

// WriteFile is Write into the file at path, which is replaced at once when the
// export is complete and left as it was when it fails. A new file can be read
// by its owner only. A path that names a device or a pipe is written directly.
func WriteFile(ctx context.Context, src Source, path string, opts Options) (Counts, error) {
	var counts Counts
	write := func(w io.Writer) (err error) {
		counts, err = Write(ctx, src, w, opts)
		return err
	}
	var err error
	if info, statErr := os.Stat(path); statErr == nil && !info.Mode().IsRegular() {
		err = writeThrough(path, write)
	} else {
		err = replaceFile(path, write)
	}
	if err != nil {
		return counts, fmt.Errorf("export to %s: %w", path, err)
	}
	return counts, nil
}

// exporter is one run of an export.
type exporter struct {
	src   Source
	opts  Options
	loc   *time.Location
	total int // observations to export
	read  int // observations read so far; each is read once for the outline and once for its document
}

func newExporter(ctx context.Context, src Source, opts Options) (*exporter, error) {
	x := &exporter{src: src, opts: opts, loc: opts.Location}
	if x.loc == nil {
		x.loc = time.UTC
	}
	if opts.Progress == nil {
		return x, nil
	}
	var err error
	if x.total, err = src.CountObservations(ctx, opts.Filter); err != nil {
		return nil, fmt.Errorf("count observations: %w", err)
	}
	opts.Progress(0, x.total)
	return x, nil
}

// tick reports one more observation read.
func (x *exporter) tick() {
	x.read++
	if x.opts.Progress != nil && x.read%2 == 0 {
		x.opts.Progress(min(x.read/2, x.total), x.total)
	}
}

// finish reports that everything was read.
func (x *exporter) finish() {
	if x.opts.Progress != nil {
		x.opts.Progress(x.total, x.total)
	}
}

// onlyObservations reports whether f asks for something that prompts and
// summaries do not have.
func onlyObservations(f memory.Filter) bool {
	return len(f.Types)+len(f.Concepts)+len(f.Tags)+len(f.Files) > 0 || f.PinnedOnly
}
