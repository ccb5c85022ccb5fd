package hooks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"cmem/hooks/early"
	"cmem/memory"
)

// machinePrompt is how a prompt begins that the host wrote to itself.
const machinePrompt = "<task-notification>"

// forgottenAfter is how old a note of a private turn may be when nothing has come of
// its session since: the host was killed, and the note keeps hooks from their fast way.
const forgottenAfter = 48 * time.Hour

// endedAfter is the same for a session that has ended, with agents that may go on.
const endedAfter = time.Hour

// lockPatience is how long a hook waits for others to be done with the notes, which
// takes each a moment.
const lockPatience = 2 * time.Second

// privateTurns keeps, in a folder of the data directory, what sessions are in a turn
// whose prompt is wholly private: nothing of such a turn is recorded. hooks/early
// leaves every event to main while the folder is there.
type privateTurns struct {
	dir      string
	patience time.Duration // with others that hold the lock
}

func privateTurnsIn(dataDir string) privateTurns {
	return privateTurns{filepath.Join(dataDir, early.PrivateTurns), lockPatience}
}

// privateNote is what is kept of a session with a private turn. It has nothing that
// a person or a tool wrote.
type privateNote struct {
	Now     bool     `json:"now"`     // the turn goes on
	Prompts []string `json:"prompts"` // of private turns, by the host's id
	Agents  []string `json:"agents"`  // that private turns started; they may go on after them
}

// hides reports whether an event belongs to a private turn, and keeps the notes. With
// an error nothing is known for certain: then it says yes.
func (t privateTurns) hides(e memory.Event) (bool, error) {
	if !beginsPrivateTurn(e) {
		if _, err := os.Stat(t.dir); errors.Is(err, fs.ErrNotExist) {
			return false, nil // no turn is private
		}
	}
	// The hooks of tools and agents that run side by side read and write the notes side
	// by side.
	unlock, err := t.lock()
	if err != nil {
		return true, err
	}
	defer unlock()
	if e.Name == memory.EventSessionStart {
		t.sweep(time.Now())
	}
	note, err := t.read(e.SessionID)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if !note.hides(e) {
			return false, nil
		}
		return true, t.write(e.SessionID, note)
	case err != nil:
		return true, err
	case e.Name == memory.EventSessionEnd && len(note.Agents) == 0:
		return false, t.remove(e.SessionID)
	case e.Name == memory.EventSessionEnd:
		note.Now = false // the turn is over, its agents may not be
		if err := t.write(e.SessionID, note); err != nil {
			return false, err
		}
		old := time.Now().Add(endedAfter - forgottenAfter)
		return false, os.Chtimes(t.file(e.SessionID), old, old)
	}
	hidden := note.hides(e)
	if !note.Now && len(note.Agents) == 0 {
		return hidden, t.remove(e.SessionID)
	}
	return hidden, t.write(e.SessionID, note)
}

// lock keeps other hooks from the notes until unlock is called, or the process ends.
// Its file stands beside the folder, whose being there means something.
func (t privateTurns) lock() (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(t.dir), 0o700); err != nil {
		return nil, fmt.Errorf("lock the notes of private turns: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), t.patience)
	defer cancel()
	lock := flock.New(t.dir+".lock", flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 2*time.Millisecond); err != nil {
		return nil, fmt.Errorf("lock the notes of private turns: %w", err)
	}
	return func() { _ = lock.Close() }, nil // the lock goes with the process at the latest
}

// beginsPrivateTurn reports whether an event is a prompt that is wholly private.
func beginsPrivateTurn(e memory.Event) bool {
	return e.Name == memory.EventUserPromptSubmit && whollyPrivate(e.Prompt)
}

// hides reports whether an event belongs to a private turn, and takes it in.
func (n *privateNote) hides(e memory.Event) bool {
	prompt := e.Name == memory.EventUserPromptSubmit
	switch {
	case beginsPrivateTurn(e):
		n.Now = true
	case e.Name == memory.EventSessionStart, e.Name == memory.EventSessionEnd:
		return false // they say nothing about a turn
	case prompt && !strings.HasPrefix(strings.TrimSpace(e.Prompt), machinePrompt):
		n.Now = false
		return false
	case !n.Now && !n.knows(e):
		return false
	}
	n.add(e)
	return true
}

// knows reports whether an event comes of a private turn that is over.
func (n privateNote) knows(e memory.Event) bool {
	return e.PromptID != "" && slices.Contains(n.Prompts, e.PromptID) || e.AgentID != "" && slices.Contains(n.Agents, e.AgentID) ||
		e.Name == memory.EventUserPromptSubmit && slices.ContainsFunc(n.Agents, func(id string) bool { return strings.Contains(e.Prompt, "<task-id>"+id+"<") })
}

// add notes the turn and the agents of an event that belongs to a private turn.
func (n *privateNote) add(e memory.Event) {
	var started struct {
		Agent string `json:"agentId"`
		Task  string `json:"backgroundTaskId"`
	}
	_ = json.Unmarshal(e.ToolResponse, &started) // most answers start nothing
	for _, id := range []string{e.AgentID, started.Agent, started.Task} {
		if id != "" && !slices.Contains(n.Agents, id) {
			n.Agents = append(n.Agents, id)
		}
	}
	if e.PromptID != "" && !slices.Contains(n.Prompts, e.PromptID) {
		n.Prompts = append(n.Prompts, e.PromptID)
	}
}

func (t privateTurns) file(session string) string {
	sum := sha256.Sum256([]byte(session))
	return filepath.Join(t.dir, hex.EncodeToString(sum[:12]))
}

func (t privateTurns) read(session string) (privateNote, error) {
	var n privateNote
	b, err := os.ReadFile(t.file(session))
	if err != nil {
		return n, err
	}
	if json.Unmarshal(b, &n) != nil {
		return privateNote{Now: true}, nil // cut off by a full disk: when in doubt, private
	}
	return n, nil
}

// write replaces a session's note.
func (t privateTurns) write(session string, n privateNote) error {
	b, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err = os.MkdirAll(t.dir, 0o700); err == nil {
		err = replaceFile(t.file(session), b)
	}
	if err != nil {
		return fmt.Errorf("note that the turn is private: %w", err)
	}
	return nil
}

// replaceFile gives a file a new content, or leaves it as it is.
func replaceFile(name string, content []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), ".new-*") // made with mode 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(content)
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		_ = os.Remove(tmp.Name()) // sweep finds what is left
	}
	return err
}

// remove removes a session's note and, after the last, the folder.
func (t privateTurns) remove(session string) error {
	if err := os.Remove(t.file(session)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_ = os.Remove(t.dir) // fails while there are others
	return nil
}

// sweep removes the notes of sessions that have ended without a word.
func (t privateTurns) sweep(now time.Time) {
	entries, err := os.ReadDir(t.dir)
	if err != nil {
		return // there are none
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && now.Sub(info.ModTime()) > forgottenAfter {
			_ = os.Remove(filepath.Join(t.dir, entry.Name())) // tried again at the next session
		}
	}
	_ = os.Remove(t.dir)
}
