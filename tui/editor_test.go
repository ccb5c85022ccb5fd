package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

func TestAMemoryIsEditedInTheEditor(t *testing.T) {
	h := openReal(t, 120, 40)
	before := dump(t, h.store)
	h.desk.waits = true
	item := h.selectTitle("Adds retry with backoff")
	path := fmt.Sprintf("/tmp/observation-%d.md", item.ID)
	replace := func(old, with string) func(Command) error {
		return func(Command) error {
			if !strings.Contains(h.desk.files[path], old) {
				t.Errorf("the file has no %q:\n%s", old, h.desk.files[path])
			}
			h.desk.files[path] = strings.Replace(h.desk.files[path], old, with, 1)
			return nil
		}
	}

	h.keys("E")
	h.see("nothing was changed")
	h.desk.program = replace("- ErrDeclined is never retried", "- 拒绝的卡绝不重试\n- one more")
	h.keys("E")
	h.see("Changed facts of #", "u takes it back")
	if o := h.observation(item.ID); len(o.Facts) != 4 || o.Facts[2] != "拒绝的卡绝不重试" {
		t.Errorf("the facts are %q", o.Facts)
	}
	if len(h.desk.files) != 0 {
		t.Errorf("files are left over: %v", h.desk.files)
	}
	h.keys("u")
	if got := dump(t, h.store); !equalDumps(before, got) {
		t.Errorf("it was not taken back:\n%+v\n%+v", before, got)
	}

	h.desk.program = replace("title: ", "titel: ")
	h.keys("E")
	h.see("Could not change #", "what you wrote is in", path, "That did not work")
	h.keys("esc")
	if !strings.Contains(h.desk.files[path], "titel: ") {
		t.Error("what was written is lost")
	}
	h.desk.program = func(Command) error { return errors.New("exit status 1") }
	h.keys("E")
	h.see("nothing was changed", "the editor ended with an error (exit", "status 1)")
	h.seeNot("what you wrote")
	h.keys("esc")
	h.desk.program = func(Command) error {
		h.desk.files[path] += "- 最后一条\n"
		return errors.New("signal: killed")
	}
	h.keys("E")
	h.see("signal:", "what you wrote is in")
	if !strings.Contains(h.desk.files[path], "最后一条") {
		t.Error("what was written before the editor died is lost")
	}
	if !equalDumps(before, dump(t, h.store)) {
		t.Error("something was changed")
	}
}

// Some editors are back before anybody has typed: what is typed then must not be lost.
func TestAnEditorThatDidNotWaitKeepsItsFile(t *testing.T) {
	for _, tc := range []struct {
		name  string
		waits bool
		takes time.Duration
		kept  bool
	}{
		{"at once", false, 200 * time.Millisecond, true},
		{"later", false, 2 * time.Second, false},
		{"one that is known to wait", true, 200 * time.Millisecond, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := openReal(t, 120, 40)
			now := testNow()
			h.m.cmds.now = func() time.Time { return now }
			h.desk.waits = tc.waits
			h.desk.program = func(Command) error {
				now = now.Add(tc.takes)
				return nil
			}
			h.selectTitle("Adds retry with backoff")
			h.keys("E")
			if kept := len(h.desk.files) == 1; kept != tc.kept {
				t.Errorf("the files are %v", h.desk.files)
			}
			if tc.kept {
				h.see("set ui.editor", "/tmp/observation-")
			} else {
				h.see("nothing was changed")
				h.seeNot("ui.editor")
			}
		})
	}
}

// A draft that nobody waits for any more is taken away again.
func TestADraftThatIsNotWantedIsDropped(t *testing.T) {
	h := openReal(t, 120, 40)
	h.selectTitle("Adds retry with backoff")
	write := h.m.cmds.desk.Scratch
	written, goOn := make(chan bool), make(chan bool)
	h.m.cmds.desk.Scratch = func(name, text string) (string, error) {
		path, err := write(name, text)
		close(written)
		<-goOn
		return path, err
	}
	cmd, answer := h.m.openEditor(), make(chan tea.Msg)
	go func() { answer <- cmd() }()
	<-written
	_ = h.m.askTags()
	close(goOn)
	if msg := <-answer; msg != nil || len(h.desk.files) != 0 {
		t.Errorf("it answers %v and leaves %v", msg, h.desk.files)
	}
}
