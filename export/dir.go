package export

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cmem/memory"
)

// Report says what an export did to a folder.
type Report struct {
	Counts
	Written   int // files that are new or have changed
	Unchanged int // files that were as they should be and were not touched
	// Removed names files whose memories are gone from the store.
	Removed []string
	// Kept names files that the export would have written or removed but left as
	// they are: a person edited them, or they are not ours.
	Kept []string
}

// WriteDir writes the chosen memories into the folder dir, which is made where
// it is missing, a file for each session or day. A folder from an earlier export
// is brought up to date: files keep their names, and the same memories leave a
// file untouched. Files of others, files that a person edited, and files about
// memories outside the filter stay as they are.
func WriteDir(ctx context.Context, src Source, dir string, opts Options, by Grouping) (Report, error) {
	d := &folder{dir: dir}
	err := d.update(ctx, src, opts, by)
	if err != nil {
		err = fmt.Errorf("export to %s: %w", dir, err)
	}
	return d.report, err
}

// folder is one export into a folder.
type folder struct {
	*exporter
	dir    string
	ours   map[string]ownFile // by key
	report Report
}

func (d *folder) update(ctx context.Context, src Source, opts Options, by Grouping) error {
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return err
	}
	var err error
	if d.exporter, err = newExporter(ctx, src, opts); err != nil {
		return err
	}
	if d.ours, err = survey(d.dir, opts.Format); err != nil {
		return err
	}
	sections, err := d.outline(ctx, by)
	if err != nil {
		return err
	}
	for len(sections) > 0 {
		n := 1
		for by == ByDay && n < len(sections) && sections[n].day.Equal(sections[0].day) {
			n++
		}
		if err := d.file(ctx, sections[:n]); err != nil {
			return err
		}
		sections = sections[n:]
	}
	if err := d.tidy(ctx); err != nil {
		return err
	}
	d.finish()
	return nil
}

// survey finds our files in dir by key. Of two copies of a file the one that is
// first by name counts.
func survey(dir string, format Format) (map[string]ownFile, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	ours := map[string]ownFile{}
	for _, entry := range entries {
		name := entry.Name()
		if !entry.Type().IsRegular() || !strings.EqualFold(filepath.Ext(name), extension(format)) {
			continue
		}
		own, ok, err := inspect(filepath.Join(dir, name), format)
		if err != nil {
			return nil, fmt.Errorf("look at %s: %w", name, err)
		}
		if _, seen := ours[own.key]; ok && !seen {
			own.name = name
			ours[own.key] = own
		}
	}
	return ours, nil
}

// file brings the file of the sections, which share a day or are one session, up to date.
func (d *folder) file(ctx context.Context, sections []section) error {
	sc, err := d.scope(ctx, sections[0])
	if err != nil {
		return err
	}
	own, known := d.ours[sc.key()]
	delete(d.ours, sc.key())
	if !known {
		own.name = fileName(sc, d.opts.Format, d.loc)
		_, err := os.Lstat(filepath.Join(d.dir, own.name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		own.edited = err == nil // something of others has the name
	}
	if own.edited {
		d.report.Kept = append(d.report.Kept, own.name)
		return nil
	}

	var counts Counts
	write := func(w io.Writer) (s seal, err error) {
		buf := bufio.NewWriterSize(w, 64<<10)
		s, err = sealed(buf, sc.key(), d.opts.Format, func(w io.Writer) (err error) {
			counts, err = d.document(ctx, w, sc, sections)
			return err
		})
		if err != nil {
			return s, err
		}
		return s, buf.Flush()
	}
	if known {
		fresh, err := write(io.Discard)
		if err != nil {
			return err
		}
		if fresh == own.seal {
			d.report.Unchanged++
			d.report.add(counts)
			return nil
		}
	}
	err = replaceFile(filepath.Join(d.dir, own.name), func(w io.Writer) error {
		_, err := write(w)
		return err
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", own.name, err)
	}
	d.report.Written++
	d.report.add(counts)
	return nil
}

// scope says what the file of s is about.
func (d *folder) scope(ctx context.Context, s section) (scope, error) {
	if !s.day.IsZero() {
		return dayScope{s.day}, nil
	}
	session, err := d.session(ctx, s)
	if err != nil {
		return nil, err
	}
	title, err := d.title(ctx, session)
	if err != nil {
		return nil, err
	}
	return sessionScope{session: session, title: title}, nil
}

// tidy removes the files of ours whose memories the store does not have any
// more. A file that merely was outside this export's filter stays.
func (d *folder) tidy(ctx context.Context) error {
	for _, key := range slices.Sorted(maps.Keys(d.ours)) {
		own := d.ours[key]
		f, ok := d.about(key)
		if !ok {
			continue
		}
		if found, err := d.any(ctx, f); err != nil || found {
			if err != nil {
				return err
			}
			continue
		}
		if own.edited {
			d.report.Kept = append(d.report.Kept, own.name)
			continue
		}
		if err := os.Remove(filepath.Join(d.dir, own.name)); err != nil {
			return err
		}
		d.report.Removed = append(d.report.Removed, own.name)
	}
	return nil
}

// about gives the filter for all that a file with this key could be about.
func (d *folder) about(key string) (memory.Filter, bool) {
	f := memory.Filter{Statuses: d.opts.Filter.Statuses, IncludeExpired: d.opts.Filter.IncludeExpired}
	kind, value, _ := strings.Cut(key, ":")
	switch kind {
	case "session":
		f.SessionID = value
		return f, value != ""
	case "day":
		day, err := time.ParseInLocation(time.DateOnly, value, d.loc)
		f.After, f.Before = day, nextDay(day)
		return f, err == nil
	}
	return f, false
}

// any reports whether the store has a memory that f takes.
func (d *folder) any(ctx context.Context, f memory.Filter) (bool, error) {
	for _, look := range []func() (bool, error){
		func() (bool, error) { return first(d.src.ScanObservations(ctx, f)) },
		func() (bool, error) { return first(d.src.ScanPrompts(ctx, f)) },
		func() (bool, error) { return first(d.src.ScanSummaries(ctx, f)) },
	} {
		if found, err := look(); err != nil || found {
			return found, err
		}
	}
	if d.opts.Format == JSON {
		return first(d.src.ScanSessions(ctx, f))
	}
	return false, nil
}

// first reports whether rows has any.
func first[T any](rows iter.Seq2[T, error]) (bool, error) {
	for _, err := range rows {
		return err == nil, err
	}
	return false, nil
}

func (r *Report) add(c Counts) {
	r.Sessions += c.Sessions
	r.Prompts += c.Prompts
	r.Observations += c.Observations
	r.Summaries += c.Summaries
}
