package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// settled is how old settings.json must be before there is a stamp for it. Some
// file systems keep times by the second or two: of a file that was modified just
// now, a later edit could have the same time.
const settled = 3 * time.Second

// Stamp returns the path of the fast-path stamp.
//
// The earliest part of a hook cannot read settings.json: a parser would cost more
// than the hook itself. The stamp tells it, by a stat and a small read, that this
// settings.json has nothing that such a hook must know but the data directory,
// whether its spool is synced and when memories are told unasked.
func (c *Config) Stamp() string { return filepath.Join(c.base, "fast.stamp") }

// WriteStamp brings the stamp up to date: it holds these
// and has the modification time that settings.json had when it was loaded, to the
// nanosecond, so that an edit by hand makes it stale. There is no stamp when there
// is no settings.json, when something is wrong with the settings, when projects are
// excluded or tools skipped, and in the first seconds after an edit. It writes only
// what is not so already.
func (c *Config) WriteStamp() error { return c.writeStamp(time.Now()) }

func (c *Config) writeStamp(now time.Time) error {
	selective := slices.ContainsFunc(selection, func(name string) bool { return len(c.List(name)) > 0 })
	if c.modified.IsZero() || len(c.problems) > 0 || selective || now.Sub(c.modified) < settled {
		if err := os.Remove(c.Stamp()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove stamp: %w", err)
		}
		return nil
	}
	if st, err := os.Stat(c.Stamp()); err == nil && st.ModTime().Equal(c.modified) {
		if text, err := os.ReadFile(c.Stamp()); err == nil && string(text) == c.stampText() {
			return nil
		}
	}
	if err := c.replaceStamp(); err != nil {
		return fmt.Errorf("write stamp: %w", err)
	}
	return nil
}

// stampText is what hooks/early reads: the data directory, and after it a mark for
// each setting that differs from its default. No path has a NUL in it.
func (c *Config) stampText() string {
	text := c.dataDir
	for _, mark := range []struct {
		word string
		set  bool
	}{
		{"sync", c.Bool("spool.sync")},
		{"no-file", !c.Bool("recall.file")},
		{"no-failure", !c.Bool("recall.failure")},
		{"prompt", c.Bool("recall.prompt")},
	} {
		if mark.set {
			text += "\x00" + mark.word
		}
	}
	return text
}

// replaceStamp writes the stamp beside its place, gives it its time, and only then
// moves it there: a hook must never see the new time on an old path.
func (c *Config) replaceStamp() (err error) {
	tmp, err := os.CreateTemp(c.base, ".fast.stamp-*") // made with mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name()) // nothing more can be done about it
		}
	}()
	_, err = tmp.WriteString(c.stampText())
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	if err = os.Chtimes(tmp.Name(), c.modified, c.modified); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), c.Stamp())
}
