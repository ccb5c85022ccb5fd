//go:build unix

package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// shell starts a script on a terminal.
func shell(t *testing.T, script string) *terminal {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh here")
	}
	term, err := openTerminal(exec.CommandContext(t.Context(), sh, "-c", script), false)
	if err != nil {
		t.Fatal(err)
	}
	return term
}

func TestATerminalSeesFramesKeysAndWhatIsLeft(t *testing.T) {
	// It shows a line, answers each key with another one, hides the cursor for
	// good, and leaves the line without echo.
	term := shell(t, `stty -echo -icanon min 1 || exit 3
		printf '\033[?1049hready 你好\r\n'
		while key=$(dd bs=1 count=1 2>/dev/null) && [ "$key" != q ]; do printf 'got %s\n' "$key"; done
		printf '\033[?1049l\033[?25l'`)
	first, shown, err := term.started(t.Context(), []string{"你好"})
	if err != nil {
		t.Fatal(err)
	}
	if first <= 0 || shown < first {
		t.Errorf("first frame after %s, shown after %s", first, shown)
	}
	time.Sleep(20 * time.Millisecond)
	a, err := term.press("j", keyQuiet)
	if err != nil {
		t.Fatal(err)
	}
	if a.first <= 0 || a.last < a.first || a.bytes != len("got j\r\n") || a.frame != a.bytes {
		t.Errorf("answer = %+v", a)
	}
	if text := term.text(); !strings.Contains(text, "got j") {
		t.Errorf("the screen is:\n%s", text)
	}
	took, left, err := term.quit("q")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"mode 25 off", "settings of the terminal's line"}; took <= 0 || !slices.Equal(left, want) {
		t.Errorf("quit took %s and left %q, want %q", took, left, want)
	}
}

func TestAProgramThatShowsNothingIsAnError(t *testing.T) {
	term := shell(t, `printf 'no such thing\r\n'`)
	_, _, err := term.started(t.Context(), []string{"memories"})
	if err == nil || !strings.Contains(err.Error(), "no such thing") {
		t.Errorf("started = %v, want an error that tells what the screen was", err)
	}
	if err := term.close(); err != nil {
		t.Error(err)
	}
}
