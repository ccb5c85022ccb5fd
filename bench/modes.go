package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// modes follows which modes of its terminal a program has switched, so that one
// can see afterwards what it left so.
type modes struct {
	on    map[string]bool // private modes by number, as last set
	kitty int             // entries that the program put on the keyboard's stack
	other int             // xterm's modifyOtherKeys
	shape int             // of the cursor
	tail  []byte          // of what came last: a sequence may be cut in two
}

var (
	modeSequence  = regexp.MustCompile(`\x1b\[\?([0-9;]+)([hl])`)
	kittySequence = regexp.MustCompile(`\x1b\[([><])([0-9;]*)u`)
	otherSequence = regexp.MustCompile(`\x1b\[>4(?:;([0-9]*))?m`)
	shapeSequence = regexp.MustCompile(`\x1b\[([0-9]*) q`)
)

// longestSequence is more than any of the sequences above takes.
const longestSequence = 48

// feed takes in what a program wrote.
func (m *modes) feed(b []byte) {
	if m.on == nil {
		m.on = map[string]bool{}
	}
	text := append(slices.Clone(m.tail), b...)
	old := len(m.tail)
	each := func(re *regexp.Regexp, f func(parts [][]byte)) {
		for _, at := range re.FindAllSubmatchIndex(text, -1) {
			if at[1] <= old {
				continue // was seen before
			}
			var parts [][]byte
			for i := 2; i < len(at); i += 2 {
				if at[i] < 0 {
					parts = append(parts, nil)
					continue
				}
				parts = append(parts, text[at[i]:at[i+1]])
			}
			f(parts)
		}
	}
	each(modeSequence, func(p [][]byte) {
		for number := range strings.SplitSeq(string(p[0]), ";") {
			m.on[number] = p[1][0] == 'h'
		}
	})
	each(kittySequence, func(p [][]byte) {
		if p[0][0] == '>' {
			m.kitty++
			return
		}
		n, err := strconv.Atoi(string(p[1]))
		if err != nil {
			n = 1
		}
		m.kitty = max(m.kitty-n, 0) // from an empty stack nothing is taken
	})
	each(otherSequence, func(p [][]byte) { m.other, _ = strconv.Atoi(string(p[0])) })
	each(shapeSequence, func(p [][]byte) { m.shape, _ = strconv.Atoi(string(p[0])) })
	m.tail = slices.Clone(text[max(0, len(text)-longestSequence):])
}

// leftOver names what is not as a terminal has it by itself.
func (m *modes) leftOver() []string {
	var out []string
	for number, on := range m.on {
		byItself := number == "25" || number == "7" // a visible cursor, lines that wrap
		if on != byItself {
			out = append(out, "mode "+number+map[bool]string{true: " on", false: " off"}[on])
		}
	}
	if m.kitty != 0 {
		out = append(out, "keyboard stack "+strconv.Itoa(m.kitty))
	}
	if m.other != 0 {
		out = append(out, "modifyOtherKeys "+strconv.Itoa(m.other))
	}
	if m.shape > 1 {
		out = append(out, "cursor shape "+strconv.Itoa(m.shape))
	}
	slices.Sort(out)
	return out
}
