package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// maxInput bounds a line being typed, in bytes. Who pastes a file into it means
// something else, and every key would read all of it again.
const maxInput = 2000

// input is a line of text being typed. Its place is a byte offset that always
// lies between two grapheme clusters, so that one step passes one character
// as a person sees it, Chinese and emoji too.
type input struct {
	text string
	at   int
}

// insert puts text in at the cursor. Line breaks and control characters of
// pasted text do not get in.
func (i *input) insert(s string) {
	s = clean(s, false)
	if room := maxInput - len(i.text); len(s) > room {
		s = strings.ToValidUTF8(s[:max(room, 0)], "")
	}
	i.text = i.text[:i.at] + s + i.text[i.at:]
	i.at += len(s)
}

// edit does what an editing action says and reports whether it was one.
func (i *input) edit(a action) bool {
	switch a {
	case actLeft:
		i.at -= len(i.before())
	case actRight:
		i.at += len(i.after())
	case actHome:
		i.at = 0
	case actEnd:
		i.at = len(i.text)
	case actErase:
		i.eraseBack(len(i.before()))
	case actEraseNext:
		i.text = i.text[:i.at] + i.text[i.at+len(i.after()):]
	case actEraseWord:
		rest := strings.TrimRight(i.text[:i.at], " ")
		i.eraseBack(i.at - (strings.LastIndexByte(rest, ' ') + 1))
	case actEraseAll:
		i.eraseBack(i.at)
	default:
		return false
	}
	return true
}

func (i *input) eraseBack(n int) {
	i.text = i.text[:i.at-n] + i.text[i.at:]
	i.at -= n
}

// after gives the character under the cursor.
func (i *input) after() string {
	if i.at >= len(i.text) {
		return ""
	}
	cluster, _ := ansi.FirstGraphemeCluster(i.text[i.at:], ansi.GraphemeWidth)
	return cluster
}

// before gives the character before the cursor.
func (i *input) before() string {
	last := ""
	for rest := i.text[:i.at]; rest != ""; rest = rest[len(last):] {
		last, _ = ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
	}
	return last
}

// visible gives the part of the text that fits into w cells around the cursor,
// and the cursor's column in it.
func (i *input) visible(c cells, w int) (text string, column int) {
	text = c.settle(i.text)
	before := c.width(c.settle(i.text[:i.at]))
	if skip := before - (w - 1); skip > 0 {
		return c.cut(c.drop(text, skip), w), w - 1
	}
	return c.cut(text, w), before
}
