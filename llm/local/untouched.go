package local

import (
	"strings"
)

// isOperation reports whether a step did something outside the code that is
// worth telling.
func (st *step) isOperation() bool {
	if st.act != "" {
		return !st.failed
	}
	if st.run == nil || len(st.run.commits) > 0 {
		return false
	}
	return st.run.purpose.isOperation() || st.run.purpose == forGit
}

func (p purpose) isOperation() bool {
	switch p {
	case forInstalling, forData, forServing, forHub, forDeploying:
		return true
	}
	return false
}

// attachOperations gives the operations to the arcs in whose time they fell, the
// ones after the last arc to that one. Without any arc they form one.
func (s *scene) attachOperations(arcs []*arc) []*arc {
	var ops []int
	for i := range s.steps {
		if s.steps[i].isOperation() && !(s.steps[i].sub && s.steps[i].failed) {
			ops = append(ops, i)
		}
	}
	if len(ops) == 0 {
		return arcs
	}
	if len(arcs) == 0 {
		if a := s.operationArc(ops); a != nil {
			return []*arc{a}
		}
		return nil
	}
next:
	for _, i := range ops {
		for _, a := range arcs {
			if i <= a.last {
				a.ops = append(a.ops, i)
				continue next
			}
		}
		last := arcs[len(arcs)-1]
		last.ops = append(last.ops, i)
	}
	return arcs
}

// operationArc makes an arc of operations, when one of them is more than routine.
func (s *scene) operationArc(ops []int) *arc {
	for _, i := range ops {
		st := s.steps[i]
		routine := st.run != nil && st.run.ok && (st.run.purpose == forGit && !tellingGit(st.run.shown) || bareInstall.MatchString(st.run.shown))
		if !routine {
			return &arc{kind: operating, first: 0, last: len(s.steps) - 1, ops: ops}
		}
	}
	return nil
}

var (
	bareInstall = newPattern(`^(?:npm (?:i|ci|install)|yarn(?: install)?|pnpm (?:i|install)|bun install|go mod (?:tidy|download|verify)|bundle install|poetry install|uv sync|pip3? install -r \S+|composer install)$`)
	gitTelling  = newPattern(`^git (?:\S+ )*?(?:merge|rebase|cherry-pick|revert|tag|push --force|push -f|push .*--tags|branch -[dD]|checkout -b|switch -c|reset|bisect|submodule|filter-repo|worktree)\b`)
)

// tellingGit reports whether a git command is worth an observation of its own.
func tellingGit(shown string) bool { return gitTelling.MatchString(shown) }

// spoken gives the arcs of what the person decided in words: answers to a
// question, an agreed plan, a standing rule.
func (s *scene) spoken(hasEdits bool) []*arc {
	var out []*arc
	for i := range s.steps {
		st := &s.steps[i]
		if len(st.choices) > 0 {
			out = append(out, &arc{kind: choosing, first: i, last: i, choices: st.choices})
		}
		if st.plan != "" && !hasEdits {
			out = append(out, &arc{kind: choosing, first: 0, last: i, text: st.plan})
		}
	}
	for _, q := range s.asked {
		if isRule(q) {
			out = append(out, &arc{kind: ruling, first: 0, last: -1, text: q})
			break
		}
	}
	return out
}

var choseWords = newPattern(`(?i)^(?:so |therefore,? |deliberately,? )?(?:i|we)(?:'ve| have)? (?:also |deliberately |therefore )?(?:chose|decided|picked|went with|opted|settled on|kept)\b.*\b(?:instead of|rather than|because|since|so that|over)\b|(?:没有用|没有采用|没用|选择了?|选用了?|采用了?|决定|改用了?|之所以).*(?:因为|而不是|以便|避免|否则)`)

// reasonedChoice gives the choice that the assistant made on the way and gave its
// reason for: what is most missed later, and stands in no diff. It is anchored
// to the files that were edited for it.
func (s *scene) reasonedChoice(edited []*arc) *arc {
	if len(edited) == 0 || edited[len(edited)-1].kind != editing {
		return nil
	}
	for i, q := range s.said {
		if !choseWords.MatchString(q) || cells(q) < 30 || cells(q) > 400 || offer.MatchString(q) {
			continue
		}
		about := edited[len(edited)-1]
		for _, a := range edited {
			if a.kind == editing && a.hits(q) > about.hits(q) {
				about = a
			}
		}
		text := q
		if i+1 < len(s.said) && weigh(s.said[i+1]) >= 3 && !openEnd.MatchString(s.said[i+1]) {
			text += "\n" + s.said[i+1]
		}
		v := s.verdict(about)
		return &arc{kind: reasoned, first: 0, last: -1, files: about.files, text: text, backed: about.commit != nil || v.green != nil}
	}
	return nil
}

