package local

import (
	"fmt"
	"path"
	"sort"
	"strings"
)

const (
	narrativeRunes = 900
	askedCells     = 220
	maxReasons     = 3
)

// narrative tells the arc in a few sentences: what was asked, why it is as it is,
// what changed, how it was checked.
func (s *scene) narrative(a *arc, title string, v verdict) string {
	l := s.lang
	parts := []string{s.askedSentence(a)}
	reasons := s.reasons(a, title)
	if a.commit != nil && a.commit.body != "" {
		for _, q := range sentences(prose(a.commit.body), 2) {
			reasons = append(reasons, ended(l, q))
		}
	}
	if len(a.files) > 0 {
		told := ""
		for _, limit := range []int{6, 4, 3, 2} {
			if told = s.describeChanges(a, limit); len([]rune(told)) <= narrativeRunes/3 {
				break
			}
		}
		parts = append(parts, ended(l, l.say("Changes: ", "改动：")+told))
	}
	if a.reverted {
		parts = append(parts, l.say("These edits were taken back with git.", "这些修改已用 git 撤回。"))
	}
	parts = append(parts, s.checkSentences(v)...)
	if a.commit != nil && a.commit.hash != "" {
		parts = append(parts, fmt.Sprintf(l.say("Committed as %s.", "已提交：%s。"), a.commit.hash))
	}
	return joinNarrative(l, fitting(parts, reasons))
}

// fitting puts the reasons after the first part, as many as there is room for
// beside the other parts: what was changed and how it was checked is not left out
// for a long explanation.
func fitting(parts, reasons []string) []string {
	room := narrativeRunes
	for _, p := range parts {
		room -= len([]rune(p)) + 1
	}
	out := []string{parts[0]}
	for _, r := range reasons {
		if n := len([]rune(r)) + 1; n <= room {
			room -= n
			out = append(out, r)
		}
	}
	return append(out, parts[1:]...)
}

// joinNarrative puts sentences together up to the length of a narrative. A
// sentence that would not fit whole is left out.
func joinNarrative(l language, parts []string) string {
	var out []string
	n := 0
	seen := map[string]bool{}
	for _, p := range parts {
		p = oneLine(p)
		size := len([]rune(p)) + 1
		if p == "" || seen[p] {
			continue
		}
		if n+size > narrativeRunes {
			if n > 0 {
				continue
			}
			p = clip(p, narrativeRunes-10)
			size = len([]rune(p)) + 1
		}
		seen[p] = true
		n += size
		out = append(out, p)
	}
	return strings.Join(out, l.say(" ", ""))
}

// askedSentence quotes what the person asked for.
func (s *scene) askedSentence(a *arc) string {
	if s.vague {
		return ""
	}
	var words string
	if len(a.clauses) > 0 {
		words = unended(a.clauses[0])
	} else {
		for _, q := range s.asked {
			if isRule(q) && a.kind != ruling {
				continue
			}
			if words != "" && cells(words)+cells(q) > askedCells {
				break
			}
			words = strings.TrimSpace(words + s.lang.say(" ", "") + q)
		}
	}
	if words = oneLine(words); words == "" {
		return ""
	}
	words = clip(words, askedCells)
	quoted := s.lang.say("Asked: “", "需求：“") + words + "”"
	if ended(s.lang, words) != words {
		quoted += s.lang.say(".", "。")
	}
	return quoted
}

// reasons picks the sentences of the assistant's last message that say most
// about the arc, in their order: reasons, names and figures before receipts.
func (s *scene) reasons(a *arc, title string) []string {
	return s.pick(maxReasons, title, func(i int, q string) int {
		hits := a.hits(q)
		if a.split && hits == 0 || openEnd.MatchString(q) || receipt.MatchString(q) && !becauseWords.MatchString(q) {
			return 0
		}
		score := weigh(q) + min(hits, 2)
		if i < 2 {
			score++
		}
		return score
	})
}

// pick gives at most n sentences of the assistant's message, by score, in order.
func (s *scene) pick(n int, title string, score func(i int, sentence string) int) []string {
	type scored struct{ at, score int }
	var all []scored
	for i, q := range s.said {
		if strings.HasSuffix(q, "?") || strings.HasSuffix(q, "？") || smallTalk.MatchString(q) && weigh(q) < 2 || strings.HasSuffix(q, ":") || strings.HasSuffix(q, "：") || cells(q) < 8 || sameWords(q, title) {
			continue
		}
		if p := score(i, q); p >= 2 {
			all = append(all, scored{i, p})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].score > all[j].score })
	all = all[:min(len(all), n)]
	sort.Slice(all, func(i, j int) bool { return all[i].at < all[j].at })
	out := make([]string, 0, len(all))
	for _, c := range all {
		out = append(out, ended(s.lang, clip(oneLine(s.said[c.at]), 260)))
	}
	return out
}

