package mcp

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"cmem/memory"
)

// row is a memory that was asked for by its id. Of the three, it is the one that
// the ref's kind says.
type row struct {
	ref         ref
	observation *memory.Observation
	summary     memory.Summary
	prompt      memory.Prompt
}

func (r row) at() time.Time {
	switch r.ref.kind {
	case memory.KindPrompt:
		return r.prompt.CreatedAt
	case memory.KindSummary:
		return r.summary.CreatedAt
	}
	return r.observation.CreatedAt
}

// text writes the row with all it says.
func (r row) text() string {
	switch r.ref.kind {
	case memory.KindPrompt:
		return promptText(r.prompt)
	case memory.KindSummary:
		return summaryText(r.summary)
	}
	return observationText(r.observation)
}

func observationText(o *memory.Observation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s %s: %s\n", label(memory.KindObservation, o.ID), oneLine(o.Type), oneLine(o.Title))
	if o.Subtitle != "" {
		b.WriteString(oneLine(o.Subtitle) + "\n")
	}
	if o.Narrative != "" {
		b.WriteString(harmless(o.Narrative) + "\n")
	}
	for _, f := range o.Facts {
		b.WriteString("- " + oneLine(f) + "\n")
	}
	line(&b, "modified", strings.Join(o.FilesModified, ", "))
	line(&b, "read", strings.Join(o.FilesRead, ", "))
	line(&b, "concepts", strings.Join(o.Concepts, ", "))
	line(&b, "tags", strings.Join(o.Tags, ", "))
	line(&b, "from", provenance(o))
	return b.String()
}

// provenance says where a memory comes from and how far it can be trusted.
func provenance(o *memory.Observation) string {
	parts := []string{stamp(o.CreatedAt), "project " + o.Project, "session " + o.SessionID}
	if o.PromptNumber > 0 {
		parts = append(parts, "prompt "+strconv.Itoa(o.PromptNumber))
	}
	if o.ToolName != "" {
		parts = append(parts, "tool "+o.ToolName)
	}
	if o.GitBranch != "" || o.GitCommit != "" {
		parts = append(parts, strings.TrimSpace("git "+o.GitBranch+" "+shorten(o.GitCommit, 13)))
	}
	made := o.Compressor
	if o.Model != "" {
		made += " (" + o.Model + ")"
	}
	if made != "" {
		parts = append(parts, "written by "+made)
	}
	if o.Certainty != "" {
		parts = append(parts, string(o.Certainty))
	}
	if o.Status != "" && o.Status != memory.StatusActive {
		parts = append(parts, "status "+string(o.Status))
	}
	if !o.ValidUntil.IsZero() {
		parts = append(parts, "valid until "+stamp(o.ValidUntil))
	}
	if o.Provisional {
		parts = append(parts, "provisional")
	}
	if o.TokensSource > 0 {
		parts = append(parts, "original ~"+strconv.Itoa(o.TokensSource)+" tokens")
	}
	return strings.Join(parts, " · ")
}

func summaryText(s memory.Summary) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s session summary\n", label(memory.KindSummary, s.ID))
	line(&b, "request", s.Request)
	line(&b, "investigated", s.Investigated)
	line(&b, "learned", s.Learned)
	line(&b, "completed", s.Completed)
	line(&b, "next steps", s.NextSteps)
	line(&b, "notes", s.Notes)
	line(&b, "modified", strings.Join(s.FilesModified, ", "))
	line(&b, "read", strings.Join(s.FilesRead, ", "))
	line(&b, "from", stamp(s.CreatedAt)+" · project "+s.Project+" · session "+s.SessionID+" · written by "+s.Compressor)
	return b.String()
}

func promptText(p memory.Prompt) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s prompt %d\n%s\n", label(memory.KindPrompt, p.ID), p.Number, harmless(p.Text))
	line(&b, "from", stamp(p.CreatedAt)+" · project "+p.Project+" · session "+p.SessionID)
	return b.String()
}

