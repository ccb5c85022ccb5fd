//go:build !windows

package tui

import (
	"fmt"
	"image/color"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// terminal runs the test binary as a browser on a real pseudo-terminal and
// plays the terminal itself with an emulator.
type terminal struct {
	t      *testing.T
	cmd    *exec.Cmd
	ptmx   *os.File
	tty    *os.File // held open, so that what the program leaves behind can be seen
	before *term.State
	mute   bool
	exited chan struct{}

	mu    sync.Mutex
	em    *vt.Emulator
	modes map[string]bool
	kitty int
	out   strings.Builder // all that was written
	tail  string
}

// patience is how long something that must happen is waited for.
const patience = 20 * time.Second

// start runs a browser of the kind. A mute terminal answers no question.
func start(t *testing.T, kind string, width, height int, mute bool, env ...string) *terminal {
	t.Helper()
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	tm := &terminal{
		t: t, ptmx: ptmx, tty: tty, mute: mute, em: vt.NewEmulator(width, height),
		modes: map[string]bool{}, exited: make(chan struct{}),
	}
	tm.em.SetDefaultBackgroundColor(color.White) // what it answers when asked
	tm.size(width, height)
	if tm.before, err = term.GetState(tty.Fd()); err != nil {
		t.Fatal(err)
	}
	tm.cmd = exec.Command(os.Args[0])
	tm.cmd.Env = append(os.Environ(), asProgram+"="+kind, "TERM=xterm-256color", "COLORTERM=truecolor", "NO_COLOR=")
	tm.cmd.Env = append(tm.cmd.Env, env...)
	tm.cmd.Stdin, tm.cmd.Stdout, tm.cmd.Stderr = tty, tty, tty
	tm.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	go tm.answer()
	if err := tm.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go tm.read()
	go func() {
		_ = tm.cmd.Wait()
		close(tm.exited)
	}()
	t.Cleanup(func() {
		select {
		case <-tm.exited:
		default:
			_ = tm.cmd.Process.Kill()
			<-tm.exited
		}
		if pipe, ok := tm.em.InputPipe().(io.Closer); ok { // the emulator's own Close races with its Read
			_ = pipe.Close()
		}
		_ = tm.tty.Close()
		_ = tm.ptmx.Close()
	})
	return tm
}

func (tm *terminal) size(width, height int) {
	if err := pty.Setsize(tm.ptmx, &pty.Winsize{Cols: uint16(width), Rows: uint16(height)}); err != nil {
		tm.t.Fatal(err)
	}
}

// answer carries the emulator's own answers to the program.
func (tm *terminal) answer() {
	buf := make([]byte, 4096)
	for {
		n, err := tm.em.Read(buf)
		if err != nil {
			return
		}
		if !tm.mute {
			_, _ = tm.ptmx.Write(buf[:n])
		}
	}
}

var (
	modeSequence  = regexp.MustCompile(`\x1b\[\?([0-9;]+)([hl])`)
	kittySequence = regexp.MustCompile(`\x1b\[([><])[0-9;]*u`)
)

func (tm *terminal) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := tm.ptmx.Read(buf)
		if err != nil {
			return
		}
		tm.mu.Lock()
		tm.out.Write(buf[:n])
		seen := len(tm.tail)
		tm.tail += string(buf[:n])
		for _, m := range modeSequence.FindAllStringSubmatchIndex(tm.tail, -1) {
			if m[1] > seen {
				for mode := range strings.SplitSeq(tm.tail[m[2]:m[3]], ";") {
					tm.modes[mode] = tm.tail[m[4]] == 'h'
				}
			}
		}
		for _, m := range kittySequence.FindAllStringSubmatchIndex(tm.tail, -1) {
			if m[1] > seen {
				tm.kitty += map[byte]int{'>': 1, '<': -1}[tm.tail[m[2]]]
			}
		}
		tm.tail = tm.tail[max(0, len(tm.tail)-64):] // a sequence may be cut by a read
		_, _ = tm.em.Write(buf[:n])
		tm.mu.Unlock()
	}
}

func (tm *terminal) screen() string {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	return tm.em.String()
}

func (tm *terminal) typed(keys string) {
	tm.t.Helper()
	if _, err := tm.ptmx.WriteString(keys); err != nil {
		tm.t.Fatal(err)
	}
}

