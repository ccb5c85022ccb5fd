package local

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first used. The
// binary that holds these rules also starts for hooks, which need none of them:
// compiling all at start would cost a session's beginning tens of milliseconds.
type pattern struct {
	text string
	once sync.Once
	re   *regexp.Regexp
}

// newPattern gives the pattern of an expression in the syntax of package regexp.
func newPattern(text string) *pattern { return &pattern{text: text} }

func (p *pattern) compiled() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(p.text) })
	return p.re
}

// The methods below are those of regexp.Regexp.

func (p *pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

func (p *pattern) FindString(s string) string { return p.compiled().FindString(s) }

func (p *pattern) FindStringIndex(s string) []int { return p.compiled().FindStringIndex(s) }

func (p *pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }

func (p *pattern) FindStringSubmatchIndex(s string) []int {
	return p.compiled().FindStringSubmatchIndex(s)
}

func (p *pattern) FindAllString(s string, n int) []string { return p.compiled().FindAllString(s, n) }

func (p *pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.compiled().FindAllStringSubmatch(s, n)
}

func (p *pattern) ReplaceAllString(s, with string) string {
	return p.compiled().ReplaceAllString(s, with)
}