// line writes a named line unless it says nothing.
func line(b *strings.Builder, name, text string) {
	if text = strings.TrimSpace(harmless(text)); text != "" {
		b.WriteString(name + ": " + text + "\n")
	}
}

// wholeData are whole memories for a program.
type wholeData struct {
	Memories []whole  `json:"memories"`
	NotFound []string `json:"not_found,omitempty"`
	LeftOut  []string `json:"left_out,omitempty"` // for length
}

// whole is a memory for a program. Text is what a prompt says, a summary's lines
// or an observation's narrative.
type whole struct {
	ID            string    `json:"id"`
	Kind          string    `json:"kind"`
	Type          string    `json:"type,omitempty"`
	Title         string    `json:"title,omitempty"`
	Subtitle      string    `json:"subtitle,omitempty"`
	Text          string    `json:"text"`
	Cut           bool      `json:"cut,omitempty"` // text is only the beginning
	Facts         []string  `json:"facts,omitempty"`
	FilesModified []string  `json:"files_modified,omitempty"`
	FilesRead     []string  `json:"files_read,omitempty"`
	Concepts      []string  `json:"concepts,omitempty"`
	Tags          []string  `json:"tags,omitempty"`
	Project       string    `json:"project"`
	Session       string    `json:"session"`
	Prompt        int       `json:"prompt,omitempty"`
	CreatedAt     time.Time `json:"created_at"`
	Status        string    `json:"status,omitempty"`
	Certainty     string    `json:"certainty,omitempty"`
	Compressor    string    `json:"compressor,omitempty"`
	Model         string    `json:"model,omitempty"`
	Events        []event   `json:"events,omitempty"`
}

// event is a recorded event for a program.
type event struct {
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"created_at"`
	Payload   string    `json:"payload"`
}

func (r row) whole() whole {
	x := whole{ID: r.ref.String(), Kind: string(r.ref.kind), CreatedAt: r.at().UTC()}
	switch r.ref.kind {
	case memory.KindPrompt:
		p := r.prompt
		x.Text, x.Project, x.Session, x.Prompt = p.Text, p.Project, p.SessionID, p.Number
	case memory.KindSummary:
		s := r.summary
		var b strings.Builder
		line(&b, "investigated", s.Investigated)
		line(&b, "learned", s.Learned)
		line(&b, "completed", s.Completed)
		line(&b, "next steps", s.NextSteps)
		line(&b, "notes", s.Notes)
		x.Title, x.Text, x.Project, x.Session, x.Prompt = s.Request, b.String(), s.Project, s.SessionID, s.PromptNumber
		x.FilesModified, x.FilesRead, x.Status, x.Compressor = s.FilesModified, s.FilesRead, string(s.Status), s.Compressor
	default:
		o := r.observation
		x.Type, x.Title, x.Subtitle, x.Text, x.Facts = o.Type, o.Title, o.Subtitle, o.Narrative, o.Facts
		x.FilesModified, x.FilesRead, x.Concepts, x.Tags = o.FilesModified, o.FilesRead, o.Concepts, o.Tags
		x.Project, x.Session, x.Prompt = o.Project, o.SessionID, o.PromptNumber
		x.Status, x.Certainty, x.Compressor, x.Model = string(o.Status), string(o.Certainty), o.Compressor, o.Model
	}
	return x
}

// within encodes the memory, after cutting its text where it costs more than
// limit tokens.
func (x *whole) within(limit int) string {
	data, err := json.Marshal(x)
	if err != nil {
		return "" // it has only texts and numbers
	}
	over := memory.EstimateTokens(string(data)) - limit
	if over <= 0 || x.Text == "" {
		return string(data)
	}
	x.Text, _, _ = part(x.Text, 0, max(memory.EstimateTokens(x.Text)-over-1, 0))
	x.Cut = true
	data, _ = json.Marshal(x)
	return string(data)
}
