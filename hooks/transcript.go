package hooks

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cmem/config"
	"cmem/hooks/early"
	"cmem/memory"
)

const (
	transcriptSuffix = ".jsonl"
	agentPrefix      = "agent-"
	// compactHelper is how the file of the helper begins that compacts a
	// conversation: it repeats the conversation and does nothing.
	compactHelper = "agent-acompact"
	// subagentsDir is the folder with the subagents of a session.
	subagentsDir = "subagents"
)

// Transcript is what Claude Code wrote down of one session.
type Transcript struct {
	Path      string
	SessionID string    // by the file's name
	Size      int64     // bytes when it was found, its subagents' included
	Modified  time.Time // of the newest of its files

	size      int64 // of the file itself
	subagents []subagentFile
}

type subagentFile struct {
	path string
	size int64
}

// TranscriptsDir gives the folder in which Claude Code keeps its transcripts:
// projects in CLAUDE_CONFIG_DIR or in ~/.claude.
func TranscriptsDir(getenv func(string) string, home string) string {
	if dir := getenv("CLAUDE_CONFIG_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "projects")
	}
	return filepath.Join(home, ".claude", "projects")
}

// FindTranscripts gives the transcripts in dir and the folders below it, or the
// one that dir is itself, the most recent first. Transcripts of programs that
// watch other sessions are none. What cannot be read is passed over, but for dir.
func FindTranscripts(ctx context.Context, dir string) ([]Transcript, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("find transcripts: %w", err)
	}
	dir = filepath.Clean(dir)
	byPath := map[string]*Transcript{}
	var agents []string
	err := WalkTranscripts(ctx, dir, func(path string, info fs.FileInfo) error {
		if strings.HasPrefix(info.Name(), agentPrefix) {
			if !strings.HasPrefix(info.Name(), compactHelper) {
				agents = append(agents, path)
			}
			return nil
		}
		byPath[path] = &Transcript{
			Path: path, SessionID: strings.TrimSuffix(info.Name(), transcriptSuffix),
			Size: info.Size(), size: info.Size(), Modified: info.ModTime(),
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find transcripts: %w", err)
	}
	for _, path := range agents {
		info, err := os.Stat(path)
		if err != nil {
			continue // gone since
		}
		t := byPath[sessionOfAgent(path)]
		if t == nil {
			continue // its session is gone: nothing tells what it was for
		}
		t.subagents = append(t.subagents, subagentFile{path, info.Size()})
		t.Size += info.Size()
		if info.ModTime().After(t.Modified) {
			t.Modified = info.ModTime()
		}
	}
	found := make([]Transcript, 0, len(byPath))
	for _, t := range byPath {
		found = append(found, *t)
	}
	slices.SortFunc(found, func(a, b Transcript) int {
		if c := b.Modified.Compare(a.Modified); c != 0 {
			return c
		}
		return strings.Compare(a.Path, b.Path)
	})
	return found, nil
}

// WalkTranscripts calls do for every file in dir that may be a transcript or a
// subagent's part of one. An error of do ends it; a folder that cannot be read is
// passed over.
func WalkTranscripts(ctx context.Context, dir string, do func(path string, info fs.FileInfo) error) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case err != nil && path == dir:
			return err
		case err != nil:
			return nil
		case entry.IsDir() && path != dir && watchesOthers(entry.Name()):
			return fs.SkipDir
		case !entry.Type().IsRegular() || filepath.Ext(path) != transcriptSuffix:
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return nil //nolint:nilerr // gone since
		}
		return do(path, info)
	})
}

// watchesOthers reports whether a folder of transcripts, named after a directory,
// holds those of a program that watches sessions instead of having one.
func watchesOthers(name string) bool {
	return strings.HasSuffix(name, "claude-mem-observer-sessions")
}

// sessionOfAgent gives the path of the transcript that a subagent's file belongs
// to: it lies in a folder named after the session or, of older clients, beside it.
func sessionOfAgent(path string) string {
	dir := filepath.Dir(path)
	for up := dir; ; up = filepath.Dir(up) {
		if filepath.Base(up) == subagentsDir {
			return filepath.Dir(up) + transcriptSuffix
		}
		if up == filepath.Dir(up) {
			break
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // only read
	lines := newLineReader(f, 1<<20)
	for range 20 {
		raw, err := lines.next()
		if err != nil {
			return ""
		}
		var l struct {
			SessionID string `json:"sessionId"`
		}
		if json.Unmarshal(raw, &l) == nil && l.SessionID != "" {
			return filepath.Join(dir, filepath.Base(l.SessionID)+transcriptSuffix)
		}
	}
	return ""
}

// WorkDir gives the directory that the session began in, "" when the beginning of
// the transcript does not tell.
func (t Transcript) WorkDir() string {
	f, err := os.Open(t.Path)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // only read
	lines := newLineReader(f, 4<<20)
	for {
		raw, err := lines.next()
		if err != nil {
			return ""
		}
		var l struct {
			CWD string `json:"cwd"`
		}
		if json.Unmarshal(raw, &l) == nil && l.CWD != "" {
			return l.CWD
		}
	}
}

// Recordable reports whether the settings let an event be recorded, and gives an
// error when they do not tell what is excluded: then nothing must be.
func Recordable(cfg *config.Config, e memory.Event) (bool, error) {
	if !cfg.SelectionUnderstood() {
		return false, fmt.Errorf("%s does not tell what is excluded; `cmem doctor` says what is wrong with it", cfg.File())
	}
	h := Handler{Config: cfg}
	return !h.isExcluded(e), nil
}

// CleanTexts cuts what is private from the texts of one field and masks secrets, as
// is done with what a hook reports.
func CleanTexts(texts ...string) []string {
	var private privateCutter
	var masker secretMasker
	clean := make([]string, len(texts))
	for i, s := range texts {
		clean[i] = masker.mask(private.cut(s))
	}
	return clean
}

// lineReader gives the lines of a file of at most limit bytes. A line that is
// longer than a hook's payload may be is passed over.
type lineReader struct {
	in   *bufio.Reader
	long int // lines that were passed over
}

func newLineReader(f io.Reader, limit int64) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(io.LimitReader(f, limit), 64<<10)}
}

// next gives the next line, io.EOF after the last. A line without an end is still
// being written and is none.
func (r *lineReader) next() ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.in.ReadSlice('\n')
		if !tooLong {
			line = append(line, part...)
		}
		if len(line) > early.MaxPayload {
			tooLong, line = true, nil
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && json.Valid(line):
			return line, nil // some programs leave the last newline out
		case err != nil:
			return nil, err
		case tooLong:
			r.long++
			tooLong = false
		case len(bytes.TrimSpace(line)) > 0:
			return line, nil
		}
		line = line[:0]
	}
}
