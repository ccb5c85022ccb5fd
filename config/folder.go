package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"cmem/config/jsonfile"
)

// The most that is read of the small files in the data directory.
const (
	maxUIState    = 1 << 20
	maxThemeFile  = 256 << 10
	maxThemeFiles = 100
)

const uiStateFile = "ui.json"

// UIState returns the path of the file in which the memory browser keeps what it
// looked like.
func (c *Config) UIState() string { return filepath.Join(c.dataDir, uiStateFile) }

// ReadUIState returns the JSON that WriteUIState wrote to a data directory, nil
// when it wrote none. A file that is larger than 1 MB, or no JSON, is an error:
// a caller goes on without it, and may log why.
func ReadUIState(dir string) ([]byte, error) {
	path := filepath.Join(dir, uiStateFile)
	data, err := readSmall(path, maxUIState)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the browser's state %s: %w", path, err)
	case !json.Valid(data):
		return nil, fmt.Errorf("read the browser's state %s: it is not valid JSON", path)
	}
	return data, nil
}

// WriteUIState keeps the memory browser's state, JSON of at most 1 MB, in a data
// directory. A reader sees the old state or the new one, and of two writers the
// last one wins.
func WriteUIState(dir string, state []byte) error {
	path := filepath.Join(dir, uiStateFile)
	if len(state) > maxUIState {
		return fmt.Errorf("write the browser's state %s: it has %d bytes, and %d are allowed", path, len(state), maxUIState)
	}
	if !json.Valid(state) {
		return fmt.Errorf("write the browser's state %s: it is not valid JSON", path)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("write the browser's state: make directory %s: %w", dir, err)
	}
	if err := replace(path, state); err != nil {
		return fmt.Errorf("write the browser's state %s: %w", path, err)
	}
	return nil
}

// Themes returns the directory of the person's own themes.
func (c *Config) Themes() string { return filepath.Join(c.dataDir, "themes") }

// ThemeFiles returns the person's theme files, *.json in Themes, by path. Comments
// in them are blanks, so that lines stay. The error names what could not be read;
// the others are there.
func (c *Config) ThemeFiles() (map[string][]byte, error) {
	entries, err := os.ReadDir(c.Themes()) // sorted, so that the same files count every time
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the themes in %s: %w", c.Themes(), err)
	}
	files := map[string][]byte{}
	var wrong []error
	for _, e := range entries {
		if !strings.EqualFold(filepath.Ext(e.Name()), ".json") || strings.HasPrefix(e.Name(), ".") {
			continue // an editor's copy, a readme
		}
		if len(files) == maxThemeFiles {
			wrong = append(wrong, fmt.Errorf("read the themes in %s: only the first %d are taken", c.Themes(), maxThemeFiles))
			break
		}
		path := filepath.Join(c.Themes(), e.Name())
		data, err := readSmall(path, maxThemeFile)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("read the theme %s: %w", path, err))
			continue
		}
		if plain, err := jsonfile.Standardize(path, bytes.TrimPrefix(data, jsonfile.BOM)); err == nil {
			data = plain // what is no JSON, who reads the theme will say
		}
		files[path] = data
	}
	return files, errors.Join(wrong...)
}

// readSmall reads a file of at most that many bytes. What is no file, such as a
// pipe that nobody writes to, is an error and not waited for.
func readSmall(path string, most int64) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, errors.New("it is not a file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > most {
		return nil, fmt.Errorf("it has more than %d bytes", most)
	}
	return data, nil
}

// replace writes a file of this person's only, beside its place first.
func replace(path string, data []byte) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // made with mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name()) // nothing more can be done about it
		}
	}()
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
