package llm

import (
	"bytes"
	"slices"
	"strings"

	"cmem/memory"
)

// files takes from the paths that a model names those that the events speak
// of, and gives them relative to the session's project where they are inside.
func files(named []string, s memory.Session, events []memory.Event) []string {
	var out []string
	for _, p := range lines(named, maxPaths, maxPath) {
		if inEvents(p, events) {
			out = appendPath(out, p, s)
		}
	}
	return out
}

// storyFiles does the same for a summary, whose evidence are the observations
// and the checkpoint before.
func storyFiles(w wireSummary, s Story) (read, modified []string) {
	known := make(map[string]bool)
	for _, o := range s.Observations {
		for _, p := range slices.Concat(o.FilesRead, o.FilesModified) {
			known[p] = true
		}
	}
	if s.Previous != nil {
		for _, p := range slices.Concat(s.Previous.FilesRead, s.Previous.FilesModified) {
			known[p] = true
		}
	}
	pick := func(named []string) (out []string) {
		for _, p := range lines(named, maxPaths, maxPath) {
			if rel := relative(p, s.Session); known[rel] || known[p] || inEvents(p, s.Events) {
				out = appendPath(out, p, s.Session)
			}
		}
		return out
	}
	return pick(w.FilesRead), pick(w.FilesModified)
}

func appendPath(out []string, p string, s memory.Session) []string {
	if p = relative(p, s); p == "" || slices.Contains(out, p) {
		return out
	}
	return append(out, p)
}

// inEvents reports whether a path stands in what went into or came out of a
// tool, in either way of writing separators.
func inEvents(p string, events []memory.Event) bool {
	p = strings.TrimPrefix(p, "./")
	slashed := strings.ReplaceAll(p, `\`, "/")
	escaped := strings.ReplaceAll(slashed, "/", `\\`) // as JSON writes a Windows path
	for _, e := range events {
		for _, raw := range [][]byte{e.ToolInput, e.ToolResponse} {
			if bytes.Contains(raw, []byte(slashed)) || bytes.Contains(raw, []byte(escaped)) {
				return true
			}
		}
		if strings.Contains(e.Error, p) || strings.Contains(e.LastAssistantMessage, p) {
			return true
		}
	}
	return false
}

// relative gives p without the project in front, with / separators.
func relative(p string, s memory.Session) string {
	p = strings.TrimPrefix(strings.ReplaceAll(p, `\`, "/"), "./")
	for _, base := range []string{s.Project, s.CWD} {
		base = strings.TrimSuffix(strings.ReplaceAll(base, `\`, "/"), "/")
		if rel, ok := strings.CutPrefix(p, base+"/"); ok && base != "" {
			return rel
		}
	}
	return p
}
