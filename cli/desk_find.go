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
	"path/filepath"
	"strings"

	"cmem/memory"
)

// findFile finds a file that a memory names: in the project, else where its
// session ran. Neither a relative name, nor an absolute one, nor a symbolic link
// may lead out of there: the name was written by a model, and opening is trusting.
func findFile(project, cwd, name string) (string, error) {
	absolute := filepath.IsAbs(name)
	if !absolute && !filepath.IsLocal(name) {
		return "", fmt.Errorf("%s leads out of the project", name)
	}
	var err error
	for _, base := range []string{project, cwd} {
		if !filepath.IsAbs(base) {
			continue // an imported project may have a bare name
		}
		path := name
		if !absolute {
			path = filepath.Join(base, name)
		} else if !lexicallyIn(base, name) && !reallyIn(base, name) {
			continue
		}
		path, found := regularFile(path)
		if found == nil && reallyIn(base, path) {
			return path, nil
		}
		if found == nil {
			found = fmt.Errorf("%s leads out of the project by a symbolic link; it can be opened by hand", path)
		}
		if err == nil {
			err = found
		}
	}
	switch {
	case err != nil:
		return "", err
	case absolute:
		return "", fmt.Errorf("%s is outside of the project; it can be opened by hand", name)
	}
	return "", fmt.Errorf("%s: it is not known where the project %s is", name, project)
}

// lexicallyIn reports whether path is in the directory base, by their names.
func lexicallyIn(base, path string) bool {
	rel, err := filepath.Rel(base, path)
	return err == nil && filepath.IsLocal(rel)
}

// reallyIn reports whether path is in base when symbolic links are followed.
func reallyIn(base, path string) bool {
	base, err := filepath.EvalSymlinks(base)
	if err != nil {
		return false
	}
	path, err = filepath.EvalSymlinks(path)
	return err == nil && lexicallyIn(base, path)
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

// said is what is read of a transcript's line: who said something, and what.
type said struct {
	PromptID string `json:"promptId"`
	UUID     string `json:"uuid"`
	Message  struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

// texts gives what a person said. The results of tools come in the person's name
// too, and are left out.
func (s said) texts() []string {
	var whole string
	if json.Unmarshal(s.Message.Content, &whole) == nil {
		return []string{whole}
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(s.Message.Content, &parts) != nil {
		return nil
	}
	var out []string
	for _, p := range parts {
		if p.Type == "text" {
			out = append(out, p.Text)
		}
	}
	return out
}

// promptLine gives the line, from 1, on which a transcript has the prompt: by its
// id, else by its whole text. 0 says that it was not found.
func promptLine(ctx context.Context, transcript io.Reader, p memory.Prompt) (int, error) {
	text := strings.TrimSpace(p.Text)
	if text == "" && p.PromptID == "" {
		return 0, nil
	}
	byText := 0
	r := bufio.NewReaderSize(transcript, 256<<10)
	for n := 1; ; n++ {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		line, err := r.ReadBytes('\n')
		if bytes.Contains(line, []byte(`"user"`)) { // few lines are decoded
			switch byID, is := saysPrompt(line, p.PromptID, text); {
			case byID:
				return n, nil
			case is && byText == 0:
				byText = n
			}
		}
		if err != nil {
			return byText, nil
		}
	}
}

// saysPrompt reports whether a line of a transcript is the prompt of the id, or has
// its text.
func saysPrompt(line []byte, id, text string) (byID, byText bool) {
	var s said
	if json.Unmarshal(line, &s) != nil || s.Message.Role != "user" {
		return false, false
	}
	said := s.texts()
	if len(said) == 0 {
		return false, false
	}
	if id != "" && (s.PromptID == id || s.UUID == id) {
		return true, false
	}
	for _, t := range append(said, strings.Join(said, "\n")) {
		if text != "" && strings.TrimSpace(t) == text {
			return false, true
		}
	}
	return false, false
}
