package local

import (
	"path"
	"strings"
	"time"

	"cmem/memory"
)

// step is one tool call, understood.
type step struct {
	tool   string
	at     time.Time
	sub    bool // inside a subagent
	failed bool
	tokens int // estimated tokens of its event

	changes []change
	revert  *revert
	reads   []string // files looked at
	query   string   // what was searched for, in the project or on the web
	hits    bool     // and whether it was found
	run     *run
	act     string   // what an MCP tool or a hub did, to be told
	finding string   // the words of a subagent, a fetched page or an MCP tool
	choices []choice // what the person chose when asked
	plan    string   // a plan that the person agreed to
	todos   []todo   // the plan as it stands after the step
}

// choice is a person's answer to a question of the assistant.
type choice struct{ question, answer string }

// run is a shell line and how it ended.
type run struct {
	shown   string // the command that matters, as a person would write it
	purpose purpose
	ok      bool
	tested  string     // the test command of the line, "" when there is none
	tests   testResult // and what it reported
	failure failure    // when it did not end well
	commits []commit
	also    []sideRun // other telling commands of the line
}

// sideRun is another command of the same line.
type sideRun struct {
	shown   string
	purpose purpose
}

// key identifies a check for comparing its runs: the same test command with
// other flags is the same check.
func (r *run) key() string {
	words := strings.Fields(r.shown)
	var keep []string
	for _, w := range words {
		if !strings.HasPrefix(w, "-") && len(keep) < 2 {
			keep = append(keep, w)
		}
	}
	return strings.Join(keep, " ")
}

// check gives the command of the line that checked something.
func (r *run) check() string { return first(r.tested, r.shown) }

// isCheck reports whether the run says something about the quality of the code.
func (r *run) isCheck() bool {
	return r.purpose == forTesting || r.purpose == forBuilding || r.purpose == forLinting
}

// ownTool reports whether a tool is cmem's own: memory never remembers itself.
func ownTool(name string) bool {
	return strings.HasPrefix(name, "mcp__cmem__") || strings.HasPrefix(name, "mcp__") && strings.Contains(name, "_cmem__")
}

// maxEventText bounds, in bytes, how much of a payload is counted exactly.
const maxEventText = 64 << 10

func tokensOf(e memory.Event) int {
	raw := e.Raw
	if len(raw) == 0 {
		raw = append(append(append([]byte(e.Prompt+e.LastAssistantMessage), e.ToolInput...), e.ToolResponse...), e.Error...)
	}
	if len(raw) <= maxEventText {
		return memory.EstimateTokens(string(raw))
	}
	return int(float64(memory.EstimateTokens(string(raw[:maxEventText]))) * float64(len(raw)) / maxEventText)
}

