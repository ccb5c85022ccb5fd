package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Backup is a copy of the store, a whole SQLite file by itself.
type Backup struct {
	Path   string    `json:"path"`
	At     time.Time `json:"at"` // when it was made
	Bytes  int64     `json:"bytes"`
	Reason string    `json:"reason"` // one of the Backup constants

	written time.Time // the file's time: names tell no two of a second apart
}

// Why a backup was made.
const (
	BackupAsked     = "asked for"
	BackupMigration = "before a migration"
	BackupRestore   = "before a restore"
)

const (
	backupFolder = "backups"
	backupTime   = "20060102T150405Z"
	// keptBackups is how many of those that nobody asked for are kept, of each reason.
	keptBackups = 3
	// damagedMark comes between the name of a store and the time at which it was put
	// aside for its damage.
	damagedMark = ".damaged-"

	migrationSuffix = "-schema"
	restoreSuffix   = "-replaced"
)

// backupName reads the name of a backup: time, then nothing, "-schema2" (what it
// was migrated from) or "-replaced" (by a restore), then a number if the second had
// more than one.
var backupName = regexp.MustCompile(`^-(\d{8}T\d{6}Z)(?:-(schema)(\d+)|-(replaced))?(?:-\d+)?\.db$`)

// Backups lists the backups of the store at path, newest first: those in its
// folder of backups and, beside the store, those of earlier versions of cmem.
func Backups(path string) ([]Backup, error) {
	list, err := backups(path)
	if err != nil {
		return nil, fmt.Errorf("list the backups of %s: %w", path, err)
	}
	return list, nil
}

func backups(path string) ([]Backup, error) {
	var list []Backup
	dir := filepath.Join(filepath.Dir(path), backupFolder)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, entry := range entries {
		rest, ours := strings.CutPrefix(entry.Name(), baseName(path))
		parts := backupName.FindStringSubmatch(rest)
		if !ours || parts == nil || !entry.Type().IsRegular() {
			continue
		}
		at, err := time.Parse(backupTime, parts[1])
		if err != nil {
			continue
		}
		b := Backup{Path: filepath.Join(dir, entry.Name()), At: at, Reason: BackupAsked}
		if info, err := entry.Info(); err == nil {
			b.written = info.ModTime()
		}
		switch {
		case parts[2] != "":
			b.Reason = BackupMigration
		case parts[4] != "":
			b.Reason = BackupRestore
		}
		for _, name := range []string{b.Path, b.Path + "-wal"} {
			size, err := sizeOf(name)
			if err != nil {
				return nil, err
			}
			b.Bytes += size
		}
		list = append(list, b)
	}
	older, err := filepath.Glob(globText(path) + ".v*.bak")
	if err != nil {
		return nil, err
	}
	for _, name := range older {
		if info, err := os.Stat(name); err == nil {
			list = append(list, Backup{Path: name, At: info.ModTime().UTC(), Bytes: info.Size(), Reason: BackupMigration})
		}
	}
	slices.SortStableFunc(list, func(a, b Backup) int {
		return cmp.Or(b.At.Compare(a.At), b.written.Compare(a.written), cmp.Compare(b.Path, a.Path))
	})
	return list, nil
}

// baseName gives the name that the backups of the store at path begin with.
func baseName(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }

// globText makes a path match itself only.
func globText(path string) string {
	if os.PathSeparator == '\\' {
		return path // there is no escape there, and * and ? cannot be in a name
	}
	return regexp.MustCompile(`[*?[\\]`).ReplaceAllString(path, `\$0`)
}

// newBackupPath gives a path for a new backup, and makes the folder for it.
func newBackupPath(path string, at time.Time, suffix string) (string, error) {
	dir := filepath.Join(filepath.Dir(path), backupFolder)
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return "", err
	}
	name := filepath.Join(dir, baseName(path)+"-"+at.UTC().Format(backupTime)+suffix)
	return unused(name, ".db")
}

// asidePath gives a path for a store that is put aside for its damage.
func asidePath(path string, at time.Time) (string, error) {
	return unused(path+damagedMark+at.UTC().Format(backupTime), "")
}

// aside lists the stores that were put aside for their damage.
func aside(path string) ([]string, error) { return filepath.Glob(globText(path) + damagedMark + "*") }

