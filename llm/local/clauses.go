package local

import (
	"strings"
	"sync"
	"unicode"
)

// thirdPerson maps the plain and the past form of a verb to the form in which an
// observation is told: "add" and "added" become "adds".
var thirdPerson = sync.OnceValue(func() map[string]string {
	return verbForms(`
add adds added|fix fixes fixed|implement implements implemented|create creates created|introduce introduces introduced|update updates updated
change changes changed|remove removes removed|delete deletes deleted|rename renames renamed|move moves moved|extract extracts extracted
refactor refactors refactored|replace replaces replaced|rewrite rewrites rewrote|make makes made|write writes wrote|use uses used|switch switches switched
migrate migrates migrated|convert converts converted|split splits split|merge merges merged|simplify simplifies simplified|improve improves improved
handle handles handled|support supports supported|validate validates validated|increase increases increased|decrease decreases decreased|raise raises raised
lower lowers lowered|bump bumps bumped|upgrade upgrades upgraded|downgrade downgrades downgraded|set sets set|enable enables enabled|disable disables disabled
document documents documented|cover covers covered|guard guards guarded|wrap wraps wrapped|cache caches cached|log logs logged|expose exposes exposed
drop drops dropped|revert reverts reverted|resolve resolves resolved|prevent prevents prevented|allow allows allowed|reject rejects rejected
retry retries retried|limit limits limited|install installs installed|configure configures configured|deploy deploys deployed|build builds built
generate generates generated|read reads read|show shows showed|hide hides hid|return returns returned|round rounds rounded|tidy tidies tidied
clean cleans cleaned|reduce reduces reduced|optimize optimizes optimized|speed speeds sped|adjust adjusts adjusted|correct corrects corrected|port ports ported
store stores stored|send sends sent|parse parses parsed|sort sorts sorted|skip skips skipped|ignore ignores ignored|translate translates translated|format formats formatted
connect connects connected|hook hooks hooked|wire wires wired|register registers registered|turn turns turned|put puts put|restore restores restored|pin pins pinned
run runs ran|test tests tested|check checks checked|verify verifies verified|stop stops stopped|inline inlines inlined|dedupe dedupes deduped|unify unifies unified|choose chooses chose|decide decides decided|pick picks picked|keep keeps kept|opt opts opted|settle settles settled|open opens opened|file files filed|start starts started|publish publishes published|push pushes pushed|tag tags tagged|release releases released|apply applies applied|restart restarts restarted|rebuild rebuilds rebuilt|close closes closed|post posts posted|sync syncs synced|seed seeds seeded|bring brings brought`)
})

// joinedVerbs are the verbs that are told in the third person after "and" too;
// most others may be nouns there.
var joinedVerbs = set("add fix remove rename move update implement create extract replace refactor write introduce delete make use handle return switch rewrite bump drop document raise lower increase decrease enable disable revert migrate upgrade cover validate")

func verbForms(table string) map[string]string {
	out := map[string]string{}
	for line := range strings.FieldsFuncSeq(table, func(r rune) bool { return r == '\n' || r == '|' }) {
		forms := strings.Fields(line)
		for _, f := range forms {
			out[f] = forms[1]
		}
	}
	return out
}

var politeness = newPattern(`(?i)^(?:(?:ok(?:ay)?|hi|hey|hello|good|great|nice|perfect|thanks?|so|now|then|also|and|but|next|first|finally|alright|quick question|a question|question|yes|no|well|please|pls|kindly|just|could you|can you|would you|will you|can we|could we|let's|let us|we should|we need to|we must|you should|i want you to|i'd like you to|i would like you to|i need you to|i want to|i'd like to|i need to|i want|i need|help me(?: to)?|try to|go ahead and|make sure (?:to|that|you)|your task is to|the task is to|todo:?|task:?)[\s,.!:;]+)+`)

var politenessZh = newPattern(`^(?:(?:请你|请|麻烦你|麻烦|帮我|帮忙|能不能|可以|可不可以|你|我想要|我想|我要|我们需要|需要|然后|另外|还有|接着|现在|先|再|顺便|好的|好|嗯|谢谢|那就|那)[，,。！\s]*)+`)