// readStep understands a tool event. ok is false for one that tells nothing.
func (s *scene) readStep(e memory.Event) (st step, ok bool) {
	if ownTool(e.ToolName) {
		return st, false
	}
	st = step{tool: e.ToolName, at: e.CreatedAt, sub: e.AgentID != "", failed: e.Failed(), tokens: tokensOf(e)}
	in := readInput(e.ToolInput)
	answer := toolAnswer{}
	if !st.failed {
		answer = readAnswer(e.ToolResponse)
	}
	rel := func(p string) string { return s.rel(e, p) }
	file := rel(first(string(in.FilePath), string(in.NotebookPath), string(in.Path), string(answer.FilePath)))
	switch e.ToolName {
	case "Edit", "MultiEdit", "Write", "NotebookEdit":
		if st.failed || file == "" || internalFile(file) {
			return st, false
		}
		st.changes = editsOf(e.ToolName, file, in, answer)
	case "apply_patch", "ApplyPatch":
		if st.failed {
			return st, false
		}
		st.changes = parsePatch(first(string(in.Patch), string(in.Input), string(in.Command)))
		for i := range st.changes {
			st.changes[i].path = rel(st.changes[i].path)
		}
	case "Bash", "Shell", "shell", "PowerShell":
		s.readShell(&st, e, in, answer, rel)
	case "Read":
		if st.failed || file == "" || internalFile(file) {
			return st, false
		}
		st.reads = []string{file}
	case "Grep", "Glob", "LS":
		st.query = oneLine(string(in.Pattern))
		st.hits = !st.failed && (len(answer.Filenames) > 0 || strings.TrimSpace(answer.words()) != "")
	case "Task", "Agent":
		st.query = oneLine(string(in.Description))
		st.finding = prose(answer.words())
	case "WebFetch":
		st.query = oneLine(string(in.URL))
		st.hits = !st.failed
		st.finding = prose(answer.words())
	case "WebSearch":
		st.query = oneLine(string(in.Query))
		st.hits = !st.failed
	case "TodoWrite":
		st.todos = in.Todos
	case "AskUserQuestion":
		st.choices = choicesOf(in, answer)
	case "ExitPlanMode":
		if !st.failed {
			st.plan = first(string(in.Plan), answer.words())
		}
	case "TaskCreate", "TaskUpdate", "TaskList", "TaskGet":
		s.tasks.note(e.ToolName, in, answer)
		st.todos = s.tasks.list()
	default:
		if !strings.HasPrefix(e.ToolName, "mcp__") {
			return st, false
		}
		readMCP(&st, e, in, answer)
	}
	return st, true
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// internalFile reports whether a file is the client's own notebook, not the person's.
func internalFile(file string) bool {
	return strings.Contains(file, "session-memory") || strings.Contains(file, "/.claude/projects/") || strings.Contains(file, "/.claude/plans/") || strings.Contains(file, "/.claude/todos/")
}

func editsOf(tool, file string, in toolInput, answer toolAnswer) []change {
	switch tool {
	case "Write":
		content := string(in.Content)
		if content == "" {
			content = string(answer.Content)
		}
		if answer.Type == "update" || answer.OriginalFile != "" || len(answer.Patch) > 0 {
			return []change{editFile(file, string(answer.OriginalFile), content, string(answer.OriginalFile), answer.Patch)}
		}
		verb := writes
		if answer.Type == "create" {
			verb = creates
		}
		return []change{createFile(file, content, verb)}
	case "NotebookEdit":
		switch in.EditMode {
		case "delete":
			return []change{{path: file, note: "deletes a cell"}}
		default:
			c := createFile(file, string(in.NewSource), edits)
			return []change{c}
		}
	case "MultiEdit":
		if len(answer.Patch) > 0 {
			return []change{editFile(file, "", "", string(answer.OriginalFile), answer.Patch)}
		}
		var out []change
		for _, e := range in.Edits {
			out = append(out, editFile(file, string(e.OldString), string(e.NewString), string(answer.OriginalFile), nil))
		}
		return out
	}
	if len(answer.Patch) == 0 && in.OldString == "" && answer.OriginalFile == "" {
		return []change{createFile(file, string(in.NewString), creates)}
	}
	return []change{editFile(file, string(in.OldString), string(in.NewString), string(answer.OriginalFile), answer.Patch)}
}

func choicesOf(in toolInput, answer toolAnswer) []choice {
	var out []choice
	for _, q := range in.Questions {
		if a := answer.Answers.v[string(q.Question)]; a != "" {
			out = append(out, choice{oneLine(string(q.Question)), oneLine(string(a))})
		}
	}
	return out
}

// readShell understands a shell call.
func (s *scene) readShell(st *step, e memory.Event, in toolInput, answer toolAnswer, rel func(string) string) {
	commands := parseShell(string(in.Command))
	output := answer.output()
	if st.failed {
		output = bounded(exitLine.ReplaceAllString(e.Error, ""))
	}
	r := &run{ok: !st.failed}
	main := -1
	for i, c := range commands {
		p := purposeOf(c)
		if main < 0 || p > r.purpose {
			main, r.purpose = i, p
		}
		if p >= forRunning && p != forEditing && p != forCommitting {
			r.also = append(r.also, sideRun{shown(c), p})
		}
		if p == forTesting && r.tested == "" {
			r.tested = shown(c)
		}
		if p == forReading {
			st.reads = appendNew(st.reads, 20, readFiles(c, rel)...)
			if q := searchedFor(c); q != "" && st.query == "" {
				st.query, st.hits = q, !st.failed && strings.TrimSpace(output) != "" && output != "no match"
			}
		}
	}
	if main < 0 {
		return
	}
	r.shown = shown(commands[main])
	if answer.Background != "" {
		return // it has only been started
	}
	if r.tested != "" {
		r.tests = parseTests(output, r.ok)
		r.ok = !r.tests.red
	}
	if !r.ok && r.purpose > forReading {
		r.failure = findFailure(output, rel)
	}
	if !st.failed {
		r.commits = commitsIn(commands, output, answer.Git.v.Commit.v)
		for i := range r.commits {
			for j, f := range r.commits[i].added {
				r.commits[i].added[j] = rel(f)
			}
		}
		if rv, ok := revertsIn(commands); ok {
			for i, f := range rv.paths {
				rv.paths[i] = rel(f)
			}
			st.revert = &rv
		}
	}
	if !st.failed || len(commands) > 1 {
		st.changes = shellChanges(commands)
		for i := range st.changes {
			st.changes[i].path = rel(st.changes[i].path)
			if st.changes[i].from != "" {
				st.changes[i].from = rel(st.changes[i].from)
			}
		}
	}
	st.run = r
}

// readFiles gives the files that a reading command names.
func readFiles(c command, rel func(string) string) []string {
	switch path.Base(c.words[0]) {
	case "cat", "bat", "head", "tail", "less", "more", "sed", "nl", "jq", "yq", "wc", "awk", "grep", "rg", "egrep":
	default:
		return nil
	}
	words := c.words[1:]
	switch path.Base(c.words[0]) {
	case "grep", "egrep", "rg", "awk", "jq", "yq", "sed": // the first word is a pattern or a script
		if words = skipFlags(words, "ABCmgteEfF"); len(words) > 0 {
			words = words[1:]
		}
	}
	var out []string
	for _, w := range words {
		if strings.HasPrefix(w, "-") || path.Ext(w) == "" || strings.ContainsAny(w, "*?$|^\\(){}[] \n,;'\"") || scratch(w) || strings.HasPrefix(w, ".") && strings.Count(w, ".") == 1 && !strings.Contains(w, "/") {
			continue
		}
		if len(declarationsOf(w)) == 0 && !isConfig(w) && path.Ext(w) != ".txt" {
			continue
		}
		if c.dir != "" && !path.IsAbs(w) {
			w = path.Join(c.dir, w)
		}
		out = append(out, rel(w))
	}
	return out
}

// searchedFor gives the pattern of a search command.
func searchedFor(c command) string {
	switch path.Base(c.words[0]) {
	case "grep", "egrep", "fgrep", "rg", "ag", "ack":
	case "git":
		if rest := skipFlags(c.words[1:], "Cc"); len(rest) < 2 || rest[0] != "grep" {
			return ""
		}
		c.words = c.words[1:]
	default:
		return ""
	}
	if rest := skipFlags(c.words[1:], "ABCmgteEf"); len(rest) > 0 && c.after != "|" {
		return clip(oneLine(rest[0]), 60)
	}
	return ""
}
