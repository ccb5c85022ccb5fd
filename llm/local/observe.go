package local

import (
	"path"
	"strings"

	"cmem/memory"
)

const (
	subtitleCells = 140
	maxFilesTold  = 30
)

// observe tells an arc as an observation. ok is false when it turns out to say nothing.
func (s *scene) observe(a *arc) (o memory.Observation, ok bool) {
	switch a.kind {
	case editing:
		o = s.observeEdits(a)
	case operating:
		o = s.observeOperations(a)
	case trouble:
		o = s.observeTrouble(a)
	case finding:
		o = s.observeFinding(a)
	case choosing:
		o = s.observeChoice(a)
	case ruling:
		o = s.observeRule(a)
	case reasoned:
		o = s.observeReasoned(a)
	}
	o.Title = clipTitle(oneLine(o.Title), titleCells)
	o.Subtitle = clip(oneLine(o.Subtitle), subtitleCells)
	if o.Title == "" || a.kind != editing && s.recent[o.Title] {
		return o, false
	}
	s.fill(&o, a)
	return o, true
}

// fill sets what every observation has: files, concepts, time, tool and place.
func (s *scene) fill(o *memory.Observation, a *arc) {
	for _, f := range a.files {
		o.FilesModified = appendNew(o.FilesModified, maxFilesTold, f.path)
		if f.verb == renames {
			o.FilesModified = appendNew(o.FilesModified, maxFilesTold, f.from)
		}
	}
	if a.commit != nil && len(a.files) == 0 {
		o.FilesModified = appendNew(o.FilesModified, maxFilesTold, a.commit.created...)
	}
	counts := map[string]int{}
	modified := map[string]bool{}
	for _, f := range o.FilesModified {
		modified[f] = true
	}
	for i := max(0, a.first); i <= a.last && i < len(s.steps); i++ {
		st := s.steps[i]
		counts[st.tool]++
		o.TokensSource += st.tokens
		for _, f := range st.reads {
			if !modified[f] && (!a.split || path.Dir(f) == path.Dir(a.mainFile().path)) {
				o.FilesRead = appendNew(o.FilesRead, maxFilesTold, f)
			}
		}
		if o.CreatedAt.Before(st.at) && (len(a.edited) == 0 || i <= a.edited[len(a.edited)-1] || a.commit != nil) {
			o.CreatedAt = st.at
		}
	}
	if a.last < a.first {
		o.TokensSource = memory.EstimateTokens(a.text)
	}
	if o.CreatedAt.IsZero() {
		o.CreatedAt = s.last.CreatedAt
	}
	o.ToolName = s.mainTool(a)
	o.Concepts = s.concepts(*o, a)
	o.Scope, o.Status = memory.ScopeProject, memory.StatusActive
	o.GitBranch, o.GitCommit = s.last.Branch, s.last.Commit
	if a.commit != nil && a.commit.hash != "" {
		o.GitCommit = a.commit.hash
		if a.commit.branch != "" {
			o.GitBranch = a.commit.branch
		}
	}
}

// mainTool names the tool of the arc's main event.
func (s *scene) mainTool(a *arc) string {
	if len(a.edited) > 0 {
		return s.steps[a.edited[len(a.edited)-1]].tool
	}
	if len(a.ops) > 0 {
		return s.steps[a.ops[len(a.ops)-1]].tool
	}
	if a.last >= 0 && a.last < len(s.steps) {
		return s.steps[a.last].tool
	}
	return ""
}

func (s *scene) observeEdits(a *arc) memory.Observation {
	v := s.verdict(a)
	o := memory.Observation{Type: s.typeOf(a, v)}
	o.Title = s.title(a, o.Type, v)
	o.Subtitle = a.subtitle()
	o.Narrative = s.narrative(a, o.Title, v)
	o.Facts = s.facts(a, v)
	switch {
	case a.reverted:
		o.Certainty = memory.CertaintyObserved
	case v.still != nil:
		o.Certainty = memory.CertaintyClaimed
	case a.commit != nil || v.green != nil:
		o.Certainty = memory.CertaintyConfirmed
	case o.Type == memory.TypeBugfix:
		o.Certainty = memory.CertaintyClaimed // that the bug is gone is inference until a test says so
	default:
		o.Certainty = memory.CertaintyObserved
	}
	return o
}

