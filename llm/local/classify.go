package local

import (
	"strings"

	"cmem/memory"
)

// verdict is what the checks of an arc say about its edits.
type verdict struct {
	red   *run // the check that failed before the edits were complete
	green *run // the last test run after the last edit, when it passed
	still *run // the last check after the last edit, when it failed
	built *run // a build or lint after the last edit that went well
	owned bool // the red came from the arc's own edits or tests, not from before
}

// verdict judges the arc by the order of its edits and checks.
func (s *scene) verdict(a *arc) verdict {
	var v verdict
	lastEdit, firstEdit := -1, len(s.steps)
	onlySupport := a.onlySupport()
	for _, i := range a.edited {
		for _, c := range s.steps[i].changes {
			if onlySupport || isCode(c.path) || isConfig(c.path) {
				lastEdit = max(lastEdit, i) // a document needs no test after it
			}
			if !isTest(c.path) {
				firstEdit = min(firstEdit, i)
			}
		}
	}
	for i := max(0, a.first); i <= a.last && i < len(s.steps); i++ {
		r := s.steps[i].run
		if r == nil || !r.isCheck() && r.tested == "" {
			continue
		}
		test := r.tested != ""
		switch {
		case !r.ok && i < lastEdit:
			if v.red == nil || !v.red.tests.red && r.tests.red {
				v.red = r
				v.owned = i > firstEdit || a.adds(r.tests)
			}
		case !r.ok:
			v.still = r
			if test {
				v.green = nil
			}
		case i >= lastEdit && test:
			v.green, v.still = r, nil
		case i >= lastEdit:
			v.built = r
			if v.still != nil && v.still.purpose != forTesting {
				v.still = nil
			}
		}
	}
	return v
}

// adds reports whether the arc itself added a test that failed: a test written
// first fails without there being a bug.
func (a *arc) adds(r testResult) bool {
	for _, f := range a.files {
		for _, e := range f.effects {
			for _, t := range r.failures {
				if e.how == added && (e.name == t.name || strings.HasPrefix(t.name, e.name+"/")) {
					return true
				}
			}
		}
	}
	return false
}

// intent is what a sentence asks for or says was done, as an observation type.
type intentWords struct {
	kind string
	re   *pattern
}

var strongIntents = []intentWords{
	{memory.TypeBugfix, newPattern(`(?i)\b(?:fix(?:es|ed|ing)?|repair(?:s|ed)?|resolve[sd]?|hotfix|debug(?:s|ged)?|patch(?:es|ed)? the)\b|修复|修好|修正|修一下|修掉|解决`)},
	{memory.TypeRefactor, newPattern(`(?i)\b(?:refactor(?:s|ed|ing)?|rename[sd]?|extract(?:s|ed)?|restructure[sd]?|reorgani[sz]e[sd]?|simplif(?:y|ies|ied)|clean(?:s|ed)? ?up|dedup(?:e|licate)[sd]?|split(?:s)? (?:up|out|into|the)|inline[sd]?|tidy|tidies|tidied|move[sd]? .{1,60} (?:in)?to)\b|重构|重命名|改名|拆分|抽取|提取|抽成|整理|简化|合并重复`)},
	{memory.TypeFeature, newPattern(`(?i)\b(?:add(?:s|ed)?|implement(?:s|ed)?|create[sd]?|build an?|introduce[sd]?|support for|allow[sd]?|accept[sd]?|refuse[sd]?|reject(?:s|ed)?|enable[sd]?|write an? (?:new )?|generate[sd]?|now (?:makes|supports|accepts|reads|sends|shows|returns))\b|新增|添加|增加|实现|支持|加一个|加上|加个|创建|编写|写一个|做一个|接入`)},
	{memory.TypeDecision, newPattern(`(?i)\b(?:decide[sd]?|let's (?:go with|use)|go(?:ing)? with|we(?:'ll| will) use|switch(?:ed|es)? (?:over )?(?:from .{1,40} )?to|prefer)\b|决定|选用|改用|采用|选定`)},
	{memory.TypeChange, newPattern(`(?i)\b(?:bump(?:s|ed)?|upgrade[sd]?|update[sd]?|raise[sd]?|lower(?:s|ed)?|increase[sd]?|decrease[sd]?|set the|sets? \S+ to|change[sd]?|remove[sd]?|delete[sd]?|drop(?:s|ped)?|document(?:s|ed)?|revert(?:s|ed)?|disable[sd]?|format(?:s|ted)?|migrate[sd]?|replace[sd]?|turn(?:s|ed)? (?:on|off))\b|升级|更新|调整|调大|调小|改成|改为|删除|去掉|移除|文档|回滚|关闭|开启|迁移|替换`)},
}