// until waits for a screen that satisfies ok.
func (tm *terminal) until(what string, ok func(screen string) bool) {
	tm.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if ok(tm.screen()) {
			return
		}
		select {
		case <-tm.exited:
			tm.t.Fatalf("the program ended while waiting for %s:\n%s", what, tm.screen())
		default:
		}
	}
	tm.t.Fatalf("no %s:\n%s", what, tm.screen())
}

func (tm *terminal) see(want ...string) {
	tm.t.Helper()
	tm.until(fmt.Sprintf("%q", want), func(screen string) bool {
		return !slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(screen, w) })
	})
}

// ends waits for the program's end and checks its exit code and that it left
// the terminal as it found it.
func (tm *terminal) ends(code int) {
	tm.t.Helper()
	select {
	case <-tm.exited:
	case <-time.After(patience):
		tm.t.Fatalf("the program does not end:\n%s", tm.screen())
	}
	if got := tm.cmd.ProcessState.ExitCode(); got != code {
		tm.t.Errorf("exit code %d, want %d:\n%s", got, code, tm.screen())
	}
	now, err := term.GetState(tm.tty.Fd())
	if err != nil {
		tm.t.Fatal(err)
	}
	if fmt.Sprint(*now) != fmt.Sprint(*tm.before) {
		tm.t.Errorf("the terminal's settings are left changed")
	}
	// What is written to the terminal now comes after all that the program
	// wrote: when it is seen, all of that has been seen.
	const last = "-- that was all --"
	if _, err := tm.tty.WriteString("\r\n" + last); err != nil {
		tm.t.Fatal(err)
	}
	for end := time.Now().Add(patience); !strings.Contains(tm.screen(), last); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			tm.t.Fatalf("the end of the output does not come:\n%s", tm.screen())
		}
	}
	left := tm.leftOver()
	if len(left) > 0 {
		tm.t.Errorf("left over in the terminal: %q", left)
	}
}

func (tm *terminal) leftOver() []string {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	var left []string
	for mode, on := range tm.modes {
		if want := mode == "25" || mode == "7"; on != want { // the cursor and wrapping are on by default
			left = append(left, "mode "+mode)
		}
	}
	if tm.kitty != 0 {
		left = append(left, fmt.Sprintf("kitty keyboard %+d", tm.kitty))
	}
	return left
}

func TestABrowserOnARealTerminal(t *testing.T) {
	for _, size := range sizes {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			tm := start(t, "demo", size[0], size[1], false)
			tm.see("Timeline · all projects", "Summary S2", "worker on")
			tm.typed("jj")
			tm.see("Prompt P4", "3 of 14")
			tm.typed("/")
			tm.see("words to search for")
			tm.typed("jitter")
			tm.see("/ jitter", "1 found", "Observation #105")
			tm.typed("\r\x1b")
			tm.see("1 of 14")
			tm.typed("p")
			tm.see("Projects", "All projects")
			tm.typed("notes\r")
			tm.see("Timeline · notes", "1 of 3")
			tm.typed("t")
			tm.see("Themes", "high-contrast")
			tm.typed("j\r")
			tm.see("Theme: light")
			tm.typed("?")
			tm.see("Keys", "Move")
			tm.typed("q")
			tm.typed("q")
			tm.ends(0)
		})
	}
}

func TestAMuteTerminalIsPaintedAllTheSame(t *testing.T) {
	t.Parallel()
	tm := start(t, "demo", 80, 24, true)
	tm.see("Timeline · all projects", "Summary S2")
	tm.typed("j")
	tm.see("Observation #107")
	tm.typed("\x03") // ctrl+c
	tm.ends(0)
}

func TestTheBackgroundOfTheTerminalDecidesTheTheme(t *testing.T) {
	t.Parallel()
	tm := start(t, "demo", 200, 60, false)
	tm.see("system (light)")
	tm.typed("q")
	tm.ends(0)
}

