package local

import (
	"fmt"
	"strings"
)

const (
	maxFacts   = 6
	factCells  = 220
	maxBullets = 3
)

// factList gathers facts in order of worth, without repeating any.
type factList struct{ facts []string }

func (f *factList) add(limit int, facts ...string) {
	for _, t := range facts {
		if t = clip(oneLine(t), factCells); t != "" && limit > 0 {
			n := len(f.facts)
			f.facts = appendNew(f.facts, maxFacts, t)
			limit -= len(f.facts) - n
		}
	}
}

// facts gives what of an arc with edits can be looked up again: values old and new,
// the error, the test counts, the commit, what the assistant listed, new symbols.
func (s *scene) facts(a *arc, v verdict) []string {
	var f factList
	var values, fresh, symbols []string
	for _, e := range a.files {
		for _, val := range e.values {
			if val.before != "" {
				values = append(values, val.String()+at(e.path, val.line))
			} else {
				fresh = append(fresh, val.String()+at(e.path, val.line))
			}
		}
		for _, sym := range e.effects {
			if sym.how == added && sym.line > 0 && sym.kind != "section" && sym.kind != "test" && sym.kind != "const" {
				symbols = append(symbols, fmt.Sprintf("%s %s%s", sym.kind, sym.name, at(e.path, sym.line)))
			}
		}
	}
	f.add(2, append(values, fresh...)...)
	if v.red != nil && v.still == nil {
		f.add(1, v.red.check()+s.lang.say(" failed: ", " 失败：")+failureOf(v.red))
	}
	if v.still != nil {
		f.add(1, v.still.check()+s.lang.say(" fails: ", " 失败：")+failureOf(v.still))
	} else if v.green != nil {
		f.add(1, v.green.check()+": "+v.green.tests.String())
	}
	if k := a.commit; k != nil && k.hash != "" {
		t := s.lang.say("Commit ", "提交 ") + k.hash
		if k.branch != "" {
			t += s.lang.say(" on ", "，分支 ") + k.branch
		}
		f.add(1, t)
	}
	f.add(2, s.operationFacts(a.ops)...)
	f.add(maxBullets, s.bullets(a)...)
	f.add(2, symbols...)
	f.add(1, s.sources()...)
	return f.facts
}

func at(file string, line int) string {
	if line > 0 {
		return fmt.Sprintf(" (%s:%d)", file, line)
	}
	return " (" + file + ")"
}

var bullet = newPattern(`^\s*(?:[-*+•]|\d{1,2}[.)、])\s+`)

// bullets gives the items of the assistant's lists that have a name or a figure in
// them and are about the arc; nil takes all.
func (s *scene) bullets(a *arc) []string {
	var out []string
	for line := range strings.Lines(s.message) {
		if !bullet.MatchString(line) {
			continue
		}
		item := unended(oneLine(unmark(line)))
		if cells(item) < 8 || cells(item) > factCells || weigh(item) == 0 || strings.HasSuffix(item, "?") || a != nil && a.split && a.hits(item) == 0 {
			continue
		}
		out = append(out, item)
		if len(out) == 8 {
			break
		}
	}
	return out
}

// operationFacts tells operations, a fact each; a repeated one counts once, by its last run.
func (s *scene) operationFacts(ops []int) []string {
	var out []string
	last := map[string]int{}
	for _, i := range ops {
		if r := s.steps[i].run; r != nil {
			last[r.key()] = i
		}
	}
	for _, i := range ops {
		st := s.steps[i]
		if st.run == nil {
			out = append(out, st.act)
			continue
		}
		if last[st.run.key()] != i || st.run.ok && (st.run.purpose == forGit && !tellingGit(st.run.shown) || bareInstall.MatchString(st.run.shown)) {
			continue
		}
		if st.run.ok {
			for _, c := range st.run.also {
				if c.purpose.isOperation() && !bareInstall.MatchString(c.shown) {
					out = append(out, "`"+c.shown+"`")
				}
			}
			if st.run.purpose == forGit {
				out = append(out, "`"+st.run.shown+"`")
			}
		} else {
			out = append(out, fmt.Sprintf(s.lang.say("`%s` failed: %s", "`%s` 失败：%s"), st.run.shown, failureOf(st.run)))
		}
	}
	return out
}

// sources gives the pages that were read on the web.
func (s *scene) sources() []string {
	var out []string
	for _, st := range s.steps {
		if st.tool == "WebFetch" && st.hits {
			out = appendNew(out, 3, s.lang.say("Source: ", "来源：")+st.query)
		}
	}
	return out
}

// errorFacts tells the failures of the batch that have a name of their own, a
// fact each; the run of the step told is left out.
func (s *scene) errorFacts(told int) []string {
	var out []string
	last := map[string]int{}
	for i, st := range s.steps {
		if st.run != nil {
			last[st.run.key()] = i
		}
	}
	for i, st := range s.steps {
		if i == told || st.run == nil || st.run.ok || st.sub || st.run.purpose <= forReading || st.isOperation() && last[st.run.key()] == i {
			continue
		}
		if t := failureOf(st.run); t != "" && (st.run.failure.name != "" || s.unresolved(i)) {
			out = appendNew(out, 3, st.run.shown+": "+t)
		}
	}
	return out
}