// unused gives name and ending with a number between them if that is taken.
func unused(name, ending string) (string, error) {
	for n := 1; ; n++ {
		try := name + ending
		if n > 1 {
			try = name + "-" + strconv.Itoa(n) + ending
		}
		switch _, err := os.Lstat(try); {
		case errors.Is(err, fs.ErrNotExist):
			return try, nil
		case err != nil:
			return "", err
		}
	}
}

// removeIfThere removes a file, unless somebody else has.
func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// prune removes the oldest backups that nobody asked for, and what copies that
// were killed have left.
func prune(path string) error {
	list, err := backups(path)
	if err != nil {
		return err
	}
	errs := []error{removeRemains(path)}
	kept := map[string]int{}
	for _, b := range list {
		if kept[b.Reason]++; b.Reason != BackupAsked && kept[b.Reason] > keptBackups {
			for _, name := range []string{b.Path, b.Path + "-wal", b.Path + "-shm"} {
				if err := removeIfThere(name); err != nil {
					errs = append(errs, err)
				}
			}
		}
	}
	return errors.Join(errs...)
}

// Copies gives the files and folders beside the store at path that hold what it held
// once: backups, stores that were put aside for their damage, each with its log, and
// what copying left that was killed.
func Copies(path string) ([]string, error) {
	list, err := backups(path)
	if err != nil {
		return nil, fmt.Errorf("list the copies of %s: %w", path, err)
	}
	var all []string
	for _, b := range list {
		all = append(all, b.Path)
		for _, name := range []string{b.Path + "-wal", b.Path + "-shm"} {
			if _, err := os.Lstat(name); err == nil {
				all = append(all, name)
			}
		}
	}
	for _, find := range []func(string) ([]string, error){aside, remains} {
		names, err := find(path)
		if err != nil {
			return nil, fmt.Errorf("list the copies of %s: %w", path, err)
		}
		all = append(all, names...)
	}
	return all, nil
}

// remains gives the unfinished copies and the folders of unfinished restores and
// salvages beside the store at path: what a program that was killed left.
func remains(path string) ([]string, error) {
	var all []string
	for _, folder := range []string{filepath.Dir(path), filepath.Join(filepath.Dir(path), backupFolder)} {
		names, err := filepath.Glob(filepath.Join(globText(folder), ".cmem-*.tmp"))
		if err != nil {
			return nil, err
		}
		all = append(all, names...)
	}
	return all, nil
}

// removeRemains removes those that nothing has written to for a day.
func removeRemains(path string) error {
	names, err := remains(path)
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range names {
		if info, err := os.Lstat(name); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			errs = append(errs, os.RemoveAll(name))
		}
	}
	return errors.Join(errs...)
}

// backUpForMigration copies the store that conn writes, which has the schema
// version, before that is changed. Of one version the newest copy is enough: a
// migration that fails is tried again and again. Another program may be migrating at
// the same time: whatever each of them does, one copy of the version stays.
func backUpForMigration(ctx context.Context, conn *sql.Conn, path string, version int) error {
	var sessions bool
	if err := conn.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM sdk_sessions)").Scan(&sessions); err == nil && !sessions {
		return nil // a store that is being made, by this program or another one
	}
	at, suffix := time.Now(), migrationSuffix+strconv.Itoa(version)
	final, err := newBackupPath(path, at, suffix)
	if err != nil {
		return err
	}
	part, err := copyInto(ctx, conn, filepath.Dir(final))
	if err != nil {
		return err
	}
	have, err := versionOf(part)
	if err != nil || have != version { // the other was faster, and has a copy from before
		return errors.Join(err, os.Remove(part))
	}
	if err := putAt(part, final, false); err != nil {
		if errors.Is(err, fs.ErrExist) { // the other's, of the same second and the same version
			return nil
		}
		return err
	}
	list, err := backups(path)
	if err != nil {
		return err
	}
	// Those before this one only: both programs see the same order.
	ours := slices.IndexFunc(list, func(b Backup) bool { return b.Path == final })
	if ours < 0 { // the other's is newer and has taken its place
		return nil
	}
	for _, b := range list[ours+1:] {
		if rest, ok := strings.CutPrefix(filepath.Base(b.Path), baseName(path)); ok {
			if parts := backupName.FindStringSubmatch(rest); parts != nil && parts[3] == strconv.Itoa(version) {
				if err := removeIfThere(b.Path); err != nil {
					return err
				}
			}
		}
	}
	return prune(path)
}