var (
	ruleStart = newPattern(`(?i)^(?:please |and |also |ok(?:ay)?,? )*(?:always|never|from now on|going forward|remember(?: that| to|:)?|note for (?:the )?future|don't ever|do not ever|in this (?:project|repo|repository|codebase),? (?:we|use|always|never)|we (?:always|never))\b`)
	ruleZh    = newPattern(`^(?:请|另外|还有|对了)?[，,]?\s*(?:记住|以后|今后|从现在起|从现在开始|永远不要|一律|务必|这个项目(?:里|中)?(?:都|一律|统一)|我们(?:都|一律|统一|约定))`)
)

// isRule reports whether a sentence of the person lays down a rule to keep.
func isRule(sentence string) bool {
	if strings.HasSuffix(sentence, "?") || strings.HasSuffix(sentence, "？") || cells(sentence) < 12 || cells(sentence) > 400 {
		return false
	}
	return ruleStart.MatchString(sentence) || ruleZh.MatchString(sentence)
}

// withoutEdits gives the arc of a prompt in which nothing was changed.
func (s *scene) withoutEdits() []*arc {
	end := len(s.steps) - 1
	for i := end; i >= 0; i-- {
		if r := s.steps[i].run; r != nil && s.unresolved(i) && !s.steps[i].sub {
			return []*arc{{kind: trouble, first: 0, last: end, ops: []int{i}}}
		}
	}
	if s.substantial() {
		return []*arc{{kind: finding, first: 0, last: end}}
	}
	return nil
}

// unresolved reports whether the run of a step failed and no later run of the
// same command went well. A failed look is no failure.
func (s *scene) unresolved(i int) bool {
	r := s.steps[i].run
	if r == nil || r.ok || r.purpose <= forReading || r.failure.empty() && !r.tests.red {
		return false
	}
	for _, later := range s.steps[i+1:] {
		if later.run != nil && later.run.ok && (later.run.key() == r.key() || later.run.purpose == r.purpose && r.isCheck()) {
			return false
		}
	}
	return true
}

// substantial reports whether the assistant's answer says something that may be
// wanted again: not a greeting, a receipt or a question back.
func (s *scene) substantial() bool {
	said := s.said
	if len(said) == 0 && len(s.findings) > 0 {
		s.message = s.findings[len(s.findings)-1]
		s.said = sentences(s.message, 60)
		said = s.said
	}
	if strings.HasPrefix(s.message, "API Error") {
		return false
	}
	if s.decision() != "" {
		return true
	}
	looked := 0
	for _, st := range s.steps {
		if len(st.reads) > 0 || st.query != "" || st.run != nil {
			looked++
		}
	}
	width := 0
	telling := 0
	for _, q := range said {
		if strings.HasSuffix(q, "?") || strings.HasSuffix(q, "？") || smallTalk.MatchString(q) {
			continue
		}
		width += cells(q)
		telling += weigh(q)
	}
	switch {
	case s.vague && looked == 0:
		return width >= 160 && telling >= 4
	case looked > 0:
		return width >= 100 || width >= 60 && telling >= 4
	default:
		return width >= 90 && telling >= 2
	}
}

var smallTalk = newPattern(`(?i)^(?:done|ok(?:ay)?|sure|hello|hi|great|thanks|you're welcome|let me know|i(?:'ll| will| can| am going to)\b|would you like|happy to|let me|here(?:'s| is) what|i'm ready|不客气|好的|你好|需要我|请告诉我|如果你)`)

var (
	becauseWords = newPattern(`(?i)\b(?:because|since|caused|cause|due to|root cause|so that|otherwise|therefore|turned out|comes from|happens when|the reason|instead of|rather than|means that|which is why|breaks|leaks?|race|never|only)\b|因为|由于|原因|导致|所以|否则|以免|避免|其实|实际上|根源|才|而不是`)
	figure       = newPattern(`\d`)
)

// weigh judges how much a sentence tells: reasons, names from code, figures.
func weigh(sentence string) int {
	n := 0
	if becauseWords.MatchString(sentence) {
		n += 2
	}
	n += min(2, len(identifiersIn(sentence, 4)))
	if figure.MatchString(sentence) {
		n++
	}
	return n
}