func (s *scene) observeOperations(a *arc) memory.Observation {
	l := s.lang
	o := memory.Observation{Type: memory.TypeChange, Certainty: memory.CertaintyObserved}
	main := -1
	for _, i := range a.ops {
		st := s.steps[i]
		if st.run != nil && (bareInstall.MatchString(st.run.shown) || st.run.purpose == forGit && st.run.ok && !tellingGit(st.run.shown)) && len(a.ops) > 1 {
			continue
		}
		if main < 0 || s.unresolved(i) || !s.unresolved(main) && st.run != nil && s.steps[main].run != nil && st.run.purpose > s.steps[main].run.purpose {
			main = i
		}
	}
	if main < 0 {
		main = a.ops[len(a.ops)-1]
	}
	st := s.steps[main]
	switch {
	case st.run == nil:
		o.Title = st.act
	case s.unresolved(main):
		o.Type = memory.TypeDiscovery
		o.Title = s.failedTitle(st.run)
	default:
		o.Title = s.operationTitle(st.run)
	}
	if !s.unresolved(main) {
		for _, c := range s.wishClauses(a) {
			if contentWords(c) >= 1 && !s.recent[tell(c)] {
				o.Title = tell(c)
				break
			}
		}
		if st.run != nil {
			o.Subtitle = st.run.shown
		}
	}
	parts := append([]string{s.askedSentence(a)}, s.reasons(a, o.Title)...)
	var f factList
	f.add(3, s.operationFacts(a.ops)...)
	f.add(2, s.errorFacts(-1)...)
	f.add(maxBullets, s.bullets(nil)...)
	if len(parts) == 1 && len(f.facts) > 0 {
		parts = append(parts, ended(l, l.say("Ran: ", "执行：")+strings.Join(f.facts[:min(3, len(f.facts))], l.say("; ", "；"))))
	}
	o.Narrative = joinNarrative(l, parts)
	o.Facts = f.facts
	return o
}

// operationTitle tells an operation without the person's words.
func (s *scene) operationTitle(r *run) string {
	l := s.lang
	switch r.purpose {
	case forInstalling:
		return l.say("Installs packages: ", "安装依赖：") + r.shown
	case forData:
		return l.say("Runs on the database: ", "数据库操作：") + r.shown
	case forDeploying:
		return l.say("Deploys: ", "部署：") + r.shown
	case forServing:
		return l.say("Starts services: ", "服务操作：") + r.shown
	case forHub:
		return l.say("On the hub: ", "协作平台操作：") + r.shown
	}
	return l.say("Runs ", "执行 ") + r.shown
}

// failedTitle tells a failing command: its name and the error, name first.
func (s *scene) failedTitle(r *run) string {
	l := s.lang
	lead := clip(r.shown, 36)
	if r.tests.red && len(r.tests.failures) > 0 {
		return clip(lead+l.say(": ", "：")+r.tests.String(), titleCells)
	}
	lead += l.say(" fails: ", " 失败：")
	if r.failure.name != "" {
		return clip(lead+r.failure.String(), titleCells)
	}
	return lead + squeeze(r.failure.String(), titleCells-cells(lead))
}

func (s *scene) observeTrouble(a *arc) memory.Observation {
	st := s.steps[a.ops[0]]
	o := memory.Observation{Type: memory.TypeDiscovery, Certainty: memory.CertaintyObserved}
	o.Title = s.failedTitle(st.run)
	if st.run.failure.where != "" {
		o.Subtitle = st.run.failure.where
	} else if n := st.run.tests.failures; len(n) > 0 {
		o.Subtitle = n[0].where
	}
	parts := []string{s.askedSentence(a)}
	parts = append(parts, ended(s.lang, "`"+st.run.shown+"`"+s.lang.say(" fails: ", " 失败：")+failureOf(st.run)))
	parts = append(parts, s.reasons(a, o.Title)...)
	o.Narrative = joinNarrative(s.lang, parts)
	var f factList
	if len(st.run.tests.failures) == 0 {
		f.add(1, st.run.check()+": "+failureOf(st.run))
	}
	for _, t := range st.run.tests.failures {
		line := t.name
		if t.message != "" {
			line += ": " + t.message
		}
		if t.where != "" {
			line += " (" + t.where + ")"
		}
		f.add(1, line)
	}
	f.add(3, s.errorFacts(a.ops[0])...)
	f.add(maxBullets, s.bullets(nil)...)
	o.Facts = f.facts
	return o
}

