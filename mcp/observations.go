package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cmem/memory"
)

const (
	idsMost   = 50
	rawMost   = 40    // events of one prompt
	rawEvent  = 3_000 // bytes of one event
	wholeMost = 12_000
)

// observations answers with the whole of the rows that ids name, in that order.
func (t *tools) observations(ctx context.Context, a args) (string, error) {
	refs, err := readRefs(a)
	if err != nil {
		return "", err
	}
	obs, err := t.byID(ctx, refs)
	if err != nil {
		return "", err
	}
	p := newPage()
	var missing, left []string
	shown := make(map[string]bool) // the prompts whose events are there already
	for _, r := range refs {
		piece, found, err := t.whole(ctx, r, obs)
		if err != nil {
			return "", err
		}
		if !found {
			missing = append(missing, r.String())
			continue
		}
		if !p.add(piece) {
			left = append(left, r.String())
			continue
		}
		o, isObservation := obs[r.id]
		if key := o.SessionID + " " + strconv.Itoa(o.PromptNumber); r.kind == memory.KindObservation && isObservation && a.yes("raw") && !shown[key] {
			shown[key] = true
			if err := t.raw(ctx, p, o); err != nil {
				return "", err
			}
		}
	}
	if len(missing) > 0 {
		p.note("Not found: " + strings.Join(missing, ", "))
	}
	if len(left) > 0 {
		p.note("Left out for length, ask for them again: " + strings.Join(left, ", "))
	}
	return p.String(), nil
}

func readRefs(a args) ([]ref, error) {
	names, err := a.list("ids", "id", "observation_ids")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, errors.New(`ids is missing; give the ids that search showed, like {"ids": ["#12", "#15"]}`)
	}
	if len(names) > idsMost {
		return nil, fmt.Errorf("%d ids at once are too many; %d at most", len(names), idsMost)
	}
	var refs []ref
	for _, n := range names {
		r, err := parseRef(n)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(refs, r) {
			refs = append(refs, r)
		}
	}
	return refs, nil
}

func (t *tools) byID(ctx context.Context, refs []ref) (map[int64]memory.Observation, error) {
	var ids []int64
	for _, r := range refs {
		if r.kind == memory.KindObservation {
			ids = append(ids, r.id)
		}
	}
	out := make(map[int64]memory.Observation, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	obs, err := t.src.Observations(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read the memories: %w", err)
	}
	for _, o := range obs {
		out[o.ID] = o
	}
	return out, nil
}

// whole writes one row with all it says; false when there is none.
func (t *tools) whole(ctx context.Context, r ref, obs map[int64]memory.Observation) (string, bool, error) {
	switch r.kind {
	case memory.KindPrompt:
		p, err := t.src.Prompt(ctx, r.id)
		if err != nil {
			return "", false, unlessMissing(r, err)
		}
		return wholePrompt(p), true, nil
	case memory.KindSummary:
		s, err := t.src.Summary(ctx, r.id)
		if err != nil {
			return "", false, unlessMissing(r, err)
		}
		return wholeSummary(s), true, nil
	default:
		o, ok := obs[r.id]
		return wholeObservation(o), ok, nil
	}
}

// raw writes the events of the prompt that an observation is from.
func (t *tools) raw(ctx context.Context, p *page, o memory.Observation) error {
	events, err := t.src.RawEvents(ctx, o.SessionID, o.PromptNumber, "", rawMost)
	if err != nil {
		return fmt.Errorf("read the events of #%d: %w", o.ID, err)
	}
	if len(events) == 0 {
		p.note("events: none are kept")
		return nil
	}
	left := 0
	for _, e := range events {
		payload := "its payload is not kept any more"
		if len(e.Payload) > 0 {
			payload = headAndTail(harmless(string(e.Payload)), rawEvent)
		}
		if !p.try("event " + oneLine(strings.TrimSpace(e.Name+" "+e.ToolName)) + " " + stamp(e.CreatedAt) + ": " + payload + "\n") {
			left++
		}
	}
	if left > 0 {
		p.note(plural(left, "more event", "more events") + " left out for length.")
	}
	return nil
}

func wholeObservation(o memory.Observation) string {
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
	return headAndTail(b.String(), wholeMost)
}

// provenance says where a memory comes from and how far it can be trusted.
func provenance(o memory.Observation) string {
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

func wholeSummary(s memory.Summary) string {
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
	return headAndTail(b.String(), wholeMost)
}

func wholePrompt(p memory.Prompt) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s prompt %d\n%s\n", label(memory.KindPrompt, p.ID), p.Number, harmless(p.Text))
	line(&b, "from", stamp(p.CreatedAt)+" · project "+p.Project+" · session "+p.SessionID)
	return headAndTail(b.String(), wholeMost)
}

// line writes a named line unless it says nothing.
func line(b *strings.Builder, name, text string) {
	if text = strings.TrimSpace(harmless(text)); text != "" {
		b.WriteString(name + ": " + text + "\n")
	}
}
