package cli

import (
	"cmp"
	"context"
	"strings"
	"time"

	"cmem/config"
	"cmem/llm"
	"cmem/llm/static"
	"cmem/worker"
)

// semantic says how it stands with searches by meaning.
type semantic struct {
	Embedder string `json:"embedder"`           // as it is set
	Model    string `json:"model,omitempty"`    // that searches are to use; "" when nothing of it is known yet
	Encoded  int64  `json:"encoded"`            // observations
	Due      int64  `json:"due"`                // observations that are not encoded yet; of very many not all are counted
	BuiltIn  *share `json:"built_in,omitempty"` // beside an embedder that is asked
	// Asked says how an embedder that is asked answered the worker.
	Asked *worker.AskedState `json:"asked,omitempty"`
}

// share says how much of the observations is encoded.
type share struct {
	Encoded int64 `json:"encoded"`
	Due     int64 `json:"due"`
}

// meaningStore is what the state of searches by meaning is read from.
type meaningStore interface {
	EmbeddingModels(ctx context.Context) ([]string, error)
	MeaningState(ctx context.Context, model string) (have, due int64, err error)
}

func readSemantic(ctx context.Context, cfg *config.Config, s meaningStore) (semantic, error) {
	st := semantic{Embedder: cfg.String("embedder")}
	if st.Embedder == embedderNone {
		return st, nil
	}
	asked := newAsked(cfg)
	if asked == nil {
		st.Model = static.ID
		var err error
		st.Encoded, st.Due, err = s.MeaningState(ctx, st.Model)
		return st, err
	}
	names, err := s.EmbeddingModels(ctx)
	if err != nil {
		return st, err
	}
	for _, name := range names {
		if asked.Is(name) {
			st.Model = name
			break
		}
	}
	if st.Encoded, st.Due, err = s.MeaningState(ctx, st.Model); err != nil {
		return st, err
	}
	var b share
	b.Encoded, b.Due, err = s.MeaningState(ctx, static.ID)
	st.BuiltIn = &b
	if left := worker.ReadAskedState(cfg.DataDir()); left.Embedder == asked.Name() && left.With == askedWith(cfg) {
		st.Asked = &left
	}
	return st, err
}

// describeSemantic says what searches by meaning can find, a line each.
func describeSemantic(s semantic) []string {
	if s.Embedder == embedderNone {
		return []string{"switched off (embedder none): searches go by words"}
	}
	if s.BuiltIn == nil {
		return []string{describeShare(share{s.Encoded, s.Due}, s.Model)}
	}
	lines := []string{describeShare(share{s.Encoded, s.Due}, cmp.Or(s.Model, "embedder "+s.Embedder))}
	if a := s.Asked; a != nil {
		if a.Failing != "" {
			lines = append(lines, "not asked until "+localTime(a.Next)+": "+oneLine(a.Failing, 200))
		}
		if n := len(a.Refused); n > 0 {
			lines = append(lines, count(n, "observation")+" refused by it; tried again after "+localTime(a.RefusedNext))
		}
	}
	if s.Due > 0 || len(lines) > 1 {
		lines = append(lines, "meanwhile by what is built in: "+describeShare(*s.BuiltIn, static.ID))
	}
	return lines
}

func describeShare(s share, model string) string {
	if s.Due == 0 {
		return "all observations can be found (" + model + ")"
	}
	return grouped(int(s.Encoded)) + " of " + grouped(int(s.Encoded+s.Due)) + " observations can be found; the worker goes on with the others (" + model + ")"
}

// askPatience is how long doctor waits for an embedder.
const askPatience = 10 * time.Second

// diagnoseMeaning looks at searches by meaning. ask tries an embedder that is asked, with
// a text of ours.
func diagnoseMeaning(ctx context.Context, cfg *config.Config, s meaningStore, ask func(context.Context, *llm.VectorModel) error) diagnosis {
	d := diagnosis{Name: "meaning", OK: true}
	st, err := readSemantic(ctx, cfg, s)
	if err != nil {
		return diagnosis{Name: "meaning", Found: err.Error(), Advice: "searches go on by words"}
	}
	d.Found = strings.Join(describeSemantic(st), "; ")
	asked := newAsked(cfg)
	if asked == nil {
		return d
	}
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	if err := ask(ctx, asked); err != nil {
		d.OK, d.Found = false, d.Found+"; asked just now: "+oneLine(err.Error(), 300)
		d.Advice = embedderAdvice[llm.KindOf(err)] + "; until then searches use the built-in table; `cmem config set embedder static` does without it"
	}
	return d
}

// askEmbedder tries an embedder.
func askEmbedder(ctx context.Context, m *llm.VectorModel) error {
	_, err := m.ID(ctx)
	return err
}

// embedderAdvice says what to do about an embedder that fails.
var embedderAdvice = map[llm.Kind]string{
	llm.KindAuth:      "set the key, the model and the address right (`cmem config list` shows them): the worker tries new ones at once",
	llm.KindRateLimit: "the worker waits as long as it asks for",
	llm.KindAnswer:    "another model or server may do better",
	llm.KindTemporary: "look whether the server runs, and at the network: the worker asks again by itself",
}
