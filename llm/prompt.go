package llm

import (
	_ "embed" // the prompts stand in files
	"path"
	"strconv"
	"strings"
	"time"

	"cmem/memory"
)

// PromptVersion names the state of the prompts. It is part of every model
// compressor's ID; raise it when a prompt changes what is asked for.
const PromptVersion = "v1"

var (
	//go:embed prompts/compress.txt
	compressSystem string
	//go:embed prompts/summarize.txt
	summarizeSystem string
)

// Prompt is one question to a model: what it is to do, and the record to do it with.
type Prompt struct {
	System string
	User   string
}

// The limits of a prompt in bytes. A record is cut to maxRecord whatever
// happened, so that a call costs at most some 16,000 tokens.
const (
	maxRecord = 48_000
	maxPrompt = 6_000 // what the person asked
	maxKnown  = 4_000 // titles that are known already
	maxOld    = 6_000 // the checkpoint to be replaced
)

// CompressPrompt asks for the observations of b. It is false when b holds
// nothing that a model could tell something about, so that no call is needed.
func CompressPrompt(b Batch) (Prompt, bool) {
	events := eventBlocks(b.Events)
	if len(events) == 0 {
		return Prompt{}, false
	}
	var w strings.Builder
	writeBlock(&w, sessionBlock(b.Session), maxRecord)
	if b.Prompt.Text != "" {
		writeBlock(&w, promptBlock(b.Prompt), maxPrompt)
	}
	if len(b.Recent) > 0 {
		known := newest(b.Recent, maxKnown)
		writeBlock(&w, block{tag: "known", fields: []field{{text: strings.Join(known, "\n")}}}, maxKnown)
	}
	writeBlocks(&w, events, maxRecord-w.Len())
	w.WriteString("Answer with the JSON object only.\n")
	return Prompt{System: compressSystem, User: w.String()}, true
}

// SummaryPrompt asks for a checkpoint of s. It is false when s holds neither
// prompts nor observations nor a word of the assistant.
func SummaryPrompt(s Story) (Prompt, bool) {
	var story []block
	// Prompts and observations are told in the order in which they happened.
	obs := s.Observations
	for _, p := range s.Prompts {
		for len(obs) > 0 && obs[0].CreatedAt.Before(p.CreatedAt) {
			story = append(story, observationBlock(obs[0]))
			obs = obs[1:]
		}
		if p.Text != "" && !p.Machine {
			story = append(story, promptBlock(p))
		}
	}
	for _, o := range obs {
		story = append(story, observationBlock(o))
	}
	story = append(story, eventBlocks(s.Events)...)
	if len(story) == 0 {
		return Prompt{}, false
	}
	var w strings.Builder
	writeBlock(&w, sessionBlock(s.Session), maxRecord)
	if s.Previous != nil {
		writeBlock(&w, previousBlock(*s.Previous), maxOld)
	}
	writeBlocks(&w, story, maxRecord-w.Len())
	w.WriteString("Answer with the JSON object only.\n")
	return Prompt{System: summarizeSystem, User: w.String()}, true
}

func sessionBlock(s memory.Session) block {
	b := block{tag: "session"}
	if s.Project != "" {
		b.attr("project", path.Base(strings.ReplaceAll(s.Project, `\`, "/")))
	}
	if s.CWD != "" {
		b.attr("cwd", s.CWD)
	}
	if s.GitBranch != "" {
		b.attr("branch", s.GitBranch)
	}
	return b
}

func promptBlock(p memory.Prompt) block {
	b := block{tag: "prompt", fields: []field{{text: p.Text}}}
	if p.Number > 0 {
		b.attr("n", strconv.Itoa(p.Number))
	}
	return b
}

func observationBlock(o memory.Observation) block {
	b := block{tag: "observation"}
	b.attr("type", o.Type)
	b.field("", o.Title)
	b.field("", o.Subtitle)
	b.field("", o.Narrative)
	b.field("facts", strings.Join(o.Facts, "\n"))
	b.field("files read", strings.Join(o.FilesRead, ", "))
	b.field("files modified", strings.Join(o.FilesModified, ", "))
	return b
}

func previousBlock(s memory.Summary) block {
	b := block{tag: "previous"}
	b.field("request", s.Request)
	b.field("investigated", s.Investigated)
	b.field("learned", s.Learned)
	b.field("completed", s.Completed)
	b.field("next steps", s.NextSteps)
	b.field("notes", s.Notes)
	b.field("files read", strings.Join(s.FilesRead, ", "))
	b.field("files modified", strings.Join(s.FilesModified, ", "))
	return b
}

// newest gives the last of lines that fit into limit bytes.
func newest(lines []string, limit int) []string {
	i := len(lines)
	for i > 0 && limit > len(lines[i-1]) {
		limit -= len(lines[i-1]) + 1
		i--
	}
	return lines[i:]
}

// clock is how a moment is told to a model: to the second is enough.
func clock(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
