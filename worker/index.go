package worker

import (
	"context"
	"slices"

	"cmem/logs"
)

// encodeCount is how many observations are encoded between two looks at the spool.
const encodeCount = 100

// index does some of what searches need beside the observations, and reports whether
// there is more. What fails is tried again when there is something else to do:
// searches go on without it, and say so.
func (w *worker) index(ctx context.Context) (more bool) {
	left, err := w.store.RetokenizeSome(ctx, encodeCount)
	if err != nil && ctx.Err() == nil {
		w.Log.Warn("the words of the search index could not be renewed", "kind", logs.WorkerHindered, "error", err)
	}
	more = left > 0
	for _, step := range []func(context.Context) (bool, error){w.encodeSome, w.askSome, w.dropSome} {
		worked, err := step(ctx)
		if err != nil {
			if ctx.Err() == nil {
				w.Log.Warn("observations could not be encoded for searches by meaning", "kind", logs.WorkerHindered, "error", err)
			}
			return more
		}
		more = more || worked
	}
	return more
}

// encodeSome encodes observations by what is built in.
func (w *worker) encodeSome(ctx context.Context) (worked bool, err error) {
	if w.Embedder == nil {
		return false, nil
	}
	model := w.Embedder.ID()
	if err := w.store.UseModel(ctx, model); err != nil {
		return false, err
	}
	due, err := w.store.DueMeanings(ctx, model, encodeCount)
	if err != nil || len(due) == 0 {
		return false, err
	}
	// The table of words is read all over: what compressing needed is not held beside it.
	trim()
	list, err := w.Embedder.Embed(ctx, due)
	trim()
	if err != nil {
		return false, err
	}
	n, err := w.store.SaveMeanings(ctx, model, due, list)
	return n > 0, err
}

// dropSome removes encodings by other models once nothing is due for those in use, so
// that whoever goes back to a model before that has lost nothing.
func (w *worker) dropSome(ctx context.Context) (worked bool, err error) {
	var keep []string
	if w.Embedder != nil {
		keep = append(keep, w.Embedder.ID())
	}
	if w.Asked != nil {
		names, err := w.store.EmbeddingModels(ctx)
		if err != nil {
			return false, err
		}
		at := slices.IndexFunc(names, w.Asked.Is)
		if at < 0 {
			return false, nil
		}
		keep = append(keep, names[at])
	}
	for _, model := range keep {
		if _, due, err := w.store.MeaningState(ctx, model); err != nil || due > 0 {
			return false, err
		}
	}
	return w.store.DropModels(ctx, keep...)
}
