package llm

import (
	"context"

	"cmem/memory"
)

// Embedder turns observations into numbers by which what they mean can be compared.
type Embedder interface {
	// ID names the model and the way in which it is used: numbers of different IDs
	// cannot be compared.
	ID() string
	// Embed gives the meanings of observations; one of which it can make nothing has
	// a Meaning with its id only.
	Embed(ctx context.Context, list []memory.Observation) ([]memory.Meaning, error)
}