// observeFinding tells what was found out: the sentence of the answer that says
// most is the title, the question the subtitle.
func (s *scene) observeFinding(a *arc) memory.Observation {
	o := memory.Observation{Type: memory.TypeDiscovery, Certainty: memory.CertaintyClaimed}
	asked := identifiersIn(s.words, 20)
	weight := func(i int, q string) int {
		score := weigh(q) + max(0, 4-2*i)
		for _, w := range asked {
			if hasWord(q, w) {
				score++
			}
		}
		return score
	}
	listed := map[string]bool{}
	for _, b := range s.bullets(nil) {
		listed[b] = true
	}
	best, bestScore := "", 0
	for i, q := range s.said {
		if contentWords(q) < 2 || strings.HasSuffix(q, "?") || strings.HasSuffix(q, "？") || strings.HasSuffix(q, ":") || smallTalk.MatchString(q) || sameWords(q, s.words) {
			continue
		}
		score := weight(i, q)
		if listed[unended(q)] {
			score -= 2 // an item of a list rather supports the answer than gives it
		}
		if score > bestScore {
			best, bestScore = q, score
		}
	}
	decision := s.decision()
	if best == "" && decision == "" {
		return o
	}
	o.Title = upperFirst(strings.ReplaceAll(unended(best), "`", ""))
	if q := s.question(); q != "" && !hasAny(best, asked) && cells(q) < 60 && len(asked) > 0 {
		// An answer that does not name what was asked about needs the question.
		o.Title = q + " " + strings.ReplaceAll(unended(best), "`", "")
	}
	if len(s.asked) > 0 && !s.vague {
		o.Subtitle = first(s.question(), s.asked[len(s.asked)-1])
	}
	if decision != "" {
		o.Type, o.Certainty = memory.TypeDecision, memory.CertaintyConfirmed
		o.Title = tell(stripPoliteness(decision))
	} else if recommended.MatchString(best) && decisionAsked.MatchString(s.words) {
		o.Type = memory.TypeDecision
	}
	parts := append([]string{s.askedSentence(a)}, s.pick(5, "", weight)...)
	o.Narrative = joinNarrative(s.lang, parts)
	var f factList
	f.add(5, s.bullets(nil)...)
	f.add(2, s.errorFacts(-1)...)
	f.add(2, s.sources()...)
	o.Facts = f.facts
	return o
}

// decision gives the sentence in which the person decided something.
func (s *scene) decision() string {
	for _, q := range s.asked {
		if decided.MatchString(q) && !strings.HasSuffix(q, "?") && !strings.HasSuffix(q, "？") && contentWords(q) >= 3 {
			return q
		}
	}
	return ""
}

// question gives the first question of the person, without what leads up to it.
func (s *scene) question() string {
	for _, q := range s.asked {
		if strings.HasSuffix(q, "?") || strings.HasSuffix(q, "？") {
			return upperFirst(stripPoliteness(q))
		}
	}
	return ""
}

func hasAny(sentence string, words []string) bool {
	for _, w := range words {
		if hasWord(sentence, w) {
			return true
		}
	}
	return false
}

func (s *scene) observeChoice(a *arc) memory.Observation {
	l := s.lang
	o := memory.Observation{Type: memory.TypeDecision, Certainty: memory.CertaintyConfirmed}
	if len(a.choices) == 0 {
		plan := sentences(prose(a.text), 30)
		if len(plan) == 0 {
			return o
		}
		o.Title = l.say("Plan: ", "计划：") + strings.ReplaceAll(unended(plan[0]), "`", "")
		o.Narrative = joinNarrative(l, append([]string{s.askedSentence(a)}, endedAll(l, plan[1:min(len(plan), 8)])...))
		var f factList
		for line := range strings.Lines(prose(a.text)) {
			if bullet.MatchString(line) {
				f.add(1, unmark(line))
			}
		}
		o.Facts = f.facts
		return o
	}
	c := a.choices[0]
	o.Title = l.say("Chosen: ", "选定：") + c.answer
	o.Subtitle = c.question
	var f factList
	parts := []string{s.askedSentence(a)}
	for _, c := range a.choices {
		parts = append(parts, c.question+l.say(" Answer: ", " 回答：")+ended(l, c.answer))
		f.add(1, c.question+" → "+c.answer)
	}
	o.Narrative = joinNarrative(l, append(parts, s.reasons(a, o.Title)...))
	o.Facts = f.facts
	return o
}

func endedAll(l language, list []string) []string {
	out := make([]string, 0, len(list))
	for _, q := range list {
		out = append(out, ended(l, q))
	}
	return out
}

var reasonStart = newPattern(`(?i),? (?:because|since|so that)\b|[，,；]?是?(?:因为|以便|否则)`)

func (s *scene) observeReasoned(a *arc) memory.Observation {
	o := memory.Observation{Type: memory.TypeDecision, Certainty: memory.CertaintyClaimed}
	if a.backed {
		o.Certainty = memory.CertaintyConfirmed
	}
	parts := strings.Split(a.text, "\n")
	choice := unended(parts[0])
	if loc := reasonStart.FindStringIndex(choice); loc != nil && cells(choice[:loc[0]]) >= 16 {
		choice = choice[:loc[0]]
	}
	o.Title = tell(doneLead.ReplaceAllString(strings.TrimPrefix(choice, "之所以"), ""))
	o.Narrative = joinNarrative(s.lang, append([]string{s.askedSentence(a)}, endedAll(s.lang, parts)...))
	return o
}

func (s *scene) observeRule(a *arc) memory.Observation {
	o := memory.Observation{Type: memory.TypeDecision, Certainty: memory.CertaintyConfirmed}
	rule := stripPoliteness(a.text)
	o.Title = s.lang.say("Rule: ", "约定：") + strings.ReplaceAll(unended(rule), "`", "")
	o.Subtitle = s.lang.say("laid down by the person", "用户的明确要求")
	o.Narrative = joinNarrative(s.lang, []string{s.askedSentence(a)})
	return o
}
