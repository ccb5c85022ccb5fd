package tui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"cmem/memory"
)

// maxSpokenLine bounds a line that is typed, in bytes.
const maxSpokenLine = 64 << 10

// teller is the browser for a screen reader: it prints lines and reads lines,
// and never moves the cursor, draws or colours.
type teller struct {
	ctx     context.Context
	cmds    commands
	now     func() time.Time
	out     *bufio.Writer
	lines   chan string // what is typed; closed at its end
	failed  chan error  // why it ended, if not in order
	project string
	typed   string // the search and the filters
	list    spokenList
	page    int
	shown   []entry // what the numbers stand for
	more    bool
	undo    []spokenChange
}

// spokenList is a list that is read out by pages.
type spokenList struct {
	title string
	empty string
	read  func(page int) (entries []entry, more bool, err error)
}

// entry is one of a list: what is said of it, the memory that it is, if it is
// one, and what choosing it does.
type entry struct {
	text string
	item memory.Item
	open func() error
}

// spoken is a memory with something to say about it.
type spoken struct {
	item memory.Item
	note string
}

// spokenChange is a change that can be taken back.
type spokenChange struct {
	did    string
	before memory.Snapshot
}

// listen reads lines until the input or the program ends.
func (t *teller) listen(in io.Reader) {
	defer close(t.lines)
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 4096), maxSpokenLine)
	for lines.Scan() {
		select {
		case t.lines <- cleanLine(lines.Text()):
		case <-t.ctx.Done():
			return
		}
	}
	if err := lines.Err(); err != nil {
		t.failed <- err
	}
}

// talk answers line after line.
func (t *teller) talk() error {
	for {
		line, there, err := t.ask("Command: ")
		if err != nil || !there {
			return err
		}
		quit, err := t.answer(line)
		switch {
		case t.ctx.Err() != nil:
			return nil
		case err != nil:
			t.say("That did not work: %s", cleanLine(err.Error()))
		case quit:
			t.say("Goodbye.")
			return t.flush()
		}
	}
}

// ask prints a question and waits for a line. There is none at the end of the
// input, and when the program is told to end.
func (t *teller) ask(question string) (line string, there bool, err error) {
	fmt.Fprint(t.out, question) //nolint:errcheck // the flush tells
	if err := t.flush(); err != nil {
		return "", false, err
	}
	select {
	case line, there = <-t.lines:
		if !there {
			fmt.Fprintln(t.out) //nolint:errcheck // the flush tells
			select {
			case err = <-t.failed:
				err = fmt.Errorf("read what is typed: %w", err)
			default:
			}
			return "", false, errors.Join(err, t.flush())
		}
		return line, true, nil
	case <-t.ctx.Done():
		return "", false, nil
	}
}

func (t *teller) flush() error {
	if err := t.out.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// say prints a line. An error of it is told by the next flush.
func (t *teller) say(format string, args ...any) {
	fmt.Fprintf(t.out, format+"\n", args...) //nolint:errcheck // the flush tells
}

// settleProject begins with all projects if the one of the options has no memories.
func (t *teller) settleProject() {
	projects, err := t.cmds.allProjects(t.ctx)
	if err == nil && !slices.ContainsFunc(projects, func(p memory.Project) bool { return p.Key == t.project && p.Observations+p.Sessions > 0 }) {
		t.project = ""
	}
}

// begin reads a list out from its beginning.
func (t *teller) begin(l spokenList) {
	t.list, t.page = l, 0
	t.read(0)
}

// read reads a page out. A page that cannot be read leaves everything as it is.
func (t *teller) read(page int) {
	entries, more, err := t.list.read(page)
	if err != nil {
		if t.ctx.Err() == nil {
			t.say("That could not be read: %s", cleanLine(err.Error()))
		}
		return
	}
	t.page, t.shown, t.more = page, entries, more
	if len(entries) == 0 && page == 0 {
		t.say("%s. %s", t.list.title, t.list.empty)
		return
	}
	t.say("%s, page %d.", t.list.title, page+1)
	for n, e := range entries {
		t.say("%d. %s", n+1, e.text)
	}
	switch {
	case more:
		t.say("There is more: n reads the next page.")
	case page > 0:
		t.say("That was the last page.")
	}
}

// sentence says a memory in one line.
func (t *teller) sentence(i memory.Item) string {
	_, word, _ := looks(i.Kind, i.Type)
	parts := []string{word, t.when(i.CreatedAt), cells{ansi.WcWidth}.settle(i.Title)}
	if i.Tokens > 0 {
		parts = append(parts, count(i.Tokens, "token"))
	}
	if i.Pinned {
		parts = append(parts, "pinned")
	}
	if i.Status != "" && i.Status != memory.StatusActive {
		parts = append(parts, string(i.Status))
	}
	return strings.Join(parts, ", ")
}

// when says a moment; the year only when it is another one.
func (t *teller) when(at time.Time) string {
	layout := "2 Jan 15:04"
	at = at.In(t.now().Location())
	if at.Year() != t.now().Year() {
		layout = "2 Jan 2006 15:04"
	}
	return at.Format(layout)
}

// numbered gives the entry of a number that was typed.
func (t *teller) numbered(s string) (entry, error) {
	n, err := strconv.Atoi(strings.TrimSuffix(s, "."))
	switch {
	case err != nil:
		return entry{}, fmt.Errorf("%q is no number; type the number of an entry", s)
	case len(t.shown) == 0:
		return entry{}, errors.New("there is nothing to choose from")
	case n < 1 || n > len(t.shown):
		return entry{}, fmt.Errorf("there is no entry %d; they go from 1 to %d", n, len(t.shown))
	}
	return t.shown[n-1], nil
}