// receipt is a sentence that says only that all is well; the checks say it better.
var receipt = newPattern(`(?i)\b(?:all|the|both|\d+) (?:\w+ )?(?:tests?|checks?|specs?) (?:now )?(?:pass|are green)|^tests? (?:now )?pass|\bcommitted (?:as|in|it|the|to)\b|is committed|测试(?:均|都|全部|已)*通过|已提交`)

// sameWords reports whether a sentence says no more than the title does.
func sameWords(sentence, title string) bool {
	norm := func(x string) string {
		return strings.ToLower(strings.NewReplacer("`", "", "…", "", ".", "", "。", "", " ", "").Replace(x))
	}
	a, b := norm(sentence), norm(title)
	return a == b || b != "" && strings.HasPrefix(a, b) && len(a) < len(b)+12
}

// checkSentences tells how the edits were checked.
func (s *scene) checkSentences(v verdict) []string {
	l := s.lang
	var out []string
	red := ""
	if v.red != nil {
		red = failureOf(v.red)
		if n := v.red.tests.names(2); len(n) > 0 {
			red = strings.Join(n, ", ") // what it said is among the facts
		}
	}
	switch {
	case v.still != nil:
		out = append(out, fmt.Sprintf(l.say("`%s` still fails: %s.", "`%s` 仍未通过：%s。"), v.still.check(), failureOf(v.still)))
	case v.red != nil && v.green != nil && v.red.tested != "":
		out = append(out, fmt.Sprintf(l.say("`%s` failed before (%s) and passes now (%s).", "`%s` 先前失败（%s），现已通过（%s）。"), v.green.check(), red, v.green.tests))
	case v.green != nil:
		out = append(out, fmt.Sprintf(l.say("`%s`: %s.", "`%s`：%s。"), v.green.check(), v.green.tests))
	case v.built != nil:
		out = append(out, fmt.Sprintf(l.say("`%s` passes; no test was run after the edit.", "`%s` 通过；修改后未运行测试。"), v.built.shown))
	}
	if v.red != nil && v.red.tested == "" && red != "" && v.still == nil {
		out = append(out, fmt.Sprintf(l.say("On the way `%s` failed: %s.", "过程中 `%s` 失败：%s。"), v.red.check(), red))
	}
	return out
}

// failureOf tells why a run failed, in one line.
func failureOf(r *run) string {
	if n := len(r.tests.failures); n > 0 {
		f := r.tests.failures[0]
		t := f.name
		if f.message != "" {
			t += ": " + clip(f.message, 110)
		}
		if f.where != "" {
			t += " (" + f.where + ")"
		}
		if more := max(r.tests.failed, n) - 1; more > 0 {
			t += fmt.Sprintf(" +%d", more)
		}
		return t
	}
	t := squeeze(r.failure.String(), 150)
	if r.failure.where != "" && !strings.Contains(t, r.failure.where) {
		t += " (" + r.failure.where + ")"
	}
	if t == "" {
		t = r.tests.String()
	}
	return t
}

// subtitle gives the files with their counts, the most telling first.
func (a *arc) subtitle() string {
	if len(a.files) == 0 {
		if a.commit != nil {
			return a.commit.stat
		}
		return ""
	}
	main := a.mainFile()
	files := []*fileEdit{main}
	for _, f := range a.files {
		if f != main {
			files = append(files, f)
		}
	}
	var parts []string
	for i, f := range files {
		if i == 4 {
			parts = append(parts, fmt.Sprintf("+%d", len(files)-4))
			break
		}
		p := f.path
		if i > 0 && path.Dir(f.path) == path.Dir(main.path) {
			p = path.Base(f.path)
		}
		if f.plus > 0 {
			p += fmt.Sprintf(" +%d", f.plus)
		}
		if f.minus > 0 {
			p += fmt.Sprintf(" −%d", f.minus)
		}
		parts = append(parts, p)
	}
	return clip(strings.Join(parts, ", "), 140)
}
