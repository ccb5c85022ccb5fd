package themes

import (
	"image/color"
	"math"
	"strconv"

	"charm.land/lipgloss/v2"
)

// Indexed gives the theme's counterpart for a terminal of 256 colours, chosen
// from the 240 of them that are the same everywhere. Each colour is the nearest
// one that keeps what the theme promises: text is as readable as its role asks,
// rows that differ by their background still do, and each step of the heat map
// stands out more than the one before. Reducing colour by colour, as an output
// filter does, keeps none of that: of the dark tints only some six are left.
func (t Theme) Indexed() Theme {
	if t.Background == nil {
		return t
	}
	was := t // the styles are compared with what they were
	x := xterm{known: map[color.RGBA]int{}, taken: map[int]bool{}}
	x.fill()
	t.Background = x.background(was.Background)
	for _, r := range []Role{Selected, SelectedBlur, Mark, Match, Danger, SelectedMatch, Chip} {
		if bg := was.styles[r].GetBackground(); !isNone(bg) {
			t.styles[r] = t.styles[r].Background(x.background(bg))
		}
	}
	var heat float64 // contrast of the step before
	for r := range roles {
		if bg := was.styles[r].GetBackground(); !isNone(bg) {
			t.styles[r] = t.styles[r].Background(x.background(bg))
		}
		fg, wasOn := was.pair(r)
		if fg == nil {
			continue
		}
		_, bg := t.pair(r)
		want := min(was.least(r), contrast(fg, wasOn)) // a person's own may have less
		if r < Heat0 || r > Heat4 {
			t.styles[r] = t.styles[r].Foreground(x.nearest(fg, want, bg, wasOn))
			continue
		}
		c := x.nearest(fg, max(want, heat*1.05), bg, wasOn)
		heat = contrast(c, bg)
		t.styles[r] = t.styles[r].Foreground(c)
	}
	return t.ready()
}

// xterm is the colours 16 to 255 of a terminal, and which backgrounds are
// chosen from them.
type xterm struct {
	colors [240]color.Color
	labs   [240]lab
	lights [240]float64       // their luminance
	known  map[color.RGBA]int // what stands for a background
	taken  map[int]bool
}

func (x *xterm) fill() {
	for i := range x.colors {
		x.colors[i] = lipgloss.Color(strconv.Itoa(16 + i))
		x.labs[i] = labOf(x.colors[i])
		x.lights[i] = luminance(x.colors[i])
	}
}

// background gives the nearest colour that stands for no other background yet.
func (x *xterm) background(c color.Color) color.Color {
	key := color.RGBAModel.Convert(c).(color.RGBA)
	if i, ok := x.known[key]; ok {
		return x.colors[i]
	}
	want, best, least := labOf(c), 0, math.Inf(1)
	for i := range x.labs {
		if d := want.distance(x.labs[i]); d < least && !x.taken[i] {
			best, least = i, d
		}
	}
	x.known[key], x.taken[best] = best, true
	return x.colors[best]
}

// nearest gives the nearest colour that has at least that contrast to all the
// backgrounds, or the one with the most when none has.
func (x *xterm) nearest(c color.Color, least float64, backgrounds ...color.Color) color.Color {
	behind := make([]float64, len(backgrounds))
	for i, bg := range backgrounds {
		behind[i] = luminance(bg)
	}
	want, best, distance := labOf(c), -1, math.Inf(1)
	strongest, most := 0, 0.0
	for i := range x.colors {
		has := math.Inf(1)
		for _, light := range behind {
			has = min(has, ratio(x.lights[i], light))
		}
		if has > most {
			strongest, most = i, has
		}
		if d := want.distance(x.labs[i]); has >= least && d < distance {
			best, distance = i, d
		}
	}
	if best < 0 {
		best = strongest
	}
	return x.colors[best]
}

// lab is a colour in Oklab, where distance is difference as people see it.
type lab struct{ l, a, b float64 }

func (x lab) distance(y lab) float64 { return math.Hypot(math.Hypot(x.l-y.l, x.a-y.a), x.b-y.b) }

// labOf is the conversion that Björn Ottosson published with Oklab.
func labOf(c color.Color) lab {
	r16, g16, b16, _ := c.RGBA()
	r, g, b := linear(r16), linear(g16), linear(b16)
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return lab{
		l: 0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		a: 1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		b: 0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}
