package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/store"
	"cmem/themes"
)

// hostile is text that would clear the screen, name the window, turn the line
// round and break it, if it came to a terminal as it is.
const hostile = "\x1b[2J\x1b]0;owned\x07\r\n\u202e\u009btitle\t\x00存"

// hostileBundle has it wherever a memory has text.
func hostileBundle() store.Bundle {
	const evil = hostile
	when := testNow()
	return store.Bundle{
		Sessions: []memory.Session{{
			ID: "evil", Agent: evil, Project: "/home/" + evil, CWD: evil, TranscriptPath: evil, GitBranch: evil, Title: evil,
			CreatedAt: when, LastEventAt: when,
		}},
		Prompts: []memory.Prompt{{SessionID: "evil", Number: 1, Text: evil, Project: "/home/" + evil, CreatedAt: when}},
		Observations: []memory.Observation{{
			SessionID: "evil", Project: "/home/" + evil, Type: evil, Title: evil, Subtitle: evil, Narrative: evil, PromptNumber: 1,
			Facts: []string{evil}, Concepts: []string{evil}, FilesRead: []string{evil, "b" + evil}, FilesModified: []string{evil}, UID: evil,
			Tags: []string{evil}, ToolName: evil, Compressor: evil, Model: evil, GitBranch: evil, GitCommit: evil, StatusReason: evil,
			SupersededBy: evil, CreatedAt: when, Status: memory.StatusActive, Certainty: memory.Certainty(evil),
		}, {SessionID: "evil", Project: "/home/" + evil, Type: "bugfix", Title: "title " + evil, UID: "u2", CreatedAt: when, Status: memory.StatusArchived, StatusReason: evil}},
		Summaries: []memory.Summary{{
			SessionID: "evil", Project: "/home/" + evil, Request: evil, Learned: evil, Compressor: evil, Model: evil, UID: evil,
			CreatedAt: when, FilesRead: []string{evil},
		}},
	}
}

// hostileDesk says it whatever it is asked.
func hostileDesk() Desk {
	const evil = hostile
	wrong := errors.New(evil)
	return Desk{
		Status: func(context.Context) (Status, error) {
			return Status{Running: true, Provider: evil, Paused: evil, Problem: evil}, nil
		},
		SaveTheme:      func(string) error { return wrong },
		SaveState:      func([]byte) error { return wrong },
		Clipboard:      func(string) error { return wrong },
		Export:         func(context.Context, []memory.Ref) (string, error) { return evil, nil },
		FindFile:       func(_, _, name string) (string, error) { return "", errors.New(evil + name) },
		EditCommand:    func(string, int) (Command, error) { return Command{}, wrong },
		ResumeCommand:  func(memory.Session) (Command, error) { return Command{}, wrong },
		FindTranscript: func(context.Context, memory.Session, memory.Prompt) (string, int, error) { return "", 0, wrong },
		Scratch:        func(string, string) (string, error) { return evil, nil },
		ReadScratch:    func(string) (string, error) { return "", wrong },
		DropScratch:    func(string) error { return wrong },
		Install:        func(context.Context) (string, error) { return evil, wrong },
		Setup:          func(context.Context) (Setup, error) { return Setup{Problem: evil}, wrong },
		Themes:         func() (themes.Set, []string) { return themes.NewSet(), []string{evil} },
		ThemesVersion:  func() string { return "1" },
		WakeWorker:     func() error { return wrong },
	}
}

// hostileSource fails with it when it is asked to change something.
type hostileSource struct {
	Source
	fails bool
}

func (s *hostileSource) wrong() error {
	if s.fails {
		return errors.New(hostile)
	}
	return nil
}

func (s *hostileSource) Edit(ctx context.Context, ids []int64, e memory.Edit) (memory.Snapshot, error) {
	if err := s.wrong(); err != nil {
		return memory.Snapshot{}, err
	}
	return s.Source.Edit(ctx, ids, e)
}

func (s *hostileSource) Delete(ctx context.Context, refs []memory.Ref) (memory.Snapshot, error) {
	if err := s.wrong(); err != nil {
		return memory.Snapshot{}, err
	}
	return s.Source.Delete(ctx, refs)
}

func (s *hostileSource) Related(ctx context.Context, o memory.Observation, limit int) ([]memory.Hit, error) {
	if err := s.wrong(); err != nil {
		return nil, err
	}
	return s.Source.Related(ctx, o, limit)
}

// No text of the store or of the desk comes to the terminal as it is: in no view,
// window or completion, at no size. harness.frame fails on what moves the cursor.
func TestNothingHostileReachesTheTerminal(t *testing.T) {
	slow(t)
	o := realOptions(t)
	s := o.Source.(realSource)
	if _, err := s.Import(t.Context(), hostileBundle()); err != nil {
		t.Fatal(err)
	}
	fillQueue(t, s)
	source := &hostileSource{Source: s}
	o.Source, o.Project, o.Desk = source, "", hostileDesk()
	windows := []string{"o", "O", "r", "x", "E", "T", "s", "e", "w", "v", "d", ":", "?", "t", "I", "p", "S", "z", "y"}
	for _, size := range [][2]int{{40, 12}, {56, 18}, {120, 40}, {200, 60}} {
		for _, fails := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d×%d %v", size[0], size[1], fails), func(t *testing.T) {
				source.fails = fails
				h := open(t, o, size[0], size[1])
				seen := 0
				look := func() {
					h.frame()
					v := h.m.View()
					if strings.ContainsAny(v.WindowTitle, "\x1b\x07\n") || strings.Contains(v.Content, "\x1b[2J") || strings.ContainsAny(v.Content, "\u202e\u009b\x07\x00\r\t") {
						t.Fatalf("it reaches the terminal: %q", v.Content)
					}
					if strings.Contains(v.Content, "title") {
						seen++
					}
				}
				press := func(keys ...string) {
					for _, k := range keys {
						h.keys(k)
						look()
					}
				}
				leave := func() {
					for range 4 {
						if len(h.m.overlays) > 0 || h.m.state.focus == filterPane {
							press("esc")
							if h.m.scope() == inConfirm {
								press("y")
							}
						}
					}
				}
				for _, view := range []string{"1", "2", "4", "5", "6", "7", "8"} {
					if view == "8" {
						h.keys("/")
						h.text("title")
						look()
						press("enter")
					}
					for _, k := range slices.Concat([]string{"", "j"}, windows) {
						press(view)
						if k == "j" {
							press("j", "tab", "J", "tab", "tab")
						} else if k != "" {
							press(k)
							if k == "I" {
								press("y")
							} else if h.m.scope() == inTyping {
								h.text("title")
								look()
							}
						}
						leave()
					}
				}
				press("1", "*", "a", "u", "*", "d", "y", "u", "esc")
				for _, words := range []string{"branch:", " tag:", " agent:", " type:", " file:", " concept:", " project:", " session:"} {
					h.keys("/")
					h.text(words)
					look()
					press("tab", "tab", "shift+tab", "enter")
				}
				h.send(changedMsg{err: errors.New(hostile)})
				look()
				h.send(tea.PasteMsg{Content: hostile})
				look()
				if seen < 20 {
					t.Errorf("the hostile memory was in sight %d times only: does this test still look?", seen)
				}
			})
		}
	}
}
