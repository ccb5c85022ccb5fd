package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"
)

// Finding is something wrong with the store.
type Finding struct {
	Name    string `json:"name"`    // what was checked, one of the Check constants
	Problem string `json:"problem"` // what is wrong, a sentence
	Advice  string `json:"advice"`  // what to do about it
	Fixable bool   `json:"fixable"` // Fix can repair it

	blocks bool // the checks after it cannot be made
}

// The names of the checks, in their order.
const (
	CheckPermissions = "permissions"
	CheckIntegrity   = "integrity"
	CheckSchema      = "schema"
	CheckOrphans     = "orphaned rows"
	CheckDeleted     = "deleted memories"
	CheckCounters    = "counters"
	CheckSearch      = "search index"
)

// check is one check and its repair.
type check struct {
	name   string
	find   func(s *Store, ctx context.Context) ([]Finding, error)
	repair func(s *Store, ctx context.Context) error
}

// checks are in the order in which they have to be repaired: the triggers that a
// repair needs come before it.
var checks = []check{
	{CheckPermissions, (*Store).checkPermissions, (*Store).fixPermissions},
	{CheckIntegrity, (*Store).checkIntegrity, (*Store).fixIndexes},
	{CheckSchema, (*Store).checkSchema, (*Store).fixSchema},
	{CheckOrphans, (*Store).checkOrphans, (*Store).fixOrphans},
	{CheckDeleted, (*Store).checkDeleted, (*Store).fixDeleted},
	{CheckCounters, (*Store).checkCounters, (*Store).fixCounters},
	{CheckSearch, (*Store).checkSearch, (*Store).fixSearch},
}

// Check looks for damage: file permissions, SQLite's own integrity check, missing
// parts of the schema, rows without their session, counters and the search
// index. It reads the whole store. The store must be open for writing, because
// the search index is checked by a command to it. It ends at damage that keeps
// it from looking further. The error is ErrBusy when another program is writing.
func (s *Store) Check(ctx context.Context) ([]Finding, error) {
	if s.write == nil {
		return nil, fmt.Errorf("check store %s: %w", s.path, ErrReadOnly)
	}
	var findings []Finding
	for _, c := range checks {
		found, err := c.find(s, ctx)
		if isDamage(err) {
			if !slices.ContainsFunc(findings, func(f Finding) bool { return f.Name == CheckIntegrity && !f.Fixable }) {
				findings = append(findings, s.damaged(err.Error()))
			}
			return findings, nil
		}
		if err != nil {
			return findings, fmt.Errorf("check store %s: %s: %w", s.path, c.name, named(err))
		}
		findings = append(findings, found...)
		if slices.ContainsFunc(found, func(f Finding) bool { return f.blocks }) {
			return findings, nil
		}
	}
	return findings, nil
}

// Fix repairs what Check finds and marks as fixable, and says what it did, a
// sentence each. No memory is deleted by it. The error is ErrBusy or ErrDamaged
// where one of them applies.
func (s *Store) Fix(ctx context.Context) ([]string, error) {
	if s.write == nil {
		return nil, fmt.Errorf("fix store %s: %w", s.path, ErrReadOnly)
	}
	var done []string
	for _, c := range checks {
		// Looked for only now: an earlier repair may have brought it to light, or ended it.
		found, err := c.find(s, ctx)
		if err != nil {
			return done, fmt.Errorf("fix store %s: %s: %w", s.path, c.name, named(err))
		}
		var problems []string
		for _, f := range found {
			if f.Fixable {
				problems = append(problems, f.Problem)
			}
		}
		if len(problems) == 0 {
			continue
		}
		if err := c.repair(s, ctx); err != nil {
			return done, fmt.Errorf("fix store %s: %s: %w", s.path, c.name, named(err))
		}
		done = append(done, fmt.Sprintf("Repaired the %s: %s.", c.name, strings.Join(problems, "; ")))
	}
	return done, nil
}

// files are the store's files; only their owner may use them.
func (s *Store) files() []string { return []string{s.path, s.path + "-wal", s.path + "-shm"} }

const (
	fileMode fs.FileMode = 0o600
	dirMode  fs.FileMode = 0o700
)

func (s *Store) checkPermissions(context.Context) ([]Finding, error) {
	if runtime.GOOS == "windows" {
		return nil, nil // access is inherited from the profile directory there
	}
	var findings []Finding
	look := func(name string, want fs.FileMode, fixable bool) error {
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if mode := info.Mode().Perm(); mode&^want != 0 {
			findings = append(findings, Finding{
				Name:    CheckPermissions,
				Problem: fmt.Sprintf("%s can be used by others (mode %04o)", name, mode),
				Advice:  fmt.Sprintf("chmod %04o %s", want, name),
				Fixable: fixable,
			})
		}
		return nil
	}
	// The directory may have been there before us and serve others: that is the
	// person's to change.
	if err := look(filepath.Dir(s.path), dirMode, false); err != nil {
		return nil, err
	}
	for _, name := range s.files() {
		if err := look(name, fileMode, true); err != nil {
			return nil, err
		}
	}
	return findings, nil
}

func (s *Store) fixPermissions(context.Context) error {
	for _, name := range s.files() {
		if err := os.Chmod(name, fileMode); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// checkIntegrity asks SQLite. Damage to an index can be repaired from its table;
// damage to a table cannot.
func (s *Store) checkIntegrity(ctx context.Context) ([]Finding, error) {
	lines, err := all(ctx, s.read, scanText, "PRAGMA integrity_check(20)")
	if isDamage(err) || hasCode(err, sqlite3.SQLITE_ERROR) { // the latter of a search index that cannot be opened
		lines = []string{err.Error()} // so damaged that it cannot be checked
	} else if err != nil {
		return nil, err
	}
	var damage, indexes []string
	for _, line := range lines {
		switch {
		case line == "ok", slices.ContainsFunc(wordIndexes, func(x *wordIndex) bool { return strings.Contains(line, x.name) }):
			// The search indexes have a check of their own.
		case strings.Contains(line, "missing from index"), strings.Contains(line, "wrong # of entries in index"),
			strings.Contains(line, "non-unique entry in index"):
			indexes = append(indexes, line)
		default:
			damage = append(damage, line)
		}
	}
	var findings []Finding
	if len(damage) > 0 {
		findings = append(findings, s.damaged(strings.Join(damage, "; ")))
	}
	if len(indexes) > 0 {
		findings = append(findings, Finding{
			Name:    CheckIntegrity,
			Problem: "indexes are out of step with their tables: " + strings.Join(indexes, "; "),
			Advice:  "rebuild the indexes",
			Fixable: true,
		})
	}
	return findings, nil
}

// damaged is the finding of damage to what cannot be made anew.
func (s *Store) damaged(how string) Finding {
	return Finding{
		Name:    CheckIntegrity,
		Problem: "the file is damaged: " + how,
		Advice:  "`cmem doctor --fix` saves what can be read into a fresh store and keeps this one",
	}
}

func (s *Store) fixIndexes(ctx context.Context) error {
	return s.transact(ctx, func(t tx) error {
		_, err := t.exec(ctx, "REINDEX")
		return err
	})
}
