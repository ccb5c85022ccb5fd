package local

import (
	"context"
	"fmt"

	"cmem/llm"
	"cmem/memory"
)

// Compressor makes observations and summaries by rules. It has no state, costs
// nothing and fails only when its context has ended.
type Compressor struct{}

var _ llm.Compressor = (*Compressor)(nil)

// New gives the compressor by rules.
func New() *Compressor { return &Compressor{} }

// ID is "local/v1".
func (*Compressor) ID() string { return "local/v1" }

// Compress gives the observations of a batch: one a topic, usually one to three,
// none when nothing happened that is worth knowing later.
func (*Compressor) Compress(ctx context.Context, b llm.Batch) (llm.Result, error) {
	if err := ctx.Err(); err != nil {
		return llm.Result{}, fmt.Errorf("compress batch by rules: %w", err)
	}
	s := readScene(b)
	var out []memory.Observation
	told := map[string]bool{}
	for _, a := range s.arcs() {
		o, ok := s.observe(a)
		if !ok || told[o.Title] {
			continue
		}
		told[o.Title] = true
		if len(out) == 0 {
			o.TokensSource += s.tokens
		}
		out = append(out, o)
	}
	return llm.Result{Observations: out}, nil
}
