package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
)

// fakeDesk notes what is done outside, in memory.
type fakeDesk struct {
	done     []string
	files    map[string]string
	commands []Command
	program  func(c Command) error // what a command does; nil for nothing
	display  bool                  // the system has a clipboard
	waits    bool                  // the editor is known to wait
}

var errGone = errors.New("it is not there any more 🕳")

func (d *fakeDesk) fill(desk *Desk) {
	desk.Clipboard = func(text string) error {
		d.done = append(d.done, "clipboard "+text)
		if d.display {
			return nil
		}
		return errors.New("no display")
	}
	desk.Export = func(_ context.Context, refs []memory.Ref) (string, error) {
		d.done = append(d.done, fmt.Sprintf("export %d", len(refs)))
		return "./导出.md", nil
	}
	desk.EditCommand = func(path string, line int) (Command, error) {
		return Command{Path: "/bin/editor", Args: []string{fmt.Sprintf("+%d", line), path}, Waits: d.waits}, nil
	}
	desk.ResumeCommand = func(s memory.Session) (Command, error) {
		return Command{Path: "claude", Args: []string{"--resume", s.ID}, Dir: s.CWD}, nil
	}
	desk.FindFile = func(project, _, name string) (string, error) {
		if strings.Contains(name, "gone") {
			return "", fmt.Errorf("%s: %w", name, errGone)
		}
		if strings.Contains(name, ":") {
			return "", errGone
		}
		return project + "/" + name, nil
	}
	desk.FindTranscript = func(_ context.Context, s memory.Session, p memory.Prompt) (string, int, error) {
		return s.TranscriptPath, 10 * p.Number, nil
	}
	desk.Scratch = func(name, text string) (string, error) {
		d.files["/tmp/"+name] = text
		return "/tmp/" + name, nil
	}
	desk.ReadScratch = func(path string) (string, error) {
		text, ok := d.files[path]
		if !ok {
			return "", errGone
		}
		return text, nil
	}
	desk.DropScratch = func(path string) error {
		delete(d.files, path)
		return nil
	}
	desk.Install = func(context.Context) (string, error) {
		d.done = append(d.done, "install")
		return "cmem is connected.", nil
	}
}

// take lets commands run here instead of in the terminal.
func (d *fakeDesk) take(h *harness) {
	h.m.cmds.handOver = func(c Command, then func(error) tea.Msg) tea.Cmd {
		return func() tea.Msg {
			d.commands = append(d.commands, c)
			if d.program == nil {
				return then(nil)
			}
			return then(d.program(c))
		}
	}
}

func (d *fakeDesk) last() string {
	if len(d.commands) == 0 {
		return ""
	}
	c := d.commands[len(d.commands)-1]
	return strings.Join(append([]string{c.Dir, c.Path}, c.Args...), " ")
}

func TestMemoriesAreCopied(t *testing.T) {
	h := openReal(t, 120, 40)
	item := h.selectTitle("Adds retry with backoff")
	h.keys("y")
	h.see(fmt.Sprintf("Gave #%d as Markdown to the terminal's clipboard", item.ID)) // which does not answer
	if !strings.HasPrefix(h.clipboard, "# Adds retry") || len(h.desk.done) != 1 || h.desk.done[0] != "clipboard "+h.clipboard {
		t.Errorf("the clipboards got %q and %q", h.clipboard, h.desk.done)
	}
	h.desk.display = true
	h.keys("Y")
	h.see(fmt.Sprintf("Copied #%d", item.ID))
	if want := fmt.Sprintf("#%d", item.ID); h.clipboard != want {
		t.Errorf("the id was copied as %q", h.clipboard)
	}
	h.keys("g", "space", "space", "y")
	h.see("as Markdown")
	if n := strings.Count(h.clipboard, "\n---\n"); n != 1 {
		t.Errorf("two memories have %d lines between them", n)
	}
	h.keys("x")
	h.see("Exported ", "to ./导出.md")
	if len(h.m.marks) != 2 {
		t.Error("copying and exporting took the marks away")
	}
}

func TestFilesAreOpened(t *testing.T) {
	h := openReal(t, 120, 40)
	h.selectTitle("Fixes a goroutine leak")
	h.keys("o")
	if got := h.desk.last(); got != " /bin/editor +0 "+webshop+"/rates/fetch.go" {
		t.Errorf("one file is opened by %q", got)
	}
	h.selectTitle("Adds retry with backoff")
	h.keys("o")
	h.see("Files of #", "payment/client_test.go", "order/store.go")
	h.text("store")
	h.keys("enter")
	if got := h.desk.last(); got != " /bin/editor +0 "+webshop+"/order/store.go" {
		t.Errorf("the chosen file is opened by %q", got)
	}

	id := h.m.targets()[0].ID
	for names, want := range map[string]string{
		"a/订单.go:12": " /bin/editor +12 " + webshop + "/a/订单.go", "gone.go": "Could not open gone.go: gone.go: it is not there any more",
	} {
		list := []string{names}
		if _, err := h.store.Edit(t.Context(), []int64{id}, memory.Edit{FilesModified: &list, FilesRead: &[]string{}}); err != nil {
			t.Fatal(err)
		}
		h.keys("o")
		if !strings.HasPrefix(want, " ") {
			h.see(want)
		} else if got := h.desk.last(); got != want {
			t.Errorf("%q is opened by %q", names, got)
		}
	}
	h.keys("g")
	for h.m.subject().item.Kind != memory.KindPrompt {
		h.keys("j")
	}
	h.keys("o")
	h.see("names no files")
}

