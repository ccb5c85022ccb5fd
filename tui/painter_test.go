package tui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"cmem/themes"
)

// shownBy gives the screen of a terminal, a line for each row, with the
// background of each cell.
func shownBy(screen *vt.Emulator) string {
	var b strings.Builder
	for y := range screen.Height() {
		for x := range screen.Width() {
			c := screen.CellAt(x, y)
			if c == nil {
				b.WriteByte(' ')
				continue
			}
			switch {
			case c.Content == "" && c.Width == 1:
				b.WriteByte(' ')
			default:
				b.WriteString(c.Content)
			}
			if c.Style.Bg != nil {
				fmt.Fprintf(&b, "{%v}", c.Style.Bg)
			}
			if strings.TrimSpace(c.Content) != "" && c.Style.Fg != nil {
				fmt.Fprintf(&b, "(%v)", c.Style.Fg)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestThePainterShowsEveryFrameAsItWouldShowOnAnEmptyTerminal(t *testing.T) {
	slow(t)
	theme := themes.Dark()
	pieces := []string{"a", "memory ", "          ", "                         ", "中文 ", "修复了令牌刷新", "e\u0301", "│", "▌ 09:14 ", "─────", "ｗ", "!"}
	roles := []themes.Role{themes.Text, themes.Muted, themes.Selected, themes.Border, themes.Strong, themes.Badge}
	const width, height = 60, 12
	random := rand.New(rand.NewPCG(1, 2))
	c := cells{ansi.WcWidth}
	lineOf := func() string {
		var b strings.Builder
		used := 0
		for used < width {
			text := c.cut(pieces[random.IntN(len(pieces))], width-used)
			if text == "" {
				text = strings.Repeat(" ", width-used)
			}
			used += c.width(text)
			theme.Append(&b, roles[random.IntN(len(roles))], text)
		}
		return b.String()
	}
	paintOn := func(screen *vt.Emulator) *painter {
		p := &painter{out: screen, wake: make(chan struct{}, 1), method: ansi.WcWidth, profile: colorprofile.TrueColor}
		p.follow(tea.WindowSizeMsg{Width: width, Height: height})
		return p
	}
	screen := vt.NewEmulator(width, height)
	p := paintOn(screen)
	lines := make([]string, height)
	for y := range lines {
		lines[y] = lineOf()
	}
	for n := range 400 {
		switch n % 50 {
		case 20: // another size, or the same again
			p.follow(tea.WindowSizeMsg{Width: width, Height: height})
		case 30: // Bubble Tea's empty view
			if _, err := p.Write([]byte("\x1b[?1049h\x1b[?2004h\x1b[H\x1b[2J\x1b[>1u")); err != nil {
				t.Fatal(err)
			}
		case 40: // suspended and resumed
			if _, err := p.Write([]byte("\x1b[12;1H\x1b[?1049l\x1b[?25h")); err != nil {
				t.Fatal(err)
			}
			before := p.buf.String()
			p.show(tea.NewView(lines[0]))
			if p.paint(); p.buf.String() != before {
				t.Fatal("it painted while another program had the terminal")
			}
			if _, err := p.Write([]byte("\x1b[?1049h\x1b[?25l")); err != nil {
				t.Fatal(err)
			}
		}
		for range random.IntN(4) {
			lines[random.IntN(height)] = lineOf()
		}
		v := tea.NewView(strings.Join(lines, "\n"))
		p.show(v)
		p.paint()
		fresh := vt.NewEmulator(width, height)
		if _, err := fresh.WriteString("\x1b[?1049h\x1b[H" + strings.Join(lines, "\r\n")); err != nil {
			t.Fatal(err)
		}
		if got, want := shownBy(screen), shownBy(fresh); got != want {
			g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
			for y := range g {
				if g[y] != w[y] {
					t.Errorf("frame %d, row %d:\ngot  %s\nwant %s", n, y, g[y], w[y])
				}
			}
			t.FailNow()
		}
	}
}

// A terminal may count a rare character differently: what follows it must not
// land in another place.
func TestBehindACharacterOfUnsureWidthThePlaceIsSaidAnew(t *testing.T) {
	var out strings.Builder
	p := &painter{out: &out, wake: make(chan struct{}, 1), method: ansi.WcWidth, profile: colorprofile.TrueColor}
	p.follow(tea.WindowSizeMsg{Width: 40, Height: 1})
	p.show(tea.NewView("a\ud7ffb" + strings.Repeat(" ", 30)))
	p.paint()
	if text := out.String(); !strings.Contains(text, "\ud7ff"+ansi.CursorHorizontalAbsolute(3)+"b") {
		t.Errorf("painted %q", text)
	}
	out.Reset()
	p.show(tea.NewView("│…b" + strings.Repeat(" ", 30)))
	p.paint()
	if text := out.String(); !strings.Contains(text, "│…") || strings.Contains(text, "…"+ansi.CursorHorizontalAbsolute(3)) {
		t.Errorf("lines and dots are sure: %q", text)
	}
}
