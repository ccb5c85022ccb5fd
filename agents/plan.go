package agents

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/rogpeppe/go-internal/diff"

	"cmem/config/jsonfile"
)

// Plan is what installing or uninstalling would change.
type Plan struct {
	Changes []Change // empty when everything is as it should be
	Notes   []string // what the person should know, sentences
}

// Change is the new content of one file.
type Change struct {
	Path string
	What string // "hooks" or "MCP server"

	file   *jsonfile.File
	before []byte // nil when there is no such file
	after  []byte
	keep   bool     // back the old content up
	remove bool     // there was no such file before us
	drop   []string // backups that are of no more use
}

// Report is what was done.
type Report struct {
	Plan    Plan
	Written []string // files that were changed, made or removed
	Backups []string // where the old contents are
}

// Diff shows the changes as a unified diff.
func (p Plan) Diff() string {
	var out strings.Builder
	for _, c := range p.Changes {
		out.WriteString(c.Diff())
	}
	return out.String()
}

// Diff shows the change as a unified diff, made safe for a terminal.
func (c Change) Diff() string {
	before, after := c.Path, c.Path
	if c.before == nil {
		before = os.DevNull
	}
	if c.remove {
		after = os.DevNull
	}
	text := string(diff.Diff(before, c.before, after, c.after))
	_, text, _ = strings.Cut(text, "\n") // "diff before after", which says nothing new
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(printable(line))
	}
	return out.String()
}

// printable cuts a very long line, as in a file that is one line, and takes away
// what would move the cursor.
func printable(line string) string {
	const longest = 4000 // characters
	line = strings.TrimRight(line, "\r\n")
	if r := []rune(line); len(r) > longest {
		line = string(r[:longest]) + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, line) + "\n"
}

// Apply makes the changes. Nothing is written when one of the files cannot be. A
// file that another program wrote since the plan was made is left alone, and the
// error is jsonfile.ErrChanged.
func (p Plan) Apply(now time.Time) (Report, error) {
	r := Report{Plan: p}
	for _, c := range p.Changes {
		if err := c.file.Writable(); err != nil {
			return r, err
		}
		if c.file.Changed() {
			return r, fmt.Errorf("%s: %w", c.Path, jsonfile.ErrChanged)
		}
	}
	for _, c := range p.Changes {
		backup, err := c.apply(now)
		if err != nil {
			return r, err
		}
		if backup != "" {
			r.Backups = append(r.Backups, backup)
		}
		r.Written = append(r.Written, c.Path)
	}
	return r, nil
}

// apply makes one change and returns the path of the backup, if one was due.
func (c Change) apply(now time.Time) (backup string, err error) {
	if c.remove {
		if err := c.file.Remove(); err != nil {
			return "", err
		}
		if dir := filepath.Dir(c.Path); filepath.Base(dir) == ".claude" {
			_ = os.Remove(dir) // succeeds only when nothing else is in it
		}
		return "", dropBackups(c.drop)
	}
	if err := os.MkdirAll(filepath.Dir(c.Path), 0o700); err != nil {
		return "", fmt.Errorf("make the directory of %s: %w", c.Path, err)
	}
	if c.keep {
		if backup, err = writeBackup(c.Path, c.before, now); err != nil {
			return "", err
		}
	}
	if err := c.file.Write(c.after); err != nil {
		if backup != "" {
			_ = os.Remove(backup) // it is of the content that still stands
		}
		return "", err
	}
	if err := dropBackups(c.drop); err != nil {
		return backup, err
	}
	return backup, pruneBackups(c.Path)
}

// backupMark stands between a file's name and the time of the backup.
const backupMark = ".cmem-backup-"

// backupsKept is how many backups of a file stay.
const backupsKept = 3

// listBackups returns the backups of a file, oldest first.
func listBackups(path string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for backups of %s: %w", path, err)
	}
	var backups []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(path)+backupMark) {
			backups = append(backups, filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
	slices.Sort(backups)
	return backups, nil
}

// writeBackup keeps data beside the file, for this person only.
func writeBackup(path string, data []byte, now time.Time) (string, error) {
	backup := path + backupMark + now.UTC().Format("20060102T150405.000Z")
	f, err := os.OpenFile(backup, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("back up %s: %w", path, err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("back up %s: %w", path, err)
	}
	return backup, nil
}

// pruneBackups removes all but the newest backups of a file.
func pruneBackups(path string) error {
	backups, err := listBackups(path)
	if err != nil {
		return err
	}
	return dropBackups(backups[:max(0, len(backups)-backupsKept)])
}

func dropBackups(paths []string) error {
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove old backup: %w", err)
		}
	}
	return nil
}
