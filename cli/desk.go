package cli

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
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"cmem/agents"
	"cmem/config"
	"cmem/hooks/spool"
	"cmem/memory"
	"cmem/store"
	"cmem/tui"
	"cmem/worker"
)

// openShown is how many waiting batches are looked at for why nothing is
// compressed.
const openShown = 20

// desk is what the browser can have done outside of the store, on this machine.
func (a *App) desk(cfg *config.Config, s *store.Store) tui.Desk {
	scratch := &scratch{}
	return tui.Desk{
		Status: func(ctx context.Context) (tui.Status, error) { return browserStatus(ctx, cfg, s) },
		Export: func(ctx context.Context, refs []memory.Ref) (string, error) { return a.exportChosen(ctx, s, refs) },
		Clipboard: func(text string) error {
			return copyToClipboard(a.Getenv, text)
		},
		EditCommand: func(path string, line int) (tui.Command, error) {
			return editCommand(a.editor(cfg), path, line, scratch.has(path))
		},
		ResumeCommand:  resumeCommand,
		FindFile:       findFile,
		FindTranscript: findTranscript,
		Scratch:        scratch.write, ReadScratch: scratch.read, DropScratch: scratch.drop,
		WakeWorker: func() error { return spool.Wake(cfg.DataDir()) },
	}
}

// browserStatus tells how the work behind the memory is going.
func browserStatus(ctx context.Context, cfg *config.Config, s *store.Store) (tui.Status, error) {
	w, err := worker.ReadStatus(cfg.DataDir())
	if err != nil {
		return tui.Status{}, err
	}
	st := tui.Status{Running: w.Running, Since: w.StartedAt, Provider: w.Compressor}
	if st.Provider == "" {
		st.Provider = cfg.String("provider")
	}
	if st.Waiting, st.Bad, err = spoolCounts(cfg); err != nil {
		return st, err
	}
	open, err := s.OpenBatches(ctx, 0, openShown)
	if err != nil {
		return st, err
	}
	for _, b := range open {
		if b.LastError != "" {
			st.Paused = b.LastError
		}
	}
	return st, nil
}

