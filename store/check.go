package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Finding is something wrong with the store.
type Finding struct {
	Name    string `json:"name"`    // what was checked, one of the Check constants
	Problem string `json:"problem"` // what is wrong, a sentence
	Advice  string `json:"advice"`  // what to do about it
	Fixable bool   `json:"fixable"` // Fix can repair it
}

// The names of the checks, in their order.
const (
	CheckPermissions = "permissions"
	CheckIntegrity   = "integrity"
	CheckSchema      = "schema"
	CheckOrphans     = "orphaned rows"
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
	{CheckCounters, (*Store).checkCounters, (*Store).fixCounters},
	{CheckSearch, (*Store).checkSearch, (*Store).fixSearch},
}

// Check looks for damage: file permissions, SQLite's own integrity check, missing
// parts of the schema, rows without their session, counters and the search
// index. It reads the whole store. The store must be open for writing, because
// the search index is checked by a command to it.
func (s *Store) Check(ctx context.Context) ([]Finding, error) {
	if s.write == nil {
		return nil, fmt.Errorf("check store %s: %w", s.path, ErrReadOnly)
	}
	var findings []Finding
	for _, c := range checks {
		found, err := c.find(s, ctx)
		if err != nil {
			return findings, fmt.Errorf("check store %s: %s: %w", s.path, c.name, err)
		}
		findings = append(findings, found...)
	}
	return findings, nil
}

// Fix repairs what Check finds and marks as fixable, and says what it did, a
// sentence each. No memory is deleted by it.
func (s *Store) Fix(ctx context.Context) ([]string, error) {
	if s.write == nil {
		return nil, fmt.Errorf("fix store %s: %w", s.path, ErrReadOnly)
	}
	var done []string
	for _, c := range checks {
		// Looked for only now: an earlier repair may have brought it to light, or ended it.
		found, err := c.find(s, ctx)
		if err != nil {
			return done, fmt.Errorf("fix store %s: %s: %w", s.path, c.name, err)
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
			return done, fmt.Errorf("fix store %s: %s: %w", s.path, c.name, err)
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
	lines, err := all(ctx, s.read, func(r row) (line string, err error) {
		return line, r.Scan(&line)
	}, "PRAGMA integrity_check(20)")
	if err != nil {
		lines = []string{err.Error()} // so damaged that it cannot be checked
	}
	var damage, indexes []string
	for _, line := range lines {
		switch {
		case line == "ok", strings.Contains(line, "observations_fts"):
			// The search index has a check of its own.
		case strings.Contains(line, "missing from index"), strings.Contains(line, "wrong # of entries in index"),
			strings.Contains(line, "non-unique entry in index"):
			indexes = append(indexes, line)
		default:
			damage = append(damage, line)
		}
	}
	var findings []Finding
	if len(damage) > 0 {
		findings = append(findings, Finding{
			Name:    CheckIntegrity,
			Problem: "the file is damaged: " + strings.Join(damage, "; "),
			Advice:  "restore a copy of " + s.path + ", or save what can be read with: sqlite3 " + s.path + " .recover",
		})
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

func (s *Store) fixIndexes(ctx context.Context) error {
	return s.transact(ctx, func(t tx) error {
		_, err := t.exec(ctx, "REINDEX")
		return err
	})
}

// checkSearch lets FTS5 compare the index with the observations. That is a
// command, which is written like an insert; it changes nothing.
func (s *Store) checkSearch(ctx context.Context) ([]Finding, error) {
	err := s.transact(ctx, func(t tx) error {
		_, err := t.exec(ctx, "INSERT INTO observations_fts (observations_fts, rank) VALUES ('integrity-check', 1)")
		return err
	})
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	problem := ""
	if err != nil {
		problem = "it differs from the observations"
	}
	indexed, countErr := number(ctx, s.read, "SELECT count(*) FROM observations_fts_docsize")
	rows, err := number(ctx, s.read, "SELECT count(*) FROM observations")
	switch {
	case countErr != nil:
		problem = "it cannot be read"
	case err != nil:
		return nil, err
	case indexed != rows:
		problem = fmt.Sprintf("it has %d of %d observations", indexed, rows)
	}
	if problem == "" {
		return nil, nil
	}
	return []Finding{{
		Name:    CheckSearch,
		Problem: problem + ", so searches miss memories",
		Advice:  "rebuild the search index",
		Fixable: true,
	}}, nil
}

func (s *Store) fixSearch(ctx context.Context) error {
	return s.transact(ctx, func(t tx) error {
		_, err := t.exec(ctx, "INSERT INTO observations_fts (observations_fts) VALUES ('rebuild')")
		return err
	})
}
