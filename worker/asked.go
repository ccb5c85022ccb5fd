package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"cmem/llm"
	"cmem/logs"
	"cmem/memory"
)

const (
	// askedFile is where AskedState stands in the data directory.
	askedFile = "embedder.json"
	// refusedWait is after what time refused texts are tried again, doubled each time up
	// to refusedLongWait.
	refusedWait, refusedLongWait = 24 * time.Hour, 32 * 24 * time.Hour
	// maxRefused bounds how many refused texts are known by their ids, and tried again.
	maxRefused = 1000
)

// AskedState says how it stands with an embedder that is asked, as the last worker left
// it. It quotes no memory.
type AskedState struct {
	Embedder string `json:"embedder"` // provider and model
	With     string `json:"with"`     // Options.AskedWith; of other settings this says nothing
	// Failing says what went wrong the last time, "" when it answered; Cause is why,
	// and Next when it is asked again.
	Failing string     `json:"failing,omitempty"`
	Cause   logs.Cause `json:"cause,omitempty"`
	Next    time.Time  `json:"next,omitzero"`
	// Refused are observations whose text it does not take; they are tried again at
	// RefusedNext.
	Refused     []int64       `json:"refused,omitempty"`
	RefusedNext time.Time     `json:"refused_next,omitzero"`
	RefusedWait time.Duration `json:"refused_wait,omitempty"`
}

// ReadAskedState reads what the last worker left; the zero AskedState where there is
// nothing to tell.
func ReadAskedState(dataDir string) AskedState {
	var s AskedState
	b, err := os.ReadFile(filepath.Join(dataDir, askedFile))
	if err != nil || json.Unmarshal(b, &s) != nil {
		return AskedState{}
	}
	return s
}

// asked is the worker's side of an embedder that is asked.
type asked struct {
	state      AskedState
	written    AskedState // as it stands on disk
	breaker    breaker
	remeasured bool // its vectors have changed their length since the worker began
}

// readAsked goes on where the last worker left off: a provider that failed is left
// alone by the next one, too, unless its settings have changed.
func (w *worker) readAsked() asked {
	if w.Asked == nil {
		return asked{}
	}
	fresh := AskedState{Embedder: w.Asked.Name(), With: w.AskedWith}
	a := asked{written: ReadAskedState(w.DataDir)}
	a.state = a.written
	switch s := a.state; {
	case s.Embedder != fresh.Embedder:
		a.state = fresh
	case s.With != fresh.With: // what was refused was refused by the model
		fresh.Refused, fresh.RefusedNext, fresh.RefusedWait = s.Refused, s.RefusedNext, s.RefusedWait
		a.state = fresh
	case s.Failing != "" && time.Until(s.Next) < longestPause: // not a date that a wrong clock gave
		a.breaker = breaker{failures: 1, until: s.Next, last: errors.New(s.Failing)}
	}
	return a
}

// askSome has observations encoded by a provider.
func (w *worker) askSome(ctx context.Context) (worked bool, err error) {
	if w.Asked == nil || w.asked.breaker.allow(time.Now()) != nil {
		return false, nil
	}
	model, err := w.askedModel(ctx)
	if err != nil || model == "" {
		return false, w.askedFailure(ctx, err)
	}
	if err := w.askRefusedAgain(ctx, model); err != nil {
		return false, err
	}
	due, err := w.store.DueMeanings(ctx, model, w.Asked.AtOnce())
	if err != nil || len(due) == 0 {
		return false, err
	}
	encoded, failure := w.askFor(ctx, due)
	if encoded.Model != "" && encoded.Model != model {
		if w.asked.remeasured {
			return false, w.askedFailure(ctx, &llm.Error{Provider: w.Asked.Name(), Kind: llm.KindAnswer, Err: errors.New("the length of its vectors changes again and again")})
		}
		w.asked.remeasured = true
		w.Log.Info("an embedder gives vectors of another length; all observations are encoded anew", "model", encoded.Model, "before", model)
		model = encoded.Model
		if err := w.store.UseModel(ctx, model); err != nil {
			return false, err
		}
	}
	saved := 0
	if len(encoded.Meanings) > 0 {
		if saved, err = w.store.SaveMeanings(ctx, model, due, encoded.Meanings); err != nil {
			return false, err
		}
	}
	w.noteRefused(encoded.Refused)
	return saved > 0, w.askedFailure(ctx, failure)
}

// askedModel gives the name by which the store knows the encodings: of the newest, for
// the length of the vectors may have changed. It is "" while there is nothing to encode.
func (w *worker) askedModel(ctx context.Context) (string, error) {
	names, err := w.store.EmbeddingModels(ctx)
	if err != nil {
		return "", err
	}
	if at := slices.IndexFunc(names, w.Asked.Is); at >= 0 {
		return names[at], nil
	}
	if _, due, err := w.store.MeaningState(ctx, ""); err != nil || due == 0 {
		return "", err
	}
	model, err := askAlongside(ctx, w, w.Asked.ID)
	if err != nil {
		return "", err
	}
	return model, w.store.UseModel(ctx, model)
}

