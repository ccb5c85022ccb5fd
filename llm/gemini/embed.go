package gemini

import (
	"context"
	"strings"

	"github.com/google/generative-ai-go/genai"

	"cmem/llm"
)

// Vectorizer asks one Gemini embedding model.
type Vectorizer struct {
	model   string
	connect func() (*genai.Client, error)
}

var _ llm.Vectorizer = (*Vectorizer)(nil)

// NewVectorizer gives an embedding model. It makes no call; an error is an *llm.Error
// of KindAuth and says which setting is missing.
func NewVectorizer(o Options) (*Vectorizer, error) {
	if o.APIKey == "" {
		return nil, setting("no API key; set it with: cmem config set gemini.api_key KEY")
	}
	if o.Model == "" {
		return nil, setting("no embedding model; set it with: cmem config set gemini.embedding_model NAME")
	}
	return &Vectorizer{model: o.Model, connect: o.connect()}, nil
}

// Name implements llm.Vectorizer.
func (v *Vectorizer) Name() string { return provider + "/" + strings.TrimPrefix(v.model, "models/") }

// Vectors implements llm.Vectorizer.
func (v *Vectorizer) Vectors(ctx context.Context, texts []string, use llm.Use) ([][]float32, error) {
	client, err := v.connect()
	if err != nil {
		return nil, err
	}
	model := client.EmbeddingModel(v.model)
	model.TaskType = genai.TaskTypeRetrievalDocument
	if use == llm.ForSearch {
		model.TaskType = genai.TaskTypeRetrievalQuery
	}
	batch := model.NewBatch()
	for _, text := range texts {
		batch.AddContent(genai.Text(text))
	}
	out, err := model.BatchEmbedContents(ctx, batch)
	if err != nil {
		return nil, classify(err)
	}
	vectors := make([][]float32, len(out.Embeddings))
	for i, e := range out.Embeddings {
		if e != nil {
			vectors[i] = e.Values
		}
	}
	return vectors, nil
}
