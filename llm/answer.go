package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"cmem/memory"
)

// The limits of what is taken from an answer: strings in characters, lists in entries.
const (
	maxObservations = 12
	maxType         = 40
	maxTitle        = 160
	maxSubtitle     = 300
	maxNarrative    = 2_000
	maxFact         = 400
	maxFacts        = 20
	maxConcept      = 60
	maxConcepts     = 10
	maxPath         = 400
	maxPaths        = 60
	maxSection      = 1_500 // one field of a summary
)

// wireObservation is an observation as the prompt asks for it. Models are
// lax with types, so every field takes what comes.
type wireObservation struct {
	Type          text  `json:"type"`
	Title         text  `json:"title"`
	Subtitle      text  `json:"subtitle"`
	Narrative     text  `json:"narrative"`
	Facts         texts `json:"facts"`
	Concepts      texts `json:"concepts"`
	FilesRead     texts `json:"files_read"`
	FilesModified texts `json:"files_modified"`
	Certainty     text  `json:"certainty"`
	Events        texts `json:"events"`
}

type wireSummary struct {
	Request       text  `json:"request"`
	Investigated  text  `json:"investigated"`
	Learned       text  `json:"learned"`
	Completed     text  `json:"completed"`
	NextSteps     text  `json:"next_steps"`
	Notes         text  `json:"notes"`
	FilesRead     texts `json:"files_read"`
	FilesModified texts `json:"files_modified"`
}

// text is a JSON string; a list becomes its lines, another value its JSON text.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	var list texts
	if err := list.UnmarshalJSON(b); err != nil {
		return err
	}
	*t = text(strings.Join(list, "\n"))
	return nil
}

// texts is a JSON list of strings; a lone value is a list of one.
type texts []string

func (t *texts) UnmarshalJSON(b []byte) error {
	var values []json.RawMessage
	if json.Unmarshal(b, &values) != nil {
		values = []json.RawMessage{b}
	}
	*t = nil
	for _, v := range values {
		var s string
		switch {
		case string(v) == "null":
			continue
		case json.Unmarshal(v, &s) != nil:
			s = string(v)
		}
		*t = append(*t, s)
	}
	return nil
}

// ParseObservations reads the answer to CompressPrompt(b). No observation and
// no error means that nothing was worth remembering: the answer was empty, said
// so, or was prose. An answer that was cut off gives the observations that are
// whole; an error says that there is JSON of which nothing could be read.
func ParseObservations(answer string, b Batch) ([]memory.Observation, error) {
	body := jsonIn(answer)
	if body == "" {
		return nil, nil
	}
	wire, err := readObservations(body)
	if err != nil && len(wire) == 0 {
		return nil, fmt.Errorf("read the model's observations: %w", err)
	}
	var out []memory.Observation
	for _, w := range wire {
		if o, ok := w.observation(b); ok && len(out) < maxObservations {
			out = append(out, o)
		}
	}
	shareTokens(out, b.Events)
	return out, nil
}

// readObservations decodes one observation after the other, so that those
// before a fault are kept.
func readObservations(body string) ([]wireObservation, error) {
	dec := json.NewDecoder(strings.NewReader(body))
	if body[0] == '{' {
		found, err := seek(dec, "observations")
		if err != nil {
			return nil, err
		}
		if !found { // one observation that stands alone, or {}
			var w wireObservation
			err := json.Unmarshal([]byte(body), &w)
			return []wireObservation{w}, err
		}
	}
	open, err := dec.Token()
	if err != nil {
		return nil, err
	}
	if open == nil {
		return nil, nil // "observations": null
	}
	if open != json.Delim('[') {
		return nil, errors.New(`"observations" is not a list`)
	}
	var out []wireObservation
	for dec.More() {
		var w wireObservation
		if err := dec.Decode(&w); err != nil {
			return out, err
		}
		out = append(out, w)
	}
	_, err = dec.Token()
	return out, err
}

// seek reads an object up to the value of key and reports whether it is there.
func seek(dec *json.Decoder, key string) (bool, error) {
	if _, err := dec.Token(); err != nil {
		return false, err
	}
	for dec.More() {
		k, err := dec.Token()
		if err != nil {
			return false, err
		}
		if k == key {
			return true, nil
		}
		var skipped json.RawMessage
		if err := dec.Decode(&skipped); err != nil {
			return false, err
		}
	}
	return false, nil
}

