package hooks

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"cmem/hooks/early"
)

// toldFor is how long it is kept what a session was told, from when it was told something
// last: who resumes it later is told once more.
const toldFor = 14 * 24 * time.Hour

// told keeps in a file what a session was told unasked, so that it is told each memory
// once. Its lines are the ids of memories, each with a word of the hook that took it, and
// marks of files of which nothing is left to tell (early.FileMark). Lines are only ever appended, and the
// first with an id counts: so hooks that run side by side need no lock to find out which
// of them tells a memory.
type told struct{ path string }

func toldTo(dataDir, session string) told {
	return told{early.ToldFile(dataDir, []byte(session))}
}

// read gives who took each memory. full says that the session was told enough.
func (t told) read() (takers map[int64]string, full bool, err error) {
	f, err := os.Open(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read what the session was told: %w", err)
	}
	defer f.Close() //nolint:errcheck // opened for reading
	text, err := io.ReadAll(io.LimitReader(f, early.MaxTold+1))
	if err != nil {
		return nil, false, fmt.Errorf("read what the session was told: %w", err)
	}
	takers = map[int64]string{}
	for line := range bytes.Lines(text) {
		// A line that a full disk cut has no taker, and takes nothing.
		number, taker, found := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
		id, err := strconv.ParseInt(number, 10, 64)
		if _, taken := takers[id]; err == nil && found && !taken {
			takers[id] = taker
		}
	}
	return takers, len(text) > early.MaxTold, nil
}

// take takes memories and gives those that nobody took before, in their order. mark is
// noted with them; "" for none.
func (t told) take(ids []int64, mark string) ([]int64, error) {
	if len(ids) == 0 && mark == "" {
		return nil, nil
	}
	taker := rand.Text()
	var lines strings.Builder
	lines.WriteByte('\n') // ends what a full disk may have cut
	for _, id := range ids {
		fmt.Fprintf(&lines, "%d %s\n", id, taker)
	}
	if mark != "" {
		lines.WriteString(mark + "\n")
	}
	if err := t.append(lines.String()); err != nil {
		return nil, fmt.Errorf("note what the session is told: %w", err)
	}
	takers, _, err := t.read()
	if err != nil {
		return nil, err
	}
	var mine []int64
	for _, id := range ids {
		if takers[id] == taker {
			mine = append(mine, id)
		}
	}
	return mine, nil
}

// append adds lines at once.
func (t told) append(lines string) error {
	f, err := os.OpenFile(t.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(t.path), 0o700); err == nil {
			f, err = os.OpenFile(t.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		}
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(lines)
	return errors.Join(err, f.Close())
}

// forget is for a session whose conversation was cleared or made short: the model does not
// know any more what it was told.
func (t told) forget() error {
	if err := os.Remove(t.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget what the session was told: %w", err)
	}
	return nil
}

// ForgetTold removes the notes of what a session was told unasked. They hold ids of
// memories and hashes of the paths of files.
func ForgetTold(dataDir, session string) error { return toldTo(dataDir, session).forget() }

// sweepTold removes the files of sessions that nothing has come of for long.
func sweepTold(dataDir string, now time.Time) {
	dir := filepath.Join(dataDir, early.ToldDir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // there is none
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && now.Sub(info.ModTime()) > toldFor {
			_ = os.Remove(filepath.Join(dir, entry.Name())) // tried again at the next session
		}
	}
}
