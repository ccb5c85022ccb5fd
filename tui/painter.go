package tui

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

const (
	// frameRest is the least time between two frames: 120 a second.
	frameRest = time.Second / 120
	// housekeeping is how often a second Bubble Tea looks whether it has modes to
	// set or questions to ask. Each look wakes the process, also when nobody
	// types, so it is rare; frames do not wait for it.
	housekeeping = 10
)

// painter writes frames to the terminal: what changed, as soon as it changed.
//
// Bubble Tea's own renderer paints only when its clock ticks, and that clock
// ticks for ever; and it writes every row that has a wide character with every
// frame. So Bubble Tea is given an empty view here. It keeps the terminal's
// modes, its input and its restoring, and writes those through the painter,
// which thereby knows when the screen is ours.
type painter struct {
	out io.Writer

	mu      sync.Mutex
	up      bool // the alternate screen is on
	away    bool // Bubble Tea left it: at the end, or while it is suspended
	width   int
	height  int
	method  ansi.Method
	profile colorprofile.Profile
	synced  bool // the terminal shows a frame at once when asked to

	want    string
	cursor  *tea.Cursor
	pending bool
	lost    bool // nobody knows what the terminal shows

	rows   []paintedRow
	shown  *tea.Cursor
	buf    bytes.Buffer
	pen    uv.Style
	x, y   int // where the terminal's cursor is; -1 where that is not sure
	row    uv.ScreenBuffer
	last   time.Time
	wake   chan struct{}
	closed chan struct{}
}

// A paintedRow is a row as the terminal shows it.
type paintedRow struct {
	text  string
	cells uv.Line // nil: nobody knows
}

func newPainter(out io.Writer) *painter {
	p := &painter{out: out, method: ansi.WcWidth, profile: colorprofile.TrueColor, wake: make(chan struct{}, 1), closed: make(chan struct{})}
	go p.run()
	return p
}

// terminalPainter is a painter of a real terminal, whose size Bubble Tea asks for.
type terminalPainter struct {
	*painter
	term.File
}

func (t terminalPainter) Write(b []byte) (int, error) { return t.painter.Write(b) }

// run paints what is wanted, at most once every frameRest.
func (p *painter) run() {
	for {
		select {
		case <-p.closed:
			return
		case <-p.wake:
		}
		p.mu.Lock()
		rest := frameRest - time.Since(p.last)
		p.mu.Unlock()
		if rest > 0 {
			time.Sleep(rest)
		}
		p.mu.Lock()
		p.paint()
		p.mu.Unlock()
	}
}

// close ends the painter and leaves the alternate screen if Bubble Tea did not.
func (p *painter) close() {
	close(p.closed)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.up { // it ended before Bubble Tea knew of the screen
		_, _ = io.WriteString(p.out, leaveScreen+ansi.ResetModeAltScreenSaveCursor+ansi.SetModeTextCursorEnable)
	}
	p.up, p.away = false, true
}

// The ends of a stay on the alternate screen. Rows do not wrap there: where a
// terminal draws a character wider than it should, the row is cut at its end and
// does not push what is below.
const (
	enterScreen = ansi.SetModeAltScreenSaveCursor + ansi.ResetModeTextCursorEnable + ansi.ResetModeAutoWrap
	leaveScreen = ansi.SetModeAutoWrap
)

// Write passes on what Bubble Tea writes. From what it writes about the screen
// it takes when the screen is ours, and keeps back what would clear it.
func (p *painter) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := b
	switch {
	case bytes.Contains(b, []byte(ansi.ResetModeAltScreenSaveCursor)): // at the end, or suspended
		if p.up {
			out = append([]byte(leaveScreen), b...)
			if p.shown != nil {
				out = append([]byte(ansi.SetCursorStyle(0)), out...)
			}
		}
		p.up, p.away, p.shown = false, true, nil
	case p.up:
		out = bytes.ReplaceAll(out, []byte(ansi.SetModeAltScreenSaveCursor), nil)
		out = bytes.ReplaceAll(out, []byte(ansi.EraseEntireScreen), nil)
		p.x, p.y = -1, -1
		if bytes.Contains(out, []byte(ansi.EraseScreenBelow)) || bytes.Contains(out, []byte(ansi.EraseLineRight)) {
			p.forget()
			p.poke()
		}
	case bytes.Contains(b, []byte(ansi.SetModeAltScreenSaveCursor)): // at the beginning, or resumed
		out = slices.Concat(b, []byte(ansi.ResetModeAutoWrap))
		p.up, p.away = true, false
		p.forget()
		p.poke()
	}
	if _, err := p.out.Write(out); err != nil {
		return 0, err
	}
	return len(b), nil
}

