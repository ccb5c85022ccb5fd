//go:build unix

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image/color"
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

const (
	screenColumns = 120
	screenLines   = 40

	frameGap   = 4 * time.Millisecond  // silence after which the next output is another frame
	keyQuiet   = 40 * time.Millisecond // silence after which the answer to a key is complete
	glance     = 100 * time.Microsecond
	lastWords  = 50 * time.Millisecond // until what a program wrote at its end has arrived
	quitLimit  = 5 * time.Second
	startLimit = 30 * time.Second
)

// A terminal is a program on a pseudo-terminal, with a screen that shows what
// it wrote and a person who types.
type terminal struct {
	cmd      *exec.Cmd
	master   *os.File
	slave    *os.File // held, so that its settings outlive the program
	settings *term.State
	begin    time.Time
	mute     bool
	ended    chan error // the program's end

	mu         sync.Mutex
	screen     *vt.Emulator
	drawn      string // the screen with its colours
	modes      modes
	bytes      int
	changes    int
	frames     []frame // since the last key
	lastByte   time.Time
	lastChange time.Time
	firstFrame time.Time
}

// frame is what a program wrote without a pause.
type frame struct {
	begin, end time.Time
	bytes      int
}

// openTerminal starts cmd on a terminal of the usual size. A mute one answers none
// of the questions that a program may ask, as under a recorder.
func openTerminal(cmd *exec.Cmd, mute bool) (*terminal, error) {
	master, slave, err := pty.Open()
	if err != nil {
		return nil, err
	}
	t := &terminal{
		cmd: cmd, master: master, slave: slave, mute: mute, ended: make(chan error, 1),
		screen: vt.NewEmulator(screenColumns, screenLines),
	}
	fail := func(err error) (*terminal, error) { return nil, errors.Join(err, master.Close(), slave.Close()) }
	if err := pty.Setsize(master, &pty.Winsize{Cols: screenColumns, Rows: screenLines}); err != nil {
		return fail(err)
	}
	if t.settings, err = term.GetState(slave.Fd()); err != nil {
		return fail(err)
	}
	t.screen.SetDefaultBackgroundColor(color.Black)
	t.drawn = t.screen.Render()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	t.begin = time.Now()
	if err := cmd.Start(); err != nil {
		return fail(err)
	}
	go t.answer()
	go t.read()
	go func() { t.ended <- cmd.Wait() }()
	return t, nil
}

// answer carries the screen's answers (cursor, attributes, modes, colours) back
// to the program.
func (t *terminal) answer() {
	buf := make([]byte, 4<<10)
	for {
		n, err := t.screen.Read(buf)
		if err != nil {
			return
		}
		if !t.mute {
			_, _ = t.master.Write(buf[:n])
		}
	}
}

func (t *terminal) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := t.master.Read(buf)
		if n > 0 {
			t.feed(buf[:n], time.Now())
		}
		if err != nil {
			return
		}
	}
}

// feed takes in what the program wrote. Times are those of its arrival: what
// the screen takes to draw it is not the program's.
func (t *terminal) feed(b []byte, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.frames); n > 0 && now.Sub(t.frames[n-1].end) < frameGap {
		t.frames[n-1].end, t.frames[n-1].bytes = now, t.frames[n-1].bytes+len(b)
	} else {
		t.frames = append(t.frames, frame{now, now, len(b)})
	}
	t.lastByte, t.bytes = now, t.bytes+len(b)
	t.modes.feed(b)
	_, _ = t.screen.Write(b)
	if drawn := t.screen.Render(); drawn != t.drawn {
		t.drawn, t.lastChange = drawn, now
		t.changes++
		if t.firstFrame.IsZero() && strings.TrimSpace(t.screen.String()) != "" {
			t.firstFrame = now
		}
	}
}

// text gives what stands on the screen, without the empty lines below it.
func (t *terminal) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(t.screen.String())
}

