//go:build !windows

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// page is what a terminal showed, and for how long a recording shows it.
type page struct {
	cells [][]cell
	hold  time.Duration
}

const (
	patience = 30 * time.Second       // for something that has to come
	quiet    = 400 * time.Millisecond // without a change, the screen is taken as it is
)

// screen is an emulated terminal that can be read while it is written to.
type screen struct {
	mu      sync.Mutex
	em      *vt.Emulator
	changed time.Time
}

// play runs the demo on a terminal and gives what it showed.
func play(binary, home string, s scene) ([]page, error) {
	ptmx, tty, err := pty.Open()
	if err != nil {
		return nil, err
	}
	defer ptmx.Close() //nolint:errcheck // nothing was written that matters
	if err := pty.Setsize(ptmx, &pty.Winsize{Cols: uint16(s.width), Rows: uint16(s.height)}); err != nil {
		return nil, err
	}
	sc := &screen{em: vt.NewEmulator(s.width, s.height), changed: time.Now()}
	bg, fg := lightBackground, lightForeground
	if s.dark {
		bg, fg = darkBackground, darkForeground
	}
	sc.em.SetDefaultBackgroundColor(bg)
	sc.em.SetDefaultForegroundColor(fg)

	cmd := exec.Command(binary, "demo")
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "COLORTERM=truecolor", "TZ=UTC", "LANG=C.UTF-8"}
	cmd.Dir = home
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	_ = tty.Close()
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if pipe, ok := sc.em.InputPipe().(io.Closer); ok {
			_ = pipe.Close()
		}
	}()
	go sc.read(ptmx)
	go func() { _, _ = io.Copy(ptmx, readerOf(sc.em)) }()

	var pages []page
	for n, st := range s.steps {
		if _, err := ptmx.WriteString(st.keys); err != nil {
			return nil, err
		}
		if err := sc.await(st.see); err != nil {
			return nil, fmt.Errorf("step %d, %q: %w", n+1, st.keys, err)
		}
		if s.film || n == len(s.steps)-1 {
			pages = append(pages, page{sc.cells(bg, fg), st.hold})
		}
	}
	return pages, nil
}

type onlyReader struct{ em *vt.Emulator }

func (r onlyReader) Read(p []byte) (int, error) { return r.em.Read(p) }

// readerOf hides what else the emulator is, so that io.Copy only reads from it.
func readerOf(em *vt.Emulator) io.Reader { return onlyReader{em} }

func (sc *screen) read(from io.Reader) {
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		sc.mu.Lock()
		_, _ = sc.em.Write(buf[:n])
		sc.changed = time.Now()
		sc.mu.Unlock()
	}
}

// await waits until text is on the screen and nothing has changed for a while.
func (sc *screen) await(text string) error {
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		sc.mu.Lock()
		still, there := time.Since(sc.changed) > quiet, strings.Contains(sc.em.String(), text)
		shown := sc.em.String()
		sc.mu.Unlock()
		if still && there {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the screen does not show %q:\n%s", text, shown)
		}
	}
}
