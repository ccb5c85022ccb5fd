package cli

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// scratchFolder is the folder of the data directory in which texts are edited: what
// was typed and not stored can be found there, after a crash too.
const scratchFolder = "edit"

// keepScratch is how long a text stays that nobody stored or discarded.
const keepScratch = 7 * 24 * time.Hour

// scratch keeps texts in files of their own while they are being edited. Several
// goroutines may use it.
type scratch struct {
	dir string
	now func() time.Time

	mu    sync.Mutex
	files map[string]bool
}

// newScratch keeps texts in folders below dir, and removes the old ones there.
func newScratch(dir string, now func() time.Time) *scratch {
	s := &scratch{dir: dir, now: now, files: map[string]bool{}}
	s.sweep()
	return s
}

func (s *scratch) has(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files[path]
}

// write makes a file for text, in a folder of its own: editors leave things beside it.
func (s *scratch) write(name, text string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return "", fmt.Errorf("make the folder for editing: %w", err)
	}
	dir, err := os.MkdirTemp(s.dir, s.now().Format("20060102-150405-")) // of mode 0700
	if err != nil {
		return "", fmt.Errorf("make a folder for editing: %w", err)
	}
	path := filepath.Join(dir, filepath.Base(name))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		_ = os.RemoveAll(dir) // half a text helps nobody
		return "", fmt.Errorf("write a file for editing: %w", err)
	}
	s.files[path] = true
	return path, nil
}

// sweep removes what was left over and is old. What cannot be removed stays.
func (s *scratch) sweep() {
	old := s.now().Add(-keepScratch)
	entries, _ := os.ReadDir(s.dir) // none when it cannot be read
	for _, e := range entries {
		dir := filepath.Join(s.dir, e.Name())
		if e.IsDir() && lastChange(dir).Before(old) {
			_ = os.RemoveAll(dir)
		}
	}
}

// lastChange gives when something in a folder was changed last; a folder that
// cannot be read is taken for a new one.
func lastChange(dir string) time.Time {
	var last time.Time
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
		return err
	})
	if err != nil {
		return time.Now()
	}
	return last
}

// maxScratch is how large a text can be that comes back from the editor, in bytes.
const maxScratch = 4 << 20

func (s *scratch) read(path string) (string, error) {
	if !s.has(path) {
		return "", fmt.Errorf("%s was not made for editing", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read what was edited: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(io.LimitReader(f, maxScratch+1))
	if err != nil {
		return "", fmt.Errorf("read what was edited: %w", err)
	}
	if len(text) > maxScratch {
		return "", fmt.Errorf("%s is larger than %s", path, bytesText(maxScratch))
	}
	return string(text), nil
}

func (s *scratch) drop(path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.files[path] {
		return fmt.Errorf("%s was not made for editing", path)
	}
	delete(s.files, path)
	// What else the editor left there is its own: backups and the like go with the folder.
	return os.RemoveAll(filepath.Dir(path))
}