// part gives what stands in some columns of the screen.
func (t *terminal) part(from, to int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	for y := range screenLines {
		for x := from; x < to; x++ {
			if c := t.screen.CellAt(x, y); c != nil {
				b.WriteString(c.Content)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// errInOrder says that a program ended by itself and without an error.
var errInOrder = errors.New("exit status 0")

// started waits for the first frame and for one of the texts to be shown, and
// tells how long after the start of the program they came.
func (t *terminal) started(ctx context.Context, texts []string) (first, shown time.Duration, err error) {
	seen := -1
	for time.Since(t.begin) < startLimit && ctx.Err() == nil {
		t.mu.Lock()
		n, change, frame := t.changes, t.lastChange, t.firstFrame
		text := ""
		if n != seen {
			seen, text = n, t.screen.String()
		}
		t.mu.Unlock()
		if text != "" && containsAny(text, texts) {
			return frame.Sub(t.begin), change.Sub(t.begin), nil
		}
		select {
		case err := <-t.ended:
			t.ended <- err
			time.Sleep(lastWords)
			return 0, 0, fmt.Errorf("%s ended before it showed any of %q: %w\n%s", t.cmd.Path, texts, cmp.Or(err, errInOrder), t.text())
		case <-time.After(glance):
		}
	}
	return 0, 0, fmt.Errorf("%s does not show any of %q: %w\n%s", t.cmd.Path, texts, cmp.Or(ctx.Err(), context.DeadlineExceeded), t.text())
}

// quiet waits until nothing has come for that long.
func (t *terminal) quiet(long time.Duration) {
	for end := time.Now().Add(startLimit); time.Now().Before(end); time.Sleep(glance) {
		t.mu.Lock()
		since := time.Since(t.lastByte)
		t.mu.Unlock()
		if since > long {
			return
		}
	}
}

func (t *terminal) write(keys string) error {
	_, err := t.master.WriteString(keys)
	return err
}

// An answer is what a program did on a key.
type answer struct {
	first time.Duration // from the key to the output that changed the screen
	last  time.Duration // to the last output that did
	frame int           // bytes of the first frame
	bytes int           // in all
}

// errNoAnswer says that a key changed nothing.
var errNoAnswer = errors.New("a key changed nothing on the screen")

// press types keys at once and waits until the screen has changed and been
// quiet for long.
func (t *terminal) press(keys string, long time.Duration) (a answer, err error) {
	t.mu.Lock()
	changes, bytes := t.changes, t.bytes
	t.frames = nil
	t.mu.Unlock()
	begin := time.Now()
	if err := t.write(keys); err != nil {
		return a, err
	}
	for time.Since(begin) < quitLimit {
		time.Sleep(glance)
		t.mu.Lock()
		if t.changes > changes {
			if a.first == 0 {
				a.first = t.lastChange.Sub(begin)
			}
			a.last, a.bytes, a.frame = t.lastChange.Sub(begin), t.bytes-bytes, t.frames[0].bytes
		}
		done := a.first > 0 && time.Since(t.lastByte) > long
		t.mu.Unlock()
		if done {
			return a, nil
		}
	}
	return a, fmt.Errorf("%s, key %q: %w", t.cmd.Path, keys, errNoAnswer)
}

// narrow types into the filter line and gives how long after it the list changed
// last, before it stayed as it was for long.
func (t *terminal) narrow(keys string, long time.Duration) (last time.Duration, err error) {
	was := t.part(0, listTo)
	begin := time.Now()
	if err := t.write(keys); err != nil {
		return 0, err
	}
	for seen := -1; time.Since(begin)-last < long; time.Sleep(glance) {
		t.mu.Lock()
		changes, at := t.changes, t.lastChange
		t.mu.Unlock()
		if changes == seen {
			continue
		}
		seen = changes
		if now := t.part(0, listTo); now != was {
			was, last = now, at.Sub(begin)
		}
	}
	return last, nil
}

// shows waits until one of the texts is on the screen. It gives so when
// that is the case already, else how long after begin it came.
func (t *terminal) shows(texts []string, begin time.Time, so time.Duration) (time.Duration, error) {
	for already := true; time.Since(begin) < startLimit; already = false {
		t.mu.Lock()
		text, change := t.screen.String(), t.lastChange
		t.mu.Unlock()
		switch there := containsAny(text, texts); {
		case there && already:
			return so, nil
		case there:
			return max(so, change.Sub(begin)), nil
		}
		time.Sleep(glance)
	}
	return 0, fmt.Errorf("the screen shows none of %q:\n%s", texts, t.text())
}

// quit types the key that ends the program, and tells how long it took to end
// and what it left switched in the terminal.
func (t *terminal) quit(key string) (took time.Duration, left []string, err error) {
	defer func() { err = errors.Join(err, t.close()) }()
	begin := time.Now()
	if err := t.write(key); err != nil {
		return 0, nil, err
	}
	select {
	case err = <-t.ended:
		took = time.Since(begin)
	case <-time.After(quitLimit):
		err = errors.Join(errors.New("it does not end"), t.cmd.Process.Kill(), <-t.ended)
	}
	if err != nil {
		return took, nil, fmt.Errorf("quit %s: %w", t.cmd.Path, err)
	}
	time.Sleep(lastWords)
	t.quiet(20 * time.Millisecond)
	now, err := term.GetState(t.slave.Fd())
	if err != nil {
		return took, nil, err
	}
	t.mu.Lock()
	left = t.modes.leftOver()
	t.mu.Unlock()
	if !reflect.DeepEqual(now, t.settings) {
		left = append(left, "settings of the terminal's line")
	}
	return took, left, nil
}

// close gives the terminal back; a program that still runs on it is ended.
func (t *terminal) close() error {
	_ = t.cmd.Process.Kill() // mostly it has ended, which is no error
	var err error
	if answers, ok := t.screen.InputPipe().(io.Closer); ok {
		err = answers.Close() // the emulator's own Close does not expect a reader
	}
	return errors.Join(err, t.slave.Close(), t.master.Close())
}

func containsAny(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
