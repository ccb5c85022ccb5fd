package worker

import (
	"context"

	"cmem/logs"
)

// encodeCount is how many observations are encoded between two looks at the spool.
const encodeCount = 200

// index does some of what searches need beside the observations, and reports whether
// there is more. What fails is tried again when there is something else to do:
// searches go on without it, and say so.
func (w *worker) index(ctx context.Context) (more bool) {
	left, err := w.store.RetokenizeSome(ctx, encodeCount)
	if err != nil && ctx.Err() == nil {
		w.Log.Warn("the words of the search index could not be renewed", "kind", logs.WorkerHindered, "error", err)
	}
	if w.Embedder == nil {
		return left > 0
	}
	n, err := w.encodeSome(ctx)
	if err != nil && ctx.Err() == nil {
		w.Log.Warn("observations could not be encoded for searches by meaning", "kind", logs.WorkerHindered, "model", w.Embedder.ID(), "error", err)
		return left > 0
	}
	return left > 0 || n > 0
}

func (w *worker) encodeSome(ctx context.Context) (int, error) {
	model := w.Embedder.ID()
	if err := w.store.UseModel(ctx, model); err != nil {
		return 0, err
	}
	due, err := w.store.DueMeanings(ctx, model, encodeCount)
	if err != nil || len(due) == 0 {
		return 0, err
	}
	list, err := w.Embedder.Embed(ctx, due)
	if err != nil {
		return 0, err
	}
	return w.store.SaveMeanings(ctx, model, due, list)
}
