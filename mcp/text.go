package mcp

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"cmem/memory"
	"cmem/recall"
)

// What an answer may cost, in tokens, unless the caller says otherwise.
const (
	indexTokens = 2_000 // an index
	wholeTokens = 8_000 // whole memories

	leastTokens = 300
	mostTokens  = 20_000 // below where clients cut or refuse an answer

	// endTokens are kept for what an answer says at its end.
	endTokens = 60
)

// budget reads what the answer to a call may cost.
func (a args) budget(usual int) (int, error) {
	return a.number(usual, leastTokens, mostTokens, "max_tokens", "maxTokens", "token_budget")
}

// frame stands around every answer that holds stored text.
const (
	frameOpen  = "<cmem-memory>\n" + notice + "\n"
	frameClose = "</cmem-memory>"
)

// page collects an answer and keeps to its budget.
type page struct {
	w    strings.Builder
	room int // tokens that are left
	cut  int // how many pieces found no room
}

func newPage(tokens int) *page {
	p := &page{room: tokens - endTokens - memory.EstimateTokens(frameClose)}
	p.note(strings.TrimSuffix(frameOpen, "\n"))
	return p
}

// add writes a piece whole or not at all, and after the first one that finds
// no room no other, so that what is there is a beginning. given is the form in
// which the piece is handed out, which is what it costs.
func (p *page) add(piece, given string) bool {
	cost := memory.EstimateTokens(given)
	if p.cut > 0 || cost > p.room {
		p.cut++
		return false
	}
	p.room -= cost
	p.w.WriteString(piece)
	return true
}

// note writes a line of ours, for which there is always room.
func (p *page) note(line string) {
	p.room -= memory.EstimateTokens(line + "\n")
	p.w.WriteString(line + "\n")
}

func (p *page) String() string { return p.w.String() + frameClose }

// oneLine makes stored text one harmless line.
func oneLine(s string) string { return strings.Join(strings.Fields(harmless(s)), " ") }

// harmless makes stored text fit to stand in an answer: control, invisible and
// private-use characters are dropped, and the "<" of a tag that means something
// to the model or its host becomes "‹". Other "<" stay: Vec<String>. White space
// stays white space: dropping it would make a tag of what was none.
func harmless(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range s {
		switch {
		case r == '\n' || r == '\t':
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
			continue
		case unicode.IsSpace(r):
			r = ' '
		case r == utf8.RuneError, hidden(r):
			continue
		case r == '<' && recall.BeginsHostTag(s[i+1:]):
			r = '‹'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// hidden tells what a reader does not see; the joiner of emoji is not meant.
func hidden(r rune) bool {
	return unicode.IsControl(r) || r != '\u200D' && unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r)
}

// shorten cuts s to at most limit characters and marks it.
func shorten(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	runes := []rune(s)
	return strings.TrimRight(string(runes[:limit-1]), " ,.;:") + "…"
}

// withinTokens cuts s so that it costs at most limit estimated tokens, so that
// a line in Chinese is as cheap as one in English.
func withinTokens(s string, limit int) string {
	if len(s) <= limit || memory.EstimateTokens(s) <= limit {
		return s
	}
	text, _, _ := part(s[:min(len(s), 16*limit)], 0, limit-1)
	return strings.TrimRight(text, " ,.;:") + "…"
}

// headAndTail cuts s to about limit bytes: most of its beginning, some of its end.
func headAndTail(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head, tail := limit*6/10, len(s)-limit*3/10
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + " [… " + strconv.Itoa(tail-head) + " bytes elided …] " + s[tail:]
}

// part gives what of s begins at character from and costs at most limit tokens,
// the character after it, and how many there are in all.
func part(s string, from, limit int) (text string, next, all int) {
	runes := []rune(s)
	from = min(max(from, 0), len(runes))
	rest := runes[from:]
	low, high := 0, min(len(rest), 4*limit)
	for low < high {
		mid := (low + high + 1) / 2
		if memory.EstimateTokens(string(rest[:mid])) <= limit {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return string(rest[:low]), from + low, len(runes)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
