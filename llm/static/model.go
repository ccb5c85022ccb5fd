package static

import (
	"context"
	"strings"

	"cmem/memory"
)

// Model is the table as an llm.Embedder.
type Model struct{}

// ID gives ID.
func (Model) ID() string { return ID }

// Embed encodes observations. It calls nobody.
func (Model) Embed(ctx context.Context, list []memory.Observation) ([]memory.Meaning, error) {
	out := make([]memory.Meaning, 0, len(list))
	for _, o := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e := Encode(textOf(o))
		out = append(out, memory.Meaning{ID: o.ID, Vector: e.Vector, Words: e.Words})
	}
	return out, nil
}

// textOf gives what is encoded of an observation.
func textOf(o memory.Observation) string {
	parts := []string{o.Title, o.Subtitle, o.Narrative}
	for _, list := range [][]string{o.Facts, o.Concepts, o.Tags, o.FilesRead, o.FilesModified} {
		parts = append(parts, list...)
	}
	return strings.Join(parts, "\n")
}
