package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"cmem/config"
	"cmem/hooks/secrets"
	"cmem/llm"
	"cmem/llm/gemini"
	"cmem/llm/openai"
	"cmem/llm/static"
	"cmem/logs"
	"cmem/recall"
	"cmem/worker"
)

const (
	embedderStatic = "static"
	embedderNone   = "none"
)

// searchQuery gives what searches in a project are made with besides what is looked
// for, as the settings say. Every face asks it, so that all answer alike. models are
// what meanings are compared by: searchModels, or for who must not ask a provider,
// models that are built in.
func searchQuery(cfg *config.Config, project string, models []recall.Model) recall.Query {
	cfg = cfg.For(project)
	w := cfg.Numbers("search.weights")
	q := recall.Query{
		Weights:  recall.Weights{Keyword: w["keyword"], Semantic: w["semantic"], Recency: w["recency"], Tags: w["tags"]},
		HalfLife: map[string]time.Duration{},
		Models:   models,
	}
	for kind, days := range cfg.Numbers("search.half_life") {
		q.HalfLife[kind] = time.Duration(days * float64(24*time.Hour))
	}
	return q
}

// searchModels gives the models by which searches compare meanings: the provider's that
// the person chose, and for when that cannot be asked, the one built in. A process that
// searches often keeps them.
func searchModels(cfg *config.Config) []recall.Model {
	models := builtInModels(cfg)
	if asked := newAsked(cfg); asked != nil {
		models = append([]recall.Model{recall.Asked(asked)}, models...)
	}
	return models
}

// builtInModels gives the models that ask nobody: for hooks, whose answer must not wait.
func builtInModels(cfg *config.Config) []recall.Model {
	if cfg.String("embedder") == embedderNone {
		return []recall.Model{}
	}
	return []recall.Model{recall.BuiltIn()}
}

// builtInEmbedder gives what the worker encodes by without asking anybody, nil for
// nothing. It does so beside an embedder that is asked, too.
func builtInEmbedder(cfg *config.Config) llm.Embedder {
	if cfg.String("embedder") == embedderNone {
		return nil
	}
	return static.Model{}
}

// newAsked gives the provider's embedding model that the person chose, nil where it is
// none. Secrets are masked in what it is sent. One whose settings are wrong fails at
// every call and says why.
func newAsked(cfg *config.Config) *llm.VectorModel {
	name := cfg.String("embedder")
	if name == embedderStatic || name == embedderNone {
		return nil
	}
	v, err := newVectorizer(cfg, name)
	if err != nil {
		v = unusableVectorizer{name, err}
	}
	return llm.NewVectorModel(v, secrets.Mask)
}

func newVectorizer(cfg *config.Config, name string) (llm.Vectorizer, error) {
	switch name {
	case "gemini":
		return vectorizer(gemini.NewVectorizer(gemini.Options{APIKey: cfg.String("gemini.api_key"), Model: cfg.String("gemini.embedding_model")}))
	case "openai":
		o := openai.Options{Model: cfg.String("openai.embedding_model")}
		if o.BaseURL = cfg.String("openai.embedding_base_url"); o.BaseURL != "" {
			o.APIKey = cfg.String("openai.embedding_api_key")
			return vectorizer(openai.NewVectorizer(o))
		}
		o.BaseURL, o.APIKey = cfg.String("openai.base_url"), cfg.String("openai.api_key")
		var err error
		if o.Header, err = openai.ParseHeaders(cfg.String("openai.headers")); err != nil {
			return nil, err
		}
		return vectorizer(openai.NewVectorizer(o))
	}
	return nil, fmt.Errorf("settings: embedder %q is not known", name)
}

// vectorizer makes no interface of a nil pointer.
func vectorizer[T llm.Vectorizer](v T, err error) (llm.Vectorizer, error) {
	if err != nil {
		return nil, err
	}
	return v, nil
}

// unusableVectorizer is an embedding model whose settings are wrong.
type unusableVectorizer struct {
	name string
	err  error
}

func (u unusableVectorizer) Name() string { return u.name }

func (u unusableVectorizer) Vectors(context.Context, []string, llm.Use) ([][]float32, error) {
	return nil, u.err
}

// tellEmbedder says what a change of a setting means for searches by meaning, "" where
// it means nothing.
func tellEmbedder(cfg *config.Config, key string) string {
	name := cfg.String("embedder")
	if name == embedderStatic || name == embedderNone || key != "embedder" && !strings.HasPrefix(key, name+".") {
		return ""
	}
	if _, err := newVectorizer(cfg, name); err != nil {
		return "It is not used yet: " + err.Error() + "."
	}
	if key != "embedder" {
		return ""
	}
	return "The text of every memory, without what is private or secret, and of every search is sent to " + name + " from now on. The worker begins with the next session; `cmem worker run` begins now, `cmem status` shows how far it is."
}

// askedWith gives a text that changes when the settings do by which an embedder is
// asked, and tells nothing about them.
func askedWith(cfg *config.Config) string {
	h := sha256.New()
	for _, key := range []string{
		"embedder", "gemini.api_key", "gemini.embedding_model", "openai.api_key", "openai.base_url", "openai.headers",
		"openai.embedding_model", "openai.embedding_base_url", "openai.embedding_api_key",
	} {
		fmt.Fprintf(h, "%s=%q\n", key, cfg.String(key)) //nolint:errcheck // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

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

// diagnoseMeaning looks at searches by meaning.
func diagnoseMeaning(ctx context.Context, cfg *config.Config, s meaningStore) diagnosis {
	d := diagnosis{Name: "meaning", OK: true}
	st, err := readSemantic(ctx, cfg, s)
	if err != nil {
		return diagnosis{Name: "meaning", Found: err.Error(), Advice: "searches go on by words"}
	}
	lines := describeSemantic(st)
	d.Found = lines[0]
	for _, line := range lines[1:] {
		d.Found += "; " + line
	}
	asked := newAsked(cfg)
	if asked == nil {
		return d
	}
	if _, err := newVectorizer(cfg, st.Embedder); err != nil {
		return diagnosis{Name: "meaning", Found: err.Error(), Advice: "`cmem config set embedder static` does without it; searches use the built-in table until it is set right"}
	}
	if st.Asked != nil && st.Asked.Failing != "" {
		d.OK = false
		if d.Advice = embedderAdvice[st.Asked.Cause]; d.Advice == "" {
			d.Advice = "the worker asks again by itself"
		}
		d.Advice += "; `cmem config set embedder static` does without it"
	}
	return d
}

// embedderAdvice says by its cause what to do about an embedder that fails.
var embedderAdvice = map[logs.Cause]string{
	logs.KeyRefused:   "set the key, the model and the address right: `cmem config list` shows them; the worker tries new ones at once",
	logs.RateLimited:  "the worker waits as long as it asks for",
	logs.AnswerUnread: "another model or server may do better",
	logs.Unreachable:  "look whether the server runs, and at the network; the worker asks again by itself",
}