func TestTheTerminalsBrightnessIsFollowedWhileRunning(t *testing.T) {
	t.Parallel()
	tm := start(t, "demo", 200, 60, false)
	tm.see("system (light)")
	tm.until("wish to be told of the brightness", func(string) bool {
		tm.mu.Lock()
		defer tm.mu.Unlock()
		return tm.modes["2031"] && tm.modes["1004"]
	})
	become := func(c color.Color) {
		tm.mu.Lock()
		tm.em.SetDefaultBackgroundColor(c)
		tm.mu.Unlock()
	}
	become(color.Black)
	tm.typed("\x1b[?997;1n") // it is dark now
	tm.see("system (dark)")
	become(color.White)
	tm.typed("\x1b[I") // a terminal that does not tell has the focus again
	tm.see("system (light)")
	tm.typed("q")
	tm.ends(0)
}

func TestAStormOfResizesEndsInAnOrderlyScreen(t *testing.T) {
	t.Parallel()
	tm := start(t, "demo", 120, 40, false)
	tm.see("Summary S2")
	for n := range 60 {
		tm.size(20+n*37%180, 5+n*13%55)
	}
	tm.mu.Lock()
	tm.em.Resize(120, 40)
	tm.mu.Unlock()
	tm.size(120, 40)
	h := open(t, Options{Source: demoSource(), Desk: demoOptions().Desk, Theme: "system"}, 120, 40)
	want := strings.Split(h.frame(), "\n")
	tm.until("screen like the first", func(screen string) bool {
		got := strings.Split(screen, "\n")
		for n, l := range want {
			if n < 39 && (n >= len(got) || strings.TrimRight(got[n], " \r") != l) { // the last line has the theme in it
				return false
			}
		}
		return true
	})
	tm.typed("q")
	tm.ends(0)
}

func TestABurstOfKeysLosesNone(t *testing.T) {
	t.Parallel()
	tm := start(t, "huge", 120, 40, false)
	tm.see("Memory 1000000 of many")
	tm.typed(strings.Repeat("j", 450))
	tm.see("▌", "Memory 999550 of many", "451 of")
	tm.typed("G")
	tm.see("Memory 1 of many")
	tm.typed("q")
	tm.ends(0)
}

func TestArrivalsAppearByThemselves(t *testing.T) {
	t.Parallel()
	tm := start(t, "live", 120, 40, false)
	tm.see("Arrived meanwhile, number 2")
	followed := regexp.MustCompile(`▌ 15:04 . Arrived meanwhile, number \d`)
	tm.until("selection of the newest", followed.MatchString)
	tm.typed("j")
	tm.see("new ↑")
	tm.typed("q")
	tm.ends(0)
}

func TestADumbTerminalIsReadOutLineByLine(t *testing.T) {
	t.Parallel()
	tm := start(t, "demo", 80, 24, true, "TERM=dumb")
	tm.see("Memories of all projects, page 1.", "Command:")
	tm.typed("quit\r")
	tm.ends(0)
	tm.mu.Lock()
	defer tm.mu.Unlock()
	if out := tm.out.String(); strings.ContainsRune(out, '\x1b') {
		t.Errorf("it was drawn on all the same: %q", out)
	}
}

func TestBeingToldToEndIsAnEndInOrder(t *testing.T) {
	t.Parallel()
	tm := start(t, "told", 80, 24, true)
	tm.see("Summary S2")
	if err := tm.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	tm.ends(0)
}

func TestAPanicLeavesTheTerminalInOrder(t *testing.T) {
	t.Parallel()
	tm := start(t, "panic", 80, 24, false)
	tm.ends(1)
	tm.mu.Lock()
	defer tm.mu.Unlock()
	for _, want := range []string{"read a memory", "the store is broken", "goroutine"} {
		if out := tm.out.String(); !strings.Contains(out, want) {
			t.Errorf("the program's end does not tell %q:\n%s", want, out)
		}
	}
}

func TestWithoutColoursOnlyWeightAndReversalAreUsed(t *testing.T) {
	t.Parallel()
	tm := start(t, "demo", 80, 24, true, "NO_COLOR=1")
	tm.see("Summary S2")
	coloured := 0
	tm.mu.Lock()
	for y := range 24 {
		for x := range 80 {
			if c := tm.em.CellAt(x, y); c != nil && (c.Style.Fg != nil || c.Style.Bg != nil) {
				coloured++
			}
		}
	}
	tm.mu.Unlock()
	if coloured > 0 {
		t.Errorf("%d cells have a colour", coloured)
	}
	tm.typed("q")
	tm.ends(0)
}
