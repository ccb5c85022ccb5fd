package local

import (
	"strings"

	"cmem/memory"
)

// titleCells bounds the width of a title in terminal cells.
const titleCells = 80

// candidate is a possible title.
type candidate struct {
	text  string
	score int
}

// title tells in one line what an arc with edits did. A commit's subject is the
// best title; else the wish of the person, a sentence of the assistant or what the
// changed lines show, whichever names most of the arc.
func (s *scene) title(a *arc, kind string, v verdict) string {
	t := s.bareTitle(a, kind)
	if a.reverted {
		return clip(s.lang.say("Tried and reverted: ", "尝试后撤回：")+lowerFirst(t), titleCells)
	}
	if v.still != nil && a.commit == nil {
		suffix := s.lang.say(" — still failing", "——仍未通过")
		if n := v.still.tests.names(1); len(n) > 0 {
			suffix += s.lang.say(": ", "：") + clip(n[0], 34)
		}
		return clipTitle(t, titleCells-cells(suffix)) + suffix
	}
	return clipTitle(t, titleCells)
}

func (s *scene) bareTitle(a *arc, kind string) string {
	if a.commit != nil && a.commit.subject != "" {
		return a.commit.title()
	}
	shown := s.describe(a)
	cands := []candidate{{shown, 2}}
	if a.shows() {
		cands[0].score = 4
	}
	if a.renaming() {
		cands[0].score = 7
	}
	need := 0
	if a.split {
		need = 1
	}
	for i, c := range s.wishClauses(a) {
		hits := a.hits(c)
		if hits < need {
			continue
		}
		if n := contentWords(c); n >= 2 || n == 1 && (hits > 0 || len(identifiersIn(c, 1)) > 0) {
			cands = append(cands, candidate{tell(c), 5 + min(hits, 2) - min(i, 2)})
		}
	}
	if kind == memory.TypeBugfix {
		if p := s.problem(); p != "" {
			for i, c := range cands[1:] {
				if contentWords(c.text) < 2 { // "Fixes parseLine" does not say what was wrong
					cands[i+1].text += s.lang.say(": ", "：") + lowerFirst(p)
				}
			}
			cands = append(cands, candidate{s.lang.say("Fixes: ", "修复：") + lowerFirst(p), 5})
		}
	}
	for i, q := range s.said[:min(6, len(s.said))] {
		hits := a.hits(q)
		c, ok := doneSentence(q)
		if !ok || hits < need {
			continue
		}
		score := 4 + min(hits, 2) - min(i, 2)
		if cells(c) > titleCells {
			score--
		}
		cands = append(cands, candidate{c, score})
	}
	best := candidate{shown, 0}
	for _, c := range cands {
		if c.score > best.score && !s.recent[clipTitle(c.text, titleCells)] {
			best = c
		}
	}
	return best.text
}

// wishClauses gives the person's wishes that could be the arc's title, best first.
func (s *scene) wishClauses(a *arc) []string {
	var out []string
	if len(a.clauses) > 0 {
		return a.clauses
	}
	if s.vague {
		return nil
	}
	for _, q := range s.asked[:min(6, len(s.asked))] {
		if isRule(q) {
			continue
		}
		parts := splitClauses(q)
		for i, c := range parts {
			if hasHan(c) && !hanVerb.MatchString(c) || !hasHan(c) && !startsWithVerb(c) {
				continue
			}
			// The next wish of the sentence comes along when both fit into a title.
			if i+1 < len(parts) && !a.split && cells(c)+cells(parts[i+1]) < titleCells-6 && (hasHan(c) || startsWithVerb(parts[i+1])) && contentWords(parts[i+1]) > 1 {
				c += s.lang.say(" and ", "，") + lowerFirst(parts[i+1])
			}
			out = append(out, c)
		}
	}
	return out
}

// problem gives the sentence in which the person described what is wrong.
func (s *scene) problem() string {
	for _, q := range s.asked[:min(5, len(s.asked))] {
		if strings.HasSuffix(q, "?") || strings.HasSuffix(q, "？") {
			continue
		}
		for _, c := range splitClauses(q) {
			if problemWords.MatchString(c) && contentWords(c) >= 2 && !startsWithVerb(c) && !hanVerb.MatchString(c) {
				return strings.ReplaceAll(unended(c), "`", "")
			}
		}
	}
	return ""
}

var (
	doneLead  = newPattern(`(?i)^(?:done[.:!,—–-]+\s*|all done[.:!,]?\s*|i(?:'ve| have)? (?:now |also )?|we(?:'ve| have)? (?:now |also )?|now |successfully |✅ ?)+`)
	doneHan   = newPattern(`^(?:我)?(?:已经|已|现在)?(?:成功)?(?:将|把|给|为|在)?.{0,40}(?:修复|新增|添加|增加|实现|重构|改为|改成|删除|移除|升级|更新|调整|拆分|提取|替换|加上|支持)`)
	passiveIs = newPattern(`(?i) (?:now (?:makes|returns|reads|uses|supports|accepts|rejects|handles|retries|sends|shows|caches|checks|validates|runs|rounds|stops|waits|logs|writes|is|has|takes|goes)|no longer) `)
)

// doneSentence makes a title of a sentence in which the assistant says what it did.
func doneSentence(q string) (string, bool) {
	if strings.HasSuffix(q, "?") || cells(q) < 12 || cells(q) > 220 {
		return "", false
	}
	if hasHan(q) {
		return strings.ReplaceAll(unended(q), "`", ""), doneHan.MatchString(q)
	}
	c := doneLead.ReplaceAllString(q, "")
	word, _, _ := strings.Cut(c, " ")
	low := strings.ToLower(word)
	if form, ok := thirdPerson()[low]; ok && form != low && contentWords(c) >= 2 {
		return tell(c), true
	}
	if passiveIs.MatchString(c) {
		return strings.ReplaceAll(unended(c), "`", ""), true
	}
	return "", false
}

// shows reports whether the changed lines alone tell what was done.
func (a *arc) shows() bool {
	for _, f := range a.files {
		if len(f.values) > 0 || f.verb == renames || f.verb == deletes {
			return true
		}
		for _, e := range f.effects {
			if e.how != changed {
				return true
			}
		}
	}
	return false
}
