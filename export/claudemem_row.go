package export

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"cmem/memory"
	"cmem/store"
)

// observation makes ours of theirs; ok is false when it says nothing.
func (m *claudeMemImport) observation(v store.ClaudeMemObservation, project string) (o memory.Observation, ok bool) {
	narrative := v.Narrative
	if strings.TrimSpace(narrative) == "" {
		narrative = v.Text // all that rows from before the title have
	}
	o = memory.Observation{
		SessionID: sessionID(v.Session), Project: project, PromptNumber: v.PromptNumber, CreatedAt: v.CreatedAt,
		Type: v.Type, Title: m.clean(v.Title), Subtitle: m.clean(v.Subtitle), Narrative: m.clean(narrative),
		Facts: m.Clean(listOf(v.Facts)...), FilesRead: m.files(v.FilesRead, project), FilesModified: m.files(v.FilesModified, project),
		Scope: memory.ScopeProject, Status: memory.StatusActive, Certainty: memory.CertaintyClaimed,
		Compressor: claudeMemCompressor, Model: v.Model, TokensSpent: max(v.Tokens, 0),
	}
	for _, c := range m.Clean(listOf(v.Concepts)...) {
		// Models write "gotcha: why"; the concept is what stands before.
		name, _, _ := strings.Cut(c, ":")
		o.Concepts = append(o.Concepts, strings.TrimSpace(name))
	}
	if o.Title == "" {
		o.Title = firstLine(o.Narrative)
	}
	if o.Title == "" && len(o.Facts) > 0 {
		o.Title = firstLine(o.Facts[0])
	}
	o.UID = importedUID("observation", v.Session.MemoryID, v.CreatedAt, v.Title, narrative, v.Facts)
	return o, o.Title != ""
}

func (m *claudeMemImport) summary(v store.ClaudeMemSummary, project string) (s memory.Summary, ok bool) {
	s = memory.Summary{
		SessionID: sessionID(v.Session), Project: project, PromptNumber: v.PromptNumber, CreatedAt: v.CreatedAt,
		Request: m.clean(v.Request), Investigated: m.clean(v.Investigated), Learned: m.clean(v.Learned), Completed: m.clean(v.Completed),
		NextSteps: m.clean(v.NextSteps), Notes: m.clean(v.Notes),
		FilesRead: m.files(v.FilesRead, project), FilesModified: m.files(v.FilesModified, project),
		Status: memory.StatusSuperseded, Compressor: claudeMemCompressor, TokensSpent: max(v.Tokens, 0),
	}
	if v.Newest {
		s.Status = memory.StatusActive
	}
	s.UID = importedUID("summary", v.Session.MemoryID, v.CreatedAt, v.Request, v.Completed, v.Learned)
	return s, s.Request+s.Investigated+s.Learned+s.Completed+s.NextSteps+s.Notes != ""
}

// clean gives a text without what must not be remembered.
func (m *claudeMemImport) clean(text string) string {
	if text == "" {
		return ""
	}
	return strings.TrimSpace(m.Clean(text)[0])
}

// files gives a list of paths as seen from the project.
func (m *claudeMemImport) files(list, project string) []string {
	paths := m.Clean(listOf(list)...)
	for i, p := range paths {
		paths[i] = m.Relative(project, p)
	}
	return paths
}

// sessionID gives the id by which the session is known here. The assistant's own
// comes first, so that a session that cmem has seen itself is the same one.
func sessionID(s store.ClaudeMemSession) string {
	switch {
	case s.ID == "" && s.MemoryID == "":
		return claudeMemCompressor + "-" + strconv.FormatInt(s.Row, 10)
	case s.ID == "":
		return s.MemoryID
	case s.Doubled:
		return agentOf(s.Platform) + ":" + s.ID
	}
	return s.ID
}

// agentOfSession gives our name of the assistant that a session is of. What a
// person saves by hand claude-mem keeps in sessions of its own making, one for each
// project, which no assistant can resume.
func agentOfSession(s store.ClaudeMemSession) string {
	if strings.HasPrefix(s.ID, "manual-content-") {
		return "person"
	}
	return agentOf(s.Platform)
}

// agentOf gives our name of an assistant.
func agentOf(platform string) string {
	switch p := strings.ToLower(strings.TrimSpace(platform)); p {
	case "", "claude":
		return "claude-code"
	default:
		return p
	}
}

// importedUID makes the same identifier of the same memory each time, in the form
// of a UUID of version 8 (RFC 9562).
func importedUID(kind, session string, at time.Time, texts ...string) string {
	h := sha256.New()
	for _, part := range append([]string{claudeMemCompressor, kind, session, strconv.FormatInt(at.UnixMilli(), 10)}, texts...) {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	b := h.Sum(nil)[:16]
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80
	s := hex.EncodeToString(b)
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// listOf reads a list as such databases hold it: a JSON array, but also nothing,
// one string, or text that is no JSON.
func listOf(s string) []string {
	s = strings.TrimSpace(s)
	if s == "" || s == "null" {
		return nil
	}
	var values []json.RawMessage
	if json.Unmarshal([]byte(s), &values) != nil {
		values = []json.RawMessage{json.RawMessage(s)}
	}
	var list []string
	for _, v := range values {
		var text string
		if json.Unmarshal(v, &text) != nil {
			text = string(v)
		}
		if text = strings.TrimSpace(text); text != "" && text != "null" {
			list = append(list, text)
		}
	}
	return list
}

// firstLine gives the beginning of a text as a title.
func firstLine(s string) string {
	const longest = 160
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	r := []rune(strings.TrimSpace(line))
	if len(r) > longest {
		return strings.TrimSpace(string(r[:longest])) + "…"
	}
	return string(r)
}

// earliestKnown gives the first of the times that is known.
func earliestKnown(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

func latest(times ...time.Time) time.Time {
	var last time.Time
	for _, t := range times {
		if t.After(last) {
			last = t
		}
	}
	return last
}
