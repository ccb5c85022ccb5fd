package tui

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/unicode/norm"

	"cmem/themes"
)

// cells measures text in terminal cells, the way the terminal said it does:
// by code points, or by grapheme clusters once it reported mode 2027.
type cells struct{ method ansi.Method }

// width gives the cells that s takes.
func (c cells) width(s string) int {
	if isASCII(s) {
		return len(s)
	}
	return c.method.StringWidth(s)
}

// next cuts the first grapheme cluster off s and gives its width.
func (c cells) next(s string) (cluster string, width int) {
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return s[:1], 1
	}
	cluster, width = ansi.FirstGraphemeCluster(s, c.method)
	return cluster, width
}

// cut gives the longest beginning of s that fits into w cells.
func (c cells) cut(s string, w int) string {
	if isASCII(s) {
		return s[:min(len(s), max(w, 0))]
	}
	used, i := 0, 0
	for i < len(s) {
		cluster, n := c.next(s[i:])
		if used+n > w {
			break
		}
		used += n
		i += len(cluster)
	}
	return s[:i]
}

// drop gives s without its first w cells. A wide character that lies across
// the cut is replaced by a space.
func (c cells) drop(s string, w int) string {
	used := 0
	for s != "" && used < w {
		cluster, n := c.next(s)
		s = s[len(cluster):]
		used += n
	}
	return strings.Repeat(" ", max(used-w, 0)) + s
}

// settle makes s take the same cells in every terminal. Before a terminal has
// promised to draw a grapheme cluster as one, nobody knows how many cells an
// emoji of several code points takes there, and all that follows it in the row
// would stand in the wrong place. So such an emoji is drawn by its first code
// point, and a flag by its letters.
func (c cells) settle(s string) string {
	if c.method == ansi.GraphemeWidth || isASCII(s) {
		return s
	}
	if strings.ContainsFunc(s, isJamo) {
		// Korean file names of macOS come in the parts of their syllables, which
		// terminals draw as one.
		s = norm.NFC.String(s)
	}
	var b strings.Builder
	from := 0
	for i := 0; i < len(s); {
		cluster, _ := c.next(s[i:])
		if plain := firstEmoji(cluster); plain != cluster {
			b.WriteString(s[from:i])
			b.WriteString(plain)
			from = i + len(cluster)
		}
		i += len(cluster)
	}
	if from == 0 {
		return s
	}
	return b.String() + s[from:]
}

// isJamo reports whether r is a part of a Korean syllable that stands for itself.
func isJamo(r rune) bool { return r >= 0x1100 && r < 0x1200 }

// firstEmoji gives the first code point of an emoji of several, the letters of
// a flag, and any other cluster as it is.
func firstEmoji(cluster string) string {
	first, n := utf8.DecodeRuneInString(cluster)
	const flagA, flagZ = 0x1F1E6, 0x1F1FF
	switch {
	case n == len(cluster):
		if first < flagA || first > flagZ {
			return cluster
		}
	case first < 0x1F000 && !strings.ContainsAny(cluster, "\uFE0F\u200D\u20E3"):
		return cluster
	}
	if first < flagA || first > flagZ {
		return cluster[:n]
	}
	letters := ""
	for _, r := range cluster {
		if r >= flagA && r <= flagZ {
			letters += string('A' + r - flagA)
		}
	}
	return letters
}

// fit makes s exactly w cells wide: too long a text ends in an ellipsis, too
// short a one in spaces.
func (c cells) fit(s string, w int) string {
	s = c.shorten(s, w)
	return s + strings.Repeat(" ", max(w-c.width(s), 0))
}

// shorten makes s at most w cells wide; what is cut ends in an ellipsis.
func (c cells) shorten(s string, w int) string {
	s = c.settle(s)
	if c.width(s) <= w {
		return s
	}
	if w <= 0 {
		return ""
	}
	return strings.TrimRight(c.cut(s, w-1), " ") + "…"
}

// fitRight is fit with the spaces in front.
func (c cells) fitRight(s string, w int) string {
	s = c.shorten(s, w)
	return strings.Repeat(" ", max(w-c.width(s), 0)) + s
}

// wrap breaks text into lines of at most w cells. It breaks at spaces, and
// between wide characters, which have none; a word longer than a line is cut.
// Lines that the text has itself keep their indentation.
func (c cells) wrap(text string, w int) []string {
	w = max(w, 1)
	var out []string
	for line := range strings.SplitSeq(c.settle(text), "\n") {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		if len(indent) > w/2 {
			indent = ""
		}
		out = c.wrapLine(out, strings.TrimSpace(line), indent, w)
	}
	return out
}

func (c cells) wrapLine(out []string, s, indent string, w int) []string {
	w -= len(indent)
	for {
		if c.width(s) <= w {
			return append(out, indent+s)
		}
		end := c.breakAt(s, w)
		out = append(out, indent+strings.TrimRight(s[:end], " "))
		if s = strings.TrimLeft(s[end:], " "); s == "" {
			return out
		}
	}
}

// breakAt gives the byte at which to break s, which is wider than w cells.
func (c cells) breakAt(s string, w int) int {
	used, i, last := 0, 0, 0
	wide, before := false, " " // the cluster before, and whether it is wide
	for i < len(s) {
		cluster, n := c.next(s[i:])
		if i > 0 && (wide || n > 1) && cluster != " " && !among(closing, cluster) && !among(opening, before) {
			last = i // between wide characters, and between them and others
		}
		if used+n > w {
			if cluster == " " {
				last = i
			}
			break
		}
		used += n
		i += len(cluster)
		if cluster == " " {
			last = i
		}
		wide, before = n > 1, cluster
	}
	if last > 0 {
		return last
	}
	if i == 0 { // not even one character fits
		cluster, _ := c.next(s)
		return len(cluster)
	}
	return i
}

// A line must not begin with a cluster of closing, nor end with one of opening.
const (
	closing = " ， 。 、 ； ： ？ ！ ） 》 」 』 】 〕 〉 ” ’ … — ～ · , . ; : ? ! ) ] } "
	opening = " （ 《 「 『 【 〔 〈 “ ‘ ( [ { "
)

func among(set, cluster string) bool { return strings.Contains(set, " "+cluster+" ") }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// span is text that plays one role.
type span struct {
	role themes.Role
	text string
}

// line is one row of the screen or of a pane.
type line []span

func (l line) String() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.text)
	}
	return b.String()
}

// width gives the cells that the line takes.
func (c cells) lineWidth(l line) int {
	w := 0
	for _, s := range l {
		w += c.width(s.text)
	}
	return w
}

// cutLine gives the cells from x to x+w of the line, filled up with spaces
// where the line is shorter.
func (c cells) cutLine(l line, x, w int) line {
	out := make(line, 0, len(l)+1)
	for _, s := range l {
		if w <= 0 {
			break
		}
		n := c.width(s.text)
		if n <= x {
			x -= n
			continue
		}
		text := s.text
		if x > 0 {
			text = c.drop(text, x)
			n -= x
			x = 0
		}
		if n > w {
			text = c.cut(text, w)
			n = c.width(text)
			text += strings.Repeat(" ", w-n)
			n = w
		}
		out = append(out, span{s.role, text})
		w -= n
	}
	if w > 0 {
		out = append(out, span{themes.Text, strings.Repeat(" ", w)})
	}
	return out
}

// over draws top over the line at column x.
func (c cells) over(l line, x int, top line, total int) line {
	w := c.lineWidth(top)
	out := c.cutLine(l, 0, x)
	out = append(out, top...)
	return append(out, c.cutLine(l, x+w, total-x-w)...)
}
