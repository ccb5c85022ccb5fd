package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"cmem/llm"
)

// Vectorizer asks one embedding model of one server.
type Vectorizer struct {
	server
	model string
}

var _ llm.Vectorizer = (*Vectorizer)(nil)

// NewVectorizer gives an embedding model; BaseURL goes without /embeddings. It makes no
// call; an error is an *llm.Error of KindAuth and says which setting is missing.
func NewVectorizer(o Options) (*Vectorizer, error) {
	s, err := o.server("/embeddings")
	if err != nil {
		return nil, err
	}
	if o.Model == "" {
		return nil, setting("no embedding model; set it with: cmem config set openai.embedding_model NAME")
	}
	return &Vectorizer{server: s, model: o.Model}, nil
}

// Name implements llm.Vectorizer.
func (v *Vectorizer) Name() string { return provider + "/" + v.model }

type embeddingsRequest struct {
	Model string   `json:"model"`
	Input []string `json:"input"`
}

type embeddingsResponse struct {
	Data []struct {
		Index     *int            `json:"index"`
		Embedding json.RawMessage `json:"embedding"`
	} `json:"data"`
}

// Vectors implements llm.Vectorizer. The API knows no difference between uses.
func (v *Vectorizer) Vectors(ctx context.Context, texts []string, _ llm.Use) ([][]float32, error) {
	var out embeddingsResponse
	if err := v.post(ctx, embeddingsRequest{v.model, texts}, &out); err != nil {
		return nil, err
	}
	if len(out.Data) != len(texts) {
		return nil, unreadable(fmt.Errorf("it gave %d vectors for %d texts", len(out.Data), len(texts)))
	}
	vectors := make([][]float32, len(texts))
	for i, d := range out.Data {
		if d.Index != nil {
			i = *d.Index
		}
		if i < 0 || i >= len(vectors) || vectors[i] != nil {
			return nil, unreadable(errors.New("it does not say which vector is of which text"))
		}
		if bytes.Contains(d.Embedding, []byte("null")) { // as some servers write what is no number
			return nil, unreadable(errors.New("a vector has numbers that are none"))
		}
		if err := json.Unmarshal(d.Embedding, &vectors[i]); err != nil {
			return nil, unreadable(fmt.Errorf("read a vector: %w", err))
		}
		if vectors[i] == nil {
			return nil, unreadable(errors.New("a vector is missing"))
		}
	}
	return vectors, nil
}

func unreadable(err error) error {
	return &llm.Error{Provider: provider, Kind: llm.KindAnswer, Err: err}
}

// server is where calls go, and what goes with each.
type server struct {
	client *http.Client
	url    string
	key    string
	header http.Header
}

// server gives where calls for a path go; the error is a missing setting.
func (o Options) server(path string) (server, error) {
	base := strings.TrimRight(o.BaseURL, "/")
	if base == "" {
		base = defaultBaseURL
	}
	if o.APIKey == "" && base == defaultBaseURL {
		return server{}, setting("no API key; set it with: cmem config set openai.api_key KEY")
	}
	return server{client: llm.Client(o.HTTPClient, o.Timeout), url: base + path, key: o.APIKey, header: o.Header}, nil
}

// post makes a call. Neither the key nor a header of the person stands in its error.
func (s server) post(ctx context.Context, in, out any) error {
	header := s.header.Clone()
	if header == nil {
		header = http.Header{}
	}
	if s.key != "" {
		header.Set("Authorization", "Bearer "+s.key)
	}
	err := llm.Post(ctx, s.client, provider, s.key, s.url, header, in, out)
	var e *llm.Error
	if errors.As(err, &e) && e.Status != 0 { // what the server says
		said := e.Err.Error()
		for _, values := range s.header {
			for _, value := range values {
				said = strings.ReplaceAll(said, value, "[header]")
			}
		}
		e.Err = errors.New(said)
	}
	return err
}

// ParseHeaders reads headers as a person writes them, "Name: value; Name: value".
func ParseHeaders(text string) (http.Header, error) {
	header := http.Header{}
	for one := range strings.SplitSeq(text, ";") {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		name, value, found := strings.Cut(one, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		isToken := func(r rune) bool {
			return r < 0x7F && r > ' ' && !strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
		}
		if !found || value == "" || name == "" || strings.ContainsFunc(name, func(r rune) bool { return !isToken(r) }) ||
			strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7F }) {
			return nil, setting("a header cannot be read; write openai.headers as \"Name: value; Name: value\"")
		}
		if slices.Contains([]string{"Content-Type", "Content-Length", "Host", "Accept"}, http.CanonicalHeaderKey(name)) {
			return nil, setting("openai.headers cannot set " + http.CanonicalHeaderKey(name))
		}
		header.Add(name, value)
	}
	return header, nil
}
