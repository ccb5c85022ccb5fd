// Package gemini is the compressor and the embedding model that ask Gemini models
// through Google's generative-ai-go client.
//
// It holds that client and nothing else: what is asked and how an answer is
// read stands in package llm.
package gemini

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/generative-ai-go/genai"
	"google.golang.org/api/option"

	"cmem/llm"
	"cmem/memory"
)

const (
	provider       = "gemini"
	defaultBaseURL = "https://generativelanguage.googleapis.com"
)

// Options say how to reach the API.
type Options struct {
	APIKey  string
	Model   string
	BaseURL string // without /v1beta; empty for Google's
	// HTTPClient is used instead of a client of the package's own, with its own timeout.
	HTTPClient *http.Client
	Timeout    time.Duration // of one call; 0 for llm.DefaultTimeout
}

// Compressor asks one Gemini model.
type Compressor struct {
	model   string
	connect func() (*genai.Client, error)
}

var _ llm.Compressor = (*Compressor)(nil)

// New gives a compressor. It makes no call; an error is an *llm.Error of
// KindAuth and says which setting is missing.
func New(o Options) (*Compressor, error) {
	if o.APIKey == "" {
		return nil, setting("no API key; set it with: cmem config set gemini.api_key KEY")
	}
	if o.Model == "" {
		return nil, setting("no model; set it with: cmem config set gemini.model NAME")
	}
	return &Compressor{model: o.Model, connect: o.connect()}, nil
}

// connect gives a function that makes the client when it is first asked: building
// Google's clients is not free.
func (o Options) connect() func() (*genai.Client, error) { return sync.OnceValues(o.newClient) }

func setting(text string) error {
	return &llm.Error{Provider: provider, Kind: llm.KindAuth, Err: errors.New(text)}
}

func (o Options) newClient() (*genai.Client, error) {
	hc := llm.Client(o.HTTPClient, o.Timeout)
	next := hc.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	hc.Transport = &transport{key: o.APIKey, next: next}
	base := strings.TrimRight(o.BaseURL, "/")
	if base == "" {
		base = defaultBaseURL
	}
	// The key is given twice. With an HTTP client of ours the library leaves it to
	// that, and transport puts it into a header, where the library would put it
	// into the URL and so into error texts. Its gRPC client for cached content,
	// which is never used, wants a key or goes looking for credentials; the scheme
	// in the endpoint keeps it from finding an address to connect to.
	client, err := genai.NewClient(context.Background(),
		option.WithEndpoint(base), option.WithAPIKey(o.APIKey), option.WithHTTPClient(hc))
	if err != nil {
		return nil, &llm.Error{Provider: provider, Kind: llm.KindAuth, Err: fmt.Errorf("prepare the client: %w", err)}
	}
	return client, nil
}

// ID implements llm.Compressor.
func (c *Compressor) ID() string { return provider + "/" + llm.PromptVersion }

// Compress implements llm.Compressor.
func (c *Compressor) Compress(ctx context.Context, b llm.Batch) (llm.Result, error) {
	return llm.CompressWith(ctx, provider, c.ask, b)
}

// Summarize implements llm.Compressor.
func (c *Compressor) Summarize(ctx context.Context, s llm.Story) (memory.Summary, llm.Result, error) {
	return llm.SummarizeWith(ctx, provider, c.ask, s)
}

func (c *Compressor) ask(ctx context.Context, p llm.Prompt) (llm.Answer, error) {
	client, err := c.connect()
	if err != nil {
		return llm.Answer{}, err
	}
	model := client.GenerativeModel(c.model)
	model.SystemInstruction = genai.NewUserContent(genai.Text(p.System))
	model.ResponseMIMEType = "application/json"
	out, err := model.GenerateContent(ctx, genai.Text(p.User))
	if err != nil {
		return llm.Answer{}, classify(err)
	}
	if len(out.Candidates) == 0 {
		return llm.Answer{}, &llm.Error{Provider: provider, Kind: llm.KindAnswer, Err: errors.New("the answer holds no candidates")}
	}
	answer := llm.Answer{Model: c.model}
	if out.UsageMetadata != nil {
		answer.Tokens = int(out.UsageMetadata.TotalTokenCount) // thoughts are counted in it
	}
	if content := out.Candidates[0].Content; content != nil {
		for _, part := range content.Parts {
			if t, ok := part.(genai.Text); ok {
				answer.Text += string(t)
			}
		}
	}
	return answer, nil
}

// classify makes an *llm.Error of what the library gives back.
func classify(err error) error {
	var ours *llm.Error
	if errors.As(err, &ours) { // from transport
		return ours
	}
	var blocked *genai.BlockedError
	if errors.As(err, &blocked) {
		return &llm.Error{Provider: provider, Kind: llm.KindRequest, Err: errors.New(blocked.Error())}
	}
	kind := llm.KindTemporary
	if !fromNetwork(err) {
		kind = llm.KindAnswer
	}
	return &llm.Error{Provider: provider, Kind: kind, Err: err}
}

// fromNetwork reports whether a call did not come through, as against an
// answer that the library could not read.
func fromNetwork(err error) bool {
	var timeout interface{ Timeout() bool } // net.Error, url.Error, context.DeadlineExceeded
	return errors.As(err, &timeout) || errors.Is(err, context.Canceled)
}
