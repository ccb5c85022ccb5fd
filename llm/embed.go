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

// Use says what a text is embedded for: some models treat what is searched and what
// is searched for differently.
type Use int

// The uses.
const (
	ForStorage Use = iota
	ForSearch
)

// Vectorizer is an embedding model of a provider.
type Vectorizer interface {
	// Name gives the provider and the model, for example "openai/nomic-embed-text".
	Name() string
	// Vectors gives a vector for each text, in order. Its errors are *Error.
	Vectors(ctx context.Context, texts []string, use Use) ([][]float32, error)
}