var problemWords = newPattern(`(?i)\b(?:bugs?|broken|crash(?:es|ed|ing)?|fails?|failing|errors?|regression|wrong|doesn't work|does not work|not working|incorrect|leaks?|hangs?|panics?|throws?|returns? (?:a )?[45]\d\d|[45]\d\d error|loses|twice|doubled?)\b|报错|错误|异常|崩溃|失败|不对|有问题|偶发|卡死|泄漏|丢失`)

var (
	// decided is a person's decision, decisionAsked a question that wants one,
	// recommended an answer to it.
	decided       = newPattern(`(?i)\b(?:let's (?:go with|use|keep|drop|not)|we(?:'ll| will| should) (?:use|go with|keep)|i(?:'ve| have)? (?:decided|chosen|picked)|decided? (?:to|on)|go with|instead of)\b|决定|选用|改用|采用|就用|选定`)
	decisionAsked = newPattern(`(?i)\b(?:should we|should i|which|better|choose|recommend|pros and cons|versus|vs\.?|trade-?offs?| or )\b|还是|哪个|哪种|选择|推荐|应该用|利弊`)
	recommended   = newPattern(`(?i)\b(?:recommend|use|go with|choose|prefer|better|keep|suggest|should)\b|建议|推荐|选|用|更适合|更好`)
)

// intentOf gives the type that a sentence speaks of: the kind of the word that
// comes first. It is empty when there is none.
func intentOf(sentence string) string {
	best, at := "", len(sentence)+1
	for _, w := range strongIntents {
		if loc := w.re.FindStringIndex(sentence); loc != nil && loc[0] < at {
			best, at = w.kind, loc[0]
		}
	}
	return best
}

var prefixTypes = map[string]string{
	"feat": memory.TypeFeature, "feature": memory.TypeFeature, "fix": memory.TypeBugfix, "bugfix": memory.TypeBugfix, "hotfix": memory.TypeBugfix, "security": memory.TypeBugfix,
	"refactor": memory.TypeRefactor, "perf": memory.TypeRefactor, "revert": memory.TypeChange,
	"docs": memory.TypeChange, "doc": memory.TypeChange, "test": memory.TypeChange, "tests": memory.TypeChange, "chore": memory.TypeChange, "build": memory.TypeChange,
	"ci": memory.TypeChange, "style": memory.TypeChange, "deps": memory.TypeChange,
}

// typeOf gives the type of an arc with edits; the first rule that matches wins.
func (s *scene) typeOf(a *arc, v verdict) string {
	if a.reverted {
		return memory.TypeDiscovery
	}
	if a.commit != nil {
		if t := prefixTypes[a.commit.prefix]; t != "" {
			return t
		}
		word, _, _ := strings.Cut(a.commit.subject, " ")
		if t := intentOf(word); t != "" && t != memory.TypeChange || hasHan(a.commit.subject) {
			if t = intentOf(a.commit.subject); t != "" {
				return t
			}
		}
	}
	plain := a.onlySupport()
	if a.renaming() {
		return memory.TypeRefactor
	}
	wish := s.wishFor(a)
	intent := intentOf(wish)
	if intent == "" && s.vague && len(s.said) > 0 {
		intent = intentOf(strings.Join(s.said[:min(2, len(s.said))], " "))
	}
	if v.red != nil && v.green != nil && !v.owned && (intent == "" || intent == memory.TypeBugfix) {
		return memory.TypeBugfix
	}
	switch {
	case intent == memory.TypeBugfix:
		return intent
	case plain:
		return memory.TypeChange
	case intent == memory.TypeFeature && problemWords.MatchString(wish) && strings.Contains(strings.ToLower(wish), "test for"):
		return memory.TypeChange
	case intent != "":
		return intent
	case problemWords.MatchString(wish):
		return memory.TypeBugfix
	case a.newSource():
		return memory.TypeFeature
	}
	return memory.TypeChange
}

// wishFor gives the words of the person that speak of the arc.
func (s *scene) wishFor(a *arc) string {
	if len(a.clauses) > 0 {
		return strings.Join(a.clauses, ". ")
	}
	if s.vague {
		return ""
	}
	return strings.Join(s.asked[:min(4, len(s.asked))], " ")
}

// onlySupport reports whether the arc changed nothing but tests, documents and configuration.
func (a *arc) onlySupport() bool {
	for _, f := range a.files {
		if isCode(f.path) && !isTest(f.path) {
			return false
		}
	}
	return len(a.files) > 0
}

func (a *arc) newSource() bool {
	for _, f := range a.files {
		if f.verb == creates && isCode(f.path) && !isTest(f.path) {
			return true
		}
	}
	return false
}

// renaming reports whether the arc did nothing but give things other names or places.
func (a *arc) renaming() bool {
	found := false
	for _, f := range a.files {
		if f.verb == renames {
			found = true
		}
		for _, e := range f.effects {
			switch {
			case e.how == renamed:
				found = true
			case e.how != changed:
				return false
			}
		}
		if f.verb == creates || f.verb == deletes || len(f.values) > 0 {
			return false
		}
	}
	return found
}