func (w *worker) askFor(ctx context.Context, due []memory.Observation) (llm.Encoded, error) {
	return askAlongside(ctx, w, func(ctx context.Context) (llm.Encoded, error) { return w.Asked.Embed(ctx, due) })
}

// askAlongside asks the embedder and makes an error of its panic.
func askAlongside[T any](ctx context.Context, w *worker, ask func(context.Context) (T, error)) (T, error) {
	return alongside(ctx, w, w.Asked.Name(), func(ctx context.Context) (out T, err error) {
		defer func() {
			if p := recover(); p != nil {
				err = &llm.Error{Provider: w.Asked.Name(), Kind: llm.KindAnswer, Err: logs.Recovered(p)}
			}
		}()
		return ask(ctx)
	})
}

// askedFailure takes in how a call went. A failure of the provider is no failure of the
// worker's: it is on record, and the provider is left alone for a while.
func (w *worker) askedFailure(ctx context.Context, err error) error {
	var e *llm.Error
	switch {
	case errors.Is(err, errStopped) || ctx.Err() != nil:
		return nil
	case err != nil && !errors.As(err, &e):
		return err
	}
	w.asked.breaker.note(time.Now(), err)
	s := w.asked.state
	s.Failing, s.Cause, s.Next = "", "", time.Time{}
	if err != nil {
		s.Failing, s.Cause = failureWords(e)
		s.Next = w.asked.breaker.until.UTC().Truncate(time.Second)
	}
	switch before := w.asked.state.Failing; {
	case err != nil && before != s.Failing:
		w.Log.Warn("an embedder could not be asked; searches by meaning go on with what is built in", "kind", logs.EmbedderFailed, "next", s.Next.Format(time.RFC3339), "error", err)
	case err == nil && before != "":
		w.Log.Info("the embedder answers again", "kind", logs.EmbedderBack)
	}
	w.writeAsked(s)
	return nil
}

// failureWords says what went wrong. The provider's own words may quote what it was
// asked, or a key, and a forgotten word must be nowhere: they are not kept.
func failureWords(e *llm.Error) (words string, cause logs.Cause) {
	switch e.Kind {
	case llm.KindAuth:
		switch e.Status {
		case 0:
			return e.Error(), logs.KeyRefused // ours: what is missing
		case http.StatusBadRequest, http.StatusUnprocessableEntity:
			return fmt.Sprintf("it answered %d: it refuses every text", e.Status), logs.KeyRefused
		}
		return fmt.Sprintf("it answered %d: it does not accept the key, the model or the address", e.Status), logs.KeyRefused
	case llm.KindRateLimit:
		return "it limits the number of calls", logs.RateLimited
	case llm.KindAnswer:
		return "its answer cannot be read", logs.AnswerUnread
	case llm.KindRequest:
		return "it refuses what it is asked", logs.InputRefused
	}
	if e.Status != 0 {
		return "it has a failure of its own", logs.Unreachable
	}
	return "it cannot be reached", logs.Unreachable
}

// noteRefused remembers the observations whose text the provider does not take.
func (w *worker) noteRefused(ids []int64) {
	if len(ids) == 0 {
		return
	}
	s := w.asked.state
	s.Refused = slices.Concat(s.Refused, ids)
	slices.Sort(s.Refused)
	s.Refused = slices.Compact(s.Refused)
	s.Refused = s.Refused[max(0, len(s.Refused)-maxRefused):]
	if s.RefusedNext.IsZero() {
		s.RefusedWait = min(max(2*s.RefusedWait, refusedWait), refusedLongWait)
		s.RefusedNext = time.Now().Add(s.RefusedWait).UTC().Truncate(time.Second)
	}
	w.Log.Warn("an embedder refuses the text of observations; they are found by their words and by what is built in", "kind", logs.EmbedderRefused, "observations", len(ids))
	w.writeAsked(s)
}

// askRefusedAgain makes refused texts due once more when it is time for it.
func (w *worker) askRefusedAgain(ctx context.Context, model string) error {
	s := w.asked.state
	if len(s.Refused) == 0 || time.Now().Before(s.RefusedNext) {
		return nil
	}
	if err := w.store.EncodeAgain(ctx, model, s.Refused); err != nil {
		return err
	}
	s.Refused, s.RefusedNext = nil, time.Time{}
	w.writeAsked(s)
	return nil
}

// writeAsked puts the state on record, where it has changed.
func (w *worker) writeAsked(s AskedState) {
	w.asked.state = s
	if on := w.asked.written; slices.Equal(on.Refused, s.Refused) && on.Failing == s.Failing && on.Next.Equal(s.Next) && on.RefusedNext.Equal(s.RefusedNext) {
		return
	}
	path := filepath.Join(w.DataDir, askedFile)
	b, err := json.Marshal(s)
	if err == nil {
		err = os.WriteFile(path+".part", append(b, '\n'), 0o600)
	}
	if err == nil {
		err = os.Rename(path+".part", path)
	}
	if err != nil {
		w.Log.Warn("how it stands with the embedder could not be noted", "kind", logs.WorkerHindered, "error", err)
		return
	}
	w.asked.written = s
}
