package tui

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
	"unicode"
)

// typeIn runs the accessible mode with these lines and gives what it printed.
func typeIn(t *testing.T, o Options, lines ...string) string {
	t.Helper()
	var out bytes.Buffer
	o.Input, o.Output, o.Now = strings.NewReader(strings.Join(lines, "\n")+"\n"), &out, testNow
	if err := RunAccessible(t.Context(), o); err != nil {
		t.Fatalf("after %q: %v\n%s", lines, err, &out)
	}
	for n, l := range strings.Split(out.String(), "\n") {
		if i := strings.IndexFunc(l, unicode.IsControl); i >= 0 {
			t.Errorf("line %d has the control character %q: %q", n, l[i], l)
		}
	}
	return out.String()
}

func TestTheAccessibleModeReadsLists(t *testing.T) {
	slow(t)
	for name, tc := range map[string]struct {
		typed []string
		want  []string
	}{
		"newest first":  {nil, []string{"Memories of webshop, page 1.", "1. summary, 30 Nov 14:55, Make the payment client survive timeouts, 70 tokens", "There is more: n reads the next page."}},
		"next page":     {[]string{"n"}, []string{"Memories of webshop, page 2.", "That was the last page."}},
		"and back":      {[]string{"n", "p"}, []string{"page 2.", "page 1."}},
		"too far":       {[]string{"n", "n", "p", "p"}, []string{"there is no next page", "this is the first page"}},
		"search":        {[]string{"/ jitter"}, []string{"Found for jitter in webshop, page 1.", "Adds retry with backoff"}},
		"filter":        {[]string{"/ type:decision"}, []string{"Prices stay integers"}},
		"chinese":       {[]string{"/concept:促销"}, []string{"修复折扣与满减叠加时的总价"}},
		"nothing":       {[]string{"/ kubernetes"}, []string{"Nothing was found."}},
		"wrong filter":  {[]string{"/ after:2026-13-01"}, []string{"That did not work: after:"}},
		"wrong project": {[]string{"/ project:nowhere"}, []string{"no project is called nowhere"}},
		"a project":     {[]string{"/ project:notes"}, []string{"in notes, page 1.", "Streams attachments"}},
		"details":       {[]string{"/ jitter", "1"}, []string{"Observation #", "Title: Adds retry with backoff", "Story:", "Fact 1:", "End of #"}},
		"no entry":      {[]string{"99", "0"}, []string{"there is no entry 99; they go from 1 to 10", "there is no entry 0"}},
		"projects":      {[]string{"projects", "1"}, []string{"Projects, page 1.", "webshop, 6 memories", "Memories of notes, page 1."}},
		"all":           {[]string{"all"}, []string{"Memories of all projects"}},
		"sessions":      {[]string{"sessions", "1"}, []string{"Sessions of webshop, page 1.", "prompts", "Found for session:"}},
		"queue":         {[]string{"queue"}, []string{"The worker is at work. 0 events wait."}},
		"help":          {[]string{"?"}, []string{"a number: read that entry whole"}},
		"nonsense":      {[]string{"frobnicate", "", "pin", "pin x"}, []string{`"frobnicate" is nothing`, "Type a number", `"x" is no number`}},
		"views":         {[]string{"views"}, []string{"timeline, sessions, projects, queue and context"}},
		"quit":          {[]string{"quit", "all"}, []string{"Goodbye."}},
	} {
		t.Run(name, func(t *testing.T) {
			o := realOptions(t)
			out := typeIn(t, o, tc.typed...)
			for _, w := range tc.want {
				if !strings.Contains(out, w) {
					t.Errorf("it does not say %q:\n%s", w, out)
				}
			}
			if name == "quit" && strings.Contains(out, "all projects") {
				t.Error("it goes on after quit")
			}
		})
	}
}

func TestTheAccessibleModeChangesMemoriesAndTakesItBack(t *testing.T) {
	o := realOptions(t)
	out := typeIn(t, o, "/ jitter", "pin 1", "undo", "archive 1", "/ jitter status:all", "archive 1", "delete 1", "no", "delete 1", "yes", "undo", "undo", "undo", "undo")
	for _, w := range []string{
		"Pinned #", ", pinned", "Taken back: Pinned", "Archived #", ", archived", "Brought back #", "Nothing was deleted.",
		"Delete the observation #", "Deleted the observation", "Taken back: Deleted", "there is nothing to take back",
	} {
		if !strings.Contains(out, w) {
			t.Errorf("it does not say %q:\n%s", w, out)
		}
	}
	if _, again, _ := strings.Cut(typeIn(t, o, "/ jitter"), "Found for"); strings.Contains(again, "pinned") || !strings.Contains(again, "Adds retry") {
		t.Errorf("after all was taken back it reads:\n%s", again)
	}
	if out := typeIn(t, o, "n", "pin 1", "archive 2"); !strings.Contains(out, "only observations can be changed so") && !strings.Contains(out, "Pinned") {
		t.Errorf("a prompt was changed:\n%s", out)
	}
}

func TestTheAccessibleModeBeginsWhereThereIsSomething(t *testing.T) {
	o := realOptions(t)
	o.IfAny = true
	if out := typeIn(t, o); !strings.Contains(out, "Memories of webshop, page 1.") {
		t.Errorf("it begins with:\n%s", out)
	}
	o.Project = "/home/dev/空"
	if out := typeIn(t, o); !strings.Contains(out, "Memories of all projects, page 1.") {
		t.Errorf("without memories of the project it begins with:\n%s", out)
	}
}

func TestTheAccessibleModeSaysWhatFails(t *testing.T) {
	o := demoOptions()
	o.Source = &fakeSource{fail: errors.New("database is locked")}
	if out := typeIn(t, o, "context", "all", "context"); !strings.Contains(out, "That could not be read: database is locked") || !strings.Contains(out, "choose a project first") {
		t.Errorf("it says:\n%s", out)
	}
	var out bytes.Buffer
	o.Input, o.Output = strings.NewReader(strings.Repeat("a", maxSpokenLine+10)), &out
	if err := RunAccessible(t.Context(), o); !errors.Is(err, bufio.ErrTooLong) {
		t.Errorf("a line without end gives %v", err)
	}
	o.Input, o.Output = strings.NewReader("help\n"), brokenPipe{}
	if err := RunAccessible(t.Context(), o); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a closed output gives %v", err)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestTheAccessibleModeEndsWhenItIsToldTo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, typing := io.Pipe()
	defer typing.Close() //nolint:errcheck // nobody reads any more
	o := demoOptions()
	o.Input, o.Output = in, io.Discard
	ended := make(chan error, 1)
	go func() { ended <- RunAccessible(ctx, o) }()
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it does not end")
	}
}