// resumeCommand gives the command that resumes a session of Claude Code where it ran.
func resumeCommand(s memory.Session) (tui.Command, error) {
	if s.Agent != "" && s.Agent != "claude-code" {
		return tui.Command{}, fmt.Errorf("sessions of %s cannot be resumed from here", s.Agent)
	}
	if !sessionID.MatchString(s.ID) {
		return tui.Command{}, fmt.Errorf("%q is no session of Claude Code", s.ID)
	}
	dir := s.CWD
	if dir == "" {
		dir = s.Project
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() || !filepath.IsAbs(dir) {
		return tui.Command{}, fmt.Errorf("its directory %s is not there any more", dir)
	}
	claude, err := exec.LookPath("claude")
	if err != nil {
		return tui.Command{}, errors.New("claude is not in your PATH; install Claude Code or add it")
	}
	return tui.Command{Path: claude, Args: []string{"--resume", s.ID}, Dir: dir}, nil
}

// sessionID is what an id looks like that cannot be taken for an option.
var sessionID = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]*$`)

// findFile finds a file that a memory names: in the project, else where its
// session ran. A relative name must not lead out of there.
func findFile(project, cwd, name string) (string, error) {
	if filepath.IsAbs(name) {
		return regularFile(name)
	}
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("%s leads out of the project", name)
	}
	var err error
	for _, base := range []string{project, cwd} {
		if !filepath.IsAbs(base) {
			continue // an imported project may have a bare name
		}
		path, found := regularFile(filepath.Join(base, name))
		if found == nil {
			return path, nil
		}
		if err == nil {
			err = found
		}
	}
	if err == nil {
		err = fmt.Errorf("%s: it is not known where the project %s is", name, project)
	}
	return "", err
}

func regularFile(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%s is not there any more", path)
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is no file", path)
	}
	return path, nil
}

// maxTranscript is how much of a transcript is searched for a prompt.
const maxTranscript = 64 << 20

// findTranscript finds a session's transcript, and the line of a prompt in it.
func findTranscript(ctx context.Context, s memory.Session, p memory.Prompt) (string, int, error) {
	path, err := regularFile(s.TranscriptPath)
	if err != nil {
		return "", 0, fmt.Errorf("the transcript %w; Claude Code deletes old ones", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	line, err := promptLine(ctx, io.LimitReader(f, maxTranscript), p)
	if err != nil {
		line = 0 // the transcript can be opened all the same
	}
	return path, line, nil
}

// promptLine gives the line, from 1, on which a transcript has the prompt: by its
// id, else by its first words. 0 says that it was not found.
func promptLine(ctx context.Context, transcript io.Reader, p memory.Prompt) (int, error) {
	var looks [][]byte
	if p.PromptID != "" {
		looks = append(looks, []byte(`"`+p.PromptID+`"`))
	}
	first, _, _ := strings.Cut(p.Text, "\n")
	if first = strings.TrimSpace(first); first != "" {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(first); err != nil {
			return 0, err
		}
		looks = append(looks, bytes.Trim(b.Bytes(), "\"\n"))
	}
	byText := 0
	r := bufio.NewReaderSize(transcript, 256<<10)
	for n := 1; len(looks) > 0; n++ {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		text, err := r.ReadBytes('\n')
		if bytes.Contains(text, []byte(`"user"`)) {
			for i, look := range looks {
				if !bytes.Contains(text, look) {
					continue
				}
				if i == 0 {
					return n, nil
				}
				if byText == 0 {
					byText = n
				}
			}
		}
		if err != nil {
			break
		}
	}
	return byText, nil
}

// scratch keeps texts in files of their own while they are being edited.
type scratch struct{ files map[string]bool }

func (s *scratch) has(path string) bool { return s.files[path] }

func (s *scratch) write(name, text string) (string, error) {
	dir, err := os.MkdirTemp("", "cmem-edit-") // of mode 0700
	if err != nil {
		return "", fmt.Errorf("make a folder for editing: %w", err)
	}
	path := filepath.Join(dir, filepath.Base(name))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("write a file for editing: %w", err)
	}
	if s.files == nil {
		s.files = map[string]bool{}
	}
	s.files[path] = true
	return path, nil
}

// maxScratch is how large a text can be that comes back from the editor, in bytes.
const maxScratch = 4 << 20

func (s *scratch) read(path string) (string, error) {
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
	if !s.has(path) {
		return fmt.Errorf("%s was not made for editing", path)
	}
	delete(s.files, path)
	// What else the editor left there is its own: backups and the like go with the folder.
	return os.RemoveAll(filepath.Dir(path))
}

// setup looks at the machine, for the first run.
func (a *App) setup(ctx context.Context) (tui.Setup, error) {
	var out tui.Setup
	claude, err := a.claudeCode()
	if err != nil {
		return out, err
	}
	if _, err := os.Stat(filepath.Dir(claude.Settings)); err == nil {
		out.Claude = true
	} else if _, err := exec.LookPath("claude"); err == nil {
		out.Claude = true
	}
	st, err := claude.Status()
	if err != nil {
		return out, err
	}
	out.Installed = st.State != agents.NotInstalled
	if out.Installed && len(st.Problems) > 0 {
		out.Problem = st.Problems[0]
	}
	for _, f := range FindImports(ctx, a.home(), a.Getenv) {
		out.Imports = append(out.Imports, tui.Import{What: f.What, Command: f.Command, Args: []string{"import", f.Kind}})
	}
	return out, nil
}

// connect adds cmem to Claude Code's settings and says what it did.
func (a *App) connect(context.Context) (string, error) {
	claude, err := a.claudeCode()
	if err != nil {
		return "", err
	}
	r, err := claude.Install(agents.Options{Now: a.Now()})
	if err != nil {
		return "", err
	}
	if len(r.Written) == 0 {
		return "cmem is installed in Claude Code already; nothing had to be changed.", nil
	}
	var files []string
	for _, path := range r.Written {
		files = append(files, a.shortPath(path))
	}
	return "cmem is installed: changed " + strings.Join(files, " and ") + ". The next session of Claude Code is remembered.", nil
}
