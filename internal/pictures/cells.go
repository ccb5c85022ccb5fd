//go:build !windows

package main

import (
	"fmt"
	"image/color"

	uv "github.com/charmbracelet/ultraviolet"
)

// cells gives what is on the screen, with every colour said.
func (sc *screen) cells(bg, fg color.Color) [][]cell {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	out := make([][]cell, sc.em.Height())
	for y := range out {
		for x := 0; x < sc.em.Width(); {
			c := sc.em.CellAt(x, y)
			one := cell{x: x, width: 1, text: " ", fg: hex(fg), bg: hex(bg)}
			if c != nil {
				one.width = max(c.Width, 1)
				if c.Content != "" {
					one.text = c.Content
				}
				f, b := orElse(c.Style.Fg, fg), orElse(c.Style.Bg, bg)
				if c.Style.Attrs&uv.AttrReverse != 0 {
					f, b = b, f
				}
				one.fg, one.bg = hex(f), hex(b)
				one.bold, one.italic = c.Style.Attrs&uv.AttrBold != 0, c.Style.Attrs&uv.AttrItalic != 0
				one.underline = c.Style.Underline != uv.UnderlineNone
			}
			out[y] = append(out[y], one)
			x += one.width
		}
	}
	return out
}

func orElse(c, other color.Color) color.Color {
	if c == nil {
		return other
	}
	return c
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
