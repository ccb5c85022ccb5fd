package tui

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// paintRow writes what differs in a row.
func (p *painter) paintRow(y int, text string) {
	p.row.Method = p.method
	uv.NewStyledString(text).Draw(p.row, p.row.Bounds())
	now := p.row.Line(0)
	for x := range now {
		now[x] = settled(now[x], p.profile)
	}
	was := p.rows[y].cells
	if was == nil {
		p.move(0, y)
		p.setPen(uv.Style{})
		p.buf.WriteString(ansi.EraseLineRight)
		was = make(uv.Line, p.width)
		for x := range was {
			was[x] = uv.EmptyCell
		}
	}
	for x := 0; x < p.width; {
		from, to := p.changed(was, now, x)
		if from == to {
			break
		}
		p.put(y, from, to, now)
		x = to
	}
	copy(was, now)
	p.rows[y] = paintedRow{text, was}
}

// settled makes cells that look alike equal: a space has no colour but its
// background's.
func settled(c uv.Cell, profile colorprofile.Profile) uv.Cell {
	c.Style = uv.ConvertStyle(c.Style, profile)
	if c.Content == " " && plain(c.Style) {
		return uv.EmptyCell
	}
	return c
}

// plain reports whether a space in style looks like any other.
func plain(s uv.Style) bool {
	const seen = uv.AttrReverse | uv.AttrStrikethrough
	return s.Bg == nil && s.Underline == uv.UnderlineNone && s.Attrs&seen == 0
}

// changed gives the next cells from x on that differ, with the short gaps
// between them that are cheaper written than skipped. It cuts no wide character.
func (p *painter) changed(was, now uv.Line, x int) (from, to int) {
	const gap = 5 // what skipping costs, in bytes
	for x < p.width && now[x].Equal(&was[x]) {
		x++
	}
	if x == p.width {
		return x, x
	}
	from, to = x, x+1
	for i := to; i < p.width; i++ {
		if now[i].Width == 0 && i == to || !now[i].Equal(&was[i]) {
			to = i + 1
		} else if i-to >= gap || now[i].Content != " " && !now[i].Style.Equal(&now[to-1].Style) {
			break
		}
	}
	for from > 0 && (now[from].Width == 0 || was[from].Width == 0) {
		from--
	}
	for to < p.width && (now[to].Width == 0 || was[to].Width == 0) {
		to++
	}
	return from, to
}

// put writes cells from up to to of a row.
func (p *painter) put(y, from, to int, now uv.Line) {
	const worth = 11 // cells that are cheaper erased and skipped than written
	p.move(from, y)
	for x := from; x < to; {
		c := &now[x]
		p.move(x, y) // nothing, but behind a character whose width is not sure
		if !c.Equal(&uv.EmptyCell) {
			p.setPen(c.Style)
			if c.Content == "" {
				p.buf.WriteByte(' ')
			} else {
				p.buf.WriteString(c.Content)
			}
			x += max(c.Width, 1)
			p.advance(c)
			continue
		}
		n := x + 1
		for n < to && now[n].Equal(&uv.EmptyCell) {
			n++
		}
		if !plain(p.pen) {
			p.setPen(uv.Style{})
		}
		switch last := n == to; {
		case n == p.width && n-x > len(ansi.EraseLineRight):
			p.buf.WriteString(ansi.EraseLineRight)
		case last && n-x > 5:
			p.buf.WriteString(ansi.EraseCharacter(n - x))
		case n-x >= worth:
			p.buf.WriteString(ansi.EraseCharacter(n - x))
			p.move(n, y)
		default:
			for range n - x {
				p.buf.WriteByte(' ')
			}
			if p.x >= 0 {
				if p.x += n - x; p.x >= p.width {
					p.x = -1
				}
			}
		}
		x = n
	}
}

// advance follows the terminal's cursor behind a written cell. Behind anything
// but ASCII it is not sure: a terminal may count such a character differently.
func (p *painter) advance(c *uv.Cell) {
	if p.x < 0 {
		return
	}
	if p.x += c.Width; p.x >= p.width || !sure(c) {
		p.x = -1
	}
}

// sure reports whether every terminal counts a cell's character as one cell: what
// is in every font since the terminals of old, and what the frames are made of.
func sure(c *uv.Cell) bool {
	r, n := utf8.DecodeRuneInString(c.Content)
	switch {
	case c.Width != 1 || n != len(c.Content):
		return false
	case r < 0x80, r >= 0x2500 && r < 0x25A0: // ASCII, lines and blocks
		return true
	}
	return r >= 0xC0 && r < 0x2000 && unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) ||
		strings.ContainsRune("…·•“”’–—×→↑↓✓✗✚◆◉●○≡❯↻★▸±", r)
}

// move brings the terminal's cursor to x, y.
func (p *painter) move(x, y int) {
	switch {
	case p.y == y && p.x == x:
	case p.y == y && p.x >= 0 && x > p.x && x-p.x < 10:
		p.buf.WriteString(ansi.CursorForward(x - p.x))
	case p.y == y:
		p.buf.WriteString(ansi.CursorHorizontalAbsolute(x + 1))
	case p.y == y-1 && p.x == x:
		p.buf.WriteString(ansi.CursorDown(1)) // not a line feed, which may return to the first column too
	default:
		p.buf.WriteString("\x1b[" + strconv.Itoa(y+1) + ";" + strconv.Itoa(x+1) + "H")
	}
	p.x, p.y = x, y
}

// setPen makes what is written next look like style.
func (p *painter) setPen(style uv.Style) {
	if style.Equal(&p.pen) {
		return
	}
	seq := style.Diff(&p.pen)
	if style.IsZero() {
		seq = ansi.ResetStyle
	}
	p.buf.WriteString(seq)
	p.pen = style
}