// show asks for v on the screen.
func (p *painter) show(v tea.View) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.width == 0 || !p.lost && v.Content == p.want && sameCursor(v.Cursor, p.cursor) {
		return
	}
	p.want, p.cursor = v.Content, v.Cursor
	p.poke()
}

func (p *painter) poke() {
	p.pending = true
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// follow takes in what a message says about the terminal.
func (p *painter) follow(msg tea.Msg) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		p.width, p.height = msg.Width, msg.Height
		p.row = uv.NewScreenBuffer(p.width, 1)
		p.forget()
	case tea.ColorProfileMsg:
		p.profile = msg.Profile
		p.forget()
	case tea.ModeReportMsg:
		switch msg.Mode {
		case ansi.ModeSynchronizedOutput:
			p.synced = msg.Value == ansi.ModeReset
		case ansi.ModeUnicodeCore:
			if msg.Value.IsSet() || msg.Value.IsReset() {
				p.method = ansi.GraphemeWidth
				p.forget()
			}
		}
	}
}

// forget says that nobody knows what the terminal shows.
func (p *painter) forget() {
	p.rows, p.lost = make([]paintedRow, p.height), true
	p.x, p.y = -1, -1
}

func sameCursor(a, b *tea.Cursor) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// paint brings the terminal to what is wanted.
func (p *painter) paint() {
	if !p.pending || p.away || p.height == 0 {
		return
	}
	p.pending, p.lost = false, false
	p.buf.Reset()
	if p.synced {
		p.buf.WriteString(ansi.SetModeSynchronizedOutput)
	}
	head := p.buf.Len()
	if !p.up {
		p.up = true
		p.buf.WriteString(enterScreen + ansi.EraseEntireScreen)
		blank := make(uv.Line, p.width)
		for i := range blank {
			blank[i] = uv.EmptyCell
		}
		for y := range p.rows {
			p.rows[y] = paintedRow{cells: append(uv.Line(nil), blank...)}
		}
	}
	if p.shown != nil {
		p.buf.WriteString(ansi.ResetModeTextCursorEnable)
	}
	body := p.buf.Len()
	p.pen = uv.Style{}
	rest, y := p.want, 0
	for more := true; y < p.height; y++ {
		text := ""
		if more {
			text, rest, more = strings.Cut(rest, "\n")
		}
		if p.rows[y].cells != nil && p.rows[y].text == text {
			continue
		}
		p.paintRow(y, text)
	}
	p.setPen(uv.Style{})
	if p.buf.Len() == body && sameCursor(p.shown, p.cursor) {
		return
	}
	if c := p.cursor; c != nil {
		p.buf.WriteString(ansi.CursorPosition(c.X+1, c.Y+1))
		if p.shown == nil || p.shown.Shape != c.Shape || p.shown.Blink != c.Blink {
			style := int(c.Shape)*2 + 1
			if !c.Blink {
				style++
			}
			p.buf.WriteString(ansi.SetCursorStyle(style))
		}
		p.buf.WriteString(ansi.SetModeTextCursorEnable)
		p.x, p.y = c.X, c.Y
	}
	p.shown = p.cursor
	if p.synced && p.buf.Len() > head {
		p.buf.WriteString(ansi.ResetModeSynchronizedOutput)
	}
	_, _ = p.out.Write(p.buf.Bytes()) // Bubble Tea tells of a terminal that went away
	p.last = time.Now()
}

// onScreen is the browser with its painter.
type onScreen struct {
	tea.Model
	p *painter
}

// Update implements tea.Model.
func (s onScreen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	s.p.follow(msg)
	m, cmd := s.Model.Update(msg)
	s.Model = m
	return s, cmd
}

// View gives Bubble Tea the modes and the painter the frame.
func (s onScreen) View() tea.View {
	v := s.Model.View()
	s.p.show(v)
	v.Content, v.Cursor = " ", nil
	return v
}
