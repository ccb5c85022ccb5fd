package llm

import (
	"context"

	"cmem/memory"
)

// Answer is what a model said to a Prompt.
type Answer struct {
	Text   string
	Model  string // the model that answered
	Tokens int    // in and out, as the provider counted them
}

// Ask sends one prompt to a provider's model. Its error is an *Error.
type Ask func(ctx context.Context, p Prompt) (Answer, error)

// CompressWith is Compressor.Compress for a model: one question, one answer,
// and none at all when the batch has nothing to tell. Tokens are counted also
// when the answer cannot be read.
func CompressWith(ctx context.Context, provider string, ask Ask, b Batch) (Result, error) {
	p, ok := CompressPrompt(b)
	if !ok {
		return Result{}, nil
	}
	a, err := ask(ctx, p)
	if err != nil {
		return Result{}, err
	}
	r := Result{Model: a.Model, TokensSpent: a.Tokens}
	if r.Observations, err = ParseObservations(a.Text, b); err != nil {
		return r, &Error{Provider: provider, Kind: KindAnswer, Err: err}
	}
	return r, nil
}

// SummarizeWith is Compressor.Summarize for a model.
func SummarizeWith(ctx context.Context, provider string, ask Ask, s Story) (memory.Summary, Result, error) {
	p, ok := SummaryPrompt(s)
	if !ok {
		return memory.Summary{}, Result{}, nil
	}
	a, err := ask(ctx, p)
	if err != nil {
		return memory.Summary{}, Result{}, err
	}
	r := Result{Model: a.Model, TokensSpent: a.Tokens}
	sum, err := ParseSummary(a.Text, s)
	if err != nil {
		return memory.Summary{}, r, &Error{Provider: provider, Kind: KindAnswer, Err: err}
	}
	return sum, r, nil
}
