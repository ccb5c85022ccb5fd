package local

import (
	"context"
	"fmt"
	"strings"

	"cmem/llm"
	"cmem/memory"
)

const (
	requestCells   = 420
	sectionCells   = 900
	maxSummaryPath = 40
)

// Summarize gives a checkpoint of the session: what was asked, looked into,
// learned and done, and what is left. It covers what the previous checkpoint
// covered too. The zero Summary means that there is nothing to tell.
func (*Compressor) Summarize(ctx context.Context, story llm.Story) (memory.Summary, llm.Result, error) {
	if err := ctx.Err(); err != nil {
		return memory.Summary{}, llm.Result{}, fmt.Errorf("summarize session by rules: %w", err)
	}
	t := readTale(story)
	prev := memory.Summary{}
	if story.Previous != nil {
		prev = *story.Previous
	}
	read, modified := t.files(prev)
	sum := memory.Summary{
		Request:       t.request(prev),
		Learned:       t.section(prev.Learned, t.learned()),
		Completed:     t.section(prev.Completed, t.completed()),
		NextSteps:     t.section("", t.nextSteps()),
		FilesRead:     read,
		FilesModified: modified,
	}
	sum.Investigated = t.section("", t.investigated(sum))
	if sum.Completed == "" && sum.Learned == "" && sum.NextSteps == "" && len(read)+len(modified) == 0 {
		return memory.Summary{}, llm.Result{}, nil
	}
	return sum, llm.Result{}, nil
}

// tale is a session's story, understood.
type tale struct {
	lang         language
	asked        []string // the person's wishes, a prompt each
	fromStart    bool     // the story has the session's first prompt
	observations []memory.Observation
	messages     []string // the assistant's last words, a prompt each
	todos        []todo
}

func readTale(story llm.Story) *tale {
	t := &tale{observations: story.Observations}
	var all strings.Builder
	for i, p := range story.Prompts {
		if i == 0 {
			t.fromStart = p.Number <= 1
		}
		if p.Machine || strings.HasPrefix(strings.TrimSpace(p.Text), "<task-notification>") {
			continue
		}
		words := personsWords(p.Text)
		if isVague(words) {
			continue
		}
		if s := sentences(words, 3); len(s) > 0 {
			for len(s) > 1 && isVague(s[0]) {
				s = s[1:]
			}
			wish := stripPoliteness(s[0])
			if len(s) > 1 {
				if !hasHan(wish) {
					wish += " "
				}
				wish += s[1]
			}
			t.asked = append(t.asked, upperFirst(oneLine(wish)))
			all.WriteString(words + "\n")
		}
	}
	var tasks taskBoard
	seen := map[string]bool{}
	for _, e := range story.Events {
		if e.ToolUseID != "" {
			if seen[e.Name+e.ToolUseID] {
				continue
			}
			seen[e.Name+e.ToolUseID] = true
		}
		switch {
		case e.Name == memory.EventStop:
			if m := prose(e.LastAssistantMessage); strings.TrimSpace(m) != "" {
				t.messages = append(t.messages, m)
			}
		case e.IsTool() && e.ToolName == "TodoWrite" && e.AgentID == "":
			t.todos = readInput(e.ToolInput).Todos
		case e.IsTool() && strings.HasPrefix(e.ToolName, "Task") && e.AgentID == "":
			tasks.note(e.ToolName, readInput(e.ToolInput), readAnswer(e.ToolResponse))
			if list := tasks.list(); len(list) > 0 {
				t.todos = list
			}
		}
	}
	last := ""
	if n := len(t.messages); n > 0 {
		last = t.messages[n-1]
	}
	previous := ""
	if story.Previous != nil {
		previous = story.Previous.Request
	}
	t.lang = languageOf(all.String(), previous, last)
	return t
}