func (w wireObservation) observation(b Batch) (memory.Observation, bool) {
	o := memory.Observation{
		Type:      strings.ToLower(line(string(w.Type), maxType)),
		Title:     line(string(w.Title), maxTitle),
		Subtitle:  line(string(w.Subtitle), maxSubtitle),
		Narrative: prose(string(w.Narrative), maxNarrative),
		Facts:     lines(w.Facts, maxFacts, maxFact),
		Certainty: memory.CertaintyClaimed,
	}
	if o.Title == "" {
		if o.Title = line(o.Narrative, maxTitle); o.Title == "" && len(o.Facts) > 0 {
			o.Title = line(o.Facts[0], maxTitle)
		}
	}
	if o.Title == "" {
		return o, false
	}
	if strings.EqualFold(string(w.Certainty), string(memory.CertaintyObserved)) {
		o.Certainty = memory.CertaintyObserved
	}
	o.FilesRead = files(w.FilesRead, b.Session, b.Events)
	o.FilesModified = files(w.FilesModified, b.Session, b.Events)
	if o.Type == "" {
		o.Type = memory.TypeDiscovery
		if len(o.FilesModified) > 0 {
			o.Type = memory.TypeChange
		}
	}
	for _, c := range lines(w.Concepts, maxConcepts, maxConcept) {
		c, _, _ = strings.Cut(c, ":") // "gotcha: the lock is not reentrant"
		if c = strings.TrimSpace(c); c != "" && c != o.Type && !slices.Contains(o.Concepts, c) {
			o.Concepts = append(o.Concepts, c)
		}
	}
	setSource(&o, w.Events, b.Events)
	return o, true
}

// setSource says which events an observation is from: the first one that the
// model names is the main one, the last in time dates it.
func setSource(o *memory.Observation, named []string, events []memory.Event) {
	main := -1
	for _, name := range named {
		n := 0
		if _, err := fmt.Sscanf(name, "%d", &n); err != nil || n < 1 || n > len(events) {
			continue
		}
		e := events[n-1]
		if main < 0 || (!events[main].IsTool() && e.IsTool()) {
			main = n - 1
		}
		if e.CreatedAt.After(o.CreatedAt) {
			o.CreatedAt = e.CreatedAt
		}
	}
	if main < 0 { // the last tool call, or whatever came last
		main = len(events) - 1
		for i, e := range slices.Backward(events) {
			if e.IsTool() {
				main = i
				break
			}
		}
	}
	if main < 0 {
		return
	}
	e := events[main]
	o.ToolName, o.GitBranch, o.GitCommit = e.ToolName, e.Branch, e.Commit
	if o.CreatedAt.IsZero() {
		o.CreatedAt = e.CreatedAt
	}
}

// shareTokens spreads what the events would have cost a model evenly over the
// observations made from them, so that the sum is right.
func shareTokens(obs []memory.Observation, events []memory.Event) {
	if len(obs) == 0 {
		return
	}
	total := 0
	for _, e := range events {
		total += memory.EstimateTokens(string(e.ToolInput)) + memory.EstimateTokens(string(e.ToolResponse)) +
			memory.EstimateTokens(e.Error) + memory.EstimateTokens(e.LastAssistantMessage)
	}
	for i := range obs {
		obs[i].TokensSource = total*(i+1)/len(obs) - total*i/len(obs)
	}
}

// ParseSummary reads the answer to SummaryPrompt(s). A zero Summary without an
// error means that there was nothing to tell.
func ParseSummary(answer string, s Story) (memory.Summary, error) {
	body := jsonIn(answer)
	if body == "" || body[0] == '[' {
		return memory.Summary{}, nil
	}
	var whole struct {
		Summary *wireSummary `json:"summary"`
		wireSummary
	}
	if err := json.Unmarshal([]byte(body), &whole); err != nil {
		return memory.Summary{}, fmt.Errorf("read the model's summary: %w", err)
	}
	w := whole.wireSummary // the fields without the object around them
	if whole.Summary != nil {
		w = *whole.Summary
	}
	sum := memory.Summary{
		Request:      prose(string(w.Request), maxSection),
		Investigated: prose(string(w.Investigated), maxSection),
		Learned:      prose(string(w.Learned), maxSection),
		Completed:    prose(string(w.Completed), maxSection),
		NextSteps:    prose(string(w.NextSteps), maxSection),
		Notes:        prose(string(w.Notes), maxSection),
	}
	if sum.Request+sum.Investigated+sum.Learned+sum.Completed+sum.NextSteps+sum.Notes == "" {
		return memory.Summary{}, nil
	}
	sum.FilesRead, sum.FilesModified = storyFiles(w, s)
	return sum, nil
}

// line makes s one line of at most limit characters.
func line(s string, limit int) string {
	return cut(strings.Join(strings.Fields(plain(s)), " "), limit)
}

// prose keeps the paragraphs of s.
func prose(s string, limit int) string {
	return cut(strings.TrimSpace(plain(s)), limit)
}

func lines(in []string, most, limit int) []string {
	var out []string
	for _, s := range in {
		if len(out) == most {
			break
		}
		if s = line(s, limit); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// cut cuts s to at most limit characters and says so with an ellipsis.
func cut(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	runes := []rune(s)
	return strings.TrimRightFunc(string(runes[:limit-1]), unicode.IsSpace) + "…"
}