// stripPoliteness removes what comes before the wish itself.
func stripPoliteness(s string) string {
	s = strings.TrimSpace(s)
	if hasHan(s) {
		if t := politenessZh.ReplaceAllString(s, ""); cells(t) >= 4 {
			return t
		}
		return s
	}
	if t := politeness.ReplaceAllString(s, ""); t != "" {
		return t
	}
	return s
}

// splitClauses cuts a sentence into its wishes: "Add X, and fix Y" is two.
func splitClauses(sentence string) []string {
	sentence = unended(stripPoliteness(sentence))
	if hasHan(sentence) {
		return splitHan(sentence)
	}
	words := strings.Fields(sentence)
	var out []string
	start := 0
	flush := func(end int) {
		for end > start && (words[end-1] == "and" || words[end-1] == "then" || words[end-1] == "also") {
			end--
		}
		if c := strings.TrimRight(strings.Join(words[start:end], " "), ",;:"); c != "" {
			out = append(out, c)
		}
	}
	for i := 1; i < len(words); i++ {
		w := strings.ToLower(words[i])
		prev := strings.ToLower(words[i-1])
		joined := prev == "and" || prev == "then" || prev == "also"
		if i-start >= 2 && (joined && joinedVerbs[w] || strings.HasSuffix(prev, ";") || strings.HasSuffix(prev, ",") && joinedVerbs[w]) {
			flush(i)
			start = i
		}
	}
	flush(len(words))
	return out
}

func splitHan(s string) []string {
	var out []string
	for c := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '，' || r == '；' || r == ',' || r == ';' }) {
		if c = stripPoliteness(strings.TrimLeft(c, "并再且 ")); cells(c) >= 4 {
			out = append(out, c)
		}
	}
	return out
}

// startsWithVerb reports whether an English clause tells somebody to do something.
func startsWithVerb(clause string) bool {
	word, _, _ := strings.Cut(clause, " ")
	_, ok := thirdPerson()[strings.ToLower(strings.TrimRight(word, ",:"))]
	return ok
}

var hanVerb = newPattern(`修复|修|新增|添加|增加|加|实现|支持|重构|重命名|改|拆|抽|提取|整理|简化|删除|去掉|移除|升级|更新|调整|调|写|创建|迁移|替换|接入|限制|处理|优化|配置|部署|合并|统一|检查|解决|把|将|让|用`)

var fillers = set("a an the it this that these those them they to of in on for from with by and or so be is are was as at into my our your its their me us please now also all some any test tests cause problem issue bug code file files thing things stuff change changes work works everything one ones properly correctly too again up out there here what why how when whether if not no first then ticket see")

// contentWords counts the words of a clause that name something.
func contentWords(clause string) int {
	if hasHan(clause) {
		n := 0
		for _, r := range clause {
			if unicode.Is(unicode.Han, r) {
				n++
			}
		}
		return n/2 + len(identifiersIn(clause, 5))
	}
	n := 0
	for i, w := range strings.Fields(clause) {
		w = strings.Trim(strings.ToLower(w), "`'\"(),.;:")
		if i > 0 && w != "" && !fillers[w] {
			n++
		}
	}
	return n
}

// aside is where a wish ends and its explanation begins.
var aside = newPattern(`(?i), (?:it|this|that|they|we|i|you|he|she|because|since|as|so|which|right now|currently|the (?:current|old))\b`)

// tell puts a clause into the form of a title: "add X and fix Y" becomes "Adds X
// and fixes Y". A Chinese clause stays as it is.
func tell(clause string) string {
	clause = strings.ReplaceAll(unended(clause), "`", "")
	if hasHan(clause) {
		return clause
	}
	if loc := aside.FindStringIndex(clause); loc != nil && contentWords(clause[:loc[0]]) >= 2 {
		clause = clause[:loc[0]]
	}
	words := strings.Fields(clause)
	for i, w := range words {
		low := strings.ToLower(w)
		form, ok := thirdPerson()[low]
		if !ok || identifierLike(w) {
			continue
		}
		if i == 0 || joinedVerbs[low] && (strings.EqualFold(words[i-1], "and") || strings.EqualFold(words[i-1], "then")) {
			words[i] = form
		}
	}
	return upperFirst(strings.Join(words, " "))
}