// request joins what the person asked for, in order. When it is too long the
// first and the latest wishes stay.
func (t *tale) request(prev memory.Summary) string {
	asked := t.asked
	if !t.fromStart && prev.Request != "" {
		asked = append([]string{prev.Request}, asked...)
	}
	if len(asked) == 0 {
		return prev.Request
	}
	for i := range asked {
		asked[i] = clip(asked[i], 200)
	}
	out := asked[0]
	var tail []string
	width := cells(out)
	for i := len(asked) - 1; i > 0; i-- {
		if strings.Contains(out, unended(asked[i])) {
			continue
		}
		if width += cells(asked[i]) + 3; width > requestCells {
			tail = append([]string{"…"}, tail...)
			break
		}
		tail = append([]string{asked[i]}, tail...)
	}
	for _, q := range tail {
		out = stopped(out) + t.lang.say(" Then: ", "然后：") + q
	}
	return strings.ReplaceAll(out, t.lang.say(" Then: …", "然后：…"), " …")
}

// stopped keeps a question mark, and ends anything else.
func stopped(s string) string {
	if strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") || strings.HasSuffix(s, "…") {
		return s
	}
	s = unended(s)
	if hasHan(s) {
		return s + "。"
	}
	return s + "."
}

// section joins items after those of the previous checkpoint. Items that the
// previous one already had are not told twice; when it gets too long, the oldest go.
func (t *tale) section(previous string, items []string) string {
	sep := t.lang.say("; ", "；")
	var all []string
	if previous != "" {
		for item := range strings.SplitSeq(unended(previous), sep) {
			all = appendNew(all, 200, strings.TrimSpace(item))
		}
	}
	for _, item := range items {
		all = appendNew(all, 200, unended(oneLine(item)))
	}
	width := 0
	from := len(all)
	for from > 0 && width+cells(all[from-1]) <= sectionCells {
		from--
		width += cells(all[from]) + 2
	}
	return ended(t.lang, strings.Join(all[from:], sep))
}

func (t *tale) completed() []string {
	var out []string
	for _, o := range t.observations {
		switch o.Type {
		case memory.TypeDiscovery, memory.TypeDecision:
			// A decision is learned, unless it is one that was carried out by edits.
			if o.ToolName == "" || len(o.FilesModified) == 0 || o.Type == memory.TypeDiscovery {
				continue
			}
		}
		out = appendNew(out, 60, o.Title)
	}
	return out
}

// learned gives what was found out and decided, and the reasons that the
// assistant gave.
func (t *tale) learned() []string {
	var out []string
	for _, o := range t.observations {
		if o.Type == memory.TypeDiscovery || o.Type == memory.TypeDecision && (o.ToolName == "" || len(o.FilesModified) == 0) {
			out = appendNew(out, 40, whole(o))
		}
	}
	for _, m := range t.messages {
		taken := 0
		for _, q := range sentences(m, 40) {
			if taken == 2 {
				break
			}
			if !becauseWords.MatchString(q) || openEnd.MatchString(q) || strings.HasSuffix(q, "?") || strings.HasSuffix(q, "？") || cells(q) > 260 || t.told(q) {
				continue
			}
			if weigh(q) >= 3 {
				out = appendNew(out, 40, strings.ReplaceAll(q, ";", ","))
				taken++
			}
		}
	}
	return out
}

// whole gives the sentence of an observation that its title was cut from, with
// the reason that the title left out; else the title.
func whole(o memory.Observation) string {
	told := o.Narrative
	if i := strings.Index(told, "”"); i >= 0 {
		told = strings.TrimLeft(told[i+len("”"):], ".。 ") // after what the person asked for
	}
	for _, q := range sentences(told, 30) {
		if cutFrom(o.Title, q) && cells(q) <= 240 {
			return strings.ReplaceAll(q, ";", ",")
		}
	}
	return o.Title
}

// cutFrom reports whether a title was made from a sentence. Its first word may
// have another form there.
func cutFrom(title, sentence string) bool {
	core := strings.ReplaceAll(strings.TrimSuffix(title, "…"), "`", "")
	if _, rest, ok := strings.Cut(core, " "); ok && !hasHan(core) {
		core = rest
	}
	return cells(core) >= 14 && strings.Contains(strings.ReplaceAll(sentence, "`", ""), core)
}