func TestTheSessionIsResumedAndItsTranscriptOpened(t *testing.T) {
	h := openReal(t, 120, 40)
	item := h.selectTitle("Documents payment.max_tries")
	h.keys("r")
	if got := h.desk.last(); got != webshop+" claude --resume "+item.SessionID {
		t.Errorf("it is resumed by %q", got)
	}
	h.keys("O")
	h.see("not known where the session's transcript is")
	h.desk.program = func(Command) error { return errors.New("exit status 3") }
	h.keys("r")
	h.see("it ended with an error: exit status 3")

	o := realOptions(t)
	h2 := open(t, o, 80, 24)
	h2.keys("r")
	h2.see("Could not resume the session: it cannot be done here")
	h2.keys("I")
	h2.see("cannot be done here; `cmem install` does it")
}

func TestTheTranscriptIsOpenedAtThePrompt(t *testing.T) {
	o := demoOptions()
	source := demoSource()
	for id, s := range source.sessions {
		s.TranscriptPath = "/home/dev/会话.jsonl"
		source.sessions[id] = s
	}
	o.Source = source
	desk := &fakeDesk{files: map[string]string{}}
	desk.fill(&o.Desk)
	h := open(t, o, 80, 24)
	desk.take(h)
	h.selectTitle("Documents payment.max_tries")
	h.keys("O")
	if got := desk.last(); got != " /bin/editor +20 /home/dev/会话.jsonl" {
		t.Errorf("it is opened by %q", got)
	}
}

func TestConnectingIsAskedFirst(t *testing.T) {
	h := openReal(t, 120, 40)
	h.keys("I")
	h.see("Connect cmem to Claude Code?")
	h.keys("n")
	if len(h.desk.done) != 0 {
		t.Fatal("it was done in spite of a no")
	}
	h.keys("I", "y")
	h.see("cmem is connected.")
}

// What is written out or installed is not given up because of the next key.
func TestExportsAndTheInstallationAreNotCancelled(t *testing.T) {
	h := openReal(t, 120, 40)
	h.selectTitle("Adds retry with backoff")
	started, goOn := make(chan bool), make(chan bool)
	h.m.cmds.desk.Export = func(ctx context.Context, _ []memory.Ref) (string, error) {
		close(started)
		<-goOn
		return "导出.md", ctx.Err()
	}
	export, answer := h.m.export(), make(chan tea.Msg)
	go func() { answer <- export() }()
	<-started
	h.m.Update(keyPress(t, "I"))
	_, install := h.m.Update(keyPress(t, "y"))
	h.keys("y", "Y", "O")
	close(goOn)
	h.keys("esc") // the transcript is not there
	h.send(<-answer)
	h.see("Exported #", "to 导出.md")
	h.run(install)
	h.see("cmem is connected.")
}

// A file that is chosen is opened, even if something is copied meanwhile.
func TestCopyingDoesNotStopOpening(t *testing.T) {
	h := openReal(t, 120, 40)
	h.selectTitle("Fixes a goroutine leak")
	_, files := h.m.Update(keyPress(t, "o"))
	h.keys("Y")
	h.run(files)
	if !strings.Contains(h.desk.last(), "rates/fetch.go") {
		t.Errorf("the file is not opened: %q", h.desk.last())
	}
}

func TestWhatIsTooLargeIsNotSaidToBeCopied(t *testing.T) {
	for _, tc := range []struct {
		name     string
		size     int
		display  bool
		says     string
		terminal bool
	}{
		{"small", 100, true, "Copied #", true},
		{"small, no display", 100, false, "Gave #", true},
		{"large", maxTerminalCopy + 1, true, "Copied #", false},
		{"large, no display", maxTerminalCopy + 1, false, "is too large for the terminal's clipboard", false},
		{"huge", maxCopied + 1, true, "could not be copied: it is more than 4", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := openReal(t, 200, 40)
			h.desk.display = tc.display
			item := h.selectTitle("Adds retry with backoff")
			text := strings.Repeat("长", tc.size/3) + "."
			if _, err := h.store.Edit(t.Context(), []int64{item.ID}, memory.Edit{Narrative: &text}); err != nil {
				t.Fatal(err)
			}
			h.keys("y")
			h.see(tc.says)
			if got := h.clipboard != ""; got != tc.terminal {
				t.Errorf("the terminal gets %d bytes", len(h.clipboard))
			}
			if strings.Contains(tc.says, "could not") || strings.Contains(tc.says, "too large") {
				h.see("x exports")
			}
		})
	}
}

func equalDumps(a, b everything) bool { return fmt.Sprintf("%+v", a) == fmt.Sprintf("%+v", b) }

func TestSplitsTheLineOffAName(t *testing.T) {
	for name, want := range map[string]string{
		"a.go": "a.go 0", "a.go:12": "a.go 12", "a.go:12:5": "a.go 12", "a.go:12-20": "a.go 12", "价格.go:7": "价格.go 7",
		"a.go:x": "a.go:x 0", "a:": "a: 0", ":7": ":7 0", `C:\a.go`: `C:\a.go 0`, "a.go:-1": "a.go:-1 0",
	} {
		bare, line := splitLine(name)
		if got := fmt.Sprint(bare, " ", line); got != want {
			t.Errorf("%q is %q", name, got)
		}
	}
}
