package secrets

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"sync"
)

//go:embed gitleaks/rules.json
var gitleaksRules []byte

// rule knows secrets of one kind. What it does not need is not made: an expression
// is compiled when one of its keywords was seen.
type rule struct {
	ID       string   `json:"id"`
	Regex    string   `json:"regex"`
	Keywords []string `json:"keywords"`
	Entropy  float64  `json:"entropy"` // a secret has more
	Group    int      `json:"group"`   // of Regex that is the secret; 0: the first that is there, or all
	// Named rules begin with the name that a secret is given to, which holds the
	// keyword. Others may have it anywhere.
	Named bool    `json:"named"`
	Allow []allow `json:"allow"`

	own      bool
	need     func(secret string) bool // of our own rules: what a secret must be like
	compiled *regexp.Regexp
}

// allow tells what is no secret though it has the shape of one.
type allow struct {
	Target  string   `json:"target"` // what is looked at: the secret, "match" or "line"
	Regexes []string `json:"regexes"`
	Words   []string `json:"words"`

	compiled *regexp.Regexp
	words    *words
}

// ruleSet is all rules, made when the first text is looked at. Its mutex guards
// what is compiled later.
type ruleSet struct {
	mu       sync.Mutex
	version  string
	rules    []rule
	everyone []allow // holds for all of gitleaks' rules
	keywords words   // of the rules, by their index
}

var set = sync.OnceValue(func() *ruleSet {
	var file struct {
		Version string  `json:"version"`
		Allow   []allow `json:"allow"`
		Rules   []rule  `json:"rules"`
	}
	if err := json.Unmarshal(gitleaksRules, &file); err != nil {
		panic(fmt.Sprintf("the rules in the binary are broken: %v", err)) // a test reads them
	}
	s := &ruleSet{version: file.Version, everyone: file.Allow, rules: append(file.Rules, ownRules()...)}
	for i, r := range s.rules {
		for _, k := range r.Keywords {
			s.keywords.add(k, i)
		}
	}
	return s
})

// expression gives the rule's expression, for a named rule tied to the beginning.
func (r *rule) expression() *regexp.Regexp {
	if r.compiled == nil {
		text := r.Regex
		if r.Named {
			text = `\A(?:` + text + `)`
		}
		r.compiled = regexp.MustCompile(text)
	}
	return r.compiled
}

// finding is a secret in a text.
type finding struct {
	match, secret span
}

type span struct{ from, to int }

func (s span) of(text string) string { return text[s.from:s.to] }

// accept gives the secret in a match, whose places are counted from at, unless
// something says that it is none.
func (s *ruleSet) accept(r *rule, text string, at int, loc []int) (finding, bool) {
	f := finding{match: span{at + loc[0], at + loc[1]}}
	f.secret = f.match
	for g := max(r.Group, 1); g*2+1 < len(loc); g++ {
		if loc[g*2] >= 0 && loc[g*2] < loc[g*2+1] {
			f.secret = span{at + loc[g*2], at + loc[g*2+1]}
			break
		}
		if r.Group > 0 {
			return f, false
		}
	}
	secret := f.secret.of(text)
	switch {
	case strings.TrimSpace(secret) == "",
		r.Entropy > 0 && entropy(secret) <= r.Entropy,
		r.need != nil && !r.need(secret):
		return f, false
	}
	return f, !anyAllows(r.Allow, text, f) && (r.own || !anyAllows(s.everyone, text, f))
}

func anyAllows(list []allow, text string, f finding) bool {
	for i := range list {
		if list[i].allows(text, f) {
			return true
		}
	}
	return false
}

func (a *allow) allows(text string, f finding) bool {
	secret := f.secret.of(text)
	if len(a.Words) > 0 {
		if a.words == nil {
			a.words = new(words)
			for _, w := range a.Words {
				a.words.add(w, 0)
			}
		}
		if has(a.words, secret) {
			return true
		}
	}
	if len(a.Regexes) == 0 {
		return false
	}
	if a.compiled == nil {
		a.compiled = regexp.MustCompile("(?:" + strings.Join(a.Regexes, ")|(?:") + ")")
	}
	switch a.Target {
	case "match":
		return a.compiled.MatchString(f.match.of(text))
	case "line":
		return a.compiled.MatchString(lineOf(text, f.match))
	default:
		return a.compiled.MatchString(secret)
	}
}

// lineOf gives the line, or the lines, that a match lies in, as far as that is of
// use: a line can be a file of a megabyte.
func lineOf(text string, m span) string {
	const far = 500
	from, to := max(m.from-far, 0), min(m.to+far, len(text))
	if i := strings.LastIndexByte(text[from:m.from], '\n'); i >= 0 {
		from += i + 1
	}
	if i := strings.IndexByte(text[m.to:to], '\n'); i >= 0 {
		to = m.to + i
	}
	return text[from:to]
}

// entropy is Shannon's, in bits a byte, as gitleaks counts it.
func entropy(s string) float64 {
	counts := map[rune]int{}
	for _, r := range s {
		counts[r]++
	}
	e := 0.0
	for _, n := range counts {
		p := float64(n) / float64(len(s))
		e -= p * math.Log2(p)
	}
	return e
}
