package themes

import (
	"image/color"
	"math"

	"charm.land/lipgloss/v2"
)

// The least contrast that text and lines must have (WCAG 2.2: 1.4.3, 1.4.6 and
// 1.4.11).
const (
	leastText = 4.5
	leastHigh = 7.0 // text of a high-contrast theme
	leastLine = 3.0 // frames, which are no text
)

// linear gives the light of a channel of sRGB, from 0 to 1.
func linear(channel uint32) float64 {
	s := float64(channel) / 0xffff
	if s <= 0.04045 {
		return s / 12.92
	}
	return math.Pow((s+0.055)/1.055, 2.4)
}

// luminance is the relative luminance of WCAG 2.2, from 0 to 1.
func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

// contrast is the contrast ratio of WCAG 2.2, from 1 to 21.
func contrast(a, b color.Color) float64 { return ratio(luminance(a), luminance(b)) }

// ratio is the contrast of two luminances.
func ratio(x, y float64) float64 { return (max(x, y) + 0.05) / (min(x, y) + 0.05) }

// pair gives the colours that text of a role has in the theme: its own
// background, or the theme's where it has none; nil for no colour at all.
func (t *Theme) pair(r Role) (fg, bg color.Color) {
	fg, bg = t.styles[r].GetForeground(), t.styles[r].GetBackground()
	if isNone(bg) {
		bg = t.Background
	}
	if isNone(fg) {
		fg = nil
	}
	return fg, bg
}

// least gives the least contrast that a role must have in the theme.
func (t *Theme) least(r Role) float64 {
	switch {
	case r == Border:
		return leastLine
	case t.high:
		return leastHigh
	}
	return leastText
}

func isNone(c color.Color) bool {
	_, none := c.(lipgloss.NoColor)
	return none || c == nil
}
