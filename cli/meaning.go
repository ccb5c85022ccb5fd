package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"cmem/config"
	"cmem/hooks/secrets"
	"cmem/llm"
	"cmem/llm/gemini"
	"cmem/llm/openai"
	"cmem/llm/static"
	"cmem/recall"
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

// embedderKeys are the settings by which embedders are asked.
var embedderKeys = [...]string{
	"embedder", "gemini.api_key", "gemini.embedding_model", "openai.api_key", "openai.base_url", "openai.headers",
	"openai.embedding_model", "openai.embedding_base_url", "openai.embedding_api_key",
}

// tellEmbedder says what a change of a setting means for searches by meaning, "" where
// it means nothing.
func tellEmbedder(cfg *config.Config, key string) string {
	name := cfg.String("embedder")
	if name == embedderStatic || name == embedderNone || key != "embedder" && (!strings.HasPrefix(key, name+".") || !slices.Contains(embedderKeys[:], key)) {
		return ""
	}
	if _, err := newVectorizer(cfg, name); err != nil {
		return "The embedder is not used yet: " + err.Error()
	}
	to := name
	if name == "openai" {
		to = cmp.Or(cfg.String("openai.embedding_base_url"), cfg.String("openai.base_url"))
	}
	return "From now on the text of every memory, without what is private or secret, and of every search is sent to " + to + ". The worker begins with the next session; `cmem worker run` begins now, and `cmem status` shows how far it is."
}

// askedWith gives a text that changes when the settings do by which an embedder is
// asked, and tells nothing about them.
func askedWith(cfg *config.Config) string {
	h := sha256.New()
	for _, key := range embedderKeys {
		fmt.Fprintf(h, "%s=%q\n", key, cfg.String(key)) //nolint:errcheck // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
