package corpus

import (
	"context"

	"cmem/llm/static"
	"cmem/store"
)

// encodedAtOnce is how many observations are encoded before they are kept.
const encodedAtOnce = 200

// Encode makes what a store lacks for searches by meaning, as the worker does. tell, if
// not nil, is called with the number of observations done so far.
func Encode(ctx context.Context, s *store.Store, tell func(done int)) error {
	model := static.Model{}
	if err := s.UseModel(ctx, model.ID()); err != nil {
		return err
	}
	for done := 0; ; {
		due, err := s.DueMeanings(ctx, model.ID(), encodedAtOnce)
		if err != nil || len(due) == 0 {
			return err
		}
		list, err := model.Embed(ctx, due)
		if err != nil {
			return err
		}
		n, err := s.SaveMeanings(ctx, model.ID(), due, list)
		if err != nil {
			return err
		}
		if done += n; tell != nil {
			tell(done)
		}
	}
}