// told reports whether an observation has the sentence as its title already.
func (t *tale) told(q string) bool {
	for _, o := range t.observations {
		if sameWords(q, o.Title) || cutFrom(o.Title, q) {
			return true
		}
	}
	return false
}

var offer = newPattern(`(?i)\b(?:say so|let me know|if you (?:want|like|wish)|would you like|shall i|tell me)\b|如果你|需要的话|请告诉`)

var openEnd = newPattern(`(?i)\b(?:next(?: step)?s?[, :]|next i would|still (?:open|to do|missing|needs?|left)|remaining|remains|to ?do\b|not yet|yet to|left to do|follow[- ]?up|you (?:may|might) want|would be (?:good|worth)|should (?:also|still|now)|needs? to be|have not yet|haven't|left open|later)\b|下一步|接下来|还需要|还需|尚未|待办|后续|还没|未完成|可以再|建议再|仍需|之后再|遗留`)

// nextSteps gives the open items of the plan, what the assistant's last message
// leaves open, and a check that still fails.
func (t *tale) nextSteps() []string {
	var out []string
	for _, d := range t.todos {
		if d.Status == "completed" || d.Status == "cancelled" {
			continue
		}
		item := clip(oneLine(first(string(d.Content), string(d.Subject))), 120)
		if d.Status == "in_progress" {
			item += t.lang.say(" (under way)", "（进行中）")
		}
		out = appendNew(out, 8, item)
	}
	if n := len(t.messages); n > 0 {
		said := sentences(t.messages[n-1], 60)
		taken := 0
		for i := len(said) - 1; i >= 0 && taken < 2; i-- {
			if q := said[i]; openEnd.MatchString(q) && !offer.MatchString(q) && cells(q) <= 260 && cells(q) > 10 && !strings.HasSuffix(q, ":") && !strings.HasSuffix(q, "：") {
				out = appendNew(out, 8, strings.ReplaceAll(q, ";", ","))
				taken++
			}
		}
	}
	if n := len(t.observations); n > 0 {
		if o := t.observations[n-1]; strings.Contains(o.Title, " — still failing") || strings.Contains(o.Title, "——仍未通过") {
			out = appendNew(out, 8, o.Title)
		}
	}
	return out
}

// investigated tells what was looked at and not changed.
func (t *tale) investigated(sum memory.Summary) []string {
	var out []string
	modified := map[string]bool{}
	for _, f := range sum.FilesModified {
		modified[f] = true
	}
	var looked []string
	for _, f := range sum.FilesRead {
		if !modified[f] {
			looked = append(looked, f)
		}
	}
	if len(looked) > 0 {
		more := ""
		if len(looked) > 8 {
			more = fmt.Sprintf(t.lang.say(" and %d more", " 等 %d 个文件"), len(looked)-8)
			looked = looked[:8]
		}
		out = append(out, t.lang.say("Read ", "阅读 ")+strings.Join(looked, t.lang.say(", ", "、"))+more)
	}
	for _, o := range t.observations {
		if o.Type == memory.TypeDiscovery && o.Subtitle != "" && !strings.HasPrefix(o.Title, o.Subtitle) && (strings.HasSuffix(o.Subtitle, "?") || strings.HasSuffix(o.Subtitle, "？")) {
			out = appendNew(out, 6, o.Subtitle)
		}
	}
	return out
}

func (t *tale) files(prev memory.Summary) (read, modified []string) {
	read = appendNew(nil, maxSummaryPath, prev.FilesRead...)
	modified = appendNew(nil, maxSummaryPath, prev.FilesModified...)
	for _, o := range t.observations {
		modified = appendNew(modified, maxSummaryPath, o.FilesModified...)
		read = appendNew(read, maxSummaryPath, o.FilesRead...)
	}
	return read, modified
}
