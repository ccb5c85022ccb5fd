//go:build unix

package main_test

import (
	"fmt"
	"image/color"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// screen is a terminal on which a memory browser runs.
type screen struct {
	t      *testing.T
	cmd    *exec.Cmd
	master *os.File
	exited chan struct{}

	mu sync.Mutex
	em *vt.Emulator
}

// browse opens the memory browser on a pseudo-terminal, which is answered for
// what it asks.
func (h *machine) browse() *screen {
	h.t.Helper()
	cmd := h.command()
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "COLORTERM=truecolor", "EDITOR=true")
	master, err := pty.StartWithAttrs(cmd, &pty.Winsize{Cols: 120, Rows: 40}, &syscall.SysProcAttr{Setsid: true, Setctty: true})
	if err != nil {
		h.t.Fatalf("run the browser on a pseudo-terminal: %v", err)
	}
	s := &screen{t: h.t, cmd: cmd, master: master, exited: make(chan struct{}), em: vt.NewEmulator(120, 40)}
	s.em.SetDefaultBackgroundColor(color.Black)
	go func() { _, _ = io.Copy(master, s.em) }() // until one of the two is closed
	go func() {
		buf := make([]byte, 64<<10)
		for {
			n, err := master.Read(buf)
			s.mu.Lock()
			_, _ = s.em.Write(buf[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	go func() {
		_ = cmd.Wait() // it may have been killed
		close(s.exited)
	}()
	h.t.Cleanup(s.kill)
	return s
}

// kill ends the browser as a crash would and gives its terminal back.
func (s *screen) kill() {
	_ = s.cmd.Process.Kill() // it may have ended
	<-s.exited
	if pipe, ok := s.em.InputPipe().(io.Closer); ok { // the emulator's own Close races with its Read
		_ = pipe.Close()
	}
	_ = s.master.Close() // a second time does nothing
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.em.String()
}

// types sends keys; a browser that was killed takes none.
func (s *screen) types(keys string) { _, _ = s.master.WriteString(keys) }

// shows waits until the screen has the text.
func (s *screen) shows(text string) {
	s.t.Helper()
	for end := time.Now().Add(soon); !strings.Contains(s.text(), text); time.Sleep(10 * time.Millisecond) {
		select {
		case <-s.exited:
			s.t.Fatalf("the browser ended and did not show %q:\n%s", text, s.text())
		default:
		}
		if time.Now().After(end) {
			s.t.Fatalf("the screen does not show %q:\n%s", text, s.text())
		}
	}
}

// quits leaves the browser by its key, which must end it in order.
func (s *screen) quits() {
	s.t.Helper()
	s.types("q")
	select {
	case <-s.exited:
	case <-time.After(soon):
		s.t.Fatalf("the browser does not end:\n%s", s.text())
	}
	if code := s.cmd.ProcessState.ExitCode(); code != 0 {
		s.t.Errorf("the browser ended with %d:\n%s", code, s.text())
	}
}

// TestABrowserKilledAtAnyPointLeavesTheStoreSound kills the browser while it
// starts, pins, archives, deletes and undoes, and events come in.
func TestABrowserKilledAtAnyPointLeavesTheStoreSound(t *testing.T) {
	t.Parallel()
	rng, rounds := chance(t, 12)
	h := newMachine(t)
	accepted := map[string]bool{}
	deliver := func(round int) {
		session := fmt.Sprintf("session-%d", round)
		h.hook(turn(session, "UserPromptSubmit"), "hook")
		for n := range 3 {
			id := fmt.Sprintf("toolu_%d_%d", round, n)
			h.hook(edit(session, id), "hook")
			accepted[id] = true
		}
		h.hook(turn(session, "Stop"), "hook")
	}
	deliver(0)
	h.settle()
	keys := []string{"j", "k", "P", "a", "dy", "u", "G", "g", ".", "1", "2", "5", "6", "7", "/checkout\r", "\x1b", "\r"}
	for round := range rounds {
		s := h.browse()
		deliver(1 + round)
		if round%4 != 0 { // else it is killed while it starts
			s.shows("Timeline")
			if round == 1 { // keys do change something
				until(t, "a memory is pinned", func() bool {
					s.types("jP")
					return h.query("SELECT count(*) FROM observations WHERE pinned") > 0
				})
			}
			for range rng.IntN(30) {
				s.types(keys[rng.IntN(len(keys))])
				time.Sleep(time.Duration(rng.IntN(8)) * time.Millisecond)
			}
		}
		time.Sleep(time.Duration(rng.IntN(60)) * time.Millisecond)
		s.kill()
	}
	h.holds(accepted)
}
