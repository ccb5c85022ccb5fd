package local

import (
	"path"
	"strings"

	"cmem/llm"
	"cmem/memory"
)

// scene is a batch of events, understood.
type scene struct {
	project  string
	lang     language
	words    string   // what the person wrote
	asked    []string // its sentences
	vague    bool     // the person's words name nothing to do: "go on", "yes"
	message  string   // the assistant's last words, as plain text
	said     []string // its sentences
	findings []string // what subagents reported
	steps    []step
	tasks    taskBoard
	stopped  bool // the prompt's answer is complete
	last     memory.Event
	tokens   int // of the events that are no steps
	recent   map[string]bool
}

var exitLine = newPattern(`^Exit code \d+\n?`)

func readScene(b llm.Batch) *scene {
	s := &scene{recent: map[string]bool{}}
	for _, t := range b.Recent {
		s.recent[t] = true
	}
	s.project = b.Session.Project
	for _, e := range b.Events {
		if e.Project != "" {
			s.project = e.Project
			break
		}
	}
	s.project = slashed(s.project)
	prompt, machine := b.Prompt.Text, b.Prompt.Machine
	seen := map[string]bool{}
	for _, e := range b.Events {
		// The same hook may be registered twice.
		if key := e.Name + "\x00" + e.ToolUseID; e.ToolUseID != "" {
			if seen[key] {
				continue
			}
			seen[key] = true
		}
		s.last = e
		switch {
		case e.IsTool():
			if st, ok := s.readStep(e); ok {
				s.steps = append(s.steps, st)
			}
			continue
		case e.Name == memory.EventUserPromptSubmit:
			if prompt == "" {
				prompt = e.Prompt
			}
		case e.Name == memory.EventStop:
			s.stopped = true
			if m := prose(e.LastAssistantMessage); strings.TrimSpace(m) != "" {
				s.message = m
			}
		case e.Name == memory.EventSubagentStop && e.AgentType != "" && !strings.Contains(e.LastAssistantMessage, "<analysis>"):
			s.findings = appendNew(s.findings, 8, strings.TrimSpace(prose(e.LastAssistantMessage)))
		}
		switch e.Name {
		case memory.EventUserPromptSubmit, memory.EventStop, memory.EventSubagentStop:
			s.tokens += tokensOf(e)
		}
	}
	if machine || strings.HasPrefix(strings.TrimSpace(prompt), "<task-notification>") {
		prompt = "" // the host's words are nobody's wish
	}
	s.words = personsWords(prompt)
	s.asked = sentences(s.words, 40)
	s.vague = isVague(s.words)
	s.said = sentences(s.message, 60)
	s.lang = languageOf(s.words, s.message, b.Session.Title)
	if s.vague && s.message != "" && languageOf(s.message) == chinese {
		s.lang = chinese
	}
	return s
}

var vagueWords = newPattern(`(?i)^(?:(?:ok(?:ay)?|yes|yep|yeah|sure|please|go|go on|go ahead|continue|proceed|do it|do that|try again|again|retry|next|thanks?|thank you|great|good|perfect|nice|cool|lgtm|looks good|sounds good|fix it|fix this|fix that|run it|commit|commit it|commit this|push|push it|y|n|no|done|and|then|it|now|let's|that|works|好|好的|好了|可以|行|继续|嗯|对|是|是的|没问题|谢谢|提交|请|吧|再试|重试|下一步|开始|修一下|接着做|往下做)[\s,.!?，。！？、]*)+$`)

// isVague reports whether a prompt names nothing of its own to do.
func isVague(words string) bool {
	words = strings.TrimSpace(words)
	return words == "" || vagueWords.MatchString(words) || cells(words) < 4
}

// rel gives a path of an event as it is told: relative to the project, with /
// separators; one outside of it stays as it is.
func (s *scene) rel(e memory.Event, file string) string {
	if file == "" {
		return ""
	}
	file = slashed(oneLine(file))
	cwd := slashed(e.CWD)
	if !path.IsAbs(file) && (len(file) < 2 || file[1] != ':') {
		if strings.HasPrefix(file, "~") || cwd == "" {
			return path.Clean(file)
		}
		file = path.Join(cwd, file)
	}
	file = path.Clean(file)
	roots := []string{s.project}
	if e.Project == "" || slashed(e.Project) == s.project {
		roots = append(roots, cwd) // a work tree of the project that stands elsewhere
	}
	for _, root := range roots {
		if root = strings.TrimSuffix(root, "/"); root != "" && strings.HasPrefix(file, root+"/") {
			return file[len(root)+1:]
		}
	}
	return file
}

func slashed(p string) string {
	if strings.Contains(p, `\`) && (len(p) > 1 && p[1] == ':' || strings.HasPrefix(p, `\\`) || !strings.Contains(p, "/")) {
		return strings.ReplaceAll(p, `\`, "/")
	}
	return p
}
